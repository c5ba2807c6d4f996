//! Making the thread of a request point.
//!
//! [`Builder`] goes through the request points of one conversation in order and
//! keeps what does not change between them: the configuration is merged delta by
//! delta, prelude and tools are made anew only when a delta touched them. Items
//! are ordered as every body needs them: results before the texts of their
//! message, stored ones first, then those that repair puts in (`docs/bodies.md#request-points`).

use super::id::Ids;
use super::inputs::{Attachment, Inputs};
use super::item::{Item, Part, ResultContent, Words};
use super::jp::{self, Inserted};
use super::prelude::Prelude;
use super::rules::Rules;
use super::tool::Offer;
use super::walk::{Side, Walk};
use super::{Placed, Thread};
use crate::block::Content;
use crate::body::Provider;
use crate::config::escaped::is_blank;
use crate::config::{Config, Delta, Mode, Versions, Warnings};
use crate::error::{Diagnostic, Position};
use crate::event::{Answer, Event, EventKind};
use crate::json::{Raw, Text};
use crate::stream::compaction::{self, Fate, SUMMARY_REQUEST};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::rc::Rc;

/// What was made of the configuration, and of which state of it, for whom.
struct Made<'a> {
    versions: Versions,
    provider: Provider,
    prelude: Rc<Prelude>,
    offer: Rc<Offer<'a>>,
}

/// Makes the threads of one conversation, point by point.
pub struct Builder<'a, 'b> {
    pub(super) events: &'b [Event<'a>],
    pub(super) walk: &'b Walk<'a>,
    pub(super) inputs: &'b Inputs<'a>,
    deltas: VecDeque<(usize, Delta<'a>)>,
    pub(super) config: Rc<Config<'a>>,
    made: Option<Made<'a>>,
    pub(super) head: Option<(u32, bool, Rc<Prelude>)>,
    attachments: Rc<Vec<Attachment<'a>>>,
}

impl<'a, 'b> Builder<'a, 'b> {
    /// A builder before the first point; `config` is the base configuration.
    pub fn new(
        events: &'b [Event<'a>],
        walk: &'b Walk<'a>,
        config: Config<'a>,
        inputs: &'b Inputs<'a>,
    ) -> Self {
        Self {
            events,
            walk,
            inputs,
            deltas: walk.deltas.iter().cloned().collect(),
            config: Rc::new(config),
            made: None,
            head: None,
            attachments: Rc::new(inputs.attachments.clone().unwrap_or_default()),
        }
    }

    /// The configuration just before the entry `point`. Points must not go back.
    pub fn config_at(&mut self, point: usize) -> &Rc<Config<'a>> {
        while let Some((index, _)) = self.deltas.front()
            && *index < point
            && let Some((_, delta)) = self.deltas.pop_front()
        {
            Rc::make_mut(&mut self.config).merge(delta);
        }
        &self.config
    }

    /// The schema of a structured answer that the request at `point` asks for.
    pub fn schema(&self, point: usize) -> Option<Raw<'a>> {
        schema(&self.events[..point])
    }

    /// The thread of the request made from the entries before `point`.
    pub fn thread(
        &mut self,
        point: usize,
        inserted: &'a Inserted,
        rules: &Rules,
        warnings: &mut Warnings,
    ) -> Thread<'a> {
        self.config_at(point);
        warnings.event = None;
        let (prelude, offer) = self.made(rules, warnings);
        let events = &self.events[..point];
        let items = match rules.mode {
            Mode::Jp => (jp::items(events, inserted, self.walk), Vec::new()),
            Mode::Convo => Items::of(events, self.walk, rules, &mut warnings.list),
        };
        self.joined(point, prelude, items, offer, None)
    }

    /// Joins what was made for the request at `point`; with the items goes what
    /// was taken away of them.
    pub(super) fn joined(
        &self,
        point: usize,
        prelude: Rc<Prelude>,
        (items, stripped): (Vec<Item<'a>>, Vec<usize>),
        offer: Rc<Offer<'a>>,
        placed: Option<Placed>,
    ) -> Thread<'a> {
        Thread {
            prelude,
            items,
            stripped,
            attachments: self.attachments.clone(),
            offer,
            schema: schema(&self.events[..point]),
            config: self.config.clone(),
            placed,
        }
    }

    pub(super) fn made(
        &mut self,
        rules: &Rules,
        warnings: &mut Warnings,
    ) -> (Rc<Prelude>, Rc<Offer<'a>>) {
        let versions = self.config.versions();
        if let Some(made) = &self.made
            && (made.versions, made.provider) == (versions, rules.provider)
        {
            return (made.prelude.clone(), made.offer.clone());
        }
        let inputs = self.inputs;
        let choice = inputs.tool_choice.clone();
        let choice = choice.unwrap_or_else(|| self.config.tool_choice());
        let offer = match inputs.tools {
            Some(tools) => Offer::given(tools, choice, rules, warnings),
            None => Offer::of(&self.config, choice, rules, warnings),
        };
        let prelude = match inputs.system_parts {
            Some(parts) => Prelude::given(parts),
            None => {
                let has_tools = !offer.tools.is_empty();
                Prelude::of(&self.config, has_tools, rules.mode)
            }
        };
        let (prelude, offer) = (Rc::new(prelude), Rc::new(offer));
        self.made = Some(Made {
            versions,
            provider: rules.provider,
            prelude: prelude.clone(),
            offer: offer.clone(),
        });
        (prelude, offer)
    }
}

