//! How to keep the prefix: for each cause the first [`Way`] that provider, model,
//! platform and betas take, so that the body which follows a hint is one the API
//! accepts.
//!
//! [`ROWS`] is the table: what changed, why, and the ways in the order of preference.
//! What a client of each provider can do is documented by the vendors; the pages are
//! those of the rules ([`super::rules`]) and of the table of caches
//! ([`crate::model::Caching`]).

mod means;
#[cfg(test)]
mod tests;
mod way;

pub(in crate::prefix) use means::Means;
pub(in crate::prefix) use way::Way;

use super::report::{Cause, Level, Report};
use crate::finding::Rule;

/// A line of the table: where it holds, and what to do.
struct Row {
    /// The level; none for any.
    level: Option<Level>,
    /// The causes; none for any.
    causes: &'static [Cause],
    /// The rules by which it was told, by how their names begin; none for any.
    rules: &'static [&'static str],
    ways: &'static [Way],
}

const fn row(
    level: Option<Level>,
    causes: &'static [Cause],
    ways: &'static [Way],
) -> Row {
    Row {
        level,
        causes,
        rules: &[],
        ways,
    }
}

const TOOLS: Option<Level> = Some(Level::Tools);
const SYSTEM: Option<Level> = Some(Level::System);

/// The first line that fits counts, and in it the first way that is open.
const ROWS: &[Row] = &[
    Row {
        level: Some(Level::Messages),
        causes: &[Cause::Removed],
        rules: &["diff-tools-definition"],
        ways: &[Way::KeepDeferred],
    },
    Row {
        level: Some(Level::Messages),
        causes: &[],
        rules: &["diff-tools-definition"],
        ways: &[Way::Redefine, Way::KeepDeferred],
    },
    Row {
        level: None,
        causes: &[],
        rules: &["diff-tools-defer-flip"],
        ways: &[Way::KeepFlag],
    },
    Row {
        level: None,
        causes: &[],
        rules: &["diff-server-tool-toggle"],
        ways: &[Way::KeepSwitch],
    },
    row(None, &[Cause::Clock, Cause::Counter], &[Way::Move]),
    Row {
        level: Some(Level::Messages),
        causes: &[Cause::RandomId],
        rules: &["diff-tool-ids"],
        ways: &[Way::KeepIds],
    },
    row(None, &[Cause::RandomId], &[Way::LeaveId]),
    row(
        TOOLS,
        &[Cause::KeyOrder, Cause::Whitespace],
        &[Way::SameBytes],
    ),
    row(None, &[Cause::KeyOrder], &[Way::KeepKeys]),
    row(None, &[Cause::Whitespace], &[Way::KeepBytes]),
    row(TOOLS, &[Cause::Reordered], &[Way::SortTools]),
    row(
        TOOLS,
        &[Cause::Removed, Cause::Truncated],
        &[Way::Withdraw, Way::Allow, Way::KeepTool],
    ),
    row(
        TOOLS,
        &[Cause::Added],
        &[Way::AddDeferred, Way::AddItem, Way::Declare],
    ),
    row(TOOLS, &[], &[Way::Redefine, Way::KeepDefinition]),
    row(SYSTEM, &[Cause::Reordered], &[Way::KeepOrder]),
    row(
        SYSTEM,
        &[],
        &[Way::SystemMessage, Way::Role, Way::UserMessage],
    ),
    row(None, &[Cause::ReasoningLeftOut], &[Way::SendReasoning]),
    row(None, &[Cause::Moved], &[Way::Clearing, Way::Leave]),
    Row {
        level: None,
        causes: &[],
        rules: &["diff-directive"],
        ways: &[Way::KeepDirectives],
    },
    row(
        None,
        &[Cause::Shifted, Cause::Removed],
        &[Way::ContextEditing, Way::DropSeldom],
    ),
    row(None, &[Cause::Truncated], &[Way::ShortenFirst]),
    row(None, &[Cause::Reencoded], &[Way::KeepFile]),
    row(None, &[Cause::Reordered], &[Way::KeepOrder]),
    row(None, &[], &[Way::Append]),
];

/// The way out of a divergence.
pub(in crate::prefix) fn way(
    level: Level,
    cause: Cause,
    rule: &Rule,
    means: &Means<'_>,
) -> Way {
    let fits = |row: &&Row| {
        row.level.is_none_or(|one| one == level)
            && (row.causes.is_empty() || row.causes.contains(&cause))
            && (row.rules.is_empty()
                || row.rules.iter().any(|start| rule.id.starts_with(start)))
    };
    let rows = ROWS.iter().filter(fits);
    let mut ways = rows.flat_map(|row| row.ways);
    let open = ways.find(|way| way.opens(means).is_some());
    *open.unwrap_or(&Way::Append)
}

/// Says for every divergence what keeps the prefix.
pub(in crate::prefix) fn fill(report: &mut Report, means: &Means<'_>) {
    for one in &mut report.divergences {
        let way = way(one.level, one.cause, one.rule, means);
        one.hint = way.says(&place(&one.path), means);
    }
}

/// The part of a path that names the block or entry.
fn place(path: &str) -> String {
    let steps: Vec<&str> = path.split('/').skip(1).collect();
    let most = match steps.first() {
        Some(&"system" | &"tools" | &"instructions") => 2,
        Some(&"systemInstruction") => 3,
        _ => 4,
    };
    let kept = steps.iter().take(most).copied().collect::<Vec<_>>();
    format!("/{}", kept.join("/"))
}
