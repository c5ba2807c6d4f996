//! Whether a text looks whole, so that it can be shown before anything follows.
//!
//! A stored message is one entry, shown when it arrives. Only where its end has
//! something open (a fence, a code span, a strong run, a bracket) or asks for more
//! (a comma, a space) is it taken for a part: the entry that follows continues
//! it. The state follows the text character by character and forgets it, so it is
//! the same however the text arrives.

/// The end of a text, as far as wholeness goes.
#[derive(Debug, Clone, Default)]
pub(super) struct Growth {
    /// The open fence: its character and length.
    fence: Option<(char, usize)>,
    /// What the line began with: a run of fence characters behind indentation.
    start: Start,
    /// Whether the line so far is blank.
    blank: bool,
    /// The length of the open code span's backticks.
    code: usize,
    /// The run of equal marks that the text ends in.
    run: (char, usize),
    strong: bool,
    brackets: usize,
    last: Option<char>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Start {
    /// Nothing but spaces.
    #[default]
    Margin,
    /// A run of this length, and whether more stands behind it.
    Marks(char, usize, bool),
    Other,
}

impl Growth {
    /// Follows the text.
    pub(super) fn push(&mut self, text: &str) {
        for c in text.chars() {
            self.character(c);
        }
    }

    fn character(&mut self, c: char) {
        if c == '\r' {
            return;
        }
        if c == '\n' {
            self.end_run();
            self.end_line();
            self.last = Some(c);
            return;
        }
        self.start = match self.start {
            Start::Margin if c == ' ' || c == '\t' => Start::Margin,
            Start::Margin if c == '`' || c == '~' => Start::Marks(c, 1, false),
            Start::Marks(mark, length, false) if mark == c => {
                Start::Marks(mark, length + 1, false)
            }
            // A backtick in the info string: a code span after all.
            Start::Marks('`', ..) if c == '`' => Start::Other,
            Start::Marks(mark, length, more) => {
                Start::Marks(mark, length, more || !c.is_whitespace())
            }
            Start::Margin | Start::Other => Start::Other,
        };
        self.blank &= c.is_whitespace();
        let escaped = self.last == Some('\\') && self.code == 0;
        self.last = Some(if escaped && c == '\\' { ' ' } else { c });
        if self.fence.is_some() {
            return;
        }
        if c == self.run.0 && !escaped {
            self.run.1 += 1;
            return;
        }
        self.end_run();
        match c {
            _ if escaped => {}
            '`' | '*' => self.run = (c, 1),
            '[' if self.code == 0 => self.brackets += 1,
            ']' if self.code == 0 => self.brackets = self.brackets.saturating_sub(1),
            _ => {}
        }
    }

    fn end_run(&mut self) {
        let (mark, length) = std::mem::take(&mut self.run);
        match mark {
            '`' if self.code == 0 => self.code = length,
            '`' if self.code == length => self.code = 0,
            '*' if self.code == 0 && length >= 2 => self.strong = !self.strong,
            _ => {}
        }
    }

    fn end_line(&mut self) {
        match (self.start, self.fence) {
            (Start::Marks(mark, length, _), None) if length >= 3 => {
                self.fence = Some((mark, length));
                self.settle();
            }
            (Start::Marks(mark, length, false), Some((open, least)))
                if mark == open && length >= least =>
            {
                self.fence = None;
            }
            _ => {}
        }
        if self.blank {
            self.settle();
        }
        self.start = Start::Margin;
        self.blank = true;
    }

    /// A paragraph has ended: nothing of it is open any more.
    fn settle(&mut self) {
        self.code = 0;
        self.strong = false;
        self.brackets = 0;
    }

    /// Whether the text looks whole. `sentence` asks for an end that reads as one.
    pub(super) fn is_whole(&self, sentence: bool) -> bool {
        let mut end = self.clone();
        end.end_run();
        end.end_line();
        if end.fence.is_some() || end.code > 0 || end.strong || end.brackets > 0 {
            return false;
        }
        match self.last {
            None => false,
            Some('\n') => true,
            Some(c) if sentence => !c.is_alphanumeric() && !asks_for_more(c),
            Some(c) => !asks_for_more(c),
        }
    }
}

fn asks_for_more(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | '(' | '[' | '{' | '<' | '\\' | '&' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v1_what_looks_whole() {
        for (text, message, sentence) in [
            ("All of it.", true, true),
            ("- one\n- two", true, false),
            ("one\n", true, true),
            ("end **bo", false, false),
            ("a **b** c.", true, true),
            ("a `b", false, false),
            ("`b`", true, true),
            ("``a ` b", false, false),
            ("[x](y)", true, true),
            ("see [x", false, false),
            ("half a ", false, false),
            ("one, ", false, false),
            ("one,", false, false),
            ("```sh\nls\n", false, false),
            ("```sh\nls\n```", true, true),
            ("```sh\nls\n```\n", true, true),
            ("~~~\n```\n~~~", true, true),
            ("**open\n\nclosed by the blank line.", true, true),
            ("\\**two.", true, true),
            ("", false, false),
        ] {
            let mut growth = Growth::default();
            growth.push(text);
            assert_eq!(growth.is_whole(false), message, "{text:?}");
            assert_eq!(growth.is_whole(true), sentence, "{text:?}");
            let mut pieces = Growth::default();
            for c in text.chars() {
                pieces.push(c.encode_utf8(&mut [0; 4]));
            }
            assert_eq!(pieces.is_whole(false), message, "{text:?}");
        }
    }
}
