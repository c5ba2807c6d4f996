//! One pair: compared, and the report written.

use super::{DiffArgs, FailOn, Format};
use crate::body::Capture;
use crate::cli::CommonArgs;
use crate::error::{Error, Severity};
use crate::model::Table;
use crate::prefix::share::Salt;
use crate::prefix::{
    Comparison, History, Link, Opened, Outcome, Report, Sent, Summary, Taken, Times,
    Verdict,
};
use crate::show::html::Requests;
use crate::show::{github, human, json};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, PoisonError};

/// A recorded request and where it stands.
#[derive(Debug)]
pub(super) struct Found<'a> {
    pub(super) capture: Capture<'a>,
    /// The bytes that `capture` was read from.
    pub(super) input: &'a [u8],
    /// What reports call it.
    pub(super) name: String,
    /// The file it stands in.
    pub(super) file: Option<String>,
    /// Byte of the input at which `input` starts, and the line.
    pub(super) base: usize,
    pub(super) line: usize,
    /// When it was sent and answered.
    pub(super) times: Times,
}

/// What lineage says of a pair.
pub(super) struct Told {
    /// What the parent is called.
    pub(super) before: String,
    /// The request that had no answer yet.
    pub(super) early: Option<String>,
    /// The thread that it leaves.
    pub(super) fork: Option<usize>,
    /// Whether threads are told apart at all.
    pub(super) lineage: bool,
}

/// What all pairs of a run share.
pub(super) struct Comparer<'r> {
    pub(super) args: &'r DiffArgs,
    pub(super) table: &'r Table,
    pub(super) comparison: Comparison<'r>,
    fails: Vec<FailOn>,
    look: human::Look,
    /// The page of the run (`--format html`).
    requests: Mutex<Requests>,
}

impl<'r> Comparer<'r> {
    pub(super) fn new(
        args: &'r DiffArgs,
        common: &CommonArgs,
        table: &'r Table,
    ) -> Result<Self, Error> {
        let comparison = Comparison::new(table)
            .provider(args.provider)
            .model(args.model.as_deref())
            .platform(args.platform)
            .betas(args.betas())
            .account(args.account.account())
            .least_length(args.least_length)
            .mask(&args.mask)?
            .context(args.context)
            .hashes_only(args.hashes_only.then(|| salt(args.salt.as_deref())));
        Ok(Self {
            comparison,
            fails: args.fails()?,
            look: human::Look {
                color: common.stdout_color(),
                notes: !common.quiet,
            },
            requests: Mutex::default(),
            table,
            args,
        })
    }

    /// Reads a request; an error names the file.
    pub(super) fn read<'c>(&self, found: &'c Found<'_>) -> Result<Taken<'c>, Error> {
        let taken = self.comparison.read(&sent(found));
        taken.map_err(|error| named(error, found))
    }

    /// Compares two requests.
    pub(super) fn pair(
        &self,
        a: &Found<'_>,
        b: &Found<'_>,
        history: &mut History,
    ) -> Result<Report, Error> {
        let report = match a.capture.bytes() == b.capture.bytes() {
            true => self.comparison.pair(&sent(a), &sent(b), history),
            false => {
                let (first, second) = (self.read(a)?, self.read(b)?);
                self.comparison.compare(&first, &second, history)
            }
        };
        report.map_err(|error| named(error, b))
    }

    /// Whether requests are compared in the order they come.
    pub(super) fn consecutive(&self) -> bool {
        self.args.pairs == super::Pairs::Consecutive
    }

    /// Compares a request that was read with the one it goes on from.
    pub(super) fn follow(
        &self,
        a: &Found<'_>,
        (b, taken): (&Found<'_>, &Taken<'_>),
        link: &Link,
        told: Told,
        history: &mut History,
    ) -> Result<Report, Error> {
        let report = match told.lineage {
            true => {
                let parent = self.read(a)?;
                self.comparison.follow(&parent, taken, link, history)
            }
            false => return self.pair(a, b, history),
        };
        let mut report = report.map_err(|error| named(error, b))?;
        report.a = told.before;
        if let Some(name) = told.early {
            report.note_early(&name);
        }
        if let Some(thread) = told.fork {
            report.note_fork(thread, link.thread);
        }
        Ok(report)
    }

    /// Whether a report makes the answer "no".
    pub(super) fn fails(&self, report: &Report) -> bool {
        self.fails.iter().any(|fail| match fail {
            FailOn::Lost => matches!(
                report.verdict,
                Verdict::Partial | Verdict::Miss | Verdict::Uncached | Verdict::Unknown
            ),
            FailOn::Binding => matches!(
                report.binding.outcome,
                Outcome::Rejected | Outcome::DependsOnAccount | Outcome::Dropped
            ),
            FailOn::Lint => worst(report) == Some(Severity::Error),
            FailOn::Warning => worst(report) >= Some(Severity::Warning),
            FailOn::Never => false,
        })
    }

    /// Appends a report in the form asked for.
    pub(super) fn write(&self, out: &mut Vec<u8>, report: &Report, b: &Found<'_>) {
        match self.args.format {
            Format::Human => {
                if !out.is_empty() {
                    out.push(b'\n');
                }
                human::report(out, report, self.look);
            }
            Format::Html => self.requests().add(report),
            Format::Json => json::report(out, report),
            Format::Github => {
                let place = github::Place {
                    file: b.file.as_deref(),
                    bytes: b.input,
                    base: b.base,
                    line: b.line,
                };
                let fails = [FailOn::Lost, FailOn::Binding];
                let fails = fails.map(|fail| self.fails.contains(&fail));
                github::report(out, report, place, fails);
            }
        }
    }

    fn requests(&self) -> std::sync::MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The page of all pairs, if that is the form asked for and there is any.
    pub(super) fn page(&self) -> Option<String> {
        self.requests().page()
    }

    /// Appends that a request opens a thread.
    pub(super) fn write_opened(&self, out: &mut Vec<u8>, opened: &Opened) {
        match self.args.format {
            Format::Human => human::opened(out, opened),
            Format::Json => json::opened(out, opened),
            Format::Github | Format::Html => {}
        }
    }

    /// Appends what a run of several pairs came to.
    pub(super) fn write_summary(&self, out: &mut Vec<u8>, summary: &Summary) {
        if summary.pairs < 2 {
            return;
        }
        match self.args.format {
            Format::Human => human::summary(out, summary),
            Format::Json => json::summary(out, summary),
            Format::Github | Format::Html => {}
        }
    }
}

/// The key of digests: the one said, else one that this run alone has.
fn salt(said: Option<&str>) -> Salt {
    match said {
        Some(text) => Salt::new(text),
        // Each state is seeded by the system's randomness.
        None => Salt::new(
            [0, 1, 2, 3]
                .map(|at: u64| RandomState::new().hash_one(at))
                .map(u64::to_be_bytes)
                .concat(),
        ),
    }
}

fn worst(report: &Report) -> Option<Severity> {
    report.findings.iter().map(|one| one.severity).max()
}

fn sent<'f>(found: &'f Found<'_>) -> Sent<'f> {
    Sent {
        name: found.name.clone(),
        capture: &found.capture,
        times: found.times,
    }
}

fn named(mut error: Error, found: &Found<'_>) -> Error {
    error.position.input.clone_from(&found.file);
    error
}
