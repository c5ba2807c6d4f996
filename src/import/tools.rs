//! Tool definitions of any provider, in the form of `inputs.tools`.
//!
//! A schema that the parameter form can hold becomes one; any other stands beside
//! the nearest parameter form as `schema`, as it came. Tools that a provider runs
//! itself have no schema and stay in the rest.

use super::content::compact;
use super::foreign::{text, without};
use super::record::Record;
use super::value::Rest;
use crate::json::{Kind, Raw, write};
use crate::term::counted_are;

/// How deep schemas are followed; what is deeper stands in `schema` alone.
const DEPTH: usize = 32;

/// What became of a list of tools.
#[derive(Debug, Default)]
pub(super) struct Read {
    /// What no tool holds: a JSON array, or empty.
    pub(super) rest: Vec<u8>,
    /// Tools that the provider runs.
    pub(super) provider: usize,
    /// Tools whose schema the parameter form cannot hold.
    pub(super) simplified: usize,
}

/// One function's definition.
struct Definition<'a> {
    name: Raw<'a>,
    description: Option<Raw<'a>>,
    schema: Option<Raw<'a>>,
    rest: Vec<u8>,
}

/// Reads a list of tools into `inputs.tools`, a JSON array.
pub(super) fn read(tools: Raw<'_>) -> (Vec<u8>, Read) {
    let mut out = b"[".to_vec();
    let mut read = Read::default();
    let mut rests = Vec::new();
    for tool in tools.as_array().into_iter().flatten() {
        let groups = ["functionDeclarations", "function_declarations"];
        let declared = groups.iter().find_map(|key| tool.get(key)?.as_array());
        if let Some(functions) = declared {
            for function in functions {
                put(&mut out, &mut read, function, &mut Vec::new());
            }
            let rest = without(tool, &groups);
            read.provider += usize::from(!rest.is_empty());
            rests.push(rest);
            continue;
        }
        let mut rest = Vec::new();
        put(&mut out, &mut read, tool, &mut rest);
        rests.push(rest);
    }
    out.push(b']');
    read.rest = super::foreign::rests(&rests);
    (out, read)
}

fn put(out: &mut Vec<u8>, read: &mut Read, tool: Raw<'_>, rest: &mut Vec<u8>) {
    let Some(definition) = definition(tool) else {
        read.provider += 1;
        *rest = compact(tool);
        return;
    };
    *rest = definition.rest;
    if out.len() > 1 {
        out.push(b',');
    }
    out.push(b'{');
    write::key(out, "name");
    write::compact(out, definition.name);
    if let Some(description) = definition.description {
        write::key(out, "description");
        write::compact(out, description);
    }
    let schema = definition.schema.unwrap_or(Raw::checked(b"{}"));
    write::key(out, "parameters");
    match is_parameter_map(tool, schema) {
        true => write::compact(out, schema),
        false => {
            parameters(out, schema, 0);
            if !fits(schema) {
                read.simplified += 1;
                write::key(out, "schema");
                write::compact(out, schema);
            }
        }
    }
    out.push(b'}');
}

