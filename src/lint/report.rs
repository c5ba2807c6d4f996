//! Findings, and what rules use to make them.

use super::catalogue::Rule;
use super::profile::Profile;
use crate::body::{Body, Dialect, Place};
use crate::error::Severity;
use crate::json::{Raw, pointer};
use crate::model::{Feature, Gate};

/// Another place that a finding speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// JSON Pointer from the body.
    pub path: String,
    /// Byte in the body.
    pub byte: usize,
}

/// One thing wrong with a body.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The rule that found it.
    pub rule: &'static Rule,
    /// How much it matters here.
    pub severity: Severity,
    /// JSON Pointer from the body; a missing field's is that of its object.
    pub path: String,
    /// Byte in the body at which the value at `path` begins.
    pub byte: usize,
    /// A lower-case fragment: what was found and what was expected.
    pub message: String,
    /// The way out.
    pub hint: String,
    /// Other places it speaks of.
    pub related: Vec<Related>,
}

impl Finding {
    /// The same finding, with another weight.
    pub(super) fn weigh(&mut self, severity: Severity) -> &mut Self {
        self.severity = severity;
        self
    }

    /// The same finding, with a way out of its own.
    pub(super) fn hint(&mut self, hint: impl Into<String>) -> &mut Self {
        self.hint = hint.into();
        self
    }

    /// The same finding, speaking of another place too.
    pub(super) fn relate(
        &mut self,
        related: impl IntoIterator<Item = Related>,
    ) -> &mut Self {
        self.related.extend(related);
        self
    }
}

/// A place and the value there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot<'a> {
    pub(super) place: Place,
    pub(super) raw: Raw<'a>,
}

/// The findings so far, and the profile they are judged by.
pub(super) struct Report<'p> {
    pub(super) profile: &'p Profile,
    bytes: &'p [u8],
    dialect: Dialect,
    findings: Vec<Finding>,
    spare: Option<Finding>,
}

impl<'p> Report<'p> {
    pub(super) fn new(body: &Body<'_>, bytes: &'p [u8], profile: &'p Profile) -> Self {
        Self {
            profile,
            bytes,
            dialect: body.provider.dialect(),
            findings: Vec::new(),
            spare: None,
        }
    }

    /// Adds a finding at a part of the body.
    pub(super) fn at(
        &mut self,
        rule: &'static Rule,
        place: Place,
        raw: Raw<'_>,
        message: impl Into<String>,
    ) -> &mut Finding {
        self.under(rule, place, &[], raw, message)
    }

    /// Adds a finding at the value that `keys` lead to from a part of the body.
    pub(super) fn under(
        &mut self,
        rule: &'static Rule,
        place: Place,
        keys: &[&str],
        raw: Raw<'_>,
        message: impl Into<String>,
    ) -> &mut Finding {
        let wanted = self.profile.wants(rule);
        let mut path = String::new();
        if wanted {
            path = place.pointer(self.dialect);
            keys.iter()
                .for_each(|key| pointer::push_key(&mut path, key));
        }
        let finding = Finding {
            rule,
            severity: rule.severity,
            path,
            byte: raw.offset_in(self.bytes),
            message: message.into(),
            hint: rule.mend.to_owned(),
            related: Vec::new(),
        };
        match wanted {
            true => {
                self.findings.push(finding);
                let last = self.findings.len() - 1;
                &mut self.findings[last]
            }
            false => self.spare.insert(finding),
        }
    }

    /// A place for [`Finding::relate`].
    pub(super) fn related(&self, spot: Spot<'_>) -> Related {
        Related {
            path: spot.place.pointer(self.dialect),
            byte: spot.raw.offset_in(self.bytes),
        }
    }

    /// The path of a place, for messages.
    pub(super) fn path(&self, place: Place) -> String {
        place.pointer(self.dialect)
    }

    /// How a feature stands here, with the weight of a finding that it is shut
    /// and the words for it.
    pub(super) fn shut(&self, feature: Feature) -> Option<(Severity, String)> {
        let profile = self.profile;
        let gate = profile
            .table
            .gate(feature, profile.platform, &profile.betas);
        let betas = || {
            let names: Vec<_> =
                profile.table.betas_for(feature, profile.platform).collect();
            names
                .iter()
                .map(|name| format!("`{name}`"))
                .collect::<Vec<_>>()
                .join(" or ")
        };
        match gate {
            Gate::Open => None,
            Gate::NeedsBeta => {
                Some((Severity::Error, format!("needs the beta {}", betas())))
            }
            Gate::Unknown => Some((
                Severity::Note,
                format!("needs the beta {}, and nothing says which are on", betas()),
            )),
            Gate::NotHere => Some((
                Severity::Error,
                format!("is not offered on {}", profile.platform.name()),
            )),
        }
    }

    /// The weight of a refusal that the model's profile gives.
    pub(super) fn weight(&self, sure: bool) -> Severity {
        match sure {
            true => Severity::Error,
            false => Severity::Warning,
        }
    }

    /// The findings in the order of the bytes.
    pub(super) fn finish(mut self) -> Vec<Finding> {
        self.findings.sort_by_key(|finding| finding.byte);
        self.findings
    }
}

/// A string of the body as messages quote it: short, and without controls.
pub(super) fn quoted(text: &str) -> String {
    const MOST: usize = 60;
    let mut out = String::from("`");
    for (index, character) in text.chars().enumerate() {
        if index == MOST {
            out.push('…');
            break;
        }
        match character {
            '\u{0}'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => {
                out.extend(character.escape_default());
            }
            _ => out.push(character),
        }
    }
    out.push('`');
    out
}

/// `1 image`, `2 images`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}
