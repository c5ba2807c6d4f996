//! Where results go: one buffer before standard output.
//!
//! A record is written whole or not at all: it grows in the buffer, and is cut
//! off again if its conversation turns out bad. [`Output::commit`] lets finished
//! bytes go. A conversation of many results, each good for itself, may
//! [`release`](Output::release) them as they are made. In a worker there is no
//! standard output; the bytes stay.

use super::standard;
use crate::error::{Error, ErrorKind};
use std::io::{self, IsTerminal as _, Write};

/// Bytes that are kept back before a write.
const BUFFER: usize = 64 * 1024;

/// The buffer of results.
pub struct Output {
    /// Bytes not written yet. A filter only appends to it.
    pub bytes: Vec<u8>,
    to: Option<Box<dyn Write>>,
    eager: bool,
    gone: bool,
    /// Where the bytes begin that may still be taken back, once the conversation at
    /// work has released some.
    released: Option<usize>,
}

impl Output {
    /// Results for standard output.
    pub fn stdout() -> Self {
        Self {
            bytes: Vec::with_capacity(BUFFER),
            eager: io::stdout().is_terminal(),
            gone: false,
            released: None,
            to: Some(Box::new(standard::stdout())),
        }
    }

    /// Results that somebody else will write.
    pub fn held() -> Self {
        Self {
            bytes: Vec::new(),
            eager: false,
            gone: false,
            released: None,
            to: None,
        }
    }

    /// Whether [`Output::commit`] gets rid of bytes.
    pub fn drains(&self) -> bool {
        self.to.is_some()
    }

    /// Says that the bytes so far are final; writes them when they are many.
    ///
    /// # Errors
    ///
    /// Those of standard output.
    pub fn commit(&mut self) -> io::Result<()> {
        if self.bytes.len() >= BUFFER || self.eager {
            self.flush()?;
        }
        Ok(())
    }

    /// Says that the bytes so far stay, whatever becomes of the conversation at work;
    /// writes them when they are many.
    ///
    /// # Errors
    ///
    /// Those of standard output, as a filter passes them on.
    pub fn release(&mut self) -> Result<(), Error> {
        let done = self.commit();
        self.released = Some(self.bytes.len());
        done.map_err(|error| unwritable(&error))
    }

    /// Takes back what a refused conversation wrote from `mark` on, but for what it
    /// has released; whether it has released anything.
    pub fn take_back(&mut self, mark: usize) -> bool {
        let released = self.released.take();
        self.bytes.truncate(released.unwrap_or(mark));
        released.is_some()
    }

    /// Ends a good conversation.
    pub fn keep(&mut self) {
        self.released = None;
    }

    /// Writes all bytes so far.
    ///
    /// # Errors
    ///
    /// Those of standard output.
    pub fn flush(&mut self) -> io::Result<()> {
        let Some(to) = &mut self.to else {
            return Ok(());
        };
        let written = to.write_all(&self.bytes).and_then(|()| to.flush());
        if let Err(error) = written {
            self.gone = error.kind() == io::ErrorKind::BrokenPipe;
            return Err(error);
        }
        self.bytes.clear();
        // One huge record must not cost its memory for the rest of the run.
        self.bytes.shrink_to(8 * BUFFER);
        Ok(())
    }

    /// The failure that a filter passed on as `error`.
    pub fn failure(&self, error: &Error) -> io::Error {
        match self.gone || error.code == "broken-pipe" {
            true => io::ErrorKind::BrokenPipe.into(),
            false => io::Error::other(error.message.clone()),
        }
    }
}

/// Turns a failure of standard output into an error that a filter can return.
pub fn unwritable(error: &io::Error) -> Error {
    Error::new(ErrorKind::Output, "output", error.to_string())
}
