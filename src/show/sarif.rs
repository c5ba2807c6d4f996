//! Findings as SARIF 2.1.0: one log for a whole run.
//!
//! [`open`] and [`close`] write the frame, [`body`] the results of one body in
//! between. Every rule is described, so that a viewer can explain a result.

use super::rules;
use super::{Linted, Stored};
use crate::error::{Diagnostic, Severity};
use crate::finding::{Finding, Rule};
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

impl Log {
    /// Puts a comma between two results.
    fn next(&mut self, out: &mut Vec<u8>) {
        if std::mem::replace(&mut self.any, true) {
            out.push(b',');
        }
    }
}

/// Appends the start of a log of `command`, up to its results.
pub fn open(out: &mut Vec<u8>, command: &str, version: &str) -> Log {
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
    text(out, "name", Some(&format!("convo {command}")));
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
    // A page of this repository has no address of its own.
    if rule.source.starts_with("https://") {
        text(out, "helpUri", Some(rule.source));
    }
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
        log.next(out);
        let spot = |path: &str, byte: Option<usize>, line| Spot {
            input: body.input.as_deref(),
            name: format!("{}{path}", body.within),
            byte: byte.map(|byte| byte as u64),
            line,
        };
        let finding = &placed.finding;
        let line = Some((placed.line, placed.column));
        let byte = Some(finding.byte.unwrap_or_default());
        let related = finding.related.iter();
        let related = related.map(|one| spot(&one.path, Some(one.byte), None));
        result(out, finding, &spot(&finding.path, byte, line), related);
    }
}

/// Appends the result for a finding on a stored conversation.
pub fn stored(out: &mut Vec<u8>, log: &mut Log, stored: &Stored) {
    log.next(out);
    let Stored {
        finding,
        position,
        line,
    } = stored;
    let path = position.path.as_deref().unwrap_or_default();
    let spot = Spot {
        input: position.input.as_deref(),
        name: match position.conversation {
            None | Some(0) => path.to_owned(),
            Some(index) => format!("conversation {}{path}", index + 1),
        },
        byte: position.byte,
        line: *line,
    };
    result(out, finding, &spot, std::iter::empty());
}

/// A place that a result points to.
struct Spot<'s> {
    input: Option<&'s str>,
    name: String,
    byte: Option<u64>,
    line: Option<(usize, usize)>,
}

fn result<'s>(
    out: &mut Vec<u8>,
    finding: &Finding,
    spot: &Spot<'s>,
    related: impl Iterator<Item = Spot<'s>>,
) {
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
    location(out, spot);
    out.push(b']');
    let mut related = related.peekable();
    if related.peek().is_some() {
        array(out, "relatedLocations", related, |out, spot| {
            location(out, &spot);
        });
    }
    out.push(b'}');
}

fn location(out: &mut Vec<u8>, spot: &Spot<'_>) {
    out.push(b'{');
    write::key(out, "physicalLocation");
    out.push(b'{');
    write::key(out, "artifactLocation");
    out.push(b'{');
    text(out, "uri", Some(&uri(spot.input.unwrap_or("stdin"))));
    out.push(b'}');
    if let Some(byte) = spot.byte {
        write::key(out, "region");
        out.push(b'{');
        if let Some((line, column)) = spot.line {
            number(out, "startLine", line);
            number(out, "startColumn", column);
        }
        crate::term::json::number(out, "byteOffset", Some(byte));
        number(out, "byteLength", 0);
        out.push(b'}');
    }
    out.push(b'}');
    write::key(out, "logicalLocations");
    out.extend_from_slice(b"[{");
    text(out, "fullyQualifiedName", Some(&spot.name));
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
