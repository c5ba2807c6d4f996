//! In-process speed of `render` without highlighting: `cargo bench --bench render`.
//!
//! Input bytes per second: the stored conversations through a replay, and all
//! their messages one by one, each at 80 columns and unwrapped. Best
//! of many rounds; reported, never asserted.

use convo::block::Encoding;
use convo::config::{Config, Mode, Warnings};
use convo::event::{Event, EventKind};
use convo::json::Raw;
use convo::render::lines::Lines;
use convo::render::markdown::Message;
use convo::render::surface::Surface;
use convo::render::theme::Theme;
use convo::render::{Pieces, Preset, Replay, Settings};
use convo::term::clean::Rules;
use convo::term::{Depth, Paint};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn main() {
    let named = std::env::var_os("CONVO_CORPUS").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let Ok(folders) = std::fs::read_dir(named.unwrap_or(beside).join("conversations"))
    else {
        println!("corpus absent: nothing to measure");
        return;
    };
    let mut folders: Vec<_> = folders.map(|f| f.expect("an entry").path()).collect();
    folders.sort();
    let stored: Vec<Vec<u8>> = folders
        .iter()
        .map(|folder| std::fs::read(folder.join("events.json")).expect("events"))
        .collect();
    let bytes: usize = stored.iter().map(Vec::len).sum();
    let spoken = messages(&stored);
    let said: usize = spoken.iter().map(String::len).sum();
    for (name, columns, painted) in [
        ("unwrapped", 0, false),
        ("80 columns", 80, false),
        ("80 columns, weights and colours", 80, true),
    ] {
        let surface = Surface {
            columns,
            paint: if painted {
                Paint::Colours(Depth::Indexed)
            } else {
                Paint::None
            },
            // Colours without highlighting: the theme of weights only.
            theme: Theme::Plain,
            ..Surface::default()
        };
        for preset in [None, Some(Preset::Full)] {
            let settings = Settings {
                speech: surface.clone(),
                chrome: surface.clone(),
                preset,
                ..Settings::default()
            };
            let time = best(|| stored.iter().map(|one| replay(one, &settings)).sum());
            report(&format!("replay, {name}, {preset:?}"), bytes, time);
        }
        let time = best(|| markdown(&spoken, &surface));
        report(&format!("markdown, {name}"), said, time);
    }
}

fn best(mut work: impl FnMut() -> usize) -> Duration {
    let rounds = (0..12).map(|_| {
        let started = Instant::now();
        black_box(work());
        started.elapsed()
    });
    rounds.min().unwrap_or_default()
}

fn report(what: &str, bytes: usize, time: Duration) {
    let speed = bytes as f64 / time.as_secs_f64() / 1e6;
    println!("{what}: {bytes} bytes, {speed:.0} MB/s");
}

fn replay(stored: &[u8], settings: &Settings) -> usize {
    let entries = Raw::parse(stored).expect("JSON");
    let mut warnings = Warnings::default();
    let mut config = Config::new(None, Mode::Convo, &mut warnings);
    let mut replay = Replay::new(settings, Encoding::Storage);
    let (mut pieces, mut told) = (Pieces::default(), Vec::new());
    for raw in entries.as_array().into_iter().flatten() {
        let Ok(event) = Event::read(raw) else {
            continue;
        };
        if event.kind() == EventKind::ConfigDelta {
            config.apply(event.raw(), &mut warnings);
        }
        replay.event(&event, &config, &mut pieces, &mut told);
    }
    replay.finish(&mut pieces, &mut told);
    pieces.bytes.len()
}

fn markdown(messages: &[String], surface: &Surface) -> usize {
    let mut out = Vec::new();
    for text in messages {
        let mut message = Message::new(Lines::new(surface), Rules::default(), 1, false);
        message.push_str(text);
        message.finish(&mut out);
    }
    out.len()
}

/// All messages and requests.
fn messages(stored: &[Vec<u8>]) -> Vec<String> {
    let mut messages = Vec::new();
    for one in stored {
        let entries = Raw::parse(one).expect("JSON");
        for entry in entries.as_array().into_iter().flatten() {
            let kind = entry.get("type").and_then(Raw::as_str);
            if !matches!(kind.as_deref(), Some("chat_request" | "chat_response")) {
                continue;
            }
            let text = entry.get("message").or_else(|| entry.get("content"));
            let text = text.and_then(Raw::as_str);
            messages.extend(text.map(std::borrow::Cow::into_owned));
        }
    }
    messages
}
