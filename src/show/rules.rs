//! The registry: every rule of every room that judges.
//!
//! This is the lowest place that stands above them all. `lint --list` and
//! `--explain` print it, SARIF describes its rules, `docs/rules.md` is written from
//! it.

use crate::finding::Rule;
use crate::json::{Raw, write};
use crate::term::json::{array, boolean, text};
use crate::term::words::nearest;
use crate::{
    block, body, config, directive, import, lint, prefix, provider, render, schema,
    stream, thread, view,
};
use std::io::Write as _;

/// What is told of conversations, and while something is made of them.
const TOLD: [&[&Rule]; 13] = [
    schema::rules::RULES,
    block::fault::RULES,
    stream::notes::RULES,
    config::notes::RULES,
    thread::notes::RULES,
    directive::notes::RULES,
    provider::notes::RULES,
    view::provider::RULES,
    render::notes::RULES,
    import::notes::RULES,
    body::notes::RULES,
    prefix::notes::RULES,
    super::told::RULES,
];

/// All rules, family by family: what bodies are judged by, then what is told of
/// everything else.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    let told = TOLD.into_iter().flatten().copied();
    lint::rules().chain(prefix::rules()).chain(told)
}

/// The rule of that id.
pub fn find(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id)
}

/// The id that was most likely meant.
pub fn near(id: &str) -> Option<&'static str> {
    nearest(id, all().map(|rule| rule.id))
}

/// Small bodies for most rules of `lint`, and streams for those of `validate`, one JSON
/// object a line: what fails, what passes, what looks like an offender and is legal.
/// Those of the Messages API are patches over a body with one message.
const EXAMPLES: [&str; 4] = [
    include_str!("../../fixtures/lint/examples.jsonl"),
    include_str!("../../fixtures/lint/legal.jsonl"),
    include_str!("../../fixtures/lint/values.jsonl"),
    include_str!("../../fixtures/validate/examples.jsonl"),
];

/// The examples of a rule: what each is, whose it is, and the body.
fn examples(id: &str) -> Vec<(&'static str, Option<String>, Raw<'static>)> {
    let lines = EXAMPLES.iter().flat_map(|text| text.lines());
    let lines = lines.filter_map(|line| Raw::parse(line.as_bytes()).ok());
    let own = lines.filter(|line| {
        line.get("rule")
            .and_then(Raw::as_text)
            .is_some_and(|name| name.is(id))
    });
    own.flat_map(|line| {
        let provider = line.get("provider").and_then(Raw::as_str);
        ["fail", "pass", "legal"]
            .into_iter()
            .filter_map(move |key| {
                let body = line.get(key)?;
                Some((key, provider.as_deref().map(str::to_owned), body))
            })
    })
    .collect()
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
    for (key, provider, body) in examples(rule.id) {
        let text = String::from_utf8_lossy(body.bytes());
        let whose = provider.map_or(String::new(), |name| format!(" ({name})"));
        let text = crate::term::width::cut(&crate::term::printable(&text), 400, "…");
        let _ = writeln!(out, "{key:>8}{whose}: {text}");
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
        array(
            out,
            "examples",
            examples(rule.id),
            |out, (key, provider, body)| {
                out.push(b'{');
                text(out, "kind", Some(key));
                text(out, "provider", provider.as_deref());
                write::key(out, "body");
                out.extend_from_slice(body.bytes());
                out.push(b'}');
            },
        );
        out.extend_from_slice(b"}\n");
    }
}

/// Appends all rules as a page (`docs/rules.md`).
pub fn page(out: &mut Vec<u8>) {
    let head = "\
# Rules

Every rule that `convo lint`, `convo diff-cache-prefix` and `convo validate` judge
by, and every code that any command tells on standard error. Written by `convo lint --list --format markdown`; do not edit. One rule on a
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
            "\n### `{}`\n\n{}{on}: {}.\n\n- Why: {}.\n- What to do: {}.\n- Source: {}\n",
            rule.id,
            match rule.severity {
                crate::error::Severity::Error => "Error",
                crate::error::Severity::Warning => "Warning",
                crate::error::Severity::Note => "Note",
            },
            rule.what,
            rule.why,
            rule.mend,
            match rule.source.strip_prefix("docs/") {
                Some(page) => format!("[{page}]({page})"),
                None => format!("<{}>", rule.source),
            }
        );
    }
}
