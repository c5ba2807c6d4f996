//! Rules on where system messages and tool changes may stand.

use super::page::SYSTEM;
use crate::finding::family;

family! { "placement";
    SYSTEM_NOT_FIRST: Error "system-not-first", SYSTEM;
    "a system message with content opens `messages`";
    "the API refuses it: what applies from the start belongs to the top-level `system`";
    "move its text to the top-level `system`";

    SYSTEM_AFTER_ASSISTANT: Error "system-after-assistant", SYSTEM;
    "a system message with content follows an assistant turn that does not end in the result of a server tool";
    "the API takes system messages only behind a user message, or behind a paused assistant turn";
    "move it behind the next user message";

    SYSTEM_BEFORE_USER: Error "system-before-user", SYSTEM;
    "a system message with content is followed by a user message";
    "the API takes system messages only in front of an assistant message, or at the end";
    "move it behind the last user message that follows it";

    SYSTEM_IN_TOOL_PAIR: Error "system-in-tool-pair", SYSTEM;
    "a system message with content stands between a call and its result";
    "the API wants the results right behind their calls";
    "move it behind the user message that holds the results";

    SYSTEM_EMPTY: Error "system-empty", SYSTEM;
    "a system message has neither content nor `output_config`";
    "the API refuses a system message that says nothing";
    "leave the message out";

    SYSTEM_BLOCK_KIND: Error "system-block-kind", SYSTEM;
    "a system message holds a block that is no text and no tool change";
    "system messages carry `text`, `tool_addition` and `tool_removal` blocks only";
    "send the block in a user message";

    SYSTEM_MODEL_UNSUPPORTED: Error "system-model-unsupported", SYSTEM;
    "the model takes no system messages inside `messages`";
    "the API refuses the role on this model";
    "use the top-level `system`, or put the text behind the tool results of the newest user message";

    TOOL_CHANGE_ROLE: Error "tool-change-role", SYSTEM;
    "a tool change stands outside a system message";
    "the API takes `tool_addition` and `tool_removal` in messages of role `system` only";
    "put it into a message of role `system`";

    TOOL_CHANGE_AFTER_PAUSE: Error "tool-change-after-pause", SYSTEM;
    "a tool change directly follows a paused assistant turn";
    "behind a turn that ends in the result of a server tool, system messages carry text only";
    "send the tool change behind the next user message";

    SYSTEM_UNTRUSTED_TEXT: Warning "system-untrusted-text" [true], SYSTEM;
    "a system message seems to quote tool output";
    "system text is obeyed: what others wrote must not stand in it (a guess by its tags)";
    "quote the output in a `tool_result` or a user message";
}
