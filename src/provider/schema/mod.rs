//! Schemas rewritten for a provider: of tools and of structured answers.
//!
//! `docs/bodies.md#schemas`. A schema becomes a [`Node`] tree, is rewritten there
//! and written out. Schemas come from anywhere, so the tree has a bounded depth
//! (what is deeper stays as it is) and every rewriting a bounded amount of work.
//! [`lists`] is step (a) of the strict and the loose form, [`strict`] the rest of
//! the strict form, [`refs`] what replaces `$ref`, [`tool`] a tool's parameters.

pub(super) mod lists;
pub(super) mod refs;
pub(super) mod strict;
pub(super) mod tool;

use crate::json::{Kind, Raw, write};
use std::borrow::Cow;

/// How deep a schema is taken apart; what is deeper is sent as it is.
///
/// Parameters of tools nest 64 deep at most, which is twice as many values.
const DEPTH: usize = 150;

/// A value of a schema.
#[derive(Debug, Clone)]
pub(super) enum Node<'a> {
    /// As given.
    Raw(Raw<'a>),
    /// JSON put in.
    Literal(&'static str),
    /// A string put in.
    Name(Cow<'a, str>),
    List(Vec<Node<'a>>),
    Map(Map<'a>),
}

/// The members of an object, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Map<'a>(pub(super) Vec<(Cow<'a, str>, Node<'a>)>);

impl Default for Node<'_> {
    fn default() -> Self {
        Node::Map(Map::default())
    }
}

impl<'a> Node<'a> {
    pub(super) fn read(raw: Raw<'a>) -> Self {
        Self::read_at(raw, 0)
    }

    fn read_at(raw: Raw<'a>, depth: usize) -> Self {
        if depth == DEPTH {
            return Node::Raw(raw);
        }
        match raw.kind() {
            Kind::Object => {
                let members = raw.unique().into_iter();
                let member = |(name, value): (crate::json::Text<'a>, Raw<'a>)| {
                    (name.decode(), Self::read_at(value, depth + 1))
                };
                Node::Map(Map(members.map(member).collect()))
            }
            Kind::Array => {
                let elements = raw.as_array().into_iter().flatten();
                let elements = elements.map(|one| Self::read_at(one, depth + 1));
                Node::List(elements.collect())
            }
            _ => Node::Raw(raw),
        }
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Node::Raw(raw) => write::compact(out, *raw),
            Node::Literal(json) => out.extend_from_slice(json.as_bytes()),
            Node::Name(name) => write::string(out, name),
            Node::List(list) => {
                out.push(b'[');
                for (index, one) in list.iter().enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    one.write(out);
                }
                out.push(b']');
            }
            Node::Map(map) => {
                out.push(b'{');
                for (name, value) in &map.0 {
                    write::key(out, name);
                    value.write(out);
                }
                out.push(b'}');
            }
        }
    }

    /// The value as JSON text.
    pub(super) fn json(&self) -> String {
        let mut out = Vec::new();
        self.write(&mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    pub(super) fn map(&self) -> Option<&Map<'a>> {
        match self {
            Node::Map(map) => Some(map),
            _ => None,
        }
    }

    pub(super) fn list(&self) -> Option<&[Node<'a>]> {
        match self {
            Node::List(list) => Some(list),
            _ => None,
        }
    }

    /// The string, if it is one.
    pub(super) fn text(&self) -> Option<Cow<'a, str>> {
        match self {
            Node::Raw(raw) => raw.as_str(),
            Node::Literal(json) => {
                let inner = json.strip_prefix('"')?.strip_suffix('"')?;
                Some(Cow::Borrowed(inner))
            }
            Node::Name(name) => Some(name.clone()),
            _ => None,
        }
    }

    pub(super) fn is_null(&self) -> bool {
        match self {
            Node::Raw(raw) => raw.is_null(),
            Node::Literal(json) => *json == "null",
            _ => false,
        }
    }

    /// How many values it holds, itself included.
    pub(super) fn size(&self) -> usize {
        match self {
            Node::Raw(_) | Node::Literal(_) | Node::Name(_) => 1,
            Node::List(list) => 1 + list.iter().map(Node::size).sum::<usize>(),
            Node::Map(map) => 1 + map.0.iter().map(|(_, v)| v.size()).sum::<usize>(),
        }
    }
}

impl<'a> Map<'a> {
    pub(super) fn get(&self, key: &str) -> Option<&Node<'a>> {
        let found = self.0.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value)
    }

    pub(super) fn get_mut(&mut self, key: &str) -> Option<&mut Node<'a>> {
        let found = self.0.iter_mut().find(|(name, _)| name == key);
        found.map(|(_, value)| value)
    }

    pub(super) fn take(&mut self, key: &str) -> Option<Node<'a>> {
        let at = self.0.iter().position(|(name, _)| name == key)?;
        Some(self.0.remove(at).1)
    }

    /// Puts a value in its place, or last.
    pub(super) fn set(&mut self, key: &'static str, value: Node<'a>) {
        match self.get_mut(key) {
            Some(old) => *old = value,
            None => self.0.push((Cow::Borrowed(key), value)),
        }
    }

    /// Whether `type` names `kind`, alone or among others.
    pub(super) fn has_type(&self, kind: &str) -> bool {
        match self.get("type") {
            Some(Node::List(list)) => {
                list.iter().any(|one| one.text().as_deref() == Some(kind))
            }
            Some(one) => one.text().as_deref() == Some(kind),
            None => false,
        }
    }

    /// The names of the properties, in order.
    pub(super) fn property_names(&self) -> Vec<Cow<'a, str>> {
        let properties = self.get("properties").and_then(Node::map);
        let members = properties.into_iter().flat_map(|map| &map.0);
        members.map(|(name, _)| name.clone()).collect()
    }

    /// The names that `required` lists.
    pub(super) fn requires(&self) -> std::collections::HashSet<Cow<'a, str>> {
        let required = self.get("required").and_then(Node::list);
        let required = required.into_iter().flatten();
        required.filter_map(Node::text).collect()
    }
}

/// A list of names as a value.
pub(super) fn names<'a>(names: &[Cow<'a, str>]) -> Node<'a> {
    Node::List(names.iter().map(|name| Node::Name(name.clone())).collect())
}
