//! Entries, reach and lengths (`docs/prefix.md#kinds-of-cache`).
//!
//! A breakpoint writes one entry, at its own position. A reader walks back from
//! each of its breakpoints over at most twenty positions, itself the first, and
//! finds what was written there; a run of calls, or of results, is one position
//! where the platform says so. A segment is named by its place in hashing order.

use super::policy::{Entries, Policy};
use crate::cache::{Positions, Ttl};
use crate::prefix::report::Amount;
use crate::prefix::segment::Prefix;

/// The segments at which a request ends an entry.
#[derive(Debug)]
pub(crate) struct Marks {
    pub(crate) at: Vec<(usize, Ttl)>,
    /// Whether nothing is marked, so that every position counts.
    pub(crate) none: bool,
}

impl Marks {
    pub(crate) fn of(prefix: &Prefix<'_>, policy: &Policy<'_>) -> Self {
        let marked = || {
            let all = prefix.all().enumerate();
            all.filter_map(|(at, segment)| Some((at, segment.mark?)))
        };
        let mut at: Vec<_> = match policy.entries {
            Entries::Anywhere => Vec::new(),
            Entries::Marked | Entries::Implicit | Entries::Explicit => {
                marked().collect()
            }
        };
        if policy.entries == Entries::Implicit && prefix.len() > 0 {
            let last = prefix.len() - 1;
            if at.last().is_none_or(|(at, _)| *at != last) {
                at.push((last, Ttl::Minutes));
            }
        }
        let none = at.is_empty();
        if none {
            at = (0..prefix.len()).map(|at| (at, Ttl::Hour)).collect();
        }
        Self { at, none }
    }

    pub(crate) fn last(&self) -> Option<usize> {
        self.at.last().map(|(at, _)| *at)
    }
}

/// The position of every segment, counted from 1.
pub(crate) fn positions(prefix: &Prefix<'_>, runs: bool) -> Vec<usize> {
    let mut out = Vec::with_capacity(prefix.len());
    let mut positions = Positions::new(runs);
    let mut cleared = vec![false; prefix.messages.len()];
    for turn in prefix.turns.iter().filter(|turn| turn.cleared) {
        cleared[turn.from..turn.to].fill(true);
    }
    for (index, segment) in prefix.all().enumerate() {
        let gone = index >= prefix.head() && cleared[index - prefix.head()];
        // What has been cleared is not rendered, so it is no position.
        out.push(match gone {
            true => positions.at(),
            false => positions.next(segment.run),
        });
    }
    out
}

/// The length of a prompt up to and with each segment.
pub(crate) fn lengths(prefix: &Prefix<'_>) -> Vec<Amount> {
    let mut sum = Amount::default();
    prefix
        .all()
        .map(|segment| {
            sum.add(segment.amount());
            sum
        })
        .collect()
}

/// The nearest breakpoint at or behind `entry`, with how many positions lie
/// between.
pub(crate) fn nearest(
    entry: usize,
    marks: &Marks,
    positions: &[usize],
) -> Option<(usize, usize)> {
    let next = marks.at.partition_point(|(at, _)| *at < entry);
    let (at, _) = marks.at.get(next)?;
    let distance = positions.get(*at)?.saturating_sub(*positions.get(entry)?);
    Some((*at, distance))
}
