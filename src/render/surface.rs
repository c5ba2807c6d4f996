//! One output stream as `render` writes to it.
//!
//! Each stream gets its own [`Surface`], so that redirecting one never changes
//! the bytes of the other.

use super::theme::Theme;
use crate::term::{NARROWEST, Paint};

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
mod tests {
    use super::*;

    #[test]
    fn prose_is_capped() {
        let surface = Surface {
            columns: 200,
            ..Surface::default()
        };
        assert_eq!(surface.prose(), Some(100));
    }
}
