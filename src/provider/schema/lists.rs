//! Choices that are lists (`docs/bodies.md#schemas`).
//!
//! `enum` may offer whole lists where the type allows an array. Strict and loose
//! form say that with `items`: the members of those lists become the choices of
//! an element.

use super::{Map, Node};
use std::borrow::Cow;
use std::collections::HashSet;

/// Moves list-valued choices into `items`, in `items` first, not in properties.
pub(in crate::provider) fn unfold(schema: &mut Map<'_>) {
    if let Some(Node::Map(items)) = schema.get_mut("items") {
        unfold(items);
    }
    let choices = schema.get("enum").and_then(Node::list).unwrap_or_default();
    let has_list = choices.iter().any(|one| matches!(one, Node::List(_)));
    if !has_list || !schema.has_type("array") {
        return;
    }
    let Some(Node::List(choices)) = schema.take("enum") else {
        return;
    };
    let (mut plain, mut members) = (Vec::new(), Vec::new());
    for choice in choices {
        match choice {
            Node::List(list) => members.extend(list),
            other => plain.push(other),
        }
    }
    if !plain.is_empty() {
        schema.set("enum", Node::List(plain));
    }
    let mut seen = HashSet::new();
    members.retain(|one| seen.insert(one.json()));
    if !matches!(schema.get("items"), Some(Node::Map(_))) {
        let mut items = Map::default();
        if let Some(kind) = kinds(&members) {
            items.set("type", kind);
        }
        schema.set("items", Node::Map(items));
    }
    let Some(Node::Map(items)) = schema.get_mut("items") else {
        return;
    };
    if members.is_empty() {
        return;
    }
    match items.get_mut("enum") {
        Some(Node::List(own)) => {
            let own_members: HashSet<_> = own.iter().map(Node::json).collect();
            members.retain(|one| !own_members.contains(&one.json()));
            own.append(&mut members);
        }
        _ => items.set("enum", Node::List(members)),
    }
}

/// The one type that fits all members, or the list of types in order.
fn kinds<'a>(members: &[Node<'a>]) -> Option<Node<'a>> {
    let mut kinds: Vec<&'static str> = Vec::new();
    for member in members {
        let kind = kind(member);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let name = |kind: &&'static str| Node::Name(Cow::Borrowed(*kind));
    match &kinds[..] {
        [] => None,
        [kind] => Some(name(kind)),
        kinds => Some(Node::List(kinds.iter().map(name).collect())),
    }
}

fn kind(member: &Node<'_>) -> &'static str {
    use crate::json::Kind;
    let raw = match member {
        Node::List(_) => return "array",
        Node::Map(_) => return "object",
        Node::Name(_) => return "string",
        Node::Literal(_) => return "null",
        Node::Raw(raw) => raw,
    };
    match raw.kind() {
        Kind::Null => "null",
        Kind::Bool => "boolean",
        Kind::String => "string",
        Kind::Array => "array",
        Kind::Object => "object",
        Kind::Number if raw.as_i64().is_some() || raw.as_u64().is_some() => "integer",
        Kind::Number => "number",
    }
}
