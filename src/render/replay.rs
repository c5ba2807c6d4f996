//! Events in, units out, one by one (TL-10).
//!
//! [`Replay`] keeps what the next event may depend on: the turn, who spoke last,
//! the message still growing, the calls still open. Feeding events one by one
//! gives what feeding all of them gives. What needs the end of a turn (a call
//! without result, notices) is written when the turn closes.

mod calls;
mod speech;
mod tools;

use super::layout::{Header, Layout, age};
use super::markdown::Message;
use super::pieces::{Channel, Pieces};
use super::settings::{Only, Preset, Settings, Told};
use super::tool::ShowReasoning;
use crate::block::{Decoder, Encoding};
use crate::config::Config;
use crate::error::{Diagnostic, Position};
use crate::event::{Answer, Event, EventKind, Timestamp};
use crate::stream::TurnCounter;
use crate::term::clean::{Removed, label_counting};
use calls::Calls;
use std::collections::HashSet;

/// Who spoke last.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Speaker {
    Nobody,
    User(String),
    Assistant,
}

/// A unit that more events may still extend.
#[derive(Debug)]
enum Open {
    Nothing,
    Message(Box<Message>, bool),
    Reasoning(Box<Message>, bool),
    /// `reasoning...` has been written for the region.
    Static,
}

/// Renders the events of one conversation.
#[derive(Debug)]
pub struct Replay<'s> {
    settings: &'s Settings,
    decoder: Decoder,
    layout: Layout,
    turns: TurnCounter,
    turn: Option<usize>,
    /// Time of the turn: that of its first event.
    time: Option<Timestamp>,
    /// Whether the turn's detail is still to be shown.
    detail: bool,
    speaker: Speaker,
    open: Open,
    calls: Calls,
    /// Characters of reasoning left in this turn: the inner none once it is marked
    /// as cut.
    budget: Option<Option<usize>>,
    removed: Removed,
    told: Vec<Diagnostic>,
    /// What has been told once and is not told again.
    known: HashSet<String>,
    /// Numbers the texts, for the ids of links.
    number: u64,
    scratch: Vec<u8>,
}

impl<'s> Replay<'s> {
    /// A replay of a conversation whose strings are spelled in `encoding`.
    pub fn new(settings: &'s Settings, encoding: Encoding) -> Self {
        Self {
            settings,
            decoder: Decoder::new(encoding, settings.strict_base64),
            layout: Layout::default(),
            turns: TurnCounter::default(),
            turn: None,
            time: None,
            detail: false,
            speaker: Speaker::Nobody,
            open: Open::Nothing,
            calls: Calls::default(),
            budget: None,
            removed: Removed::default(),
            told: Vec::new(),
            known: HashSet::new(),
            number: 0,
            scratch: Vec::new(),
        }
    }

    /// From the next event on, goes by these settings: a live stream may turn out to
    /// be something else than it seemed.
    pub fn go_by(&mut self, settings: &'s Settings) {
        self.settings = settings;
    }

    /// Renders the next event under the configuration at it.
    pub fn event(
        &mut self,
        event: &Event<'_>,
        config: &Config<'_>,
        pieces: &mut Pieces,
        told: &mut Vec<Diagnostic>,
    ) {
        let kind = event.kind();
        if !kind.is_conversation() {
            return;
        }
        let turn = self.turns.next(kind);
        if self.turn != Some(turn) {
            self.close_turn(pieces, told);
            self.turn = Some(turn);
            self.time = event.timestamp();
            self.detail = true;
            self.speaker = Speaker::Nobody;
            self.budget = None;
            self.calls.enter(turn);
        }
        match kind {
            EventKind::ChatRequest => self.request(event, pieces),
            EventKind::ChatResponse => self.response(event, config, pieces),
            EventKind::ToolCallRequest => self.call(event, config, pieces),
            EventKind::ToolCallResponse => self.result(event, config, pieces),
            _ => {}
        }
    }

    /// Writes what can no longer change, for a reader who is waiting.
    pub fn flush(&mut self, pieces: &mut Pieces) {
        let mut open = std::mem::replace(&mut self.open, Open::Nothing);
        if let Open::Message(message, shown) | Open::Reasoning(message, shown) =
            &mut open
        {
            let mut out = std::mem::take(&mut self.scratch);
            message.commit(&mut out);
            self.speak(pieces, &mut out, shown, None);
            self.scratch = out;
        }
        self.open = open;
    }

    /// Closes the last turn.
    pub fn finish(&mut self, pieces: &mut Pieces, told: &mut Vec<Diagnostic>) {
        self.close_turn(pieces, told);
    }

    /// How many turns there were.
    pub fn turn_count(&self) -> usize {
        self.turns.count()
    }

