//! Tool calls and results (`docs/render.md#tools`).

use super::{Replay, Speaker};
use crate::block::{Audience, Block, BlockKind, Content, Encoding, Role as Reader};
use crate::block::{base64, fault};
use crate::config::Config;
use crate::event::Event;
use crate::json::{Raw, Text};
use crate::render::lines::Lines;
use crate::render::pieces::{Channel, Pieces};
use crate::render::settings::{Preset, Told};
use crate::render::theme::Role;
use crate::render::tool::call::{self, Call};
use crate::render::tool::result;
use crate::render::tool::{Fate, Limits, ShowParameters, ToolStyle, display};

impl Replay<'_> {
    /// The style of a tool here, and whether its chrome is shown at all (TL-6).
    fn style(&mut self, name: &str, config: &Config<'_>) -> (ToolStyle, bool) {
        let mut wrong = Vec::new();
        let stored = config.tools().style(name);
        let mut style = ToolStyle::read(name, &stored, &mut wrong);
        let (_, show) = display(config.display(), &mut wrong);
        self.warn("config-value", wrong);
        match self.settings.preset {
            Some(Preset::Brief) => style.parameters = ShowParameters::Off,
            Some(Preset::Full) => style.parameters = ShowParameters::Json,
            _ => {}
        }
        (style, show && !style.hidden && self.shows_chrome())
    }

    pub(super) fn call(
        &mut self,
        event: &Event<'_>,
        config: &Config<'_>,
        pieces: &mut Pieces,
    ) {
        self.close(pieces);
        let name = event.text("name").map(Text::decode).unwrap_or_default();
        let id = event.text("id").map(Text::decode).unwrap_or_default();
        let (style, visible) = self.style(&name, config);
        let name = if self.in_view() {
            self.label(&name)
        } else {
            name.into_owned()
        };
        self.calls.add(&id, name.clone(), style, visible);
        if !visible || self.settings.told == Told::User {
            return;
        }
        let mut arguments = Vec::new();
        let object = event.get("arguments").unwrap_or(Raw::checked(b"{}"));
        self.decoder
            .write_leaves(&mut arguments, object, Encoding::Plain);
        let rendered = self.rendered(event, style);
        let call = Call {
            name: &name,
            arguments: &arguments,
            rendered: rendered.as_deref(),
        };
        let mut out = std::mem::take(&mut self.scratch);
        let body = call::write(
            &mut out,
            &call,
            style,
            &self.settings.chrome,
            self.settings.rules,
            &mut self.removed,
        );
        if !out.is_empty() {
            self.header(pieces, Speaker::Assistant, Some(config));
            self.layout.open_header(pieces, !body);
            pieces.write(Channel::Chrome, |to| to.extend_from_slice(&out));
        }
        out.clear();
        self.scratch = out;
    }

    /// The stored output of a formatter: base64 within the (decoded) metadata.
    fn rendered(&mut self, event: &Event<'_>, style: ToolStyle) -> Option<String> {
        if style.parameters != ShowParameters::Custom {
            return None;
        }
        let stored = event
            .get("metadata")?
            .get("rendered_arguments")?
            .as_text()?;
        let once = self.decoder.text(stored).into_owned();
        let decoded = base64::decode(&once, self.settings.strict_base64);
        if decoded.is_none() {
            self.warn(
                "metadata",
                vec![
                    "`metadata.rendered_arguments` is not base64; the arguments are \
                     shown as JSON"
                        .into(),
                ],
            );
        }
        decoded
    }

    pub(super) fn result(
        &mut self,
        event: &Event<'_>,
        config: &Config<'_>,
        pieces: &mut Pieces,
    ) {
        self.close(pieces);
        let id = event.text("id").map(Text::decode).unwrap_or_default();
        let answered = self.calls.answer(&id);
        self.calls.last = None;
        if !self.in_view() {
            return;
        }
        self.faults(event);
        let failed = event.is_error();
        let (name, (style, visible), direct) = match answered {
            Some((made, direct)) => {
                (Some(made.name), (made.style, made.visible), direct)
            }
            None => (None, self.style("*", config), false),
        };
        if style.hidden {
            return;
        }
        let limits = if failed {
            style.error_results
        } else {
            style.results
        };
        let label = match (&name, failed) {
            (Some(name), true) => Some(format!("Tool {name} failed:")),
            // The user view has results without calls by design.
            (None, true) if self.settings.told == Told::User => {
                Some("Tool failed:".to_owned())
            }
            (None, false) if self.settings.told == Told::User => None,
            (None, true) => {
                let id = self.label(&id);
                Some(format!("Result of unknown call {id} (failed):"))
            }
            (Some(name), false) => (!direct).then(|| format!("Result of {name}:")),
            (None, false) => {
                let id = self.label(&id);
                Some(format!("Result of unknown call {id}:"))
            }
        };
        let mut shown = Shown {
            label,
            failed,
            chrome: visible && self.settings.preset != Some(Preset::Brief),
            written: false,
        };
        match Content::of(event) {
            Content::Text(text) => {
                let text = self.decoder.text(text).into_owned();
                let fate = self.fate(limits, Audience::Everyone);
                let audience = Audience::Everyone;
                self.text_block(
                    &text,
                    None,
                    (fate, audience),
                    &mut shown,
                    config,
                    pieces,
                );
            }
            Content::Blocks(blocks) => {
                for raw in blocks.as_array().into_iter().flatten() {
                    self.block(raw, limits, &mut shown, config, pieces);
                }
            }
            Content::Structured(object) => {
                let text = String::from_utf8_lossy(object.bytes());
                let audience = Audience::Everyone;
                let fate = self.fate(limits, audience);
                self.text_block(
                    &text,
                    None,
                    (fate, audience),
                    &mut shown,
                    config,
                    pieces,
                );
            }
            Content::Missing => {}
        }
        // A failure is told even when nothing of it is shown (TL-12).
        if failed && shown.chrome && !shown.written && !limits.is_off() {
            let label = shown.label.take().unwrap_or_default();
            let line = format!("{}.", label.trim_end_matches(':'));
            self.chrome_line(&line, Role::Failure, config, pieces);
        }
    }

    /// What becomes of a block under the settings.
    fn fate(&self, limits: Limits, audience: Audience) -> Fate {
        let fate = limits.fate(audience);
        let told = self.settings.told;
        let left_out = match told {
            Told::User => !audience.includes(Reader::User),
            Told::Assistant => !audience.includes(Reader::Assistant),
            Told::Everything | Told::Both => false,
        };
        if fate == Fate::Nobody || left_out {
            return if left_out { Fate::Nothing } else { fate };
        }
        // A chat shows the user view: what names the user is said to the user,
        // whatever the style of the tool (TU-7).
        if audience.names_user() && self.settings.is_chat() {
            return Fate::Speech;
        }
        match (fate, self.settings.preset) {
            (Fate::Speech, _) if told == Told::Assistant => Fate::Full,
            (Fate::Speech, _) => Fate::Speech,
            (Fate::Nothing, None) if told == Told::Both => {
                Fate::Lines(crate::render::tool::DEFAULT_LINES)
            }
            (fate, None) => fate,
            (_, Some(Preset::Full)) => Fate::Full,
            (_, Some(_)) => Fate::Nothing,
        }
    }

    /// Names what a result's blocks seem to say of their audience and do not.
    fn faults(&mut self, event: &Event<'_>) {
        if let Some(message) = fault::of_result(event).first() {
            self.warn("audience", vec![message.to_string()]);
        }
    }

    /// Writes the failure line of a result whose speech is about to be shown, so
    /// that it does not pass for a success (TL-12).
    fn failure(&mut self, shown: &mut Shown, config: &Config<'_>, pieces: &mut Pieces) {
        if shown.failed
            && let Some(label) = shown.label.take()
        {
            self.chrome_line(&label, Role::Failure, config, pieces);
        }
    }

    fn block(
        &mut self,
        raw: Raw<'_>,
        limits: Limits,
        shown: &mut Shown,
        config: &Config<'_>,
        pieces: &mut Pieces,
    ) {
        let block = Block::read(raw);
        let audience = block.audience();
        let fate = self.fate(limits, audience);
        if fate == Fate::Nobody {
            // `faults` has said why.
            return;
        }
        let string = |key: &str| raw.get(key).and_then(Raw::as_str);
        if block.kind == BlockKind::Text {
            let text = string("text").unwrap_or_default();
            let mime = string("mimeType");
            let mime = mime.as_deref();
            self.text_block(&text, mime, (fate, audience), shown, config, pieces);
            return;
        }
        if fate == Fate::Nothing || block.kind == BlockKind::Question {
            return;
        }
        let speech = fate == Fate::Speech;
        if speech && let Some(text) = spoken(raw, block.kind) {
            if self.shows_speech() {
                self.failure(shown, config, pieces);
                let mime = raw.at(&["resource", "mimeType"]).and_then(Raw::as_str);
                self.speech(&text, mime.as_deref(), true, config, pieces);
                shown.written = true;
            }
            return;
        }
        let channel = if speech {
            Channel::Speech
        } else {
            Channel::Chrome
        };
        if speech && self.shows_speech() {
            self.failure(shown, config, pieces);
        }
        let kind = string("type").unwrap_or_default().into_owned();
        self.unit(
            fate,
            (channel, audience),
            shown,
            config,
            pieces,
            |writer, out, removed| match (block.kind, kind.as_str()) {
                (BlockKind::Resource, _) => {
                    let resource = raw.get("resource").unwrap_or(raw);
                    writer.resource(out, resource, removed);
                }
                (BlockKind::Image | BlockKind::Audio, kind) => {
                    writer.media(out, kind, raw, removed);
                }
                (BlockKind::ResourceLink, _) => writer.link(out, raw, removed),
                (BlockKind::Malformed, _) => {
                    writer.line(out, "[malformed block]", removed);
                }
                (_, kind) => {
                    writer.line(out, &format!("[unsupported block: {kind}]"), removed);
                }
            },
        );
    }

    fn text_block(
        &mut self,
        text: &str,
        mime: Option<&str>,
        (fate, audience): (Fate, Audience),
        shown: &mut Shown,
        config: &Config<'_>,
        pieces: &mut Pieces,
    ) {
        match fate {
            Fate::Nothing | Fate::Nobody => {}
            Fate::Speech => {
                if self.shows_speech() {
                    self.failure(shown, config, pieces);
                    self.speech(text, mime, false, config, pieces);
                    shown.written = true;
                }
            }
            Fate::Lines(_) | Fate::Full => {
                self.unit(
                    fate,
                    (Channel::Chrome, audience),
                    shown,
                    config,
                    pieces,
                    |writer, out, removed| {
                        writer.text(out, text, mime, removed);
                    },
                );
            }
        }
    }

    /// Writes one block of a result, its label before the first.
    fn unit(
        &mut self,
        fate: Fate,
        (channel, audience): (Channel, Audience),
        shown: &mut Shown,
        config: &Config<'_>,
        pieces: &mut Pieces,
        write: impl FnOnce(
            &result::Block<'_>,
            &mut Vec<u8>,
            &mut crate::term::clean::Removed,
        ),
    ) {
        let wanted = match channel {
            Channel::Speech => self.shows_speech(),
            Channel::Chrome => shown.chrome,
        };
        if !wanted {
            return;
        }
        self.number += 1;
        let block = result::Block {
            surface: match channel {
                Channel::Speech => &self.settings.speech,
                Channel::Chrome => &self.settings.chrome,
            },
            rules: self.settings.rules,
            limit: match fate {
                Fate::Lines(lines) => Some(lines),
                _ => None,
            },
            number: self.number,
        };
        let mut out = std::mem::take(&mut self.scratch);
        write(&block, &mut out, &mut self.removed);
        if !out.is_empty() {
            self.header(pieces, Speaker::Assistant, Some(config));
            self.layout.open(pieces, channel);
            if channel == Channel::Chrome
                && let Some(label) = shown.label.take()
            {
                self.label_line(&label, shown.failed, pieces);
            }
            let mark = match (audience, self.settings.told) {
                _ if channel == Channel::Speech => None,
                (_, Told::User | Told::Assistant) => None,
                (Audience::Everyone, Told::Both) => Some("(for both)"),
                (Audience::Everyone, _) => None,
                (
                    Audience::Named {
                        user: true,
                        assistant: true,
                    },
                    _,
                ) => Some("(for both)"),
                (Audience::Named { user: true, .. }, _) => Some("(for the user)"),
                (Audience::Named { .. }, _) => Some("(for the model)"),
            };
            // Two texts of one result are told apart (RFD 094).
            if let Some(mark) = mark {
                self.label_line(mark, false, pieces);
            }
            pieces.write(channel, |to| to.extend_from_slice(&out));
            shown.written = true;
        }
        out.clear();
        self.scratch = out;
    }

    fn label_line(&self, label: &str, failed: bool, pieces: &mut Pieces) {
        let mut lines = Lines::new(&self.settings.chrome);
        let style = lines.style(if failed { Role::Failure } else { Role::Dim });
        pieces.write(Channel::Chrome, |out| lines.plain(out, label, style));
    }

    fn chrome_line(
        &mut self,
        line: &str,
        role: Role,
        config: &Config<'_>,
        pieces: &mut Pieces,
    ) {
        self.header(pieces, Speaker::Assistant, Some(config));
        self.layout.open(pieces, Channel::Chrome);
        let mut lines = Lines::new(&self.settings.chrome);
        let style = lines.style(role);
        pieces.write(Channel::Chrome, |out| lines.plain(out, line, style));
    }

    /// Tells the calls of the closing turn that got no result (TL-7).
    pub(super) fn unanswered(&mut self, pieces: &mut Pieces) {
        let brief = self.settings.preset == Some(Preset::Brief);
        if self.turn.is_none() || brief || self.settings.told == Told::User {
            return;
        }
        for (made, direct) in self.calls.unanswered() {
            let line = if direct {
                "(no result recorded)".to_owned()
            } else {
                format!("Result of {}: (no result recorded)", made.name)
            };
            self.layout.open(pieces, Channel::Chrome);
            self.label_line(&line, false, pieces);
        }
    }
}

/// How far a result has been shown.
struct Shown {
    /// The line before its first block, until that is written.
    label: Option<String>,
    failed: bool,
    /// Whether its chrome is shown.
    chrome: bool,
    written: bool,
}

/// The text of a resource that is speech.
fn spoken(raw: Raw<'_>, kind: BlockKind) -> Option<String> {
    (kind == BlockKind::Resource)
        .then(|| raw.at(&["resource", "text"])?.as_str())
        .flatten()
        .map(std::borrow::Cow::into_owned)
}
