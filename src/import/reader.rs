//! Transcripts as bundles, behind [`std::io::Read`].
//!
//! Whatever reads a stream of bundles can read transcripts through this: one
//! bundle a line, made as it is asked for. A session is read whole, values one by
//! one; what is to be told waits in a queue that the caller empties.

use super::options::Options;
use super::recognise::Shape;
use super::report::{Imported, Report};
use super::session::{Importer, Sink};
use crate::error::{Diagnostic, Error};
use crate::json::Raw;
use crate::stream::{Piece, Splitter};
use std::cell::RefCell;
use std::io::{self, Read};
use std::rc::Rc;

/// What an import has to say, in the order of its records.
#[derive(Debug)]
pub enum Told {
    /// A warning or note.
    Diagnostic(Diagnostic),
    /// A record that there is no bundle for.
    Refused(Error),
    /// The counts of a record.
    Report(Box<Report>),
}

/// Makes bundles from a transcript.
pub struct Reader {
    source: Source,
    importer: Importer,
    told: Rc<RefCell<Vec<Told>>>,
    ready: Vec<u8>,
    given: usize,
}

enum Source {
    Whole(Box<dyn Read>),
    Values(Box<Splitter<Box<dyn Read>>>),
    Ended,
}

impl Reader {
    /// A reader of `input`, which is of `shape`. What is told goes to `told`.
    pub fn new(
        input: Box<dyn Read>,
        shape: Shape,
        options: Options,
        told: Rc<RefCell<Vec<Told>>>,
    ) -> Self {
        let source = match shape {
            Shape::Values => Source::Values(Box::new(Splitter::new(input))),
            Shape::Session(_) | Shape::MessageLines(_) => Source::Whole(input),
        };
        Self {
            source,
            importer: Importer::new(options, shape),
            told,
            ready: Vec::new(),
            given: 0,
        }
    }

    /// Makes the next bundles; false at the end.
    fn make(&mut self) -> io::Result<bool> {
        self.ready.clear();
        // One large session must not cost its memory for the rest of the run.
        self.ready.shrink_to(LARGE);
        self.given = 0;
        let Self {
            source,
            importer,
            told,
            ready,
            ..
        } = self;
        let mut table = |_| {};
        let mut take =
            |imported: Imported| book(imported, ready, &mut told.borrow_mut());
        let mut sink = Sink::new(&mut take, &mut table);
        match source {
            Source::Ended => return Ok(false),
            Source::Whole(reader) => {
                let mut bytes = Vec::new();
                reader.read_to_end(&mut bytes)?;
                importer.all(&bytes, &mut sink);
                *source = Source::Ended;
            }
            Source::Values(splitter) => match splitter.next()? {
                None => {
                    importer.end(&mut sink);
                    *source = Source::Ended;
                }
                Some(
                    Piece::Value { bytes, offset }
                    | Piece::Salvaged { bytes, offset, .. },
                ) => {
                    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
                    importer.value(Raw::checked(bytes), offset, &mut sink);
                }
                Some(Piece::Broken { error, .. }) => {
                    told.borrow_mut().push(Told::Refused(error));
                }
            },
        }
        Ok(true)
    }
}

/// Bytes of a bundle that are kept for the next one.
const LARGE: usize = 1024 * 1024;

/// Books one record: its bundle, and what is told of it.
fn book(imported: Imported, ready: &mut Vec<u8>, told: &mut Vec<Told>) {
    match imported.bundle {
        Ok(bundle) => {
            told.extend(imported.told.into_iter().map(Told::Diagnostic));
            told.push(Told::Report(Box::new(imported.report)));
            ready.extend_from_slice(&bundle);
            ready.push(b'\n');
        }
        // Why there is no record says enough of its lines.
        Err(error) => told.push(Told::Refused(error)),
    }
}

impl Read for Reader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.given == self.ready.len() {
            if !self.make()? {
                return Ok(0);
            }
        }
        let rest = &self.ready[self.given..];
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        self.given += count;
        Ok(count)
    }
}
