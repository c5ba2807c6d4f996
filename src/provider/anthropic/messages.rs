//! Messages and their blocks.

use super::documents::documents;
use super::settings::{Mark, Settings};
use super::{Native, mark, native};
use crate::block::{Decoder, Encoding};
use crate::config::Mode;
use crate::directive::{Directive, ToolChange};
use crate::error::Diagnostic;
use crate::json::{Text, write};
use crate::provider::pictures::Pictures;
use crate::provider::request::Request;
use crate::thread::item::INTERRUPTED;
use crate::thread::{Attachment, Item, Part, Payload, ResultContent, Side, Words};
use crate::view::provider::{Piece, write_result};

/// What the user says where an answer that broke off is to be gone on with.
const CONTINUE: &str = "Continue your response exactly from where you left off. Do not \
                        repeat content you already produced.";

/// Appends the array of messages.
pub(super) fn write(
    out: &mut Vec<u8>,
    request: &Request<'_, '_>,
    settings: &Settings<'_>,
    decoder: &mut Decoder,
    told: &mut Vec<Diagnostic>,
) {
    let items = &request.thread.items;
    let jp = request.rules.mode == Mode::Jp;
    let is_sent = |item: &&Item<'_>| match &item.part {
        Part::Request(words) => !words.is_empty(),
        _ => true,
    };
    // Where the last message begins, if the assistant has the last word.
    let trailing = items.iter().rev().filter(is_sent);
    let trailing = trailing
        .take_while(|item| item.part.side() == Side::Assistant)
        .count();
    let first_of_last = items.iter().filter(is_sent).count() - trailing;
    let mut writer = Writer {
        out,
        decoder,
        told,
        pictures: Pictures::of(request),
        open: None,
        behind: false,
    };
    let mut attached = false;
    let placed = request.thread.placed.as_ref();
    let directives = placed.map_or(&[][..], |placed| &placed.directives);
    let mut directives = directives.iter().peekable();
    let ends = &settings.marks;
    let efforts = placed.and_then(|placed| placed.efforts.as_ref());
    let efforts = efforts.map_or(&[][..], |efforts| &efforts.said);
    let mut efforts = efforts.iter().peekable();
    writer.out.push(b'[');
    let sent = items.iter().enumerate().filter(|(_, item)| is_sent(item));
    for (place, (index, item)) in sent.enumerate() {
        while let Some((at, directive)) = directives.next_if(|(at, _)| *at <= index) {
            writer.directive(directive, ends.mark_at(*at));
        }
        while let Some((_, level)) = efforts.next_if(|(at, _)| *at <= index) {
            writer.effort(level);
        }
        let side = item.part.side();
        let mark = settings.marks.item.filter(|(at, _)| *at == index);
        let said = directives.peek();
        let said = said.filter(|(at, one)| *at == index + 1 && one.says());
        let end = ends.mark_at(index + 1).filter(|_| said.is_none());
        let native = native(item);
        let last = jp && place >= first_of_last;
        if last
            && matches!(
                (&item.part, &native),
                (Part::Reasoning(_), Some(Native::Redacted(_)))
            )
        {
            writer.side(side);
            continue;
        }
        writer.side(side);
        if side == Side::User && !attached {
            attached = true;
            for (document, mark) in marked(request, settings) {
                writer.document(&document, mark);
            }
        }
        writer.block(
            item,
            native.as_ref().filter(|_| !last),
            mark.map(|(_, mark)| mark).or(end),
        );
    }
    for (at, directive) in directives {
        writer.directive(directive, ends.mark_at(*at));
    }
    if jp && trailing > 0 && !request.model.prefills() {
        writer.side(Side::User);
        writer.text(&Words::Str(CONTINUE.into()), None);
    }
    writer.close();
    writer.out.push(b']');
}

fn marked<'r>(
    request: &'r Request<'_, '_>,
    settings: &Settings<'_>,
) -> Vec<(Attachment<'r>, Option<Mark>)> {
    let mut list: Vec<_> = documents(request).map(|one| (one, None)).collect();
    if let Some((_, mark)) = list.last_mut() {
        *mark = settings.marks.documents;
    }
    list
}

