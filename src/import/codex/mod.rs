//! Rollouts of Codex, from the TypeScript era to the wrapped lines of today.
//!
//! Source: openai/codex, `codex-rs/protocol/src/{models,protocol}.rs`,
//! `codex-rs/rollout/src/{policy,recorder}.rs`, `codex-rs/core/src/session/rollout_reconstruction.rs`
//! and `codex-cli/src/utils/storage/save-rollout.ts`. `entry` reads the three
//! eras alike, `injected` knows what Codex says in the user's place, `write` makes
//! the events.

mod entry;
mod injected;
mod write;

use super::options::{Branch, Format, Options};
use super::record::Record;
use super::session::Sink;
use crate::json::Raw;
use entry::{Entry, What};
use write::Writer;

/// Reads a rollout file.
pub(super) fn session(bytes: &[u8], options: &Options, sink: &mut Sink<'_>) {
    let entries = entry::read(bytes);
    records(&entries, options, sink);
}

/// Reads the one object that the first versions wrote.
pub(super) fn json(value: Raw<'_>, options: &Options, sink: &mut Sink<'_>) {
    let entries = entry::of_object(value);
    records(&entries, options, sink);
}

/// The paths of a rollout: what survives, and what each rollback took back.
fn records(entries: &[Entry<'_>], options: &Options, sink: &mut Sink<'_>) {
    let typed = write::typed(entries);
    let mut alive: Vec<usize> = Vec::new();
    let mut before: Vec<Vec<usize>> = Vec::new();
    let mut off = 0;
    for (at, entry) in entries.iter().enumerate() {
        if let What::Event("thread_rolled_back") = entry.what {
            before.push(alive.clone());
            off += take_back(entry, &typed, &mut alive);
        }
        alive.push(at);
    }
    let of = before.len() + 1;
    let mut paths: Vec<(usize, Vec<usize>)> = vec![(of - 1, alive)];
    match &options.branch {
        Branch::Last => {}
        Branch::All => {
            paths.splice(0..0, before.into_iter().enumerate());
        }
        Branch::List => {
            let mut table = String::new();
            let all = before.iter().chain([&paths[0].1]);
            for (index, path) in all.enumerate() {
                let active = if index + 1 == of { "\tactive" } else { "" };
                table.push_str(&format!(
                    "{index}\t-\t-\t{} lines\t-\t{active}\n",
                    path.len()
                ));
            }
            return sink.table(table);
        }
        Branch::Id(id) => {
            let wanted = id.parse::<usize>().ok();
            match wanted.filter(|&index| index < of) {
                Some(index) if index + 1 < of => {
                    paths = vec![(index, before.swap_remove(index))];
                }
                Some(_) => {}
                None => {
                    return sink.refuse(
                        crate::error::Error::new(
                            crate::error::ErrorKind::Usage,
                            "branch-unknown",
                            format!("`{id}` is no number of a path of this rollout"),
                        )
                        .hint("--branch list names them"),
                    );
                }
            }
        }
    }
    for (index, path) in paths {
        let mut record = Record::new(options, Format::Codex);
        record.lines = entries.len();
        record.wants_times = true;
        if of > 1 {
            let mut branch = b"{".to_vec();
            super::foreign::number(&mut branch, "index", index);
            super::foreign::number(&mut branch, "of", of);
            if index + 1 == of {
                super::foreign::number(&mut branch, "off_path_lines", off);
            }
            branch.push(b'}');
            record.import.push(("branch", branch));
            if index + 1 == of {
                record.note(
                    "off-path",
                    || format!("{off} of {} lines were rolled back", entries.len()),
                    Some("--branch all gives what was rolled back, too"),
                );
            }
        }
        let lines: Vec<&Entry<'_>> = path.iter().map(|&at| &entries[at]).collect();
        let typed: Vec<bool> = path.iter().map(|&at| typed[at]).collect();
        sink.record(Writer::new(record, &lines, &typed).write().finish());
    }
}

/// Takes the newest typed requests back, and all behind each; how many lines.
fn take_back(entry: &Entry<'_>, typed: &[bool], alive: &mut Vec<usize>) -> usize {
    let count = entry.payload.and_then(|p| p.get("num_turns")?.as_u64());
    let before = alive.len();
    for _ in 0..count.unwrap_or(1) {
        match alive.iter().rposition(|&at| typed[at]) {
            Some(place) => alive.truncate(place),
            None => break,
        }
    }
    before - alive.len()
}
