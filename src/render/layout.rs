//! Units and the space between them: headers, blank lines (TU-1 to TU-4).

use super::pieces::{Channel, Pieces};
use super::settings::{Settings, Time};
use super::surface::Surface;
use super::theme::{Palette, Role};
use crate::event::Timestamp;
use crate::term::counted;
use crate::term::width::{cells, cut};
use std::fmt::Write as _;
use std::io::Write as _;

/// Which units stand in the output so far, as far as the next one must know.
#[derive(Debug, Clone, Copy, Default)]
pub struct Layout {
    /// Whether anything has been written at all.
    any: bool,
    /// Whether anything has been written to standard output.
    speech: bool,
    /// Whether the last unit was a tool header without a body.
    bare_header: bool,
}

impl Layout {
    /// Puts the blank line before a new unit: one on the combined output, and one
    /// on standard output alone, never a first one (TU-3).
    pub fn open(&mut self, pieces: &mut Pieces, channel: Channel) {
        if self.any {
            let channel = match channel {
                Channel::Speech if !self.speech => Channel::Chrome,
                channel => channel,
            };
            pieces.write(channel, |out| out.push(b'\n'));
        }
        self.note(channel);
    }

    /// Opens the header of a tool call, which touches a header before it.
    pub fn open_header(&mut self, pieces: &mut Pieces, bare: bool) {
        if self.bare_header {
            self.note(Channel::Chrome);
        } else {
            self.open(pieces, Channel::Chrome);
        }
        self.bare_header = bare;
    }

    fn note(&mut self, channel: Channel) {
        self.any = true;
        self.speech |= channel == Channel::Speech;
        self.bare_header = false;
    }
}

/// The parts of a role header.
#[derive(Debug, Clone, Default)]
pub struct Header {
    /// Who speaks.
    pub label: String,
    /// The model.
    pub suffix: Option<String>,
    /// `turn 3`, on the first header of a turn.
    pub turn: Option<String>,
    /// `2 hours ago`
    pub age: Option<String>,
}

/// Fewest fill characters of a header.
const FILL: usize = 3;

impl Header {
    fn detail(&self) -> Option<String> {
        let turn = self.turn.as_ref()?;
        Some(match &self.age {
            Some(age) => format!("{turn}, {age}"),
            None => turn.clone(),
        })
    }

    /// Columns of the line with the shortest fill.
    fn least(&self) -> usize {
        let suffix = self.suffix.as_ref().map_or(0, |suffix| cells(suffix) + 3);
        let detail = self.detail().map_or(0, |detail| cells(&detail) + 4);
        3 + cells(&self.label) + suffix + 1 + FILL + detail
    }

    /// Makes the line fit: the age goes first, then the turn, the model, and at
    /// last the end of the name (TU-1).
    fn fit(&mut self, columns: usize, ellipsis: &str) {
        if self.least() > columns {
            self.age = None;
        }
        if self.least() > columns {
            self.turn = None;
        }
        if self.least() > columns {
            self.suffix = None;
        }
        if self.least() > columns {
            let room = columns.saturating_sub(3 + 1 + FILL);
            self.label = cut(&self.label, room, ellipsis);
        }
    }

    /// Writes the header line.
    pub fn write(mut self, out: &mut Vec<u8>, surface: &Surface, document: bool) {
        let palette = Palette::new(surface);
        if document {
            let _ = writeln!(out, "## {}", escaped(&self.words()));
            return;
        }
        let columns = if surface.columns == 0 {
            80
        } else {
            surface.columns
        };
        if surface.columns > 0 || surface.ascii {
            self.fit(columns, surface.ellipsis());
        }
        let (rule, bold, dim) = (
            palette.of(Role::Rule),
            palette.of(Role::Bold),
            palette.of(Role::Dim),
        );
        let paint = |out: &mut Vec<u8>, style: anstyle::Style, text: &str| {
            if style.is_plain() {
                out.extend_from_slice(text.as_bytes());
            } else {
                let _ = write!(out, "{}{text}{}", style.render(), style.render_reset());
            }
        };
        let detail = self.detail();
        let fill = columns.saturating_sub(self.least()) + FILL;
        let (lead, fill) = if surface.ascii {
            ("---", "---".to_owned())
        } else {
            ("──", "─".repeat(fill))
        };
        paint(out, rule, lead);
        out.push(b' ');
        paint(out, bold, &self.label);
        out.push(b' ');
        if let Some(suffix) = &self.suffix {
            paint(out, dim, &format!("({suffix})"));
            out.push(b' ');
        }
        paint(out, rule, &fill);
        if let Some(detail) = detail {
            out.push(b' ');
            paint(out, dim, &detail);
            out.push(b' ');
            paint(out, rule, lead);
        }
        out.push(b'\n');
    }

