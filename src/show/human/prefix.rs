//! A report for people: the answer first, then where, what, and what to do.

use crate::error::Severity;
use crate::prefix::{
    Amount, Divergence, Opened, Outcome, Report, State, Summary, Verdict,
};
use crate::term::{self, Style, counted, grouped, printable};
use similar::{Algorithm, ChangeTag, TextDiff};
use std::fmt::Write as _;

/// The width of a level's bar.
const BAR: usize = 24;

/// How a report is drawn.
#[derive(Debug, Clone, Copy, Default)]
pub struct Look {
    /// Whether colours are used.
    pub color: bool,
    /// Whether notes are shown.
    pub notes: bool,
}

impl Look {
    fn paint(self, style: Style, text: &str) -> String {
        style.paint(self.color, text)
    }
}

/// A length as people read it.
fn size(amount: Amount) -> String {
    format!(
        "{} (about {} tokens)",
        bytes(amount.bytes),
        grouped(amount.tokens)
    )
}

fn bytes(count: usize) -> String {
    match count {
        0..1_000 => counted(count, "byte"),
        1_000..1_000_000 => format!("{:.1} kB", count as f64 / 1e3),
        _ => format!("{:.1} MB", count as f64 / 1e6),
    }
}

/// The one line that answers the question.
fn answer(report: &Report) -> String {
    let cache = match report.verdict {
        Verdict::Hit => "hit: all that was cached is still a prefix",
        Verdict::Uncached => "uncached: nothing was cached, or nothing is asked for",
        Verdict::Partial => "partial: something that was cached survives",
        Verdict::Miss => "miss: nothing that was cached can be read",
        Verdict::Shorter => "shorter: the second request is the beginning of the first",
        Verdict::Unknown => "unknown: something changed whose effect is not published",
    };
    let binding = match report.binding.outcome {
        Outcome::Accepted if report.binding.blocks.is_empty() => {
            return cache.to_owned();
        }
        Outcome::Accepted => "thinking accepted",
        Outcome::Rejected => "the API will refuse the thinking (400)",
        Outcome::Dropped => "some thinking will be dropped",
        Outcome::DependsOnAccount => "newer accounts will be refused (400)",
        Outcome::NotChecked => "thinking is not checked",
        Outcome::Uncertain => "uncertain whether the thinking is accepted",
    };
    format!("{cache}; {binding}")
}

/// Appends a report.
pub fn report(out: &mut Vec<u8>, report: &Report, look: Look) {
    let mut text = String::new();
    let style = match report.verdict {
        Verdict::Hit | Verdict::Shorter => Style::GoodAnswer,
        Verdict::Partial | Verdict::Uncached | Verdict::Unknown => Style::Warning,
        Verdict::Miss => Style::Error,
    };
    let (a, b) = (printable(&report.a), printable(&report.b));
    let line = answer(report);
    let _ = writeln!(text, "{a} -> {b}: {}", look.paint(style, &line));
    for (at, name) in ["tools", "system", "messages"].iter().enumerate() {
        bar(&mut text, report, at, name, look);
    }
    if let Some(reason) = report.reason {
        let _ = writeln!(text, "  reason    {}", reason.name());
    }
    if let Some(reusable) = &report.reusable {
        let amount = size(reusable.amount);
        let _ = writeln!(
            text,
            "  readable  up to {}: {amount}",
            printable(&reusable.breakpoint)
        );
    }
    if report.lost.bytes > 0 {
        let _ = writeln!(text, "  lost      {}", size(report.lost));
    }
    const MOST: usize = 20;
    for one in report.divergences.iter().take(MOST) {
        divergence(&mut text, one, look);
    }
    if report.divergences.len() > MOST {
        let more = report.divergences.len() - MOST;
        let _ = writeln!(text, "\n  {more} more places; --format json lists them all");
    }
    binding(&mut text, report, look);
    findings(&mut text, report, look);
    out.extend_from_slice(text.as_bytes());
}

fn bar(text: &mut String, report: &Report, at: usize, name: &str, look: Look) {
    let (share, total) = (report.shares[at], report.totals[at]);
    let state = report.levels[at];
    if state == State::Empty {
        let _ = writeln!(text, "  {name:<9} {:BAR$} empty", "");
        return;
    }
    let filled = match total.bytes {
        0 => 0,
        total => (share.bytes * BAR).div_ceil(total).min(BAR),
    };
    let filled = match (state, filled) {
        (State::Kept, _) => BAR,
        (_, BAR) if share.bytes < total.bytes => BAR - 1,
        (_, filled) => filled,
    };
    let drawn = format!("{}{}", "█".repeat(filled), "░".repeat(BAR - filled));
    let style = match state {
        State::Kept | State::Empty => Style::Good,
        State::Partial => Style::Middling,
        State::Lost => Style::Bad,
    };
    let drawn = look.paint(style, &drawn);
    let equal = match state {
        State::Kept => bytes(total.bytes),
        _ => format!("{} of {} equal", bytes(share.bytes), bytes(total.bytes)),
    };
    let _ = writeln!(text, "  {name:<9} {drawn} {}, {equal}", state.name());
}

