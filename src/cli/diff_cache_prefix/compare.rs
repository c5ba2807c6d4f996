//! One pair: both bodies read, compared, linted, and the report written.

use super::{DiffArgs, FailOn, Format};
use crate::body::{Body, Capture};
use crate::cli::CommonArgs;
use crate::error::{Error, ErrorKind, Severity};
use crate::finding::Finding;
use crate::json::{Raw, pointer};
use crate::lint::{self, Profile, Wanted};
use crate::model::Table;
use crate::prefix::{
    History, Judge, Masks, Outcome, Prefix, Report, Request, Summary, Verdict, compare,
    places, same, share,
};
use crate::show::{github, human, json};

/// A recorded request and where it stands.
#[derive(Debug)]
pub(super) struct Taken<'a> {
    pub(super) capture: Capture<'a>,
    /// The record it was found in.
    pub(super) record: Raw<'a>,
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
    pub(super) table: Table,
    pub(super) wanted: Wanted,
    fails: Vec<FailOn>,
    look: human::Look,
}

impl<'r> Comparer<'r> {
    pub(super) fn new(args: &'r DiffArgs, common: &CommonArgs) -> Result<Self, Error> {
        let mut table = Table::built_in();
        if let Some(path) = &args.model_details {
            let named = |mut error: Error| {
                error.position.input = Some(path.display().to_string());
                error
            };
            let bytes = std::fs::read(path)
                .map_err(|error| named(crate::cli::source::unreadable(&error)))?;
            table.merge(&bytes).map_err(named)?;
        }
        Masks::new(&args.mask)?;
        Ok(Self {
            wanted: Wanted {
                model: args.model.clone(),
                platform: args.platform,
                betas: (!args.beta.is_empty()).then(|| {
                    let names = args.beta.iter().flat_map(|list| list.split(','));
                    let named = names.map(str::trim).filter(|name| *name != "none");
                    named.map(str::to_owned).collect()
                }),
                ..Wanted::default()
            },
            fails: args.fails()?,
            look: human::Look {
                color: common.stdout_color(),
                notes: !common.quiet,
            },
            table,
            args,
        })
    }

