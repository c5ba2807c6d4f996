//! The one place that writes to standard error.
//!
//! Diagnostics come out as text (`convo project: conversation 12, event 40: ...`)
//! or, with `--message-format json`, as one JSON object a line. A progress bar, if
//! there is one, steps aside. A standard error that is gone is no reason to stop.

use super::MessageFormat;
use crate::error::{Diagnostic, Severity};
use crate::show;
use indicatif::ProgressBar;
use std::io::Write as _;

/// Writes diagnostics for one command.
#[derive(Debug)]
pub struct Messages {
    command: &'static str,
    format: MessageFormat,
    quiet: bool,
    color: bool,
    /// Whether more than needed is told.
    pub verbose: bool,
    /// The bar that messages must not run into.
    pub bar: Option<ProgressBar>,
}

impl Messages {
    /// Messages of `convo COMMAND`. With `quiet`, errors alone are told.
    pub fn new(
        command: &'static str,
        format: MessageFormat,
        quiet: bool,
        color: bool,
    ) -> Self {
        Self {
            command,
            format,
            quiet,
            color,
            verbose: false,
            bar: None,
        }
    }

    /// Whether only errors are told.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Whether messages have colours.
    pub fn color(&self) -> bool {
        self.color
    }

    /// Tells one diagnostic.
    pub fn tell(&self, diagnostic: &Diagnostic) {
        if self.quiet && diagnostic.severity != Severity::Error {
            return;
        }
        let line = match self.format {
            MessageFormat::Human => {
                show::human::diagnostic(self.command, diagnostic, self.color)
            }
            MessageFormat::Json => {
                let mut line = Vec::new();
                show::json::diagnostic(&mut line, diagnostic);
                String::from_utf8_lossy(&line).into_owned()
            }
        };
        self.write(&line);
    }

    /// Writes a line of text as it is.
    pub fn write(&self, line: &str) {
        let write = || {
            let _ = std::io::stderr().lock().write_all(line.as_bytes());
        };
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }
}
