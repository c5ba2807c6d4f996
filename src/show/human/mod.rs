//! For people: diagnostics, findings with the line they stand in, reports.

mod prefix;

pub use prefix::{Look, opened, report, summary};

use super::{Linted, Placed, SEVERITIES, Stored};
use crate::error::{Diagnostic, Severity};
use crate::finding::Finding;
use crate::term::{self, counted, printable, width};
use std::io::Write as _;

/// A diagnostic of a command as text.
pub fn diagnostic(command: &str, diagnostic: &Diagnostic, color: bool) -> String {
    let word = match diagnostic.severity {
        Severity::Error => String::new(),
        severity => format!(" {}:", severity.name()),
    };
    let head = term::severity(diagnostic.severity)
        .paint(color, &format!("convo {command}:{word}"));
    let mut text = format!(
        "{head} {}{}\n",
        printable(&diagnostic.position.to_string()),
        printable(&diagnostic.message)
    );
    if let Some(hint) = &diagnostic.hint {
        text.push_str(&format!("  hint: {}\n", printable(hint)));
    }
    text
}

/// Appends a finding on a stored conversation, on one line.
pub fn stored(out: &mut Vec<u8>, stored: &Stored, color: bool) {
    let finding = &stored.finding;
    let word = term::severity(finding.severity).paint(color, finding.severity.name());
    // A vector takes every write.
    let _ = writeln!(
        out,
        "{}{word}: {} [{}]",
        printable(&stored.position.to_string()),
        printable(&finding.message),
        finding.rule.id
    );
}

/// Characters shown before and behind the place.
const BEFORE: usize = 28;
const BEHIND: usize = 44;

/// Appends a body's findings and their sum.
///
/// `input` holds the lines they stand in; `quiet` leaves all but errors out.
pub fn body(out: &mut Vec<u8>, body: &Linted, input: &[u8], color: bool, quiet: bool) {
    let name = body.input.as_deref().unwrap_or("standard input");
    for placed in &body.findings {
        if !quiet || placed.finding.severity == Severity::Error {
            one(out, name, placed, input, color);
        }
    }
    if body.findings.is_empty() || quiet {
        return;
    }
    let counts: Vec<_> = SEVERITIES
        .into_iter()
        .map(|severity| (severity.name(), body.count(severity)))
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| counted(count, name))
        .collect();
    let betas = match body.betas.as_deref() {
        None => "betas not known".to_owned(),
        Some([]) => "no betas".to_owned(),
        Some(betas) => betas.join(", "),
    };
    let model = body.model.as_deref().unwrap_or("no model");
    let guess = if body.certain { "" } else { "taken for " };
    let within = match (body.index, body.within.as_str()) {
        (0, "") => String::new(),
        (0, within) => format!(" at {within}"),
        (index, "") => format!(" body {}", index + 1),
        (index, within) => format!(" body {} at {within}", index + 1),
    };
    line(
        out,
        &format!(
            "{name}{within}: {} ({guess}{}, {model}, {}, {betas})",
            counts.join(", "),
            body.provider,
            body.platform
        ),
    );
}

fn one(out: &mut Vec<u8>, name: &str, placed: &Placed, input: &[u8], color: bool) {
    let finding = &placed.finding;
    let path = match finding.path.as_str() {
        "" => "the body",
        path => path,
    };
    let place = printable(name);
    let (row, column) = (placed.line, placed.column);
    let severity = finding.severity;
    let word = format!("{}[{}]", severity.name(), finding.rule.id);
    let word = term::severity(severity).paint(color, &word);
    let path = printable(path);
    let byte = finding.byte.unwrap_or_default();
    // A vector takes every write.
    let _ = writeln!(
        out,
        "{place}:{row}:{column}: {word} at {path} (byte {byte})"
    );
    line(out, &format!("  {}", finding.message));
    mark(out, placed, input);
    for related in finding
        .related
        .iter()
        .filter(|one| one.path != finding.path)
    {
        line(
            out,
            &format!("  see: {} (byte {})", related.path, related.byte),
        );
    }
    hint(out, finding);
    out.push(b'\n');
}

fn hint(out: &mut Vec<u8>, finding: &Finding) {
    if !finding.hint.is_empty() {
        line(out, &format!("  hint: {}", finding.hint));
    }
}

fn line(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(printable(text).as_bytes());
    out.push(b'\n');
}

/// The part of the line around the place, and a caret below it.
fn mark(out: &mut Vec<u8>, placed: &Placed, input: &[u8]) {
    let byte = placed.finding.byte.unwrap_or_default().min(input.len());
    let from = placed.line_start.max(byte.saturating_sub(BEFORE * 4));
    let until = input.len().min(byte + BEHIND * 4);
    let head = String::from_utf8_lossy(&input[from..byte]);
    let tail = String::from_utf8_lossy(&input[byte..until]);
    let tail = tail
        .split('\n')
        .next()
        .unwrap_or_default()
        .trim_end_matches('\r');
    let skip = head.chars().count().saturating_sub(BEFORE);
    let cut = from + skip > placed.line_start;
    let head: String = head.chars().skip(skip).map(blank).collect();
    let behind: String = tail.chars().take(BEHIND).map(blank).collect();
    // What is spelled out moves the caret along.
    let (shown, behind) = (printable(&head), printable(&behind));
    let number = placed.line.to_string();
    let gap = " ".repeat(number.len());
    let dots = if cut { "…" } else { "" };
    let more = if tail.chars().nth(BEHIND).is_some() {
        "…"
    } else {
        ""
    };
    let caret = " ".repeat(width::cells(&shown) + usize::from(cut));
    let _ = writeln!(out, "  {number} | {dots}{shown}{behind}{more}");
    let _ = writeln!(out, "  {gap} | {caret}^");
}

/// Tabs and line ends take one column here.
fn blank(character: char) -> char {
    match character {
        '\t' | '\r' | '\n' => ' ',
        other => other,
    }
}

/// Appends the difference between a body and its mended form, laid out line by
/// line.
pub fn edits(out: &mut Vec<u8>, name: &str, before: &[u8], after: &[u8], color: bool) {
    let laid = |bytes: &[u8]| {
        let mut text = Vec::new();
        crate::json::write::pretty(&mut text, crate::json::Raw::checked(bytes));
        text.push(b'\n');
        String::from_utf8_lossy(&text).into_owned()
    };
    let (old, new) = (laid(before), laid(after));
    if old == new {
        return;
    }
    let diff = similar::TextDiff::from_lines(&old, &new);
    line(out, &format!("--- {name}"));
    line(out, &format!("+++ {name}, mended"));
    for hunk in diff.unified_diff().context_radius(3).iter_hunks() {
        line(out, hunk.header().to_string().trim_end());
        for change in hunk.iter_changes() {
            let (sign, style) = match change.tag() {
                similar::ChangeTag::Delete => ("-", Some(term::Style::Bad)),
                similar::ChangeTag::Insert => ("+", Some(term::Style::Good)),
                similar::ChangeTag::Equal => (" ", None),
            };
            let text = printable(change.value().trim_end_matches('\n'));
            let text = format!("{sign}{text}");
            let text = style.map_or(text.clone(), |style| style.paint(color, &text));
            out.extend_from_slice(text.as_bytes());
            out.push(b'\n');
        }
    }
}
