//! The schema of a tool that an MCP server lists, with what is stored of it laid over.
//!
//! A stored override of an MCP tool wins over the server's field
//! (`docs/directives.md#catalogue`).

use crate::json::{Kind, Raw, Text, write};
use std::collections::HashSet;

/// A server's schema with the stored parameters laid over its properties.
pub fn input_schema(
    out: &mut Vec<u8>,
    own: Option<Raw<'_>>,
    stored: Raw<'_>,
    required: &[Text<'_>],
) {
    let own = own.filter(|own| own.kind() == Kind::Object);
    let get = |key: &str| own.and_then(|own| own.get(key));
    out.push(b'{');
    if get("type").is_none() {
        out.extend_from_slice(b"\"type\":\"object\"");
    }
    let has_stored = stored
        .as_object()
        .is_some_and(|mut all| all.next().is_some());
    let members = own.and_then(Raw::as_object).into_iter().flatten();
    for (key, value) in members {
        let replaced = key.is("properties") || key.is("required");
        if !(has_stored && replaced) {
            write::key(out, &key.decode());
            write::compact(out, value);
        }
    }
    if has_stored {
        write::key(out, "properties");
        overlay(out, get("properties"), stored, 1);
        let theirs = get("required")
            .and_then(Raw::as_array)
            .into_iter()
            .flatten();
        let mut names: Vec<_> = theirs.filter_map(Raw::as_text).collect();
        for name in required {
            let text = name.decode();
            if !names.iter().any(|one| one.is(&text)) {
                names.push(*name);
            }
        }
        write::key(out, "required");
        out.push(b'[');
        for (index, name) in names.into_iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            write::text(out, name);
        }
        out.push(b']');
    }
    out.push(b'}');
}

/// Members of `under`, those of `over` in their place or behind them; `depth` says
/// down to which level members are laid over each other rather than replaced.
fn overlay(out: &mut Vec<u8>, under: Option<Raw<'_>>, over: Raw<'_>, depth: usize) {
    let under = under.filter(|under| under.kind() == Kind::Object);
    let mut seen = HashSet::new();
    out.push(b'{');
    for (key, value) in under.and_then(Raw::as_object).into_iter().flatten() {
        let name = key.decode();
        write::key(out, &name);
        match over.get(&name) {
            Some(stored) if depth > 0 && stored.kind() == Kind::Object => {
                overlay(out, Some(value), stored, depth - 1);
            }
            Some(stored) => write::compact(out, stored),
            None => write::compact(out, value),
        }
        seen.insert(name);
    }
    for (key, value) in over.as_object().into_iter().flatten() {
        let name = key.decode();
        if !seen.contains(&name) {
            write::key(out, &name);
            write::compact(out, value);
        }
    }
    out.push(b'}');
}
