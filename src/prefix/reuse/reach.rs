//! Entries that nobody can read, for their place, their age or their length, and
//! those that would have helped (`docs/prefix.md#kinds-of-cache`, `docs/prefix.md#verdicts`).

use super::breakpoint::{Marks, nearest};
use super::outcome::{Answer, costs};
use super::policy::Policy;
use crate::error::Severity;
use crate::prefix::hints::Means;
use crate::prefix::report::{Amount, Cause};
use crate::prefix::request::Request;
use crate::prefix::rules;
use crate::prefix::segment::Prefix;

/// The first entry that survives has no breakpoint near enough.
pub(crate) fn out_of_reach<'a>(
    answer: &mut Answer,
    a: &Prefix<'a>,
    b: &Prefix<'a>,
    request: &Request<'a>,
    entry: usize,
    marks: &Marks,
    back: usize,
) {
    let Some(written) = a.segment(entry).map(|segment| segment.path(a.dialect)) else {
        return;
    };
    let later = marks.at.iter().find(|(at, _)| *at >= entry);
    let (rule, at, text, hint) = match later {
        Some((at, _)) => (
            &rules::DIFF_LOOKBACK,
            *at,
            format!(
                "the entry at {written} is intact, and further behind this breakpoint \
                 than the {back} positions it looks back over"
            ),
            "set another breakpoint at the end of the previous user turn".to_owned(),
        ),
        None => (
            &rules::DIFF_BREAKPOINT_LOST,
            marks.last().unwrap_or(0),
            format!(
                "the entry at {written} is intact, and no breakpoint of the second \
                 request stands at or behind it"
            ),
            format!("keep a breakpoint at {written}, or set one behind it"),
        ),
    };
    let Some(segment) = b.segment(at) else { return };
    let path = segment.path(b.dialect);
    let found = request.finding(rule, Severity::Warning, path, Some(segment.raw), text);
    answer.findings.push(costs(found, Cause::OutOfReach, &hint));
}

pub(crate) fn expired<'a>(
    answer: &mut Answer,
    a: &Prefix<'a>,
    request: &Request<'a>,
    entry: usize,
    gap: Option<u64>,
    means: &Means<'_>,
) {
    let Some(path) = a.segment(entry).map(|segment| segment.path(a.dialect)) else {
        return;
    };
    let text = format!(
        "the entry here is intact, and {} seconds old: it has expired",
        gap.unwrap_or_default()
    );
    let found = request.finding(&rules::DIFF_TTL, Severity::Warning, path, None, text);
    let hint = means.keep_longer();
    answer.findings.push(costs(found, Cause::Expired, &hint));
}

/// Many blocks behind a breakpoint that are few positions.
pub(crate) fn far_but_counted<'a>(
    answer: &mut Answer,
    b: &Prefix<'a>,
    request: &Request<'a>,
    entry: usize,
    marks: &Marks,
    positions: &[usize],
    back: usize,
) {
    let Some((at, distance)) = nearest(entry, marks, positions) else {
        return;
    };
    let blocks = at - entry;
    let (true, Some(segment)) = (blocks >= back, b.segment(at)) else {
        return;
    };
    let text = format!(
        "{blocks} blocks lie between the last entry and this breakpoint; they count as \
         {distance} positions, for a run of calls or of results is one. Elsewhere than \
         on the Claude API every block counts"
    );
    let path = segment.path(b.dialect);
    let rule = &rules::DIFF_LOOKBACK;
    let mut found =
        request.finding(rule, Severity::Note, path, Some(segment.raw), text);
    "set another breakpoint at the end of the previous user turn"
        .clone_into(&mut found.hint);
    answer.findings.push(found);
}

/// Nothing is marked, so nothing is cached.
pub(crate) fn unmarked<'a>(
    answer: &mut Answer,
    a: &Request<'a>,
    b: &Request<'a>,
    marks_a: &Marks,
    marks_b: &Marks,
    policy: &Policy<'_>,
) {
    let mark = policy.means.mark().unwrap_or("cache_control");
    let mark = format!("`{mark}`");
    let hint = policy.means.mark_newest();
    if marks_a.none && !a.prefix.len().eq(&0) {
        let text = format!(
            "nothing is cached: the first request has no {mark}; its levels are judged \
             as if every position could be read"
        );
        let rule = &rules::NO_BREAKPOINT;
        let mut found = b.finding(rule, Severity::Note, "", None, text);
        found.hint.clone_from(&hint);
        answer.findings.push(found);
    }
    if marks_b.none && !marks_a.none {
        let text = format!(
            "nothing is read: the second request has no {mark}; its levels are judged \
             as if every position could be read"
        );
        let mut found = b.finding(
            &rules::DIFF_BREAKPOINT_LOST,
            Severity::Warning,
            "",
            None,
            text,
        );
        found.hint = hint;
        answer.findings.push(found);
    }
}

/// A level that is equal, and at whose end no entry was written.
#[allow(clippy::too_many_arguments)]
pub(crate) fn would_have_saved<'a>(
    answer: &mut Answer,
    a: &Prefix<'a>,
    request: &Request<'a>,
    best: Option<usize>,
    alive: usize,
    lengths: &[Amount],
    policy: &Policy<'_>,
    set: usize,
) {
    let means = &policy.means;
    if answer.lost.bytes == 0 {
        return;
    }
    let ends = [a.head(), a.tools.len()];
    let end = ends.into_iter().find(|end| *end > 0 && *end <= alive);
    let Some(last) = end.map(|end| end - 1) else {
        return;
    };
    if best.is_some_and(|best| best >= last) {
        return;
    }
    let (Some(segment), Some(saved)) = (a.segment(last), lengths.get(last)) else {
        return;
    };
    // What is too short is not cached, marked or not.
    if policy.too_short(saved.tokens) {
        return;
    }
    let path = segment.path(a.dialect);
    let spent = policy.means.cache.marks.is_some_and(|most| set >= most);
    let Some(hint) = means.mark_at(&path, segment.bare, spent) else {
        return;
    };
    let text = format!(
        "all up to here is equal, but no entry ends here: a breakpoint on {path} would \
         have kept {} bytes, some {} tokens",
        saved.bytes, saved.tokens
    );
    let rule = &rules::NO_ENTRY;
    let mut found = request.finding(rule, Severity::Note, path.clone(), None, text);
    found.hint = hint;
    answer.findings.push(found);
}

/// The longest entry is shorter than what the model caches.
pub(crate) fn minimum<'a>(
    answer: &mut Answer,
    a: &Prefix<'a>,
    request: &Request<'a>,
    last: Option<usize>,
    amount: Amount,
    least: usize,
) {
    let Some(segment) = last.and_then(|last| a.segment(last)) else {
        return;
    };
    if amount.tokens * 4 >= least * 5 {
        return;
    }
    let sure = amount.tokens * 5 < least * 4;
    let text = format!(
        "what the first request marks is some {} tokens long, {} the {least} that the \
         model caches at least: {}",
        amount.tokens,
        if sure { "less than" } else { "close to" },
        if sure {
            "nothing was cached"
        } else {
            "uncertain whether it was cached"
        },
    );
    let path = segment.path(a.dialect);
    let found =
        request.finding(&rules::DIFF_MINIMUM, Severity::Warning, path, None, text);
    let hint = "nothing, if the conversation grows";
    answer
        .findings
        .push(costs(found, Cause::BelowMinimum, hint));
}
