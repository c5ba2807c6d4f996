//! Workflow commands of GitHub Actions, which annotate files.
//!
//! A line of standard output that starts with `::` is a command to the runner
//! (<https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands>),
//! so every part of one is escaped, and [`printable`](super::printable) lines alone
//! stand beside them.

use super::escape::escaped;
use crate::error::Severity;

/// Where a command points to.
#[derive(Debug, Clone, Copy, Default)]
pub struct Place<'p> {
    /// The file, if it is one.
    pub file: Option<&'p str>,
    /// The line, from 1.
    pub line: Option<usize>,
    /// The column, from 1.
    pub column: Option<usize>,
}

/// The name of the command for a severity.
pub fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    }
}

/// Appends one command; the message may have several lines.
pub fn command(
    out: &mut Vec<u8>,
    level: &str,
    place: Place<'_>,
    title: &str,
    message: &str,
) {
    let mut text = format!("::{level} ");
    if let Some(file) = place.file {
        text.push_str(&format!("file={},", property(file)));
    }
    if let Some(line) = place.line {
        text.push_str(&format!("line={line},"));
    }
    if let Some(column) = place.column {
        text.push_str(&format!("col={column},"));
    }
    text.push_str(&format!("title={}::{}\n", property(title), data(message)));
    out.extend_from_slice(text.as_bytes());
}

fn data(text: &str) -> String {
    escaped(text, |c| c == '\n')
        .replace('%', "%25")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    escaped(text, |_| false)
        .replace('%', "%25")
        .replace(':', "%3A")
        .replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_out_of_a_command() {
        let mut out = Vec::new();
        let place = Place {
            file: Some("a,b:\nc"),
            line: Some(3),
            column: None,
        };
        command(&mut out, "error", place, "t::u", "x\r\n::y\u{1b}[31m%");
        assert_eq!(
            String::from_utf8_lossy(&out),
            "::error file=a%2Cb%3A\\nc,line=3,title=t%3A%3Au::x\\r%0A::y\\u{1b}[31m%25\n"
        );
    }
}
