//! Draws the rendered conversation of `fixtures/streams/picture.json`.
//!
//! `cargo run --example picture > docs/render.svg` makes the picture of the README;
//! a test says when it is stale.

use convo::config::{Config, Mode, Warnings};
use convo::event::{Event, EventKind};
use convo::json::Raw;
use convo::render::surface::Surface;
use convo::render::theme::Theme;
use convo::render::{Pieces, Replay, Settings, Time};
use convo::stream::{Container, Conversation};
use convo::term::{Depth, Paint};

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
    let text = String::from_utf8_lossy(&pieces.bytes).replace("\u{1b}[K", "");
    let text = format!("$ convo render fixtures/streams/picture.json\n\n{text}");
    anstyle_svg::Term::new().render_svg(&text)
}

#[allow(dead_code)]
fn main() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/streams/picture.json");
    let fixture = std::fs::read(root).expect("the fixture is there");
    print!("{}", picture(&fixture));
}
