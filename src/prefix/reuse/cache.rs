//! The cache pass: what the second request can still read of what the first
//! wrote, byte by byte as rendered (`docs/prefix.md#two-passes`).

use super::breakpoint::{Marks, lengths, nearest, positions};
use super::outcome::{Answer, Effects, Walk};
use super::policy::Policy;
use super::{reach, remarks, token_prefix};
use crate::cache::Ttl;
use crate::model::Order;
use crate::prefix::levels::messages;
use crate::prefix::levels::parameters;
use crate::prefix::levels::tools;
use crate::prefix::levels::{deferred, system};
use crate::prefix::report::{Amount, Level, Reason, Reusable, State, Usage, Verdict};
use crate::prefix::request::{Judge, Request};
use crate::prefix::segment::Prefix;
use crate::prefix::sides::Sides;

/// Compares two requests.
pub(crate) fn pass<'a>(
    sides: &mut Sides<'a, '_>,
    a: &Request<'a>,
    b: &Request<'a>,
    judge: &Judge<'_>,
    policy: &Policy<'_>,
) -> Answer {
    let mut effects = parameters::compare(a, b, judge, &policy.means);
    let walk = walk(sides, a, judge, &mut effects, b);
    remarks::forms(sides, b, policy, &mut effects);
    let head = head(sides, &walk, policy, &effects);
    let shared = match policy.marked() {
        true => token_prefix::Shared::default(),
        false => token_prefix::shared(sides, &walk, policy, &effects),
    };
    let levels = levels(sides, &walk, head, &effects, &shared);
    let alive = match policy.order == Order::OneHead && !(head.0 && head.1) {
        true => 0,
        false => alive(sides, &walk, head, &effects),
    };
    let mut answer = Answer {
        verdict: Verdict::Miss,
        reason: reason(&walk, &effects),
        reusable: None,
        lost: Amount::default(),
        shares: shares(sides, &walk),
        totals: totals(sides.a),
        findings: Vec::new(),
        usage: Usage::default(),
        levels,
    };
    let clean = walk.tools.equal
        && !walk.tools.toggled
        && walk.system_equal
        && !walk.messages.diverged
        && !walk.surfaced;
    let nothing = clean && effects.lost.is_none();
    match policy.marked() {
        true => entries(&mut answer, sides, a, b, judge, policy, alive, nothing),
        false => token_prefix::judge(&mut answer, sides, b, judge, policy, &shared),
    }
    let strict = walk.messages.shorter;
    answer.verdict = match answer.verdict {
        _ if nothing && strict => Verdict::Shorter,
        _ if nothing && effects.unknown => Verdict::Unknown,
        verdict => verdict,
    };
    if matches!(answer.verdict, Verdict::Shorter | Verdict::Uncached) {
        answer.lost = Amount::default();
    }
    remarks::of(sides, a, b, judge, policy, &walk, &mut effects);
    effects.findings.append(&mut answer.findings);
    answer.findings = effects.findings;
    answer
}

fn walk<'a>(
    sides: &mut Sides<'a, '_>,
    a: &Request<'a>,
    judge: &Judge<'_>,
    effects: &mut Effects,
    b: &Request<'a>,
) -> Walk {
    let tools = tools::compare(sides);
    let system = system::compare(sides);
    let (one, other) = (sides.a, sides.b);
    let system_equal = system == one.system.len() && system == other.system.len();
    let messages = messages::compare(sides);
    let surfaced = deferred::surfaced(sides, messages.kept);
    remarks::presence(one, other, b, effects);
    let mut rendered = surfaced.map(|at| (at, true));
    let mut earlier = |found: Option<(usize, bool)>| {
        if let Some((at, costs)) = found
            && rendered.is_none_or(|(first, _)| at < first)
        {
            rendered = Some((at, costs));
        }
    };
    earlier(remarks::cleared(one, other, b, messages.kept, effects));
    earlier(remarks::stripped(
        one,
        other,
        a,
        b,
        judge,
        messages.kept,
        effects,
    ));
    Walk {
        tools,
        system,
        system_equal,
        messages,
        rendered,
        surfaced: surfaced.is_some(),
    }
}

