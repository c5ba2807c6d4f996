//! What a run of requests cost, against what it would have cost had no prefix
//! broken (`docs/prefix.md#kinds-of-cache`).

use super::report::{Amount, Outcome, Report, Verdict};
use std::collections::BTreeMap;

/// The sums over a run.
#[derive(Debug, Default)]
pub struct Summary {
    /// Pairs compared.
    pub pairs: usize,
    /// Threads told apart; 0 where none were looked for.
    pub threads: usize,
    /// Pairs that kept the whole prefix.
    pub kept: usize,
    /// Pairs whose second request fails the check of thinking blocks.
    pub failed: usize,
    /// Read from the cache.
    pub read: Amount,
    /// Written to it.
    pub written: Amount,
    /// Behind the last breakpoint.
    pub fresh: Amount,
    /// Cached, and not to be read.
    pub lost: Amount,
    /// Pairs and lost lengths by cause.
    pub causes: BTreeMap<&'static str, (usize, Amount)>,
    actual: f64,
    best: f64,
}

impl Summary {
    /// Adds one pair.
    pub fn add(&mut self, report: &Report) {
        self.pairs += 1;
        let kept = matches!(report.verdict, Verdict::Hit | Verdict::Shorter);
        self.kept += usize::from(kept);
        let fails = matches!(
            report.binding.outcome,
            Outcome::Rejected | Outcome::DependsOnAccount | Outcome::Dropped
        );
        self.failed += usize::from(fails);
        let usage = report.usage;
        self.read.add(usage.read);
        self.written.add(usage.written);
        self.fresh.add(usage.fresh);
        self.lost.add(report.lost);
        let cause = report
            .divergences
            .first()
            .map(|one| one.cause.name())
            .or_else(|| report.findings.iter().find_map(|one| one.cause));
        if let Some(cause) = cause.filter(|_| !kept) {
            let (count, sum) = self.causes.entry(cause).or_default();
            *count += 1;
            sum.add(report.lost);
        }
        let price = |tokens: usize, factor: f64| tokens as f64 * factor;
        let (read, write) = (usage.read_price, usage.write_price);
        self.actual += price(usage.read.tokens, read)
            + price(usage.written.tokens, write)
            + price(usage.fresh.tokens, 1.0);
        let best = usage.best.tokens.max(usage.read.tokens);
        let saved = best - usage.read.tokens;
        let from_written = saved.min(usage.written.tokens);
        self.best += price(best, read)
            + price(usage.written.tokens - from_written, write)
            + price(usage.fresh.tokens.saturating_sub(saved - from_written), 1.0);
    }

    /// How many times what perfect caching would have cost; `None` for nothing.
    pub fn factor(&self) -> Option<f64> {
        (self.best > 0.0).then(|| self.actual / self.best)
    }
}
