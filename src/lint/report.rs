//! Findings, and what rules use to make them.

use super::profile::Profile;
use crate::body::{Body, Dialect, Place};
use crate::error::Severity;
use crate::finding::{Finding, Related, Rule};
use crate::json::{Raw, pointer};
use crate::model::{Feature, Gate};
use std::collections::HashMap;

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
    /// How often each rule has found something, told or not.
    counts: HashMap<&'static str, usize>,
}

/// Findings of one rule that are told; a body that breaks one so often is broken in
/// one way, and each costs more than the few bytes that brought it about.
const MOST: usize = 1_000;

impl<'p> Report<'p> {
    pub(super) fn new(body: &Body<'_>, bytes: &'p [u8], profile: &'p Profile) -> Self {
        Self {
            profile,
            bytes,
            dialect: body.dialect,
            findings: Vec::new(),
            spare: None,
            counts: HashMap::new(),
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
        let wanted = self.tells(rule);
        let mut path = String::new();
        if wanted {
            path = place.pointer(self.dialect);
            keys.iter()
                .for_each(|key| pointer::push_key(&mut path, key));
        }
        let byte = raw.offset_in(self.bytes);
        let finding = Finding::new(rule, path, Some(byte), message);
        match wanted {
            true => {
                self.findings.push(finding);
                let last = self.findings.len() - 1;
                &mut self.findings[last]
            }
            false => self.spare.insert(finding),
        }
    }

    /// Adds a finding at a path and byte of the body.
    pub(super) fn at_path(
        &mut self,
        rule: &'static Rule,
        path: String,
        byte: usize,
        message: impl Into<String>,
    ) -> &mut Finding {
        let finding = Finding::new(rule, path, Some(byte), message);
        match self.tells(rule) {
            true => {
                self.findings.push(finding);
                let last = self.findings.len() - 1;
                &mut self.findings[last]
            }
            false => self.spare.insert(finding),
        }
    }

    /// Adds a finding at keys from a part of the body whose byte is known.
    pub(super) fn under_byte(
        &mut self,
        rule: &'static Rule,
        place: Place,
        keys: &[&str],
        byte: usize,
        message: impl Into<String>,
    ) -> &mut Finding {
        let mut path = place.pointer(self.dialect);
        keys.iter()
            .for_each(|key| pointer::push_key(&mut path, key));
        self.at_path(rule, path, byte, message)
    }

    /// Adds a finding at a part of the body that was left behind.
    pub(super) fn at_place(
        &mut self,
        rule: &'static Rule,
        body: &Body<'_>,
        place: Place,
        message: impl Into<String>,
    ) -> &mut Finding {
        let path = place.pointer(self.dialect);
        let raw = pointer::resolve(body.raw, &path).unwrap_or(body.raw);
        let byte = raw.offset_in(self.bytes);
        self.at_path(rule, path, byte, message)
    }

    /// Where a value of the body begins.
    pub(super) fn byte(&self, raw: Raw<'_>) -> usize {
        raw.offset_in(self.bytes)
    }

    /// Gives the last finding another weight.
    pub(super) fn last_as(&mut self, severity: Severity) {
        if let Some(last) = self.findings.last_mut() {
            last.severity = severity;
        }
    }

    /// Makes a warning of the last finding, if it is of this rule at this place.
    pub(super) fn soften(&mut self, rule: &Rule, place: Place) {
        if let Some(last) = self.findings.last_mut()
            && last.rule.id == rule.id
            && last.path == place.pointer(self.dialect)
        {
            last.severity = Severity::Warning;
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

    /// Whether a finding of this rule is told.
    fn tells(&mut self, rule: &'static Rule) -> bool {
        if !self.profile.wants(rule) {
            return false;
        }
        let count = self.counts.entry(rule.id).or_default();
        *count += 1;
        *count <= MOST
    }

    /// The findings in the order of the bytes.
    pub(super) fn finish(mut self) -> Vec<Finding> {
        for (id, count) in &self.counts {
            let more = count.saturating_sub(MOST);
            let mut own = self.findings.iter_mut().rev();
            if more > 0
                && let Some(last) = own.find(|one| one.rule.id == *id)
            {
                last.message.push_str(&format!("; {more} more like this"));
            }
        }
        self.findings.sort_by_key(|finding| finding.byte);
        self.findings
    }
}
