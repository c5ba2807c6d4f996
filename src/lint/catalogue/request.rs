//! Rules on the fields of a request and what they say together.

use super::page::{CACHING, ERRORS, MESSAGES, THINKING, VERSION};
use crate::finding::family;

family! { "request";
    REQUIRED_FIELD: Error "required-field", MESSAGES;
    "a field that must be there is missing";
    "the API refuses the request";
    "add the field";

    FIELD_TYPE: Error "field-type", MESSAGES;
    "a field holds a value of a kind or range that it cannot have";
    "the API refuses the request";
    "correct the value";

    UNKNOWN_FIELD: Error "unknown-field", MESSAGES;
    "a field is none the API knows at its place";
    "unknown fields are refused, and fields of a beta are unknown without its header";
    "leave the field out, or send the header it needs";

    REQUEST_LIMIT: Error "request-limit", ERRORS;
    "the request is larger than one may be";
    "32 MB, 100,000 messages and 20 MCP servers are the most; the API refuses more";
    "compact the conversation, or refer to files instead of sending them";

    MODEL_UNKNOWN: Warning "model-unknown", ERRORS;
    "the model is not in the table";
    "the body is judged as one for the newest model, with warnings where that matters";
    "check the spelling, or describe the model with `--model-details`";

    THINKING_TYPE_MODEL: Error "thinking-type-model", THINKING;
    "the model refuses this type of thinking";
    "which types a model takes changed from generation to generation";
    "use `adaptive` on models since 4.6, `enabled` with a budget on older ones";

    SAMPLING_UNSUPPORTED: Error "sampling-unsupported", VERSION;
    "a sampling parameter is set where it is refused";
    "models since 4.7 take the defaults only, and API version 2026-10-21 takes none at all";
    "leave the parameter out";

    PREWARM_CONFLICT: Error "prewarm-conflict", CACHING;
    "a request with `max_tokens` 0 asks for something that needs an answer";
    "such a request only fills the cache";
    "leave the other parameter out";
}
