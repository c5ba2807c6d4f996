//! The registry: every rule of every room that judges.
//!
//! This is the lowest place that stands above them all. `lint --list` and
//! `--explain` print it, SARIF describes its rules, `docs/rules.md` is written from
//! it.

use crate::finding::Rule;
use crate::term::json::{boolean, text};
use crate::term::words::nearest;
use crate::{lint, prefix};
use std::io::Write as _;

/// All rules, family by family.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    lint::rules().chain(prefix::rules())
}

/// The rule of that id.
pub fn find(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id)
}

/// The id that was most likely meant.
pub fn near(id: &str) -> Option<&'static str> {
    nearest(id, all().map(|rule| rule.id))
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

/// Appends one JSON object a rule.
pub fn json<'r>(out: &mut Vec<u8>, rules: impl Iterator<Item = &'r Rule>) {
    for rule in rules {
        out.push(b'{');
        text(out, "rule", Some(rule.id));
        text(out, "family", Some(rule.family));
        text(out, "severity", Some(rule.severity.name()));
        text(out, "what", Some(rule.what));
        text(out, "why", Some(rule.why));
        text(out, "mend", Some(rule.mend));
        text(out, "source", Some(rule.source));
        boolean(out, "on_request", rule.on_request);
        out.extend_from_slice(b"}\n");
    }
}

/// Appends all rules as a page (`docs/rules.md`).
pub fn page(out: &mut Vec<u8>) {
    let head = "\
# Rules

Every rule that `convo lint`, `convo diff-cache-prefix` and `convo validate` judge
by. Written by `convo lint --list --format markdown`; do not edit. One rule on a
terminal: `convo lint --explain RULE`. A finding weighs what is given here unless its
message says why it does not: a refusal that is assumed is a warning, one that depends
on what nobody said a note.
";
    out.extend_from_slice(head.as_bytes());
    let mut family = "";
    for rule in all() {
        if rule.family != family {
            family = rule.family;
            let _ = writeln!(out, "\n## {family}");
        }
        let on = match rule.on_request {
            true => ", on request (`--enable`)",
            false => "",
        };
        let _ = write!(
            out,
            "\n### `{}`\n\n{}{on}: {}.\n\n- Why: {}.\n- What to do: {}.\n- Source: <{}>\n",
            rule.id,
            match rule.severity {
                crate::error::Severity::Error => "Error",
                crate::error::Severity::Warning => "Warning",
                crate::error::Severity::Note => "Note",
            },
            rule.what,
            rule.why,
            rule.mend,
            rule.source
        );
    }
}