fn divergence(text: &mut String, one: &Divergence, look: Look) {
    let offset = one
        .offset
        .map_or(String::new(), |offset| format!(", character {offset}"));
    let _ = writeln!(
        text,
        "\n{} {} at {}{offset} (bytes {} and {})",
        look.paint(Style::Strong, one.level.name()),
        one.cause.name(),
        printable(&one.path),
        one.byte_a,
        one.byte_b,
    );
    let _ = writeln!(text, "  {} [{}]", printable(&one.detail), one.rule.id);
    let (a, b) = (one.sample.a.join("\n"), one.sample.b.join("\n"));
    if !(a.is_empty() && b.is_empty()) {
        let (a, b) = (ended(&a), ended(&b));
        let diff = TextDiff::configure()
            .algorithm(Algorithm::Patience)
            .diff_lines(a.as_str(), b.as_str());
        for change in diff.iter_all_changes() {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ("-", Some(Style::Bad)),
                ChangeTag::Insert => ("+", Some(Style::Good)),
                ChangeTag::Equal => (" ", None),
            };
            let line = term::line(change.value().trim_end_matches('\n'));
            let line = format!("  {sign} {line}");
            let line = style.map_or(line.clone(), |style| look.paint(style, &line));
            let _ = writeln!(text, "{line}");
        }
    }
    if !one.hint.is_empty() {
        let _ = writeln!(text, "  hint: {}", printable(&one.hint));
    }
}

fn ended(lines: &str) -> String {
    match lines.is_empty() {
        true => String::new(),
        false => format!("{lines}\n"),
    }
}

fn binding(text: &mut String, report: &Report, look: Look) {
    let binding = &report.binding;
    if binding.blocks.is_empty() && binding.outcome == Outcome::Accepted {
        return;
    }
    let _ = writeln!(
        text,
        "\n{} {}: {}",
        look.paint(Style::Strong, "binding"),
        binding.outcome.name(),
        counted(binding.blocks.len(), "thinking block")
    );
    const MOST: usize = 20;
    let failing = binding
        .blocks
        .iter()
        .filter(|one| one.state.name() != "valid");
    let all = failing.clone().count();
    for one in failing.take(MOST) {
        let cause = one.cause.as_deref().map_or(String::new(), |cause| {
            format!(", because of {}", printable(cause))
        });
        let _ = writeln!(
            text,
            "  {} {}{cause}",
            printable(&one.path),
            one.state.name()
        );
    }
    if all > MOST {
        let _ = writeln!(text, "  {} more", all - MOST);
    }
    if let Some((lower, upper)) = binding.dropped {
        let _ = match lower == upper {
            true => writeln!(text, "  dropped: {}", counted(lower, "block")),
            false => writeln!(text, "  dropped: {lower} to {upper} blocks"),
        };
    }
    if look.notes {
        for note in &binding.notes {
            let _ = writeln!(text, "  note: {}", printable(note));
        }
    }
    if let Some(hint) = &binding.hint {
        let _ = writeln!(text, "  hint: {}", printable(hint));
    }
}

fn findings(text: &mut String, report: &Report, look: Look) {
    let shown = |severity| severity != Severity::Note || look.notes;
    let list = report.findings.iter().filter(|one| shown(one.severity));
    for (at, one) in list.enumerate() {
        if at == 0 {
            text.push('\n');
        }
        let place = match one.path.is_empty() {
            true => String::new(),
            false => format!(" {}:", printable(&one.path)),
        };
        let severity = look.paint(term::severity(one.severity), one.severity.name());
        let message = printable(&one.message);
        let _ = writeln!(text, "{severity}:{place} {message} [{}]", one.rule.id);
        if !one.hint.is_empty() {
            let _ = writeln!(text, "  hint: {}", printable(&one.hint));
        }
    }
}

/// Appends that a request opens a thread.
pub fn opened(out: &mut Vec<u8>, opened: &Opened) {
    let name = printable(&opened.request);
    let thread = opened.thread + 1;
    let line = match (&opened.resumes, &opened.early, &opened.like) {
        (Some(before), ..) => format!(
            "goes on with thread {thread}, whose last request, {}, is too old to be read",
            printable(before)
        ),
        (_, Some(before), _) => format!(
            "opens thread {thread}: sent before the answer to {} began, it cannot read \
             what that wrote",
            printable(before)
        ),
        (_, _, Some((like, amount))) => format!(
            "opens thread {thread}; its prompt begins as that of {}: {}",
            printable(like),
            size(*amount)
        ),
        _ => format!("opens thread {thread}"),
    };
    // A vector takes every write.
    let _ = std::io::Write::write_fmt(out, format_args!("{name} {line}\n"));
}

/// Appends the summary of a run.
pub fn summary(out: &mut Vec<u8>, summary: &Summary) {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "\n{} of {} kept the prefix; {} fail the check of thinking blocks",
        summary.kept,
        counted(summary.pairs, "pair"),
        summary.failed
    );
    for (name, amount) in [
        ("read", summary.read),
        ("written", summary.written),
        ("uncached", summary.fresh),
        ("lost", summary.lost),
    ] {
        let _ = writeln!(text, "  {name:<9} {}", size(amount));
    }
    for (cause, (count, amount)) in &summary.causes {
        let _ = writeln!(
            text,
            "  {cause}: {}, {} lost",
            counted(*count, "pair"),
            size(*amount)
        );
    }
    if let Some(factor) = summary.factor() {
        let _ = writeln!(
            text,
            "  cost      {factor:.2} times that of perfect caching"
        );
    }
    out.extend_from_slice(text.as_bytes());
}
