//! `metadata.foreign`: where an event comes from and what it could not hold.
//!
//! A line or block is taken apart by key: what the event carries goes, the rest
//! stays nested as it was. [`residual`] writes that rest, [`Foreign`] the object
//! around it.

use super::options::Keep;
use crate::json::{Raw, Text, write};

/// Where an event comes from.
#[derive(Debug, Clone, Default)]
pub(super) enum Origin {
    /// Nothing to say.
    #[default]
    Unsaid,
    /// A line, counted from 1.
    Line(usize),
    /// A place within a line.
    LineAt(usize, String),
    /// A place in a body.
    At(String),
}

/// What stands under `metadata.foreign` of one event.
#[derive(Debug, Clone, Default)]
pub(super) struct Foreign<'a> {
    pub(super) origin: Origin,
    /// The rest of the line or block: a JSON object, or empty.
    pub(super) rest: Vec<u8>,
    /// The rest of the message around the block: a JSON object, or empty.
    pub(super) message: Vec<u8>,
    /// Event fields whose value is not from the source.
    pub(super) made: Vec<&'static str>,
    /// Event fields the source left out and a default fills.
    pub(super) added: Vec<&'static str>,
    /// Source fields that a rule would fill and that were not there.
    pub(super) absent: Vec<&'static str>,
    /// Why a request is not typed by a person.
    pub(super) injected: Option<String>,
    /// The source's item type where two map to one event.
    pub(super) item: Option<&'a str>,
    /// Pointers, where several blocks make one event.
    pub(super) parts: Vec<String>,
    /// Whether the provider ran the call.
    pub(super) server: bool,
    /// The record that a call opened.
    pub(super) sidechain: Option<String>,
    /// Further members, written: `"key":value` pairs.
    pub(super) more: Vec<(&'static str, Vec<u8>)>,
    /// The block as the provider has it, to be sent back verbatim.
    pub(super) native: Option<(&'static str, Raw<'a>)>,
}

impl Foreign<'_> {
    pub(super) fn line(number: usize) -> Self {
        Self {
            origin: Origin::Line(number),
            ..Self::default()
        }
    }

    pub(super) fn at(path: impl Into<String>) -> Self {
        Self {
            origin: Origin::At(path.into()),
            ..Self::default()
        }
    }

    /// Appends the object; nothing under `Keep::None`.
    pub(super) fn write(&self, out: &mut Vec<u8>, keep: Keep) {
        out.push(b'{');
        match &self.origin {
            Origin::Unsaid => {}
            Origin::Line(line) => number(out, "line", *line),
            Origin::LineAt(line, at) => {
                number(out, "line", *line);
                text(out, "at", at);
            }
            Origin::At(at) => text(out, "at", at),
        }
        list(out, "parts", self.parts.iter().map(String::as_str));
        if let Some(injected) = &self.injected {
            text(out, "injected", injected);
        }
        if let Some(item) = self.item {
            text(out, "item", item);
        }
        if self.server {
            write::key(out, "server");
            out.extend_from_slice(b"true");
        }
        list(out, "made", self.made.iter().copied());
        list(out, "added", self.added.iter().copied());
        list(out, "absent", self.absent.iter().copied());
        if let Some(id) = &self.sidechain {
            text(out, "sidechain", id);
        }
        for (key, value) in &self.more {
            write::key(out, key);
            out.extend_from_slice(value);
        }
        if keep == Keep::All {
            if let Some((provider, block)) = self.native {
                write::key(out, "native");
                out.push(b'{');
                text(out, "provider", provider);
                write::key(out, "block");
                write::compact(out, block);
                out.push(b'}');
            }
            for (key, bytes) in [("rest", &self.rest), ("message", &self.message)] {
                if !bytes.is_empty() {
                    write::key(out, key);
                    out.extend_from_slice(bytes);
                }
            }
        }
        out.push(b'}');
    }
}

/// Appends `"key":"value"`.
pub(super) fn text(out: &mut Vec<u8>, key: &str, value: &str) {
    write::key(out, key);
    write::string(out, value);
}

/// Appends `"key":number`.
pub(super) fn number(out: &mut Vec<u8>, key: &str, value: usize) {
    write::key(out, key);
    write::integer(out, value as u64);
}

/// Appends `"key":["value",...]`; nothing for none.
pub(super) fn list<'s>(
    out: &mut Vec<u8>,
    key: &str,
    values: impl Iterator<Item = &'s str>,
) {
    let mut values = values.peekable();
    if values.peek().is_none() {
        return;
    }
    write::key(out, key);
    out.push(b'[');
    for (index, value) in values.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write::string(out, value);
    }
    out.push(b']');
}

/// Appends a member with its key as the source spells it.
pub(super) fn member(out: &mut Vec<u8>, key: Text<'_>, value: Raw<'_>) {
    raw_key(out, key);
    write::compact(out, value);
}

/// Appends a key as the source spells it.
pub(super) fn raw_key(out: &mut Vec<u8>, key: Text<'_>) {
    if !matches!(out.last(), Some(b'{')) {
        out.push(b',');
    }
    out.push(b'"');
    out.extend_from_slice(key.escaped());
    out.extend_from_slice(b"\":");
}

/// The members of an object that nobody `took`, as an object; empty for none.
pub(super) fn residual<'a>(
    fields: impl IntoIterator<Item = (Text<'a>, Raw<'a>)>,
    took: impl Fn(Text<'a>) -> bool,
) -> Vec<u8> {
    let mut out = Vec::new();
    for (key, value) in fields {
        if !took(key) {
            if out.is_empty() {
                out.push(b'{');
            }
            member(&mut out, key, value);
        }
    }
    if !out.is_empty() {
        out.push(b'}');
    }
    out
}

/// The members of an object but for `names`.
pub(super) fn without(value: Raw<'_>, names: &[&str]) -> Vec<u8> {
    residual(value.as_object().into_iter().flatten(), |key| {
        names.iter().any(|name| key.is(name))
    })
}

/// The rests of a list's elements as a list, `null` for an element that is
/// carried whole; empty if all of them are.
pub(super) fn rests(parts: &[Vec<u8>]) -> Vec<u8> {
    let Some(last) = parts.iter().rposition(|part| !part.is_empty()) else {
        return Vec::new();
    };
    let mut out = b"[".to_vec();
    for (index, part) in parts[..=last].iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        match part.is_empty() {
            true => out.extend_from_slice(b"null"),
            false => out.extend_from_slice(part),
        }
    }
    out.push(b']');
    out
}

/// `{"key":value}` for a value that is there, joined with an object's other
/// members; empty stays empty.
pub(super) fn with(mut object: Vec<u8>, key: &str, value: &[u8]) -> Vec<u8> {
    if value.is_empty() {
        return object;
    }
    if object.pop().is_none() {
        object.push(b'{');
    }
    write::key(&mut object, key);
    object.extend_from_slice(value);
    object.push(b'}');
    object
}
