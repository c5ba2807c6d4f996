//! Sessions of Claude Code, 1.0 to 2.1.
//!
//! The transcript is undocumented; the rules here are those of Anthropic's own
//! reader (`anthropics/claude-agent-sdk-python`, `_internal/sessions.py`), of
//! public viewers (`d-kimuson/claude-code-viewer`, `daaain/claude-code-log`,
//! `wesm/agentsview`) and of real sessions: see `docs/formats.md`. `index` finds
//! the tree, `path` the conversation in it, `write` makes the events, `sidechain`
//! ties subagents to the calls that started them.

mod branch;
mod index;
mod injected;
mod path;
mod rest;
mod sidechain;
mod write;

use super::lines::{Line, Value};
use super::options::{Format, Options, Sidechains};
use super::record::Record;
use super::session::Sink;
use crate::error::{Error, ErrorKind};
use crate::json::Raw;
use crate::term::counted;
use index::Index;
use path::{Path, Walker};
use write::Writer;

/// What no session tells.
const UNKNOWN: [&str; 3] = ["system", "tools", "parameters"];

/// Reads a session file.
pub(super) fn session(bytes: &[u8], options: &Options, sink: &mut Sink<'_>) {
    let mut record = record(options);
    let index = Index::read(bytes, &mut record);
    read(&index, record, options, sink);
}

/// Reads the session that a web export holds as `loglines`.
pub(super) fn web(value: Raw<'_>, options: &Options, sink: &mut Sink<'_>) {
    let list = value.get("loglines").and_then(Raw::as_array);
    let lines = list.into_iter().flatten().enumerate().map(|(at, raw)| {
        let fields = raw.as_object().into_iter().flatten().collect::<Vec<_>>();
        Line {
            number: at + 1,
            offset: raw.offset_in(value.bytes()),
            value: match fields.is_empty() {
                false => Value::Object(raw, fields),
                true => Value::Broken {
                    bytes: raw.bytes(),
                    cut: false,
                },
            },
        }
    });
    let mut record = record(options);
    let rest = super::foreign::without(value, &["loglines"]);
    if !rest.is_empty() {
        record.import.push(("session", rest));
    }
    let index = Index::of(lines.collect(), &mut record);
    read(&index, record, options, sink);
}

fn record(options: &Options) -> Record<'_> {
    let mut record = Record::new(options, Format::ClaudeCode);
    record.unknown = UNKNOWN.to_vec();
    record.wants_times = true;
    record
}

fn read(index: &Index<'_>, first: Record<'_>, options: &Options, sink: &mut Sink<'_>) {
    let walker = Walker::new(index);
    let chains = sidechain::find(index, options);
    let opened = chains.opened();
    let outside: Vec<usize> = (0..index.lines.len())
        .filter(|&at| !index.is_tree(at))
        .collect();
    let mut paths = match branch::choose(index, &walker, &options.branch) {
        Ok(branch::Chosen::Paths(paths)) => paths,
        Ok(branch::Chosen::Table(table)) => return sink.table(table),
        Err(error) => return sink.refuse(error),
    };
    if paths.is_empty() {
        paths.push((Path::default(), branch::Told::default()));
    }
    let mut first = Some(first);
    for (path, told) in paths {
        let mut record = first.take().unwrap_or_else(|| record(options));
        record.lines = index.lines.len();
        record.title = write::title(index);
        record.sidechain.clone_from(&chains.own);
        about(&mut record, index, &path, &told);
        chains.tell(&mut record, options.sidechains);
        let is_side = index.all_side;
        let record = Writer::new(index, record, &opened, is_side).path(&path, &outside);
        sink.record(record.finish());
    }
    if options.sidechains == Sidechains::Separate {
        for chain in &chains.list {
            let mut record = self::record(options);
            record.lines = chain.lines.len();
            record.sidechain = Some(chain.id.clone());
            chain.head(&mut record);
            let path = Path {
                lines: chain.lines.clone(),
                ..Path::default()
            };
            let record = Writer::new(index, record, &opened, true).path(&path, &[]);
            sink.record(record.finish());
        }
    }
}

/// Puts down what is known of the path, and tells what is not on it.
fn about(record: &mut Record<'_>, index: &Index<'_>, path: &Path, told: &branch::Told) {
    if path.linear && path.lines.len() > 1 {
        record.note(
            "linear",
            || "its lines do not name each other; they are taken in the order of the file".into(),
            None,
        );
    }
    if let Some(branch) = &told.branch {
        record.import.push(("branch", branch.clone()));
    }
    if told.off_path > 0 {
        let (off, all, others) = (told.off_path, index.lines.len(), told.others);
        record.note(
            "off-path",
            || match others {
                0 => format!("{off} of {all} lines are artefacts beside the path"),
                _ => format!(
                    "{off} of {all} lines belong to {}",
                    counted(others, "other branch")
                ),
            },
            Some("--branch list names them"),
        );
    }
}

/// An id that leads to no line.
fn unknown_branch(id: &str, many: bool) -> Error {
    let message = match many {
        true => format!("`{id}` begins the ids of several lines"),
        false => format!("no line of the session has an id that begins with `{id}`"),
    };
    Error::new(ErrorKind::Usage, "branch-unknown", message)
        .hint("--branch list names them")
}
