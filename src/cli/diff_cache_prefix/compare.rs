//! One pair: compared, and the report written.

use super::{DiffArgs, FailOn, Format};
use crate::body::Capture;
use crate::cli::CommonArgs;
use crate::error::{Error, Severity};
use crate::model::Table;
use crate::prefix::share::Salt;
use crate::prefix::{
    Comparison, History, Outcome, Report, Sent, Summary, Taken, Verdict,
};
use crate::show::html::Requests;
use crate::show::{github, human, json};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, PoisonError};

/// A recorded request and where it stands.
#[derive(Debug)]
pub(super) struct Found<'a> {
    pub(super) capture: Capture<'a>,
    /// The bytes of the whole input.
    pub(super) input: &'a [u8],
    /// What reports call it.
    pub(super) name: String,
    /// The file it stands in.
    pub(super) file: Option<String>,
    /// When it was sent, in seconds.
    pub(super) time: Option<i64>,
}

/// What all pairs of a run share.
pub(super) struct Comparer<'r> {
    pub(super) args: &'r DiffArgs,
    pub(super) table: &'r Table,
    comparison: Comparison<'r>,
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
        time: found.time,
    }
}

fn named(mut error: Error, found: &Found<'_>) -> Error {
    error.position.input.clone_from(&found.file);
    error
}
