//! Making the thread of a request point.
//!
//! [`Builder`] goes through the request points of one conversation in order and
//! keeps what does not change between them: the configuration is merged delta by
//! delta, prelude and tools are made anew only when a delta touched them. Items
//! are ordered as every body needs them: results before the texts of their
//! message, stored ones first, then those that repair puts in (`docs/bodies.md#request-points`).

use super::inputs::{Attachment, Inputs};
use super::item::{Item, Part, Side};
use super::items::Items;
use super::jp::{self, Inserted};
use super::owner::is_sealed;
use super::prelude::Prelude;
use super::rules::Rules;
use super::tool::Offer;
use super::walk::Walk;
use super::{Bound, Efforts, LeftOut, Placed, Thread};
use crate::body::Provider;
use crate::config::{Config, Mode, Replay, Versions, Warnings};
use crate::directive::{Boundary, CatalogueFile, Deriver, Dialect, boundaries};
use crate::error::Diagnostic;
use crate::event::{Event, EventKind};
use crate::json::Raw;
use std::rc::Rc;

/// What was made of the configuration, and of which state of it, for whom.
struct Made<'a> {
    versions: Versions,
    provider: Provider,
    prelude: Rc<Prelude>,
    offer: Rc<Offer<'a>>,
    /// What there is to tell of it and was not asked for yet.
    unsaid: Vec<Diagnostic>,
}

/// What of the head of a flattened body is another than at the request before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Moved {
    /// The system parts.
    pub prelude: bool,
    /// The system prompt among them.
    pub prompt: bool,
    /// The tools.
    pub tools: bool,
}

/// Makes the threads of one conversation, point by point.
pub struct Builder<'a, 'b> {
    events: &'b [Event<'a>],
    walk: &'b Walk<'a>,
    inputs: &'b Inputs<'a>,
    /// Definitions from outside.
    file: Option<&'b CatalogueFile<'a>>,
    replay: Replay<'a>,
    made: Option<Made<'a>>,
    head: Option<(u32, bool, Rc<Prelude>)>,
    /// The configuration of the thread last made, and its point.
    last: Option<(usize, Rc<Config<'a>>)>,
    attachments: Rc<Vec<Attachment<'a>>>,
}

