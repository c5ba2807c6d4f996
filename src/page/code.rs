//! Code and long text: coloured by class, folded beyond a screen.

use crate::render::highlight;
use crate::term::words;
use maud::{Markup, html};

/// Lines beyond which a text is folded.
const LINES: usize = 24;

/// Bytes beyond which a text is folded.
const BYTES: usize = 4 << 10;

/// A code block; `language` is the word that names its language, if any.
pub(super) fn block(language: &str, body: &str) -> Markup {
    let painted = highlight::classes(language, body);
    html! {
        // It scrolls, so the keyboard has to get there.
        pre tabindex="0" {
            code {
                @match painted {
                    Some(pieces) => {
                        @for (piece, class) in pieces {
                            @if class.is_empty() { (piece) } @else { span class=(class) { (piece) } }
                        }
                    }
                    None => (body),
                }
            }
        }
    }
}

/// A text that is folded where it is more than a screen.
pub(super) fn folded(language: &str, body: &str, what: &str) -> Markup {
    let lines = body.lines().count();
    let block = block(language, body);
    if lines <= LINES && body.len() <= BYTES {
        return block;
    }
    html! {
        details {
            summary { (what) ", " (words::counted(lines, "line")) ", " (words::size(body.len() as u64)) }
            (block)
        }
    }
}
