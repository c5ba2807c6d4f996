//! Placeholder.
use super::report::Report;
use crate::body::Body;
pub(super) fn check(_body: &Body<'_>, _report: &mut Report<'_>) {}
