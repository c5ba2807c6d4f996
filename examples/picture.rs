//! Draws what a command prints as the pictures of the documents.
//!
//! `cargo run --example picture > docs/render.svg` draws the rendered conversation of
//! `fixtures/streams/picture.json`; `convo ... --color always | cargo run --example picture
//! -- 'convo ...'` what any command printed. Tests say when a picture is stale.

use convo::config::{Config, Mode, Warnings};
use convo::event::{Event, EventKind};
use convo::json::Raw;
use convo::render::surface::Surface;
use convo::render::theme::Theme;
use convo::render::{Pieces, Replay, Settings, Time};
use convo::stream::{Container, Conversation};
use convo::term::{Depth, Paint};
use std::io::Read as _;

/// The picture as SVG.
pub(crate) fn picture(fixture: &[u8]) -> String {
    let surface = Surface {
        columns: 76,
        paint: Paint::Colours(Depth::True),
        theme: Theme::Dark,
        ..Surface::default()
    };
    let settings = Settings {
        speech: surface.clone(),
        chrome: surface,
        time: Time::Relative(1_788_264_000),
        ..Settings::default()
    };
    let mut pieces = Pieces::default();
    let value = Raw::parse(fixture).expect("the fixture is JSON");
    if let Ok(Container::Conversation(conversation)) = Conversation::read(value) {
        let (mut warnings, mut told) = (Warnings::default(), Vec::new());
        let mut config = Config::new(None, Mode::Convo, &mut warnings);
        let mut replay = Replay::new(&settings, conversation.encoding);
        for raw in conversation.entries.as_array().into_iter().flatten() {
            let Ok(event) = Event::read(raw) else {
                continue;
            };
            if event.kind() == EventKind::ConfigDelta {
                config.apply(event.raw(), &mut warnings);
            }
            replay.event(&event, &config, &mut pieces, &mut told);
        }
        replay.finish(&mut pieces, &mut told);
    }
    let text = String::from_utf8_lossy(&pieces.bytes);
    svg("convo render fixtures/streams/picture.json", &text)
}

/// What a command printed, with its escape sequences, as SVG.
pub(crate) fn svg(command: &str, printed: &str) -> String {
    let text = format!("$ {command}\n\n{}", printed.replace("\u{1b}[K", ""));
    // The background behind a word is placed by counting what stands before it, after
    // `>` has become `&gt;`: stand-ins count as the one cell that each of these takes.
    let cells = [
        ('&', '\u{e000}', "&amp;"),
        ('<', '\u{e001}', "&lt;"),
        ('>', '\u{e002}', "&gt;"),
    ];
    let hidden = cells.iter().fold(text, |text, (char, stand_in, _)| {
        text.replace(*char, &stand_in.to_string())
    });
    let drawn = anstyle_svg::Term::new().render_svg(&hidden);
    let drawn = cells.iter().fold(drawn, |text, (_, stand_in, entity)| {
        text.replace(*stand_in, entity)
    });
    // Pale and dark text as it can be read on black (4.5 to 1 at least).
    drawn
        .replace(".dimmed { opacity: 0.4; }", ".dimmed { opacity: 0.7; }")
        .replace(".bg { fill: #000000 }", ".bg { fill: #121212 }")
        .replace("{ fill: #AA0000 }", "{ fill: #FF786E }")
        .replace("{ fill: #AAAAAA }", "{ fill: #D0D0D0 }")
        .replace("{ fill: #00AA00 }", "{ fill: #8CBE8C }")
        .replace("{ fill: #AA5500 }", "{ fill: #F0C864 }")
        .replace("{ fill: #0000AA }", "{ fill: #6EAAFF }")
}

#[allow(dead_code)]
fn main() {
    if let Some(command) = std::env::args().nth(1) {
        let mut printed = String::new();
        std::io::stdin()
            .read_to_string(&mut printed)
            .expect("what the command printed");
        print!("{}", svg(&command, &printed));
        return;
    }
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/streams/picture.json");
    let fixture = std::fs::read(root).expect("the fixture is there");
    print!("{}", picture(&fixture));
}
