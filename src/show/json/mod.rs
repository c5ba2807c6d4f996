//! As JSON, one object a line: diagnostics, the findings of a body, reports.

mod prefix;

pub use prefix::{opened, report, summary};

use super::{Linted, Placed, Stored};
use crate::error::{Diagnostic, Severity};
use crate::term::json::{array, boolean, number, string, text};

/// Appends a diagnostic.
pub fn diagnostic(out: &mut Vec<u8>, diagnostic: &Diagnostic) {
    let position = &diagnostic.position;
    let count = |count: Option<usize>| count.map(|count| count as u64);
    out.push(b'{');
    text(out, "severity", Some(diagnostic.severity.name()));
    text(out, "code", Some(diagnostic.code));
    text(out, "input", position.input.as_deref());
    number(out, "conversation", count(position.conversation));
    number(out, "event", count(position.event));
    text(out, "path", position.path.as_deref());
    number(out, "offset", count(position.offset));
    number(out, "byte", position.byte);
    text(out, "message", Some(&diagnostic.message));
    text(out, "hint", diagnostic.hint.as_deref());
    out.extend_from_slice(b"}\n");
}

/// Appends a finding on a stored conversation.
pub fn stored(out: &mut Vec<u8>, stored: &Stored) {
    let (finding, position) = (&stored.finding, &stored.position);
    let count = |count: Option<usize>| count.map(|count| count as u64);
    out.push(b'{');
    text(out, "severity", Some(finding.severity.name()));
    text(out, "rule", Some(finding.rule.id));
    text(out, "input", position.input.as_deref());
    text(out, "path", position.path.as_deref());
    text(out, "message", Some(&finding.message));
    text(out, "hint", Some(&finding.hint));
    number(out, "conversation", count(position.conversation));
    number(out, "event", count(position.event));
    number(out, "byte", position.byte);
    number(out, "line", count(stored.line.map(|(line, _)| line)));
    number(out, "column", count(stored.line.map(|(_, column)| column)));
    out.extend_from_slice(b"}\n");
}

/// Appends a body's findings on one line.
pub fn body(out: &mut Vec<u8>, body: &Linted) {
    out.push(b'{');
    text(out, "schema", Some("convo/lint-report/1"));
    text(out, "input", body.input.as_deref());
    number(out, "body", Some(body.index as u64));
    text(out, "within", Some(&body.within));
    text(out, "provider", Some(body.provider));
    boolean(out, "certain", body.certain);
    text(out, "model", body.model.as_deref());
    text(out, "platform", Some(body.platform));
    match &body.betas {
        None => text(out, "betas", None),
        Some(betas) => array(out, "betas", betas, |out, beta| string(out, beta)),
    }
    number(out, "errors", Some(body.count(Severity::Error) as u64));
    number(out, "warnings", Some(body.count(Severity::Warning) as u64));
    number(out, "notes", Some(body.count(Severity::Note) as u64));
    array(out, "findings", &body.findings, one);
    out.extend_from_slice(b"}\n");
}

fn one(out: &mut Vec<u8>, placed: &Placed) {
    let finding = &placed.finding;
    out.push(b'{');
    text(out, "rule", Some(finding.rule.id));
    text(out, "severity", Some(finding.severity.name()));
    text(out, "path", Some(&finding.path));
    number(out, "byte", finding.byte.map(|byte| byte as u64));
    number(out, "line", Some(placed.line as u64));
    number(out, "column", Some(placed.column as u64));
    text(out, "message", Some(&finding.message));
    text(out, "hint", Some(&finding.hint));
    array(out, "related", &finding.related, |out, related| {
        out.push(b'{');
        text(out, "path", Some(&related.path));
        number(out, "byte", Some(related.byte as u64));
        out.push(b'}');
    });
    out.push(b'}');
}
