//! Reading one file for the list: a conversation at a time, memory of the longest.

use super::super::source::{Source, unreadable};
use super::super::transcript::{self, Head};
use super::super::workspace::{self, Home};
use crate::error::{Error, Position};
use crate::event::Timestamp;
use crate::import::{Keep, Options, Sidechains};
use crate::json::Raw;
use crate::stream::{Container, Conversation, First, Form, Piece, Splitter};
use crate::view::Summary;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// One conversation of the list.
#[derive(Debug)]
pub(super) struct Row {
    /// The file it stands in.
    pub(super) path: PathBuf,
    /// Which conversation of the file it is, from 0.
    pub(super) index: usize,
    /// Bytes of the file if it stands there alone, else of the conversation as read.
    pub(super) size: u64,
    /// What is said of it.
    pub(super) summary: Summary,
}

/// What one file holds.
#[derive(Debug, Default)]
pub(super) struct File {
    /// Its conversations, in order.
    pub(super) rows: Vec<Row>,
    /// Why the system would not give it whole.
    pub(super) error: Option<Error>,
}

impl Row {
    /// The time that a list sorts by.
    pub(super) fn date(&self) -> Option<String> {
        let stamp = self
            .summary
            .ended
            .as_deref()
            .or(self.summary.started.as_deref())?;
        Timestamp::parse(stamp).map(Timestamp::to_rfc3339)
    }
}

/// Reads the conversations of a file. What is none is passed over, broken or not:
/// a directory holds all kinds of files.
pub(super) fn read(path: &Path) -> File {
    let mut file = File::default();
    if let Err(mut error) = rows(path, &mut file.rows) {
        error.position = Position {
            input: Some(path.display().to_string()),
            ..Position::default()
        };
        file.error = Some(error);
    }
    // A session's subagents are no reason to call its file an archive.
    let alone = file
        .rows
        .iter()
        .filter(|row| !row.summary.is_subagent)
        .count()
        <= 1;
    if alone
        && let Some(row) = file.rows.first_mut()
        && let Ok(data) = std::fs::metadata(path)
    {
        row.size = data.len();
    }
    file
}

fn rows(path: &Path, rows: &mut Vec<Row>) -> Result<(), Error> {
    let source = Source::open(path, None, false)?;
    // What is asked here stands in events; what stands beside them is only weight.
    let options = Options {
        keep: Keep::Lean,
        sidechains: Sidechains::Separate,
        ..transcript::options(None, path)
    };
    let failed = |error| unreadable(&error);
    let (mut splitter, entries) = match transcript::look(source.reader, options, None)
        .map_err(failed)?
    {
        Head::Refused(_) | Head::Stream(_, First::Nothing | First::ForeignLog(_)) => {
            return Ok(());
        }
        Head::Stream(splitter, First::Entry) => (splitter, true),
        Head::Stream(splitter, First::Conversation) => (splitter, false),
        Head::Transcript(splitter, _) => (splitter, false),
    };
    let base = source.beside.base_config.as_deref();
    let base = base.map(|bytes| Raw::checked(bytes.trim_ascii_end()));
    let home = source.beside.directory.as_deref();
    let mut add = |conversation: Conversation<'_>, index| {
        let size = conversation.value.bytes().len() as u64;
        let conversation = Conversation {
            base: base.or(conversation.base),
            ..conversation
        };
        if let Some(mut summary) = Summary::of(&conversation) {
            if let Some(home) = home {
                stored(home, &mut summary);
            }
            rows.push(Row {
                path: path.to_owned(),
                index,
                size,
                summary,
            });
        }
    };
    if entries {
        let array = gathered(&mut splitter).map_err(failed)?;
        let conversation = Conversation {
            form: Form::Entries,
            ..Conversation::of_array(Raw::checked(&array))
        };
        add(conversation, 0);
        return Ok(());
    }
    let mut index = 0;
    while let Some(piece) = splitter.next().map_err(failed)? {
        if let Piece::Value { bytes, .. } = piece
            && let Ok(Container::Conversation(one)) =
                Conversation::read(Raw::checked(bytes))
        {
            add(one, index);
        }
        index += 1;
    }
    Ok(())
}

/// Bare entries as one array; what is broken among them is passed over.
fn gathered(splitter: &mut Splitter<Box<dyn Read>>) -> io::Result<Vec<u8>> {
    splitter.expect_entries();
    let mut array = vec![b'['];
    while let Some(piece) = splitter.next()? {
        if let Piece::Value { bytes, .. } = piece {
            if array.len() > 1 {
                array.push(b',');
            }
            array.extend_from_slice(bytes);
        }
    }
    array.push(b']');
    Ok(array)
}

/// What a conversation's directory says of it.
fn stored(directory: &Path, summary: &mut Summary) {
    let home = Home::of(directory);
    if summary.started.is_none() {
        let created = home.number.and_then(Timestamp::from_deciseconds);
        summary.started = created.map(Timestamp::to_rfc3339);
    }
    if summary.id.is_none() && !home.id.is_empty() {
        summary.id = Some(home.id);
    }
    let metadata = workspace::read(&directory.join("metadata.json")).ok();
    let title = metadata.as_deref().and_then(|bytes| {
        Raw::parse(bytes)
            .ok()?
            .get("title")?
            .as_str()
            .map(std::borrow::Cow::into_owned)
    });
    summary.title = summary.title.take().or(title);
}
