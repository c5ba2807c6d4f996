//! Writing single entries of a view.
//!
//! What passes keeps its bytes: key order, number spelling, escapes, duplicate
//! keys. Only white space between tokens goes, and the strings that storage
//! encodes are written in the encoding asked for (`docs/views.md#output`).

use super::View;
use super::user::{self, Keep, Share};
use crate::block::{Decoder, Encoding};
use crate::event::{Event, EventKind};
use crate::json::{Kind, Raw, Text, write};
use crate::stream::compaction::{Fate, SUMMARY_REQUEST};

/// Writes the entries of one conversation as a view.
#[derive(Debug)]
pub struct EntryWriter {
    view: View,
    decoder: Decoder,
    to: Encoding,
}

impl EntryWriter {
    /// A writer for `view`, from what `decoder` reads to the encoding `to`.
    pub fn new(view: View, decoder: Decoder, to: Encoding) -> Self {
        Self { view, decoder, to }
    }

    /// Appends what the view shows of `event`; false when that is nothing.
    pub fn write(&mut self, out: &mut Vec<u8>, event: &Event<'_>) -> bool {
        let addressed_only = match self.view {
            View::User { addressed_only } => addressed_only,
            View::Raw => {
                self.entry(out, event, &Change::None);
                return true;
            }
            View::Assistant => return self.told(out, event, Keep::Assistant),
            View::Both => return self.told(out, event, Keep::Either),
        };
        let change = match user::share(event, addressed_only) {
            Share::Nothing => return false,
            // Reasoning beside a message is still reasoning.
            Share::Whole if event.kind() == EventKind::ChatResponse => {
                Change::NoReasoning
            }
            // A shadowed duplicate of the content is reduced like the one that counts.
            Share::Whole if event.kind() == EventKind::ToolCallResponse => {
                Change::Reduce(Keep::user(addressed_only))
            }
            Share::Whole => Change::None,
            Share::Reduced => Change::Reduce(Keep::user(addressed_only)),
        };
        self.entry(out, event, &change);
        true
    }

    /// Writes what the model was told, and the user too where `keep` says so.
    fn told(&mut self, out: &mut Vec<u8>, event: &Event<'_>, keep: Keep) -> bool {
        match event.kind() {
            EventKind::TurnStart
            | EventKind::ChatRequest
            | EventKind::ChatResponse
            | EventKind::ToolCallRequest => self.entry(out, event, &Change::None),
            EventKind::ToolCallResponse => {
                self.entry(out, event, &Change::Reduce(keep));
            }
            _ => return false,
        }
        true
    }

    /// As [`EntryWriter::write`], after what compaction makes of the event. Each
    /// entry, be it more than one, is followed by a call of `next`.
    pub fn write_compacted(
        &mut self,
        out: &mut Vec<u8>,
        event: &Event<'_>,
        fate: &Fate<'_>,
        next: &mut impl FnMut(&mut Vec<u8>),
    ) {
        let (shows, change) = match (fate, self.view) {
            (Fate::Drop, _) => return,
            (Fate::Summary(text), _) => {
                for fields in [
                    ("turn_start", None),
                    ("chat_request", Some(("content", SUMMARY_REQUEST))),
                    ("chat_response", Some(("message", &text.decode()))),
                ] {
                    injected(out, event, fields);
                    next(out);
                }
                return;
            }
            (Fate::Keep, _) => {
                if self.write(out, event) {
                    next(out);
                }
                return;
            }
            (Fate::StripArguments, view) => {
                let user = matches!(view, View::User { .. });
                (!user, Change::EmptyArguments)
            }
            (Fate::StripContent(text), View::Raw | View::Assistant | View::Both) => {
                (true, Change::Status(text))
            }
            (Fate::StripContent(text), View::User { addressed_only }) => {
                // What was said to the user was said: compaction shortens what the
                // model reads.
                match user::share(event, true) {
                    Share::Nothing => (!addressed_only, Change::Status(text)),
                    _ => (true, Change::Reduce(Keep::NamedUser)),
                }
            }
        };
        if shows {
            self.entry(out, event, &change);
            next(out);
        }
    }