fn definition(tool: Raw<'_>) -> Option<Definition<'_>> {
    let string = |value: Raw<'_>| value.kind() == Kind::String;
    let (inner, outer) = match tool.get("function") {
        Some(function) => (function, without(tool, &["type", "function"])),
        None => (tool, Vec::new()),
    };
    let name = inner
        .get("name")
        .filter(|name| name.kind() == Kind::String)?;
    let keys = [
        "input_schema",
        "parameters",
        "parametersJsonSchema",
        "parameters_json_schema",
    ];
    let schema = keys.iter().find_map(|key| inner.get(key));
    // A tool with a type of its own and no schema is one the provider runs.
    let kind = tool.get("type").and_then(Raw::as_str);
    let own = kind.is_some_and(|kind| kind != "function" && kind != "custom");
    if own && schema.is_none() {
        return None;
    }
    let carried = [
        "type",
        "name",
        "description",
        "input_schema",
        "parameters",
        "parametersJsonSchema",
        "parameters_json_schema",
    ];
    let mut rest = without(inner, &carried);
    if !outer.is_empty() {
        let function = std::mem::replace(&mut rest, outer);
        rest = super::foreign::with(rest, "function", &function);
    }
    Some(Definition {
        name,
        description: inner.get("description").filter(|d| string(*d)),
        schema: schema.filter(|schema| schema.kind() == Kind::Object),
        rest,
    })
}

/// Whether `parameters` is a map of parameters already, as `inputs.tools` has it.
fn is_parameter_map(tool: Raw<'_>, schema: Raw<'_>) -> bool {
    let schema_like = schema.get("type").is_some_and(|t| t.kind() == Kind::String)
        || schema.get("properties").is_some()
        || schema.get("$ref").is_some()
        || schema.get("anyOf").is_some();
    tool.get("type").is_none()
        && tool.get("parameters").is_some()
        && !schema_like
        && schema
            .as_object()
            .into_iter()
            .flatten()
            .all(|(_, v)| v.kind() == Kind::Object)
}

/// Whether the parameter form loses nothing of an object's schema.
fn fits(schema: Raw<'_>) -> bool {
    let allowed = [
        "type",
        "properties",
        "required",
        "additionalProperties",
        "title",
        "$schema",
        "description",
    ];
    let object = schema.get("type").is_none_or(|t| is_text(t, "object"));
    object
        && only(schema, &allowed)
        && properties(schema).all(|(_, one)| property_fits(one, 0))
}

fn is_text(value: Raw<'_>, text: &str) -> bool {
    let found = value.as_text();
    found.is_some_and(|found| found.decode().eq_ignore_ascii_case(text))
}

fn property_fits(property: Raw<'_>, depth: usize) -> bool {
    let allowed = [
        "type",
        "description",
        "default",
        "enum",
        "items",
        "properties",
        "required",
    ];
    depth < DEPTH
        && property.kind() == Kind::Object
        && property.get("type").is_some()
        && only(property, &allowed)
        && properties(property).all(|(_, one)| property_fits(one, depth + 1))
        && property
            .get("items")
            .is_none_or(|items| property_fits(items, depth + 1))
}

fn only(value: Raw<'_>, allowed: &[&str]) -> bool {
    let mut members = value.as_object().into_iter().flatten();
    members.all(|(key, _)| allowed.iter().any(|name| key.is(name)))
}

fn properties<'a>(
    schema: Raw<'a>,
) -> impl Iterator<Item = (crate::json::Text<'a>, Raw<'a>)> {
    let map = schema.get("properties").and_then(Raw::as_object);
    map.into_iter().flatten()
}

/// Appends the properties of a schema as a map of parameters.
fn parameters(out: &mut Vec<u8>, schema: Raw<'_>, depth: usize) {
    let required: Vec<_> = schema
        .get("required")
        .and_then(Raw::as_array)
        .into_iter()
        .flatten()
        .filter_map(Raw::as_str)
        .collect();
    out.push(b'{');
    for (name, property) in properties(schema) {
        super::foreign::raw_key(out, name);
        let needed = required.iter().any(|one| *one == name.decode());
        parameter(out, property, needed, depth);
    }
    out.push(b'}');
}

fn parameter(out: &mut Vec<u8>, property: Raw<'_>, needed: bool, depth: usize) {
    out.push(b'{');
    for (key, value) in property.as_object().into_iter().flatten() {
        let plain = ["type", "description", "default", "enum"];
        if plain.iter().any(|name| key.is(name)) {
            super::foreign::member(out, key, value);
        } else if key.is("items") && depth < DEPTH && value.kind() == Kind::Object {
            write::key(out, "items");
            parameter(out, value, false, depth + 1);
        } else if key.is("properties") && depth < DEPTH {
            write::key(out, "properties");
            parameters(out, property, depth + 1);
        }
    }
    if needed {
        write::key(out, "required");
        out.extend_from_slice(b"true");
    }
    out.push(b'}');
}

/// Puts the tools of a body down.
pub(super) fn body(record: &mut Record<'_>, rest: &mut Rest<'_>, tools: Raw<'_>) {
    let (list, read) = read(tools);
    record.tools = list;
    rest.left("tools", read.rest);
    if read.provider > 0 {
        let count = read.provider;
        record.note(
            "provider-tools",
            || {
                format!(
                    "{} kept aside: the provider runs them",
                    counted_are(count, "tool")
                )
            },
            None,
        );
    }
    if read.simplified > 0 {
        let count = read.simplified;
        record.note(
            "schema-simplified",
            || format!("{count} tool schemas stand as they came beside a simpler form"),
            None,
        );
    }
}

