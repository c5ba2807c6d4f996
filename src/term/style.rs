//! The few colours that messages and reports have; `render` has themes.

use crate::error::Severity;

/// A look of a word in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// What weighs most in a line.
    Strong,
    /// Good, or put in.
    Good,
    /// In between.
    Middling,
    /// Bad, or taken out.
    Bad,
    /// Good, and the answer of a whole report.
    GoodAnswer,
    /// In between, or the word of a warning.
    Warning,
    /// Bad, or the word of an error.
    Error,
    /// The word of a note.
    Note,
}

impl Style {
    fn sgr(self) -> &'static str {
        match self {
            Style::Strong => "1",
            Style::Good => "32",
            Style::Middling => "33",
            Style::Bad => "31",
            Style::GoodAnswer => "1;32",
            Style::Warning => "1;33",
            Style::Error => "1;31",
            Style::Note => "1;36",
        }
    }

    /// The text in this look, or as it is where there are no colours.
    pub fn paint(self, color: bool, text: &str) -> String {
        match color {
            true => format!("\x1b[{}m{text}\x1b[0m", self.sgr()),
            false => text.to_owned(),
        }
    }
}

/// The look of a severity's word.
pub fn severity(severity: Severity) -> Style {
    match severity {
        Severity::Error => Style::Error,
        Severity::Warning => Style::Warning,
        Severity::Note => Style::Note,
    }
}