    fn entry(&mut self, out: &mut Vec<u8>, event: &Event<'_>, change: &Change<'_>) {
        let encoded = match event.kind() {
            kind if !kind.is_conversation() => "",
            EventKind::ToolCallRequest => "arguments",
            EventKind::ToolCallResponse => "content",
            _ => "metadata",
        };
        if encoded.is_empty() {
            write::compact(out, event.raw());
            return;
        }
        out.push(b'{');
        // The same result once more, without audiences: it goes with what is withheld.
        let without = match change {
            Change::Reduce(keep) if withholds(event, *keep) => "structuredContent",
            Change::Status(_) => "structuredContent",
            Change::NoReasoning => "reasoning",
            _ => "",
        };
        // Of duplicates the last counts, but a shadowed text is no less a text.
        let counts = |value: Raw<'_>| match change {
            Change::NoReasoning => {
                value.kind() == Kind::String || event.text("reasoning").is_some()
            }
            _ => true,
        };
        let mut first = true;
        for &(key, value) in event.fields() {
            if !without.is_empty() && key.is(without) && counts(value) {
                continue;
            }
            if !first {
                out.push(b',');
            }
            first = false;
            out.push(b'"');
            out.extend_from_slice(key.escaped());
            out.extend_from_slice(b"\":");
            if key.is("metadata") {
                self.decoder.write_leaves(out, value, self.to);
            } else if key.is(encoded) {
                self.field(out, value, change);
            } else {
                write::compact(out, value);
            }
        }
        if let Change::Status(text) = change
            && event.get("content").is_none()
        {
            write::key(out, "content");
            status_block(out, text);
        }
        out.push(b'}');
    }

    /// The `arguments` or `content` of a tool entry; each of duplicates alike.
    fn field(&mut self, out: &mut Vec<u8>, value: Raw<'_>, change: &Change<'_>) {
        match (change, value.kind()) {
            (Change::EmptyArguments, _) => out.extend_from_slice(b"{}"),
            // `null` is read as an empty array of blocks (D-5).
            (Change::Status(text), Kind::Array | Kind::Null) => {
                status_block(out, text);
            }
            (Change::Status(text), _) => {
                let mut quoted = Vec::new();
                write::string(&mut quoted, text);
                if let Some(text) = Raw::checked(&quoted).as_text() {
                    let mut encoder = Decoder::new(Encoding::Plain, false);
                    encoder.write_string(out, text, self.to);
                }
            }
            (Change::Reduce(keep), Kind::Array) => {
                out.push(b'[');
                let blocks = value.as_array().into_iter().flatten();
                let mut first = true;
                for block in blocks.filter(|&b| keep.keeps(b)) {
                    if !first {
                        out.push(b',');
                    }
                    first = false;
                    write::compact(out, block);
                }
                out.push(b']');
            }
            (_, Kind::Object) => self.decoder.write_leaves(out, value, self.to),
            (_, Kind::String) => match value.as_text() {
                Some(text) => self.decoder.write_string(out, text, self.to),
                None => write::compact(out, value),
            },
            _ => write::compact(out, value),
        }
    }
}

/// Whether a response has a block that the view leaves out.
fn withholds(event: &Event<'_>, keep: Keep) -> bool {
    if event.get("structuredContent").is_none() {
        return false;
    }
    let contents = event.fields().iter().filter(|(key, _)| key.is("content"));
    contents
        .filter_map(|(_, value)| value.as_array())
        .flatten()
        .any(|block| !keep.keeps(block))
}

/// What is done to an entry's encoded field besides its encoding.
enum Change<'a> {
    None,
    NoReasoning,
    Reduce(Keep),
    EmptyArguments,
    Status(&'a str),
}

/// The one block that compaction leaves of a result in block form (D-17).
fn status_block(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(b"[{\"type\":\"text\",\"text\":");
    write::string(out, text);
    out.extend_from_slice(b"}]");
}

/// An entry that stands in for a compacted run, with the run's first timestamp.
fn injected(
    out: &mut Vec<u8>,
    event: &Event<'_>,
    (tag, field): (&str, Option<(&str, &str)>),
) {
    out.push(b'{');
    write::key(out, "type");
    write::string(out, tag);
    if let Some(timestamp) = event.text("timestamp").map(Text::escaped) {
        write::key(out, "timestamp");
        out.push(b'"');
        out.extend_from_slice(timestamp);
        out.push(b'"');
    }
    if let Some((key, value)) = field {
        write::key(out, key);
        write::string(out, value);
    }
    out.push(b'}');
}
