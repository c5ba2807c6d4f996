//! A report as annotations of a GitHub Actions run.

use super::report::{Outcome, Report, Verdict};
use crate::error::Severity;

/// Where the second request stands, for annotations.
#[derive(Debug, Clone, Copy)]
pub struct Place<'p> {
    /// Its file, if it is one.
    pub file: Option<&'p str>,
    /// The bytes of that file.
    pub bytes: &'p [u8],
}

impl Place<'_> {
    /// The line of a byte, counted from 1.
    fn line(&self, byte: usize) -> usize {
        let head = &self.bytes[..byte.min(self.bytes.len())];
        memchr::memchr_iter(b'\n', head).count() + 1
    }
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn line(
    out: &mut Vec<u8>,
    level: &str,
    place: Place<'_>,
    byte: Option<usize>,
    title: &str,
    message: &str,
) {
    let mut text = format!("::{level} ");
    if let Some(file) = place.file {
        text.push_str(&format!("file={},", property(file)));
        if let Some(byte) = byte {
            text.push_str(&format!("line={},", place.line(byte)));
        }
    }
    text.push_str(&format!("title={}::{}\n", property(title), data(message)));
    out.extend_from_slice(text.as_bytes());
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
        let level = match one.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => continue,
        };
        let message = format!("{}: {}\n{}", one.path, one.message, one.hint);
        line(
            out,
            level,
            place,
            one.byte,
            one.rule,
            message.trim_start_matches(": "),
        );
    }
}
