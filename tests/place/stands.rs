//! What stands: whoever replays the prelude and then every directive ends in the
//! sections and tools that the flattened body has (`docs/directives.md`).
//!
//! The replay is the test's own: it reads notices as a model would, by the words.
//! `CONVO_STREAMS` sets how many streams are tried, 300 otherwise, from a fixed seed.

use super::law::{keeps, offered};
use super::{INLINE, Open, ask, delta, place, refusals, say, tool_delta};
use crate::common::bodies::bundle;
use convo::directive::ToolMode;
use convo::json::Raw;
use convo::model::Platform;
use convo::provider::{Options, Requests};
use serde_json::{Value, json};

/// Numbers from a seed; the same on every machine.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new() -> Self {
        Self(0x9E37_79B9_7F4A_7C15)
    }

    pub(super) fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % below
    }
}

/// Sections that share titles, first lines, or everything.
fn section(dice: &mut Dice) -> Value {
    let contents = [
        "a", "a\nb", "a\nb\nc", "b", "# T\n\na", "a\\nb", "é\"q\"", "T",
    ];
    let content = contents[dice.roll(contents.len())];
    match dice.roll(5) {
        0 => json!({"content": content}),
        1 => json!({"content": content, "tag": "T"}),
        2 => json!({"content": content, "title": "U", "position": dice.roll(3)}),
        _ => json!({"content": content, "title": "T"}),
    }
}

fn sections(dice: &mut Dice) -> Value {
    let count = dice.roll(4);
    let list: Vec<Value> = (0..count).map(|_| section(dice)).collect();
    list.into()
}

fn tool(dice: &mut Dice) -> Value {
    let names = ["f", "g", "h", "k", "*"];
    let name = names[dice.roll(names.len())];
    let enable = dice.roll(2) == 0;
    let state = match (name, dice.roll(4)) {
        ("*", _) | (_, 0) => json!({"enable": enable}),
        (_, 1) => json!({"description": format!("d{}", dice.roll(3))}),
        _ => json!({"source": "local", "enable": enable,
            "description": format!("d{}", dice.roll(3))}),
    };
    json!({name: state})
}

/// A change of the configuration, of any kind.
pub(super) fn change(dice: &mut Dice) -> Value {
    let assistant = |value: Value| delta(json!({"assistant": value}));
    match dice.roll(12) {
        0..=2 => assistant(json!({"system_prompt_sections":
            {"value": sections(dice), "strategy": "replace"}})),
        3 | 4 => assistant(json!({"system_prompt_sections": [section(dice)]})),
        5 => assistant(json!({"instructions": {"value": [
            {"title": "T", "items": ["x"]}], "strategy": "replace"}})),
        6 => json!({"type": "config_delta", "unsets": ["assistant.instructions"]}),
        7 => {
            let choices = ["auto", "required", "f", "g", "none"];
            assistant(json!({"tool_choice": choices[dice.roll(choices.len())]}))
        }
        _ => tool_delta(tool(dice)),
    }
}

fn stream(dice: &mut Dice) -> Vec<Value> {
    let tools = match dice.roll(4) {
        0 => json!({}),
        _ => json!({"f": super::local(dice.roll(2) == 0), "g": super::local(false)}),
    };
    let mut events = vec![delta(json!({"assistant": {"system_prompt": "P",
        "system_prompt_sections": sections(dice)}, "conversation": {"tools": tools}}))];
    let mut calls = 0;
    for _ in 0..3 + dice.roll(9) {
        for _ in 0..dice.roll(4) {
            events.push(change(dice));
        }
        match dice.roll(5) {
            0 => events.push(json!({"type": "turn_start"})),
            1 => {
                calls += 1;
                let id = format!("c{calls}");
                events.push(json!({"type": "tool_call_request", "id": id, "name": "f",
                    "arguments": {}}));
                if dice.roll(3) > 0 {
                    events.push(change(dice));
                }
                events.push(json!({"type": "tool_call_response", "id": id,
                    "content": "ok"}));
            }
            _ => {}
        }
        events.push(ask("q"));
        if dice.roll(3) > 0 {
            events.push(change(dice));
        }
        events.push(say("a"));
    }
    events.push(ask("end"));
    events
}

/// A text that stands, as a reader sees it.
fn title_of(text: &str) -> String {
    if let Some(rest) = text.strip_prefix("# ")
        && let Some((title, _)) = rest.split_once("\n\n")
    {
        return title.to_owned();
    }
    if let Some(rest) = text.strip_prefix("<instruction title=\"") {
        return rest.split('"').next().unwrap_or_default().to_owned();
    }
    if let Some(rest) = text.strip_prefix('<')
        && let Some((tag, _)) = rest.split_once('>')
    {
        return tag.to_owned();
    }
    text.trim().lines().next().unwrap_or_default().to_owned()
}