impl<'a, 'b> Builder<'a, 'b> {
    /// A builder before the first point.
    pub fn new(
        events: &'b [Event<'a>],
        walk: &'b Walk<'a>,
        inputs: &'b Inputs<'a>,
        file: Option<&'b CatalogueFile<'a>>,
    ) -> Self {
        Self {
            file,
            events,
            walk,
            inputs,
            replay: walk.replay.clone(),
            made: None,
            head: None,
            last: None,
            attachments: Rc::new(inputs.attachments.clone().unwrap_or_default()),
        }
    }

    /// The configuration just before the entry `point`. Points must not go back.
    pub fn config_at(&mut self, point: usize) -> &Rc<Config<'a>> {
        self.replay.to(point);
        self.replay.config()
    }

    fn config(&self) -> &Rc<Config<'a>> {
        self.replay.config()
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
        self.last = Some((point, self.config_at(point).clone()));
        warnings.event = None;
        let (prelude, offer) = self.made(rules, warnings);
        let events = &self.events[..point];
        let items = match rules.mode {
            Mode::Jp => (jp::items(events, inserted, self.walk), Vec::new()),
            Mode::Convo => Items::of(events, self.walk, rules, &mut warnings.list),
        };
        self.joined(point, prelude, items, offer, None)
    }

    /// The same thread with its changes where they happened, as far as `deriver`
    /// places them, and without thinking whose prefix has changed.
    pub fn placed(
        &mut self,
        point: usize,
        rules: &Rules,
        (deriver, dialect): (&mut Deriver<'a, '_>, &dyn Dialect<'a>),
        bound: Option<Bound>,
        warnings: &mut Warnings,
    ) -> Thread<'a> {
        self.last = Some((point, self.config_at(point).clone()));
        warnings.event = None;
        let events = &self.events[..point];
        let mut items = Items::of(events, self.walk, rules, &mut warnings.list);
        let places = |items: &[Item<'a>]| {
            let sides = items.iter();
            let sides = sides.map(|one| (one.part.side() == Side::User, one.index));
            boundaries(sides, point)
        };
        let mut found = places(&items.0);
        let length = |entry: usize| -> usize {
            let all = events[..entry.min(events.len())].iter();
            all.map(|event| event.raw().bytes().len()).sum()
        };
        let turns = |items: &[Item<'a>], one: &Boundary| {
            let first = items.get(one.start);
            first.is_some_and(|item| matches!(item.part, Part::Request(_)))
        };
        let is_turn = |one: &Boundary| turns(&items.0, one);
        deriver.derive(&found, point, (&is_turn, &length), dialect, warnings);
        let left_out = bound.and_then(|bound| {
            let moved = deriver.head_moved().filter(|(at, _)| *at > bound.since.0);
            let since = moved.unwrap_or(bound.since);
            self.leave_out(&mut items.0, since, bound.asks)
        });
        if left_out.is_some_and(|one| !one.asked) {
            // An answer that was thinking alone is gone, and with it a boundary.
            let mut now = places(&items.0);
            // Where the others stand is decided by what was said, left out or not.
            for one in &mut now {
                let known = found.binary_search_by_key(&one.last, |old| old.last);
                if let Ok(at) = known {
                    one.entry = found[at].entry;
                }
            }
            let entries = |one: &[Boundary]| -> Vec<usize> {
                one.iter().map(|boundary| boundary.entry).collect()
            };
            if entries(&now) != entries(&found) {
                let is_turn = |one: &Boundary| turns(&items.0, one);
                deriver.derive(&now, point, (&is_turn, &length), dialect, warnings);
            }
            found = now;
        }
        let (prelude, offer) = match deriver.places_texts() {
            true => (self.placed_prelude(deriver, rules), None),
            false => {
                let (prelude, offer) = self.made(rules, warnings);
                (prelude, Some(offer))
            }
        };
        let directives = found.iter().zip(deriver.stops());
        let directives = directives
            .filter(|(_, stop)| !stop.directive.is_empty())
            .map(|(boundary, stop)| (boundary.items, stop.directive.clone()));
        let directives = directives.collect();
        if let Some(offer) = offer {
            let mut thread = self.joined(point, prelude, items, offer, None);
            thread.bound = left_out;
            return thread;
        }
        let choice = deriver.choice(warnings);
        let (tools, offer) = match deriver.offered(&choice) {
            Some(offered) => {
                let catalogue = deriver.catalogue().unwrap_or_default();
                let tools = Vec::new();
                (Some((catalogue, offered)), Rc::new(Offer { tools, choice }))
            }
            None => (None, self.made(rules, warnings).1),
        };
        let efforts = deriver.efforts().map(|said| Efforts {
            said: said.map(|(at, level)| (found[at].start, level)).collect(),
            top: deriver.stops().first().and_then(|stop| stop.voice.top),
        });
        let placed = Some(Placed {
            directives,
            efforts,
            tools,
        });
        let mut thread = self.joined(point, prelude, items, offer, placed);
        thread.bound = left_out;
        thread
    }

    /// Takes out the thinking that answers a request before `since`, unless the API
    /// is asked to.
    fn leave_out(
        &self,
        items: &mut Vec<Item<'a>>,
        (since, why): (usize, &'static str),
        asks: bool,
    ) -> Option<LeftOut> {
        let points = &self.walk.points;
        let is_bound = |item: &Item<'a>| {
            let next = points.partition_point(|one| *one <= item.index);
            let asked = points[..next].last().copied().unwrap_or(0);
            asked < since && is_sealed(item)
        };
        let bytes = |item: &Item<'a>| {
            let Part::Reasoning(text) = item.part else {
                return 0;
            };
            let seal = item.metadata.map_or(0, |metadata| metadata.bytes().len());
            text.escaped().len() + seal
        };
        let mut found = items.iter().filter(|item| is_bound(item)).peekable();
        let first = found.peek()?.index;
        let (count, bytes) =
            found.fold((0, 0), |(n, sum), item| (n + 1, sum + bytes(item)));
        if !asks {
            items.retain(|item| !is_bound(item));
        }
        Some(LeftOut {
            count,
            bytes,
            first,
            since,
            why,
            asked: asks,
        })
    }

    /// The prompt in force, then the sections at the first `chat_request`.
    fn placed_prelude(
        &mut self,
        deriver: &Deriver<'a, '_>,
        rules: &Rules,
    ) -> Rc<Prelude> {
        if let Some(parts) = self.inputs.system_parts {
            return Rc::new(Prelude::given(parts));
        }
        let config = match deriver.keeps_prompt() {
            true => deriver.head(),
            false => self.config(),
        };
        let version = config.versions().prompt;
        let has_tools = deriver.says_usage();
        match &self.head {
            Some((known, tools, prelude))
                if (*known, *tools) == (version, has_tools) =>
            {
                prelude.clone()
            }
            _ => {
                let prompt = config.system_prompt();
                let head = deriver.head();
                let prelude = Prelude::with_prompt(prompt, head, has_tools, rules.mode);
                let prelude = Rc::new(prelude);
                self.head = Some((version, has_tools, prelude.clone()));
                prelude
            }
        }
    }

    /// Joins what was made for the request at `point`; with the items goes what
    /// was taken away of them.
    fn joined(
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
            config: self.config().clone(),
            bound: None,
            placed,
        }
    }

    /// Compares the flattened head at `point`, where the configuration stands, with
    /// that of the request at `before`, an earlier one.
    pub fn moved(&mut self, before: usize, point: usize, rules: &Rules) -> Moved {
        self.config_at(point);
        let old = match self.last.take().filter(|(at, _)| *at == before) {
            Some((_, config)) => config,
            None => {
                let mut replay = self.walk.replay.clone();
                replay.to(before);
                replay.config().clone()
            }
        };
        let new = self.config().clone();
        if old.versions() == new.versions() {
            return Moved::default();
        }
        let mut quiet = Warnings::default();
        let (prelude, offer) = match &self.made {
            Some(made)
                if (made.versions, made.provider)
                    == (old.versions(), rules.provider) =>
            {
                (made.prelude.clone(), made.offer.clone())
            }
            _ => self.make(&old, rules, &mut Warnings::default()),
        };
        let made = self.made(rules, &mut quiet);
        if let Some(made) = &mut self.made {
            made.unsaid.append(&mut quiet.list);
        }
        let texts = |one: &Rc<Prelude>| -> Vec<Vec<u8>> {
            one.iter().map(|(_, text)| text.to_vec()).collect()
        };
        Moved {
            prelude: texts(&prelude) != texts(&made.0),
            prompt: old.system_prompt() != new.system_prompt(),
            tools: !offer.is_like(&made.1),
        }
    }

    fn made(
        &mut self,
        rules: &Rules,
        warnings: &mut Warnings,
    ) -> (Rc<Prelude>, Rc<Offer<'a>>) {
        let versions = self.config().versions();
        if let Some(made) = &mut self.made
            && (made.versions, made.provider) == (versions, rules.provider)
        {
            warnings.list.append(&mut made.unsaid);
            return (made.prelude.clone(), made.offer.clone());
        }
        let (prelude, offer) = self.make(self.config(), rules, warnings);
        self.made = Some(Made {
            versions,
            provider: rules.provider,
            prelude: prelude.clone(),
            offer: offer.clone(),
            unsaid: Vec::new(),
        });
        (prelude, offer)
    }

    /// Makes system parts and tools of a configuration.
    fn make(
        &self,
        config: &Config<'a>,
        rules: &Rules,
        warnings: &mut Warnings,
    ) -> (Rc<Prelude>, Rc<Offer<'a>>) {
        let inputs = self.inputs;
        let choice = inputs.tool_choice.clone();
        let choice = choice.unwrap_or_else(|| config.tool_choice());
        let offer = match inputs.tools {
            Some(tools) => Offer::given(tools, choice, rules, warnings),
            None => Offer::of(config, choice, self.file, rules, warnings),
        };
        let prelude = match inputs.system_parts {
            Some(parts) => {
                let mut prelude = Prelude::given(parts);
                if rules.mode == Mode::Convo {
                    let head = self.walk.first.unwrap_or_default();
                    let mut replay = self.walk.replay.clone();
                    replay.to(head);
                    prelude.add_later(config, replay.config());
                }
                prelude
            }
            None => {
                let has_tools = !offer.tools.is_empty();
                Prelude::of(config, has_tools, rules.mode)
            }
        };
        (Rc::new(prelude), Rc::new(offer))
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
