//! Any text as a message, cut anywhere: the bytes of the one-shot rendering, and
//! nothing in them that a terminal could act on.
//!
//! The first byte picks the cut, the second width and markup.
#![no_main]

use convo::render::lines::Lines;
use convo::render::markdown::Message;
use convo::render::surface::Surface;
use convo::term::clean::Rules;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [cut, look, text @ ..] = data else { return };
    let surface = Surface {
        columns: usize::from(look >> 1),
        hide_markup: look & 1 == 1,
        ..Surface::default()
    };
    let message = || Message::new(Lines::new(&surface), Rules::default(), 1, false);
    let (mut one, mut whole) = (message(), Vec::new());
    one.push(text);
    one.finish(&mut whole);
    let (mut two, mut split) = (message(), Vec::new());
    let at = text.len() * usize::from(*cut) / 255;
    two.push(&text[..at]);
    two.commit(&mut split);
    two.push(&text[at..]);
    two.commit(&mut split);
    two.finish(&mut split);
    assert_eq!(
        String::from_utf8_lossy(&whole),
        String::from_utf8_lossy(&split)
    );
    let output = std::str::from_utf8(&whole).expect("output is UTF-8");
    assert!(
        output
            .chars()
            .all(|c| matches!(c, '\n' | '\t') || !c.is_control())
    );
});
