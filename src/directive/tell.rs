//! What is told of tools and sections that a body cannot say as they are.

use super::Directive;
use crate::config::Warnings;
use crate::error::{Diagnostic, Position};
use crate::term::{counted, noun_for};
use std::collections::HashSet;
use std::sync::Arc;

/// How many names one message lists.
const NAMED: usize = 20;

/// Tools of the first configuration that a catalogue cannot hold, or a lock file
/// did not.
#[derive(Default)]
pub(super) struct Missing {
    pub(super) mcp: Vec<String>,
    pub(super) sourceless: Vec<String>,
    pub(super) unlocked: Vec<String>,
    pub(super) unstored: usize,
}

impl Missing {
    pub(super) fn tell(self, warnings: &mut Warnings) {
        let list = |names: &[String]| format!("`{}`", names.join("`, `"));
        if !self.mcp.is_empty() {
            let told = Diagnostic::warning(
                "tools-missing",
                format!(
                    "enabled MCP tools are left out, whose definition is not in the \
                     stream: {}",
                    list(&self.mcp)
                ),
            );
            warnings
                .list
                .push(told.hint("give what their servers list with --catalogue"));
        }
        if !self.sourceless.is_empty() {
            warnings.push(
                "tool-unresolvable",
                format!(
                    "tools are left out whose `source` is missing or unknown: {}",
                    list(&self.sourceless)
                ),
            );
        }
        if !self.unlocked.is_empty() {
            warnings.push(
                "catalogue-grown",
                format!(
                    "tools that the catalogue file does not hold are appended: {}",
                    list(&self.unlocked)
                ),
            );
        }
        if self.unstored > 0 {
            let count = self.unstored;
            warnings.list.push(Diagnostic::note(
                "catalogue-unused",
                format!(
                    "{count} of the catalogue file's tools are not in the \
                     configuration; they stay in place and are never offered"
                ),
            ));
        }
    }
}

/// What is told in full once, and then only counted: a stream of many changes must
/// not cost as many warnings.
#[derive(Debug, Default)]
pub(super) struct Tally {
    told: bool,
    more: HashSet<Arc<str>>,
}

impl Tally {
    /// The names to tell now, in short; `None` if they are only counted.
    fn now(&mut self, names: &[Arc<str>]) -> Option<String> {
        if names.is_empty() {
            return None;
        }
        if std::mem::replace(&mut self.told, true) {
            self.more.extend(names.iter().cloned());
            return None;
        }
        let first: Vec<_> = names
            .iter()
            .take(NAMED)
            .map(|one| format!("`{one}`"))
            .collect();
        let rest = names.len().saturating_sub(NAMED);
        let more = match rest {
            0 => String::new(),
            rest => format!(" and {rest} more"),
        };
        Some(format!("{}{more}", first.join(", ")))
    }
}

/// Tells how many names were only counted.
pub(super) fn more(crowded: &Tally, stripped: &Tally, warnings: &mut Warnings) {
    warnings.event = None;
    let (crowded, stripped) = (crowded.more.len(), stripped.more.len());
    if crowded > 0 {
        let told = format!("{crowded} more tools are not offered at later requests");
        warnings.push("tool-limit", told);
    }
    if stripped > 0 {
        let told = format!("later changes of {stripped} more such tools are left out");
        warnings.push("directive-stripped", told);
    }
}

pub(super) fn stripped(names: &[Arc<str>], tally: &mut Tally, warnings: &mut Warnings) {
    if let Some(names) = tally.now(names) {
        let told = format!(
            "tool changes are left out that name tools without a definition: {names}"
        );
        warnings.push("directive-stripped", told);
        if let Some(last) = warnings.list.last_mut() {
            last.hint = Some("give their definitions with --catalogue".to_owned());
        }
    }
}

pub(super) fn crowded(names: &[Arc<str>], tally: &mut Tally, warnings: &mut Warnings) {
    let what = noun_for(names.len(), "tool");
    if let Some(list) = tally.now(names) {
        let told = format!("{what} not offered, for one request holds no more: {list}");
        warnings.push("tool-limit", told);
    }
}

pub(super) fn withdrawn(name: &str, event: Option<usize>) -> Diagnostic {
    Diagnostic {
        position: Position {
            event,
            ..Position::default()
        },
        ..Diagnostic::warning(
            "section-withdrawn",
            format!("\"{name}\" went away, but cannot be unsaid"),
        )
    }
    .hint("--withdrawals notice tells the model that it no longer applies")
}

pub(super) fn edited(name: &str, event: Option<usize>) -> Diagnostic {
    Diagnostic {
        position: Position {
            event,
            ..Position::default()
        },
        ..Diagnostic::warning(
            "tool-edited",
            format!(
                "tool `{name}` was edited; it is sent as it was, for `tools` must not \
                 change"
            ),
        )
    }
    .hint("a beta that takes definitions in messages lets the new one be sent")
}

/// Changes at the end of a stream that the assistant ends.
pub(super) fn held(directive: &Directive, warnings: &mut Warnings) {
    let (texts, changes) = (directive.texts.len(), directive.changes.len());
    if texts + changes == 0 {
        return;
    }
    warnings.list.push(Diagnostic::note(
        "directive-held",
        format!(
            "{} and {} are held: there is no place for them until the next user message",
            counted(texts, "text"),
            counted(changes, "tool change")
        ),
    ));
}
