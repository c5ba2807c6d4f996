//! Findings for people: the rule, the place, the line with the place marked.

use super::{Linted, Placed, SEVERITIES};
use crate::error::Severity;
use crate::lint::Rule;
use crate::lint::report::counted;
use std::io::Write as _;

/// Characters shown before and behind the place.
const BEFORE: usize = 28;
const BEHIND: usize = 44;

/// Appends a body's findings and their sum.
///
/// `input` holds the lines they stand in; `quiet` leaves all but errors out.
pub fn human(out: &mut Vec<u8>, body: &Linted, input: &[u8], color: bool, quiet: bool) {
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
    let style = match finding.severity {
        _ if !color => "",
        Severity::Error => "\x1b[1;31m",
        Severity::Warning => "\x1b[1;33m",
        Severity::Note => "\x1b[1;36m",
    };
    let off = if color { "\x1b[0m" } else { "" };
    let path = match finding.path.as_str() {
        "" => "the body",
        path => path,
    };
    let place = printable(&format!("{name}:{}:{}", placed.line, placed.column));
    let severity = finding.severity.name();
    let path = printable(path);
    // A vector takes every write.
    let _ = writeln!(
        out,
        "{place}: {style}{severity}[{}]{off} at {path} (byte {})",
        finding.rule.id, finding.byte
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
    line(out, &format!("  hint: {}\n", finding.hint));
}

fn line(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(printable(text).as_bytes());
    out.push(b'\n');
}

/// The part of the line around the place, and a caret below it.
fn mark(out: &mut Vec<u8>, placed: &Placed, input: &[u8]) {
    let byte = placed.finding.byte.min(input.len());
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
    let shown: String = head.chars().skip(skip).map(plain).collect();
    let behind: String = tail.chars().take(BEHIND).map(plain).collect();
    let number = placed.line.to_string();
    let gap = " ".repeat(number.len());
    let dots = if cut { "…" } else { "" };
    let more = if tail.chars().nth(BEHIND).is_some() {
        "…"
    } else {
        ""
    };
    let column = shown.chars().map(width).sum::<usize>() + usize::from(cut);
    let caret = " ".repeat(column);
    let _ = writeln!(out, "  {number} | {dots}{shown}{behind}{more}");
    let _ = writeln!(out, "  {gap} | {caret}^");
}

/// What a terminal can show in one place for a character of the input.
fn plain(character: char) -> char {
    match character {
        c if c.is_control() => ' ',
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' => {
            ' '
        }
        c => c,
    }
}

/// The columns a character takes: two for the wide ones of East Asia and emoji.
fn width(character: char) -> usize {
    match u32::from(character) {
        0x300..=0x36f | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f
        | 0x2e80..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1faff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

/// Text without characters that steer a terminal; line breaks stay.
fn printable(text: &str) -> String {
    let steers = |c: char| {
        c.is_control() && c != '\n'
            || ('\u{202a}'..='\u{202e}').contains(&c)
            || ('\u{2066}'..='\u{2069}').contains(&c)
    };
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match steers(character) {
            true => out.extend(character.escape_default()),
            false => out.push(character),
        }
    }
    out
}

/// Appends all there is to say of a rule.
pub fn explain(out: &mut Vec<u8>, rule: &Rule) {
    let on = if rule.on_request {
        ", on request only"
    } else {
        ""
    };
    for (label, text) in [
        ("what", rule.what),
        ("why", rule.why),
        ("mend", rule.mend),
        ("source", rule.source),
    ] {
        if label == "what" {
            let _ = writeln!(out, "{} ({}{on})\n", rule.id, rule.severity.name());
        }
        let _ = writeln!(out, "{label:>8}: {text}");
    }
}

/// Appends one line a rule: id, weight, what it finds.
pub fn list<'r>(out: &mut Vec<u8>, rules: impl Iterator<Item = &'r Rule>) {
    for rule in rules {
        let on = if rule.on_request { " (on request)" } else { "" };
        let severity = rule.severity.name();
        let _ = writeln!(out, "{:<30} {severity:<8} {}{on}", rule.id, rule.what);
    }
}
