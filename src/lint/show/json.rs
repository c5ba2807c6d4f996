//! Findings as one JSON object a body, and as GitHub's workflow commands.

use super::{Linted, Placed};
use crate::error::Severity;
use crate::json::write;
use crate::lint::Rule;
use std::io::Write as _;

/// Appends a body's report on one line.
pub fn json(out: &mut Vec<u8>, body: &Linted) {
    out.push(b'{');
    text(out, "schema", Some("convo/lint-report/1"));
    text(out, "input", body.input.as_deref());
    number(out, "body", body.index);
    text(out, "within", Some(&body.within));
    text(out, "provider", Some(body.provider));
    write::key(out, "certain");
    out.extend_from_slice(if body.certain { b"true" } else { b"false" });
    text(out, "model", body.model.as_deref());
    text(out, "platform", Some(body.platform));
    write::key(out, "betas");
    match &body.betas {
        None => out.extend_from_slice(b"null"),
        Some(betas) => {
            list(out, betas, |out, beta| write::string(out, beta));
        }
    }
    number(out, "errors", body.count(Severity::Error));
    number(out, "warnings", body.count(Severity::Warning));
    number(out, "notes", body.count(Severity::Note));
    write::key(out, "findings");
    list(out, &body.findings, one);
    out.extend_from_slice(b"}\n");
}

fn one(out: &mut Vec<u8>, placed: &Placed) {
    let finding = &placed.finding;
    out.push(b'{');
    text(out, "rule", Some(finding.rule.id));
    text(out, "severity", Some(finding.severity.name()));
    text(out, "path", Some(&finding.path));
    number(out, "byte", finding.byte);
    number(out, "line", placed.line);
    number(out, "column", placed.column);
    text(out, "message", Some(&finding.message));
    text(out, "hint", Some(&finding.hint));
    write::key(out, "related");
    list(out, &finding.related, |out, related| {
        out.push(b'{');
        text(out, "path", Some(&related.path));
        number(out, "byte", related.byte);
        out.push(b'}');
    });
    out.push(b'}');
}

/// Appends `key` and a string, or null.
pub(super) fn text(out: &mut Vec<u8>, key: &str, value: Option<&str>) {
    write::key(out, key);
    match value {
        Some(value) => write::string(out, value),
        None => out.extend_from_slice(b"null"),
    }
}

/// Appends `key` and a number.
pub(super) fn number(out: &mut Vec<u8>, key: &str, value: usize) {
    write::key(out, key);
    write::integer(out, value as u64);
}

/// Appends an array.
pub(super) fn list<T>(out: &mut Vec<u8>, items: &[T], one: impl Fn(&mut Vec<u8>, &T)) {
    out.push(b'[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        one(out, item);
    }
    out.push(b']');
}

/// Appends one JSON object a rule.
pub fn list_json<'r>(out: &mut Vec<u8>, rules: impl Iterator<Item = &'r Rule>) {
    for rule in rules {
        out.push(b'{');
        text(out, "rule", Some(rule.id));
        text(out, "severity", Some(rule.severity.name()));
        text(out, "what", Some(rule.what));
        text(out, "why", Some(rule.why));
        text(out, "mend", Some(rule.mend));
        text(out, "source", Some(rule.source));
        write::key(out, "on_request");
        out.extend_from_slice(if rule.on_request { b"true" } else { b"false" });
        out.extend_from_slice(b"}\n");
    }
}

/// Appends a body's findings as GitHub's workflow commands.
pub fn github(out: &mut Vec<u8>, body: &Linted) {
    for placed in &body.findings {
        let finding = &placed.finding;
        let command = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "notice",
        };
        let file = body
            .input
            .as_deref()
            .map(|name| format!("file={},", escaped(name, true)));
        // A vector takes every write.
        let _ = writeln!(
            out,
            "::{command} {}line={},col={},title={}::{}",
            file.unwrap_or_default(),
            placed.line,
            placed.column,
            finding.rule.id,
            escaped(
                &format!("{}: {}\n{}", finding.path, finding.message, finding.hint),
                false
            )
        );
    }
}

/// Escapes what would end a workflow command or one of its properties.
fn escaped(text: &str, property: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '%' => out.push_str("%25"),
            '\r' => out.push_str("%0D"),
            '\n' => out.push_str("%0A"),
            ':' if property => out.push_str("%3A"),
            ',' if property => out.push_str("%2C"),
            _ => out.push(character),
        }
    }
    out
}