    fn close_turn(&mut self, pieces: &mut Pieces, told: &mut Vec<Diagnostic>) {
        self.close(pieces);
        self.unanswered(pieces);
        let turn = self.turn;
        let at = || Position {
            turn,
            ..Position::default()
        };
        let removed = std::mem::take(&mut self.removed);
        if let Some(what) = removed.describe() {
            let mut note = Diagnostic::note(
                "removed",
                format!("removed {what}; --control show reveals them"),
            );
            note.position = at();
            self.told.push(note);
        }
        for mut diagnostic in self.told.drain(..) {
            diagnostic.position = at();
            told.push(diagnostic);
        }
    }

    fn warn(&mut self, code: &'static str, messages: Vec<String>) {
        for message in messages {
            if self.known.insert(message.clone()) {
                self.told.push(Diagnostic::warning(code, message));
            }
        }
    }

    fn in_view(&self) -> bool {
        self.turn
            .is_some_and(|turn| self.settings.turns.holds(turn))
    }

    /// Whether what the assistant says is shown.
    fn shows_speech(&self) -> bool {
        self.in_view()
            && self.settings.preset != Some(Preset::User)
            && matches!(self.settings.only, None | Some(Only::Speech))
    }

    /// Whether tool chrome is shown, as far as settings go.
    fn shows_chrome(&self) -> bool {
        let preset = self.settings.preset;
        self.in_view()
            && !matches!(preset, Some(Preset::User | Preset::Chat))
            && matches!(self.settings.only, None | Some(Only::Tools))
    }

    fn shown_reasoning(&self, configured: ShowReasoning) -> ShowReasoning {
        if !self.in_view()
            || self.settings.told == Told::User
            || !matches!(self.settings.only, None | Some(Only::Reasoning))
        {
            return ShowReasoning::Hidden;
        }
        match self.settings.preset {
            None => configured,
            Some(Preset::Full) => ShowReasoning::Full,
            Some(_) => ShowReasoning::Hidden,
        }
    }

    fn label(&mut self, text: &str) -> String {
        let ascii = self.settings.speech.ascii;
        label_counting(text, self.settings.rules, ascii, &mut self.removed)
    }

    /// Writes the header of a new speaker (TU-2).
    fn header(
        &mut self,
        pieces: &mut Pieces,
        speaker: Speaker,
        config: Option<&Config<'_>>,
    ) {
        if self.speaker == speaker || self.settings.only == Some(Only::Tools) {
            return;
        }
        let mut header = Header::default();
        match &speaker {
            Speaker::User(author) => header.label.clone_from(author),
            Speaker::Assistant | Speaker::Nobody => {
                let name = config.and_then(|config| config.display().name);
                let name = name.map(crate::json::Text::decode);
                header.label = self.label(name.as_deref().unwrap_or("jp"));
                let model =
                    config.and_then(|config| config.model().resolve().ok().flatten());
                header.suffix = model.map(|model| {
                    self.label(&format!("{}/{}", model.provider, model.name))
                });
            }
        }
        if std::mem::take(&mut self.detail) {
            header.turn = self.turn.map(|turn| format!("turn {}", turn + 1));
            header.age = age(self.time, self.settings);
        }
        self.speaker = speaker;
        self.layout.open(pieces, Channel::Speech);
        let (surface, document) = (&self.settings.speech, self.settings.document);
        pieces.write(Channel::Speech, |out| header.write(out, surface, document));
    }

    /// Appends what a growing unit has written, opening it if that is the first.
    fn speak(
        &mut self,
        pieces: &mut Pieces,
        out: &mut Vec<u8>,
        shown: &mut bool,
        config: Option<&Config<'_>>,
    ) {
        if out.is_empty() {
            return;
        }
        if !*shown {
            self.header(pieces, Speaker::Assistant, config);
            self.layout.open(pieces, Channel::Speech);
            *shown = true;
        }
        pieces.write(Channel::Speech, |to| to.extend_from_slice(out));
        out.clear();
    }

    /// Ends the unit that is still growing.
    fn close(&mut self, pieces: &mut Pieces) {
        match std::mem::replace(&mut self.open, Open::Nothing) {
            Open::Message(mut message, mut shown)
            | Open::Reasoning(mut message, mut shown) => {
                let mut out = std::mem::take(&mut self.scratch);
                let removed = message.finish(&mut out);
                self.removed.add(removed);
                self.speak(pieces, &mut out, &mut shown, None);
                self.scratch = out;
            }
            Open::Nothing | Open::Static => {}
        }
    }

    fn response(
        &mut self,
        event: &Event<'_>,
        config: &Config<'_>,
        pieces: &mut Pieces,
    ) {
        match event.answer() {
            Some(Answer::Message(text)) => {
                self.message(&text.decode(), config, pieces);
            }
            Some(Answer::Reasoning(text)) => {
                self.reasoning(&text.decode(), config, pieces);
            }
            Some(Answer::Structured(data)) => self.structured(data, config, pieces),
            None => {}
        }
    }
}