    fn words(&self) -> String {
        let mut words = self.label.clone();
        if let Some(suffix) = &self.suffix {
            let _ = write!(words, " ({suffix})");
        }
        if let Some(detail) = self.detail() {
            let _ = write!(words, ", {detail}");
        }
        words
    }
}

/// Words that stay words in markdown.
fn escaped(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    for c in words.chars() {
        if c.is_ascii_punctuation()
            && !matches!(c, ',' | '.' | ':' | '/' | '-' | '(' | ')')
        {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A moment as the header shows it.
pub fn age(moment: Option<Timestamp>, settings: &Settings) -> Option<String> {
    let moment = moment?;
    match settings.time {
        Time::None => None,
        Time::Iso => Some(Timestamp { nanos: 0, ..moment }.to_rfc3339()),
        Time::Relative(now) => Some(relative(now.saturating_sub(moment.seconds))),
    }
}

fn relative(seconds: i64) -> String {
    const UNITS: [(i64, &str); 6] = [
        (365 * 86_400, "year"),
        (30 * 86_400, "month"),
        (7 * 86_400, "week"),
        (86_400, "day"),
        (3600, "hour"),
        (60, "minute"),
    ];
    for (length, unit) in UNITS {
        let count = seconds / length;
        if count >= 1 {
            return format!("{} ago", counted(count, unit));
        }
    }
    if seconds < 10 {
        "now".to_owned()
    } else {
        format!("{seconds} seconds ago")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(header: Header, columns: usize, ascii: bool) -> String {
        let surface = Surface {
            columns,
            ascii,
            ..Surface::default()
        };
        let mut out = Vec::new();
        header.write(&mut out, &surface, false);
        String::from_utf8(out).expect("UTF-8").trim_end().to_owned()
    }

    fn header(label: &str) -> Header {
        Header {
            label: label.into(),
            suffix: Some("vendor/model-x".into()),
            turn: Some("turn 1".into()),
            age: Some("2 hours ago".into()),
        }
    }

    #[test]
    fn tu_1_headers_are_exactly_as_wide_as_the_layout() {
        for label in [
            "alice",
            "设置页面",
            "👍🏽",
            &"x".repeat(100),
            &"页".repeat(60),
        ] {
            for columns in [20, 25, 30, 40, 60, 80, 200] {
                let line = line(header(label), columns, false);
                assert!(cells(&line) <= columns, "{line}");
                let slack = usize::from(!label.is_ascii());
                assert!(cells(&line) + slack >= columns, "{line}");
                assert!(line.contains("───"), "{line}");
            }
        }
    }

    #[test]
    fn tu_1_parts_go_in_order() {
        let at = |columns| line(header("jp"), columns, false);
        assert!(at(60).ends_with("─ turn 1, 2 hours ago ──"));
        assert!(at(45).ends_with("─ turn 1 ──"));
        assert!(at(30).contains("(vendor/model-x)") && !at(30).contains("turn"));
        assert!(at(20).starts_with("── jp ──"));
        assert!(line(header(&"y".repeat(50)), 20, false).contains("yy… ───"));
    }

    #[test]
    fn en_2_plain_headers_have_no_rule() {
        let plain = Header {
            label: "user".into(),
            ..Header::default()
        };
        assert_eq!(line(plain, 60, true), "--- user ---");
    }

    #[test]
    fn tu_4_relative_times() {
        assert_eq!(relative(-5), "now");
        assert_eq!(relative(0), "now");
        assert_eq!(relative(59), "59 seconds ago");
        assert_eq!(relative(60), "1 minute ago");
        assert_eq!(relative(7200), "2 hours ago");
        assert_eq!(relative(86_400 * 13), "1 week ago");
        assert_eq!(relative(86_400 * 800), "2 years ago");
    }
}
