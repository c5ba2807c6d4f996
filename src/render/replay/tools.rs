//! Tool calls and results (`docs/render.md#tools`).

use super::{Replay, Speaker};
use crate::block::{Audience, Block, BlockKind, Content, Encoding, base64};
use crate::config::Config;
use crate::event::Event;
use crate::json::{Raw, Text};
use crate::render::lines::Lines;
use crate::render::pieces::{Channel, Pieces};
use crate::render::settings::Preset;
use crate::render::theme::Role;
use crate::render::tool::call::{self, Call};
use crate::render::tool::result::{self, is_markdown};
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
        if !visible {
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
                self.text_block(&text, None, fate, &mut shown, config, pieces);
            }
            Content::Blocks(blocks) => {
                for raw in blocks.as_array().into_iter().flatten() {
                    self.block(raw, limits, &mut shown, config, pieces);
                }
            }
            Content::Structured(object) => {
                let text = String::from_utf8_lossy(object.bytes());
                let fate = self.fate(limits, Audience::Everyone);
                self.text_block(&text, None, fate, &mut shown, config, pieces);
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
        match (limits.fate(audience), self.settings.preset) {
            (fate @ (Fate::Speech | Fate::Nobody), _) | (fate, None) => fate,
            (_, Some(Preset::Full)) => Fate::Full,
            (_, Some(_)) => Fate::Nothing,
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
        let fate = self.fate(limits, block.audience());
        if fate == Fate::Nobody {
            self.warn(
                "audience",
                vec![
                    "a block addressed to neither user nor assistant is hidden".into(),
                ],
            );
            return;
        }
        let string = |key: &str| raw.get(key).and_then(Raw::as_str);
        if block.kind == BlockKind::Text {
            let text = string("text").unwrap_or_default();
            let mime = string("mimeType");
            self.text_block(&text, mime.as_deref(), fate, shown, config, pieces);
            return;
        }
        if fate == Fate::Nothing || block.kind == BlockKind::Question {
            return;
        }
        let speech = fate == Fate::Speech;
        if speech && let Some(text) = spoken(raw, block.kind) {
            if self.shows_speech() {
                let mime = raw.at(&["resource", "mimeType"]).and_then(Raw::as_str);
                self.speech(&text, is_markdown(mime.as_deref()), config, pieces);
                shown.written = true;
            }
            return;
        }
        let channel = if speech {
            Channel::Speech
        } else {
            Channel::Chrome
        };
        let kind = string("type").unwrap_or_default().into_owned();
        self.unit(
            fate,
            channel,
            shown,
            config,
            pieces,
            |writer, out, removed| match (block.kind, kind.as_str()) {
                (BlockKind::Resource, _) => {
                    let resource = raw.get("resource").unwrap_or(raw);
                    writer.resource(out, resource, removed);
                }
                (BlockKind::Image | BlockKind::Audio, _) => {
                    let data = string("data").unwrap_or_default();
                    let mime = string("mimeType");
                    writer.binary(out, mime.as_deref(), &data, None, removed);
                }
                (BlockKind::ResourceLink, _) => {
                    let uri = string("uri").unwrap_or_default();
                    writer.line(out, &format!("[resource: {uri}]"), removed);
                }
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
        fate: Fate,
        shown: &mut Shown,
        config: &Config<'_>,
        pieces: &mut Pieces,
    ) {
        match fate {
            Fate::Nothing | Fate::Nobody => {}
            Fate::Speech => {
                if self.shows_speech() {
                    self.speech(text, is_markdown(mime), config, pieces);
                    shown.written = true;
                }
            }
            Fate::Lines(_) | Fate::Full => {
                let channel = Channel::Chrome;
                self.unit(
                    fate,
                    channel,
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
        channel: Channel,
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
        if self.turn.is_none() || self.settings.preset == Some(Preset::Brief) {
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
