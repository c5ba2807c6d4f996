//! What became of the messages (`docs/prefix.md#verdicts`).
//!
//! Messages are matched by position, for shifting is itself an edit. Where the
//! rest of the list has moved as a whole, that is one divergence and not many: a
//! window that slid, a message put in, a turn left out.

use super::acts;
use crate::finding::Rule;
use crate::prefix::report::{Cause, Level};
use crate::prefix::rules;
use crate::prefix::segment::{Turn, is_whole};
use crate::prefix::sides::{Sides, Told, describe, whole};
use crate::prefix::values::align::{Shape, shape};
use crate::prefix::values::differ::Difference;
use crate::prefix::values::digest::join;
use crate::prefix::values::text::same;
use crate::prefix::values::zone::Zone;
use crate::term::counted;

/// What the messages level came to.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    /// How many leading segments are equal.
    pub(crate) kept: usize,
    /// Whether a whole message or block of the first request is kept.
    pub(crate) any: bool,
    /// Whether a message of the first request differs.
    pub(crate) diverged: bool,
    /// Whether the second ends before the first does.
    pub(crate) shorter: bool,
    /// Bytes of the first differing segment that are still equal.
    pub(crate) inside: Option<usize>,
    /// Where a message that was sent before has grown.
    pub(crate) grown: Option<(String, usize)>,
}

/// What became of one message.
enum Part<'a> {
    Same,
    /// The second has more blocks in it.
    Longer(usize),
    /// The second has fewer.
    Shorter(usize),
    /// They part at a segment, or at the head.
    Differs(Option<usize>, Difference<'a>),
}

pub(super) fn told(cause: Cause, rule: &'static Rule, detail: String) -> Told {
    Told {
        level: Level::Messages,
        cause,
        rule,
        detail,
    }
}

fn turn<'a>(sides: &mut Sides<'a, '_>, at: usize) -> Part<'a> {
    let (a, b) = (sides.a, sides.b);
    let (one, other) = (&a.turns[at], &b.turns[at]);
    if same(one.raw.bytes(), other.raw.bytes()) {
        return Part::Same;
    }
    if let Some(found) = sides.differ_head(one, other) {
        return Part::Differs(None, found);
    }
    let (left, right) = (
        &a.messages[one.from..one.to],
        &b.messages[other.from..other.to],
    );
    for (index, (one, other)) in left.iter().zip(right).enumerate() {
        if let Some(found) = sides.differ(one, other) {
            return Part::Differs(Some(index), found);
        }
    }
    match left.len().cmp(&right.len()) {
        std::cmp::Ordering::Equal => Part::Same,
        std::cmp::Ordering::Less => Part::Longer(left.len()),
        std::cmp::Ordering::Greater => Part::Shorter(right.len()),
    }
}

/// Compares the messages of both sides.
pub(crate) fn compare(sides: &mut Sides<'_, '_>) -> Messages {
    let (a, b) = (sides.a, sides.b);
    let (length_a, length_b) = (a.turns.len(), b.turns.len());
    let both = length_a.min(length_b);
    let mut out = Messages::default();
    for at in 0..both {
        let (one, other) = (&a.turns[at], &b.turns[at]);
        match turn(sides, at) {
            Part::Same => {
                out.kept = one.to;
                out.any |= one.to > one.from || is_whole(one);
            }
            Part::Longer(index) if at + 1 == length_a => {
                out.kept = one.to;
                out.any |= one.to > one.from;
                let new = &b.messages[other.from + index];
                let byte = crate::json::raw::offset_in(new.raw.bytes(), sides.bytes_b);
                out.grown = Some((new.path(b.dialect), byte));
            }
            Part::Shorter(index) if at + 1 == length_b => {
                out.kept = one.from + index;
                out.any |= index > 0;
                out.shorter = true;
                return out;
            }
            part => {
                out.kept = one.from
                    + match &part {
                        Part::Longer(index) | Part::Shorter(index) => *index,
                        Part::Differs(index, _) => index.unwrap_or(0),
                        Part::Same => 0,
                    };
                out.any |= out.kept > one.from;
                if let Part::Differs(Some(_), found) = &part
                    && let (Some(_), Some(value)) = (found.offset, found.a)
                {
                    let start = crate::json::raw::offset_in(found.at_a, value.bytes());
                    out.inside = Some(start.saturating_sub(1));
                }
                out.diverged = true;
                tell(sides, at, part);
                acts::renamed(&mut sides.divergences);
                return out;
            }
        }
    }
    out.shorter = length_b < length_a;
    out
}

