//! A run of requests as a page: a bar a request, and behind it the whole report.

use super::human;
use crate::page::{Body, page};
use crate::prefix::{Amount, Outcome, Report, State, Summary, Verdict};
use crate::term::words;
use maud::{Markup, html};

/// The requests of a run, gathered for one page.
#[derive(Debug, Default)]
pub struct Requests {
    rows: Vec<Row>,
    summary: Summary,
}

/// What the page shows of one request, against the one before it.
#[derive(Debug)]
struct Row {
    name: String,
    verdict: Verdict,
    fails: bool,
    cause: Option<&'static str>,
    /// Read, written, neither: in tokens.
    paid: [usize; 3],
    lost: usize,
    /// Of tools, system and messages: how much is kept, of how much.
    levels: [(State, usize, usize); 3],
    text: String,
}

impl Requests {
    /// Adds a pair.
    pub fn add(&mut self, report: &Report) {
        self.summary.add(report);
        let mut text = Vec::new();
        let look = human::Look {
            color: false,
            notes: true,
        };
        human::report(&mut text, report, look);
        let cause = report.divergences.first().map(|one| one.cause.name());
        let findings = || report.findings.iter().find_map(|one| one.cause);
        let level = |at: usize| {
            let (total, share) = (report.totals[at].tokens, report.shares[at].tokens);
            let kept = match report.levels[at] {
                State::Kept => total,
                _ => share.min(total),
            };
            (report.levels[at], kept, total)
        };
        let paid = |amount: Amount| amount.tokens;
        let usage = report.usage;
        self.rows.push(Row {
            name: report.b.clone(),
            verdict: report.verdict,
            fails: matches!(
                report.binding.outcome,
                Outcome::Rejected | Outcome::DependsOnAccount | Outcome::Dropped
            ),
            cause: cause.or_else(findings).filter(|_| !is_kept(report.verdict)),
            paid: [paid(usage.read), paid(usage.written), paid(usage.fresh)],
            lost: report.lost.tokens,
            levels: [level(0), level(1), level(2)],
            text: String::from_utf8_lossy(&text).into_owned(),
        });
    }

    /// The page; `None` where nothing was compared.
    pub fn page(&self) -> Option<String> {
        if self.rows.is_empty() {
            return None;
        }
        let title = format!(
            "Prompt prefix of {}",
            words::counted(self.rows.len() + 1, "request")
        );
        let Body { start, end } = page(&title, &switches());
        // Bars of one page are comparable: the largest request is as wide as the page.
        let widest = self.rows.iter().map(Row::width).max().unwrap_or(0).max(1);
        let body = html! {
            div.index {
                (self.totals())
                p.facts {
                    "Upper bar: " span.read { "read from the cache" } ", " span.written { "written" } ", "
                    span.fresh { "neither" } ". Lower bar, tools, system and messages: " span.kept { "kept" } ", "
                    span.lost { "lost" } ". Lengths in tokens are estimates."
                }
                @for (index, row) in self.rows.iter().enumerate() { (row.shown(index, widest)) }
            }
        };
        Some(format!("{start}{}{end}", body.into_string()))
    }

    fn totals(&self) -> Markup {
        let sum = &self.summary;
        let tokens = |amount: Amount| words::grouped(amount.tokens);
        html! {
            p {
                (words::counted(sum.pairs, "pair")) ", " (sum.kept) " kept the whole prefix, " (sum.failed)
                " with thinking that fails. Read " (tokens(sum.read)) ", written " (tokens(sum.written))
                ", neither " (tokens(sum.fresh)) ", lost " (tokens(sum.lost)) " tokens."
                @if let Some(factor) = sum.factor() {
                    " The input cost " strong { (format!("{factor:.2}")) } " times what it would have cost had no prefix broken."
                }
            }
            @if !sum.causes.is_empty() {
                table {
                    thead { tr { th scope="col" { "Cause" } th scope="col" { "Pairs" } th scope="col" { "Tokens lost" } } }
                    tbody {
                        @for (cause, (count, lost)) in by_cost(sum) {
                            tr { td { (cause) } td.number { (words::grouped(count)) } td.number { (tokens(lost)) } }
                        }
                    }
                }
            }
        }
    }
}

/// Causes, the dearest first.
fn by_cost(sum: &Summary) -> Vec<(&'static str, (usize, Amount))> {
    let mut causes: Vec<_> = sum
        .causes
        .iter()
        .map(|(cause, cost)| (*cause, *cost))
        .collect();
    causes.sort_by_key(|(_, (_, lost))| std::cmp::Reverse(lost.tokens));
    causes
}

fn is_kept(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Hit | Verdict::Shorter)
}

fn switches() -> Markup {
    html! {
        fieldset {
            legend { "Show" }
            label { input type="radio" name="pairs" id="pairs-all" checked; " all" }
            label { input type="radio" name="pairs" id="pairs-broken"; " what broke" }
        }
    }
}

impl Row {
    fn width(&self) -> usize {
        let levels = self.levels.iter().map(|(_, _, total)| total).sum::<usize>();
        self.paid.iter().sum::<usize>().max(levels)
    }

    fn shown(&self, index: usize, widest: usize) -> Markup {
        let kept = is_kept(self.verdict) && !self.fails;
        let mut lower = Vec::new();
        for (_, kept, total) in self.levels {
            lower.push(("kept", kept));
            lower.push(("lost", total - kept));
        }
        let upper = ["read", "written", "fresh"].into_iter().zip(self.paid);
        let names = ["tools", "system", "messages"];
        html! {
            article id={ "r-" (index + 2) } class="request" data-kept=(kept) {
                details {
                    summary {
                        (index + 2) " " code { (crate::term::printable(&self.name)) } " "
                        strong class=(if kept { "kept" } else { "lost" }) { (self.verdict.name()) }
                        @if let Some(cause) = self.cause { " " (cause) }
                        @if self.fails { " thinking fails" }
                        @if self.lost > 0 { ", " (words::grouped(self.lost)) " tokens lost" }
                        svg viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true" {
                            title {
                                (self.cause.unwrap_or(self.verdict.name())) ": "
                                @for (name, (state, _, _)) in names.iter().zip(self.levels) { (name) " " (state.name()) " " }
                            }
                            (bars(upper, 0, widest))
                            (bars(lower, 11, widest))
                        }
                    }
                    pre tabindex="0" {
                        @for line in self.text.lines() {
                            @let class = match line.get(..4) { Some("  - ") => Some("del"), Some("  + ") => Some("ins"), _ => None };
                            span class=[class] { (line) "\n" }
                        }
                    }
                }
            }
        }
    }
}

/// Pieces of a bar, one behind the other.
fn bars(
    pieces: impl IntoIterator<Item = (&'static str, usize)>,
    top: usize,
    widest: usize,
) -> Markup {
    let mut at = 0;
    let pieces: Vec<_> = pieces
        .into_iter()
        .filter(|(_, tokens)| *tokens > 0)
        .map(|(class, tokens)| {
            let from = at;
            at += tokens;
            // Of a thousand, in hundredths.
            let scaled = |n: usize| {
                let hundredths = n.saturating_mul(100_000) / widest;
                format!("{}.{:02}", hundredths / 100, hundredths % 100)
            };
            (class, scaled(from), scaled(tokens))
        })
        .collect();
    html! {
        @for (class, x, width) in &pieces {
            rect class=(class) x=(x) y=(top) width=(width) height="9" {}
        }
    }
}
