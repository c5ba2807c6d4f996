//! Parameters of a tool: merged place by place, ready to become a schema.
//!
//! `docs/formats.md#merging` and `docs/formats.md#tool-definitions`. The stored form is kept raw until a tool
//! is sent; then its layers (base, then each delta that touched it) are merged
//! into this tree, which every provider turns into its own schema.

use super::warn::{Path, Warnings};
use crate::json::{Kind, Raw, Text, write};
use std::borrow::Cow;
use std::collections::HashMap;

/// How deep `items` and `properties` may nest; what is deeper is left out.
const DEPTH: usize = 64;

/// One parameter, or one item or property of one.
#[derive(Debug, Clone, Default)]
pub struct Parameter<'a> {
    /// `type`: a string or an array of strings, as stored.
    pub kind: Option<Raw<'a>>,
    /// Whether a call must give it.
    pub required: bool,
    /// `summary`.
    pub summary: Option<Text<'a>>,
    /// `description`.
    pub description: Option<Text<'a>>,
    /// `default`, unless null.
    pub default: Option<Raw<'a>>,
    /// `enum`, as stored; possibly empty.
    pub choices: Option<Raw<'a>>,
    /// `items`.
    pub items: Option<Box<Parameter<'a>>>,
    /// `properties`, in map order.
    pub properties: Parameters<'a>,
}

/// A map of parameters that keeps its places.
#[derive(Debug, Clone, Default)]
pub struct Parameters<'a> {
    list: Vec<(Text<'a>, Parameter<'a>)>,
    index: HashMap<Cow<'a, str>, usize>,
}

impl<'a> Parameters<'a> {
    /// The parameters in map order.
    pub fn iter(&self) -> impl Iterator<Item = (Text<'a>, &Parameter<'a>)> {
        self.list.iter().map(|(name, parameter)| (*name, parameter))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The names that a call must give, in map order.
    pub fn required(&self) -> impl Iterator<Item = Text<'a>> {
        let required = self.list.iter().filter(|(_, p)| p.required);
        required.map(|(name, _)| *name)
    }

    /// Merges a stored map onto this one.
    pub(crate) fn merge(&mut self, map: Raw<'a>, path: &Path<'_>, w: &mut Warnings) {
        self.merge_at(map, path, w, 0);
    }

    fn merge_at(
        &mut self,
        map: Raw<'a>,
        path: &Path<'_>,
        w: &mut Warnings,
        depth: usize,
    ) {
        if map.kind() != Kind::Object {
            if !map.is_null() {
                w.absent(path, map, "an object");
            }
            return;
        }
        for (name, value) in map.unique() {
            let at = Path::Key(path, name);
            if value.kind() != Kind::Object {
                if !value.is_null() {
                    w.absent(&at, value, "a parameter, an object");
                }
                continue;
            }
            let next = self.list.len();
            let slot = *self.index.entry(name.decode()).or_insert(next);
            if slot == next {
                self.list.push((name, Parameter::default()));
            }
            self.list[slot].1.merge(value, &at, w, depth);
        }
    }
}

impl<'a> Parameter<'a> {
    fn merge(
        &mut self,
        value: Raw<'a>,
        path: &Path<'_>,
        w: &mut Warnings,
        depth: usize,
    ) {
        for (key, value) in value.as_object().into_iter().flatten() {
            if value.is_null() {
                continue;
            }
            let at = Path::Key(path, key);
            if key.is("type") {
                match value.kind() {
                    Kind::String | Kind::Array => self.kind = Some(value),
                    _ => w.absent(&at, value, "a string or an array of strings"),
                }
            } else if key.is("required") {
                match value.as_bool() {
                    Some(required) => self.required = required,
                    None => w.absent(&at, value, "a boolean"),
                }
            } else if key.is("summary") || key.is("description") {
                match value.as_text() {
                    Some(text) if key.is("summary") => self.summary = Some(text),
                    Some(text) => self.description = Some(text),
                    None => w.absent(&at, value, "a string"),
                }
            } else if key.is("default") {
                self.default = Some(value);
            } else if key.is("enum") {
                match value.kind() {
                    Kind::Array => self.choices = Some(value),
                    _ => w.absent(&at, value, "an array"),
                }
            } else if key.is("items") || key.is("properties") {
                if depth == DEPTH {
                    w.absent(&at, value, "fewer levels of nesting (at most 64)");
                } else if key.is("properties") {
                    self.properties.merge_at(value, &at, w, depth + 1);
                } else if value.kind() == Kind::Object {
                    let items = self.items.get_or_insert_default();
                    items.merge(value, &at, w, depth + 1);
                } else {
                    w.absent(&at, value, "an object");
                }
            }
        }
    }

    /// The description that is sent: the summary, else the description.
    pub fn sent_description(&self) -> Option<Text<'a>> {
        self.summary.or(self.description)
    }

    /// The choices that are sent, if there is one at least.
    pub fn sent_choices(&self) -> Option<Raw<'a>> {
        self.choices.filter(|choices| {
            choices.as_array().is_some_and(|mut a| a.next().is_some())
        })
    }

    /// Appends the plain schema of `docs/bodies.md#schemas`.
    pub fn write_schema(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        if let Some(kind) = self.kind {
            write::key(out, "type");
            write::compact(out, kind);
        }
        if let Some(text) = self.sent_description() {
            write::key(out, "description");
            write::text(out, text);
        }
        if let Some(value) = self.default {
            write::key(out, "default");
            write::compact(out, value);
        }
        if let Some(choices) = self.sent_choices() {
            write::key(out, "enum");
            write::compact(out, choices);
        }
        if let Some(items) = &self.items {
            write::key(out, "items");
            items.write_schema(out);
        }
        if !self.properties.is_empty() {
            write::key(out, "properties");
            self.properties.write_properties(out);
            if self.properties.required().next().is_some() {
                write::key(out, "required");
                self.properties.write_required(out);
            }
        }
        out.push(b'}');
    }
}

impl Parameters<'_> {
    /// Appends the map of plain schemas.
    pub fn write_properties(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        for (index, (name, parameter)) in self.list.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            write::text(out, *name);
            out.push(b':');
            parameter.write_schema(out);
        }
        out.push(b'}');
    }

    /// Appends the array of names that a call must give.
    pub fn write_required(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        for (index, name) in self.required().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            write::text(out, name);
        }
        out.push(b']');
    }
}
