//! Putting the items of one body in order.
//!
//! Items are ordered as every body needs them: results before the texts of their
//! message, stored ones first, then those that repair puts in
//! (`docs/formats.md`).

use super::item::{Item, Part, ResultContent, Side, Words};
use super::rules::Rules;
use super::walk::Walk;
use crate::block::Content;
use crate::body::id::{IdRules, Ids};
use crate::config::escaped::is_blank;
use crate::error::{Diagnostic, Position};
use crate::event::{Answer, Event, EventKind};
use crate::json::Text;
use crate::stream::compaction::{self, Fate, SUMMARY_REQUEST};
use crate::term::quoted;
use std::borrow::Cow;

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
        let stored = id.decode();
        let id = self.ids.assign(Cow::clone(&stored), self.rules.ids);
        if id != stored {
            self.renamed(index, &stored, &id);
        }
        self.calls.push((index, id.clone(), name));
        let arguments = event.get("arguments");
        Some(Part::Call {
            id,
            name,
            arguments: arguments.filter(|_| *fate != Fate::StripArguments),
        })
    }

    /// Tells that a call, and the result that answers it, go under another id.
    fn renamed(&mut self, index: usize, stored: &str, id: &str) {
        let provider = self.rules.provider.name();
        let IdRules { takes, longest } = self.rules.ids;
        let why = match stored {
            "" => format!("{provider} takes no empty id"),
            _ if stored.len() > longest => format!("{provider} takes {longest} bytes"),
            _ if stored.bytes().all(takes) => "another call has it".to_owned(),
            _ => format!("{provider} refuses some of its characters"),
        };
        let (stored, id) = (quoted(stored), quoted(id));
        let mut note = Diagnostic::note(
            "call-id-changed",
            format!(
                "the id {stored} of a call is sent as {id}, in its result too: {why}"
            ),
        );
        note.position.event = Some(index);
        self.told.push(note);
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
