//! Sections that stand, and what is said when they change.
//!
//! A section is what it renders to; lists are compared as multisets, for the same
//! text can be there twice and an edit is stored as an addition. The difference is
//! that to the boundary before, so a section that returns is said again, and
//! whoever replays prelude and directives ends in the sections that are in force
//! (`docs/directives.md`). Only what a list does not share with its last state is
//! rendered again.

use super::{Directive, Withdrawals};
use crate::config::{Config, Instruction, Section, TOOL_USAGE, escaped};
use crate::json::{Text, write};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Bound;
use std::sync::Arc;

/// The title of the section that goes with tools: it stands whatever happens.
const USAGE: &str = "Tool Usage";

/// One entry of a list, rendered; blank ones are nothing.
#[derive(Debug, Clone)]
struct Part {
    bytes: Arc<[u8]>,
    position: i32,
    /// What a notice calls it.
    name: String,
    /// Whether that is a title of its own.
    titled: bool,
}

/// The texts of a conversation so far.
#[derive(Debug, Default)]
pub(super) struct Texts {
    /// How often each text is in force.
    counts: HashMap<Arc<[u8]>, usize>,
    /// How often a text that is in force is not the conversation's to say: a prelude
    /// that is given from outside stands for it.
    silent: HashMap<Arc<[u8]>, usize>,
    /// The texts said and in force, in order of their bytes.
    standing: BTreeMap<Arc<[u8]>, ()>,
    /// The texts that stand under each name.
    names: HashMap<String, HashSet<Arc<[u8]>>>,
    sections: Vec<Part>,
    instructions: Vec<Part>,
}

/// What an update has found.
#[derive(Debug, Default)]
pub(super) struct Updated {
    /// The names of what went away.
    pub(super) gone: Vec<String>,
    /// Whether a head that holds all sections is another now.
    pub(super) moved: bool,
}

impl Texts {
    /// The texts of the prelude, all of them said; `given` are the parts of a
    /// prelude from outside that stands in its place.
    pub(super) fn of(config: &Config<'_>, given: Option<&[Arc<[u8]>]>) -> Self {
        let mut texts = Self::default();
        let (_, new) = texts.take(config, (0, 0));
        if let Some(given) = given {
            texts.silent = texts.counts.clone();
            let mut parts: HashMap<Arc<[u8]>, usize> = HashMap::new();
            for part in given {
                *parts.entry(part.clone()).or_default() += 1;
            }
            for (part, count) in parts {
                let silent = texts.silent.entry(part).or_default();
                *silent = count.max(*silent);
            }
        }
        texts.settle(&new);
        texts
    }

    /// How often a text is in force and the conversation's to say.
    fn count(&self, bytes: &[u8]) -> usize {
        let all = self.counts.get(bytes).copied().unwrap_or(0);
        let silent = self.silent.get(bytes).copied().unwrap_or(0);
        all.saturating_sub(silent)
    }

    /// Writes down which of these parts stand.
    fn settle(&mut self, parts: &[Part]) {
        for part in parts {
            if self.count(&part.bytes) > 0 {
                self.standing.insert(part.bytes.clone(), ());
                let named = self.names.entry(part.name.clone()).or_default();
                named.insert(part.bytes.clone());
                continue;
            }
            self.standing.remove(&part.bytes);
            if let Some(named) = self.names.get_mut(&part.name) {
                named.remove(&part.bytes);
                if named.is_empty() {
                    self.names.remove(&part.name);
                }
            }
        }
    }

