//! The whole verdict on two requests as one call: read, compared, linted, and
//! every byte counted in the input the request was recorded in.

use super::hints::{self, Means};
use super::lineage::{self, Link, Times, Units, Written};
use super::reuse::breakpoint::{Marks, lengths};
use super::reuse::policy::Policy;
use super::share::{self, Salt};
use super::sides::Sides;
use super::{
    Account, Amount, Divergence, History, Judge, Masks, Outcome, Prefix, Report,
    Request,
};
use super::{binding, reuse, values};
use crate::body::{Body, Capture, Provider};
use crate::error::{Error, ErrorKind, Severity};
use crate::finding::Finding;
use crate::lint::{self, Profile, Wanted};
use crate::model::{Platform, Table};

/// One recorded request and what is known of it besides its bytes.
#[derive(Debug, Clone)]
pub struct Sent<'a> {
    /// What reports call it.
    pub name: String,
    /// The request.
    pub capture: &'a Capture<'a>,
    /// When it was sent, and when its answer began.
    pub times: Times,
}

/// A request that has been read, ready to be compared more than once.
#[derive(Debug, Clone)]
pub struct Taken<'a> {
    sent: Sent<'a>,
    body: Body<'a>,
    prefix: Prefix<'a>,
    profile: Profile,
}

impl<'a> Taken<'a> {
    /// The body.
    pub fn body(&self) -> &Body<'a> {
        &self.body
    }

    fn request(&'a self) -> Request<'a> {
        Request {
            name: self.sent.name.clone(),
            body: &self.body,
            prefix: &self.prefix,
            bytes: self.sent.capture.bytes(),
            model: self.profile.name.clone(),
            betas: self.profile.betas.clone(),
        }
    }
}

/// What pairs of requests are judged by, and the judging of them.
///
/// ```
/// use convo::body::{captures, records};
/// use convo::model::Table;
/// use convo::prefix::{Comparison, History, Sent, Times, Verdict};
///
/// let input = br#"{"model":"claude-opus-5","max_tokens":9,"system":"It is noon.",
///     "cache_control":{"type":"ephemeral"},"messages":[{"role":"user","content":"Hi"}]}
/// {"model":"claude-opus-5","max_tokens":9,"system":"It is one.",
///     "cache_control":{"type":"ephemeral"},"messages":[{"role":"user","content":"Hi"}]}"#;
/// let mut requests = Vec::new();
/// for record in records(input) {
///     requests.push(captures(input, record?).remove(0)?);
/// }
/// let table = Table::built_in();
/// let comparison = Comparison::new(&table).mask(&["noon|one"])?;
/// let [a, b] = [&requests[0], &requests[1]].map(|capture| Sent {
///     name: String::new(),
///     capture,
///     times: Times::default(),
/// });
/// let report = comparison.pair(&a, &b, &mut History::default())?;
/// assert!(report.divergences.is_empty());
/// # Ok::<(), convo::error::Error>(())
/// ```
#[derive(Debug)]
pub struct Comparison<'t> {
    table: &'t Table,
    wanted: Wanted,
    provider: Option<Provider>,
    account: Account,
    masks: Masks,
    context: usize,
    least: Option<usize>,
    salt: Option<Salt>,
}

impl<'t> Comparison<'t> {
    /// Judges by `table`; model, platform, betas and provider come from the
    /// requests themselves.
    pub fn new(table: &'t Table) -> Self {
        Self {
            table,
            wanted: Wanted::default(),
            provider: None,
            account: Account::default(),
            masks: Masks::default(),
            context: 3,
            least: None,
            salt: None,
        }
    }

    /// The provider of requests that do not prove theirs.
    #[must_use]
    pub fn provider(mut self, provider: Option<Provider>) -> Self {
        self.provider = provider;
        self
    }

    /// The model of requests that name none.
    #[must_use]
    pub fn model(mut self, model: Option<&str>) -> Self {
        self.wanted.model = model.map(str::to_owned);
        self
    }

    /// Where requests go that do not tell.
    #[must_use]
    pub fn platform(mut self, platform: Option<Platform>) -> Self {
        self.wanted.platform = platform;
        self
    }

