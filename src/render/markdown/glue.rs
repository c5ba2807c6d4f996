//! Spaces at which a line must not break, so that it still reads as prose.
//!
//! A line that came to start with `-`, `#` or `1.` would be a list or a heading
//! when the output is parsed again (ST-4): such a word stays on the line of the
//! word before it.

use crate::render::text::Text;

/// Glues every word that would start a block to the word before it.
pub(super) fn starters(text: &mut Text) {
    let bytes = text.string.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        if byte != b' ' {
            continue;
        }
        let space = at - 1;
        while bytes.get(at) == Some(&b' ') {
            at += 1;
        }
        if bytes
            .get(at)
            .is_some_and(|&first| CANDIDATE[first as usize])
        {
            let end = bytes[at..]
                .iter()
                .position(|&b| b == b' ' || b == b'\n')
                .map_or(bytes.len(), |length| at + length);
            if starts(&bytes[at..end]) {
                text.glued.push(space);
            }
        }
    }
}

const CANDIDATE: [bool; 256] = {
    let mut table = [false; 256];
    let candidates = b"-+*#>=|`~<:[0123456789";
    let mut index = 0;
    while index < candidates.len() {
        table[candidates[index] as usize] = true;
        index += 1;
    }
    table
};

/// Where a backslash keeps the first word of a line from starting a block.
pub(super) fn escape(line: &str) -> Option<usize> {
    let end = line.find([' ', '\n']).unwrap_or(line.len());
    let word = &line.as_bytes()[..end];
    match word.first()? {
        b'-' | b'+' | b'*' | b'=' | b'#' | b'>' | b'~' | b'`' => {
            starts(word).then_some(0)
        }
        b'0'..=b'9' => starts(word).then_some(word.len() - 1),
        _ => None,
    }
}

/// Whether a line may start a block that no backslash undoes: HTML, a footnote.
pub(super) fn only_indented(line: &str) -> bool {
    let end = line.find([' ', '\n']).unwrap_or(line.len());
    line.starts_with(['<', '[']) && starts(&line.as_bytes()[..end])
}

/// Whether a line that starts with this word may be another block.
fn starts(word: &[u8]) -> bool {
    let all = |set: &[u8]| word.iter().all(|b| set.contains(b));
    match word[0] {
        b'-' | b'+' | b'*' | b'=' => {
            word.len() == 1 || all(b"-") || all(b"*") || all(b"=")
        }
        b'#' => word.len() <= 6 && all(b"#"),
        b'>' => true,
        b'`' => word.starts_with(b"```"),
        b'~' => word.starts_with(b"~~~"),
        b'|' | b':' => all(b"|:-"),
        b'<' => {
            matches!(
                word.get(1),
                Some(b'/' | b'!' | b'?' | b'a'..=b'z' | b'A'..=b'Z')
            )
        }
        b'[' => word.starts_with(b"[^") && memchr::memmem::find(word, b"]:").is_some(),
        _ => {
            let digits = word.iter().take_while(|b| b.is_ascii_digit()).count();
            digits <= 9
                && digits + 1 == word.len()
                && matches!(word[digits], b'.' | b')')
        }
    }
}
