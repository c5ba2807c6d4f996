//! What went wrong, and where.
//!
//! An [`Error`] ends the work on one input or conversation; a [`Diagnostic`] is
//! anything told on standard error, errors among them. Both carry a
//! [`Position`]. The library only builds them; `cli::message` alone writes them.

use std::fmt;

/// Whose doing an error is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The bytes are not JSON, not a conversation, or could not be read.
    Input,
    /// An entry or body is JSON but breaks the contract of its format.
    Contract,
    /// The request itself makes no sense for this input.
    Usage,
    /// The result could not be written.
    Output,
}

/// How much a diagnostic matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing is wrong; it is good to know.
    Note,
    /// The result stands, but something in the input was passed over or mended.
    Warning,
    /// There is no result, or the answer is no.
    Error,
}

impl Severity {
    /// The lower-case word used in messages and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// A place in the input. Numbers count from 0; messages for people add one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Position {
    /// Name of the file or directory, absent for standard input.
    pub input: Option<String>,
    /// Index of the conversation in its input.
    pub conversation: Option<usize>,
    /// Turn of the conversation.
    pub turn: Option<usize>,
    /// Index of the entry in its conversation.
    pub event: Option<usize>,
    /// JSON Pointer from the conversation's (or body's) own value.
    pub path: Option<String>,
    /// Byte of the input as given.
    pub byte: Option<u64>,
    /// Unicode scalar values into the decoded string at `path`.
    pub offset: Option<usize>,
}

/// Why there is no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// Whose doing it is.
    pub kind: ErrorKind,
    /// Short stable name of the mistake, in kebab-case.
    pub code: &'static str,
    /// Where.
    pub position: Position,
    /// A lower-case fragment: what was found and what was expected.
    pub message: String,
    /// The way out, if there is a known one.
    pub hint: Option<String>,
}

impl Error {
    /// An error without a place or hint yet.
    pub fn new(
        kind: ErrorKind,
        code: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Self {
            kind,
            code,
            position: Position::default(),
            message: message.into(),
            hint: None,
        }
    }

    /// The same error with a way out.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same error at a JSON Pointer.
    #[must_use]
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.position.path = Some(path.into());
        self
    }

    /// The same error at a byte; callers higher up move it into their frame.
    #[must_use]
    pub fn byte(mut self, byte: usize) -> Self {
        self.position.byte = Some(byte as u64);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.position, self.message)
    }
}

impl std::error::Error for Error {}

impl fmt::Display for Position {
    /// The place as people read it, with a closing `: `; empty for no place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(input) = &self.input {
            write!(f, "{input}: ")?;
        }
        let mut parts = Vec::new();
        if let Some(conversation) = self.conversation {
            parts.push(format!("conversation {}", conversation + 1));
        }
        if let Some(turn) = self.turn {
            parts.push(format!("turn {}", turn + 1));
        }
        if let Some(event) = self.event {
            parts.push(format!("event {}", event + 1));
        }
        if let Some(path) = self.path.as_deref().filter(|path| !path.is_empty()) {
            parts.push(format!("at {path}"));
        }
        if let Some(offset) = self.offset {
            parts.push(format!("offset {offset}"));
        }
        if let Some(byte) = self.byte {
            parts.push(format!("byte {byte}"));
        }
        if parts.is_empty() {
            return Ok(());
        }
        write!(f, "{}: ", parts.join(", "))
    }
}

/// Anything told on standard error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How much it matters.
    pub severity: Severity,
    /// Short stable name, in kebab-case.
    pub code: &'static str,
    /// Where.
    pub position: Position,
    /// A lower-case fragment.
    pub message: String,
    /// The way out, if there is a known one.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// A warning without a place or hint yet.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            code,
            position: Position::default(),
            message: message.into(),
            hint: None,
        }
    }

    /// A note without a place or hint yet.
    pub fn note(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Note,
            ..Self::warning(code, message)
        }
    }

    /// The same diagnostic with a way out.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl From<Error> for Diagnostic {
    fn from(error: Error) -> Self {
        Self {
            severity: Severity::Error,
            code: error.code,
            position: error.position,
            message: error.message,
            hint: error.hint,
        }
    }
}
