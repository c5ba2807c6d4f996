//! Findings and reports written down: for people, as JSON, for GitHub, as SARIF.
//!
//! Each format is one file for all commands. A [`Linted`] is one body with its
//! findings placed in the input as it was given: byte, line and column; a [`Stored`]
//! is one finding on a conversation; a [`Report`](crate::prefix::Report) is one pair
//! of bodies. Functions append to a
//! `Vec<u8>`; only SARIF needs a frame around all bodies of a run. All text of the
//! input passes [`crate::term`] on its way.

pub mod github;
pub mod html;
pub mod human;
pub mod json;
pub mod rules;
pub mod sarif;
mod told;

use crate::body::{Body, Capture};
use crate::error::{Position, Severity};
use crate::finding::{Finding, Related};
use crate::lint::Profile;
use crate::model::Betas;

/// A finding, placed in its input.
#[derive(Debug, Clone)]
pub struct Placed {
    /// The finding; its bytes count in the input.
    pub finding: Finding,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The byte at which the line starts.
    pub line_start: usize,
}

/// A finding on a stored conversation, placed in the input.
#[derive(Debug, Clone)]
pub struct Stored {
    /// The finding; path and byte count as [`position`](Self::position) says.
    pub finding: Finding,
    /// Where: input, conversation, entry, path, and the byte of the input.
    pub position: Position,
    /// Line and column in characters, from 1, where they are known.
    pub line: Option<(usize, usize)>,
}

/// One body, judged.
#[derive(Debug, Clone)]
pub struct Linted {
    /// The name of the input; absent for standard input.
    pub input: Option<String>,
    /// The number of the body in its input, from 0.
    pub index: usize,
    /// Where in its record the body stands.
    pub within: String,
    /// The provider.
    pub provider: &'static str,
    /// Whether the body itself proves the provider, or the caller said it.
    pub certain: bool,
    /// The model's name, if any.
    pub model: Option<String>,
    /// The platform it was judged for.
    pub platform: &'static str,
    /// The betas that are on, if anything says.
    pub betas: Option<Vec<String>>,
    /// What was found, in the order of the bytes.
    pub findings: Vec<Placed>,
}

impl Linted {
    /// Places findings in the input from which `capture` was read; `lines` has
    /// come no further than to its start.
    pub fn new(
        lines: Lines<'_>,
        capture: &Capture<'_>,
        body: &Body<'_>,
        profile: &Profile,
        mut findings: Vec<Finding>,
    ) -> Self {
        let mut positions = capture.positions();
        for finding in &mut findings {
            finding.byte = finding.byte.map(|byte| positions.byte(byte));
            for Related { byte, .. } in &mut finding.related {
                *byte = capture.byte(*byte);
            }
        }
        Self::placed(lines, capture, body, profile, findings)
    }

    /// Like [`new`](Self::new), of findings whose bytes count in the input already.
    pub fn placed(
        mut lines: Lines<'_>,
        capture: &Capture<'_>,
        body: &Body<'_>,
        profile: &Profile,
        findings: Vec<Finding>,
    ) -> Self {
        let placed = findings.into_iter().map(|finding| lines.place(finding));
        Self {
            input: None,
            index: 0,
            findings: placed.collect(),
            within: capture.path.clone(),
            provider: body.provider.name(),
            certain: body.certain,
            model: profile.name.clone(),
            platform: profile.platform.name(),
            betas: match &profile.betas {
                Betas::Unknown => None,
                Betas::Known(betas) => Some(betas.clone()),
            },
        }
    }

    /// How many findings weigh this much.
    pub fn count(&self, severity: Severity) -> usize {
        let weighs = |one: &&Placed| one.finding.severity == severity;
        self.findings.iter().filter(weighs).count()
    }
}

/// Counts lines and columns on the way through an input.
#[derive(Debug, Clone, Copy)]
pub struct Lines<'a> {
    input: &'a [u8],
    at: usize,
    line: usize,
    line_start: usize,
    column: usize,
}

impl<'a> Lines<'a> {
    /// At the start of an input.
    pub fn new(input: &'a [u8]) -> Self {
        Self {
            input,
            at: 0,
            line: 1,
            line_start: 0,
            column: 1,
        }
    }

    /// Goes on to a byte; back to the start first if it lies behind.
    pub fn go(&mut self, byte: usize) {
        let byte = byte.min(self.input.len());
        if byte < self.at {
            *self = Self::new(self.input);
        }
        let passed = &self.input[self.at..byte];
        if let Some(last) = memchr::memrchr(b'\n', passed) {
            self.line += memchr::memchr_iter(b'\n', passed).count();
            self.line_start = self.at + last + 1;
            self.column = 1;
            self.at = self.line_start;
        }
        let starts = |byte: &&u8| **byte & 0xc0 != 0x80;
        self.column += self.input[self.at..byte].iter().filter(starts).count();
        self.at = byte;
    }

    /// Line and column of the place, from 1.
    pub fn at(&self) -> (usize, usize) {
        (self.line, self.column)
    }

    fn place(&mut self, finding: Finding) -> Placed {
        self.go(finding.byte.unwrap_or(self.at));
        Placed {
            line: self.line,
            column: self.column,
            line_start: self.line_start,
            finding,
        }
    }
}

/// The order that counts are told in.
const SEVERITIES: [Severity; 3] = [Severity::Error, Severity::Warning, Severity::Note];
