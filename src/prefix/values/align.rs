//! How one list goes over into another: what went, what came, what stayed.
//!
//! Linear: two lists of digests are laid against each other at their ends, at a
//! fixed number of places.

use std::collections::HashMap;

/// The rest of a list and what has become of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Place for place: what differs was edited there.
    InPlace,
    /// `gone` entries went, `new` ones came in their stead, the rest is intact.
    Moved {
        gone: usize,
        new: usize,
        kept: usize,
    },
    /// The same entries in another order.
    Reordered,
}

/// Places of the second list at which the first's end is looked for.
const PLACES: usize = 16;

/// Compares two lists whose first entries differ.
pub(crate) fn shape(a: &[u64], b: &[u64]) -> Shape {
    if reordered(a, b) {
        return Shape::Reordered;
    }
    let same = a.iter().zip(b).filter(|(one, other)| one == other).count();
    let whole = ends(a, b);
    // The last entry may have grown.
    let found = whole.or_else(|| {
        let (_, rest) = a.split_last()?;
        let (gone, new, kept) = ends(rest, b)?;
        // What stands behind the run is the grown entry, if there is any.
        (new + kept < b.len()).then_some((gone, new, kept))
    });
    match found {
        Some((gone, new, kept)) if kept > same && (gone, new) != (0, 0) => {
            Shape::Moved { gone, new, kept }
        }
        _ => Shape::InPlace,
    }
}

/// The longest end of `a` that stands somewhere in `b`: what went before it in
/// `a`, what comes before it in `b`, and its length.
fn ends(a: &[u64], b: &[u64]) -> Option<(usize, usize, usize)> {
    let last = a.last()?;
    let places = b.iter().enumerate().filter(|(_, one)| *one == last);
    places
        .take(PLACES)
        .map(|(at, _)| {
            let back = a.iter().rev().zip(b[..=at].iter().rev());
            let kept = back.take_while(|(one, other)| one == other).count();
            (a.len() - kept, at + 1 - kept, kept)
        })
        // Of two runs as long, the one that moved least.
        .max_by_key(|(gone, new, kept)| (*kept, usize::MAX - gone - new))
}

fn reordered(a: &[u64], b: &[u64]) -> bool {
    if a.len() < 2 || b.len() < a.len() {
        return false;
    }
    let mut counts: HashMap<u64, isize> = HashMap::new();
    for one in a {
        *counts.entry(*one).or_default() += 1;
    }
    for one in &b[..a.len()] {
        *counts.entry(*one).or_default() -= 1;
    }
    counts.values().all(|count| *count == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_went_and_what_came() {
        let moved = |gone, new, kept| Shape::Moved { gone, new, kept };
        for (a, b, expected) in [
            (&[1, 2, 3, 4, 5][..], &[3, 4, 5, 6, 7][..], moved(2, 0, 3)),
            (&[1, 2, 3], &[9, 1, 2, 3, 4], moved(0, 1, 3)),
            (&[1, 2, 3, 4], &[9, 3, 4, 5], moved(2, 1, 2)),
            (&[1, 2, 3], &[2, 1, 3, 4], Shape::Reordered),
            (&[1, 2, 3, 4], &[9, 2, 3, 4, 5], Shape::InPlace),
            (&[1, 2], &[8, 9], Shape::InPlace),
            (&[1], &[], Shape::InPlace),
            // The last entry grew.
            (&[1, 2, 3, 4], &[2, 3, 9], moved(1, 0, 2)),
        ] {
            assert_eq!(shape(a, b), expected, "{a:?} {b:?}");
        }
    }
}