struct Writer<'w> {
    out: &'w mut Vec<u8>,
    decoder: &'w mut Decoder,
    told: &'w mut Vec<Diagnostic>,
    pictures: Pictures,
    open: Option<Side>,
    /// Whether a directive is the last thing written.
    behind: bool,
}

impl Writer<'_> {
    /// Opens a message of that side, unless one is open.
    fn side(&mut self, side: Side) {
        if self.open == Some(side) {
            return;
        }
        if self.open.is_some() {
            self.close();
            self.out.push(b',');
        } else if std::mem::take(&mut self.behind) {
            self.out.push(b',');
        }
        self.open = Some(side);
        self.out.extend_from_slice(match side {
            Side::User => b"{\"role\":\"user\",\"content\":[",
            Side::Assistant => b"{\"role\":\"assistant\",\"content\":[",
        });
    }

    fn close(&mut self) {
        if self.open.take().is_some() {
            self.out.extend_from_slice(b"]}");
        }
    }

    fn start(&mut self, head: &[u8]) {
        if !self.out.ends_with(b"[") {
            self.out.push(b',');
        }
        self.out.extend_from_slice(head);
    }

    fn end(&mut self, mark: Option<Mark>) {
        self::mark(self.out, mark);
        self.out.push(b'}');
    }

    fn block(
        &mut self,
        item: &Item<'_>,
        native: Option<&Native<'_>>,
        mark: Option<Mark>,
    ) {
        match &item.part {
            Part::Request(words) | Part::Message(words) => self.text(words, mark),
            Part::Reasoning(text) => self.reasoning(*text, native, mark),
            Part::Structured(value) => {
                let mut data = Vec::new();
                write::compact(&mut data, *value);
                let data = String::from_utf8_lossy(&data);
                self.text(&Words::Str(data), mark);
            }
            Part::Call {
                id,
                name,
                arguments,
            } => {
                self.start(b"{\"type\":\"tool_use\",\"id\":");
                write::string(self.out, id);
                write::key(self.out, "input");
                match arguments {
                    Some(value) => {
                        self.decoder.write_leaves(self.out, *value, Encoding::Plain);
                    }
                    None => self.out.extend_from_slice(b"{}"),
                }
                write::key(self.out, "name");
                write::text(self.out, *name);
                self.end(mark);
            }
            Part::Result {
                id,
                is_error,
                content,
                ..
            } => {
                self.start(b"{\"type\":\"tool_result\",\"tool_use_id\":");
                write::string(self.out, id);
                write::key(self.out, "content");
                let pieces = self.pictures.pieces(item, self.told);
                if let Some(pieces) = pieces {
                    self.pieces(pieces);
                    self.out.extend_from_slice(b",\"is_error\":false");
                    self.end(mark);
                    return;
                }
                self.out.push(b'"');
                match content {
                    ResultContent::Stored(content) => write_result(
                        self.out,
                        *content,
                        *is_error,
                        item.index,
                        self.decoder,
                        self.told,
                    ),
                    ResultContent::Status(line) => write::escaped(self.out, line),
                    ResultContent::Interrupted => {
                        self.out.extend_from_slice(INTERRUPTED.as_bytes());
                    }
                }
                self.out.extend_from_slice(match is_error {
                    true => b"\",\"is_error\":true",
                    false => b"\",\"is_error\":false",
                });
                self.end(mark);
            }
        }
    }

    /// The content of a result with pictures.
    fn pieces(&mut self, pieces: Vec<Piece<'_>>) {
        self.out.push(b'[');
        for piece in pieces {
            match piece {
                Piece::Text(text) => self.system(&text, None),
                Piece::Picture { media_type, data } => {
                    self.start(
                        b"{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"data\":",
                    );
                    write::text(self.out, data);
                    write::key(self.out, "media_type");
                    write::string(self.out, media_type);
                    self.out.extend_from_slice(b"}}");
                }
            }
        }
        self.out.push(b']');
    }

    /// A system message of its own; `mark` is put on its last block.
    fn directive(&mut self, directive: &Directive, mark: Option<Mark>) {
        if self.open.is_some() {
            self.close();
            self.out.push(b',');
        }
        let head = b"{\"role\":\"system\",\"content\":[";
        let said = directive.says();
        if said {
            self.out.extend_from_slice(head);
            let mut left = directive.texts.len() + directive.changes.len();
            let mut mark = || {
                left -= 1;
                mark.filter(|_| left == 0)
            };
            for text in &directive.texts {
                self.system(text, mark());
            }
            for change in &directive.changes {
                self.change(change, mark());
            }
            self.out.extend_from_slice(b"]}");
        }
        if let Some(text) = &directive.scoped {
            if said {
                self.out.push(b',');
            }
            self.out.extend_from_slice(head);
            self.system(text, None);
            self.out
                .extend_from_slice(b"],\"clear_at\":\"next_user_message\"}");
        }
        self.behind = true;
    }

    /// A system message that says nothing but how much to think.
    fn effort(&mut self, level: &str) {
        if self.open.is_some() {
            self.close();
            self.out.push(b',');
        }
        let head =
            b"{\"role\":\"system\",\"content\":[],\"output_config\":{\"effort\":";
        self.out.extend_from_slice(head);
        write::string(self.out, level);
        self.out.extend_from_slice(b"}}");
        self.behind = true;
    }

    fn system(&mut self, text: &[u8], mark: Option<Mark>) {
        self.start(b"{\"type\":\"text\",\"text\":\"");
        self.out.extend_from_slice(text);
        self.out.push(b'"');
        self.end(mark);
    }

    fn change(&mut self, change: &ToolChange, mark: Option<Mark>) {
        self.start(match change {
            ToolChange::Addition { .. } => b"{\"type\":\"tool_addition\",\"tool\":",
            ToolChange::Removal { .. } => b"{\"type\":\"tool_removal\",\"tool\":",
        });
        if let ToolChange::Addition {
            definition: Some(definition),
            ..
        } = change
        {
            self.out
                .extend_from_slice(b"{\"type\":\"tool_definition\",\"definition\":");
            self.out.extend_from_slice(definition);
        } else {
            self.out
                .extend_from_slice(b"{\"type\":\"tool_reference\",\"name\":");
            write::string(self.out, change.name());
        }
        self.out.push(b'}');
        self.end(mark);
    }

    fn text(&mut self, words: &Words<'_>, mark: Option<Mark>) {
        self.start(b"{\"type\":\"text\",\"text\":");
        words.write(self.out);
        self.end(mark);
    }

    fn reasoning(
        &mut self,
        text: Text<'_>,
        native: Option<&Native<'_>>,
        mark: Option<Mark>,
    ) {
        match native {
            Some(Native::Signed(signature)) => {
                self.start(b"{\"type\":\"thinking\",\"thinking\":");
                write::text(self.out, text);
                self.out.extend_from_slice(b",\"signature\":\"");
                self.decoder.write_plain(self.out, *signature);
                self.out.push(b'"');
                self.end(None);
            }
            Some(Native::Redacted(data)) => {
                self.start(b"{\"type\":\"redacted_thinking\",\"data\":\"");
                self.decoder.write_plain(self.out, *data);
                self.out.push(b'"');
                self.end(None);
            }
            None => {
                self.start(b"{\"type\":\"text\",\"text\":\"<think>\\n");
                self.out.extend_from_slice(&write::canonical(text));
                self.out.extend_from_slice(b"\\n</think>\\n\\n\"");
                self.end(mark);
            }
        }
    }

    fn document(&mut self, one: &Attachment<'_>, mark: Option<Mark>) {
        self.start(b"{\"type\":\"document\",\"source\":");
        let out = &mut *self.out;
        match one.payload {
            Payload::Text(text) => {
                out.extend_from_slice(b"{\"type\":\"text\",\"data\":");
                write::text(out, text);
                out.extend_from_slice(b",\"media_type\":\"text/plain\"}");
            }
            Payload::Binary { media_type, data } => {
                let picture = !media_type.is("application/pdf");
                if picture {
                    out.extend_from_slice(
                        b"{\"type\":\"content\",\"content\":[{\"type\":\"image\",\"source\":",
                    );
                }
                out.extend_from_slice(b"{\"type\":\"base64\",\"data\":");
                write::text(out, data);
                write::key(out, "media_type");
                write::text(out, media_type);
                out.push(b'}');
                if picture {
                    out.extend_from_slice(b"}]}");
                }
            }
        }
        write::key(out, "title");
        write::text(out, one.source);
        if let Some(description) = one.description {
            write::key(out, "context");
            write::text(out, description);
        }
        self.end(mark);
    }
}
