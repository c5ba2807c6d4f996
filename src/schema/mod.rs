//! The published contracts (`schemas/`) and what conversations owe them.
//!
//! The schemas are embedded, compiled when first needed and applied entry by
//! entry, so that memory follows the longest entry and every finding has its
//! JSON Pointer and byte. `findings` adds warnings that a schema cannot state:
//! see [`remark`]. The acceptance of an entry equals `event::check`; a test keeps
//! the two in agreement.

pub mod remark;
pub(crate) mod rules;
mod value;
mod view;

use crate::term::shortened;
pub use value::{MAX_DEPTH, to_value};

use crate::error::Severity;
use crate::finding::Finding;
use crate::json::{Raw, pointer};
use crate::stream::{Conversation, Form};
use jsonschema::Validator;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;
use std::sync::OnceLock;

/// A published schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schema {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it describes.
    pub about: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// Every published schema, in the order they are listed.
pub const SCHEMAS: [Schema; 15] = [
    Schema {
        name: "event",
        about: "one stored entry",
        text: include_str!("../../schemas/event.schema.json"),
    },
    Schema {
        name: "stream",
        about: "the array of entries of one conversation, as stored",
        text: include_str!("../../schemas/stream.schema.json"),
    },
    Schema {
        name: "bundle",
        about: "one self-contained conversation, as `convo bundle` writes it",
        text: include_str!("../../schemas/bundle.schema.json"),
    },
    Schema {
        name: "user-view",
        about: "the envelope that `convo project` writes",
        text: include_str!("../../schemas/user-view.schema.json"),
    },
    Schema {
        name: "plugin-request",
        about: "one request line of JP's plugin protocol",
        text: include_str!("../../schemas/plugin-request.schema.json"),
    },
    Schema {
        name: "plugin-response",
        about: "one answer line of JP's plugin protocol",
        text: include_str!("../../schemas/plugin-response.schema.json"),
    },
    Schema {
        name: "prefix-report",
        about: "one line that `convo diff-cache-prefix --format json` writes",
        text: include_str!("../../schemas/prefix-report.schema.json"),
    },
    Schema {
        name: "prefix-summary",
        about: "the last line it writes of a recording",
        text: include_str!("../../schemas/prefix-summary.schema.json"),
    },
    Schema {
        name: "lint-report",
        about: "one line that `convo lint --format json` writes",
        text: include_str!("../../schemas/lint-report.schema.json"),
    },
    Schema {
        name: "validate-finding",
        about: "one line that `convo validate --format json` writes",
        text: include_str!("../../schemas/validate-finding.schema.json"),
    },
    Schema {
        name: "preview",
        about: "one line that `convo place-directives --preview=json` writes",
        text: include_str!("../../schemas/preview.schema.json"),
    },
    Schema {
        name: "diagnostic",
        about: "one message on standard error under `--message-format json`",
        text: include_str!("../../schemas/diagnostic.schema.json"),
    },
    Schema {
        name: "models",
        about: "what `models --format json` writes",
        text: include_str!("../../schemas/models.schema.json"),
    },
    Schema {
        name: "list",
        about: "what `convo list --format json` writes",
        text: include_str!("../../schemas/list.schema.json"),
    },
    Schema {
        name: "import-report",
        about: "one line that `convo import --report` writes",
        text: include_str!("../../schemas/import-report.schema.json"),
    },
];

static COMPILED: [OnceLock<Validator>; SCHEMAS.len()] =
    [const { OnceLock::new() }; SCHEMAS.len()];

/// The schema called `name`.
pub fn find(name: &str) -> Option<&'static Schema> {
    SCHEMAS.iter().find(|schema| schema.name == name)
}

/// What the user view's schema says of one entry.
static USER_VIEW_ENTRY: OnceLock<Validator> = OnceLock::new();

fn compile(schema: &Value) -> Validator {
    // The embedded schemas are checked by tests.
    jsonschema::draft202012::new(schema).expect("an embedded schema compiles")
}

impl Schema {
    fn validator(&self) -> &'static Validator {
        let index = SCHEMAS
            .iter()
            .position(|schema| schema == self)
            .unwrap_or(0);
        COMPILED[index].get_or_init(|| compile(&self.parsed()))
    }

    fn parsed(&self) -> Value {
        // The embedded schemas are checked by tests.
        serde_json::from_str(self.text).expect("an embedded schema is JSON")
    }

    /// The validator of the definition `name` alone.
    fn definition(&self, name: &str) -> Validator {
        let mut schema = self.parsed();
        if let Value::Object(schema) = &mut schema {
            schema.retain(|key, _| key.starts_with('$'));
            schema.insert("$ref".to_owned(), format!("#/$defs/{name}").into());
        }
        compile(&schema)
    }

    /// All places where `raw` breaks the schema; paths start with `prefix`.
    fn check(
        &self,
        raw: Raw<'_>,
        root: Raw<'_>,
        prefix: &str,
        found: &mut Vec<Finding>,
    ) {
        self.check_value(self.validator(), &to_value(raw), raw, root, prefix, found);
    }

    /// As [`Schema::check`] by a part of the schema, where `value` stands for `raw`.
    fn check_value(
        &self,
        validator: &Validator,
        value: &Value,
        raw: Raw<'_>,
        root: Raw<'_>,
        prefix: &str,
        found: &mut Vec<Finding>,
    ) {
        let errors: Vec<_> = validator.iter_errors(value).collect();
        let paths: Vec<_> = errors
            .iter()
            .map(|error| error.instance_path().to_string())
            .collect();
        let places = pointer::resolve_all(raw, &paths);
        for ((error, path), at) in errors.into_iter().zip(paths).zip(places) {
            let at = at.unwrap_or(raw);
            let rule = rules::of_keyword(error.kind());
            let mut put = |at: Raw<'_>, path: &str, message: String| {
                found.push(Finding::new(
                    rule,
                    format!("{prefix}{path}"),
                    Some(at.offset_in(root.bytes())),
                    message,
                ));
            };
            if self.name == "user-view" && view::faults(at, &path, &mut put) {
                continue;
            }
            let words = message(error.kind(), at, &error.masked().to_string());
            put(at, &path, words);
        }
    }
}

