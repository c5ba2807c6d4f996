//! What was done to a list of messages, told as one finding for one act: a
//! reminder that travels with the newest turn, messages gone from the middle with
//! or without a word in their place, tool ids made anew throughout.

use super::messages::{one, told};
use crate::prefix::report::{Cause, Divergence, Level};
use crate::prefix::rules;
use crate::prefix::segment::{Prefix, Turn};
use crate::prefix::sides::{Sides, whole};
use crate::term::{counted, counted_are};
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Lists longer than this together are not laid side by side.
const MOST: usize = 4_000;

/// How many messages, or blocks, a reminder has at most.
const SHORT: usize = 2;

/// Where what stood behind the newest turn of the first request stands now, if it
/// went along to the end of the second: words for it.
pub(super) fn moved(
    sides: &Sides<'_, '_>,
    at: usize,
    left: &[u64],
    right: &[u64],
) -> Option<String> {
    let (a, b) = (sides.a, sides.b);
    let said = |turn: &Turn<'_>| turn.role == "assistant" || turn.role == "model";
    let tail = left.len();
    if tail <= SHORT && at > 0 && right.len() > tail && right.ends_with(left) {
        let new = b.turns.len() - tail;
        if b.turns[at..new].iter().any(said) {
            let before = a.turns[at - 1].place.pointer(a.dialect);
            let now = b.turns[new].place.pointer(b.dialect);
            return Some(format!(
                "{} gone that stood behind {before}: it travels with the newest turn, to \
                 {now}",
                counted_are(tail, "message"),
            ));
        }
    }
    block(sides, at)
}

/// How many messages at the end of the first request's list stand at the end of the
/// second's instead, where that is not all that was done.
pub(super) fn travels(sides: &Sides<'_, '_>, left: &[u64], right: &[u64]) -> usize {
    let b = sides.b;
    let said = |turn: &Turn<'_>| turn.role == "assistant" || turn.role == "model";
    let gone = |tail: &usize| {
        let (old, new) = (left.len(), right.len());
        if old <= *tail || new <= old {
            return false;
        }
        let moved = &left[old - tail..];
        let end = b.turns.len() - tail;
        right.ends_with(moved)
            && !right[..new - tail].contains(&left[old - 1])
            && b.turns[end - (new - old)..end].iter().any(said)
            && !b.turns[end..].iter().any(said)
    };
    (1..=SHORT).rev().find(gone).unwrap_or(0)
}

/// Tells that the last messages of the first request stand elsewhere now.
pub(super) fn left_behind(sides: &mut Sides<'_, '_>, count: usize) {
    let (a, b) = (sides.a, sides.b);
    let (old, new) = (a.turns.len() - count, b.turns.len() - count);
    let path = a.turns[old].place.pointer(a.dialect);
    let now = b.turns[new].place.pointer(b.dialect);
    let found = whole(Some(a.turns[old].raw), None, sides);
    let detail = format!(
        "{} gone from {path}: it travels with the newest turn, to {now}",
        counted_are(count, "message"),
    );
    let rule = &rules::DIFF_MESSAGE_REMOVED;
    sides.tell(path, &found, told(Cause::Moved, rule, detail));
}

/// The same for a block of the newest message.
fn block(sides: &Sides<'_, '_>, at: usize) -> Option<String> {
    let (a, b) = (sides.a, sides.b);
    let (one, other) = (&a.turns[at], &b.turns[at]);
    let last = b.turns.last()?;
    if at + 1 != a.turns.len() || at + 1 >= b.turns.len() || one.role != other.role {
        return None;
    }
    let digests = |prefix: &Prefix<'_>, turn: &Turn<'_>| -> Vec<u64> {
        let list = &prefix.messages[turn.from..turn.to];
        list.iter().map(|one| sides.digest(one)).collect()
    };
    let (before, now) = (digests(a, one), digests(b, other));
    if before.len() != now.len() + 1 {
        return None;
    }
    let same = before.iter().zip(&now).take_while(|(x, y)| x == y).count();
    let gone = before[same];
    let place = digests(b, last).iter().position(|one| *one == gone)?;
    (before[same + 1..] == now[same..]).then(|| {
        format!(
            "a block stood at {} and is gone there: it travels with the newest turn, to {}",
            a.messages[one.from + same].path(a.dialect),
            b.messages[last.from + place].path(b.dialect),
        )
    })
}

