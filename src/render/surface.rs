//! What one output stream can show, decided from options and environment.
//!
//! Pure functions over an [`Environment`] the caller filled in: colour and its
//! depth (`spec/render.md` 7.1), hyperlinks (7.2), width (7.3), plain characters
//! (EN-2, EN-4). Each stream gets its own [`Surface`], so that redirecting one
//! never changes the bytes of the other (CH-2).

use super::theme::Theme;

/// `--color`, `--hyperlinks`, `--paging`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum When {
    /// As the environment and the stream have it.
    #[default]
    Auto,
    /// In any case.
    Always,
    /// Never.
    Never,
}

/// How many colours a stream shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// The sixteen of the terminal's own palette.
    Ansi,
    /// The 256 of xterm.
    Indexed,
    /// 24 bits.
    True,
}

/// Which escapes for looks a stream gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// None at all.
    None,
    /// Bold, italic, underline, but no colour (`NO_COLOR` on a terminal).
    Weights,
    /// Colours too.
    Colours(Depth),
}

/// The variables and facts the decisions depend on.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// Names and values of the variables that are set.
    pub variables: Vec<(String, String)>,
    /// Whether an unset `TERM` means a dumb terminal (Unix).
    pub unix: bool,
    /// What `supports-hyperlinks` says of the terminal.
    pub knows_hyperlinks: bool,
}

impl Environment {
    /// The value of a variable, if it is set.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables
            .iter()
            .rev()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    fn filled(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|value| !value.is_empty())
    }

    fn dumb(&self) -> bool {
        match self.filled("TERM") {
            Some(term) => term == "dumb",
            None => self.unix,
        }
    }

    /// Whether the locale can show more than ASCII (EN-4).
    fn utf8(&self) -> bool {
        ["LC_ALL", "LC_CTYPE", "LANG"]
            .into_iter()
            .find_map(|name| self.filled(name))
            .is_none_or(|locale| {
                let locale = locale.to_ascii_lowercase();
                locale.contains("utf-8") || locale.contains("utf8") || !self.unix
            })
    }

    /// Whether output is to hold no decoration (`--ascii`, EN-2, EN-4).
    pub fn ascii(&self, asked: bool) -> bool {
        asked
            || self.filled("ACCESSIBLE").is_some_and(|value| value != "0")
            || !self.utf8()
    }

    /// Colour for a stream, in the order of 7.1.
    pub fn paint(&self, when: When, terminal: bool) -> Paint {
        let forced = ["FORCE_COLOR", "CLICOLOR_FORCE"].into_iter().any(|name| {
            self.filled(name)
                .is_some_and(|value| value != "0" && value != "false")
        });
        let colours = Paint::Colours(self.depth());
        match when {
            When::Always => colours,
            When::Never => Paint::None,
            When::Auto if self.filled("NO_COLOR").is_some() => {
                if terminal && !self.dumb() {
                    Paint::Weights
                } else {
                    Paint::None
                }
            }
            When::Auto if forced => colours,
            When::Auto if self.get("CLICOLOR") == Some("0") || self.dumb() => {
                Paint::None
            }
            When::Auto if terminal => colours,
            When::Auto => Paint::None,
        }
    }

    fn depth(&self) -> Depth {
        if matches!(self.get("COLORTERM"), Some("truecolor" | "24bit")) {
            return Depth::True;
        }
        match self.get("FORCE_COLOR") {
            Some("1") => Depth::Ansi,
            Some("2") => Depth::Indexed,
            Some("3") => Depth::True,
            _ if self
                .get("TERM")
                .is_some_and(|term| term.contains("256color")) =>
            {
                Depth::Indexed
            }
            _ => Depth::Ansi,
        }
    }

    /// Hyperlinks for a stream, as in 7.2.
    pub fn hyperlinks(&self, when: When, terminal: bool) -> bool {
        match when {
            When::Always => true,
            When::Never => false,
            When::Auto => match self.filled("FORCE_HYPERLINK") {
                Some(value) => value != "0",
                None => {
                    let term = self.get("TERM").unwrap_or_default();
                    terminal
                        && !self.dumb()
                        && self.filled("TMUX").is_none()
                        && self.filled("STY").is_none()
                        && !term.starts_with("screen")
                        && !term.starts_with("tmux")
                        && self.knows_hyperlinks
                }
            },
        }
    }

    /// Columns of a stream, as in 7.3; 0 does not wrap.
    pub fn columns(&self, asked: Option<usize>, terminal: Option<usize>) -> usize {
        let named = || {
            let columns = self.get("COLUMNS")?.trim().parse().ok()?;
            (1..=10_000).contains(&columns).then_some(columns)
        };
        match asked.or_else(named).or(terminal).unwrap_or(80) {
            0 => 0,
            columns => columns.max(NARROWEST),
        }
    }
}

/// Narrower widths are raised to this.
pub const NARROWEST: usize = 20;

/// Columns prose takes unless `--max-width` says otherwise.
pub const MAX_WIDTH: usize = 100;

/// What one stream can show.
#[derive(Debug, Clone)]
pub struct Surface {
    /// Columns; 0 does not wrap.
    pub columns: usize,
    /// Columns prose takes at most; 0 is no cap.
    pub max_columns: usize,
    /// Whether the stream is a terminal.
    pub terminal: bool,
    /// Escapes for looks.
    pub paint: Paint,
    /// Whether links are clickable.
    pub hyperlinks: bool,
    /// Whether chrome is ASCII only.
    pub ascii: bool,
    /// Whether markdown delimiters are hidden.
    pub hide_markup: bool,
    /// Colours of the roles.
    pub theme: Theme,
}

impl Default for Surface {
    /// A pipe: 80 columns, no escapes.
    fn default() -> Self {
        Self {
            columns: 80,
            max_columns: MAX_WIDTH,
            terminal: false,
            paint: Paint::None,
            hyperlinks: false,
            ascii: false,
            hide_markup: false,
            theme: Theme::Ansi,
        }
    }
}

impl Surface {
    /// Columns of prose; `None` does not wrap.
    pub fn prose(&self) -> Option<usize> {
        match (self.columns, self.max_columns) {
            (0, _) => None,
            (columns, 0) => Some(columns),
            (columns, max) => Some(columns.min(max.max(NARROWEST))),
        }
    }

    /// The mark of something cut.
    pub fn ellipsis(&self) -> &'static str {
        if self.ascii { "..." } else { "…" }
    }
}

#[cfg(test)]
mod tests;