    /// Reads a body, without judging it.
    pub(super) fn read<'c>(
        &self,
        taken: &'c Taken<'_>,
        said: Option<crate::body::Provider>,
    ) -> Result<Body<'c>, Error> {
        let model = self.args.model.as_deref().or_else(|| taken.capture.model());
        Body::read(taken.capture.raw(), said, model).map_err(|mut error| {
            let path = error.position.path.unwrap_or_default();
            error.position.path = Some(format!("{}{path}", taken.capture.path));
            error.position.byte = Some(taken.capture.byte(0) as u64);
            error.position.input.clone_from(&taken.file);
            error
        })
    }

    fn profile(&self, taken: &Taken<'_>, body: &Body<'_>) -> Profile {
        let mut wanted = self.wanted.clone();
        if wanted.model.is_none() {
            wanted.model = taken.capture.model().map(str::to_owned);
        }
        Profile::new(&self.table, &wanted, body, taken.capture.headers.as_ref())
    }

    /// Compares two requests.
    pub(super) fn pair(
        &self,
        a: &Taken<'_>,
        b: &Taken<'_>,
        history: &mut History,
    ) -> Result<Report, Error> {
        let said = self.args.provider;
        let same = same(a.capture.bytes(), b.capture.bytes());
        let mut first = self.read(a, said)?;
        // Parts of a body point into its bytes: only one memory is one body.
        let one_memory = std::ptr::eq(a.capture.bytes(), b.capture.bytes());
        let mut second = match one_memory {
            true => first.clone(),
            false => self.read(b, said)?,
        };
        if first.provider != second.provider {
            // A guess gives way to what is proved.
            let (sure, other) = (first.certain, second.certain);
            match (sure, other) {
                (true, false) => second = self.read(b, Some(first.provider))?,
                (false, true) => first = self.read(a, Some(second.provider))?,
                _ => return Err(two_providers(&first, &second, b)),
            }
        }
        let (cut_a, cut_b);
        cut_a = Prefix::cut(&first);
        let (profile_a, profile_b) =
            (self.profile(a, &first), self.profile(b, &second));
        let request = |taken: &Taken<'_>, profile: &Profile| {
            (
                taken.name.clone(),
                profile.name.clone(),
                profile.betas.clone(),
            )
        };
        let (name, model, betas) = request(a, &profile_a);
        let one = Request {
            name,
            body: &first,
            prefix: &cut_a,
            bytes: a.capture.bytes(),
            model,
            betas,
        };
        let (name, model, betas) = request(b, &profile_b);
        let other = Request {
            name,
            body: if same { &first } else { &second },
            prefix: match same {
                true => &cut_a,
                false => {
                    cut_b = Prefix::cut(&second);
                    &cut_b
                }
            },
            bytes: match same {
                true => a.capture.bytes(),
                false => b.capture.bytes(),
            },
            model,
            betas,
        };
        let judge = Judge {
            table: &self.table,
            platform: profile_b.platform,
            account: self.args.account.account(),
            masks: Masks::new(&self.args.mask)?,
            context: self.args.context,
            gap: match (a.time, b.time) {
                (Some(a), Some(b)) => u64::try_from(b - a).ok(),
                _ => None,
            },
        };
        let mut report = compare(&one, &other, &judge, history);
        let linted = lint::check(&second, b.capture.bytes(), &profile_b);
        report.findings.extend(linted.into_iter().filter(alone));
        rejects(&mut report);
        place(&mut report, a, b);
        if self.args.hashes_only {
            share::hide(&mut report, profile_b.known);
        }
        Ok(report)
    }

    /// Whether a report makes the answer "no".
    pub(super) fn fails(&self, report: &Report) -> bool {
        self.fails.iter().any(|fail| match fail {
            FailOn::Lost => matches!(
                report.verdict,
                Verdict::Partial | Verdict::Miss | Verdict::Unknown
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
    pub(super) fn write(&self, out: &mut Vec<u8>, report: &Report, b: &Taken<'_>) {
        match self.args.format {
            Format::Human => {
                if !out.is_empty() {
                    out.push(b'\n');
                }
                human::report(out, report, self.look);
            }
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

    /// Appends what a run of several pairs came to.
    pub(super) fn write_summary(&self, out: &mut Vec<u8>, summary: &Summary) {
        if summary.pairs < 2 {
            return;
        }
        match self.args.format {
            Format::Human => human::summary(out, summary),
            Format::Json => json::summary(out, summary),
            Format::Github => {}
        }
    }
}

fn worst(report: &Report) -> Option<Severity> {
    report.findings.iter().map(|one| one.severity).max()
}

fn two_providers(a: &Body<'_>, b: &Body<'_>, taken: &Taken<'_>) -> Error {
    let mut error = Error::new(
        ErrorKind::Contract,
        "two-providers",
        format!(
            "the first body is for {}, this one for {}: their caches have nothing in \
             common",
            a.provider.name(),
            b.provider.name()
        ),
    )
    .hint("if it is one provider, say which with --provider");
    error.position.input.clone_from(&taken.file);
    error.position.path = Some(taken.capture.path.clone());
    error
}

/// A finding on the second body alone. What only a pair shows is told better by
/// the comparison.
fn alone(found: &Finding) -> bool {
    !["lookback-window", "thinking-gap"].contains(&found.rule.id)
}

/// Rules on replaying reasoning that other providers refuse a body by
/// (`docs/lint.md#sources`).
fn rejects(report: &mut Report) {
    let rules = ["reasoning-detached", "thought-signature"];
    let mut list = report.findings.iter();
    let found = list
        .find(|one| one.severity == Severity::Error && rules.contains(&one.rule.id));
    if let Some(one) = found {
        report.binding.outcome = Outcome::Rejected;
        report.binding.first = Some(one.path.clone());
        report.binding.hint = Some(one.hint.clone());
    }
}

/// Moves bytes from the bodies to the inputs they stand in.
fn place(report: &mut Report, a: &Taken<'_>, b: &Taken<'_>) {
    let mut of_a: Vec<&mut usize> = Vec::new();
    let mut of_b: Vec<&mut usize> = Vec::new();
    for one in &mut report.divergences {
        of_a.push(&mut one.byte_a);
        of_b.push(&mut one.byte_b);
    }
    of_b.extend(
        report
            .findings
            .iter_mut()
            .filter_map(|one| one.byte.as_mut()),
    );
    for (taken, mut bytes) in [(a, of_a), (b, of_b)] {
        if bytes.is_empty() {
            continue;
        }
        bytes.sort_unstable();
        let start = taken.capture.byte(0);
        let text = pointer::resolve(taken.record, &taken.capture.path);
        match text.and_then(Raw::as_text) {
            Some(text) if text.plain().is_none() => {
                let wanted: Vec<usize> = bytes.iter().map(|byte| **byte).collect();
                for (byte, at) in bytes.into_iter().zip(places(text, &wanted)) {
                    *byte = start + at;
                }
            }
            _ => bytes.into_iter().for_each(|byte| *byte += start),
        }
    }
}
