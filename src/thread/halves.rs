//! Halves of surrogate pairs in a stream, which no body can hold.

use crate::error::Diagnostic;
use crate::event::Event;
use crate::json::raw::string_end;
use crate::json::{Raw, Text};

/// Tells of each event that holds half of a surrogate pair.
///
/// Bodies get U+FFFD in its place; a body without that character needs no look.
pub fn tell(events: &[Event<'_>], told: &mut Vec<Diagnostic>) {
    for (index, event) in events.iter().enumerate() {
        if holds_half(event.raw()) {
            let message = "half of a surrogate pair is sent as U+FFFD";
            let mut warning = Diagnostic::warning("character-replaced", message);
            warning.position.event = Some(index);
            told.push(warning);
        }
    }
}

fn holds_half(raw: Raw<'_>) -> bool {
    let bytes = raw.bytes();
    let mut from = 0;
    while let Some(at) = memchr::memchr(b'"', &bytes[from..]) {
        let start = from + at;
        from = string_end(bytes, start);
        let text = Raw::checked(&bytes[start..from]).as_text();
        if text.is_some_and(Text::has_lone_surrogate) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_found_and_whole_pairs_are_not() {
        for (text, half) in [
            (r#"{"a":"\ud83d"}"#, true),
            (r#"{"a":"\ud83d\ude00"}"#, false),
            (r#"{"a":"\\ud83d"}"#, false),
            (r#"{"a":["x",{"\ude00":1}]}"#, true),
            (r#"{"a":"x\"y"}"#, false),
        ] {
            let raw = Raw::parse(text.as_bytes()).expect("JSON");
            assert_eq!(holds_half(raw), half, "{text}");
        }
    }
}