/// Puts the choice of tools down where `inputs.tool_choice` can hold it.
pub(super) fn choice(record: &mut Record<'_>, rest: &mut Rest<'_>, choice: Raw<'_>) {
    let kind = choice
        .as_str()
        .or_else(|| choice.get("type").and_then(Raw::as_str));
    let name = choice
        .get("name")
        .or_else(|| choice.get("function").and_then(|f| f.get("name")));
    let mut out = Vec::new();
    match (kind.as_deref(), name) {
        (Some("auto"), None) => write::string(&mut out, "auto"),
        (Some("none"), None) => write::string(&mut out, "none"),
        (Some("any" | "required"), None) => write::string(&mut out, "required"),
        (Some("tool" | "function"), Some(name)) if name.kind() == Kind::String => {
            out.extend_from_slice(b"{\"function\":");
            write::compact(&mut out, name);
            out.push(b'}');
        }
        _ => return,
    }
    rest.take("tool_choice");
    let extra = without(choice, &["type", "name", "function"]);
    rest.left("tool_choice", extra);
    record.tool_choice = Some(out);
}

/// A delta that switches tools, by name.
pub(super) fn switched(names: &[(String, bool)]) -> Vec<u8> {
    let mut out = b"{\"conversation\":{\"tools\":{".to_vec();
    for (name, on) in names {
        write::key(&mut out, name);
        out.extend_from_slice(match on {
            true => b"{\"enable\":true}",
            false => b"{\"enable\":false}",
        });
    }
    out.extend_from_slice(b"}}}");
    out
}

/// A delta that brings tools with their definitions, as local ones.
pub(super) fn defined(tools: &[Raw<'_>]) -> Vec<u8> {
    let mut out = b"{\"conversation\":{\"tools\":{".to_vec();
    for tool in tools {
        let Some(name) = tool.get("name").and_then(Raw::as_text) else {
            continue;
        };
        super::foreign::raw_key(&mut out, name);
        out.push(b'{');
        text(&mut out, "source", "local");
        for key in ["description", "parameters"] {
            if let Some(value) = tool.get(key) {
                write::key(&mut out, key);
                write::compact(&mut out, value);
            }
        }
        write::key(&mut out, "enable");
        out.extend_from_slice(b"true}");
    }
    out.extend_from_slice(b"}}}");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> (String, String) {
        let (tools, read) = read(Raw::parse(json.as_bytes()).expect("JSON"));
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        (text(tools), text(read.rest))
    }

    #[test]
    fn every_providers_form_becomes_the_same() {
        let schema = r#"{"type":"object","properties":{"dir":{"type":"string"}},"required":["dir"]}"#;
        let expected = r#"[{"name":"ls","description":"List.","parameters":{"dir":{"type":"string","required":true}}}]"#;
        for (form, rest) in [
            (
                format!(
                    r#"{{"name":"ls","description":"List.","input_schema":{schema}}}"#
                ),
                "",
            ),
            (
                format!(
                    r#"{{"type":"function","function":{{"name":"ls","description":"List.","parameters":{schema}}}}}"#
                ),
                "",
            ),
            (
                format!(
                    r#"{{"type":"function","name":"ls","description":"List.","parameters":{schema},"strict":false}}"#
                ),
                r#"[{"strict":false}]"#,
            ),
            (
                format!(
                    r#"{{"functionDeclarations":[{{"name":"ls","description":"List.","parameters":{schema}}}]}}"#
                ),
                "",
            ),
        ] {
            let list = format!("[{form}]");
            assert_eq!(of(&list), (expected.to_owned(), rest.to_owned()), "{list}");
        }
        assert_eq!(of(expected), (expected.to_owned(), String::new()));
    }

    #[test]
    fn what_the_parameter_form_cannot_hold_stands_beside_it() {
        let json = r#"[{"name":"f","input_schema":{"type":"object","properties":{"a":{"anyOf":[{"type":"string"}]}}}},
            {"type":"web_search_20250305","name":"web_search"}]"#;
        let (tools, rest) = of(json);
        assert!(
            tools.contains(r#""parameters":{"a":{}},"schema":{"type":"object""#),
            "{tools}"
        );
        assert_eq!(
            rest,
            r#"[null,{"type":"web_search_20250305","name":"web_search"}]"#
        );
    }
}