/// Whether tools, and tools and system, are kept.
fn head(
    sides: &Sides<'_, '_>,
    walk: &Walk,
    policy: &Policy<'_>,
    effects: &Effects,
) -> (bool, bool) {
    let lost = |level| effects.lost.is_some_and(|lost| lost <= level);
    let mut tools = walk.tools.equal && !lost(Level::Tools);
    let system =
        tools && walk.system_equal && !walk.tools.toggled && !lost(Level::System);
    let has = !sides.a.system.is_empty() || !sides.b.system.is_empty();
    if policy.order == Order::OneHead && has && !walk.system_equal {
        tools = false;
    }
    (tools, system && tools)
}

fn levels(
    sides: &Sides<'_, '_>,
    walk: &Walk,
    (tools, system): (bool, bool),
    effects: &Effects,
    shared: &token_prefix::Shared,
) -> [State; 3] {
    let (a, b) = (sides.a, sides.b);
    let state = |empty: bool, kept: bool, part: bool| match (empty, kept) {
        (true, _) => State::Empty,
        (false, true) => State::Kept,
        (false, false) if part => State::Partial,
        (false, false) => State::Lost,
    };
    let messages = match walk.rendered.filter(|(_, costs)| *costs) {
        _ if a.turns.is_empty() && b.turns.is_empty() => State::Empty,
        _ if !system || effects.lost.is_some() => State::Lost,
        Some((0, _)) => State::Lost,
        Some(_) => State::Partial,
        None if !walk.messages.diverged && !walk.messages.shorter => State::Kept,
        None if walk.messages.any || shared.messages => State::Partial,
        None => State::Lost,
    };
    [
        state(
            a.tools.is_empty() && b.tools.is_empty(),
            tools,
            shared.tools,
        ),
        state(
            a.system.is_empty() && b.system.is_empty(),
            system,
            shared.system,
        ),
        messages,
    ]
}

/// How many leading segments of the first request can be read.
fn alive(
    sides: &Sides<'_, '_>,
    walk: &Walk,
    (tools, system): (bool, bool),
    effects: &Effects,
) -> usize {
    let a = sides.a;
    let lost = |level| effects.lost.is_some_and(|lost| lost <= level);
    match (tools, system) {
        _ if lost(Level::Tools) => 0,
        (false, _) if walk.tools.equal => 0,
        (false, _) => walk.tools.kept,
        (true, _) if lost(Level::System) || walk.tools.toggled => a.tools.len(),
        (true, false) => a.tools.len() + walk.system,
        (true, true) if lost(Level::Messages) => a.head(),
        (true, true) => {
            let kept = walk.messages.kept;
            a.head() + walk.rendered.map_or(kept, |(at, _)| kept.min(at))
        }
    }
}

fn reason(walk: &Walk, effects: &Effects) -> Option<Reason> {
    Some(match walk {
        _ if effects.model => Reason::Model,
        walk if !walk.tools.equal || walk.tools.toggled || walk.surfaced => {
            Reason::Tools
        }
        walk if !walk.system_equal => Reason::System,
        walk if walk.messages.diverged => Reason::Messages,
        _ if effects.unavailable => Reason::Unavailable,
        _ => return None,
    })
}

fn sum<'s, 'a: 's>(
    list: impl IntoIterator<Item = &'s crate::prefix::segment::Segment<'a>>,
) -> Amount {
    let mut sum = Amount::default();
    for one in list {
        sum.add(one.amount());
    }
    sum
}

fn totals(a: &Prefix<'_>) -> [Amount; 3] {
    [sum(&a.tools), sum(&a.system), sum(&a.messages)]
}

fn shares(sides: &Sides<'_, '_>, walk: &Walk) -> [Amount; 3] {
    let a = sides.a;
    let tools = if walk.tools.equal {
        a.tools.len()
    } else {
        walk.tools.kept
    };
    [
        sum(&a.tools[..tools]),
        sum(&a.system[..walk.system]),
        sum(&a.messages[..walk.messages.kept]),
    ]
}