/// Reports the divergence that begins at a message, and all later ones.
fn tell<'a>(sides: &mut Sides<'a, '_>, at: usize, part: Part<'a>) {
    let (a, b) = (sides.a, sides.b);
    let left: Vec<u64> = a.turns[at..]
        .iter()
        .map(|turn| sides.digest_turn(a, turn))
        .collect();
    let right: Vec<u64> = b.turns[at..]
        .iter()
        .map(|turn| sides.digest_turn(b, turn))
        .collect();
    let (path, found) = place(sides, at, part);
    let travels = acts::travels(sides, &left, &right);
    if travels > 0 {
        let (old, new) = (left.len() - travels, right.len() - travels);
        act(sides, at, (path, &found), &left[..old], &right[..new]);
        acts::left_behind(sides, travels);
        return;
    }
    act(sides, at, (path, &found), &left, &right);
}

/// Tells what was done to the messages from `at` on: the rest of both lists, as
/// hashes.
fn act<'a>(
    sides: &mut Sides<'a, '_>,
    at: usize,
    (path, found): (String, &Difference<'a>),
    left: &[u64],
    right: &[u64],
) {
    let (a, b) = (sides.a, sides.b);
    let system =
        a.turns[at].role == "system" && b.dialect == crate::body::Dialect::Messages;
    let rule = |plain| {
        if system {
            &rules::DIFF_DIRECTIVE_MOVED
        } else {
            plain
        }
    };
    if let Some(detail) = acts::moved(sides, at, left, right) {
        let rule = rule(&rules::DIFF_MESSAGE_REMOVED);
        sides.tell(path, found, told(Cause::Moved, rule, detail));
        return;
    }
    if let Some(detail) = folded(sides, at) {
        let rule = if system {
            &rules::DIFF_DIRECTIVE_COLLAPSED
        } else {
            &rules::DIFF_MESSAGE_EDITED
        };
        sides.tell(path, found, told(Cause::Form, rule, detail));
        return;
    }
    match shape(left, right) {
        Shape::Reordered => {
            let detail = "the same messages in another order".to_owned();
            let rule = rule(&rules::DIFF_MESSAGE_REORDERED);
            sides.tell(path, found, told(Cause::Reordered, rule, detail));
        }
        Shape::Moved { gone, new: 0, .. } => {
            let (cause, what) = match at {
                0 => (Cause::Shifted, "oldest message"),
                _ => (Cause::Removed, "message"),
            };
            let detail = format!("{} dropped; the rest is intact", counted(gone, what));
            sides.tell(
                path,
                found,
                told(cause, rule(&rules::DIFF_MESSAGE_REMOVED), detail),
            );
        }
        Shape::Moved { gone: 0, new, .. } => {
            let cause = if at == 0 {
                Cause::Shifted
            } else {
                Cause::Added
            };
            let detail =
                format!("{} put in; the rest is intact", counted(new, "message"));
            sides.tell(
                path,
                found,
                told(cause, &rules::DIFF_MESSAGE_EDITED, detail),
            );
        }
        Shape::Moved { gone, new, .. } if new < gone => {
            let rule = rule(&rules::DIFF_MESSAGE_REMOVED);
            let (cause, detail) = acts::gone(at, gone, new, false);
            sides.tell(path, found, told(cause, rule, detail));
        }
        Shape::Moved { gone, new, .. } => {
            let detail = format!(
                "{} became {new}; the rest is intact",
                counted(gone, "message")
            );
            sides.tell(
                path,
                found,
                told(Cause::Edited, rule(&rules::DIFF_MESSAGE_EDITED), detail),
            );
        }
        Shape::InPlace if acts::aligned(sides, at, left, right) => {}
        Shape::InPlace => in_place(sides, at, left, right),
    }
}

/// Where two messages part, as a path.
fn place<'a>(
    sides: &Sides<'a, '_>,
    at: usize,
    part: Part<'a>,
) -> (String, Difference<'a>) {
    let (a, b) = (sides.a, sides.b);
    let dialect = b.dialect;
    let (one, other) = (&a.turns[at], &b.turns[at]);
    match part {
        Part::Differs(Some(index), found) => {
            let segment = &b.messages[other.from + index];
            (format!("{}{}", segment.path(dialect), found.path), found)
        }
        Part::Differs(None, found) => (
            format!("{}{}", other.place.pointer(dialect), found.path),
            found,
        ),
        Part::Longer(index) => {
            let segment = &b.messages[other.from + index];
            let found = whole(None, Some(segment.raw), sides);
            (segment.path(dialect), found)
        }
        Part::Shorter(index) => {
            let segment = &a.messages[one.from + index];
            let mut found = whole(Some(segment.raw), None, sides);
            let end = other.raw.bytes();
            found.at_b = &end[end.len()..];
            (segment.path(dialect), found)
        }
        Part::Same => (String::new(), whole(None, None, sides)),
    }
}

/// Place for place: every message that differs is told, and the end cut off.
fn in_place(sides: &mut Sides<'_, '_>, from: usize, left: &[u64], right: &[u64]) {
    let (a, b) = (sides.a, sides.b);
    let both = from + left.len().min(right.len());
    for at in from..both {
        if left[at - from] != right[at - from] || at == from {
            one(sides, at, at);
        }
    }
    if right.len() < left.len() {
        let gone = &a.turns[both];
        let found = whole(Some(gone.raw), None, sides);
        let count = counted(left.len() - right.len(), "message");
        let path = gone.place.pointer(b.dialect);
        let detail = format!("{count} cut off at the end");
        sides.tell(
            path,
            &found,
            told(Cause::Truncated, &rules::DIFF_MESSAGE_TRUNCATED, detail),
        );
    }
}

