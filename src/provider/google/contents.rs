//! The turns: adjacent entries of one side are parts of one content.

use crate::block::Decoder;
use crate::config::Mode;
use crate::error::{Diagnostic, Position};
use crate::json::{Text, write};
use crate::model::Support;
use crate::provider::pictures::Pictures;
use crate::provider::request::Request;
use crate::provider::{Provider, attach, content};
use crate::thread::{Item, Part, Side};
use crate::view::provider::Piece;
use std::collections::HashSet;

/// Metadata: what signs a part.
pub(super) const SIGNATURE: &str = "google_thought_signature";
/// What passes for the signature of a call that another vendor's model made.
const UNSIGNED: &str = "skip_thought_signature_validator";

/// Appends `contents`, unless there is none.
pub(super) fn write(
    out: &mut Vec<u8>,
    request: &Request<'_, '_>,
    decoder: &mut Decoder,
    told: &mut Vec<Diagnostic>,
) {
    let thread = request.thread;
    if thread.items.is_empty() && thread.attachments.is_empty() {
        return;
    }
    write::key(out, "contents");
    out.push(b'[');
    attached(out, request);
    let mut writer = Writer {
        out,
        mode: request.rules.mode,
        pictures: Pictures::of(request),
        checks: request.model.signed_calls.is_none_or(Support::taken),
        calls: false,
        open: None,
        answered: HashSet::new(),
        decoder,
        told,
    };
    for item in &thread.items {
        writer.side(item.part.side());
        writer.part(item);
    }
    writer.close();
    writer.out.push(b']');
}

/// A content of its own, also where the user's first one follows.
fn attached(out: &mut Vec<u8>, request: &Request<'_, '_>) {
    let all = &request.thread.attachments;
    if all.is_empty() {
        return;
    }
    out.extend_from_slice(b"{\"parts\":[");
    let mut xml = Vec::new();
    if attach::documents(&mut xml, all) {
        out.extend_from_slice(b"{\"text\":\"");
        out.append(&mut xml);
        out.extend_from_slice(b"\"}");
    }
    for (one, media_type, data) in attach::binaries(all) {
        if !out.ends_with(b"[") {
            out.push(b',');
        }
        out.extend_from_slice(b"{\"text\":\"");
        attach::label(out, one);
        out.extend_from_slice(b"\"},{\"inlineData\":{\"mimeType\":");
        write::text(out, media_type);
        write::key(out, "data");
        write::text(out, data);
        out.extend_from_slice(b"}}");
    }
    out.extend_from_slice(b"],\"role\":\"user\"}");
}

struct Writer<'w> {
    out: &'w mut Vec<u8>,
    mode: Mode,
    pictures: Pictures,
    /// The model refuses a step whose first call is not signed.
    checks: bool,
    /// The open content has a call.
    calls: bool,
    open: Option<Side>,
    /// Calls with a result, where that matters.
    answered: HashSet<String>,
    decoder: &'w mut Decoder,
    told: &'w mut Vec<Diagnostic>,
}

