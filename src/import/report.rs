//! What an import tells beside its bundle: one object a record for `--report`.

use super::foreign::{number, text};
use super::options::Format;
use super::usage::Usage;
use crate::error::{Diagnostic, Error};
use crate::json::write;

/// Counts of one record.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The format read.
    pub format: Option<Format>,
    /// The id of the record.
    pub id: Option<String>,
    /// Lines or messages of the source.
    pub lines: usize,
    /// Entries written.
    pub events: usize,
    /// Turns opened.
    pub turns: usize,
    /// What the source does not say.
    pub unknown: Vec<&'static str>,
    /// What is in no entry, by kind.
    pub dropped: Vec<(String, usize)>,
    /// Sums over all answers.
    pub usage: Usage,
    /// Sums of each turn, counted from 0.
    pub turn_usage: Vec<(usize, Usage)>,
    /// The subagent this record is.
    pub sidechain: Option<String>,
    /// Codes told, with how often.
    pub told: Vec<(&'static str, usize)>,
}

/// One record of an import.
#[derive(Debug)]
pub struct Imported {
    /// The bundle on one line, without line break; or why there is none.
    pub bundle: Result<Vec<u8>, Error>,
    /// Warnings and notes.
    pub told: Vec<Diagnostic>,
    /// Counts.
    pub report: Report,
}

impl Report {
    /// Appends the report as one JSON object.
    pub fn write(&self, out: &mut Vec<u8>, input: Option<&str>) {
        out.push(b'{');
        text(out, "schema", "convo/import-report/1");
        if let Some(input) = input {
            text(out, "input", input);
        }
        if let Some(format) = self.format {
            text(out, "format", format.name());
        }
        if let Some(id) = &self.id {
            text(out, "id", id);
        }
        if let Some(id) = &self.sidechain {
            text(out, "sidechain", id);
        }
        number(out, "lines", self.lines);
        number(out, "events", self.events);
        number(out, "turns", self.turns);
        write::key(out, "unknown");
        out.push(b'[');
        for (index, word) in self.unknown.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            write::string(out, word);
        }
        out.push(b']');
        counts(out, "dropped", &self.dropped);
        let told: Vec<_> = self
            .told
            .iter()
            .map(|&(code, count)| (code.to_owned(), count))
            .collect();
        counts(out, "told", &told);
        if !self.usage.is_empty() {
            usage(out, &self.usage);
            write::key(out, "turn_usage");
            out.push(b'[');
            for (index, (turn, one)) in self.turn_usage.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                out.push(b'{');
                number(out, "turn", *turn);
                usage(out, one);
                out.push(b'}');
            }
            out.push(b']');
        }
        out.push(b'}');
    }
}

fn usage(out: &mut Vec<u8>, usage: &Usage) {
    write::key(out, "usage");
    usage.write(out);
    if let Some(share) = usage.cache_share() {
        write::key(out, "cache_read_share");
        out.extend_from_slice(format!("{share:.4}").as_bytes());
    }
}

/// Appends `"key":{"kind":count}`; nothing for none.
pub(super) fn counts(out: &mut Vec<u8>, key: &str, counts: &[(String, usize)]) {
    if counts.is_empty() {
        return;
    }
    write::key(out, key);
    out.push(b'{');
    for (kind, count) in counts {
        number(out, kind, *count);
    }
    out.push(b'}');
}