/// Every segment of one message that differs, by its places in both lists.
pub(super) fn one(sides: &mut Sides<'_, '_>, old: usize, new: usize) {
    let (a, b) = (sides.a, sides.b);
    let (from, to) = (&a.turns[old], &b.turns[new]);
    let system = from.role == "system" && b.dialect == crate::body::Dialect::Messages;
    let rule = match system {
        true => &rules::DIFF_DIRECTIVE_MOVED,
        false => &rules::DIFF_MESSAGE_EDITED,
    };
    if let Some(found) = sides.differ_head(from, to) {
        let cause = Sides::cause(&found);
        let path = format!("{}{}", to.place.pointer(b.dialect), found.path);
        let detail = describe(&found, cause);
        sides.tell(path, &found, told(cause, rule, detail));
        let whole =
            |segment: &crate::prefix::segment::Segment<'_>| segment.zone == Zone::Head;
        if b.messages[to.from..to.to].iter().any(whole) {
            return;
        }
    }
    let digests =
        |sides: &Sides<'_, '_>, prefix: &crate::prefix::Prefix<'_>, turn: &Turn<'_>| {
            let list = &prefix.messages[turn.from..turn.to];
            list.iter()
                .map(|one| sides.digest(one))
                .collect::<Vec<u64>>()
        };
    let (left, right) = (digests(sides, a, from), digests(sides, b, to));
    let same = left
        .iter()
        .zip(&right)
        .take_while(|(one, other)| one == other)
        .count();
    if same == left.len() && same == right.len() {
        return;
    }
    let moved = match shape(&left[same..], &right[same..]) {
        Shape::Moved { gone, new: 0, .. } => Some((
            Cause::Removed,
            format!("{} removed", counted(gone, "block")),
        )),
        Shape::Moved { gone: 0, new, .. } => {
            Some((Cause::Added, format!("{} put in", counted(new, "block"))))
        }
        Shape::Moved { gone, new, .. } => Some((
            Cause::Edited,
            format!("{} became {new}", counted(gone, "block")),
        )),
        Shape::Reordered => Some((
            Cause::Reordered,
            "the same blocks in another order".to_owned(),
        )),
        Shape::InPlace => None,
    };
    for index in same..left.len().max(right.len()) {
        let (one, other) = (
            a.messages[from.from..from.to].get(index),
            b.messages[to.from..to.to].get(index),
        );
        let found = match (one, other) {
            (Some(one), Some(other)) => match sides.differ(one, other) {
                Some(found) => found,
                None => continue,
            },
            (one, other) => {
                let mut found = whole(one.map(|s| s.raw), other.map(|s| s.raw), sides);
                let (end_a, end_b) = (from.raw.bytes(), to.raw.bytes());
                if one.is_none() {
                    found.at_a = &end_a[end_a.len()..];
                }
                if other.is_none() {
                    found.at_b = &end_b[end_b.len()..];
                }
                found
            }
        };
        let path = other
            .or(one)
            .map(|one| one.path(b.dialect))
            .unwrap_or_default();
        let path = format!("{path}{}", found.path);
        let (cause, detail) = match (&moved, one, other) {
            (Some((cause, detail)), ..) => (*cause, detail.clone()),
            (None, Some(_), None) => (
                Cause::Truncated,
                format!(
                    "{} cut off at the end",
                    counted(left.len() - index, "block")
                ),
            ),
            (None, None, _) => (
                Cause::Added,
                format!("{} added at the end", counted(right.len() - index, "block")),
            ),
            _ => {
                let cause = Sides::cause(&found);
                (cause, describe(&found, cause))
            }
        };
        let ends = moved.is_some() || one.is_none() || other.is_none();
        sides.tell(path, &found, told(cause, rule, detail));
        if ends {
            break;
        }
    }
}

/// Whether two neighbours of one role became one message.
fn folded(sides: &Sides<'_, '_>, at: usize) -> Option<String> {
    let (a, b) = (sides.a, sides.b);
    let (first, second) = (&a.turns[at], a.turns.get(at + 1)?);
    let one = &b.turns[at];
    if first.role != second.role || first.role != one.role {
        return None;
    }
    let count = second.to - first.from;
    if one.to - one.from != count || second.to == second.from || first.to == first.from
    {
        return None;
    }
    let fold = |list: &[crate::prefix::segment::Segment<'_>]| {
        list.iter()
            .fold(0, |state, one| join(state, sides.digest(one)))
    };
    let same =
        fold(&a.messages[first.from..second.to]) == fold(&b.messages[one.from..one.to]);
    same.then(|| format!("two `{}` messages were folded into one", first.role))
}
