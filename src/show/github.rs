//! As annotations of a GitHub Actions run.

use super::{Linted, Stored};
use crate::error::Severity;
use crate::prefix::{Outcome, Report, Verdict};
use crate::term::github::{self, command};

/// Appends a body's findings.
pub fn body(out: &mut Vec<u8>, body: &Linted) {
    for placed in &body.findings {
        let finding = &placed.finding;
        let place = github::Place {
            file: body.input.as_deref(),
            line: Some(placed.line),
            column: Some(placed.column),
        };
        let level = github::level(finding.severity);
        let text = format!("{}: {}\n{}", finding.path, finding.message, finding.hint);
        command(out, level, place, finding.rule.id, text.trim_end());
    }
}

/// Appends a finding on a stored conversation.
pub fn stored(out: &mut Vec<u8>, stored: &Stored) {
    let finding = &stored.finding;
    let mut position = stored.position.clone();
    let file = position.input.take();
    let place = github::Place {
        file: file.as_deref(),
        line: stored.line.map(|(line, _)| line),
        column: stored.line.map(|(_, column)| column),
    };
    let level = github::level(finding.severity);
    let text = format!("{position}{}\n{}", finding.message, finding.hint);
    command(out, level, place, finding.rule.id, text.trim_end());
}

/// Where the second request stands, for annotations.
#[derive(Debug, Clone, Copy)]
pub struct Place<'p> {
    /// Its file, if it is one.
    pub file: Option<&'p str>,
    /// Its bytes, or those of the record it stands in.
    pub bytes: &'p [u8],
    /// Byte of the file at which they start, and the line.
    pub base: usize,
    /// The line that they start in, from 1.
    pub line: usize,
}

impl Place<'_> {
    /// The line of a byte, counted from 1.
    fn line(&self, byte: usize) -> usize {
        let byte = byte.saturating_sub(self.base);
        let head = &self.bytes[..byte.min(self.bytes.len())];
        memchr::memchr_iter(b'\n', head).count() + self.line
    }
}

fn line(
    out: &mut Vec<u8>,
    level: &str,
    place: Place<'_>,
    byte: Option<usize>,
    title: &str,
    message: &str,
) {
    let at = github::Place {
        file: place.file,
        line: place.file.and(byte).map(|byte| place.line(byte)),
        column: None,
    };
    command(out, level, at, title, message);
}

/// Appends the annotations of a report. `fails` says whether a loss, and a failing
/// check of thinking, is an error here.
pub fn report(out: &mut Vec<u8>, report: &Report, place: Place<'_>, fails: [bool; 2]) {
    let level = |fails: bool| if fails { "error" } else { "warning" };
    let good = matches!(report.verdict, Verdict::Hit | Verdict::Shorter);
    const MOST: usize = 10;
    for one in report.divergences.iter().take(MOST) {
        let title = format!("prompt prefix: {} {}", one.level.name(), one.cause.name());
        let message = format!("{}: {}\n{}", one.path, one.detail, one.hint);
        let level = if good { "notice" } else { level(fails[0]) };
        line(out, level, place, Some(one.byte_b), &title, &message);
    }
    if !good && report.divergences.is_empty() {
        let title = format!("prompt prefix: {}", report.verdict.name());
        let cause = report.findings.iter().find(|one| one.cause.is_some());
        let message = cause.map_or("the prefix is lost", |one| one.message.as_str());
        let byte = cause.and_then(|one| one.byte);
        line(out, level(fails[0]), place, byte, &title, message);
    }
    if let Some(first) = &report.binding.first {
        let outcome = report.binding.outcome;
        let bad = matches!(
            outcome,
            Outcome::Rejected | Outcome::DependsOnAccount | Outcome::Dropped
        );
        let title = format!("thinking: {}", outcome.name());
        let hint = report.binding.hint.as_deref().unwrap_or_default();
        let level = if bad { level(fails[1]) } else { "notice" };
        line(out, level, place, None, &title, &format!("{first}\n{hint}"));
    }
    // Each costs a look for its line; nobody reads this many.
    for one in report.findings.iter().take(50) {
        if one.severity == Severity::Note {
            continue;
        }
        let level = github::level(one.severity);
        let message = format!("{}: {}\n{}", one.path, one.message, one.hint);
        line(
            out,
            level,
            place,
            one.byte,
            one.rule.id,
            message.trim_start_matches(": "),
        );
    }
}
