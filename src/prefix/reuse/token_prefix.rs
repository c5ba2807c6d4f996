//! Caches that read whatever is equal from the start: to the character, from a
//! least length on and in steps where they are published
//! (`docs/prefix.md#kinds-of-cache`).

use super::breakpoint::lengths;
use super::outcome::{Answer, Effects, Walk, costs};
use super::policy::Policy;
use super::reach;
use crate::error::Severity;
use crate::json::raw::offset_in;
use crate::model::Order;
use crate::prefix::report::{Amount, Cause, Level, Reusable, Usage, Verdict};
use crate::prefix::request::{Judge, Request};
use crate::prefix::rules;
use crate::prefix::segment::Segment;
use crate::prefix::sides::Sides;

/// What is equal from the start, and whether a level that differs begins alike.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    pub(crate) tools: bool,
    pub(crate) system: bool,
    pub(crate) messages: bool,
    /// How much is surely equal from the start of the prompt on.
    pub(crate) amount: Amount,
    /// The first segment that is not equal, in the order rendered.
    at: usize,
}

/// The equal start of one level.
fn part<'a>(
    sides: &mut Sides<'a, '_>,
    (a, b): (&[Segment<'a>], &[Segment<'a>]),
    kept: usize,
) -> Amount {
    let mut sum = Amount::default();
    for one in &a[..kept] {
        sum.add(one.amount());
    }
    if let (Some(one), Some(other)) = (a.get(kept), b.get(kept))
        && let Some(found) = sides.differ(one, other)
    {
        let tool = one.zone == crate::prefix::values::zone::Zone::Tool;
        let inside = match found.a.filter(|_| found.offset.is_some()) {
            _ if tool && !found.path.ends_with("/name") => {
                let at = offset_in(found.at_a, one.raw.bytes());
                let raw = one.raw.bytes();
                crate::cache::estimate::start(&raw[..at.min(raw.len())])
            }
            Some(value) => offset_in(found.at_a, value.bytes()).saturating_sub(1),
            None => 0,
        };
        let bytes = inside.min(one.raw.bytes().len());
        let tokens = if one.image { 0 } else { bytes / 4 };
        sum.add(Amount { bytes, tokens });
    }
    sum
}

/// What both requests share from the start.
pub(crate) fn shared(
    sides: &mut Sides<'_, '_>,
    walk: &Walk,
    policy: &Policy<'_>,
    effects: &Effects,
) -> Shared {
    let (a, b) = (sides.a, sides.b);
    let lost = |level| effects.lost.is_some_and(|lost| lost <= level);
    let mut out = Shared::default();
    if lost(Level::Tools) {
        return out;
    }
    let tools = part(sides, (&a.tools, &b.tools), walk.tools.kept);
    let system = part(sides, (&a.system, &b.system), walk.system);
    let known = policy.order == Order::ToolsFirst;
    let in_tools = walk.tools.kept;
    let in_system = a.tools.len() + walk.system;
    match (walk.tools.equal, walk.system_equal) {
        (false, equal) => {
            out.tools = tools.tokens > 0;
            (out.amount, out.at) = (tools, in_tools);
            // Whichever of the two comes first, so much is equal.
            if !known && !equal && system.tokens < tools.tokens {
                (out.amount, out.at) = (system, in_system);
            }
        }
        (true, false) => {
            out.system = !lost(Level::System) && system.tokens > 0;
            if known {
                out.amount = tools;
            }
            if !lost(Level::System) {
                out.amount.add(system);
            }
            out.at = in_system;
        }
        (true, true) => {
            out.amount = tools;
            out.at = a.tools.len();
            if lost(Level::System) {
                return out;
            }
            out.amount.add(system);
            out.at = a.head();
            if lost(Level::Messages) {
                return out;
            }
            let kept = walk.messages.kept;
            let kept = walk.rendered.map_or(kept, |(at, _)| kept.min(at));
            let mut messages = Amount::default();
            for one in &a.messages[..kept] {
                messages.add(one.amount());
            }
            if let Some(inside) = walk.messages.inside {
                messages.add(Amount {
                    bytes: inside,
                    tokens: inside / 4,
                });
            }
            out.messages = messages.tokens > 0;
            out.amount.add(messages);
            out.at = a.head() + kept;
        }
    }
    out
}

