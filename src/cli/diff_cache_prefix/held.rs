//! A request as a run holds it: the bytes of its record alone, and where they stood.

use super::compare::Found;
use crate::body::capture;
use crate::error::Error;
use crate::event::Timestamp;
use crate::json::Raw;
use crate::prefix::Times;

/// One recorded request, apart from its input.
#[derive(Debug)]
pub(super) struct Held {
    /// The record: a line, or an entry of a HAR file.
    pub(super) bytes: Vec<u8>,
    /// Byte of the input at which the record starts.
    pub(super) base: usize,
    /// The line that it starts in, from 1.
    pub(super) line: usize,
    /// JSON Pointer of the record in its value.
    pub(super) path: String,
    /// What reports call it.
    pub(super) name: String,
    /// The file it stands in.
    pub(super) file: Option<String>,
}

impl Held {
    /// The request in it.
    ///
    /// # Errors
    ///
    /// The record holds none; positions count in the input.
    pub(super) fn found(&self) -> Result<Found<'_>, Error> {
        let record = Raw::checked(&self.bytes);
        let found = capture(&self.bytes, record, &self.path).map_err(|mut error| {
            error.position.byte =
                error.position.byte.map(|byte| byte + self.base as u64);
            error
        })?;
        Ok(Found {
            capture: found.moved(self.base),
            input: &self.bytes,
            base: self.base,
            line: self.line,
            name: self.name.clone(),
            file: self.file.clone(),
            times: times(record),
        })
    }
}

/// The records in one value of an input, and the path to each: the entries of a HAR
/// file that hold a body, else the value itself.
pub(super) fn entries(value: Raw<'_>) -> Vec<(Raw<'_>, String)> {
    let log = value.get("log").and_then(|log| log.get("entries"));
    match log.and_then(Raw::as_array) {
        Some(entries) => entries
            .enumerate()
            .filter(|(_, entry)| entry.at(&["request", "postData", "text"]).is_some())
            .map(|(at, entry)| (entry, format!("/log/entries/{at}")))
            .collect(),
        None => vec![(value, String::new())],
    }
}

/// When a request was sent, and when its answer began, as far as a record says.
pub(super) fn times(record: Raw<'_>) -> Times {
    let read = |value: Raw<'_>, keys: &[&str]| {
        let mut found = keys.iter().filter_map(|key| value.get(key)?.as_str());
        let moment = found.find_map(|text| Timestamp::parse(&text))?;
        Some(moment.seconds * 1000 + i64::from(moment.nanos / 1_000_000))
    };
    const SENT: [&str; 4] = ["startedDateTime", "timestamp", "started_at", "time"];
    let sent = read(record, &SENT).or_else(|| read(record.get("request")?, &SENT));
    // HAR gives the time to the first byte of the answer in parts.
    let waited = || {
        let timings = record.get("timings")?;
        let parts = ["blocked", "dns", "connect", "send", "wait"];
        let all = parts.iter().filter_map(|part| timings.get(part)?.as_f64());
        let sum: f64 = all.filter(|part| *part > 0.0).sum();
        Some(sent? + sum as i64)
    };
    let said = || {
        let answer = record.get("response")?;
        read(
            answer,
            &[
                "started_at",
                "startedDateTime",
                "timestamp",
                "first_token_at",
            ],
        )
    };
    Times {
        sent,
        answered: waited()
            .or_else(said)
            .or_else(|| read(record, &["answered_at", "response_started_at"])),
    }
}
