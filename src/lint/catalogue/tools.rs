//! Rules on `tools`, `tool_choice` and `mcp_servers`.

use super::page::{DEFINE, ERRORS, MCP, SEARCH, TOOLS};
use crate::finding::family;

family! { "tools";
    TOOL_NAME_PATTERN: Error "tool-name-pattern", DEFINE;
    "a tool's name is not 1 to 128 letters, digits, `_` or `-`";
    "the API refuses other names";
    "rename the tool";

    TOOL_NAME_DUPLICATE: Error "tool-name-duplicate", TOOLS;
    "two tools have one name";
    "names must be unique in a request";
    "leave one out, or rename it";

    TOOL_SCHEMA_ROOT: Error "tool-schema-root", DEFINE;
    "the root of a tool's schema is no plain object schema";
    "the root must have `\"type\":\"object\"` and no `oneOf`, `anyOf` or `allOf`";
    "move the alternatives into a property";

    ALL_TOOLS_DEFERRED: Error "all-tools-deferred", SEARCH;
    "every tool is deferred";
    "at least one tool must be in the prompt from the start";
    "take `defer_loading` off one tool";

    DEFERRED_CACHE_CONTROL: Error "deferred-cache-control", SEARCH;
    "a deferred tool carries a breakpoint";
    "a deferred definition is not part of the prefix, so that no entry can end there";
    "move the breakpoint to the last tool that is not deferred";

    DEFERRED_UNREACHABLE: Warning "deferred-unreachable", SEARCH;
    "nothing in the request can offer a deferred tool";
    "without tool search, reference or addition the model never sees it";
    "add a tool search tool, refer to it, or take `defer_loading` off";

    TOOL_SEARCH_DEFERRED: Error "tool-search-deferred", SEARCH;
    "the tool search tool is deferred";
    "it is what finds the deferred ones";
    "take `defer_loading` off it";

    TOOL_REFERENCE_UNKNOWN: Error "tool-reference-unknown", SEARCH;
    "a `tool_reference` in a result names a tool that `tools` does not have";
    "the API refuses references it cannot resolve";
    "keep the tool in `tools`, deferred";

    TOOL_CHOICE_FORCED: Error "tool-choice-forced", ERRORS;
    "`tool_choice` forces a call where that is refused";
    "newer models, and thinking of type `enabled`, take `auto` and `none` only";
    "use `auto` and ask for the tool in the text";

    MCP_TOOLSET_PAIRING: Error "mcp-toolset-pairing", MCP;
    "MCP servers and toolsets do not pair up";
    "each server is used by exactly one toolset, and each toolset names a server";
    "add the missing one, or leave the other out";
}
