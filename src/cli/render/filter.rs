//! `render` as a filter: whole conversations, and bare entries as they arrive.

use super::args::RenderArgs;
use super::streams::Streams;
use crate::cli::filter::{Answer, Filter, Live};
use crate::cli::origin::Record;
use crate::cli::output::Output;
use crate::config::{Config, Mode, Warnings};
use crate::error::{Diagnostic, Error};
use crate::event::{Event, EventKind};
use crate::json::Raw;
use crate::render::{Channel, Pieces, Replay, Settings, Told};
use crate::stream::{Conversation, Entries, Form, Place, TurnCounter, read_entry};
use std::sync::{Mutex, PoisonError};

/// The filter.
pub(super) struct Render<'a> {
    args: &'a RenderArgs,
    settings: Settings,
    /// The same for a live stream that turns out to be a user view.
    of_views: Settings,
    state: Mutex<State>,
}

struct State {
    streams: Streams,
    /// Whether an earlier conversation has written anything.
    written: bool,
}

impl State {
    fn put(&mut self, pieces: &mut Pieces, first: &mut bool) -> Result<(), Error> {
        if *first && self.written && !pieces.bytes.is_empty() {
            // One blank line between conversations.
            let mut gap = Pieces::default();
            gap.write(Channel::Speech, |out| out.push(b'\n'));
            self.streams.write(&gap)?;
        }
        if !pieces.bytes.is_empty() {
            *first = false;
            self.written = true;
        }
        self.streams.write(pieces)?;
        pieces.clear();
        Ok(())
    }
}

impl<'a> Render<'a> {
    pub(super) fn new(
        args: &'a RenderArgs,
        settings: Settings,
        streams: Streams,
    ) -> Self {
        let mut of_views = settings.clone();
        if of_views.told == Told::Everything {
            // Results without calls by design: shown as what they are.
            of_views.told = Told::User;
        }
        Self {
            args,
            settings,
            of_views,
            state: Mutex::new(State {
                streams,
                written: false,
            }),
        }
    }

    pub(super) fn close(self) {
        let state = self.state.into_inner();
        state
            .unwrap_or_else(PoisonError::into_inner)
            .streams
            .close();
    }

    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The settings with the turns of this conversation picked.
    fn settings_for(
        &self,
        events: &[Event<'_>],
        told: &mut Vec<Diagnostic>,
    ) -> Settings {
        let mut settings = self.settings.clone();
        let count = TurnCounter::total(events.iter().map(Event::kind));
        let pick = &self.args.pick;
        told.extend(pick.missed(settings.turns, count));
        settings.turns = pick.of(settings.turns, count);
        settings
    }
}

/// The base of a conversation: given beside it, or its first entry (form B).
fn base<'a>(
    conversation: &Conversation<'a>,
    first: Option<&Event<'a>>,
) -> Option<Raw<'a>> {
    conversation.base.or_else(|| {
        let stored =
            conversation.form == Form::Array || conversation.form == Form::Entries;
        first
            .filter(|event| stored && event.kind() == EventKind::ConfigDelta)
            .map(Event::raw)
    })
}

