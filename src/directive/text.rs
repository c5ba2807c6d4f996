//! Sections that were said, and those that are in force (D-13).
//!
//! A section is what it renders to; lists are compared as multisets, for the same
//! text can be there twice and an edit is stored as an addition. Only what a list
//! does not share with its last state is rendered again.

use super::{Directive, Withdrawals};
use crate::config::{Config, Instruction, Section, escaped};
use crate::json::write;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// How often a text is in force, and how often it was said.
#[derive(Debug, Default, Clone, Copy)]
struct Count {
    now: usize,
    said: usize,
}

/// One entry of a list, rendered; blank ones are nothing.
#[derive(Debug)]
struct Part {
    bytes: Arc<[u8]>,
    position: i32,
    name: String,
}

/// A rendered text, and where it sorts.
type Sorted = (i32, Arc<[u8]>);

/// The texts of a conversation so far.
#[derive(Debug, Default)]
pub(super) struct Texts {
    counts: HashMap<Arc<[u8]>, Count>,
    sections: Vec<Part>,
    instructions: Vec<Part>,
}

impl Texts {
    /// The texts of the prelude, all of them said.
    pub(super) fn of(config: &Config<'_>) -> Self {
        let mut texts = Self::default();
        texts.take(config, (0, 0));
        for count in texts.counts.values_mut() {
            count.said = count.now;
        }
        texts
    }

    /// Says what is new since the last call; returns the names of what went away.
    pub(super) fn update(
        &mut self,
        config: &mut Config<'_>,
        withdrawals: Withdrawals,
        directive: &mut Directive,
    ) -> Vec<String> {
        let kept = config.take_kept();
        let (gone, mut new) = self.take(config, kept);
        let mut names = Vec::new();
        let mut seen = HashSet::new();
        for part in gone {
            // As long as a copy of it is in force, it still applies.
            let count = self.counts.get_mut(&part.bytes);
            let Some(count) = count.filter(|count| count.now == 0) else {
                continue;
            };
            if !seen.insert(part.bytes) {
                continue;
            }
            if withdrawals == Withdrawals::Notice {
                count.said = 0;
                directive.texts.push(notice(&part.name));
            }
            names.push(part.name);
        }
        new.sort_by_key(|(position, _)| *position);
        for (_, bytes) in new {
            if let Some(count) = self.counts.get_mut(&bytes)
                && count.said < count.now
            {
                count.said += 1;
                directive.texts.push(bytes);
            }
        }
        names
    }

    /// Takes over the lists of `config`: what went, and what came, in list order.
    fn take(
        &mut self,
        config: &Config<'_>,
        kept: (usize, usize),
    ) -> (Vec<Part>, Vec<Sorted>) {
        let mut gone: Vec<Part> = Vec::new();
        gone.extend(self.sections.drain(kept.0.min(self.sections.len())..));
        gone.extend(
            self.instructions
                .drain(kept.1.min(self.instructions.len())..),
        );
        gone.retain(|part| !part.bytes.is_empty());
        for part in &gone {
            if let Some(count) = self.counts.get_mut(&part.bytes) {
                count.now -= 1;
            }
        }
        let mut new = Vec::new();
        for section in &config.sections()[self.sections.len()..] {
            self.sections.push(Part::of_section(section));
            new.extend(self.sections.last().and_then(Part::text));
        }
        for one in &config.instructions()[self.instructions.len()..] {
            self.instructions.push(Part::of_instruction(one));
            new.extend(self.instructions.last().and_then(Part::text));
        }
        for (_, bytes) in &new {
            self.counts.entry(bytes.clone()).or_default().now += 1;
        }
        (gone, new)
    }
}

impl Part {
    fn of_section(section: &Section<'_>) -> Self {
        Self::new(section.position(), section.name(), |out| {
            section.render(out);
        })
    }

    fn of_instruction(one: &Instruction<'_>) -> Self {
        Self::new(one.position(), one.name(), |out| one.render(out))
    }

    fn new(position: i32, name: String, render: impl FnOnce(&mut Vec<u8>)) -> Self {
        let mut bytes = Vec::new();
        render(&mut bytes);
        if escaped::trim(&bytes).is_empty() {
            bytes.clear();
        }
        Self {
            bytes: bytes.into(),
            position,
            name,
        }
    }

    fn text(&self) -> Option<Sorted> {
        (!self.bytes.is_empty()).then(|| (self.position, self.bytes.clone()))
    }
}

fn notice(name: &str) -> Arc<[u8]> {
    let mut bytes = Vec::new();
    let text = format!("The instructions in \"{name}\" given earlier no longer apply.");
    write::escaped(&mut bytes, &text);
    bytes.into()
}
