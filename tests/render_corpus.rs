//! All stored conversations, in every style, with and without colour, at four
//! widths.

use crate::common::command::run;
use crate::common::corpus::{cases, report};
use crate::common::screen::{
    Screen, assert_closed_lines, assert_inert, assert_same, coloured, pipe, replay,
    strip,
};
use convo::block::Encoding;
use convo::render::theme::Theme;
use convo::render::{Preset, Settings, Told};
use convo::term::width::cells;
use serde_json::{Value, json};

/// Base and entries of a stored conversation, as text.
fn stored(folder: &std::path::Path) -> (String, String) {
    let entries = std::fs::read_to_string(folder.join("events.json")).expect("events");
    match std::fs::read_to_string(folder.join("base_config.json")) {
        Ok(base) => (base, entries),
        Err(_) => {
            // Form B: the first entry is the base.
            let list: Vec<serde_json::Value> =
                serde_json::from_str(&entries).expect("an array");
            let base = &list[0];
            let base = base.get("delta").unwrap_or(base);
            let rest = serde_json::to_string(&list[1..]).expect("JSON");
            (base.to_string(), rest)
        }
    }
}

fn rendered(case: &(String, String), settings: &Settings, live: bool) -> Screen {
    replay(&case.0, &case.1, settings, Encoding::Storage, live)
}

const PRESETS: [Option<Preset>; 5] = [
    None,
    Some(Preset::User),
    Some(Preset::Chat),
    Some(Preset::Brief),
    Some(Preset::Full),
];

#[test]
fn every_conversation_in_every_style_and_width() {
    let folders = cases("conversations");
    for folder in &folders {
        let case = stored(folder);
        for preset in PRESETS {
            for columns in [0, 40, 80, 200] {
                let plain = Settings {
                    speech: pipe(columns),
                    chrome: pipe(columns),
                    preset,
                    ..Settings::default()
                };
                // Highlighting is slow in a debug build: once is enough.
                let mut surface = coloured(columns);
                if preset.is_some() || columns != 80 {
                    surface.theme = Theme::Plain;
                }
                let colour = Settings {
                    speech: surface.clone(),
                    chrome: surface,
                    ..plain.clone()
                };
                let shown = rendered(&case, &plain, false);
                assert_inert(&shown.both);
                assert!(!shown.out.is_empty() && !shown.out.starts_with('\n'));
                let painted = rendered(&case, &colour, false);
                assert_same(&strip(&painted.out), &shown.out, "colour");
                assert_same(&strip(&painted.err), &shown.err, "colour");
                assert_closed_lines(&painted.both);
                if columns > 0 {
                    assert_narrow(&shown.out, columns);
                }
            }
        }
    }
    report("render_corpus::every_style", folders.len());
}

/// Only code, and tokens with an address in them, may be wider than the layout.
#[track_caller]
fn assert_narrow(text: &str, columns: usize) {
    let mut fence: Option<String> = None;
    for line in text.lines() {
        let body = line.trim_start_matches(['>', '│', ' ', '-', '*']);
        let body = body.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let body = body.trim_start();
        let mark = ['`', '~'].into_iter().find_map(|c| {
            let run: String = body.chars().take_while(|&x| x == c).collect();
            (run.len() >= 3).then_some(run)
        });
        match (&fence, &mark) {
            (None, Some(mark)) if !body[mark.len()..].contains('`') => {
                fence = Some(mark.clone());
                continue;
            }
            (Some(open), Some(mark)) if mark.starts_with(open.as_str()) => {
                fence = None;
                continue;
            }
            _ => {}
        }
        let address = line.contains("://") || line.contains(')');
        assert!(
            fence.is_some() || address || cells(line) <= columns,
            "{} columns of {columns}: {line}",
            cells(line)
        );
    }
}

/// The ways a conversation is shown: by its own configuration, by each preset, and as
/// the user view.
fn modes() -> Vec<Settings> {
    let mut modes: Vec<Settings> = PRESETS
        .into_iter()
        .map(|preset| Settings {
            preset,
            ..Settings::default()
        })
        .collect();
    modes.push(Settings {
        told: Told::User,
        ..Settings::default()
    });
    modes
}

#[test]
fn live_equals_one_go_in_six_modes_at_three_widths() {
    let folders = cases("conversations");
    for folder in &folders {
        let case = stored(folder);
        for mode in modes() {
            for columns in [40, 80, 120] {
                let settings = Settings {
                    speech: pipe(columns),
                    chrome: pipe(columns),
                    ..mode.clone()
                };
                let live = rendered(&case, &settings, true);
                let whole = rendered(&case, &settings, false);
                assert_same(&live.both, &whole.both, &folder.to_string_lossy());
                assert_eq!(live.told, whole.told);
                let mut surface = coloured(columns);
                surface.theme = Theme::Plain;
                let painted = Settings {
                    speech: surface.clone(),
                    chrome: surface,
                    ..mode.clone()
                };
                let painted = rendered(&case, &painted, false);
                assert_same(&strip(&painted.out), &whole.out, "colour");
                assert_same(&strip(&painted.err), &whole.err, "colour");
            }
        }
    }
    report("render_corpus::live", folders.len());
}

/// Every result becomes two blocks, one for the user and one for the model: what
/// `project --addressed-only` has, and nothing else of the tools, is in a chat.
#[test]
fn v2_a_chat_has_what_the_user_view_has() {
    let folders = cases("conversations");
    let mut words = 0;
    for folder in &folders {
        let (base, events) = stored(folder);
        let mut events: Vec<Value> = serde_json::from_str(&events).expect("an array");
        for (index, event) in events.iter_mut().enumerate() {
            if event["type"] != "tool_call_response" {
                continue;
            }
            event["content"] = json!([
                {"type": "text", "text": format!("foruser{index}x"),
                 "annotations": {"audience": ["user"]}},
                {"type": "text", "text": format!("formodel{index}x"),
                 "annotations": {"audience": ["assistant"]}}]);
        }
        let stream = Value::Array(events.clone()).to_string();
        let view = run(&["project", "--addressed-only"], stream.as_bytes()).ok(0);
        let settings = Settings {
            preset: Some(Preset::Chat),
            ..Settings::default()
        };
        let chat = rendered(&(base, stream), &settings, false);
        for index in 0..events.len() {
            let word = format!("foruser{index}x");
            if view.contains(&word) {
                words += 1;
                assert!(chat.out.contains(&word), "{word} in {}", folder.display());
            }
            let word = format!("formodel{index}x");
            assert!(
                !view.contains(&word) && !chat.both.contains(&word),
                "{word}"
            );
        }
    }
    println!("{words} results for the user");
    report("render_corpus::chat", folders.len());
}

#[test]
fn every_message_means_what_it_meant() {
    use crate::common::markdown::meaning;
    use crate::common::screen::at_once;
    let folders = cases("conversations");
    let mut count = 0;
    for folder in &folders {
        let (_, entries) = stored(folder);
        let list: Vec<serde_json::Value> =
            serde_json::from_str(&entries).expect("an array");
        for entry in &list {
            for key in ["message", "reasoning", "content"] {
                let text = entry.get(key).and_then(serde_json::Value::as_str);
                let is_tool = entry["type"] == "tool_call_response";
                let Some(text) = text.filter(|_| !is_tool) else {
                    continue;
                };
                if text.contains("  \n") || text.contains('\r') {
                    continue;
                }
                let output = at_once(text, &pipe(0));
                assert_same(
                    &meaning(&output),
                    &meaning(text),
                    &folder.to_string_lossy(),
                );
                count += 1;
            }
        }
    }
    report("render_corpus::meaning", count);
}