/// Words for a broken keyword.
fn message(kind: &ValidationErrorKind, at: Raw<'_>, fallback: &str) -> String {
    let found = || {
        let kind = at.kind().name();
        match at.bytes() {
            bytes
                if bytes.len() <= 40 && !matches!(bytes, [b'{' | b'[' | b'n', ..]) =>
            {
                format!("{kind} {}", String::from_utf8_lossy(bytes))
            }
            _ => kind.to_owned(),
        }
    };
    match kind {
        ValidationErrorKind::Required { property } => {
            format!(
                "the key {} is missing",
                property.as_str().unwrap_or_default()
            )
        }
        ValidationErrorKind::Type { kind } => {
            let expected = match kind {
                jsonschema::error::TypeKind::Single(one) => one.to_string(),
                jsonschema::error::TypeKind::Multiple(many) => {
                    let names: Vec<_> =
                        many.iter().map(|one| one.to_string()).collect();
                    names.join(" or ")
                }
            };
            format!("expected {expected}, found {}", found())
        }
        ValidationErrorKind::Enum { options } => {
            format!("expected one of {options}, found {}", found())
        }
        ValidationErrorKind::Constant { expected_value } => {
            format!("expected {expected_value}, found {}", found())
        }
        ValidationErrorKind::Pattern { .. } => {
            format!("expected another spelling, found {}", found())
        }
        ValidationErrorKind::AnyOf { .. }
        | ValidationErrorKind::OneOfNotValid { .. }
        | ValidationErrorKind::OneOfMultipleValid { .. } => {
            format!("expected one of several shapes, found {}", found())
        }
        _ => shortened(fallback, 200).into_owned(),
    }
}

/// Tells everything there is to say about a conversation, in the order of its
/// bytes, entry by entry, so that no more than one entry's findings are held.
///
/// # Errors
///
/// The first one of `tell`.
pub fn each_finding<E>(
    conversation: &Conversation<'_>,
    tell: &mut impl FnMut(Finding) -> Result<(), E>,
) -> Result<(), E> {
    let [event, _, bundle, user_view, ..] = &SCHEMAS;
    let root = conversation.value;
    let is_view = conversation.looks_like_user_view();
    let (schema, validator) = match is_view {
        true => {
            let part = || user_view.definition("entry");
            (user_view, USER_VIEW_ENTRY.get_or_init(part))
        }
        false => (event, event.validator()),
    };
    let mut around = Vec::new();
    // A user view as an array is judged entry by entry alone.
    let is_envelope = is_view && conversation.form == Form::Envelope;
    if is_envelope || conversation.form == Form::Bundle {
        // The entries are checked one by one below.
        let (outer, entries) = match is_envelope {
            true => (user_view, "data"),
            false => (bundle, "events"),
        };
        let value = value::object_without(root, entries);
        outer.check_value(outer.validator(), &value, root, root, "", &mut around);
    }
    let start = conversation.entries.offset_in(root.bytes());
    around.sort_by_key(order);
    let behind = around.partition_point(|finding| finding.byte < Some(start));
    let behind = around.split_off(behind);
    around.into_iter().try_for_each(&mut *tell)?;
    let pairing = match is_view {
        true => None,
        false => Some(remark::pairing(conversation)),
    };
    let mut found = Vec::new();
    for (index, entry) in conversation
        .entries
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
    {
        let mut prefix = conversation.entries_path().to_owned();
        pointer::push_index(&mut prefix, index);
        let value = to_value(entry);
        schema.check_value(validator, &value, entry, root, &prefix, &mut found);
        if let Some(pairing) = &pairing {
            remark::entry(entry, root, &prefix, &mut found);
            remark::partner(entry, root, &prefix, pairing.partner(index), &mut found);
        }
        found.sort_by_key(order);
        for mut finding in found.drain(..) {
            finding.event = Some(index);
            tell(finding)?;
        }
    }
    behind.into_iter().try_for_each(tell)
}

/// By byte, errors first.
fn order(finding: &Finding) -> (Option<usize>, bool) {
    (finding.byte, finding.severity < Severity::Error)
}

/// Everything a single value owes a schema asked for by name.
pub fn findings_of(schema: &Schema, value: Raw<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    schema.check(value, value, "", &mut found);
    found
}
