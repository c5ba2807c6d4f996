//! Deferred tools: out of the prompt until a message refers to them
//! (`docs/directives.md#catalogue`, `docs/prefix.md#kinds-of-cache`, `docs/prefix.md#verdicts`).

use super::tools;
use crate::json::Raw;
use crate::prefix::report::{Cause, Level};
use crate::prefix::rules;
use crate::prefix::sides::{Sides, Told, whole};
use crate::prefix::values::differ::Change;
use std::borrow::Cow;
use std::collections::HashSet;

/// Deferred tools that differ and were brought into the prompt by a message that
/// both requests share; gives the first such place in the messages.
pub(crate) fn surfaced<'a>(sides: &mut Sides<'a, '_>, shared: usize) -> Option<usize> {
    let mut first = None;
    let mut seen = HashSet::new();
    let (a, b) = (sides.a, sides.b);
    let plain: HashSet<_> = b.tools.iter().map(tools::name).collect();
    for (at, name) in a.references.iter().take_while(|(at, _)| *at < shared) {
        if !seen.insert(name.clone()) {
            continue;
        }
        let (one, other) = (a.deferred.get(name), b.deferred.get(name));
        let found = match (one, other) {
            (Some(one), Some(other)) => sides.differ(one, other),
            (Some(one), None) => Some(whole(Some(one.raw), None, sides)),
            _ => None,
        };
        // One that is plain now is told as a flip of the tools level.
        let flipped = plain.contains(name);
        if let Some(found) = found.filter(|_| !flipped) {
            first.get_or_insert(*at);
            let tool = other.or(one).map(|tool| tool.path(sides.b.dialect));
            let path = format!("{}{}", tool.unwrap_or_default(), found.path);
            let cause = match found.change {
                Change::Removed if other.is_none() => Cause::Removed,
                _ => Sides::cause(&found),
            };
            let told = Told {
                level: Level::Messages,
                cause,
                rule: &rules::DIFF_TOOLS_DEFINITION,
                detail: format!(
                    "the deferred tool `{name}` changed after a message had brought \
                     it into the prompt"
                ),
            };
            sides.tell(path, &found, told);
        }
    }
    first
}

/// The deferred tools that came, went or changed, and that nothing shared refers
/// to: never a loss.
pub(crate) fn unreferenced<'a>(
    sides: &Sides<'a, '_>,
    shared: usize,
) -> Vec<Cow<'a, str>> {
    let referenced: HashSet<_> = sides
        .a
        .references
        .iter()
        .take_while(|(at, _)| *at < shared)
        .map(|(_, name)| name)
        .collect();
    let changed = |name: &&Cow<'a, str>| {
        let one = sides.a.deferred.get(*name).map(|tool| tool.raw);
        let other = sides.b.deferred.get(*name).map(|tool| tool.raw);
        !referenced.contains(*name) && one.map(Raw::bytes) != other.map(Raw::bytes)
    };
    let plain: HashSet<_> = sides.b.tools.iter().map(tools::name).collect();
    let mut names: Vec<_> = sides.b.hidden.iter().filter(changed).cloned().collect();
    names.extend(
        sides
            .a
            .hidden
            .iter()
            .filter(|name| !sides.b.deferred.contains_key(*name))
            .filter(changed)
            .filter(|name| !plain.contains(*name))
            .cloned(),
    );
    names
}