impl Writer<'_> {
    /// Opens a content of that side, unless one is open, and the next part.
    fn side(&mut self, side: Side) {
        if self.open == Some(side) {
            self.out.push(b',');
            return;
        }
        self.close();
        if !self.out.ends_with(b"[") {
            self.out.push(b',');
        }
        self.calls = false;
        self.open = Some(side);
        self.out.extend_from_slice(b"{\"parts\":[");
    }

    fn close(&mut self) {
        if let Some(side) = self.open.take() {
            self.out.extend_from_slice(match side {
                Side::User => b"],\"role\":\"user\"}".as_slice(),
                Side::Assistant => b"],\"role\":\"model\"}",
            });
        }
    }

    fn part(&mut self, item: &Item<'_>) {
        match &item.part {
            Part::Call {
                id,
                name,
                arguments,
            } => {
                self.out.extend_from_slice(b"{\"functionCall\":{\"id\":");
                write::string(self.out, id);
                write::key(self.out, "name");
                write::text(self.out, *name);
                write::key(self.out, "args");
                content::arguments(self.out, *arguments, self.decoder);
                self.out.push(b'}');
                self.call_signature(item);
                self.calls = true;
                if self.mode == Mode::Jp {
                    self.answered.remove(&**id);
                }
            }
            Part::Result {
                id, name, is_error, ..
            } => {
                self.out
                    .extend_from_slice(b"{\"functionResponse\":{\"id\":");
                write::string(self.out, id);
                write::key(self.out, "name");
                // JP forgets a call once it is answered.
                let is_again =
                    self.mode == Mode::Jp && !self.answered.insert(id.to_string());
                match name.filter(|_| !is_again) {
                    Some(name) => write::text(self.out, name),
                    None => self.out.extend_from_slice(b"\"\""),
                }
                // `error` is how the API's own convention tells a failure.
                let failed = *is_error && self.mode == Mode::Convo;
                self.out.extend_from_slice(match failed {
                    true => b",\"response\":{\"error\":\"".as_slice(),
                    false => b",\"response\":{\"content\":\"",
                });
                content::result(self.out, item, self.decoder, self.told);
                self.out.extend_from_slice(b"\"}");
                let pieces = self.pictures.beside(item, self.told);
                self.pieces(pieces);
                self.out.push(b'}');
                // Only JP puts back a signature that came to stand on a result.
                if self.mode == Mode::Jp
                    && let Some(signature) = content::metadata(item, SIGNATURE)
                {
                    self.signature(signature);
                }
            }
            part => {
                self.out.extend_from_slice(match part {
                    Part::Reasoning(_) => b"{\"thought\":true,\"text\":\"".as_slice(),
                    _ => b"{\"text\":\"",
                });
                content::words(self.out, part);
                self.out.push(b'"');
                let foreign = item.owner.is_some_and(|one| one != Provider::Google);
                if foreign
                    && self.mode == Mode::Convo
                    && matches!(part, Part::Reasoning(_))
                {
                    self.told.push(Diagnostic::note(
                        "reasoning-unsigned",
                        "reasoning of another vendor's model is sent as a thought \
                         without a signature",
                    ));
                }
                if let Some(signature) = content::metadata(item, SIGNATURE) {
                    self.signature(signature);
                }
            }
        }
        self.out.push(b'}');
    }

    /// Pictures beside the response, in which a line stands for each.
    fn pieces(&mut self, pieces: Vec<Piece<'_>>) {
        let mut open = false;
        for piece in pieces {
            let Piece::Picture { media_type, data } = piece else {
                continue;
            };
            self.out.extend_from_slice(match open {
                true => b",".as_slice(),
                false => b",\"parts\":[",
            });
            open = true;
            self.out
                .extend_from_slice(b"{\"inlineData\":{\"mimeType\":");
            write::string(self.out, media_type);
            write::key(self.out, "data");
            write::text(self.out, data);
            self.out.extend_from_slice(b"}}");
        }
        if open {
            self.out.push(b']');
        }
    }

    fn signature(&mut self, signature: Text<'_>) {
        write::key(self.out, "thoughtSignature");
        self.out.push(b'"');
        self.decoder.write_plain(self.out, signature);
        self.out.push(b'"');
    }

    /// The first call of a step must be signed; `Mode::Jp` puts something in for
    /// each that is not.
    fn call_signature(&mut self, item: &Item<'_>) {
        if let Some(signature) = content::metadata(item, SIGNATURE) {
            self.signature(signature);
            return;
        }
        if self.calls && self.mode == Mode::Convo {
            return;
        }
        write::key(self.out, "thoughtSignature");
        write::string(self.out, UNSIGNED);
        if self.checks && self.mode == Mode::Convo {
            self.told.push(Diagnostic {
                position: Position {
                    event: Some(item.index),
                    ..Position::default()
                },
                ..Diagnostic::warning(
                    "call-unsigned",
                    format!(
                        "the call has no thought signature; `{UNSIGNED}` is sent in its \
                         place"
                    ),
                )
            });
        }
    }
}
