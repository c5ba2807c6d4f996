//! Rules on tool changes inside system messages.

use super::page::{CACHING, MCP, SYSTEM};
use crate::finding::family;

family! { "change";
    TOOL_CHANGE_BETA_MISSING: Error "tool-change-beta-missing", SYSTEM;
    "a tool change is used without a beta that allows it";
    "without the header the API does not know these blocks";
    "send `anthropic-beta: inline-tools-2026-09-15`, or `mid-conversation-tool-changes-2026-07-01` on Bedrock and Google Cloud";

    TOOL_DEFINITION_BETA_MISSING: Error "tool-definition-beta-missing", SYSTEM;
    "a tool is defined inside a tool change without the beta that allows it";
    "the older beta covers changes by reference only";
    "send `anthropic-beta: inline-tools-2026-09-15` (Claude API), or declare the tool in `tools` and refer to it";

    TOOL_CHANGE_UNRESOLVED: Error "tool-change-unresolved", SYSTEM;
    "a tool change names a tool that is not declared at its place";
    "the API refuses it with `tool_reference_unresolved`, for a removal too";
    "keep the tool in `tools`, or define it by value before";

    TOOL_CHANGE_REF_KEY: Error "tool-change-ref-key", SYSTEM;
    "the reference of a tool change says `tool_name`";
    "inside a tool change the key is `name`; `tool_name` is for references in a `tool_result`";
    "rename the key to `name`";

    TOOL_REMOVAL_BY_VALUE: Error "tool-removal-by-value", SYSTEM;
    "a `tool_removal` brings a definition";
    "removals go by reference only";
    "use `{\"type\":\"tool_reference\",\"name\":...}`";

    TOOL_NAME_CONFLICT: Error "tool-name-conflict", SYSTEM;
    "a definition takes the name of a tool of another kind";
    "a tool can be replaced by one of its own kind only; the API refuses it with `tool_name_conflict`";
    "choose another name";

    TOOL_CHANGE_DOUBLE_BREAKPOINT: Error "tool-change-double-breakpoint", CACHING;
    "`cache_control` stands on a tool change and in its definition";
    "one of the two is allowed";
    "keep the one on the block";

    TOOL_LIMIT: Error "tool-limit", SYSTEM;
    "there are more tools, or more bytes of them, than one request may hold";
    "the API refuses it with `available_tools_limit_exceeded`";
    "offer fewer tools, or shorten their definitions";

    TOOL_CHANGE_REDUNDANT: Warning "tool-change-redundant", SYSTEM;
    "a tool change adds a tool that is offered, or removes one that is not";
    "it changes nothing and stays in the history for good; what the API makes of it is not documented";
    "leave the change out, and write net changes only";

    INLINE_NO_ANCHOR: Warning "inline-no-anchor", SYSTEM;
    "a tool is defined by value while `tools` has none that is not deferred";
    "the first such definition moves the start of the prompt: the whole cache is missed once";
    "keep one tool that is not deferred in `tools`";

    MCP_INLINE_BETA_MISSING: Error "mcp-inline-beta-missing", MCP;
    "an MCP toolset is defined by value without the beta that allows it";
    "`inline-tools-2026-09-15` alone does not cover toolsets";
    "send `anthropic-beta: mcp-client-2026-09-15` too";

    TOOL_CHOICE_UNAVAILABLE: Warning "tool-choice-unavailable", SYSTEM;
    "`tool_choice` names a tool that is not offered at the end of `messages`";
    "a withdrawn or deferred tool cannot be chosen; what the API answers is not documented";
    "offer the tool, or use `auto`";
}
