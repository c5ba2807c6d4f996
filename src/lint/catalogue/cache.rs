//! Rules on `cache_control`.

use super::page::CACHING;
use crate::finding::family;

family! { "cache";
    BREAKPOINT_BUDGET: Error "breakpoint-budget", CACHING;
    "there are more breakpoints than one request may have";
    "four are allowed over tools, system and messages, the automatic one included";
    "keep the last tool's, the last system block's and those of the newest turns";

    BREAKPOINT_AUTO_TTL_CONFLICT: Error "breakpoint-auto-ttl-conflict", CACHING;
    "the automatic breakpoint falls on a block that is marked with another lifetime";
    "one block ends one entry, with one lifetime";
    "use the same `ttl` in both, or take the block's mark off";

    TTL_ORDER: Error "ttl-order", CACHING;
    "a breakpoint of one hour stands behind one of five minutes";
    "in the order tools, system, messages the longer lifetime comes first";
    "give the earlier breakpoints `\"ttl\":\"1h\"` too, or shorten the later one";

    CACHE_CONTROL_THINKING: Error "cache-control-thinking", CACHING;
    "a thinking block carries a breakpoint";
    "the API does not know the field there";
    "mark the block behind it";

    CACHE_CONTROL_EMPTY_TEXT: Error "cache-control-empty-text", CACHING;
    "an empty text block carries a breakpoint";
    "an empty block ends no prefix";
    "drop the block and mark the one before it";

    CACHE_CONTROL_SHAPE: Error "cache-control-shape", CACHING;
    "`cache_control` is not `ephemeral`, or its `ttl` is neither `5m` nor `1h`";
    "the API knows no other kind and lifetime";
    "use `{\"type\":\"ephemeral\"}`, with `\"ttl\":\"1h\"` if need be";

    CACHE_OFF: Warning "cache-off", CACHING;
    "the body has directives and no `cache_control` anywhere";
    "directives keep the prefix stable, which saves nothing while nothing is cached";
    "set a top-level `cache_control`";

    BELOW_MINIMUM: Warning "below-minimum", CACHING;
    "the prefix up to the last breakpoint seems shorter than the model caches";
    "short prefixes are not cached, and no error says so (tokens are estimated from bytes)";
    "nothing, if the conversation grows; else leave the breakpoint out";

    LOOKBACK_WINDOW: Warning "lookback-window", CACHING;
    "the last write is out of reach of every breakpoint";
    "a breakpoint looks back over 20 positions; what was written before them is not found, although nothing changed";
    "set another breakpoint at the end of the previous user turn";

    VOLATILE_PREFIX: Warning "volatile-prefix", CACHING;
    "a time, a UUID or a request id stands in front of the last breakpoint";
    "what changes from request to request costs all that stands behind it (a guess by its form)";
    "move it to the end of `messages`, or leave it out";
}
