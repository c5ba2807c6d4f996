//! Where a block seems to mean an audience and does not say it.
//!
//! An audience that is misspelt or stands in the wrong place is not an error: the
//! block is read by what is there. But then what was meant for the user alone may
//! reach the model, or reach nobody, so every reader of blocks can ask for the
//! faults and tell them.

use super::Block;
use crate::error::{Diagnostic, Position};
use crate::event::{Event, EventKind};
use crate::finding::family;
use crate::json::{Kind, Raw, pointer};
use std::fmt;

family! { "blocks";
    AUDIENCE_UNREAD: Warning "audience", "docs/formats.md#audience";
    "a block seems to mean an audience and does not say it";
    "what was meant for the user alone may reach the model, or reach nobody";
    "write `\"annotations\":{\"audience\":[\"user\"]}` in the block itself";
}

/// A part of a block that does not say what it seems to mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Its JSON Pointer within the block.
    pub path: String,
    /// What is wrong, what was expected, and what it means as it stands.
    pub message: String,
}

/// Names seen for `audience` and `annotations`, in lower case without separators.
const AUDIENCE: [&str; 4] = ["audience", "audiences", "audiance", "audence"];
const ANNOTATIONS: [&str; 3] = ["annotations", "annotation", "anotations"];

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// The faults of all blocks of a stored result, by their path in the entry.
pub fn of_result(event: &Event<'_>) -> Vec<Fault> {
    let blocks = match event.kind() {
        EventKind::ToolCallResponse => event.get("content").and_then(Raw::as_array),
        _ => None,
    };
    let mut found = Vec::new();
    for (index, block) in blocks.into_iter().flatten().enumerate() {
        found.extend(faults(block).into_iter().map(|fault| Fault {
            path: format!("/content/{index}{}", fault.path),
            ..fault
        }));
    }
    found
}

/// One warning for the faults of the entry `index`: the first, and how many more.
pub fn warning(faults: &[Fault], index: usize) -> Option<Diagnostic> {
    let (first, rest) = faults.split_first()?;
    let more = match rest.len() {
        0 => String::new(),
        count => format!(", and {count} more in this result"),
    };
    let message = format!("{}{more}", first.message);
    let mut warning = Diagnostic::warning(AUDIENCE_UNREAD.id, message);
    warning.position = Position {
        event: Some(index),
        path: Some(first.path.clone()),
        ..Position::default()
    };
    Some(warning)
}

/// The faults in what a block says of its audience.
pub fn faults(block: Raw<'_>) -> Vec<Fault> {
    let mut found = Vec::new();
    if block.kind() != Kind::Object {
        return found;
    }
    holder(block, "", &mut found);
    if Block::read(block).is_tagged("resource")
        && let Some(resource) = block.get("resource")
    {
        holder(resource, "/resource", &mut found);
    }
    found
}

/// What stands where `annotations` belongs: in the block, or in its resource.
fn holder(value: Raw<'_>, prefix: &str, found: &mut Vec<Fault>) {
    for (key, inner) in value.as_object().into_iter().flatten() {
        let name = key.decode();
        let at = |found: &mut Vec<Fault>, message: String| {
            let mut path = prefix.to_owned();
            pointer::push_key(&mut path, &name);
            found.push(Fault { path, message });
        };
        let plain = plain(&name);
        if AUDIENCE.contains(&&*plain) {
            at(
                found,
                format!(
                    "`{name}` stands beside `annotations` and is not read; \
                     expected it in `annotations`"
                ),
            );
        } else if name == "annotations" {
            match inner.kind() {
                Kind::Object => {
                    annotations(inner, &format!("{prefix}/annotations"), found);
                }
                Kind::Null => {}
                kind => at(
                    found,
                    format!(
                        "`annotations` is {}, which says nothing; expected an object",
                        kind.name()
                    ),
                ),
            }
        } else if ANNOTATIONS.contains(&&*plain) {
            at(
                found,
                format!("`{name}` is not read; expected `annotations`"),
            );
        }
    }
}

fn annotations(value: Raw<'_>, prefix: &str, found: &mut Vec<Fault>) {
    for (key, inner) in value.as_object().into_iter().flatten() {
        let name = key.decode();
        if name == "audience" {
            audience(inner, &format!("{prefix}/audience"), found);
        } else if AUDIENCE.contains(&&*plain(&name)) {
            let mut path = prefix.to_owned();
            pointer::push_key(&mut path, &name);
            found.push(Fault {
                path,
                message: format!("`{name}` is not read; expected `audience`"),
            });
        }
    }
}