    /// Says what has changed since the last call.
    pub(super) fn update(
        &mut self,
        config: &mut Config<'_>,
        withdrawals: Withdrawals,
        directive: &mut Directive,
    ) -> Updated {
        let kept = config.take_kept();
        let mut before: HashMap<Arc<[u8]>, usize> = HashMap::new();
        let old = self.tail(kept);
        for part in &old {
            let count = self.count(&part.bytes);
            before.entry(part.bytes.clone()).or_insert(count);
        }
        let (gone, mut new) = self.take(config, kept);
        let moved = !gone.iter().map(Part::key).eq(new.iter().map(Part::key));
        let mut added: HashMap<Arc<[u8]>, usize> = HashMap::new();
        for part in &new {
            *added.entry(part.bytes.clone()).or_default() += 1;
        }
        for (bytes, added) in added {
            // Not in the old tail: all copies but the new ones were there before.
            let all = self.counts.get(&bytes).copied().unwrap_or(0);
            let silent = self.silent.get(&bytes).copied().unwrap_or(0);
            let count = (all - added).saturating_sub(silent);
            before.entry(bytes).or_insert(count);
        }
        let touched: Vec<Part> = gone.iter().chain(&new).cloned().collect();
        let count = |texts: &Self, part: &Part| {
            let old = before.get(&part.bytes).copied().unwrap_or(0);
            (old, texts.count(&part.bytes))
        };
        let mut seen = HashSet::new();
        let withdrawn: Vec<Part> = gone
            .into_iter()
            .filter(|part| {
                let (old, now) = count(self, part);
                now < old && seen.insert(part.bytes.clone())
            })
            .collect();
        let updated = Updated {
            gone: withdrawn
                .iter()
                .filter(|part| self.count(&part.bytes) == 0)
                .map(|part| part.name.clone())
                .collect(),
            moved,
        };
        let notice = withdrawals == Withdrawals::Notice;
        // How often each text is to be said; a notice takes all its copies back.
        let mut wanted: HashMap<Arc<[u8]>, usize> = HashMap::new();
        for part in &touched {
            let (old, now) = count(self, part);
            let wants = match now < old {
                true if notice => now,
                true => 0,
                false => now - old,
            };
            wanted.insert(part.bytes.clone(), wants);
        }
        let mut said: Vec<Part> = Vec::new();
        new.extend(withdrawn.iter().cloned());
        new.sort_by_key(|part| part.position);
        for part in new {
            if let Some(left) = wanted.get_mut(&part.bytes).filter(|left| **left > 0) {
                *left -= 1;
                said.push(part);
            }
        }
        let replaces = match notice {
            true => self.withdraw(&withdrawn, &said, directive),
            false => HashSet::new(),
        };
        for part in said {
            if replaces.contains(&part.name) && part.titled {
                directive.texts.push(line(&format!(
                    "This replaces the instructions in \"{}\" given earlier.",
                    part.name
                )));
            }
            directive.texts.push(part.bytes);
        }
        self.settle(&touched);
        updated
    }

    /// Takes back what went away; returns the titles whose new text says so itself.
    fn withdraw(
        &self,
        withdrawn: &[Part],
        said: &[Part],
        directive: &mut Directive,
    ) -> HashSet<String> {
        let mut names: HashMap<&str, usize> = HashMap::new();
        for part in said {
            // One without a title of its own cannot say what it replaces.
            *names.entry(&part.name).or_default() += if part.titled { 1 } else { 2 };
        }
        let mut replaces = HashSet::new();
        for part in withdrawn {
            let named = self.names.get(&part.name);
            let alone = part.name != USAGE && named.is_none_or(|all| all.len() < 2);
            if alone && part.titled && names.get(&*part.name) == Some(&1) {
                replaces.insert(part.name.clone());
            } else {
                let text = match alone {
                    true => line(&format!(
                        "The instructions in \"{}\" given earlier no longer apply.",
                        part.name
                    )),
                    false => self.quoted(&part.bytes),
                };
                directive.texts.push(text);
            }
        }
        replaces
    }

