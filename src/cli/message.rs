//! The one place that writes to standard error.
//!
//! Diagnostics come out as text (`convo project: conversation 12, event 40: ...`)
//! or, with `--message-format json`, as one JSON object a line. A progress bar, if
//! there is one, steps aside. A standard error that is gone is no reason to stop.

use super::MessageFormat;
use crate::error::{Diagnostic, Severity};
use crate::json::write;
use indicatif::ProgressBar;
use std::borrow::Cow;
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

    /// Tells one diagnostic.
    pub fn tell(&self, diagnostic: &Diagnostic) {
        if self.quiet && diagnostic.severity != Severity::Error {
            return;
        }
        let line = match self.format {
            MessageFormat::Human => self.human(diagnostic),
            MessageFormat::Json => json(diagnostic),
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

    fn human(&self, diagnostic: &Diagnostic) -> String {
        let (word, style) = match diagnostic.severity {
            Severity::Error => ("", "\x1b[1;31m"),
            Severity::Warning => (" warning:", "\x1b[1;33m"),
            Severity::Note => (" note:", "\x1b[1;36m"),
        };
        let (on, off) = if self.color {
            (style, "\x1b[0m")
        } else {
            ("", "")
        };
        let command = self.command;
        let mut line = format!(
            "{on}convo {command}:{word}{off} {}{}\n",
            printable(&diagnostic.position.to_string()),
            printable(&diagnostic.message)
        );
        if let Some(hint) = &diagnostic.hint {
            line.push_str(&format!("  hint: {}\n", printable(hint)));
        }
        line
    }
}

/// Control characters of quoted input do not reach the terminal.
pub(super) fn printable(text: &str) -> Cow<'_, str> {
    let escape = |c: char| {
        c.is_control()
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            || matches!(
                c,
                '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}'
            )
    };
    if !text.contains(escape) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match escape(c) {
            true => shown.extend(c.escape_default()),
            false => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

fn json(diagnostic: &Diagnostic) -> String {
    let mut out = b"{".to_vec();
    let position = &diagnostic.position;
    let text = |out: &mut Vec<u8>, key: &str, value: Option<&str>| {
        write::key(out, key);
        match value {
            Some(value) => write::string(out, value),
            None => out.extend_from_slice(b"null"),
        }
    };
    let number = |out: &mut Vec<u8>, key: &str, value: Option<u64>| {
        write::key(out, key);
        match value {
            Some(value) => write::integer(out, value),
            None => out.extend_from_slice(b"null"),
        }
    };
    text(&mut out, "severity", Some(diagnostic.severity.name()));
    text(&mut out, "code", Some(diagnostic.code));
    text(&mut out, "input", position.input.as_deref());
    number(
        &mut out,
        "conversation",
        position.conversation.map(|n| n as u64),
    );
    number(&mut out, "event", position.event.map(|n| n as u64));
    text(&mut out, "path", position.path.as_deref());
    number(&mut out, "offset", position.offset.map(|n| n as u64));
    number(&mut out, "byte", position.byte);
    text(&mut out, "message", Some(&diagnostic.message));
    text(&mut out, "hint", diagnostic.hint.as_deref());
    out.extend_from_slice(b"}\n");
    String::from_utf8_lossy(&out).into_owned()
}
