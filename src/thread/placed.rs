//! Making the thread of a request point whose changes stand where they happened.
//!
//! `docs/directives.md`: the prelude is that of the first `chat_request`, save the system
//! prompt; what changed since is a directive between items. Items are those of any
//! other thread.

use super::build::{Builder, Items};
use super::prelude::Prelude;
use super::rules::Rules;
use super::tool::Offer;
use super::walk::Side;
use super::{Placed, Thread};
use crate::config::Warnings;
use crate::directive::{Deriver, Dialect, boundaries};
use std::rc::Rc;

impl<'a> Builder<'a, '_> {
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
        let version = self.config.versions().prompt;
        let has_tools = deriver.head_has_tools();
        match &self.head {
            Some((known, tools, prelude))
                if (*known, *tools) == (version, has_tools) =>
            {
                prelude.clone()
            }
            _ => {
                let prompt = self.config.system_prompt();
                let head = deriver.head();
                let prelude = Prelude::with_prompt(prompt, head, has_tools, rules.mode);
                let prelude = Rc::new(prelude);
                self.head = Some((version, has_tools, prelude.clone()));
                prelude
            }
        }
    }
}
