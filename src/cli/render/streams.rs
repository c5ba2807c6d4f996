//! The two streams of `render`, or the pager both are merged into.
//!
//! Pieces are written in order; a stream is flushed before the other is written
//! (CH-3). A reader that has gone away is told apart from a failure (CH-8).

use crate::cli::standard;
use crate::error::{Error, ErrorKind};
use crate::render::{Channel, Pieces};
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::process::{Child, Command, Stdio};

/// Where pieces go.
pub(super) struct Streams {
    speech: BufWriter<Box<dyn Write + Send>>,
    chrome: Option<BufWriter<Box<dyn Write + Send>>>,
    pager: Option<Child>,
    /// Whether the next chrome is the first of a stream that is read by itself.
    first: bool,
}

impl Streams {
    /// Standard output and standard error, or a pager. Chrome beside a document that
    /// goes into a file is nothing to fill a terminal with.
    pub(super) fn open(paged: bool, document: bool) -> Result<Self, Error> {
        if !paged {
            let flood =
                document && io::stderr().is_terminal() && !io::stdout().is_terminal();
            let chrome: Box<dyn Write + Send> = match flood {
                true => Box::new(io::sink()),
                false => Box::new(standard::stderr()),
            };
            return Ok(Self {
                speech: BufWriter::with_capacity(
                    64 << 10,
                    Box::new(standard::stdout()),
                ),
                chrome: Some(BufWriter::with_capacity(64 << 10, chrome)),
                pager: None,
                first: apart(),
            });
        }
        let mut pager = pager()?;
        let input = pager.stdin.take();
        let input: Box<dyn Write + Send> = match input {
            Some(input) => Box::new(input),
            None => Box::new(io::sink()),
        };
        Ok(Self {
            speech: BufWriter::with_capacity(64 << 10, input),
            chrome: None,
            pager: Some(pager),
            first: false,
        })
    }

    /// Writes pieces; keeps back what may wait.
    pub(super) fn write(&mut self, pieces: &Pieces) -> Result<(), Error> {
        self.try_write(pieces).map_err(|error| failed(&error))
    }

    fn try_write(&mut self, pieces: &Pieces) -> io::Result<()> {
        for (channel, bytes) in pieces.iter() {
            match (channel, &mut self.chrome) {
                (Channel::Chrome, Some(chrome)) => {
                    self.speech.flush()?;
                    // The blank line that parts it from speech parts it from nothing
                    // in a file of its own.
                    let first = std::mem::take(&mut self.first);
                    let bytes = match bytes {
                        [b'\n', rest @ ..] if first => rest,
                        bytes => bytes,
                    };
                    unless_gone(chrome.write_all(bytes))?;
                }
                (Channel::Speech, Some(chrome)) => {
                    unless_gone(chrome.flush())?;
                    self.speech.write_all(bytes)?;
                }
                (_, None) => self.speech.write_all(bytes)?,
            }
        }
        Ok(())
    }

    /// Writes out everything.
    pub(super) fn flush(&mut self) -> Result<(), Error> {
        if let Some(chrome) = &mut self.chrome {
            unless_gone(chrome.flush()).map_err(|error| failed(&error))?;
        }
        self.speech.flush().map_err(|error| failed(&error))
    }

    /// Ends the output and waits for the pager to be left.
    pub(super) fn close(mut self) {
        let _ = self.flush();
        let Streams { speech, pager, .. } = self;
        drop(speech);
        if let Some(mut pager) = pager {
            let _ = pager.wait();
        }
    }
}

/// Chrome whose reader has left is no reason to stop speaking; chrome that is lost is.
fn unless_gone(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

/// Whether standard error is another file than standard output.
fn apart() -> bool {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd as _;
        use std::os::unix::fs::MetadataExt as _;
        let file = |there: io::Result<std::os::fd::OwnedFd>| {
            let data = std::fs::File::from(there.ok()?).metadata().ok()?;
            Some((data.dev(), data.ino()))
        };
        let out = file(io::stdout().as_fd().try_clone_to_owned());
        let err = file(io::stderr().as_fd().try_clone_to_owned());
        out.is_some() && err.is_some() && out != err
    }
    #[cfg(not(unix))]
    false
}

fn failed(error: &io::Error) -> Error {
    let code = match error.kind() {
        io::ErrorKind::BrokenPipe => "broken-pipe",
        _ => "output",
    };
    Error::new(ErrorKind::Output, code, error.to_string())
}

/// Starts `$CONVO_PAGER`, `$PAGER` or `less`.
fn pager() -> Result<Child, Error> {
    let filled = |name| std::env::var(name).ok().filter(|v| !v.trim().is_empty());
    let line = filled("CONVO_PAGER")
        .or_else(|| filled("PAGER"))
        .unwrap_or_else(|| "less".to_owned());
    let mut words = line.split_whitespace();
    let program = words.next().unwrap_or("less");
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::piped());
    let less = std::path::Path::new(program)
        .file_stem()
        .is_some_and(|name| name == "less");
    if less {
        // Colours need -R whatever else `LESS` asks for.
        command.arg("-R");
        if std::env::var_os("LESS").is_none() {
            command.args(["-F", "-X"]);
        }
    }
    command.spawn().map_err(|error| {
        let message = format!("the pager `{line}` cannot be started: {error}");
        Error::new(ErrorKind::Usage, "pager", message)
            .hint("--paging never does without one")
    })
}
