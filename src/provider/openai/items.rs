//! The items of `input`: one for each entry, none joined.

use super::settings::Settings;
use crate::block::Decoder;
use crate::config::escaped::is_blank;
use crate::config::{CachePolicy, Mode};
use crate::error::{Diagnostic, Position};
use crate::json::{Text, write};
use crate::provider::pictures::Pictures;
use crate::provider::request::Request;
use crate::provider::{attach, content};
use crate::thread::{Item, Part, Side};
use crate::view::provider::Piece;

/// Metadata: the id of a reasoning or message item.
pub(super) const ID: &str = "openai_item_id";
/// Metadata: reasoning that only the vendor can read.
pub(super) const ENCRYPTED: &str = "openai_encrypted_content";
const PHASE: &str = "openai_phase";

const BREAKPOINT: &[u8] = b",\"prompt_cache_breakpoint\":{\"mode\":\"explicit\"}";

/// Appends the array of items.
pub(super) fn write(
    out: &mut Vec<u8>,
    request: &Request<'_, '_>,
    settings: &Settings<'_>,
    decoder: &mut Decoder,
    told: &mut Vec<Diagnostic>,
) {
    let marked = settings.caches_by_marks && request.cache() != CachePolicy::Off;
    system(out, request, marked);
    attached(out, request, marked, told);
    let items = &request.thread.items;
    let mut writer = Writer {
        out,
        mode: request.rules.mode,
        pictures: Pictures::of(request),
        stripped: &request.thread.stripped,
        lost: false,
        decoder,
        told,
    };
    for (index, item) in items.iter().enumerate() {
        let next = items.get(index + 1);
        let is_followed = next.is_some_and(|n| n.part.side() == Side::Assistant);
        writer.item(item, is_followed);
    }
    writer.out.push(b']');
}

fn system(out: &mut Vec<u8>, request: &Request<'_, '_>, marked: bool) {
    let prelude = &request.thread.prelude;
    out.extend_from_slice(b"[{\"type\":\"message\",\"role\":\"system\",\"content\":[");
    for (index, (_, text)) in prelude.iter().enumerate() {
        part(out);
        out.extend_from_slice(text);
        out.push(b'"');
        if marked && index + 1 == prelude.len() {
            out.extend_from_slice(BREAKPOINT);
        }
        out.push(b'}');
    }
    out.extend_from_slice(b"]}");
}

/// Opens a text part up to its text.
fn part(out: &mut Vec<u8>) {
    if !out.ends_with(b"[") {
        out.push(b',');
    }
    out.extend_from_slice(b"{\"type\":\"input_text\",\"text\":\"");
}

/// A message of the user's with all attachments. `Mode::Jp` leaves the label of a
/// file behind that the API does not take.
fn attached(
    out: &mut Vec<u8>,
    request: &Request<'_, '_>,
    marked: bool,
    told: &mut Vec<Diagnostic>,
) {
    let all = &request.thread.attachments;
    let jp = request.rules.mode == Mode::Jp;
    let start = out.len();
    out.extend_from_slice(b",{\"type\":\"message\",\"role\":\"user\",\"content\":[");
    let empty = out.len();
    let mut xml = Vec::new();
    if attach::documents(&mut xml, all) {
        part(out);
        out.append(&mut xml);
        out.extend_from_slice(b"\"}");
    }
    for (one, media_type, data) in attach::binaries(all) {
        let is_pdf = media_type.is("application/pdf");
        let is_picture = attach::PICTURES.contains(&&*media_type.decode());
        if !is_pdf && !is_picture {
            attach::left_out(one, media_type, told);
            if !jp {
                continue;
            }
        }
        part(out);
        attach::label(out, one);
        out.extend_from_slice(b"\"}");
        if is_picture {
            out.extend_from_slice(
                b",{\"type\":\"input_image\",\"detail\":\"auto\",\"file_id\":null,\
                  \"image_url\":",
            );
            attach::data_uri(out, media_type, data);
            out.push(b'}');
        } else if is_pdf {
            out.extend_from_slice(b",{\"type\":\"input_file\",\"file_data\":");
            attach::data_uri(out, media_type, data);
            write::key(out, "filename");
            write::text(out, one.source);
            out.push(b'}');
        }
    }
    if out.len() == empty {
        out.truncate(start);
        return;
    }
    if marked {
        out.pop();
        out.extend_from_slice(BREAKPOINT);
        out.push(b'}');
    }
    out.extend_from_slice(b"]}");
}

struct Writer<'w> {
    out: &'w mut Vec<u8>,
    mode: Mode,
    pictures: Pictures,
    /// Reasoning that compaction took out, from here on.
    stripped: &'w [usize],
    /// Reasoning of this run of the assistant does not go as an item: messages
    /// behind it must not name theirs, for the API would ask for it.
    lost: bool,
    decoder: &'w mut Decoder,
    told: &'w mut Vec<Diagnostic>,
}

