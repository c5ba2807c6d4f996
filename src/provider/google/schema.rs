//! The schema of a structured answer as Gemini takes it: references replaced,
//! `const` as a choice of one, the order of properties said.

use crate::config::Mode;
use crate::error::{Error, ErrorKind};
use crate::json::Raw;
use crate::provider::schema::refs::Refs;
use crate::provider::schema::{Map, Node, names};
use std::borrow::Cow;

/// How many references may lead on from one another.
const CHAIN: usize = 64;

/// Appends the rewritten schema.
///
/// # Errors
///
/// References that lead to themselves, which no schema without them can say.
pub(super) fn write(
    out: &mut Vec<u8>,
    schema: Raw<'_>,
    mode: Mode,
) -> Result<(), Error> {
    let mut node = Node::read(schema);
    if let Node::Map(map) = &mut node {
        let root = map.clone();
        let mut refs = Refs::into(&root);
        rewrite(map, &mut refs, 0);
        if refs.stuck && mode == Mode::Convo {
            return Err(Error::new(
                ErrorKind::Contract,
                "schema-reference",
                "the provider takes no references in a structured answer's schema, and \
                 one of them leads nowhere, or to itself",
            ));
        }
        if !refs.stuck {
            map.take("$defs");
            map.take("definitions");
        }
    }
    node.write(out);
    Ok(())
}

fn rewrite<'a>(schema: &mut Map<'a>, refs: &mut Refs<'_, 'a>, depth: usize) {
    if depth == CHAIN {
        refs.stuck = true;
        return;
    }
    while let Some(reference) = schema.get("$ref").and_then(Node::text)
        && let Some(mut named) = refs.resolve(&reference)
    {
        schema.take("$ref");
        for (name, value) in std::mem::take(&mut schema.0) {
            match named.get_mut(&name) {
                Some(old) => *old = value,
                None => named.0.push((name, value)),
            }
        }
        *schema = named;
    }
    if let Some(at) = schema.0.iter().position(|(name, _)| name == "const") {
        let (name, value) = &mut schema.0[at];
        *name = Cow::Borrowed("enum");
        *value = Node::List(vec![value.clone()]);
    }
    for (name, value) in &mut schema.0 {
        match (&**name, value) {
            ("properties", Node::Map(map)) => {
                for (_, one) in &mut map.0 {
                    if let Node::Map(one) = one {
                        rewrite(one, refs, depth + 1);
                    }
                }
            }
            (
                "items"
                | "additionalProperties"
                | "anyOf"
                | "oneOf"
                | "allOf"
                | "prefixItems",
                value,
            ) => {
                let many = match value {
                    Node::List(list) => &mut list[..],
                    one => std::slice::from_mut(one),
                };
                for one in many {
                    if let Node::Map(one) = one {
                        rewrite(one, refs, depth + 1);
                    }
                }
            }
            _ => {}
        }
    }
    let all = schema.property_names();
    if all.len() > 1 && schema.get("propertyOrdering").is_none() {
        schema.set("propertyOrdering", names(&all));
    }
}
