//! The typed check of one entry: the shapes of `docs/formats.md#common-fields`, `docs/formats.md#entry-kinds`, `docs/formats.md#compaction`.
//!
//! [`check`] finds the first violation and is what every reader applies (D-5): a
//! missing `timestamp` or `is_error` is accepted, unknown kinds and unknown keys
//! are carried, any other bad shape of a known kind is refused.
//! `schemas/event.schema.json` is the same contract for others; a test keeps the
//! two in agreement. Configuration inside a delta is not looked at (D-10).

use super::{Event, EventKind, Timestamp};
use crate::json::{Kind, Raw, pointer};
use crate::term::quoted;

/// One place where an entry breaks its kind's shape.
#[derive(Debug, Clone)]
pub struct Violation<'a> {
    /// The offending value; the entry itself where something is missing.
    pub at: Raw<'a>,
    /// JSON Pointer from the entry to the place.
    pub path: String,
    /// What was found and what was expected.
    pub message: String,
}

impl<'a> Violation<'a> {
    pub(super) fn expected(at: Raw<'a>, path: String, expected: &str) -> Self {
        let found = match (at.kind(), at.bytes()) {
            (Kind::Number | Kind::Bool, bytes) if bytes.len() <= 20 => {
                format!("{} {}", at.kind().name(), String::from_utf8_lossy(bytes))
            }
            (kind, _) => kind.name().to_owned(),
        };
        Self {
            at,
            path,
            message: format!("expected {expected}, found {found}"),
        }
    }
}

type Checked<'a> = Result<(), Violation<'a>>;

/// Checks an entry against the shape of its kind.
///
/// # Errors
///
/// The first violation, in the order of the rules below.
pub fn check<'a>(event: &Event<'a>) -> Checked<'a> {
    let entry = Place {
        value: event.raw(),
        parent: String::new(),
        step: None,
    };
    if event.kind().is_conversation() {
        timestamp(event)?;
        if let Some(metadata) = event.get("metadata") {
            entry
                .child(metadata, "metadata")
                .of(Kind::Object, "an object")?;
        }
    }
    let field = |key: &'static str| event.get(key).map(|value| entry.child(value, key));
    let require = |key: &'static str, expected: &str| {
        field(key).ok_or_else(|| entry.missing(key, expected))
    };
    match event.kind() {
        EventKind::TurnStart | EventKind::Unknown => Ok(()),
        EventKind::ChatRequest => {
            require("content", "a string")?.of(Kind::String, "a string")?;
            optional(field("schema"), Kind::Object, "an object")?;
            optional(field("author"), Kind::String, "a string")?;
            match field("resources") {
                Some(resources) => resources.of(Kind::Array, "an array"),
                None => Ok(()),
            }
        }
        EventKind::ChatResponse => match event.answer() {
            Some(_) => Ok(()),
            None => Err(field("message").or_else(|| field("reasoning")).map_or_else(
                || Violation {
                    at: event.raw(),
                    path: String::new(),
                    message: "expected one of the keys message, reasoning and \
                                  data, found none of them"
                        .to_owned(),
                },
                |wrong| Violation::expected(wrong.value, wrong.path(), "a string"),
            )),
        },
        EventKind::ToolCallRequest => {
            require("id", "a string")?.of(Kind::String, "a string")?;
            require("name", "a string")?.of(Kind::String, "a string")?;
            match field("arguments") {
                Some(arguments) => arguments.of(Kind::Object, "an object"),
                None => Ok(()),
            }
        }
        EventKind::ToolCallResponse => {
            require("id", "a string")?.of(Kind::String, "a string")?;
            for key in ["is_error", "isError"] {
                if let Some(flag) = field(key) {
                    flag.of(Kind::Bool, "a boolean")?;
                }
            }
            match field("content") {
                Some(content) => content.one_of(
                    &[Kind::String, Kind::Array, Kind::Null],
                    "a string or an array of blocks",
                ),
                None => Ok(()),
            }
        }
        EventKind::InquiryRequest => {
            require("id", "a string")?.of(Kind::String, "a string")?;
            inquiry_source(&require("source", "an object")?)?;
            inquiry_question(&require("question", "an object")?)
        }
        EventKind::InquiryResponse => {
            require("id", "a string")?.of(Kind::String, "a string")?;
            let answered = match field("outcome") {
                None => true,
                Some(outcome) => {
                    outcome.of(Kind::String, "a string")?;
                    outcome
                        .value
                        .as_text()
                        .is_some_and(|text| text.is("answered"))
                }
            };
            match answered {
                true => require("answer", "any value").map(|_| ()),
                false => Ok(()),
            }
        }
        EventKind::ConfigDelta => optional(field("delta"), Kind::Object, "an object"),
        EventKind::Compaction => {
            timestamp(event)?;
            for key in ["from_turn", "to_turn"] {
                let turn = require(key, "a turn number")?;
                if turn_number(turn.value).is_none() {
                    return turn.wrong("a turn number: an integer from 0 on");
                }
            }
            compaction_policies(event, &entry)
        }
    }
}

