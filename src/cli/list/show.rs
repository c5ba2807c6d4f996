//! The list as a table and as JSON.

use super::Listing;
use super::find::Row;
use crate::term::{self, json, width, words};
use std::io::Write as _;

/// Columns for first words where nobody says how wide the output is.
const WORDS: usize = 60;

/// The least columns first words get.
const LEAST: usize = 20;

/// The most columns that a model's name gets.
const MODEL: usize = 32;

/// Writes the table, one conversation a line; `columns` are those of the terminal.
pub(super) fn human(
    out: &mut Vec<u8>,
    rows: &[Row],
    paths: bool,
    columns: Option<usize>,
) {
    let cells: Vec<[String; 6]> = rows.iter().map(|row| cells(row, paths)).collect();
    let mut widths = [0; 6];
    for line in &cells {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = (*width).max(width::cells(cell));
        }
    }
    let used: usize = widths.iter().map(|width| width + 2).sum();
    let left = columns.map_or(WORDS, |columns| columns.saturating_sub(used).max(LEAST));
    for (row, line) in rows.iter().zip(&cells) {
        let mut shown = String::new();
        for (index, (cell, width)) in line.iter().zip(widths).enumerate() {
            let pad = " ".repeat(width - width::cells(cell));
            // Numbers stand at the right.
            match matches!(index, 2 | 4 | 5) {
                true => shown.extend([&pad, cell, "  "]),
                false => shown.extend([cell, &pad, "  "]),
            }
        }
        let words = row.summary.first_words.as_deref().unwrap_or_default();
        shown.push_str(&width::cut(&term::printable(words), left, "…"));
        let _ = writeln!(out, "{}", shown.trim_end());
    }
}

/// Id or path, date, turns, model, cached share, size.
fn cells(row: &Row, paths: bool) -> [String; 6] {
    let summary = &row.summary;
    let file = match (&summary.id, row.path.file_name()) {
        (Some(id), _) if !paths => id.clone(),
        (None, Some(name)) if !paths => name.to_string_lossy().into_owned(),
        _ => row.path.display().to_string(),
    };
    let id = match row.index {
        0 => file,
        _ if summary.id.is_some() && !paths => file,
        index => format!("{file}:{}", index + 1),
    };
    let model = match summary.models.as_slice() {
        [] => "-".to_owned(),
        [one] => one.clone(),
        [first, more @ ..] => format!("{first} +{}", more.len()),
    };
    // RFC 3339 to the minute.
    let date = row.date().map_or_else(
        || "-".to_owned(),
        |date| date.chars().take(16).collect::<String>().replace('T', " "),
    );
    let cached = summary
        .cache_share()
        .map_or_else(|| "-".to_owned(), |share| format!("{:.0} %", share * 100.0));
    [
        term::printable(&id).into_owned(),
        date,
        words::grouped(summary.turns),
        width::cut(&term::printable(&model), MODEL, "…"),
        cached,
        words::size(row.size),
    ]
}

/// Writes the list as one object.
pub(super) fn json(out: &mut Vec<u8>, listing: &Listing) {
    out.extend_from_slice(b"{\"schema\":\"convo/list/1\",\"conversations\":[");
    for (index, row) in listing.rows.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        one(out, row);
    }
    out.push(b']');
    json::number(out, "no_conversation", Some(listing.others as u64));
    json::number(out, "subagents", Some(listing.subagents as u64));
    json::number(out, "unreadable", Some(listing.unreadable as u64));
    out.extend_from_slice(b"}\n");
}

fn one(out: &mut Vec<u8>, row: &Row) {
    let summary = &row.summary;
    out.extend_from_slice(b"{\"path\":");
    json::string(out, &row.path.display().to_string());
    json::number(out, "index", Some(row.index as u64));
    json::text(out, "id", summary.id.as_deref());
    json::text(
        out,
        "format",
        Some(summary.format.as_deref().unwrap_or("stored")),
    );
    json::text(out, "started", summary.started.as_deref());
    json::text(out, "ended", summary.ended.as_deref());
    json::number(out, "turns", Some(summary.turns as u64));
    json::number(out, "events", Some(summary.events as u64));
    out.extend_from_slice(b",\"models\":[");
    for (index, model) in summary.models.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        json::string(out, model);
    }
    out.push(b']');
    json::text(out, "title", summary.title.as_deref());
    json::text(out, "first_words", summary.first_words.as_deref());
    json::number(out, "size", Some(row.size));
    let input = summary.usage.input();
    json::number(out, "input_tokens", input.map(|(input, _)| input));
    json::number(out, "cache_read_tokens", input.map(|(_, cached)| cached));
    let share = summary.cache_share();
    out.extend_from_slice(b",\"cache_read_share\":");
    match share {
        Some(share) => out.extend_from_slice(format!("{share:.4}").as_bytes()),
        None => out.extend_from_slice(b"null"),
    }
    json::boolean(out, "subagent", summary.is_subagent);
    out.push(b'}');
}
