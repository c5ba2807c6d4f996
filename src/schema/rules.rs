//! The rules by which stored conversations are judged: what the schemas state, by
//! the kind of keyword that is broken, and what no schema can state.

use crate::finding::{Rule, family};
use jsonschema::error::ValidationErrorKind as Kind;

const ENTRIES: &str = "docs/formats.md#entries";
const PAIRING: &str = "docs/formats.md#pairing";
const BLOCKS: &str = "docs/formats.md#content-blocks";
const VIEWS: &str = "docs/views.md#tell-user";
const STRINGS: &str = "https://www.rfc-editor.org/rfc/rfc8259#section-8.2";
const KEYS: &str = "https://www.rfc-editor.org/rfc/rfc8259#section-4";
const SCHEMA: &str =
    "https://json-schema.org/draft/2020-12/json-schema-validation#section-6";

family! { "validate";
    SCHEMA_REQUIRED: Error "schema-required", SCHEMA;
    "a key is missing";
    "what reads the entry stops without it";
    "add the key; `convo schema event` says what it holds";

    SCHEMA_TYPE: Error "schema-type", SCHEMA;
    "a value is of another type than the schema says";
    "what reads the entry stops at it";
    "write the value in the type expected";

    SCHEMA_VALUE: Error "schema-value", SCHEMA;
    "a value is none of those the schema takes";
    "what reads the entry knows no other";
    "take one of the values, or the spelling, that the message names";

    SCHEMA_SHAPE: Error "schema-shape", SCHEMA;
    "a value has none of the shapes the schema takes";
    "what reads the entry tells variants apart by their keys and spelling";
    "compare it with the variants in `convo schema event`";

    SCHEMA_LIMIT: Error "schema-limit", SCHEMA;
    "a value is too small or too large, too short or too long";
    "the schema sets a limit there";
    "keep to the limit";

    UNKNOWN_KIND: Warning "unknown-kind", ENTRIES;
    "an entry is of no known kind";
    "it is carried along, and nobody sees it";
    "correct its `type`, if it was meant to be read";

    MISSING_TIMESTAMP: Warning "missing-timestamp", ENTRIES;
    "an entry has no timestamp";
    "`convo` reads it, JP refuses to load the conversation";
    "add `timestamp`";

    ENTRY_ID: Warning "entry-id", ENTRIES;
    "an id of an entry is no usable string";
    "what refers to the entry by its id does not find it";
    "write a string that is not empty, or leave the key out";

    TURN_START_KEY: Warning "turn-start-key", ENTRIES;
    "a `turn_start` has a further key";
    "some versions of JP refuse the conversation";
    "leave the key out";

    MISSING_IS_ERROR: Warning "missing-is-error", ENTRIES;
    "a result does not say whether the call failed";
    "it is read as one that did not";
    "add `is_error`";

    BLOCK_SHAPE: Warning "block-shape", BLOCKS;
    "a block is of no known type, or lacks what its type needs";
    "providers do not see it";
    "write a block of a known type, whole";

    DUPLICATE_KEY: Warning "duplicate-key", KEYS;
    "a key stands twice in one object";
    "readers differ in which one they take; the last counts here";
    "keep one of them";

    DEEP_ODDITIES: Warning "deep-oddities", STRINGS;
    "duplicate keys or lone surrogates stand very deep";
    "they are counted, not told one by one";
    "keep one of each key, and characters whole";

    ORPHAN_RESPONSE: Warning "orphan-response", PAIRING;
    "a result answers no call before it";
    "providers do not see it";
    "put its call back, or leave the result out";

    OPEN_CALL: Warning "open-call", PAIRING;
    "a call has no result";
    "providers see it as interrupted";
    "nothing, if it was";

    STYLE: Warning "style", "docs/render.md#tools";
    "a tool's style is not read as it is written";
    "rendering takes the default in its place";
    "write one of the styles named";

    TOLD_APART: Warning "told-apart", VIEWS;
    "what the user saw and what the model was told disagree";
    "each acts on what it knows: what only one is told must not make the other's part wrong";
    "address an acknowledgement to the one who was told nothing";
}

/// The rule behind a broken keyword.
pub(super) fn of_keyword(kind: &Kind) -> &'static Rule {
    let limits = ["min", "max", "multiple", "exclusive", "unique"];
    match kind.keyword() {
        "required" | "dependentRequired" => &SCHEMA_REQUIRED,
        "type" => &SCHEMA_TYPE,
        "enum" | "const" | "pattern" | "format" => &SCHEMA_VALUE,
        word if limits.iter().any(|start| word.starts_with(start)) => &SCHEMA_LIMIT,
        _ => &SCHEMA_SHAPE,
    }
}
