//! What users and assistants say: requests, messages, reasoning, answers.

use super::{Open, Replay, Speaker};
use crate::block::media;
use crate::config::Config;
use crate::event::Event;
use crate::json::Raw;
use crate::render::highlight;
use crate::render::lines::Lines;
use crate::render::markdown::{Message, Writer, longest_run};
use crate::render::pieces::{Channel, Pieces};
use crate::render::pretty::pretty;
use crate::render::settings::Only;
use crate::render::text::Text;
use crate::render::theme::Role;
use crate::render::tool::{ShowReasoning, display};
use crate::render::wrap::{Widths, wrap};
use crate::term::clean::{Removed, Rules, clean};
use unicode_segmentation::UnicodeSegmentation;

impl Replay<'_> {
    fn new_message(&mut self, lines: Lines) -> Box<Message> {
        self.number += 1;
        let settings = self.settings;
        Box::new(Message::new(
            lines,
            settings.rules,
            self.number,
            settings.document,
        ))
    }

    pub(super) fn request(&mut self, event: &Event<'_>, pieces: &mut Pieces) {
        self.close(pieces);
        self.calls.last = None;
        let shown =
            self.in_view() && matches!(self.settings.only, None | Some(Only::Speech));
        let content = event.text("content").map(crate::json::Text::decode);
        let Some(content) = content.filter(|_| shown) else {
            return;
        };
        let mut message = self.new_message(Lines::new(&self.settings.speech));
        message.push_str(&content);
        let mut out = std::mem::take(&mut self.scratch);
        let removed = message.finish(&mut out);
        self.removed.add(removed);
        if !out.is_empty() {
            let author = event.text("author").map(crate::json::Text::decode);
            let author = author.filter(|author| !author.trim().is_empty());
            let label = self.label(author.as_deref().unwrap_or("user"));
            // Requests that follow each other are two, and look it (TU-2).
            self.speaker = Speaker::Nobody;
            self.header(pieces, Speaker::User(label), None);
            self.layout.open(pieces, Channel::Speech);
            pieces.write(Channel::Speech, |to| to.extend_from_slice(&out));
        }
        out.clear();
        self.scratch = out;
    }

    pub(super) fn message(
        &mut self,
        text: &str,
        config: &Config<'_>,
        pieces: &mut Pieces,
    ) {
        if !matches!(self.open, Open::Message(..)) {
            self.close(pieces);
            if text.is_empty() || !self.shows_speech() {
                return;
            }
            let message = self.new_message(Lines::new(&self.settings.speech));
            self.open = Open::Message(message, false);
        }
        self.calls.last = None;
        self.grow(text, config, pieces);
    }

    /// Adds to the growing unit; its header is written while the configuration
    /// of its first event is at hand.
    fn grow(&mut self, text: &str, config: &Config<'_>, pieces: &mut Pieces) {
        let mut open = std::mem::replace(&mut self.open, Open::Nothing);
        if let Open::Message(message, shown) | Open::Reasoning(message, shown) =
            &mut open
        {
            message.push_str(text);
            let rules = self.settings.rules;
            if !*shown && self.speaker != Speaker::Assistant && visible(text, rules) {
                self.header(pieces, Speaker::Assistant, Some(config));
            }
        }
        // An entry that looks whole is shown, whatever follows; in one go and as it
        // arrives alike.
        let reasoning = matches!(open, Open::Reasoning(..));
        if let Open::Message(message, shown) | Open::Reasoning(message, shown) =
            &mut open
            && message.is_whole(reasoning)
        {
            let mut out = std::mem::take(&mut self.scratch);
            message.seal(&mut out);
            self.speak(pieces, &mut out, shown, Some(config));
            self.scratch = out;
        }
        self.open = open;
    }

    pub(super) fn reasoning(
        &mut self,
        text: &str,
        config: &Config<'_>,
        pieces: &mut Pieces,
    ) {
        if text.is_empty() {
            return;
        }
        let mut wrong = Vec::new();
        let (configured, _) = display(config.display(), &mut wrong);
        self.warn("config-value", wrong);
        self.calls.last = None;
        match self.shown_reasoning(configured) {
            ShowReasoning::Hidden => self.close(pieces),
            ShowReasoning::Static => self.static_line(config, pieces),
            ShowReasoning::Full => self.region(text, config, pieces),
            ShowReasoning::Characters(limit) => {
                let text = self.within(text, limit);
                if text.is_empty() {
                    if !matches!(self.open, Open::Reasoning(..)) {
                        self.close(pieces);
                    }
                    return;
                }
                self.region(&text, config, pieces);
            }
        }
    }

    fn static_line(&mut self, config: &Config<'_>, pieces: &mut Pieces) {
        if matches!(self.open, Open::Static) {
            return;
        }
        self.close(pieces);
        self.open = Open::Static;
        self.header(pieces, Speaker::Assistant, Some(config));
        self.layout.open(pieces, Channel::Chrome);
        let mut lines = Lines::new(&self.settings.chrome);
        let dim = lines.style(Role::Dim);
        pieces.write(Channel::Chrome, |out| {
            lines.plain(out, "reasoning...", dim);
        });
    }

    /// What the turn's budget leaves of a reasoning text, counted in graphemes
    /// after cleaning.
    fn within(&mut self, text: &str, limit: usize) -> String {
        let Some(left) = self.budget.unwrap_or(Some(limit)) else {
            return String::new();
        };
        let text = clean(text, self.settings.rules, &mut Removed::default());
        let mut count = 0;
        for (at, _) in text.grapheme_indices(true) {
            if count == left {
                self.budget = Some(None);
                let mark = self.settings.speech.ellipsis();
                return format!("{}{mark}", text[..at].trim_end());
            }
            count += 1;
        }
        // A text of just the limit is not marked as cut until more follows.
        self.budget = Some(Some(left - count));
        text.into_owned()
    }

    fn region(&mut self, text: &str, config: &Config<'_>, pieces: &mut Pieces) {
        if !matches!(self.open, Open::Reasoning(..)) {
            self.close(pieces);
            let surface = &self.settings.speech;
            let mut lines = Lines::new(surface);
            let bar = match (self.settings.document, surface.ascii) {
                (true, _) => "> ",
                (_, true) => "| ",
                _ => "│ ",
            };
            lines.shade(Role::Reasoning);
            let dim = lines.style(Role::Dim);
            lines.open(bar, bar, dim);
            let message = self.new_message(lines);
            self.open = Open::Reasoning(message, false);
        }
        self.grow(text, config, pieces);
    }

    pub(super) fn structured(
        &mut self,
        data: Raw<'_>,
        config: &Config<'_>,
        pieces: &mut Pieces,
    ) {
        self.close(pieces);
        self.calls.last = None;
        if !self.shows_speech() {
            return;
        }
        self.header(pieces, Speaker::Assistant, Some(config));
        self.layout.open(pieces, Channel::Speech);
        let mut json = Vec::new();
        pretty(&mut json, data.bytes());
        json.push(b'\n');
        let json = String::from_utf8_lossy(&json);
        let rules = self.settings.rules;
        let body = clean(&json, rules, &mut self.removed);
        let length = (longest_run(&body, b'`') + 1).max(3);
        let lines = Lines::new(&self.settings.speech);
        let mut writer = Writer::new(lines, rules, 0, self.settings.document);
        pieces.write(Channel::Speech, |out| {
            writer.fence(out, b'`', length, "json", Some("json"), &body);
        });
    }

    /// Writes a block that is speech (TL-8, TL-9): markdown, code of a language, or
    /// text as it is.
    pub(super) fn speech(
        &mut self,
        text: &str,
        mime: Option<&str>,
        code: bool,
        config: &Config<'_>,
        pieces: &mut Pieces,
    ) {
        let mut lines = Lines::new(&self.settings.speech);
        let mut out = std::mem::take(&mut self.scratch);
        let language = media::language(mime);
        // In a document, white space in front of a line stays only in a fence.
        let indented = |line: &str| line.starts_with([' ', '\t']);
        let fence = code && !language.is_empty()
            || self.settings.document
                && text
                    .split('\n')
                    .any(|line| indented(line) && !line.trim().is_empty());
        if media::is_markdown(mime) {
            let mut message = self.new_message(lines);
            message.push_str(text);
            let removed = message.finish(&mut out);
            self.removed.add(removed);
        } else if fence {
            let rules = self.settings.rules;
            let mut body = clean(text, rules, &mut self.removed).into_owned();
            if !body.is_empty() && !body.ends_with('\n') {
                body.push('\n');
            }
            let length = (longest_run(&body, b'`') + 1).max(3);
            let language = if code { language } else { "" };
            let known = highlight::language(language);
            Writer::new(lines, rules, 0, self.settings.document)
                .fence(&mut out, b'`', length, language, known, &body);
        } else {
            let text = clean(text, self.settings.rules, &mut self.removed);
            let text = text
                .trim_end()
                .trim_start_matches('\n')
                .replace('\t', "    ");
            let text = if self.settings.document {
                literal(&text)
            } else {
                text
            };
            let plain = lines.style(Role::Plain);
            let columns = lines.prose();
            for line in text.split('\n').filter(|_| !text.is_empty()) {
                if line.trim().is_empty() {
                    lines.blank(&mut out);
                    continue;
                }
                let body = line.trim_start_matches(' ');
                let indent = " ".repeat((line.len() - body.len()).min(40));
                lines.open(&indent, &indent, plain);
                let widths = Widths {
                    columns,
                    split_atoms: false,
                };
                let text = Text::styled(body, plain);
                wrap(&text, widths, |range| lines.line(&mut out, &text, range));
                lines.close();
            }
        }
        let mut shown = false;
        self.speak(pieces, &mut out, &mut shown, Some(config));
        self.scratch = out;
    }
}

/// Plain text as markdown that reads back as that text.
fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            let broken = !line.trim().is_empty() && !out.ends_with('\n');
            out.push_str(if broken && !out.is_empty() {
                "\\\n"
            } else {
                "\n"
            });
        }
        for c in line.trim_start().chars() {
            if c.is_ascii_punctuation() {
                out.push('\\');
            }
            out.push(c);
        }
    }
    out
}

/// Whether rendering a text shows anything: a definition alone does, white space
/// and invisible characters alone do not.
fn visible(text: &str, rules: Rules) -> bool {
    let cleaned = clean(text, rules, &mut Removed::default());
    !cleaned.trim().is_empty()
}