/// The verdict, what can be read, and what is too short for it.
pub(crate) fn judge<'a>(
    answer: &mut Answer,
    sides: &Sides<'a, '_>,
    b: &Request<'a>,
    judge: &Judge<'_>,
    policy: &Policy<'_>,
    shared: &Shared,
) {
    let (one, other) = (sides.a, sides.b);
    let end = |prefix| lengths(prefix).last().copied().unwrap_or_default();
    let (total, new) = (end(one), end(other));
    let equal = shared.amount;
    let all = shared.at >= one.len();
    let old = judge.gap.filter(|gap| {
        equal.tokens > 0 && policy.keeps.is_some_and(|seconds| *gap > seconds)
    });
    let read = match old {
        Some(_) => Amount::default(),
        None => readable(equal, policy),
    };
    answer.verdict = match () {
        () if policy.too_short(total.tokens) => Verdict::Uncached,
        () if all && old.is_none() => Verdict::Hit,
        () if read.tokens > 0 => Verdict::Partial,
        () => Verdict::Miss,
    };
    let read = match answer.verdict {
        Verdict::Uncached => Amount::default(),
        Verdict::Hit => total,
        _ => read,
    };
    let last = one.segment(shared.at.min(one.len().saturating_sub(1)));
    let place = last.map(|segment| segment.path(one.dialect));
    answer.reusable = place.filter(|_| read.bytes > 0).map(|path| Reusable {
        breakpoint: path,
        amount: read,
    });
    answer.lost = total.without(read);
    answer.usage = Usage {
        read,
        written: new.without(read),
        fresh: Amount::default(),
        best: match total.tokens < new.tokens {
            true => total,
            false => new,
        },
        read_price: policy.read,
        write_price: 1.0,
    };
    if answer.verdict == Verdict::Uncached {
        answer.usage.best = Amount::default();
    }
    if let Some(gap) = old {
        let last = one.len().saturating_sub(1);
        reach::expired(answer, one, b, last, Some(gap), &policy.means);
    }
    short(answer, b, policy, total, equal, all);
}

/// How much of what is equal can be read.
fn readable(equal: Amount, policy: &Policy<'_>) -> Amount {
    if policy.too_short(equal.tokens) || equal.tokens == 0 {
        return Amount::default();
    }
    let steps = equal.tokens / policy.step * policy.step;
    Amount {
        // Of so many tokens, for both are estimates of one length.
        bytes: equal
            .bytes
            .min((equal.bytes as u128 * steps as u128 / equal.tokens as u128) as usize),
        tokens: steps,
    }
}

/// Tells what the least length costs, or may cost.
fn short<'a>(
    answer: &mut Answer,
    b: &Request<'a>,
    policy: &Policy<'_>,
    total: Amount,
    equal: Amount,
    all: bool,
) {
    let least = policy.least;
    let close = |tokens: usize| tokens * 4 < least * 5;
    let (what, tokens, so) = match answer.verdict {
        Verdict::Uncached => (
            "the first request is",
            total.tokens,
            "less than the least that is cached: nothing was",
        ),
        Verdict::Miss if equal.tokens > 0 && policy.too_short(equal.tokens) => (
            "what is equal is",
            equal.tokens,
            "less than the least that is read",
        ),
        Verdict::Hit | Verdict::Partial if close(equal.tokens) => (
            if all {
                "the first request is"
            } else {
                "what is equal is"
            },
            equal.tokens,
            "close to the least that is cached: uncertain whether it was",
        ),
        _ => return,
    };
    let text = format!("{what} some {tokens} tokens long, {so} ({least})");
    let rule = &rules::DIFF_MINIMUM;
    let found = b.finding(rule, Severity::Warning, "", None, text);
    let hint = "nothing, if the conversation grows: this cache needs no mark";
    answer
        .findings
        .push(costs(found, Cause::BelowMinimum, hint));
}
