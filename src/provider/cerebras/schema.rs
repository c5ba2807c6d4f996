//! The schema of a structured answer, reduced to what the API takes.
//!
//! `docs/bodies.md#cerebras`. As for Anthropic, what the API does not know is put into
//! words behind the description, in the order that taking keys out of the map
//! leaves (the last key moves into the gap); the bounds of arrays, and format and
//! pattern of strings, are among that. Every property is required.

use crate::config::Mode;
use crate::json::Raw;
use crate::provider::schema::{Map, Node, names};
use std::borrow::Cow;

/// Keywords that go as they are, in this order.
const KEPT: [&str; 8] = [
    "const",
    "enum",
    "default",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
];

/// Appends the rewritten schema. JP knows no `oneOf`: it goes into the description.
pub(super) fn write(out: &mut Vec<u8>, schema: Raw<'_>, mode: Mode) {
    rewrite(Node::read(schema), mode).write(out);
}

/// Depth is that of a [`Node`], which is bounded.
fn rewrite(schema: Node<'_>, mode: Mode) -> Node<'_> {
    let Node::Map(mut rest) = schema else {
        return schema;
    };
    let mut kept = Map::default();
    if let Some(reference) = take(&mut rest, "$ref") {
        kept.set("$ref", reference);
        return Node::Map(kept);
    }
    if let Some(title) = take(&mut rest, "title") {
        kept.set("title", title);
    }
    let description = take(&mut rest, "description");
    for (from, to) in [("$defs", "$defs"), ("definitions", "definitions")] {
        if let Some(map) = take(&mut rest, from) {
            kept.set(to, each(map, mode));
        }
    }
    for (from, to) in [("anyOf", "anyOf"), ("oneOf", "anyOf"), ("allOf", "allOf")] {
        if from == "oneOf" && mode == Mode::Jp {
            continue;
        }
        if let Some(list) = take(&mut rest, from) {
            kept.set(to, each(list, mode));
            break;
        }
    }
    let kind = take(&mut rest, "type");
    let is = |name| kind.as_ref().and_then(Node::text).as_deref() == Some(name);
    let (is_object, is_array) = (is("object"), is("array"));
    if let Some(kind) = kind {
        kept.set("type", kind);
    }
    for key in KEPT {
        if let Some(value) = take(&mut rest, key) {
            kept.set(key, value);
        }
    }
    if is_object {
        let properties = take(&mut rest, "properties").unwrap_or_default();
        kept.set("properties", each(properties, mode));
        take(&mut rest, "additionalProperties");
        kept.set("additionalProperties", Node::Literal("false"));
        take(&mut rest, "required");
        let all = names(&kept.property_names());
        kept.set("required", all);
    } else if is_array && let Some(items) = take(&mut rest, "items") {
        kept.set("items", rewrite(items, mode));
    }
    if description.is_some() || !rest.0.is_empty() {
        let words = words(description, &rest);
        kept.set("description", words);
    }
    Node::Map(kept)
}

/// Takes a key out as a map does that moves its last key into the gap.
fn take<'a>(map: &mut Map<'a>, key: &str) -> Option<Node<'a>> {
    let at = map.0.iter().position(|(name, _)| name == key)?;
    Some(map.0.swap_remove(at).1)
}

fn each(node: Node<'_>, mode: Mode) -> Node<'_> {
    match node {
        Node::Map(map) => {
            let members = map.0.into_iter();
            Node::Map(Map(members.map(|(k, v)| (k, rewrite(v, mode))).collect()))
        }
        Node::List(list) => {
            Node::List(list.into_iter().map(|one| rewrite(one, mode)).collect())
        }
        other => other,
    }
}

/// The description, and behind it the keywords that are not understood.
fn words<'a>(description: Option<Node<'a>>, rest: &Map<'a>) -> Node<'a> {
    let own = description.as_ref().and_then(Node::text);
    let mut words = match (own, rest.0.is_empty()) {
        (_, true) => return description.unwrap_or_default(),
        (Some(own), false) => format!("{own}\n\n"),
        (None, false) => String::new(),
    };
    words.push('{');
    for (index, (name, value)) in rest.0.iter().enumerate() {
        if index > 0 {
            words.push_str(", ");
        }
        words.push_str(name);
        words.push_str(": ");
        words.push_str(&value.json());
    }
    words.push('}');
    Node::Name(Cow::Owned(words))
}
