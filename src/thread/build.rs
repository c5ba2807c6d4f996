//! Making the thread of a request point.
//!
//! [`Builder`] goes through the request points of one conversation in order and
//! keeps what does not change between them: the configuration is merged delta by
//! delta, prelude and tools are made anew only when a delta touched them. Items
//! are ordered as every body needs them: results before the texts of their
//! message, stored ones first, then those that repair puts in (`docs/bodies.md#request-points`).

use super::inputs::{Attachment, Inputs};
use super::item::{Item, Side};
use super::items::Items;
use super::jp::{self, Inserted};
use super::prelude::Prelude;
use super::rules::Rules;
use super::tool::Offer;
use super::walk::Walk;
use super::{Placed, Thread};
use crate::body::Provider;
use crate::config::{Config, Mode, Replay, Versions, Warnings};
use crate::directive::{Deriver, Dialect, boundaries};
use crate::event::{Event, EventKind};
use crate::json::Raw;
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
    events: &'b [Event<'a>],
    walk: &'b Walk<'a>,
    inputs: &'b Inputs<'a>,
    replay: Replay<'a>,
    made: Option<Made<'a>>,
    head: Option<(u32, bool, Rc<Prelude>)>,
    attachments: Rc<Vec<Attachment<'a>>>,
}

impl<'a, 'b> Builder<'a, 'b> {
    /// A builder before the first point.
    pub fn new(
        events: &'b [Event<'a>],
        walk: &'b Walk<'a>,
        inputs: &'b Inputs<'a>,
    ) -> Self {
        Self {
            events,
            walk,
            inputs,
            replay: walk.replay.clone(),
            made: None,
            head: None,
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

    /// The same thread with its changes where they happened.
    pub fn placed(
        &mut self,
        point: usize,
        rules: &Rules,
        deriver: &mut Deriver<'a, '_>,
        dialect: &dyn Dialect<'a>,
        warnings: &mut Warnings,
    ) -> Thread<'a> {
        self.config_at(point);
        warnings.event = None;
        let events = &self.events[..point];
        let items = Items::of(events, self.walk, rules, &mut warnings.list);
        let sides = items.0.iter();
        let sides = sides.map(|one| (one.part.side() == Side::User, one.index));
        let found = boundaries(sides, point);
        deriver.derive(&found, point, dialect, warnings);
        let prelude = match self.inputs.system_parts {
            Some(parts) => Rc::new(Prelude::given(parts)),
            None => self.placed_prelude(deriver, rules),
        };
        let directives = found.iter().zip(deriver.stops());
        let directives = directives
            .filter(|(_, stop)| !stop.directive.is_empty())
            .map(|(boundary, stop)| (boundary.items, stop.directive.clone()));
        let directives = directives.collect();
        let choice = deriver.choice(warnings);
        let (tools, offer) = match deriver.offered(&choice) {
            Some(offered) => {
                let catalogue = deriver.catalogue().unwrap_or_default();
                let tools = Vec::new();
                (Some((catalogue, offered)), Rc::new(Offer { tools, choice }))
            }
            None => (None, self.made(rules, warnings).1),
        };
        let placed = Some(Placed { directives, tools });
        self.joined(point, prelude, items, offer, placed)
    }

    /// The prompt in force, then the sections at the first `chat_request`.
    fn placed_prelude(
        &mut self,
        deriver: &Deriver<'a, '_>,
        rules: &Rules,
    ) -> Rc<Prelude> {
        let version = self.config().versions().prompt;
        let has_tools = deriver.says_usage();
        match &self.head {
            Some((known, tools, prelude))
                if (*known, *tools) == (version, has_tools) =>
            {
                prelude.clone()
            }
            _ => {
                let prompt = self.config().system_prompt();
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
            placed,
        }
    }

    fn made(
        &mut self,
        rules: &Rules,
        warnings: &mut Warnings,
    ) -> (Rc<Prelude>, Rc<Offer<'a>>) {
        let versions = self.config().versions();
        if let Some(made) = &self.made
            && (made.versions, made.provider) == (versions, rules.provider)
        {
            return (made.prelude.clone(), made.offer.clone());
        }
        let inputs = self.inputs;
        let choice = inputs.tool_choice.clone();
        let choice = choice.unwrap_or_else(|| self.config().tool_choice());
        let offer = match inputs.tools {
            Some(tools) => Offer::given(tools, choice, rules, warnings),
            None => Offer::of(self.config(), choice, rules, warnings),
        };
        let prelude = match inputs.system_parts {
            Some(parts) => {
                let mut prelude = Prelude::given(parts);
                if rules.mode == Mode::Convo {
                    let head = self.walk.first.unwrap_or_default();
                    let mut replay = self.walk.replay.clone();
                    replay.to(head);
                    prelude.add_later(self.config(), replay.config());
                }
                prelude
            }
            None => {
                let has_tools = !offer.tools.is_empty();
                Prelude::of(self.config(), has_tools, rules.mode)
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
