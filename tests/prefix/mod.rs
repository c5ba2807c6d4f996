//! `diff-cache-prefix`: the cases and examples of the specification, what the
//! binding pass finds, every provider's order, random bodies, the command.

mod acts;
mod binding;
mod case;
mod cases;
mod cases_more;
mod command;
mod conversations;
mod examples;
mod kinds;
mod levels;
mod providers;
mod random;
mod reach;
mod recognition;
mod seen;

use convo::body::{Provider, captures, records};
use convo::model::{Platform, Table};
use convo::prefix::{Account, Comparison, History, Report, Sent, Times};
use serde_json::Value;

/// How a pair is judged.
#[derive(Debug, Clone)]
pub(super) struct Setting {
    pub(super) model: Option<&'static str>,
    pub(super) account: Account,
    pub(super) platform: Platform,
    pub(super) provider: Option<Provider>,
    pub(super) masks: Vec<String>,
    pub(super) gap: Option<u64>,
    /// Short bodies are judged as if any length were cached.
    pub(super) least: Option<usize>,
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            model: Some("claude-opus-5"),
            account: Account::Unknown,
            platform: Platform::ClaudeApi,
            provider: None,
            masks: Vec::new(),
            gap: None,
            least: Some(0),
        }
    }
}

impl Setting {
    pub(super) fn model(model: &'static str) -> Self {
        Self {
            model: Some(model),
            ..Self::default()
        }
    }

    pub(super) fn account(mut self, account: Account) -> Self {
        self.account = account;
        self
    }
}

/// Compares requests in turn; one report a pair.
pub(super) fn series(inputs: &[Vec<u8>], setting: &Setting) -> Vec<Report> {
    let mut history = History::default();
    inputs
        .windows(2)
        .map(|two| with_history(&two[0], &two[1], setting, &mut history))
        .collect()
}

/// Compares two requests as their bytes have them.
pub(super) fn pair_bytes(a: &[u8], b: &[u8], setting: &Setting) -> Report {
    with_history(a, b, setting, &mut History::default())
}

/// Compares two requests.
pub(super) fn pair(a: &Value, b: &Value, setting: &Setting) -> Report {
    pair_bytes(a.to_string().as_bytes(), b.to_string().as_bytes(), setting)
}

fn with_history(
    a: &[u8],
    b: &[u8],
    setting: &Setting,
    history: &mut History,
) -> Report {
    let table = Table::built_in();
    let take = |input| {
        let record = records(input).next().expect("a record").expect("JSON");
        captures(input, record).remove(0).expect("a capture")
    };
    let (one, other) = (take(a), take(b));
    let sent = |capture, name: &str, time| Sent {
        name: name.to_owned(),
        capture,
        times: Times {
            sent: time,
            answered: None,
        },
    };
    let (start, later) = (Some(0), setting.gap.map(|gap| gap as i64 * 1000));
    Comparison::new(&table)
        .provider(setting.provider)
        .model(setting.model)
        .platform(Some(setting.platform))
        .account(setting.account)
        .least_length(setting.least)
        .mask(&setting.masks)
        .expect("patterns")
        .pair(&sent(&one, "a", start), &sent(&other, "b", later), history)
        .expect("two bodies")
}

/// The levels as the tables of the specification write them: `k/l/p`, `e` for
/// empty.
pub(super) fn levels(report: &Report) -> String {
    let first = |at: usize| &report.levels[at].name()[..1];
    format!("{}/{}/{}", first(0), first(1), first(2))
}

/// Every divergence as path, offset, cause, rule.
pub(super) fn places(
    report: &Report,
) -> Vec<(&str, Option<usize>, &'static str, &'static str)> {
    let each = report.divergences.iter();
    each.map(|one| (one.path.as_str(), one.offset, one.cause.name(), one.rule.id))
        .collect()
}

/// The states of all thinking blocks.
pub(super) fn states(report: &Report) -> Vec<&'static str> {
    let blocks = report.binding.blocks.iter();
    blocks.map(|block| block.state.name()).collect()
}

/// Whether a finding of a rule is there, with its severity.
pub(super) fn found(report: &Report, rule: &str) -> Option<&'static str> {
    let mut findings = report.findings.iter();
    let one = findings.find(|one| one.rule.id == rule)?;
    Some(one.severity.name())
}
