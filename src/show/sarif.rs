//! Findings as SARIF 2.1.0: one log for a whole run.
//!
//! [`open`] and [`close`] write the frame, [`body`] the results of one body in
//! between. Every rule is described, so that a viewer can explain a result.

use super::rules;
use super::{Linted, Placed};
use crate::error::{Diagnostic, Severity};
use crate::finding::Rule;
use crate::json::write;
use crate::term::json::{array, boolean, text};

fn number(out: &mut Vec<u8>, key: &str, value: usize) {
    crate::term::json::number(out, key, Some(value as u64));
}

/// Where a log stands.
#[derive(Debug, Default)]
pub struct Log {
    any: bool,
}

/// Appends the start of a log, up to its results.
pub fn open(out: &mut Vec<u8>, version: &str) -> Log {
    out.push(b'{');
    text(
        out,
        "$schema",
        Some("https://json.schemastore.org/sarif-2.1.0.json"),
    );
    text(out, "version", Some("2.1.0"));
    write::key(out, "runs");
    out.extend_from_slice(b"[{");
    write::key(out, "tool");
    out.push(b'{');
    write::key(out, "driver");
    out.push(b'{');
    text(out, "name", Some("convo lint"));
    text(out, "semanticVersion", Some(version));
    array(out, "rules", rules::all(), described);
    out.extend_from_slice(b"}}");
    text(out, "columnKind", Some("unicodeCodePoints"));
    write::key(out, "results");
    out.push(b'[');
    Log::default()
}

fn described(out: &mut Vec<u8>, rule: &Rule) {
    out.push(b'{');
    text(out, "id", Some(rule.id));
    for (key, value) in [
        ("shortDescription", rule.what.to_owned()),
        ("fullDescription", format!("{}: {}", rule.what, rule.why)),
        ("help", rule.mend.to_owned()),
    ] {
        write::key(out, key);
        out.push(b'{');
        text(out, "text", Some(&value));
        out.push(b'}');
    }
    text(out, "helpUri", Some(rule.source));
    write::key(out, "defaultConfiguration");
    out.push(b'{');
    text(out, "level", Some(level(rule.severity)));
    if rule.on_request {
        boolean(out, "enabled", false);
    }
    out.extend_from_slice(b"}}");
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// Appends the results of one body.
pub fn body(out: &mut Vec<u8>, log: &mut Log, body: &Linted) {
    for placed in &body.findings {
        if std::mem::replace(&mut log.any, true) {
            out.push(b',');
        }
        result(out, body, placed);
    }
}

fn result(out: &mut Vec<u8>, body: &Linted, placed: &Placed) {
    let finding = &placed.finding;
    out.push(b'{');
    text(out, "ruleId", Some(finding.rule.id));
    let index = rules::all().position(|rule| rule.id == finding.rule.id);
    number(out, "ruleIndex", index.unwrap_or_default());
    text(out, "level", Some(level(finding.severity)));
    write::key(out, "message");
    out.push(b'{');
    let message = match finding.hint.as_str() {
        "" => finding.message.clone(),
        hint => format!("{} ({hint})", finding.message),
    };
    text(out, "text", Some(&message));
    out.push(b'}');
    write::key(out, "locations");
    out.push(b'[');
    let byte = finding.byte.unwrap_or_default();
    location(out, body, &finding.path, byte, Some(placed));
    out.push(b']');
    if !finding.related.is_empty() {
        array(out, "relatedLocations", &finding.related, |out, related| {
            location(out, body, &related.path, related.byte, None);
        });
    }
    out.push(b'}');
}

fn location(
    out: &mut Vec<u8>,
    body: &Linted,
    path: &str,
    byte: usize,
    placed: Option<&Placed>,
) {
    out.push(b'{');
    write::key(out, "physicalLocation");
    out.push(b'{');
    write::key(out, "artifactLocation");
    out.push(b'{');
    text(
        out,
        "uri",
        Some(&uri(body.input.as_deref().unwrap_or("stdin"))),
    );
    out.push(b'}');
    write::key(out, "region");
    out.push(b'{');
    if let Some(placed) = placed {
        number(out, "startLine", placed.line);
        number(out, "startColumn", placed.column);
    }
    number(out, "byteOffset", byte);
    number(out, "byteLength", 0);
    out.extend_from_slice(b"}}");
    write::key(out, "logicalLocations");
    out.extend_from_slice(b"[{");
    text(
        out,
        "fullyQualifiedName",
        Some(&format!("{}{path}", body.within)),
    );
    text(out, "kind", Some("value"));
    out.extend_from_slice(b"}]}");
}

/// A path as a relative reference, or an absolute one as a `file:` URI.
fn uri(path: &str) -> String {
    let mut out = String::new();
    if path.starts_with('/') {
        out.push_str("file://");
    }
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z'
            | b'a'..=b'z'
            | b'0'..=b'9'
            | b'-'
            | b'.'
            | b'_'
            | b'~'
            | b'/' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// Appends the end of a log: what could not be read, and that it is done.
pub fn close(out: &mut Vec<u8>, refused: &[Diagnostic]) {
    out.push(b']');
    write::key(out, "invocations");
    out.extend_from_slice(b"[{");
    boolean(out, "executionSuccessful", refused.is_empty());
    array(out, "toolExecutionNotifications", refused, |out, one| {
        out.push(b'{');
        text(out, "level", Some(level(one.severity)));
        write::key(out, "descriptor");
        out.push(b'{');
        text(out, "id", Some(one.code));
        out.push(b'}');
        write::key(out, "message");
        out.push(b'{');
        text(
            out,
            "text",
            Some(&format!("{}{}", one.position, one.message)),
        );
        out.extend_from_slice(b"}}");
    });
    out.extend_from_slice(b"}]}]}\n");
}
