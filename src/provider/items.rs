//! A thread as JSON, in nobody's dialect (`place-directives --items`).
//!
//! Stored entries come as they are, decoded; what repair or compaction put in is
//! written as it would be stored.

use crate::block::{Decoder, Encoding};
use crate::directive::{Directive, ToolChange};
use crate::event::Event;
use crate::json::write;
use crate::thread::item::INTERRUPTED;
use crate::thread::{Item, Part, Payload, ResultContent, Thread, Words};
use crate::view::{EntryWriter, View};

/// Appends `{"prelude","items","attachments"}`.
pub(super) fn write(
    out: &mut Vec<u8>,
    thread: &Thread<'_>,
    events: &[Event<'_>],
    decoder: Decoder,
) {
    let mut entries = EntryWriter::new(View::Raw, decoder, Encoding::Plain);
    out.extend_from_slice(b"{\"prelude\":[");
    for (index, (_, text)) in thread.prelude.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        out.push(b'"');
        out.extend_from_slice(text);
        out.push(b'"');
    }
    out.extend_from_slice(b"],\"items\":[");
    let placed = thread.placed.as_ref();
    let directives = placed.map_or(&[][..], |placed| &placed.directives);
    let mut directives = directives.iter().peekable();
    let efforts = placed.and_then(|placed| placed.efforts.as_ref());
    let efforts = efforts.map_or(&[][..], |efforts| &efforts.said);
    let mut efforts = efforts.iter().peekable();
    for (index, item) in thread.items.iter().enumerate() {
        while let Some((_, directive)) = directives.next_if(|(at, _)| *at <= index) {
            self::directive(out, directive);
        }
        while let Some((_, level)) = efforts.next_if(|(at, _)| *at <= index) {
            comma(out);
            out.extend_from_slice(b"{\"effort\":");
            write::string(out, level);
            out.push(b'}');
        }
        comma(out);
        out.extend_from_slice(b"{\"event\":");
        match (&item.part, events.get(item.index)) {
            (
                Part::Request(Words::Text(_))
                | Part::Message(Words::Text(_))
                | Part::Reasoning(_)
                | Part::Structured(_)
                | Part::Call { .. }
                | Part::Result {
                    content: ResultContent::Stored(_),
                    ..
                },
                Some(event),
            ) => {
                entries.write(out, event);
            }
            _ => put_in(out, item),
        }
        out.push(b'}');
    }
    for (_, directive) in directives {
        self::directive(out, directive);
    }
    out.extend_from_slice(b"],\"attachments\":[");
    for one in thread.attachments.iter() {
        comma(out);
        out.extend_from_slice(b"{\"source\":");
        write::text(out, one.source);
        if let Some(description) = one.description {
            write::key(out, "description");
            write::text(out, description);
        }
        match one.payload {
            Payload::Text(text) => {
                write::key(out, "text");
                write::text(out, text);
            }
            Payload::Binary { media_type, data } => {
                write::key(out, "media_type");
                write::text(out, media_type);
                write::key(out, "data");
                write::text(out, data);
            }
        }
        out.push(b'}');
    }
    out.extend_from_slice(b"]}");
}

fn comma(out: &mut Vec<u8>) {
    if !out.ends_with(b"[") {
        out.push(b',');
    }
}

/// Appends an entry that was put in.
fn put_in(out: &mut Vec<u8>, item: &Item<'_>) {
    let entry = |out: &mut Vec<u8>, kind: &str, key: &str, words: &Words<'_>| {
        out.extend_from_slice(b"{\"type\":");
        write::string(out, kind);
        write::key(out, key);
        words.write(out);
        out.push(b'}');
    };
    match &item.part {
        Part::Request(words) => entry(out, "chat_request", "content", words),
        Part::Message(words) => entry(out, "chat_response", "message", words),
        Part::Result {
            id,
            is_error,
            content,
            ..
        } => {
            out.extend_from_slice(b"{\"type\":\"tool_call_response\",\"id\":");
            write::string(out, id);
            write::key(out, "content");
            write::string(
                out,
                match content {
                    ResultContent::Status(line) => line,
                    _ => INTERRUPTED,
                },
            );
            write::key(out, "is_error");
            out.extend_from_slice(if *is_error { b"true}" } else { b"false}" });
        }
        Part::Reasoning(_) | Part::Structured(_) | Part::Call { .. } => {
            out.extend_from_slice(b"{}");
        }
    }
}

fn directive(out: &mut Vec<u8>, directive: &Directive) {
    comma(out);
    out.extend_from_slice(b"{\"directive\":[");
    for text in &directive.texts {
        comma(out);
        out.extend_from_slice(b"{\"type\":\"text\",\"text\":\"");
        out.extend_from_slice(text);
        out.extend_from_slice(b"\"}");
    }
    if let Some(text) = &directive.scoped {
        comma(out);
        out.extend_from_slice(b"{\"type\":\"text\",\"text\":\"");
        out.extend_from_slice(text);
        out.extend_from_slice(b"\",\"clear_at\":\"next_user_message\"}");
    }
    for change in &directive.changes {
        comma(out);
        let kind = match change {
            ToolChange::Addition { .. } => "tool_addition",
            ToolChange::Removal { .. } => "tool_removal",
        };
        out.extend_from_slice(b"{\"type\":");
        write::string(out, kind);
        write::key(out, "name");
        write::string(out, change.name());
        if let ToolChange::Addition {
            definition: Some(definition),
            ..
        } = change
        {
            write::key(out, "definition");
            out.extend_from_slice(definition);
        }
        out.push(b'}');
    }
    out.extend_from_slice(b"]}");
}
