//! Boundaries: the places where a directive may stand.
//!
//! `docs/directives.md#placement`. A system message with content goes behind a user
//! message and before an assistant message, or ends the conversation; so never
//! first, and never between a call and its result, since every user message that
//! follows a call holds all its results. A boundary behind a paused assistant turn
//! would take text alone; stored conversations hold no server tool results, and
//! such places are not used. A change snaps to the first boundary that is not
//! before it: what is behind a boundary is never moved in front of it.

/// A place where a directive may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Boundary {
    /// How many items stand before it.
    pub items: usize,
    /// The index of the entry behind it: changes of earlier entries belong here.
    pub entry: usize,
    /// How many items stand before the user message that it stands behind.
    pub start: usize,
    /// The index of the last entry of that message.
    pub last: usize,
}

/// The boundaries of a list of items, each given as whether the user speaks and
/// the index of its entry; `end` is the number of entries the list was made from.
pub fn boundaries(
    items: impl Iterator<Item = (bool, usize)>,
    end: usize,
) -> Vec<Boundary> {
    let mut found = Vec::new();
    let mut user = false;
    let mut count = 0;
    let mut start = 0;
    let mut last = 0;
    for (speaks, entry) in items {
        if user && !speaks {
            found.push(Boundary {
                items: count,
                entry,
                start,
                last,
            });
        }
        if speaks && !user {
            start = count;
        }
        if speaks {
            last = entry;
        }
        user = speaks;
        count += 1;
    }
    if user {
        found.push(Boundary {
            items: count,
            entry: end,
            start,
            last,
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(items: &str) -> Vec<(usize, usize)> {
        let sides = items.chars().enumerate();
        let sides = sides.map(|(index, side)| (side == 'u', index));
        let found = boundaries(sides, items.len());
        found.iter().map(|one| (one.items, one.entry)).collect()
    }

    #[test]
    fn boundaries_stand_behind_users_and_before_assistants() {
        assert_eq!(places(""), []);
        assert_eq!(places("a"), []);
        assert_eq!(places("u"), [(1, 1)]);
        assert_eq!(places("auaau"), [(2, 2), (5, 5)]);
        assert_eq!(places("uuaaua"), [(2, 2), (5, 5)]);
    }
}