    /// A notice that quotes what is taken back: whole, or as many of its first lines
    /// as no other text that stands begins with.
    fn quoted(&self, bytes: &[u8]) -> Arc<[u8]> {
        let below = (Bound::Unbounded, Bound::Excluded(bytes));
        let above = (Bound::Excluded(bytes), Bound::Unbounded);
        let below = self.standing.range::<[u8], _>(below).next_back();
        let above = self.standing.range::<[u8], _>(above).next();
        let others = [below, above].into_iter().flatten().map(|(one, ())| &**one);
        let shared = others
            .chain([TOOL_USAGE.as_bytes()])
            .map(|one| one.iter().zip(bytes).take_while(|(a, b)| a == b).count())
            .max()
            .unwrap_or(0);
        let end = line_ends(bytes).find(|end| *end > shared);
        let end = end.filter(|end| *end < bytes.len());
        let mut out = b"The instructions given earlier that ".to_vec();
        out.extend_from_slice(match end {
            Some(_) => b"begin with ",
            None => b"read ",
        });
        out.extend_from_slice(b"\\\"");
        out.extend_from_slice(&bytes[..end.unwrap_or(bytes.len())]);
        out.extend_from_slice(b"\\\" no longer apply.");
        out.into()
    }

    /// What of the lists is not shared with the configuration any more.
    fn tail(&self, kept: (usize, usize)) -> Vec<Part> {
        let sections = &self.sections[kept.0.min(self.sections.len())..];
        let instructions = &self.instructions[kept.1.min(self.instructions.len())..];
        let both = sections.iter().chain(instructions);
        both.filter(|part| !part.bytes.is_empty())
            .cloned()
            .collect()
    }

    /// Takes over the lists of `config`: what went, and what came, in list order.
    fn take(
        &mut self,
        config: &Config<'_>,
        kept: (usize, usize),
    ) -> (Vec<Part>, Vec<Part>) {
        let gone = self.tail(kept);
        self.sections.truncate(kept.0);
        self.instructions.truncate(kept.1);
        for part in &gone {
            if let Some(count) = self.counts.get_mut(&part.bytes) {
                *count -= 1;
            }
        }
        let mut new = Vec::new();
        for section in &config.sections()[self.sections.len()..] {
            let part = Part::of_section(section);
            new.extend(part.text());
            self.sections.push(part);
        }
        for one in &config.instructions()[self.instructions.len()..] {
            let part = Part::of_instruction(one);
            new.extend(part.text());
            self.instructions.push(part);
        }
        for part in &new {
            *self.counts.entry(part.bytes.clone()).or_default() += 1;
        }
        (gone, new)
    }
}

impl Part {
    fn of_section(section: &Section<'_>) -> Self {
        let title = section.title().map(Text::decode);
        let titled = title.is_some_and(|title| !title.trim().is_empty());
        Self::new(section.position(), (section.name(), titled), |out| {
            section.render(out);
        })
    }

    fn of_instruction(one: &Instruction<'_>) -> Self {
        let title = one.title().map(Text::decode);
        let titled = title.is_some_and(|title| !title.trim().is_empty());
        Self::new(one.position(), (one.name(), titled), |out| one.render(out))
    }

    fn new(
        position: i32,
        (name, titled): (String, bool),
        render: impl FnOnce(&mut Vec<u8>),
    ) -> Self {
        let mut bytes = Vec::new();
        render(&mut bytes);
        if escaped::trim(&bytes).is_empty() {
            bytes.clear();
        }
        Self {
            bytes: bytes.into(),
            position,
            name,
            titled,
        }
    }

    fn text(&self) -> Option<Self> {
        (!self.bytes.is_empty()).then(|| self.clone())
    }

    /// What a head depends on.
    fn key(&self) -> (i32, &[u8]) {
        (self.position, &self.bytes)
    }
}

/// Where the lines of an escaped text end, the last one included.
fn line_ends(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let mut at = 0;
    std::iter::from_fn(move || {
        if at > bytes.len() {
            return None;
        }
        while at < bytes.len() {
            match (bytes[at], bytes.get(at + 1)) {
                (b'\\', Some(b'n')) => {
                    at += 2;
                    return Some(at - 2);
                }
                (b'\\', _) => at += 2,
                _ => at += 1,
            }
        }
        at = bytes.len() + 1;
        Some(bytes.len())
    })
}

fn line(text: &str) -> Arc<[u8]> {
    let mut bytes = Vec::new();
    write::escaped(&mut bytes, text);
    bytes.into()
}
