//! `validate --salvage FILE`: what can be read of conversations, written anew.

use super::CommonArgs;
use super::origin::Record;
use super::output::unwritable;
use crate::error::{Diagnostic, Error, ErrorKind, Position};
use crate::event::Event;
use crate::event::check::check;
use crate::json::pointer;
use crate::stream::Gap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The file written to, made when there is something to write.
pub(super) struct Salvage {
    path: PathBuf,
    file: Mutex<Option<BufWriter<File>>>,
}

impl Salvage {
    /// A salvage to `path`.
    ///
    /// # Errors
    ///
    /// There is something at `path`: no stored file is ever changed. Or conversations
    /// are worked on side by side, which would write them in no order.
    pub(super) fn new(path: &Path, common: &CommonArgs) -> Result<Self, Error> {
        let usage = |text: String| Error::new(ErrorKind::Usage, "salvage", text);
        if common.jobs > 1 {
            let text = "--salvage writes conversations in order, one at a time";
            return Err(usage(text.to_owned()).hint("leave --jobs out"));
        }
        if path.symlink_metadata().is_ok() {
            let text =
                format!("--salvage {}: there is something already", path.display());
            return Err(usage(text).hint("name a new file; none is written over"));
        }
        Ok(Self {
            path: path.to_owned(),
            file: Mutex::default(),
        })
    }

    /// Writes what readers take of the conversation, and tells the rest.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub(super) fn write(
        &self,
        record: &Record<'_>,
        told: &mut Vec<Diagnostic>,
    ) -> Result<(), Error> {
        let conversation = &record.conversation;
        let (value, entries) = (conversation.value.bytes(), conversation.entries);
        let from = entries.offset_in(value);
        let mut out = value[..from].to_vec();
        out.push(b'[');
        let mut kept = 0;
        for (index, entry) in entries.as_array().into_iter().flatten().enumerate() {
            let bytes = entry.bytes();
            let read = Event::read(entry).and_then(|event| check(&event));
            if let Err(found) = read {
                let mut path = conversation.entries_path().to_owned();
                pointer::push_index(&mut path, index);
                path.push_str(&found.path);
                let error =
                    Error::new(ErrorKind::Contract, "entry-shape", found.message);
                let mut error = error.path(path).byte(found.at.offset_in(value));
                error.position.event = Some(index);
                let mut from = Position {
                    byte: Some(entry.offset_in(value) as u64),
                    ..Position::default()
                };
                record.place(&mut from);
                let gap = Gap {
                    error,
                    from: from.byte.unwrap_or_default(),
                    length: bytes.len() as u64,
                    last: false,
                };
                told.push(gap.told("the next entry goes on"));
                continue;
            }
            out.extend_from_slice(if kept > 0 { b",\n" } else { b"\n" });
            out.extend_from_slice(bytes);
            kept += 1;
        }
        out.extend_from_slice(b"\n]");
        out.extend_from_slice(&value[from + entries.bytes().len()..]);
        out.push(b'\n');
        let wrote = self.put(&out);
        wrote.map_err(|error| Error {
            message: format!("{}: {error}", self.path.display()),
            ..unwritable(&error)
        })
    }

    fn put(&self, bytes: &[u8]) -> std::io::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if file.is_none() {
            let new = File::options()
                .write(true)
                .create_new(true)
                .open(&self.path)?;
            *file = Some(BufWriter::new(new));
        }
        match file.as_mut() {
            Some(file) => file.write_all(bytes),
            None => Ok(()),
        }
    }

    /// Ends the file.
    ///
    /// # Errors
    ///
    /// Its last bytes cannot be written.
    pub(super) fn finish(self) -> Result<(), Error> {
        let file = self
            .file
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let flushed = file.map_or(Ok(()), |mut file| file.flush());
        flushed.map_err(|error| Error {
            message: format!("{}: {error}", self.path.display()),
            ..unwritable(&error)
        })
    }
}