/// Tells what lies between the messages that both lists have in order; false if
/// that is no better than place for place.
pub(super) fn aligned(
    sides: &mut Sides<'_, '_>,
    at: usize,
    left: &[u64],
    right: &[u64],
) -> bool {
    if left.len() + right.len() > MOST {
        return false;
    }
    let ops = capture_diff_slices(Algorithm::Myers, left, right);
    let equal = |op: &DiffOp| match op {
        DiffOp::Equal { len, .. } => *len,
        _ => 0,
    };
    let in_place = left.iter().zip(right).filter(|(x, y)| x == y).count();
    if ops.iter().map(equal).sum::<usize>() <= in_place {
        return false;
    }
    for op in ops {
        let (_, old, new) = op.as_tag_tuple();
        let ends = old.end == left.len();
        match op {
            DiffOp::Equal { .. } => {}
            // What comes behind all of the first is the conversation going on.
            DiffOp::Insert { .. } if ends => {}
            DiffOp::Insert { .. } => {
                let what = counted(new.len(), "message");
                let detail = format!("{what} put in; what follows is intact");
                put(
                    sides,
                    (at + old.start, at + new.start),
                    Cause::Added,
                    detail,
                );
            }
            DiffOp::Delete { .. } => {
                let (cause, detail) = gone(at + old.start, old.len(), 0, ends);
                put(sides, (at + old.start, at + new.start), cause, detail);
            }
            DiffOp::Replace { .. } if old.len() > new.len() && !ends => {
                let (cause, detail) = gone(at + old.start, old.len(), new.len(), ends);
                put(sides, (at + old.start, at + new.start), cause, detail);
            }
            DiffOp::Replace { .. } => {
                let pairs = old.clone().zip(new.clone());
                pairs.for_each(|(x, y)| one(sides, at + x, at + y));
                if old.len() > new.len() {
                    let from = old.start + new.len();
                    let count = old.len() - new.len();
                    let (cause, detail) = gone(at + from, count, 0, ends);
                    put(sides, (at + from, at + new.end), cause, detail);
                }
            }
        }
    }
    true
}

/// What messages that went are called.
pub(super) fn gone(
    at: usize,
    count: usize,
    instead: usize,
    ends: bool,
) -> (Cause, String) {
    let cause = match (at, ends) {
        (0, _) => Cause::Shifted,
        (_, true) => Cause::Truncated,
        (_, false) => Cause::Removed,
    };
    let what = if at == 0 { "oldest message" } else { "message" };
    let what = counted(count, what);
    let detail = match (instead, cause) {
        (0, Cause::Truncated) => format!("{what} cut off at the end"),
        (0, _) => format!("{what} dropped; what follows is intact"),
        (1, _) => format!("{what} dropped, 1 put in their place; the rest is intact"),
        _ => format!("{what} became {instead}; the rest is intact"),
    };
    (cause, detail)
}

fn put(
    sides: &mut Sides<'_, '_>,
    (old, new): (usize, usize),
    cause: Cause,
    detail: String,
) {
    let (a, b) = (sides.a, sides.b);
    let (one, other) = (a.turns.get(old), b.turns.get(new));
    let found = whole(one.map(|turn| turn.raw), other.map(|turn| turn.raw), sides);
    let path = other.or(one).map(|turn| turn.place.pointer(b.dialect));
    let system = |turn: Option<&Turn<'_>>| turn.is_some_and(|one| one.role == "system");
    let rule = match cause {
        _ if system(one) && b.dialect == crate::body::Dialect::Messages => {
            &rules::DIFF_DIRECTIVE_MOVED
        }
        Cause::Truncated => &rules::DIFF_MESSAGE_TRUNCATED,
        Cause::Added => &rules::DIFF_MESSAGE_EDITED,
        _ => &rules::DIFF_MESSAGE_REMOVED,
    };
    sides.tell(path.unwrap_or_default(), &found, told(cause, rule, detail));
}

/// Tool ids that were made anew: call and result are one act, and so are all of
/// them. The first is kept and says it.
pub(super) fn renamed(list: &mut Vec<Divergence>) {
    const KEYS: [&str; 4] = ["/id", "/call_id", "/tool_use_id", "/tool_call_id"];
    let is = |one: &Divergence| {
        one.level == Level::Messages
            && matches!(one.cause, Cause::RandomId | Cause::Edited | Cause::Counter)
            && KEYS.iter().any(|key| one.path.ends_with(key))
    };
    let places = list.iter().filter(|one| is(one)).count();
    if places < 2 {
        for one in list
            .iter_mut()
            .filter(|one| is(one) && one.cause == Cause::RandomId)
        {
            one.rule = &rules::DIFF_TOOL_IDS;
        }
        return;
    }
    let mut first = true;
    list.retain_mut(|one| {
        if !is(one) {
            return true;
        }
        if !std::mem::take(&mut first) {
            return false;
        }
        one.cause = Cause::RandomId;
        one.rule = &rules::DIFF_TOOL_IDS;
        one.detail = format!(
            "ids of tool calls were made anew, at {}; call and result are one act",
            counted(places, "place")
        );
        true
    });
}
