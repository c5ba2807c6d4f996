//! How many tools are there, and how many bytes of them (`docs/lint.md#sources`):
//! judged when a limit is crossed, once each.

use super::catalogue::page::SYSTEM;
use super::report::{Report, Spot};
use super::tools::Entry;
use crate::finding::family;

family! { "limits";
    TOOL_LIMIT: Error "tool-limit", SYSTEM;
    "there are more tools, or more bytes of them, than one request may hold";
    "the API refuses it with `available_tools_limit_exceeded`";
    "offer fewer tools, or shorten their definitions";
}

/// What the limits count.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    deferred: usize,
    later: usize,
    later_bytes: usize,
    rendered: usize,
}

impl Counts {
    fn of(entry: &Entry<'_>) -> Self {
        let bytes = entry.raw.bytes().len();
        let later = entry.later && (entry.offered || entry.deferred);
        Self {
            deferred: usize::from(entry.deferred),
            later: usize::from(later),
            later_bytes: if later { bytes } else { 0 },
            rendered: if entry.offered { bytes } else { 0 },
        }
    }
}

/// The tools at hand, counted.
#[derive(Debug, Default)]
pub(super) struct Stock {
    counts: Counts,
    told: [bool; 4],
}

impl Stock {
    /// Counts an entry in.
    pub(super) fn enter(&mut self, entry: &Entry<'_>) {
        let more = Counts::of(entry);
        let counts = &mut self.counts;
        counts.deferred += more.deferred;
        counts.later += more.later;
        counts.later_bytes += more.later_bytes;
        counts.rendered += more.rendered;
    }

    /// Counts an entry out, before it changes or goes.
    pub(super) fn leave(&mut self, entry: &Entry<'_>) {
        let less = Counts::of(entry);
        let counts = &mut self.counts;
        counts.deferred = counts.deferred.saturating_sub(less.deferred);
        counts.later = counts.later.saturating_sub(less.later);
        counts.later_bytes = counts.later_bytes.saturating_sub(less.later_bytes);
        counts.rendered = counts.rendered.saturating_sub(less.rendered);
    }

    /// Judges the counts; `spot` is what changed them last.
    pub(super) fn judge(
        &mut self,
        report: &mut Report<'_>,
        spot: Spot<'_>,
        keys: &[&str],
    ) {
        let limits = *report.profile.limits();
        let counts = self.counts;
        let judged = [
            ("deferred tools", counts.deferred, limits.deferred_tools),
            (
                "tools defined in messages",
                counts.later,
                limits.later_tools,
            ),
            (
                "bytes of definitions in messages",
                counts.later_bytes,
                limits.later_tool_bytes,
            ),
            (
                "bytes of tool text",
                counts.rendered,
                limits.tool_text_bytes,
            ),
        ];
        for (told, (what, have, most)) in self.told.iter_mut().zip(judged) {
            if have > most && !std::mem::replace(told, true) {
                let text = format!("{have} {what}, {most} are allowed");
                report.under(&TOOL_LIMIT, spot.place, keys, spot.raw, text);
            }
        }
    }
}