impl Filter for Render<'_> {
    fn conversation(
        &self,
        record: &Record<'_>,
        _output: &mut Output,
        told: &mut Vec<Diagnostic>,
    ) -> Result<Answer, Error> {
        let conversation = &record.conversation;
        let lenient = self.args.stream().lenient;
        let events = Entries::new(conversation, lenient).collect(told)?;
        let mut settings = self.settings_for(&events, told);
        if conversation.looks_like_user_view() && settings.told == Told::Everything {
            // Results without calls by design: shown as what they are.
            settings.told = Told::User;
        }
        let mut warnings = Warnings::default();
        let base = base(conversation, events.first());
        let rest = usize::from(conversation.base.is_none() && base.is_some());
        let mut config = Config::new(base, Mode::Convo, &mut warnings);
        let delta = |event: &&Event<'_>| event.kind() == EventKind::ConfigDelta;
        let current = self.args.current_config;
        if current {
            for (index, event) in events.iter().enumerate().skip(rest) {
                warnings.event = Some(index);
                if delta(&event) {
                    config.apply(event.raw(), &mut warnings);
                }
            }
        }
        let mut replay = Replay::new(&settings, conversation.encoding);
        let mut pieces = Pieces::default();
        let mut first = true;
        for (index, event) in events.iter().enumerate().skip(rest) {
            if delta(&event) && !current {
                warnings.event = Some(index);
                config.apply(event.raw(), &mut warnings);
            }
            replay.event(event, &config, &mut pieces, told);
            if pieces.bytes.len() >= 64 << 10 {
                self.with(|state| state.put(&mut pieces, &mut first))?;
            }
        }
        replay.finish(&mut pieces, told);
        self.with(|state| {
            state.put(&mut pieces, &mut first)?;
            state.streams.flush()
        })?;
        told.append(&mut warnings.list);
        Ok(Answer::Good)
    }

    fn live(&self) -> Option<Box<dyn Live + '_>> {
        let whole = self.args.pick.needs_end() || self.args.current_config;
        (!whole).then(|| {
            Box::new(LiveRender {
                render: self,
                replay: None,
                config: None,
                pieces: Pieces::default(),
                first: true,
                stored: false,
            }) as Box<dyn Live>
        })
    }
}

/// Form F: each entry is shown as soon as it is in.
struct LiveRender<'r> {
    render: &'r Render<'r>,
    replay: Option<Replay<'r>>,
    /// Configuration outlives the entry that states it, to the end of the input:
    /// what it borrows from is never given back.
    config: Option<Config<'static>>,
    pieces: Pieces,
    first: bool,
    /// Whether there was a call or a delta, which no user view has.
    stored: bool,
}

fn kept(raw: Raw<'_>) -> Raw<'static> {
    Raw::checked(Vec::leak(raw.bytes().to_vec()))
}

impl Live for LiveRender<'_> {
    fn entry(
        &mut self,
        conversation: &Conversation<'_>,
        index: usize,
        _out: &mut Vec<u8>,
        told: &mut Vec<Diagnostic>,
    ) -> Result<(), Error> {
        let place = Place {
            conversation,
            index,
        };
        let lenient = self.render.args.stream().lenient;
        let event = read_entry(conversation.value, lenient, &place, told)?;
        let mut warnings = Warnings {
            event: Some(index),
            ..Warnings::default()
        };
        let mut is_base = false;
        let config = self.config.get_or_insert_with(|| {
            let base = base(conversation, Some(&event));
            is_base = conversation.base.is_none() && base.is_some();
            Config::new(base.map(kept), Mode::Convo, &mut warnings)
        });
        if event.kind() == EventKind::ConfigDelta && !is_base {
            config.apply(kept(event.raw()), &mut warnings);
        }
        let replay = self.replay.get_or_insert_with(|| {
            Replay::new(&self.render.settings, conversation.encoding)
        });
        self.stored |= conversation.base.is_some();
        match event.kind() {
            EventKind::ToolCallRequest | EventKind::ConfigDelta => self.stored = true,
            // A result before any call: what comes is a user view.
            EventKind::ToolCallResponse if !self.stored => {
                replay.go_by(&self.render.of_views);
            }
            _ => {}
        }
        let mut notes = Vec::new();
        replay.event(&event, config, &mut self.pieces, &mut notes);
        replay.flush(&mut self.pieces);
        told.append(&mut warnings.list);
        told.append(&mut notes);
        let (pieces, first) = (&mut self.pieces, &mut self.first);
        self.render.with(|state| {
            state.put(pieces, first)?;
            state.streams.flush()
        })
    }

    fn close(
        &mut self,
        _out: &mut Vec<u8>,
        told: &mut Vec<Diagnostic>,
    ) -> Result<(), Error> {
        if let Some(replay) = &mut self.replay {
            replay.finish(&mut self.pieces, told);
            let (pick, turns) = (&self.render.args.pick, self.render.settings.turns);
            told.extend(pick.missed(turns, replay.turn_count()));
        }
        let (pieces, first) = (&mut self.pieces, &mut self.first);
        self.render.with(|state| {
            state.put(pieces, first)?;
            state.streams.flush()
        })
    }
}
