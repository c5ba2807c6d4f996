//! Warnings about configuration values, each with its path.
//!
//! `convo` is lenient per field (`docs/formats.md#decisions` D-10): a value nobody can make
//! sense of counts as absent, and the path that leads to it is told. Paths are
//! built only when there is something to tell.

use crate::error::{Diagnostic, Position};
use crate::json::{Raw, Text};
use std::fmt::{self, Write};

/// Warnings gathered while configuration is read.
#[derive(Debug, Default)]
pub struct Warnings {
    /// What there is to tell, in the order found.
    pub list: Vec<Diagnostic>,
    /// The entry being read; `None` for the base configuration.
    pub event: Option<usize>,
}

impl Warnings {
    /// Tells that the value at `path` counts as absent.
    pub(crate) fn absent(&mut self, path: &Path<'_>, found: Raw<'_>, expected: &str) {
        let found = short(found);
        self.push(
            "config-value",
            format!("`{path}` is {found}, expected {expected}; taken as absent"),
        );
    }

    /// Tells anything else about the configuration being read.
    pub(crate) fn push(&mut self, code: &'static str, message: String) {
        self.list.push(Diagnostic {
            position: Position {
                event: self.event,
                ..Position::default()
            },
            ..Diagnostic::warning(code, message)
        });
    }
}

/// A value in words: short scalars as written, the rest by kind.
fn short(value: Raw<'_>) -> String {
    match std::str::from_utf8(value.bytes()) {
        Ok(text) if text.len() <= 32 && !text.starts_with(['{', '[']) => {
            format!("`{text}`")
        }
        _ => value.kind().name().to_string(),
    }
}

/// A dotted path, kept as a chain on the stack.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Path<'p> {
    /// A path spelled out.
    Root(&'p str),
    /// A member of what the parent leads to.
    Key(&'p Path<'p>, Text<'p>),
    /// A member with a known name.
    Name(&'p Path<'p>, &'p str),
    /// An element of what the parent leads to.
    Index(&'p Path<'p>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut steps = Vec::new();
        let mut at = *self;
        let root = loop {
            at = match at {
                Path::Root(root) => break root,
                Path::Key(up, _) | Path::Name(up, _) | Path::Index(up, _) => {
                    steps.push(at);
                    *up
                }
            };
        };
        f.write_str(root)?;
        for step in steps.iter().rev() {
            match step {
                Path::Key(_, key) => write!(f, ".{}", key.decode())?,
                Path::Name(_, name) => write!(f, ".{name}")?,
                Path::Index(_, index) => write!(f, "[{index}]")?,
                Path::Root(_) => f.write_char('.')?,
            }
        }
        Ok(())
    }
}