    /// The betas that are on beside those of the headers; `None` if nobody knows.
    #[must_use]
    pub fn betas(mut self, betas: Option<Vec<String>>) -> Self {
        self.wanted.betas = betas;
        self
    }

    /// How old the account is.
    #[must_use]
    pub fn account(mut self, account: Account) -> Self {
        self.account = account;
        self
    }

    /// What is set aside in texts.
    ///
    /// # Errors
    ///
    /// A pattern is no regular expression.
    pub fn mask(mut self, patterns: &[impl AsRef<str>]) -> Result<Self, Error> {
        self.masks = Masks::new(patterns)?;
        Ok(self)
    }

    /// Lines around a difference in samples.
    #[must_use]
    pub fn context(mut self, lines: usize) -> Self {
        self.context = lines;
        self
    }

    /// The fewest tokens that are cached, whatever the table says.
    #[must_use]
    pub fn least_length(mut self, tokens: Option<usize>) -> Self {
        self.least = tokens;
        self
    }

    /// Leaves all text of the bodies out of reports: digests under this key stand
    /// for it ([`share`]).
    #[must_use]
    pub fn hashes_only(mut self, salt: Option<Salt>) -> Self {
        self.salt = salt;
        self
    }

    /// Reads a request.
    ///
    /// # Errors
    ///
    /// What was sent is no request body, or one of another provider than said;
    /// path and byte lead to it.
    pub fn read<'a>(&self, sent: &Sent<'a>) -> Result<Taken<'a>, Error> {
        self.read_as(sent, self.provider)
    }

    fn read_as<'a>(
        &self,
        sent: &Sent<'a>,
        said: Option<Provider>,
    ) -> Result<Taken<'a>, Error> {
        let capture = sent.capture;
        let model = self.wanted.model.as_deref().or_else(|| capture.model());
        let body = capture.body(said, model).map_err(|mut error| {
            let path = error.position.path.unwrap_or_default();
            error.position.path = Some(format!("{}{path}", capture.path));
            error.position.byte = Some(capture.byte(0) as u64);
            error
        })?;
        Ok(Taken {
            profile: self.profile(sent, &body),
            prefix: Prefix::cut(&body),
            body,
            sent: sent.clone(),
        })
    }

    fn profile(&self, sent: &Sent<'_>, body: &Body<'_>) -> Profile {
        let mut wanted = self.wanted.clone();
        if wanted.model.is_none() {
            wanted.model = sent.capture.model().map(str::to_owned);
        }
        Profile::new(self.table, &wanted, body, sent.capture.headers.as_ref())
    }

    /// Reads two requests, the second sent after the first, and compares them;
    /// equal bytes are read once. `history` remembers what earlier pairs of the
    /// same run told of thinking blocks.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read) and [`compare`](Self::compare).
    pub fn pair(
        &self,
        a: &Sent<'_>,
        b: &Sent<'_>,
        history: &mut History,
    ) -> Result<Report, Error> {
        let both = self.read(a).and_then(|first| {
            let same = values::text::same(a.capture.bytes(), b.capture.bytes());
            let second = match same {
                true => self.again(&first, b),
                false => self.read(b)?,
            };
            Ok((first, second))
        });
        // Whatever comes next, it does not begin where the last pair ended.
        let (first, second) = both.inspect_err(|_| history.interrupt())?;
        self.compare(&first, &second, history)
    }

    /// A request with the bytes of one that was read.
    fn again<'a>(&self, read: &Taken<'a>, sent: &Sent<'a>) -> Taken<'a> {
        Taken {
            profile: self.profile(sent, &read.body),
            sent: Sent {
                capture: read.sent.capture,
                ..sent.clone()
            },
            ..read.clone()
        }
    }

    /// Compares two requests, the second sent after the first.
    ///
    /// # Errors
    ///
    /// They are proved to be for two providers, which share no cache.
    pub fn compare(
        &self,
        a: &Taken<'_>,
        b: &Taken<'_>,
        history: &mut History,
    ) -> Result<Report, Error> {
        self.linked(a, b, &[], history)
    }

    /// Compares a request with the one that it goes on from, as a [`Lineage`](super::Lineage) found
    /// it: `a` is the body that holds the parent.
    ///
    /// # Errors
    ///
    /// As [`compare`](Self::compare).
    pub fn follow(
        &self,
        a: &Taken<'_>,
        b: &Taken<'_>,
        link: &Link,
        history: &mut History,
    ) -> Result<Report, Error> {
        let report = match &link.cut {
            None => self.linked(a, b, &link.written, history),
            Some((turns, marks)) => {
                let mut parent = a.clone();
                parent.prefix = parent.prefix.rewound(*turns, marks);
                self.linked(&parent, b, &link.written, history)
            }
        };
        report.map(|mut report| {
            report.thread = Some(link.thread);
            report
        })
    }

    /// A request's prompt as hashes, for a [`Lineage`](super::Lineage).
    pub fn units(&self, taken: &Taken<'_>) -> Units {
        let request = taken.request();
        let judge = self.judge_of(taken, taken, &[]);
        let policy = Policy::of(&request, &request, &judge);
        let name = taken.profile.name.clone().unwrap_or_default();
        let model = match taken.profile.known {
            true => &taken.profile.model.id,
            false => &name,
        };
        let whose = lineage::Whose {
            provider: taken.body.provider.name(),
            model,
            keeps: policy.keeps.unwrap_or_default(),
        };
        let marks = Marks::of(&taken.prefix, &policy);
        let written = match policy.marked() && !marks.none {
            true => marks.at,
            false => Vec::new(),
        };
        Units::of(&taken.prefix, whose, &self.masks, written)
    }

    /// How long the first segments of a prompt are.
    pub fn length(&self, taken: &Taken<'_>, segments: usize) -> Amount {
        let lengths = lengths(&taken.prefix);
        let last = segments.checked_sub(1).and_then(|last| lengths.get(last));
        last.copied().unwrap_or_default()
    }

    fn linked(
        &self,
        a: &Taken<'_>,
        b: &Taken<'_>,
        written: &[Written],
        history: &mut History,
    ) -> Result<Report, Error> {
        if a.body.provider == b.body.provider {
            return Ok(self.judge(a, b, written, history));
        }
        let done = self.compare_guessed(a, b, written, history);
        done.inspect_err(|_| history.interrupt())
    }

    /// Two requests for two providers: a guess gives way to what is proved.
    fn compare_guessed(
        &self,
        a: &Taken<'_>,
        b: &Taken<'_>,
        written: &[Written],
        history: &mut History,
    ) -> Result<Report, Error> {
        match (a.body.certain, b.body.certain) {
            (true, false) => {
                let other = self.read_as(&b.sent, Some(a.body.provider))?;
                Ok(self.judge(a, &other, written, history))
            }
            (false, true) => {
                let one = self.read_as(&a.sent, Some(b.body.provider))?;
                Ok(self.judge(&one, b, written, history))
            }
            _ => Err(two_providers(a, b)),
        }
    }

    /// What a pair is judged by.
    fn judge_of(&self, a: &Taken<'_>, b: &Taken<'_>, written: &[Written]) -> Judge<'_> {
        let now = b.sent.times.sent;
        let since = |at: Option<i64>| match (at, now) {
            (Some(at), Some(now)) => u64::try_from((now - at) / 1000).ok(),
            _ => None,
        };
        Judge {
            table: self.table,
            platform: b.profile.platform,
            account: self.account,
            masks: &self.masks,
            salt: self.salt.as_ref(),
            context: self.context,
            least: self.least,
            gap: since(a.sent.times.sent),
            written: written
                .iter()
                .map(|one| (one.segment, one.ttl, since(one.at)))
                .collect(),
        }
    }

    fn judge(
        &self,
        a: &Taken<'_>,
        b: &Taken<'_>,
        written: &[Written],
        history: &mut History,
    ) -> Report {
        let judge = self.judge_of(a, b, written);
        let (mut report, means) = passes(&a.request(), &b.request(), &judge, history);
        report.known_model = b.profile.known;
        let linted = lint::check(&b.body, b.sent.capture.bytes(), &b.profile);
        let alone = |found: &Finding| alone(found, &report.divergences);
        let linted: Vec<Finding> = linted.into_iter().filter(alone).collect();
        report.findings.extend(linted);
        rejects(&mut report);
        place(&mut report, a.sent.capture, b.sent.capture);
        if let Some(salt) = &self.salt {
            share::hide(&mut report, salt);
        }
        // Places in hints are those that the report shows.
        hints::fill(&mut report, &means);
        report
    }
}

