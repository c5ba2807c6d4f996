//! A report as one JSON object on a line (`schemas/prefix-report.schema.json`).

use crate::json::write;
use crate::prefix::{Amount, Opened, Reason, Report, Summary};
use crate::term::json::{array as list, string, text};

fn number(out: &mut Vec<u8>, key: &str, value: Option<usize>) {
    crate::term::json::number(out, key, value.map(|value| value as u64));
}

fn amount(out: &mut Vec<u8>, amount: Amount) {
    number(out, "bytes", Some(amount.bytes));
    number(out, "tokens", Some(amount.tokens));
}

/// Appends a report, with the line break behind it.
pub fn report(out: &mut Vec<u8>, report: &Report) {
    out.push(b'{');
    text(out, "schema", Some("convo/prefix-report/1"));
    text(out, "a", Some(&report.a));
    text(out, "b", Some(&report.b));
    number(out, "thread", report.thread);
    text(out, "provider", Some(report.provider));
    text(out, "model", report.model.as_deref());
    text(out, "account", Some(report.account));
    text(out, "verdict", Some(report.verdict.name()));
    write::key(out, "levels");
    out.push(b'{');
    for (name, state) in ["tools", "system", "messages"].iter().zip(report.levels) {
        text(out, name, Some(state.name()));
    }
    out.push(b'}');
    text(out, "reason", report.reason.map(Reason::name));
    list(out, "divergences", &report.divergences, |out, one| {
        out.push(b'{');
        text(out, "level", Some(one.level.name()));
        text(out, "path", Some(&one.path));
        number(out, "offset", one.offset);
        number(out, "byte_a", Some(one.byte_a));
        number(out, "byte_b", Some(one.byte_b));
        text(out, "cause", Some(one.cause.name()));
        text(out, "rule", Some(one.rule.id));
        text(out, "detail", Some(&one.detail));
        text(out, "hint", Some(&one.hint));
        out.push(b'}');
    });
    write::key(out, "reusable");
    match &report.reusable {
        Some(reusable) => {
            out.push(b'{');
            text(out, "breakpoint", Some(&reusable.breakpoint));
            amount(out, reusable.amount);
            out.push(b'}');
        }
        None => out.extend_from_slice(b"null"),
    }
    write::key(out, "lost");
    out.push(b'{');
    amount(out, report.lost);
    out.push(b'}');
    binding(out, report);
    list(out, "findings", &report.findings, |out, one| {
        out.push(b'{');
        text(out, "rule", Some(one.rule.id));
        text(out, "severity", Some(one.severity.name()));
        text(out, "path", Some(&one.path));
        number(out, "byte", one.byte);
        if let Some(cause) = one.cause {
            text(out, "cause", Some(cause));
        }
        text(out, "message", Some(&one.message));
        if !one.hint.is_empty() {
            text(out, "hint", Some(&one.hint));
        }
        out.push(b'}');
    });
    out.extend_from_slice(b"}\n");
}

fn binding(out: &mut Vec<u8>, report: &Report) {
    let binding = &report.binding;
    write::key(out, "binding");
    out.push(b'{');
    text(out, "outcome", Some(binding.outcome.name()));
    text(out, "first", binding.first.as_deref());
    list(out, "blocks", &binding.blocks, |out, one| {
        out.push(b'{');
        text(out, "path", Some(&one.path));
        text(out, "state", Some(one.state.name()));
        text(out, "cause", one.cause.as_deref());
        out.push(b'}');
    });
    if let Some((lower, upper)) = binding.dropped {
        write::key(out, "dropped");
        out.push(b'{');
        number(out, "lower_bound", Some(lower));
        number(out, "upper_bound", Some(upper));
        out.push(b'}');
    }
    list(out, "notes", &binding.notes, |out, note| {
        string(out, note);
    });
    if let Some(hint) = &binding.hint {
        text(out, "hint", Some(hint));
    }
    out.push(b'}');
}

/// Appends that a request opens a thread, with the line break behind it.
pub fn opened(out: &mut Vec<u8>, opened: &Opened) {
    out.push(b'{');
    text(out, "schema", Some("convo/prefix-opening/1"));
    text(out, "request", Some(&opened.request));
    text(out, "provider", Some(opened.provider));
    number(out, "thread", Some(opened.thread));
    text(out, "resumes", opened.resumes.as_deref());
    text(out, "early", opened.early.as_deref());
    write::key(out, "like");
    match &opened.like {
        Some((name, shared)) => {
            out.push(b'{');
            text(out, "request", Some(name));
            amount(out, *shared);
            out.push(b'}');
        }
        None => out.extend_from_slice(b"null"),
    }
    out.extend_from_slice(b"}\n");
}

/// Appends the summary of a run, with the line break behind it.
pub fn summary(out: &mut Vec<u8>, summary: &Summary) {
    out.push(b'{');
    text(out, "schema", Some("convo/prefix-summary/1"));
    number(out, "pairs", Some(summary.pairs));
    number(out, "threads", Some(summary.threads));
    number(out, "kept", Some(summary.kept));
    number(out, "failed", Some(summary.failed));
    for (name, sum) in [
        ("read", summary.read),
        ("written", summary.written),
        ("uncached", summary.fresh),
        ("lost", summary.lost),
    ] {
        write::key(out, name);
        out.push(b'{');
        amount(out, sum);
        out.push(b'}');
    }
    write::key(out, "causes");
    out.push(b'{');
    for (cause, (count, sum)) in &summary.causes {
        write::key(out, cause);
        out.push(b'{');
        number(out, "pairs", Some(*count));
        amount(out, *sum);
        out.push(b'}');
    }
    out.push(b'}');
    write::key(out, "cost_factor");
    match summary.factor() {
        Some(factor) => out.extend_from_slice(format!("{factor:.2}").as_bytes()),
        None => out.extend_from_slice(b"null"),
    }
    out.extend_from_slice(b"}\n");
}