/// Which entries survive, which of them are in reach, and what that saves.
#[allow(clippy::too_many_arguments)]
fn entries<'a>(
    answer: &mut Answer,
    sides: &Sides<'a, '_>,
    a: &Request<'a>,
    b: &Request<'a>,
    judge: &Judge<'_>,
    policy: &Policy<'_>,
    alive: usize,
    nothing: bool,
) {
    let (one, other) = (sides.a, sides.b);
    let (marks_a, marks_b) = (Marks::of(one, policy), Marks::of(other, policy));
    let runs = judge.table.runs_count_once(judge.platform);
    let looks_back = policy.entries == super::policy::Entries::Marked && !marks_b.none;
    let lengths_a = lengths(one);
    let short = |entry: usize| {
        let length = lengths_a.get(entry);
        !marks_a.none && length.is_some_and(|one| policy.too_short(one.tokens))
    };
    let back = match looks_back {
        true => judge.table.limits().lookback,
        false => usize::MAX,
    };
    let positions = positions(other, runs);
    let fresh = |ttl: Ttl, age: Option<u64>| {
        let seconds = policy.lifetime(ttl);
        age.is_none_or(|age| age <= seconds)
    };
    let reached = |entry: usize| {
        let found = nearest(entry, &marks_b, &positions);
        found.is_some_and(|(_, distance)| distance < back)
    };
    let last = marks_a.last();
    let mut best = None;
    let mut far = None;
    let mut old = None;
    // What the first request wrote, and what those before it left.
    let own = marks_a
        .at
        .iter()
        .map(|(entry, ttl)| (*entry, *ttl, judge.gap));
    let earlier = judge.written.iter().copied().filter(|_| !marks_a.none);
    let mut written: Vec<_> = own.chain(earlier).collect();
    written.sort_by_key(|(entry, ..)| *entry);
    for (entry, ttl, age) in written.iter().rev() {
        if *entry >= alive || short(*entry) {
            continue;
        }
        match (fresh(*ttl, *age), reached(*entry)) {
            (true, true) => {
                best = Some(*entry);
                break;
            }
            (true, false) => {
                far.get_or_insert(*entry);
            }
            (false, _) => {
                old.get_or_insert(*entry);
            }
        }
    }
    let amount = |entry: Option<usize>| {
        let length = entry.and_then(|entry| lengths_a.get(entry));
        length.copied().unwrap_or_default()
    };
    answer.verdict = match best {
        _ if last.is_none() && nothing => Verdict::Hit,
        _ if marks_a.none || marks_b.none => Verdict::Uncached,
        None if last.is_some_and(short) => Verdict::Uncached,
        Some(entry) if Some(entry) == last => Verdict::Hit,
        Some(_) => Verdict::Partial,
        None => Verdict::Miss,
    };
    answer.reusable = best.and_then(|entry| {
        Some(Reusable {
            breakpoint: one.segment(entry)?.path(one.dialect),
            amount: amount(Some(entry)),
        })
    });
    answer.lost = amount(last).without(amount(best));
    let total = lengths(other).last().copied().unwrap_or_default();
    let written = match marks_b.last() {
        Some(at) => lengths(other).get(at).copied().unwrap_or_default(),
        None => Amount::default(),
    };
    if answer.verdict == Verdict::Uncached {
        answer.reusable = None;
    }
    let cached = answer.verdict != Verdict::Uncached;
    let read = if cached {
        amount(best)
    } else {
        Amount::default()
    };
    let stored = !marks_b.none;
    let written = if stored { written } else { Amount::default() };
    let hour = marks_b.at.iter().any(|(_, ttl)| *ttl == Ttl::Hour) && !marks_b.none;
    answer.usage = Usage {
        read,
        written: written.without(read),
        fresh: total.without(if stored { written } else { Amount::default() }),
        best: match cached {
            true => smaller(amount(last), total),
            false => Amount::default(),
        },
        read_price: policy.read,
        write_price: if hour { policy.write.1 } else { policy.write.0 },
    };
    if let Some(entry) = far {
        reach::out_of_reach(answer, one, other, b, entry, &marks_b, back);
    }
    if let Some(entry) = old {
        reach::expired(answer, one, b, entry, judge.gap, &policy.means);
    }
    if let Some(entry) = best.filter(|_| looks_back) {
        reach::far_but_counted(answer, other, b, entry, &marks_b, &positions, back);
    }
    reach::unmarked(answer, a, b, &marks_a, &marks_b, policy);
    if !marks_a.none {
        let set = if marks_b.none { 0 } else { marks_b.at.len() };
        reach::would_have_saved(answer, one, b, best, alive, &lengths_a, policy, set);
        reach::minimum(answer, one, b, last, amount(last), policy.least);
    }
}

fn smaller(a: Amount, b: Amount) -> Amount {
    Amount {
        bytes: a.bytes.min(b.bytes),
        tokens: a.tokens.min(b.tokens),
    }
}