/// The two passes, never mixed: what is rendered, then what is bound.
fn passes<'a, 't>(
    a: &Request<'a>,
    b: &Request<'a>,
    judge: &Judge<'t>,
    history: &mut History,
) -> (Report, Means<'t>) {
    let policy = Policy::of(a, b, judge);
    let mut sides = Sides {
        a: a.prefix,
        b: b.prefix,
        bytes_a: a.bytes,
        bytes_b: b.bytes,
        masks: judge.masks,
        salt: judge.salt,
        context: judge.context,
        divergences: Vec::new(),
        forms: Vec::new(),
    };
    let cache = reuse::cache::pass(&mut sides, a, b, judge, &policy);
    let binding = binding::pass(&mut sides, a, b, judge, history, &policy.means);
    let report = Report {
        thread: None,
        a: a.name.clone(),
        b: b.name.clone(),
        provider: b.body.provider.name(),
        model: b.model.clone(),
        known_model: false,
        account: judge.account.name(),
        verdict: cache.verdict,
        levels: cache.levels,
        shares: cache.shares,
        totals: cache.totals,
        reason: cache.reason,
        divergences: sides.divergences,
        reusable: cache.reusable,
        lost: cache.lost,
        binding,
        findings: cache.findings,
        usage: cache.usage,
    };
    (report, policy.means)
}

