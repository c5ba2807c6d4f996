//! From values to records: which importer reads what.

use super::options::{Format, Options};
use super::recognise::Shape;
use super::report::{Imported, Report};
use super::sequence::Sequence;
use super::{claude_code, codex, dataset, gemini_cli, value};
use crate::error::Error;
use crate::json::Raw;

/// Takes records as they are made.
pub struct Sink<'s> {
    take: &'s mut dyn FnMut(Imported),
    table: &'s mut dyn FnMut(String),
}

impl<'s> Sink<'s> {
    /// A sink that hands records to `take` and branch tables to `table`.
    pub fn new(
        take: &'s mut dyn FnMut(Imported),
        table: &'s mut dyn FnMut(String),
    ) -> Self {
        Self { take, table }
    }

    pub(super) fn record(&mut self, record: Imported) {
        (self.take)(record);
    }

    pub(super) fn table(&mut self, table: String) {
        (self.table)(table);
    }

    pub(super) fn refuse(&mut self, error: Error) {
        (self.take)(Imported {
            bundle: Err(error),
            told: Vec::new(),
            report: Report::default(),
        });
    }
}

/// Reads one input of a known shape.
#[derive(Debug)]
pub struct Importer {
    options: Options,
    shape: Shape,
    sequence: Sequence,
    family: Option<&'static str>,
}

impl Importer {
    /// An importer of inputs of `shape`.
    pub fn new(options: Options, shape: Shape) -> Self {
        Self {
            options,
            shape,
            sequence: Sequence::default(),
            family: None,
        }
    }

    /// Whether the input has to be there whole, because it is one record.
    pub fn wants_all(&self) -> bool {
        matches!(self.shape, Shape::Session(_) | Shape::MessageLines(_))
    }

    /// Reads a whole input.
    pub fn all(&mut self, bytes: &[u8], sink: &mut Sink<'_>) {
        match self.shape {
            Shape::Session(Format::ClaudeCode) => {
                claude_code::session(bytes, &self.options, sink);
            }
            Shape::Session(Format::Codex) => codex::session(bytes, &self.options, sink),
            Shape::Session(_) => gemini_cli::session(bytes, &self.options, sink),
            Shape::MessageLines(format) => {
                dataset::message_lines(bytes, format, &self.options, sink);
            }
            Shape::Values => {}
        }
    }

    /// Reads one value of an input of values; `offset` is its byte there.
    pub fn value(&mut self, raw: Raw<'_>, offset: usize, sink: &mut Sink<'_>) {
        let source = value::Source {
            raw,
            offset,
            options: &self.options,
        };
        value::read(&source, &mut self.sequence, &mut self.family, sink);
    }

    /// Ends an input of values.
    pub fn end(&mut self, sink: &mut Sink<'_>) {
        let last = std::mem::take(&mut self.sequence);
        last.finish(&self.options, sink);
    }
}