impl Writer<'_> {
    fn item(&mut self, item: &Item<'_>, is_followed: bool) {
        while let [first, rest @ ..] = self.stripped
            && *first < item.index
        {
            self.stripped = rest;
            self.lost = true;
        }
        if item.part.side() == Side::User {
            self.lost = false;
        }
        match &item.part {
            Part::Request(_) => {
                self.message("user");
                content::words(self.out, &item.part);
                self.out.extend_from_slice(b"\"}");
            }
            Part::Reasoning(text) => self.reasoning(item, *text, is_followed),
            Part::Message(_) => self.answer(item),
            Part::Structured(_) => {
                self.message("assistant");
                content::words(self.out, &item.part);
                self.out.push(b'"');
                self.phase(item);
                self.out.push(b'}');
            }
            Part::Call {
                id,
                name,
                arguments,
            } => {
                let out = &mut *self.out;
                out.extend_from_slice(b",{\"type\":\"function_call\",\"arguments\":");
                content::arguments_string(out, *arguments, self.decoder);
                write::key(out, "call_id");
                write::string(out, id);
                out.extend_from_slice(b",\"id\":null,\"name\":");
                write::text(out, *name);
                out.extend_from_slice(b",\"status\":null}");
            }
            Part::Result { id, .. } => {
                self.out.extend_from_slice(
                    b",{\"type\":\"function_call_output\",\"id\":null,\"status\":null,\
                      \"call_id\":",
                );
                write::string(self.out, id);
                let pieces = self.pictures.pieces(item, self.told);
                if let Some(pieces) = pieces {
                    self.pieces(pieces);
                    return;
                }
                self.out.extend_from_slice(b",\"output\":\"");
                content::flagless_result(
                    self.out,
                    item,
                    self.mode,
                    self.decoder,
                    self.told,
                );
                self.out.extend_from_slice(b"\"}");
            }
        }
    }

    /// The output of a call with pictures.
    fn pieces(&mut self, pieces: Vec<Piece<'_>>) {
        self.out.extend_from_slice(b",\"output\":[");
        for piece in pieces {
            match piece {
                Piece::Text(text) => {
                    part(self.out);
                    self.out.extend_from_slice(&text);
                    self.out.extend_from_slice(b"\"}");
                }
                Piece::Picture { media_type, data } => {
                    if !self.out.ends_with(b"[") {
                        self.out.push(b',');
                    }
                    self.out.extend_from_slice(
                        b"{\"type\":\"input_image\",\"detail\":\"auto\",\"image_url\":",
                    );
                    attach::data_url(self.out, media_type.as_bytes(), data);
                    self.out.push(b'}');
                }
            }
        }
        self.out.extend_from_slice(b"]}");
    }

    /// Opens a message up to its text.
    fn message(&mut self, role: &str) {
        self.out
            .extend_from_slice(b",{\"type\":\"message\",\"role\":");
        write::string(self.out, role);
        self.out.extend_from_slice(b",\"content\":\"");
    }

    fn stored(&mut self, text: Text<'_>) {
        self.out.push(b'"');
        self.decoder.write_plain(self.out, text);
        self.out.push(b'"');
    }

    /// What an answer was for, where its metadata say so.
    fn phase(&mut self, item: &Item<'_>) {
        if let Some(phase) = content::metadata(item, PHASE) {
            let phase = self.decoder.text(phase);
            if ["commentary", "final_answer"].contains(&&*phase) {
                write::key(self.out, "phase");
                write::string(self.out, &phase);
            }
        }
    }

    fn answer(&mut self, item: &Item<'_>) {
        let id = content::metadata(item, ID).filter(|_| !self.lost);
        match id {
            Some(id) => {
                self.out.extend_from_slice(
                    b",{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\
                      \"text\":\"",
                );
                content::words(self.out, &item.part);
                self.out
                    .extend_from_slice(b"\",\"annotations\":[]}],\"id\":");
                self.stored(id);
                self.out.extend_from_slice(
                    b",\"role\":\"assistant\",\"status\":\"completed\"",
                );
            }
            None => {
                self.message("assistant");
                content::words(self.out, &item.part);
                self.out.push(b'"');
            }
        }
        self.phase(item);
        self.out.push(b'}');
    }

    /// The API keeps nothing, so reasoning comes back whole or not at all: it needs
    /// its encrypted content and the item it led to. What lacks either is text.
    fn reasoning(&mut self, item: &Item<'_>, text: Text<'_>, is_followed: bool) {
        let encrypted = content::metadata(item, ENCRYPTED);
        let id = content::metadata(item, ID);
        let whole = encrypted.is_some() && is_followed;
        // Codex sends its reasoning back without an id (`protocol/src/models.rs` of
        // github.com/openai/codex), and its rollouts have none.
        let anonymous = whole && id.is_none() && self.mode == Mode::Convo;
        if !anonymous && id.is_none_or(|_| self.mode == Mode::Convo && !whole) {
            self.as_text(item, text, id.is_some());
            return;
        }
        self.out.extend_from_slice(b",{\"type\":\"reasoning\"");
        if let Some(id) = id {
            write::key(self.out, "id");
            self.stored(id);
        }
        write::key(self.out, "summary");
        self.out.push(b'[');
        if !(anonymous && is_blank(text)) {
            self.out
                .extend_from_slice(b"{\"type\":\"summary_text\",\"text\":");
            write::text(self.out, text);
            self.out.push(b'}');
        }
        self.out.extend_from_slice(b"],\"encrypted_content\":");
        match encrypted {
            Some(encrypted) => self.stored(encrypted),
            None => self.out.extend_from_slice(b"null"),
        }
        self.out.push(b'}');
    }

    fn as_text(&mut self, item: &Item<'_>, text: Text<'_>, was_item: bool) {
        if was_item {
            self.lost = true;
            self.told.push(Diagnostic {
                position: Position {
                    event: Some(item.index),
                    ..Position::default()
                },
                ..Diagnostic::warning(
                    "reasoning-as-text",
                    "reasoning is sent as text: its encrypted content, or the item it \
                     led to, is missing",
                )
            });
            if is_blank(text) {
                return;
            }
        }
        if self.mode == Mode::Convo && !was_item {
            self.told.push(Diagnostic::note(
                "reasoning-as-text",
                "reasoning that is no item of this vendor's is sent as text",
            ));
        }
        self.message("assistant");
        content::wrapped(self.out, text);
        self.out.push(b'"');
        self.phase(item);
        self.out.push(b'}');
    }
}
