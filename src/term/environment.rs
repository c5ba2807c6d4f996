//! What a stream of the process can show, from options and variables.
//!
//! Pure functions over an [`Environment`] the caller filled in: colour and its
//! depth, hyperlinks, width, plain characters. Every command takes its colours
//! from here, for standard output and standard error apart: `--color`, then
//! `NO_COLOR`, then `FORCE_COLOR` and `CLICOLOR_FORCE`, then `CLICOLOR`, then
//! `TERM`, then whether the stream is a terminal.
//!
//! `NO_COLOR` stands before the forcing variables because it is the wish of the
//! person (<https://no-color.org>), the others mostly that of a script
//! (<https://bixense.com/clicolors/>).

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

    /// Whether the locale can show more than ASCII.
    fn utf8(&self) -> bool {
        ["LC_ALL", "LC_CTYPE", "LANG"]
            .into_iter()
            .find_map(|name| self.filled(name))
            .is_none_or(|locale| {
                let locale = locale.to_ascii_lowercase();
                locale.contains("utf-8") || locale.contains("utf8") || !self.unix
            })
    }

    /// Whether output is to hold no decoration (`--ascii`).
    ///
    /// The locale speaks for the terminal alone: what goes into a file is the same
    /// bytes wherever it is made.
    pub fn ascii(&self, asked: bool, terminal: bool) -> bool {
        asked
            || self.filled("ACCESSIBLE").is_some_and(|value| value != "0")
            || terminal && !self.utf8()
    }

    /// Colour for a stream, in the order the module gives.
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

    /// Hyperlinks for a stream: not inside tmux or screen, which swallow them.
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

    /// Columns of a stream: asked for, `COLUMNS`, its terminal's; 0 does not wrap.
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

#[cfg(test)]
#[path = "environment_tests.rs"]
mod tests;