fn timestamp<'a>(event: &Event<'a>) -> Checked<'a> {
    let Some(value) = event.get("timestamp") else {
        return Ok(());
    };
    let expected = "a time as 2026-01-31 08:00:00.0 or RFC 3339";
    match value.as_str() {
        Some(text) if Timestamp::parse(&text).is_some() => Ok(()),
        Some(text) => Err(Violation {
            at: value,
            path: "/timestamp".to_owned(),
            message: format!("expected {expected}, found {}", quoted(&text)),
        }),
        None => Err(Violation::expected(
            value,
            "/timestamp".to_owned(),
            expected,
        )),
    }
}

/// A turn number: an integer from 0 on, an empty fraction allowed. One too great
/// to count is as good as the greatest.
pub fn turn_number(value: Raw<'_>) -> Option<u64> {
    value.as_u64().or_else(|| {
        let number = value.as_f64()?;
        // The conversion stops at the greatest number, it does not wrap.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        (number >= 0.0 && (number.is_infinite() || number.fract() == 0.0))
            .then_some(number as u64)
    })
}

fn inquiry_source<'a>(source: &Place<'a>) -> Checked<'a> {
    source.of(Kind::Object, "an object")?;
    let tag = source.require("source", "a string")?;
    tag.of(Kind::String, "a string")?;
    let named = tag
        .value
        .as_text()
        .is_some_and(|text| text.is("tool") || text.is("other"));
    if named {
        source
            .require("name", "a string")?
            .of(Kind::String, "a string")?;
    }
    Ok(())
}

fn inquiry_question<'a>(question: &Place<'a>) -> Checked<'a> {
    question.of(Kind::Object, "an object")?;
    question
        .require("text", "a string")?
        .of(Kind::String, "a string")?;
    let answer = question.require("answer_type", "an object")?;
    answer.of(Kind::Object, "an object")?;
    let tag = answer.require("type", "a string")?;
    tag.of(Kind::String, "a string")?;
    if !tag.value.as_text().is_some_and(|text| text.is("select")) {
        return Ok(());
    }
    let options = answer.require("options", "an array")?;
    options.of(Kind::Array, "an array")?;
    for (index, option) in options.value.as_array().into_iter().flatten().enumerate() {
        let mut parent = options.path();
        pointer::push_index(&mut parent, index);
        let option = Place {
            value: option,
            parent,
            step: None,
        };
        option.of(Kind::Object, "an object")?;
        option.require("value", "any value")?;
    }
    Ok(())
}

fn compaction_policies<'a>(event: &Event<'a>, entry: &Place<'a>) -> Checked<'a> {
    let field = |key: &'static str| {
        event
            .get(key)
            .filter(|value| !value.is_null())
            .map(|value| entry.child(value, key))
    };
    if let Some(summary) = field("summary") {
        summary.of(Kind::Object, "an object")?;
        summary
            .require("summary", "a string")?
            .of(Kind::String, "a string")?;
    }
    if let Some(reasoning) = field("reasoning")
        && !reasoning.is("strip")
    {
        return reasoning.wrong("\"strip\"");
    }
    let Some(calls) = field("tool_calls") else {
        return Ok(());
    };
    calls.of(Kind::Object, "an object")?;
    let policy = calls.require("policy", "\"strip\" or \"omit\"")?;
    if policy.is("omit") {
        return Ok(());
    }
    if !policy.is("strip") {
        return policy.wrong("\"strip\" or \"omit\"");
    }
    for key in ["request", "response"] {
        if let Some(flag) = calls.value.get(key) {
            calls.child(flag, key).of(Kind::Bool, "a boolean")?;
        }
    }
    Ok(())
}

fn optional<'a>(field: Option<Place<'a>>, kind: Kind, expected: &str) -> Checked<'a> {
    match field {
        Some(place) => place.one_of(&[kind, Kind::Null], expected),
        None => Ok(()),
    }
}

/// A value and the path from the entry to it, which is put together only for a
/// violation: most entries have none.
struct Place<'a> {
    value: Raw<'a>,
    parent: String,
    step: Option<&'static str>,
}

impl<'a> Place<'a> {
    fn child(&self, value: Raw<'a>, key: &'static str) -> Place<'a> {
        Place {
            value,
            parent: self.path(),
            step: Some(key),
        }
    }

    fn path(&self) -> String {
        let mut path = self.parent.clone();
        if let Some(key) = self.step {
            pointer::push_key(&mut path, key);
        }
        path
    }

    fn require(
        &self,
        key: &'static str,
        expected: &str,
    ) -> Result<Place<'a>, Violation<'a>> {
        match self.value.get(key) {
            Some(value) => Ok(self.child(value, key)),
            None => Err(self.missing(key, expected)),
        }
    }

    fn missing(&self, key: &str, expected: &str) -> Violation<'a> {
        Violation {
            at: self.value,
            path: self.path(),
            message: format!("the key {key} is missing, expected {expected} there"),
        }
    }

    fn of(&self, kind: Kind, expected: &str) -> Checked<'a> {
        self.one_of(&[kind], expected)
    }

    fn one_of(&self, kinds: &[Kind], expected: &str) -> Checked<'a> {
        match kinds.contains(&self.value.kind()) {
            true => Ok(()),
            false => self.wrong(expected),
        }
    }

    fn is(&self, word: &str) -> bool {
        self.value.as_text().is_some_and(|text| text.is(word))
    }

    fn wrong(&self, expected: &str) -> Checked<'a> {
        Err(Violation::expected(self.value, self.path(), expected))
    }
}
