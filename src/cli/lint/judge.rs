//! One body judged, with what the options say of all of them.

use crate::body::{Body, Capture, Provider, captures, records};
use crate::error::{Error, ErrorKind};
use crate::finding::Finding;
use crate::json::{Raw, pointer};
use crate::lint::{self, Mend, Profile, Wanted};
use crate::model::Table;
use crate::prefix::{Comparison, History, Sent};
use crate::show::{Lines, Linted};

/// What the options say.
pub(super) struct Judge {
    pub(super) provider: Option<Provider>,
    pub(super) table: Table,
    pub(super) wanted: Wanted,
    /// Whether what can be mended is.
    pub(super) fix: bool,
    /// The request before, with the name it came under.
    pub(super) before: Option<(Option<String>, Vec<u8>)>,
}

/// A body with its mends.
pub(super) struct Fixed {
    /// As it was.
    pub(super) before: Vec<u8>,
    /// As it is to be.
    pub(super) after: Vec<u8>,
    /// What was done.
    pub(super) told: Vec<Mend>,
}

/// Mends can bring each other about; so often they are looked for.
const ROUNDS: usize = 8;

impl Judge {
    /// Judges one body; errors are placed in the input.
    pub(super) fn body(
        &self,
        lines: Lines<'_>,
        capture: &Capture<'_>,
    ) -> Result<(Linted, Option<Fixed>), Error> {
        self.judge(lines, capture).map_err(|mut error| {
            let inner = error.position.path.take().unwrap_or_default();
            error.position.path = Some(format!("{}{inner}", capture.path));
            error.position.byte = Some(capture.byte(0) as u64);
            error
        })
    }

    fn judge(
        &self,
        lines: Lines<'_>,
        capture: &Capture<'_>,
    ) -> Result<(Linted, Option<Fixed>), Error> {
        let mut wanted = self.wanted.clone();
        if wanted.model.is_none() {
            wanted.model = capture.model().map(str::to_owned);
        }
        let said = self.provider;
        let body = capture.body(said, wanted.model.as_deref())?;
        let headers = capture.headers.as_ref();
        let profile = Profile::new(&self.table, &wanted, &body, headers);
        let mut findings = match self.before {
            Some(_) => Vec::new(),
            None => lint::check(&body, capture.bytes(), &profile),
        };
        if let Some((name, before)) = &self.before {
            let findings = self.after(name.as_deref(), before, &wanted, capture)?;
            let findings = findings
                .into_iter()
                .filter(|one| profile.wants(one.rule))
                .collect();
            let linted = Linted::placed(lines, capture, &body, &profile, findings);
            return Ok((linted, None));
        }
        let fixed = match self.fix {
            true => Some(self.fixed(&body, &wanted, capture)?),
            false => None,
        };
        if let Some(fixed) = &fixed {
            let mended = |one: &Finding| {
                let is =
                    |mend: &Mend| mend.rule == one.rule.id && mend.path == one.path;
                fixed.told.iter().any(is)
            };
            findings.retain(|one| !mended(one));
        }
        Ok((
            Linted::new(lines, capture, &body, &profile, findings),
            fixed,
        ))
    }

    /// Mends a body until nothing more can be mended.
    fn fixed(
        &self,
        body: &Body<'_>,
        wanted: &Wanted,
        capture: &Capture<'_>,
    ) -> Result<Fixed, Error> {
        let before = body.raw.bytes().to_vec();
        let mut bytes = before.clone();
        let mut told = Vec::new();
        for _ in 0..ROUNDS {
            let raw = Raw::checked(&bytes);
            let body = Body::read(raw, Some(body.provider), wanted.model.as_deref())?;
            let headers = capture.headers.as_ref();
            let profile = Profile::new(&self.table, wanted, &body, headers);
            let mends = lint::fix(&body, &lint::check(&body, &bytes, &profile));
            if mends.is_empty() {
                break;
            }
            let next = mends.apply(&bytes);
            // What a mend cannot keep JSON is not made.
            if Raw::parse(&next).is_err() {
                break;
            }
            told.extend(mends.told);
            bytes = next;
        }
        Ok(Fixed {
            before,
            after: bytes,
            told,
        })
    }

    /// The verdict on this request and the one before it; of several, the last one
    /// of the file counts.
    fn after(
        &self,
        name: Option<&str>,
        before: &[u8],
        wanted: &Wanted,
        capture: &Capture<'_>,
    ) -> Result<Vec<Finding>, Error> {
        let at = |mut error: Error| {
            error.message = match name {
                Some(name) => format!("--after {name}: {}", error.message),
                None => format!("--after: {}", error.message),
            };
            error
        };
        let mut last = None;
        for record in records(before) {
            last = captures(before, record.map_err(at)?).pop().or(last);
        }
        let nothing =
            || Error::new(ErrorKind::Contract, "not-a-body", "no request in it");
        let first = last.ok_or_else(nothing).and_then(|last| last).map_err(at)?;
        let sent = |capture| Sent {
            name: String::new(),
            capture,
            times: crate::prefix::Times::default(),
        };
        let comparison = Comparison::new(&self.table)
            .provider(self.provider)
            .model(wanted.model.as_deref())
            .platform(wanted.platform)
            .betas(wanted.betas.clone());
        let report =
            comparison.pair(&sent(&first), &sent(capture), &mut History::default())?;
        let mut findings = report.into_findings();
        for finding in &mut findings {
            let byte = || {
                let raw = pointer::resolve(capture.raw(), &finding.path)?;
                Some(capture.byte(raw.offset_in(capture.bytes())))
            };
            // Thinking that fails is known by its path.
            finding.byte = finding.byte.or_else(byte);
        }
        findings.sort_by_key(|one| one.byte);
        Ok(findings)
    }
}
