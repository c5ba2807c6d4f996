//! Ids of calls, as a provider takes them (`docs/bodies.md#request-points`).
//!
//! Characters the provider refuses become `_`; an id that is empty or was written
//! before gets the first free suffix (`<id>_2`, ...).

use super::rules::Rules;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The ids written into one body.
#[derive(Debug, Default)]
pub(super) struct Ids<'a> {
    written: HashSet<Cow<'a, str>>,
    /// The suffix to try next for an id that came again.
    next: HashMap<Cow<'a, str>, usize>,
}

impl<'a> Ids<'a> {
    /// The id to write for a call that is stored under `id`.
    pub(super) fn assign(&mut self, id: Cow<'a, str>, rules: &Rules) -> Cow<'a, str> {
        let takes = rules.takes_id_byte;
        let clean = if id.bytes().all(takes) {
            id
        } else {
            let mend = |c: char| {
                if c.is_ascii() && takes(c as u8) {
                    c
                } else {
                    '_'
                }
            };
            Cow::Owned(id.chars().map(mend).collect())
        };
        let clean = cut(clean, rules.longest_id);
        if !clean.is_empty() && self.written.insert(clean.clone()) {
            return clean;
        }
        let next = self.next.entry(clean.clone()).or_insert(2);
        loop {
            let suffix = format!("_{next}");
            let room = rules.longest_id.saturating_sub(suffix.len());
            let id = Cow::Owned(cut(clean.clone(), room).into_owned() + &suffix);
            *next += 1;
            if self.written.insert(Cow::clone(&id)) {
                return id;
            }
        }
    }
}

/// The first bytes of an id, as many as there is room for, no character split.
fn cut(mut id: Cow<'_, str>, room: usize) -> Cow<'_, str> {
    if id.len() <= room {
        return id;
    }
    let fits = |end: &usize| id.is_char_boundary(*end);
    let end = (0..=room).rev().find(fits).unwrap_or(0);
    match &mut id {
        Cow::Borrowed(text) => *text = &text[..end],
        Cow::Owned(text) => text.truncate(end),
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Provider;
    use crate::config::Mode;

    fn rules(longest_id: usize) -> Rules {
        Rules {
            provider: Provider::OpenAi,
            mode: Mode::Convo,
            takes_reasoning: |_, _, _, _| true,
            takes_id_byte: |b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-',
            longest_id,
            takes_tool_name: |_| true,
        }
    }

    #[test]
    fn every_id_is_clean_and_written_once() {
        let rules = rules(usize::MAX);
        let mut ids = Ids::default();
        let given = ["a", "a", "a_2", "", "", "é.x", "_x", "__x", "a"];
        let written = given.map(|id| ids.assign(Cow::Borrowed(id), &rules));
        let expected = ["a", "a_2", "a_2_2", "_2", "_3", "__x", "_x", "__x_2", "a_3"];
        assert_eq!(written, expected.map(Cow::Borrowed));
    }

    #[test]
    fn an_id_that_is_too_long_is_cut_and_still_its_own() {
        let rules = Rules {
            takes_id_byte: |_| true,
            ..rules(64)
        };
        let mut ids = Ids::default();
        let long = "é".repeat(40);
        let first = ids.assign(Cow::Borrowed(&long), &rules);
        assert_eq!(first, "é".repeat(32));
        let second = ids.assign(Cow::Borrowed(&long), &rules);
        assert_eq!(second, "é".repeat(31) + "_2");
        assert_eq!(second.len(), 64);
    }
}