fn audience(value: Raw<'_>, path: &str, found: &mut Vec<Fault>) {
    const EXPECTED: &str = "expected \"user\" or \"assistant\"";
    let mut role = |value: Raw<'_>, path: String| {
        let text = value.as_text();
        if text.is_some_and(|text| text.is("user") || text.is("assistant")) {
            return;
        }
        let what = match value.as_str() {
            Some(name) if name.chars().count() <= 40 => {
                format!("\"{name}\" is no role and reaches nobody")
            }
            Some(_) => "a long string is no role and reaches nobody".to_owned(),
            None => format!("{} is no role and reaches nobody", value.kind().name()),
        };
        let meant = value.as_str().and_then(|name| meant(&name));
        let expected =
            meant.map_or(EXPECTED.to_owned(), |role| format!("expected \"{role}\""));
        found.push(Fault {
            path,
            message: format!("{what}; {expected}"),
        });
    };
    match value.kind() {
        Kind::String => role(value, path.to_owned()),
        Kind::Array => {
            for (index, one) in value.as_array().into_iter().flatten().enumerate() {
                role(one, format!("{path}/{index}"));
            }
        }
        Kind::Null => {}
        kind => found.push(Fault {
            path: path.to_owned(),
            message: format!(
                "`audience` is {}, which says nothing; expected an array of roles",
                kind.name()
            ),
        }),
    }
}

/// The role that a name of something else seems to mean.
fn meant(name: &str) -> Option<&'static str> {
    match &*plain(name) {
        "user" | "users" | "human" | "person" => Some("user"),
        "assistant" | "assistants" | "assistent" | "model" | "llm" | "agent" | "ai" => {
            Some("assistant")
        }
        _ => None,
    }
}

fn plain(name: &str) -> String {
    // No such name is longer; a key may be a megabyte.
    name.chars()
        .take(40)
        .filter(|c| !matches!(c, '_' | '-' | ' '))
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v9_what_is_misspelt_or_misplaced_is_named() {
        for (block, expected) in [
            (r#"{"type":"text","text":""}"#, ""),
            (r#"{"type":"text","annotations":null}"#, ""),
            (r#"{"type":"text","annotations":{"audience":[]}}"#, ""),
            (
                r#"{"type":"text","annotations":{"audience":["user","assistant"]}}"#,
                "",
            ),
            (
                r#"{"type":"text","annotations":{"audience":["User"]}}"#,
                "/annotations/audience/0: \"User\" is no role and reaches nobody; \
                 expected \"user\"",
            ),
            (
                r#"{"type":"text","annotations":{"audience":[1]}}"#,
                "/annotations/audience/0: a number is no role and reaches nobody; \
                 expected \"user\" or \"assistant\"",
            ),
            (
                r#"{"type":"text","annotations":{"audience":""}}"#,
                "/annotations/audience: \"\" is no role and reaches nobody; expected \
                 \"user\" or \"assistant\"",
            ),
            (
                r#"{"type":"text","annotations":{"audience":7}}"#,
                "/annotations/audience: `audience` is a number, which says nothing; \
                 expected an array of roles",
            ),
            (
                r#"{"type":"text","annotations":"user"}"#,
                "/annotations: `annotations` is a string, which says nothing; expected \
                 an object",
            ),
            (
                r#"{"type":"text","audience":["user"]}"#,
                "/audience: `audience` stands beside `annotations` and is not read; \
                 expected it in `annotations`",
            ),
            (
                r#"{"type":"text","annotations":{"Audience":["user"]}}"#,
                "/annotations/Audience: `Audience` is not read; expected `audience`",
            ),
            (
                r#"{"type":"text","annotation":{"audience":["user"]}}"#,
                "/annotation: `annotation` is not read; expected `annotations`",
            ),
            (
                r#"{"type":"resource","resource":{"uri":"u","audience":["user"]}}"#,
                "/resource/audience: `audience` stands beside `annotations` and is not \
                 read; expected it in `annotations`",
            ),
            ("\"user\"", ""),
        ] {
            let raw = Raw::parse(block.as_bytes()).expect("JSON");
            let told: Vec<String> = faults(raw)
                .into_iter()
                .map(|fault| format!("{}: {}", fault.path, fault.message))
                .collect();
            assert_eq!(told.join("\n"), expected, "{block}");
        }
    }
}
