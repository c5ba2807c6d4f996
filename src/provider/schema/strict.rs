//! The strict form: every object closed, every property required.
//!
//! `docs/bodies.md#schemas`. What was optional may be null instead.

use super::refs::Refs;
use super::{DEPTH, Map, Node, names};
use std::borrow::Cow;

/// What stays outside when a property is wrapped to be nullable.
const OUTSIDE: [&str; 4] = ["description", "title", "default", "examples"];

/// Rewrites the schema of a structured answer; whether all of it could be.
pub(in crate::provider) fn rewrite(schema: &mut Map<'_>) -> bool {
    let root = schema.clone();
    let mut refs = Refs::into(&root);
    close(schema, &mut refs, 0);
    !refs.stuck
}

/// Step b: `null` becomes one of the values.
pub(super) fn nullable(schema: &mut Map<'_>) {
    let null = || Node::Literal("\"null\"");
    if let Some(Node::List(any)) = schema.get_mut("anyOf") {
        let is_null =
            |one: &Node<'_>| one.map().is_some_and(|map| map.has_type("null"));
        if !any.iter().any(is_null) {
            any.push(Node::Map(null_type()));
        }
        return;
    }
    if schema.has_type("null") {
        return;
    }
    let wraps = schema.has_type("array")
        || schema.has_type("object")
        || schema.get("$ref").is_some();
    if wraps {
        let (mut inner, mut outer) = (Map::default(), Map::default());
        for (name, value) in std::mem::take(&mut schema.0) {
            match OUTSIDE.contains(&&*name) {
                true => outer.0.push((name, value)),
                false => inner.0.push((name, value)),
            }
        }
        let either = vec![Node::Map(inner), Node::Map(null_type())];
        schema.0.append(&mut outer.0);
        schema.0.push((Cow::Borrowed("anyOf"), Node::List(either)));
        return;
    }
    match schema.get_mut("type") {
        Some(Node::List(list)) => list.push(null()),
        Some(one) => *one = Node::List(vec![one.clone(), null()]),
        None => {}
    }
}

fn null_type<'a>() -> Map<'a> {
    let kind = Node::Literal("\"null\"");
    Map(vec![(Cow::Borrowed("type"), kind)])
}

/// Step c.
pub(super) fn close<'a>(schema: &mut Map<'a>, refs: &mut Refs<'_, 'a>, depth: usize) {
    if depth == DEPTH {
        refs.stuck = true;
        return;
    }
    // A definition may lead to the next: each costs a part of the budget.
    while schema.0.len() > 1
        && let Some(reference) = schema.get("$ref").and_then(Node::text)
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
    let mut folds = DEPTH;
    while folds > 0
        && let Some(Node::List(parts)) = schema.take("allOf")
    {
        folds -= 1;
        fold(schema, parts, refs);
    }
    if schema.get("default").is_some_and(Node::is_null) {
        schema.take("default");
    }
    if schema.has_type("object") || schema.get("properties").is_some() {
        schema.set("additionalProperties", Node::Literal("false"));
        if matches!(schema.get("properties"), Some(Node::Map(_))) {
            let required = schema.requires();
            if let Some(Node::Map(properties)) = schema.get_mut("properties") {
                for (name, property) in &mut properties.0 {
                    if let Node::Map(property) = property
                        && !required.contains(name)
                    {
                        nullable(property);
                    }
                }
            }
            let all = names(&schema.property_names());
            schema.set("required", all);
        }
    }
    for key in ["properties", "$defs", "definitions"] {
        if let Some(Node::Map(map)) = schema.get_mut(key) {
            for (_, value) in &mut map.0 {
                if let Node::Map(value) = value {
                    close(value, refs, depth + 1);
                }
            }
        }
    }
    for key in ["items", "anyOf"] {
        let one = schema.get_mut(key);
        let many: &mut [Node<'a>] = match one {
            Some(Node::List(list)) => list,
            Some(one) => std::slice::from_mut(one),
            None => &mut [],
        };
        for value in many {
            if let Node::Map(value) = value {
                close(value, refs, depth + 1);
            }
        }
    }
}

/// Puts the members of each part into the schema; lists of names are joined.
fn fold<'a>(schema: &mut Map<'a>, parts: Vec<Node<'a>>, refs: &mut Refs<'_, 'a>) {
    for part in parts {
        let Node::Map(mut part) = part else { continue };
        if let Some(reference) = part.get("$ref").and_then(Node::text)
            && let Some(named) = refs.resolve(&reference)
        {
            part.take("$ref");
            part.0.splice(0..0, named.0);
        }
        for (name, value) in part.0 {
            match (schema.get_mut(&name), value) {
                (Some(Node::Map(own)), Node::Map(more)) if name == "properties" => {
                    own.0.extend(more.0);
                }
                (Some(Node::List(own)), Node::List(more))
                    if name == "required" || name == "allOf" =>
                {
                    own.extend(more);
                }
                (Some(own), value) => *own = value,
                (None, value) => schema.0.push((name, value)),
            }
        }
    }
    if let Some(Node::Map(properties)) = schema.get_mut("properties") {
        let mut seen = std::collections::HashSet::new();
        properties.0.retain(|(name, _)| seen.insert(name.clone()));
    }
}
