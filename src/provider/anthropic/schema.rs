//! The schema of a structured answer, reduced to what the API takes.
//!
//! `docs/bodies.md#anthropic`. A few keywords survive; every other is put into words
//! behind the description, in the order that taking keys out of the map leaves
//! (the last key moves into the gap). Objects are closed.

use crate::json::{Kind, Raw, Text, write};

/// How deep a schema is rewritten; what is deeper is sent as it is.
const DEPTH: usize = 100;

const FORMATS: [&str; 10] = [
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "uri",
    "ipv4",
    "ipv6",
    "uuid",
];

/// Appends the rewritten schema.
pub(super) fn write(out: &mut Vec<u8>, schema: Raw<'_>) {
    rewrite(out, schema, 0);
}

/// The keys not taken yet.
struct Rest<'a>(Vec<(Text<'a>, Raw<'a>)>);

impl<'a> Rest<'a> {
    fn take(&mut self, key: &str) -> Option<Raw<'a>> {
        let at = self.0.iter().position(|(name, _)| name.is(key))?;
        Some(self.0.swap_remove(at).1)
    }

    fn copy(&mut self, out: &mut Vec<u8>, key: &str) {
        if let Some(value) = self.take(key) {
            write::key(out, key);
            write::compact(out, value);
        }
    }
}

fn rewrite(out: &mut Vec<u8>, schema: Raw<'_>, depth: usize) {
    if schema.kind() != Kind::Object || depth == DEPTH {
        write::compact(out, schema);
        return;
    }
    let mut rest = Rest(schema.unique());
    out.push(b'{');
    if let Some(reference) = rest.take("$ref") {
        write::key(out, "$ref");
        write::compact(out, reference);
        out.push(b'}');
        return;
    }
    rest.copy(out, "title");
    let description = rest.take("description");
    if let Some(definitions) = rest.take("$defs") {
        write::key(out, "$defs");
        map(out, definitions, depth);
    }
    for (from, to) in [("anyOf", "anyOf"), ("oneOf", "anyOf"), ("allOf", "allOf")] {
        if let Some(list) = rest.take(from) {
            write::key(out, to);
            self::list(out, list, depth);
            break;
        }
    }
    let kind = rest.take("type");
    if let Some(kind) = kind {
        write::key(out, "type");
        write::compact(out, kind);
    }
    let is = |name: &str| {
        kind.and_then(Raw::as_text)
            .is_some_and(|kind| kind.is(name))
    };
    if is("object") {
        write::key(out, "properties");
        match rest.take("properties") {
            Some(properties) => map(out, properties, depth),
            None => out.extend_from_slice(b"{}"),
        }
        rest.take("additionalProperties");
        out.extend_from_slice(b",\"additionalProperties\":false");
        rest.copy(out, "required");
    } else if is("array") {
        if let Some(items) = rest.take("items") {
            write::key(out, "items");
            rewrite(out, items, depth + 1);
        }
        let few = rest.0.iter().any(|(name, value)| {
            name.is("minItems") && matches!(value.bytes(), b"0" | b"1")
        });
        if few {
            rest.copy(out, "minItems");
        }
    } else if is("string") {
        let known = rest.0.iter().any(|(name, value)| {
            let format = value.as_str().unwrap_or_default();
            name.is("format") && FORMATS.contains(&&*format)
        });
        if known {
            rest.copy(out, "format");
        }
    }
    if description.is_some() || !rest.0.is_empty() {
        self::description(out, description, &rest.0);
    }
    out.push(b'}');
}

fn map(out: &mut Vec<u8>, value: Raw<'_>, depth: usize) {
    if value.kind() != Kind::Object {
        write::compact(out, value);
        return;
    }
    out.push(b'{');
    for (name, schema) in value.unique() {
        if !out.ends_with(b"{") {
            out.push(b',');
        }
        write::text(out, name);
        out.push(b':');
        rewrite(out, schema, depth + 1);
    }
    out.push(b'}');
}

fn list(out: &mut Vec<u8>, value: Raw<'_>, depth: usize) {
    let Some(elements) = value.as_array() else {
        write::compact(out, value);
        return;
    };
    out.push(b'[');
    for (index, schema) in elements.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        rewrite(out, schema, depth + 1);
    }
    out.push(b']');
}

/// The description, and behind it the keywords that are not understood.
fn description(out: &mut Vec<u8>, own: Option<Raw<'_>>, rest: &[(Text<'_>, Raw<'_>)]) {
    write::key(out, "description");
    let text = own.and_then(Raw::as_str);
    if rest.is_empty() {
        match own {
            Some(own) => write::compact(out, own),
            None => out.extend_from_slice(b"\"\""),
        }
        return;
    }
    let mut words = text.map_or_else(String::new, |text| format!("{text}\n\n"));
    words.push('{');
    for (index, (name, value)) in rest.iter().enumerate() {
        if index > 0 {
            words.push_str(", ");
        }
        let mut compact = Vec::new();
        write::compact(&mut compact, *value);
        words.push_str(&name.decode());
        words.push_str(": ");
        words.push_str(&String::from_utf8_lossy(&compact));
    }
    words.push('}');
    write::string(out, &words);
}
