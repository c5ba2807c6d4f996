//! Display columns (MD-W5).
//!
//! Whole strings are measured, never single characters added up: a skin-toned
//! thumbs-up is two columns, though its parts have four. Ambiguous characters
//! count one.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Columns of a text without control characters. A tab counts one.
pub fn cells(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.width()
    }
}

/// The text cut at a grapheme boundary so that, with `mark` behind it, it takes
/// at most `columns`.
pub fn cut(text: &str, columns: usize, mark: &str) -> String {
    if cells(text) <= columns {
        return text.to_owned();
    }
    if cells(mark) > columns {
        return text[..fitting(text, columns)].to_owned();
    }
    let end = fitting(text, columns - cells(mark));
    format!("{}{mark}", text[..end].trim_end())
}

/// The byte length of the longest start of `text`, at a grapheme boundary, that
/// takes at most `columns`.
pub fn fitting(text: &str, columns: usize) -> usize {
    let ascii = text
        .bytes()
        .take(columns + 1)
        .take_while(u8::is_ascii)
        .count();
    // The last ASCII character may carry a mark.
    if ascii > columns || ascii == text.len() {
        return ascii.min(columns);
    }
    let mut used = 0;
    let mut end = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        let width = cells(grapheme);
        if used + width > columns {
            break;
        }
        used += width;
        end = at + grapheme.len();
    }
    end
}

/// The length in bytes of the first grapheme of `text`.
pub fn first_grapheme(text: &str) -> usize {
    text.graphemes(true).next().map_or(0, str::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn md_w5_whole_strings_are_measured() {
        assert_eq!(cells("👍🏽"), 2);
        assert_eq!(cells("👨‍👩‍👧"), 2);
        assert_eq!(cells("⚠️"), 2);
        assert_eq!(cells("设置"), 4);
        assert_eq!(cells("e\u{301}"), 1);
        assert_eq!(cells("α—“"), 3);
    }

    #[test]
    fn cuts_fall_between_graphemes() {
        assert_eq!(cut("abcdef", 4, "…"), "abc…");
        assert_eq!(cut("设置页面", 5, "…"), "设置…");
        assert_eq!(cut("👍🏽👍🏽👍🏽", 4, "…"), "👍🏽…");
        assert_eq!(cut("abc", 3, "…"), "abc");
        assert_eq!(cut("abc", 1, "..."), "a");
        assert_eq!(fitting("abe\u{301}x", 3), 5);
        assert_eq!(fitting("abce\u{301}x", 3), 3);
    }
}
