//! What became of the system text, block by block.

use crate::finding::Rule;
use crate::prefix::report::{Cause, Level};
use crate::prefix::rules;
use crate::prefix::sides::{Sides, Told, describe, whole};
use crate::prefix::values::align::{Shape, shape};
use crate::term::counted;

const RULE: &Rule = &rules::DIFF_SYSTEM;

fn told(cause: Cause, detail: String) -> Told {
    Told {
        level: Level::System,
        cause,
        rule: RULE,
        detail,
    }
}

/// Compares the system text of both sides; gives how many leading blocks are
/// equal.
pub(crate) fn compare(sides: &mut Sides<'_, '_>) -> usize {
    let (a, b) = (&sides.a.system, &sides.b.system);
    let dialect = sides.b.dialect;
    let both = a.len().min(b.len());
    let mut kept = 0;
    let mut first = None;
    while kept < both {
        first = sides.differ(&a[kept], &b[kept]);
        if first.is_some() {
            break;
        }
        kept += 1;
    }
    if kept == a.len() && kept == b.len() {
        return kept;
    }
    let Some(found) = first else {
        let (one, other) = (a.get(kept), b.get(kept));
        let found = whole(one.map(|s| s.raw), other.map(|s| s.raw), sides);
        let (cause, detail) = match other {
            Some(_) => (
                Cause::Added,
                format!("{} added at the end", counted(b.len() - kept, "block")),
            ),
            None if kept > 0 => (
                Cause::Truncated,
                format!("{} cut off at the end", counted(a.len() - kept, "block")),
            ),
            None => (Cause::Removed, "the system text is gone".to_owned()),
        };
        let path = other.or(one).map(|one| one.path(dialect));
        sides.tell(path.unwrap_or_default(), &found, told(cause, detail));
        return kept;
    };
    let digests =
        |list: &[_]| -> Vec<u64> { list.iter().map(|one| sides.digest(one)).collect() };
    let (left, right) = (digests(&a[kept..]), digests(&b[kept..]));
    let path = format!("{}{}", b[kept].path(dialect), found.path);
    match shape(&left, &right) {
        Shape::Reordered => {
            let detail = "the same blocks in another order".to_owned();
            sides.tell(path, &found, told(Cause::Reordered, detail));
        }
        Shape::Moved { gone, new: 0, .. } => {
            let detail =
                format!("{} removed; the rest is intact", counted(gone, "block"));
            sides.tell(path, &found, told(Cause::Removed, detail));
        }
        Shape::Moved { gone: 0, new, .. } => {
            let detail =
                format!("{} put in; the rest is intact", counted(new, "block"));
            sides.tell(path, &found, told(Cause::Added, detail));
        }
        Shape::Moved { gone, new, .. } => {
            let detail = format!(
                "{} became {}; the rest is intact",
                counted(gone, "block"),
                counted(new, "block")
            );
            sides.tell(path, &found, told(Cause::Edited, detail));
        }
        Shape::InPlace => in_place(sides, kept, &left, &right),
    }
    kept
}

fn in_place(sides: &mut Sides<'_, '_>, kept: usize, left: &[u64], right: &[u64]) {
    let (a, b) = (&sides.a.system, &sides.b.system);
    let dialect = sides.b.dialect;
    let equal: Vec<String> = (kept..a.len().min(b.len()))
        .filter(|at| left[at - kept] == right[at - kept])
        .map(|at| b[at].path(dialect))
        .collect();
    for at in kept..a.len().min(b.len()) {
        if let Some(found) = sides.differ(&a[at], &b[at]) {
            let cause = Sides::cause(&found);
            let mut detail = describe(&found, cause);
            if at == kept && !equal.is_empty() {
                let some = equal.iter().take(3).cloned().collect::<Vec<_>>();
                detail.push_str(&format!("; {} is equal", some.join(", ")));
            }
            let path = format!("{}{}", b[at].path(dialect), found.path);
            sides.tell(path, &found, told(cause, detail));
        }
    }
    let both = a.len().min(b.len());
    if a.len() != b.len() {
        let (one, other) = (a.get(both), b.get(both));
        let found = whole(one.map(|s| s.raw), other.map(|s| s.raw), sides);
        let cause = match other {
            Some(_) => Cause::Added,
            None => Cause::Truncated,
        };
        let path = other.or(one).map(|one| one.path(dialect));
        let detail = describe(&found, cause);
        sides.tell(path.unwrap_or_default(), &found, told(cause, detail));
    }
}
