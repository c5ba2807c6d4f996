//! Characters that hide or reorder text (SE-7, SE-8).
//!
//! One class per character, and the three places where an invisible character
//! does honest work: joiners between emoji or between letters of scripts that
//! use them, variation selectors behind a character they apply to, and tags
//! inside a flag.

use unicode_width::UnicodeWidthChar;

/// What kind of look a character needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::term) enum Class {
    /// None.
    Plain,
    /// It stacks on the character before it.
    Mark,
    /// It reorders what follows.
    Bidi,
    /// It is invisible.
    Invisible,
    /// Zero-width joiner or non-joiner.
    Joiner,
    /// Variation selector.
    Selector,
    /// Tag character.
    Tag,
}

pub(in crate::term) fn class(c: char) -> Class {
    match c {
        '\u{ad}'
        | '\u{34f}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180e}'
        | '\u{200b}'
        | '\u{2060}'..='\u{2064}'
        | '\u{206a}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' => Class::Invisible,
        '\0'..='\u{2ff}' => Class::Plain,
        '\u{61c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' => Class::Bidi,
        '\u{200c}' | '\u{200d}' => Class::Joiner,
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => Class::Selector,
        '\u{e0000}'..='\u{e007f}' => Class::Tag,
        '\u{2010}'..='\u{2bff}' | '\u{4e00}'..='\u{9fff}' => Class::Plain,
        _ if c.width() == Some(0) => Class::Mark,
        _ => Class::Plain,
    }
}

/// Whether a joiner between these two is at work.
pub(in crate::term) fn joins(before: Option<char>, after: Option<char>) -> bool {
    let (Some(before), Some(after)) = (before, after) else {
        return false;
    };
    let modified = matches!(before, '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}');
    (modified || emoji(before)) && emoji(after) || joined(before) && joined(after)
}

/// Whether a variation selector behind `before` is at work.
pub(in crate::term) fn selects(before: Option<char>, selector: char) -> bool {
    let Some(before) = before else { return false };
    match selector {
        '\u{fe0e}' => emoji(before),
        '\u{fe0f}' => emoji(before) || matches!(before, '0'..='9' | '#' | '*'),
        '\u{e0100}'..='\u{e01ef}' => han(before),
        _ => false,
    }
}

/// Whether the tag character at `at` belongs to a whole flag sequence.
pub(in crate::term) fn in_flag(text: &str, at: usize) -> bool {
    let flag = text[..at]
        .chars()
        .rev()
        .take(8)
        .find(|&c| class(c) != Class::Tag);
    if flag != Some('\u{1f3f4}') {
        return false;
    }
    let tags =
        |c: &char| matches!(c, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}');
    let mut rest = text[at..].chars().take(8).skip_while(tags);
    rest.next() == Some('\u{e007f}')
}

/// Whether a character can stand as a picture. Wider than the property: what it
/// lets through is one selector or joiner beside a symbol.
pub(in crate::term) fn emoji(c: char) -> bool {
    matches!(c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{24c2}'
        | '\u{25a0}'..='\u{27bf}' | '\u{2900}'..='\u{297f}'
        | '\u{2b00}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}'
        | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

fn han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

/// Letters of scripts whose spelling uses joiners.
fn joined(c: char) -> bool {
    matches!(c,
        '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{109f}' | '\u{1700}'..='\u{18af}'
        | '\u{1900}'..='\u{1cff}' | '\u{a840}'..='\u{abff}'
        | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}'
        | '\u{10a00}'..='\u{10fff}' | '\u{11000}'..='\u{11fff}'
        | '\u{1e900}'..='\u{1e95f}')
}
