//! The parameters of a tool, in the strict, the loose and the plain form.
//!
//! `docs/bodies.md#schemas`.

use super::refs::Refs;
use super::{Map, Node, lists, names, strict};
use crate::config::{Mode, Parameters};
use crate::error::Diagnostic;
use crate::json::{Raw, Text, write};
use crate::thread::ToolDefinition;

/// Appends the strict form; whether it is strict: outside `Mode::Jp` a tool whose
/// parameters the strict form cannot say goes in the plain form instead.
pub(in crate::provider) fn strict(
    out: &mut Vec<u8>,
    tool: &ToolDefinition<'_>,
    mode: Mode,
    told: &mut Vec<Diagnostic>,
) -> bool {
    if let Some(schema) = &tool.schema {
        // What a server lists need not be what the strict form takes.
        given(out, schema);
        return false;
    }
    let plain = properties(&tool.parameters);
    let mut properties = read(&plain);
    let required: std::collections::HashSet<_> =
        tool.parameters.required().map(Text::decode).collect();
    let root = Map::default();
    let mut refs = Refs::into(&root);
    for (name, property) in &mut properties.0 {
        if let Node::Map(property) = property {
            lists::unfold(property);
            if !required.contains(name) {
                strict::nullable(property);
            }
            strict::close(property, &mut refs, 0);
        }
    }
    if mode == Mode::Convo && !properties.0.iter().all(|(_, one)| is_whole(one)) {
        told.push(Diagnostic::note(
            "tool-not-strict",
            format!(
                "tool `{}` is sent without `strict`: a parameter leaves open what it \
                 holds",
                tool.name
            ),
        ));
        open(out, &tool.parameters);
        return false;
    }
    let all: Vec<_> = properties.0.iter().map(|(name, _)| name.clone()).collect();
    object(out, &properties);
    out.extend_from_slice(b",\"additionalProperties\":false,\"required\":");
    names(&all).write(out);
    out.push(b'}');
    true
}

/// Appends the loose form.
pub(in crate::provider) fn loose(out: &mut Vec<u8>, tool: &ToolDefinition<'_>) {
    if let Some(schema) = &tool.schema {
        return given(out, schema);
    }
    let parameters = &tool.parameters;
    let plain = properties(parameters);
    let mut properties = read(&plain);
    for (_, property) in &mut properties.0 {
        if let Node::Map(property) = property {
            lists::unfold(property);
        }
    }
    object(out, &properties);
    out.extend_from_slice(b",\"additionalProperties\":true,\"required\":");
    parameters.write_required(out);
    out.push(b'}');
}

/// Appends the plain form as a schema of its own.
pub(in crate::provider) fn plain(out: &mut Vec<u8>, tool: &ToolDefinition<'_>) {
    if let Some(schema) = &tool.schema {
        return given(out, schema);
    }
    let parameters = &tool.parameters;
    out.extend_from_slice(b"{\"type\":\"object\",\"properties\":");
    parameters.write_properties(out);
    out.extend_from_slice(b",\"additionalProperties\":false,\"required\":");
    parameters.write_required(out);
    out.push(b'}');
}

/// What JP's library for Ollama writes first in an object, in this order; it takes the
/// bare map of properties for a schema too.
const LEADING: [&str; 7] = [
    "$id",
    "$schema",
    "title",
    "description",
    "type",
    "format",
    "properties",
];

/// Appends the bare map of properties as JP sends it to Ollama.
pub(in crate::provider) fn described(out: &mut Vec<u8>, parameters: &Parameters<'_>) {
    let plain = properties(parameters);
    let mut properties = Node::Map(read(&plain));
    order(&mut properties);
    properties.write(out);
}

/// Depth is that of a [`Node`], which is bounded.
fn order(schema: &mut Node<'_>) {
    match schema {
        Node::Map(map) => {
            let place = |name: &str| LEADING.iter().position(|one| *one == name);
            map.0
                .sort_by_key(|(name, _)| place(name).unwrap_or(LEADING.len()));
            for (name, value) in &mut map.0 {
                if name != "default" {
                    order(value);
                }
            }
        }
        Node::List(list) => list.iter_mut().for_each(order),
        _ => {}
    }
}

/// Appends a schema of a tool's own, with an element for every array.
fn given(out: &mut Vec<u8>, schema: &[u8]) {
    let mut schema = read(schema);
    elements(&mut schema);
    Node::Map(schema).write(out);
}

/// The plain form, with an element for every array: one is asked for.
fn open(out: &mut Vec<u8>, parameters: &Parameters<'_>) {
    let plain = properties(parameters);
    let mut properties = read(&plain);
    for (_, property) in &mut properties.0 {
        if let Node::Map(property) = property {
            lists::unfold(property);
            elements(property);
        }
    }
    object(out, &properties);
    out.extend_from_slice(b",\"required\":");
    parameters.write_required(out);
    out.push(b'}');
}

fn elements(schema: &mut Map<'_>) {
    if schema.has_type("array") && schema.get("items").is_none() {
        schema.set("items", Node::Map(Map::default()));
    }
    if let Some(Node::Map(items)) = schema.get_mut("items") {
        elements(items);
    }
    if let Some(Node::Map(properties)) = schema.get_mut("properties") {
        for (_, property) in &mut properties.0 {
            if let Node::Map(property) = property {
                elements(property);
            }
        }
    }
}

/// Whether a schema says all that the strict form asks for: a type, the elements
/// of an array, the properties of an object.
fn is_whole(schema: &Node<'_>) -> bool {
    let Node::Map(schema) = schema else {
        return false;
    };
    if let Some(Node::List(any)) = schema.get("anyOf") {
        return any.iter().all(is_whole);
    }
    let properties = schema.get("properties").and_then(Node::map);
    schema.get("type").is_some()
        && (!schema.has_type("array") || schema.get("items").is_some_and(is_whole))
        && (!schema.has_type("object")
            || properties.is_some_and(|map| map.0.iter().all(|(_, one)| is_whole(one))))
}

fn properties(parameters: &Parameters<'_>) -> Vec<u8> {
    let mut plain = Vec::new();
    parameters.write_properties(&mut plain);
    plain
}

fn read(plain: &[u8]) -> Map<'_> {
    match Node::read(Raw::checked(plain)) {
        Node::Map(map) => map,
        _ => Map::default(),
    }
}

/// Opens an object schema.
fn object(out: &mut Vec<u8>, properties: &Map<'_>) {
    out.extend_from_slice(b"{\"type\":\"object\"");
    write::key(out, "properties");
    Node::Map(properties.clone()).write(out);
}
