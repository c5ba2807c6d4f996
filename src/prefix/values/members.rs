//! Two objects whose keys part, laid side by side.
//!
//! Every container of both values is digested once and its length noted, so that
//! looking at the members of an object passes none of their bytes: however often
//! keys part on the way down, the whole walk stays linear.

use super::differ::{Change, Found, Frame, Pair, Step};
use super::digest::{self, Index, Manner, Steps};
use super::zone::Zone;
use crate::json::{Raw, Text};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// One member of an object that counts.
struct Member<'a> {
    name: Cow<'a, str>,
    key: Text<'a>,
    value: Raw<'a>,
}

impl<'a, 'm> Pair<'a, 'm> {
    /// Two objects whose keys part: which key is gone, which is new, or which of
    /// those that stand elsewhere has another value.
    pub(crate) fn members(&mut self, top: &Frame) -> Found<'a> {
        self.know();
        let a = self.read(&self.a, top.start_a, top.zone);
        let b = self.read(&self.b, top.start_b, top.zone);
        let map = |list: &[Member<'a>]| {
            let pairs = list.iter().map(|one| (one.name.clone(), one.value));
            pairs.collect::<HashMap<_, _>>()
        };
        let (in_a, in_b) = (map(&a), map(&b));
        if let Some(gone) = a.iter().find(|one| !in_b.contains_key(&one.name)) {
            self.steps.push(Step::Key(gone.name.clone()));
            return Found::Part(self.here(Change::Removed, Some(gone.value), None));
        }
        if let Some(new) = b.iter().find(|one| !in_a.contains_key(&one.name)) {
            self.steps.push(Step::Key(new.name.clone()));
            return Found::Part(self.here(Change::Added, None, Some(new.value)));
        }
        for one in &a {
            let (value, other) = (in_a[&one.name], in_b[&one.name]);
            let zone = top.zone.member(one.key);
            if self.digest(value, zone) != self.digest(other, zone) {
                return Found::Into(one.key, value, other, zone);
            }
        }
        // Of a key that stands twice the last counts, as for any reader of JSON.
        let last = |list: &[Member<'a>]| {
            let mut seen = HashSet::new();
            let names = list.iter().rev().map(|one| one.name.clone());
            names
                .filter(|name| seen.insert(name.clone()))
                .collect::<Vec<_>>()
        };
        if last(&a) == last(&b) {
            return Found::Same;
        }
        Found::Part(self.here(Change::KeyOrder, None, None))
    }

    /// The members that count of the object at `start`, no byte of them passed.
    fn read(&self, steps: &Steps<'a>, start: usize, zone: Zone) -> Vec<Member<'a>> {
        let mut steps = Steps {
            bytes: steps.bytes,
            pos: start + 1,
        };
        let mut members = Vec::new();
        while let Some((key, at)) = steps.member(Zone::Inside) {
            let rest = Raw::checked(&steps.bytes[at..]);
            let known = self.known.as_ref().and_then(|known| known.find(rest));
            let length = known.map(|(_, length)| length);
            steps.pos = at;
            let value = match length {
                Some(length) => {
                    steps.pos += length;
                    Raw::checked(&steps.bytes[at..steps.pos])
                }
                None => steps.take(),
            };
            if !zone.skips(key, value) {
                let name = key.decode();
                members.push(Member { name, key, value });
            }
        }
        members
    }

    fn know(&mut self) {
        if self.known.is_none() {
            let (manner, whole) = (self.manner(), self.whole);
            let mut all = Index::default();
            all.add(whole.0, whole.2, manner);
            all.add(whole.1, whole.2, manner);
            self.known = Some(all);
        }
    }

    fn manner(&self) -> Manner<'m> {
        Manner {
            ordered: false,
            loose: true,
            masks: self.masks,
        }
    }

    /// The digest by value of one of the values at hand.
    fn digest(&self, raw: Raw<'a>, zone: Zone) -> u64 {
        let known = self.known.as_ref().and_then(|known| known.find(raw));
        match known {
            Some((digest, _)) if !matches!(zone, Zone::Blocks(_)) => digest,
            _ => digest::digest(raw, zone, self.manner()),
        }
    }
}