/// Takes back what a notice names; it must be one text, however often it stands.
fn take_back(standing: &mut Vec<String>, names: impl Fn(&str) -> bool, notice: &str) {
    let mut named: Vec<String> =
        standing.iter().filter(|one| names(one)).cloned().collect();
    named.dedup();
    named.sort();
    named.dedup();
    assert_eq!(named.len(), 1, "{notice:?} names {named:?} of {standing:?}");
    standing.retain(|one| !names(one));
}

/// The texts that stand behind the last directive of a body.
fn replay(body: &[u8]) -> Vec<String> {
    let body: Value = serde_json::from_slice(body).expect("JSON");
    let mut standing: Vec<String> = super::system(&body)[1..].to_vec();
    for message in body["messages"].as_array().expect("messages") {
        if message["role"] != "system" || message.get("clear_at").is_some() {
            continue;
        }
        for block in message["content"].as_array().expect("blocks") {
            let Some(text) = block["text"].as_str() else {
                continue;
            };
            let within = |open: &str, close: &str| {
                let rest = text.strip_prefix(open)?;
                rest.strip_suffix(close).map(str::to_owned)
            };
            let ends = "\" given earlier no longer apply.";
            if text.starts_with("IMPORTANT: You MUST ")
                || text.starts_with("The instruction given earlier that you MUST")
            {
                continue;
            } else if let Some(title) =
                within("The instructions in \"", ends).or_else(|| {
                    within("This replaces the instructions in \"", "\" given earlier.")
                })
            {
                take_back(&mut standing, |one| title_of(one) == title, text);
            } else if let Some(quoted) = within(
                "The instructions given earlier that read \"",
                "\" no longer apply.",
            ) {
                take_back(&mut standing, |one| one == quoted, text);
            } else if let Some(lines) = within(
                "The instructions given earlier that begin with \"",
                "\" no longer apply.",
            ) {
                let begins = |one: &str| {
                    let rest = one.strip_prefix(&lines);
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('\n'))
                };
                take_back(&mut standing, begins, text);
            } else {
                standing.push(text.to_owned());
            }
        }
    }
    standing.retain(|text| !text.contains("title=\"Tool Usage\""));
    standing.sort();
    standing
}

/// The sections that a flattened body sends.
fn sent(body: &[u8]) -> Vec<String> {
    let body: Value = serde_json::from_slice(body).expect("JSON");
    let mut sent: Vec<String> = super::system(&body)[1..].to_vec();
    sent.retain(|text| {
        !text.contains("title=\"Tool Usage\"")
            && !text.starts_with("IMPORTANT: You MUST ")
    });
    sent.sort();
    sent
}

fn choice(body: &[u8]) -> String {
    let body: Value = serde_json::from_slice(body).expect("JSON");
    body["tool_choice"]["type"]
        .as_str()
        .unwrap_or("none")
        .to_owned()
}

#[test]
fn replayed_directives_end_in_what_flattening_sends() {
    let count = std::env::var("CONVO_STREAMS").ok();
    let count = count.and_then(|text| text.parse().ok()).unwrap_or(300);
    let mut dice = Dice::new();
    let both =
        "\"inline-tools-2026-09-15\",\"mid-conversation-system-clear-at-2026-08-21\"";
    for at in 0..count {
        let events = stream(&mut dice);
        let bytes = bundle(&Value::from(events.clone())).to_string();
        let mode = [ToolMode::Deferred, ToolMode::Inline][at % 2];
        let open = match at % 3 {
            0 => Open::new("claude-opus-5-5", INLINE, mode),
            1 => Open {
                betas: format!("[{both}]"),
                ..Open::new("claude-opus-5-5", INLINE, mode)
            },
            _ => Open::usual(mode),
        };
        assert_eq!(open.platform, Platform::ClaudeApi);
        let (bodies, told) = place(bytes.as_bytes(), &open.options(Requests::All))
            .unwrap_or_else(|error| panic!("{error:?}: {events:?}"));
        let flat = Options {
            place: None,
            ..open.options(Requests::All)
        };
        let (flat, _) = place(bytes.as_bytes(), &flat).expect("bodies");
        let late = told.iter().any(|one| one.code == "first-tool");
        let mut profile = None;
        for (index, (body, flat)) in bodies.iter().zip(&flat).enumerate() {
            let fail = || {
                format!(
                    "stream {at}, body {index}: {}\n{}",
                    String::from_utf8_lossy(body),
                    Value::from(events.clone())
                )
            };
            let profile = profile.get_or_insert_with(|| open.profile(body));
            assert_eq!(refusals(body, profile), [""; 0], "{}", fail());
            assert_eq!(replay(body), sent(flat), "{}", fail());
            let wanted = offered(flat);
            match (choice(flat).as_str(), choice(body).as_str()) {
                // No tool to be called: the parameter says so, or none is offered.
                ("none", "auto") => assert!(offered(body).is_empty(), "{}", fail()),
                ("none", _) => {}
                _ => assert_eq!(offered(body), wanted, "{}", fail()),
            }
            if index > 0 && !late {
                assert_eq!(keeps(&bodies[index - 1], body), Ok(()), "{}", fail());
            }
            Raw::parse(body).expect("JSON");
        }
    }
}
