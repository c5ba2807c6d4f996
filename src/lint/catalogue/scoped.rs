//! Rules on turn-scoped and effort-only system messages.

use super::page::{EFFORT, SYSTEM};
use crate::finding::family;

family! { "scoped";
    CLEAR_AT_BETA_MISSING: Error "clear-at-beta-missing", SYSTEM;
    "`clear_at` is used without its beta";
    "without the header the field is an unknown one, and refused";
    "send `anthropic-beta: mid-conversation-system-clear-at-2026-08-21`";

    CLEAR_AT_ROLE: Error "clear-at-role", SYSTEM;
    "`clear_at` stands on a message that is not of role `system`";
    "only system messages can be turn-scoped";
    "leave the field out";

    CLEAR_AT_VALUE: Error "clear-at-value", SYSTEM;
    "`clear_at` is neither `next_user_message` nor `never`";
    "the API knows these two values only";
    "use `next_user_message`, or leave the field out";

    CLEAR_AT_TEXT_ONLY: Error "clear-at-text-only", SYSTEM;
    "a turn-scoped system message carries a tool change";
    "a message that is cleared later carries text only";
    "put the tool change into a system message of its own, without `clear_at`";

    CLEAR_AT_OUTPUT_CONFIG: Error "clear-at-output-config", SYSTEM;
    "a turn-scoped system message carries `output_config`";
    "a message that is cleared later carries text only";
    "put `output_config` into a system message of its own, without `clear_at`";

    CLEAR_AT_CACHE_CONTROL: Error "clear-at-cache-control", SYSTEM;
    "a turn-scoped system message carries a breakpoint";
    "what is cleared later cannot end a cached prefix";
    "mark the last block of the user message before it";

    EFFORT_MESSAGE_BETA_MISSING: Error "effort-message-beta-missing", EFFORT;
    "`output_config` stands on a system message without its beta";
    "without the header the field is an unknown one, and refused";
    "send `anthropic-beta: mid-conversation-output-config-2026-07-01`";

    EFFORT_MESSAGE_MODEL: Error "effort-message-model", EFFORT;
    "the model takes no effort per message";
    "the API refuses `output_config.effort` inside `messages` on this model";
    "use the top-level `output_config`";
}
