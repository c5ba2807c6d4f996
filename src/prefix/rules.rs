//! The rules by which a pair is judged: what differs, what costs without
//! differing, what is good to know.
//!
//! `levels` judges by those on content and parameters, `reuse` by those on reach,
//! age and length. A divergence names one of them, too.

use crate::finding::family;

const DOES: &str = "https://platform.claude.com/docs/en/build-with-claude/prompt-caching#what-invalidates-the-cache";
const PREFIX: &str = "https://platform.claude.com/docs/en/build-with-claude/prompt-caching#how-prompt-caching-works";
const LOOKBACK: &str = "https://platform.claude.com/docs/en/build-with-claude/prompt-caching#when-to-use-multiple-breakpoints";
const LIMITS: &str = "https://platform.claude.com/docs/en/build-with-claude/prompt-caching#cache-limitations";
const SYSTEM: &str = "https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages";
const SEARCH: &str =
    "https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool";
const BINDING: &str =
    "https://platform.claude.com/docs/en/build-with-claude/preserved-thinking";
const THINKING: &str =
    "https://platform.claude.com/docs/en/build-with-claude/extended-thinking";
const OPENAI: &str = "https://developers.openai.com/api/docs/guides/prompt-caching";

family! { "prefix";
    DIFF_MODEL: Warning "diff-model", DOES;
    "the model changed";
    "each model has a cache of its own";
    "change models between conversations, not inside one";

    DIFF_TOOLS_ORDER: Warning "diff-tools-order", DOES;
    "the same tools stand in another order";
    "tools come first in the prompt: a change there costs everything behind it";
    "write the tools in one fixed order";

    DIFF_TOOLS_SET: Warning "diff-tools-set", DOES;
    "a tool was added or removed";
    "tools come first in the prompt: a change there costs everything behind it";
    "declare all tools from the first request on, deferred where the model takes that";

    DIFF_TOOLS_DEFINITION: Warning "diff-tools-definition", DOES;
    "the definition of a tool changed";
    "tools come first in the prompt: a change there costs everything behind it";
    "keep each definition byte for byte";

    DIFF_TOOLS_DEFERRED: Note "diff-tools-deferred", SEARCH;
    "deferred tools changed that nothing shared refers to";
    "a deferred tool is not in the prompt until a message brings it";
    "nothing needs to be done";

    DIFF_TOOLS_DEFER_FLIP: Warning "diff-tools-defer-flip", SEARCH;
    "`defer_loading` of a tool changed";
    "the tool enters the prompt, or leaves it, at the front";
    "decide once which tools are deferred";

    DIFF_SERVER_TOOL_TOGGLE: Warning "diff-server-tool-toggle", DOES;
    "a server tool or citations were switched on or off";
    "the switch changes the system text that the API writes itself";
    "decide at the start of the conversation";

    DIFF_SYSTEM: Warning "diff-system", DOES;
    "the system text changed";
    "it stands before all messages: they are processed once more";
    "put what changes into a later message";

    DIFF_MESSAGE_EDITED: Warning "diff-message-edited", PREFIX;
    "a message that was sent before is another now";
    "an entry is read only where all before it is equal";
    "leave what was sent as it was; append";

    DIFF_MESSAGE_REMOVED: Warning "diff-message-removed", PREFIX;
    "messages that were sent before are gone";
    "an entry is read only where all before it is equal";
    "leave what was sent as it was; append";

    DIFF_MESSAGE_REORDERED: Warning "diff-message-reordered", PREFIX;
    "the same messages stand in another order";
    "an entry is read only where all before it is equal";
    "leave what was sent as it was; append";

    DIFF_MESSAGE_TRUNCATED: Warning "diff-message-truncated", PREFIX;
    "the end of what was sent before is cut off";
    "what was cached behind the cut is not read";
    "leave what was sent as it was; append";

    DIFF_TOOL_IDS: Warning "diff-tool-ids", PREFIX;
    "the ids of tool calls were made anew";
    "they stand in the prompt: call and result are other bytes from the first one on";
    "store the ids and send the same ones every time";

    DIFF_DIRECTIVE_MOVED: Warning "diff-directive-moved", SYSTEM;
    "a system message sent before changed its place, its text or when it is cleared";
    "all messages behind it are processed once more, and thinking bound to it fails";
    "keep system messages where they were first sent";

    DIFF_DIRECTIVE_COLLAPSED: Warning "diff-directive-collapsed", SYSTEM;
    "system messages sent apart are one now";
    "all messages behind them are processed once more, and thinking bound to them fails";
    "keep system messages where they were first sent";

    DIFF_TOOL_CHOICE: Warning "diff-tool-choice", DOES;
    "`tool_choice` changed";
    "it reaches the prompt: the cache of messages is dropped";
    "keep `tool_choice` as it was; models that take `tool_removal` let a tool be withdrawn";

    DIFF_THINKING: Warning "diff-thinking", DOES;
    "the thinking parameters changed";
    "they reach the prompt: the cache of messages is dropped, on some models all of it";
    "send the same parameters in every request of a conversation";

    DIFF_EFFORT: Warning "diff-effort", DOES;
    "the effort changed";
    "it reaches the prompt: the cache of messages is dropped, on some models all of it";
    "keep one effort; models that take one on a message let it change there";

    DIFF_SPEED: Warning "diff-speed", DOES;
    "the speed changed";
    "system and messages are processed once more";
    "send the same speed in every request of a conversation";

    DIFF_OUTPUT_FORMAT: Warning "diff-output-format", DOES;
    "the output format changed";
    "a schema reaches the prompt";
    "send the same format in every request of a conversation";

    DIFF_CONTEXT_MANAGEMENT: Warning "diff-context-management", DOES;
    "the context management changed";
    "what it clears decides what the prompt is";
    "send the same settings in every request of a conversation";

    DIFF_PARAMETER: Warning "diff-parameter", DOES;
    "a parameter that may reach the prompt changed";
    "its effect on the cache is not published";
    "send the same value in every request of a conversation";

    DIFF_CACHE_KEY: Warning "diff-cache-key", OPENAI;
    "the cache key changed";
    "it decides which machine, and so which cache, gets the request";
    "send one key for the whole conversation";

    DIFF_BETAS: Warning "diff-betas", DOES;
    "the beta headers changed";
    "which of them reach the prompt is not published";
    "fix the set of headers for the whole conversation";

    DIFF_IMAGES: Warning "diff-images", DOES;
    "the conversation got its first picture, or lost its last";
    "that is documented to drop the cache of messages";
    "expect one miss of the messages cache; send the first picture early";

    DIFF_CLEARED: Note "diff-cleared", SYSTEM;
    "a system message both requests have is cleared now";
    "the prompt ends before it: what stands behind is processed once more";
    "nothing, if it was meant to go";

    DIFF_FORM: Note "diff-form", PREFIX;
    "the same content in another form";
    "keys, blanks or a string for a block are set aside where the prompt is the same";
    "write each body in one way";

    DIFF_GROWN: Note "diff-grown", PREFIX;
    "a message that was sent before has grown";
    "what was cached ends before it";
    "put new text into a message of its own";

    DIFF_MASKED: Note "diff-masked", PREFIX;
    "what differs here is masked";
    "the pattern says that it is no part of the question";
    "nothing needs to be done";

    DIFF_THINKING_TEXT: Note "diff-thinking-text", BINDING;
    "the visible thinking changed under an intact signature";
    "the documentation asks for unchanged blocks; probes saw the cache kept";
    "send the block as it came";

    DIFF_THINKING_STRIPPED: Note "diff-thinking-stripped", THINKING;
    "thinking of earlier turns leaves the prompt once the user speaks";
    "models before the newer families strip it, and the cache ends there";
    "nothing: it is what the model does";

    DIFF_LOOKBACK: Warning "diff-lookback", LOOKBACK;
    "an intact entry lies further behind the breakpoint than it looks back";
    "a breakpoint finds entries within a limited number of positions before it";
    "set another breakpoint at the end of the previous user turn";

    DIFF_BREAKPOINT_LOST: Warning "diff-breakpoint-lost", LOOKBACK;
    "no breakpoint of the second request reaches an intact entry";
    "only a breakpoint at or behind an entry reads it";
    "set `cache_control` again, on the newest message or at the top";

    DIFF_TTL: Warning "diff-ttl", LIMITS;
    "the entry is intact and has expired";
    "entries live five minutes or an hour from their last use";
    "ask for `\"ttl\":\"1h\"`, or send a request in time to keep it alive";

    DIFF_MINIMUM: Warning "diff-minimum", LIMITS;
    "what the first request marks is shorter than the model caches";
    "shorter prompts are processed without caching, and nothing says so";
    "nothing, if the conversation grows";

    SENT_EARLY: Note "sent-early", PREFIX;
    "the request was sent before the answer to an earlier one began";
    "an entry can be read once the answer to the request that writes it has begun";
    "wait for the first answer before sending what shares its prompt";

    THREAD_OPENED: Note "thread-opened", PREFIX;
    "the request leaves its thread and opens another";
    "several conversations of a recording can go on from one prompt";
    "nothing needs to be done";

    THINKING_BOUND: Error "thinking-bound", BINDING;
    "a thinking block fails the check of what stands before it";
    "blocks are bound to the prefix that they were made behind: the API refuses or drops the ones whose prefix changed";
    "send the prefix as it was, or leave out the thinking made before the change";

    NO_BREAKPOINT: Note "no-breakpoint", PREFIX;
    "the first request marks nothing, so nothing was cached";
    "the levels are judged as if every position could be read";
    "set `cache_control` on the newest message, or at the top";

    NO_ENTRY: Note "no-entry", LOOKBACK;
    "a level is equal, and no entry of the first request ends there";
    "a breakpoint there would have saved it";
    "set a breakpoint at its end";

    NOT_PUBLISHED: Note "not-published", DOES;
    "how this provider's cache works is not published in full";
    "the answer rests on what was observed";
    "judge by the bill too";

    PROVIDER_GUESSED: Note "provider-guessed", DOES;
    "nothing in the body proves the provider";
    "what a cache keeps differs from provider to provider";
    "say which with --provider";

    MODEL_MISSING: Note "model-missing", LIMITS;
    "a body names no model";
    "lengths, prices and the check of thinking blocks depend on it";
    "say which with --model";

    RAW_ORDER: Note "raw-order", PREFIX;
    "`messages` stand before `tools` or `system` in the second body";
    "the host is reported to read the keys in the order written";
    "write `tools`, `system`, `messages` in that order";
}
