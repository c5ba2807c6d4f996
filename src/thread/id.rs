//! Ids of calls, as a provider takes them (`design.md` 2.3).
//!
//! Characters the provider refuses become `_`; an id that is empty or was written
//! before gets the first free suffix (`<id>_2`, ...).

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
    pub(super) fn assign(
        &mut self,
        id: Cow<'a, str>,
        takes: fn(u8) -> bool,
    ) -> Cow<'a, str> {
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
        if !clean.is_empty() && self.written.insert(clean.clone()) {
            return clean;
        }
        let next = self.next.entry(clean.clone()).or_insert(2);
        loop {
            let id = Cow::Owned(format!("{clean}_{next}"));
            *next += 1;
            if self.written.insert(Cow::clone(&id)) {
                return id;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_is_clean_and_written_once() {
        let takes = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
        let mut ids = Ids::default();
        let given = ["a", "a", "a_2", "", "", "é.x", "_x", "__x", "a"];
        let written = given.map(|id| ids.assign(Cow::Borrowed(id), takes));
        let expected = ["a", "a_2", "a_2_2", "_2", "_3", "__x", "_x", "__x_2", "a_3"];
        assert_eq!(written, expected.map(Cow::Borrowed));
    }
}