/// The schema of the first `chat_request` after the last `turn_start`.
fn schema<'a>(events: &[Event<'a>]) -> Option<Raw<'a>> {
    let starts = |event: &Event<'_>| event.kind() == EventKind::TurnStart;
    let from = events.iter().rposition(starts).unwrap_or(0);
    let mut turn = events[from..].iter();
    let request = turn.find(|event| event.kind() == EventKind::ChatRequest)?;
    request.get("schema").filter(|schema| !schema.is_null())
}

/// The items of one body, as they are put in order.
pub(super) struct Items<'a, 'b> {
    events: &'b [Event<'a>],
    walk: &'b Walk<'a>,
    rules: &'b Rules,
    items: Vec<Item<'a>>,
    ids: Ids<'a>,
    /// The calls sent so far, by ascending index: index, id, name.
    calls: Vec<(usize, Cow<'a, str>, Text<'a>)>,
    /// Indices of reasoning that compaction took out.
    stripped: Vec<usize>,
    /// How many of `calls` belong to messages that have been answered.
    heard: usize,
    /// Texts of the user message being gathered; its results are in `items`.
    texts: Vec<Item<'a>>,
    has_results: bool,
    told: &'b mut Vec<Diagnostic>,
}

impl<'a, 'b> Items<'a, 'b> {
    pub(super) fn of(
        events: &'b [Event<'a>],
        walk: &'b Walk<'a>,
        rules: &'b Rules,
        told: &'b mut Vec<Diagnostic>,
    ) -> (Vec<Item<'a>>, Vec<usize>) {
        let mut items = Self {
            events,
            walk,
            rules,
            items: Vec::with_capacity(events.len()),
            ids: Ids::default(),
            calls: Vec::new(),
            stripped: Vec::new(),
            heard: 0,
            texts: Vec::new(),
            has_results: false,
            told,
        };
        let is_compacted = events.iter().any(|e| e.kind() == EventKind::Compaction);
        let fates = match is_compacted {
            true => compaction::plan(events, rules.compaction()),
            false => Vec::new(),
        };
        let mut fates = fates.into_iter();
        let first = walk.first.unwrap_or(events.len());
        // A summary whose run begins before the first request, and goes on there.
        let mut begun = None;
        for (index, event) in events.iter().enumerate() {
            let fate = fates.next().unwrap_or(Fate::Keep);
            if index < first {
                match fate {
                    Fate::Summary(text) => begun = Some(text),
                    Fate::Drop => {}
                    _ if event.kind().is_conversation() => begun = None,
                    _ => {}
                }
                continue;
            }
            if index == first
                && fate == Fate::Drop
                && let Some(text) = begun.take()
            {
                items.summary(index, text);
                continue;
            }
            match fate {
                Fate::Summary(text) => items.summary(index, text),
                fate => items.event(index, event, fate),
            }
        }
        items.end_message();
        (items.items, items.stripped)
    }

    fn summary(&mut self, index: usize, text: Text<'a>) {
        let words = Words::Str(Cow::Borrowed(SUMMARY_REQUEST));
        self.push(index, Part::Request(words));
        let words = Words::Text(text);
        if !words.is_blank() {
            self.answered();
            self.push(index, Part::Message(words));
        }
    }

    fn event(&mut self, index: usize, event: &Event<'a>, fate: Fate<'a>) {
        if event.kind() == EventKind::ToolCallResponse {
            self.result(index, event, fate);
            return;
        }
        let side = self.rules.side(event, self.walk.owner(index));
        let Some(side) = side.filter(|_| fate != Fate::Drop) else {
            if let Some(Answer::Reasoning(text)) = event.answer() {
                self.no_reasoning(index, text, &fate);
            }
            return;
        };
        if side == Side::Assistant {
            self.answered();
        }
        let part = match event.kind() {
            EventKind::ChatRequest => event
                .text("content")
                .map(|text| Part::Request(Words::Text(text))),
            EventKind::ChatResponse => event.answer().map(|answer| match answer {
                Answer::Message(text) => Part::Message(Words::Text(text)),
                Answer::Reasoning(text) => Part::Reasoning(text),
                Answer::Structured(value) => Part::Structured(value),
            }),
            EventKind::ToolCallRequest => self.call(index, event, &fate),
            _ => None,
        };
        if let Some(part) = part {
            self.push(index, part);
        }
    }

    /// Reasoning is not sent: compaction took it out, or the provider takes none.
    fn no_reasoning(&mut self, index: usize, text: Text<'a>, fate: &Fate<'a>) {
        if *fate == Fate::Drop {
            self.stripped.push(index);
        } else if !is_blank(text) {
            self.told.push(Diagnostic::note(
                "reasoning-left-out",
                "reasoning is left out: the provider takes none back",
            ));
        }
    }

    fn call(
        &mut self,
        index: usize,
        event: &Event<'a>,
        fate: &Fate<'a>,
    ) -> Option<Part<'a>> {
        let (id, name) = (event.text("id")?, event.text("name")?);
        let id = self.ids.assign(id.decode(), self.rules);
        self.calls.push((index, id.clone(), name));
        let arguments = event.get("arguments");
        Some(Part::Call {
            id,
            name,
            arguments: arguments.filter(|_| *fate != Fate::StripArguments),
        })
    }

    /// A result goes with its call: it is sent exactly when the call is.
    fn result(&mut self, index: usize, event: &Event<'a>, fate: Fate<'a>) {
        let Some(call) = self.walk.partner[index] else {
            return;
        };
        let Ok(at) = self.calls.binary_search_by_key(&call, |(index, ..)| *index)
        else {
            return;
        };
        let (_, id, name) = &self.calls[at];
        let part = Part::Result {
            id: id.clone(),
            name: Some(*name),
            is_error: event.is_error(),
            content: match fate {
                Fate::StripContent(line) => ResultContent::Status(line),
                _ => ResultContent::Stored(Content::of(event)),
            },
        };
        self.push(index, part);
    }

    fn push(&mut self, index: usize, part: Part<'a>) {
        let event = &self.events[index];
        let item = Item {
            index,
            metadata: event.get("metadata"),
            owner: self.walk.owner(index).provider(event),
            part,
        };
        match item.part {
            Part::Request(_) => self.texts.push(item),
            Part::Result { .. } => {
                self.has_results = true;
                self.items.push(item);
            }
            _ => {
                self.items.push(item);
            }
        }
    }

    /// The assistant speaks: ends the user message being gathered, if one is.
    fn answered(&mut self) {
        if self.has_results || !self.texts.is_empty() {
            self.end_message();
        }
    }

    /// Ends the user message being gathered: calls without a result get one, then
    /// come the texts.
    fn end_message(&mut self) {
        for (index, id, name) in &self.calls[self.heard..] {
            let result = self.walk.partner[*index];
            if result.is_some_and(|result| result < self.events.len()) {
                continue;
            }
            self.items.push(Item {
                index: *index,
                metadata: None,
                owner: None,
                part: Part::Result {
                    id: id.clone(),
                    name: Some(*name),
                    is_error: true,
                    content: ResultContent::Interrupted,
                },
            });
            self.told.push(Diagnostic {
                position: Position {
                    event: Some(*index),
                    ..Position::default()
                },
                ..Diagnostic::warning(
                    "call-interrupted",
                    format!(
                        "call `{id}` got no result before the next request; answered \
                         with `{}`",
                        super::item::INTERRUPTED
                    ),
                )
            });
        }
        self.heard = self.calls.len();
        self.items.append(&mut self.texts);
        self.has_results = false;
    }
}