fn two_providers(a: &Taken<'_>, b: &Taken<'_>) -> Error {
    let mut error = Error::new(
        ErrorKind::Contract,
        "two-providers",
        format!(
            "the first body is for {}, this one for {}: their caches have nothing in \
             common",
            a.body.provider.name(),
            b.body.provider.name()
        ),
    )
    .hint("if it is one provider, say which with --provider");
    error.position.path = Some(b.sent.capture.path.clone());
    error
}

/// Whether a finding on the second body alone adds to the comparison. What only a
/// pair shows is told better by that; what was guessed to change is known there.
fn alone(found: &Finding, divergences: &[Divergence]) -> bool {
    let changed = |one: &Divergence| {
        one.path.starts_with(&found.path) || found.path.starts_with(&one.path)
    };
    !found.rule.pair && (!found.rule.guess || divergences.iter().any(changed))
}

/// Rules on replaying reasoning that other providers refuse a body by
/// (`docs/lint.md#sources`).
fn rejects(report: &mut Report) {
    let mut list = report.findings.iter();
    let found = list.find(|one| one.severity == Severity::Error && one.rule.replay);
    if let Some(one) = found {
        report.binding.outcome = Outcome::Rejected;
        report.binding.first = Some(one.path.clone());
        report.binding.hint = Some(one.hint.clone());
    }
}

/// Moves bytes from the bodies to the inputs they stand in.
fn place(report: &mut Report, a: &Capture<'_>, b: &Capture<'_>) {
    let mut of_a: Vec<&mut usize> = Vec::new();
    let mut of_b: Vec<&mut usize> = Vec::new();
    for one in &mut report.divergences {
        of_a.push(&mut one.byte_a);
        of_b.push(&mut one.byte_b);
    }
    let findings = report.findings.iter_mut();
    of_b.extend(findings.filter_map(|one| one.byte.as_mut()));
    for (capture, mut bytes) in [(a, of_a), (b, of_b)] {
        // In order, so that a body inside a string is passed over once.
        bytes.sort_unstable();
        let mut positions = capture.positions();
        for byte in bytes {
            *byte = positions.byte(*byte);
        }
    }
}
