//! Everything at once: streams with changes of every kind at odd places, switches,
//! compaction, forced choices, sealed thinking, tools of MCP servers and attachments,
//! under every set of options. No body is one that the linter refuses or the binding
//! pass rejects, and the prefix is kept wherever nothing is told that costs it.
//!
//! `CONVO_STREAMS` sets how many streams are tried, 200 otherwise, from a fixed seed.

use super::law::keeps;
use super::stands::{Dice, change};
use super::{INLINE, Open, ask, delta, place, refusals, say, tool_delta};
use crate::common::bodies::bundle;
use convo::body::{Provider, captures, records};
use convo::directive::{CatalogueFile, ToolMode};
use convo::model::Table;
use convo::prefix::{Account, Comparison, History, Outcome, Sent};
use convo::provider::{Format, Options, PlaceOptions, Requests};
use serde_json::{Value, json};

const BETAS: [&str; 4] = [
    INLINE,
    "mid-conversation-system-clear-at-2026-08-21",
    "mid-conversation-output-config-2026-07-01",
    "thinking-binding-controls-2026-08-01",
];

/// What servers list; `gone` is enabled and nobody's.
fn servers() -> String {
    let tool = |name: &str| {
        json!({"name": name, "description": format!("{name} of s"), "inputSchema":
            {"type": "object", "properties": {"p": {"type": "string"}}}})
    };
    json!({"s": {"tools": [tool("m"), tool("n")]}}).to_string()
}

fn model(name: &str) -> Value {
    delta(json!({"assistant": {"model": {"id": name}}}))
}

/// A change of any kind, more of them than sections and tools alone.
fn any_change(dice: &mut Dice, switches: bool) -> Value {
    let assistant = |value: Value| delta(json!({"assistant": value}));
    match dice.roll(12) {
        0 => assistant(json!({"system_prompt": (["P", "Q", "R\nr"][dice.roll(3)])})),
        1 => assistant(json!({"model": {"parameters": {"reasoning":
            {"effort": (["low", "high", "max"][dice.roll(3)])}}}})),
        2 => assistant(json!({"model": {"parameters": {"reasoning": "off"}}})),
        3 => {
            let name = ["m", "n", "gone"][dice.roll(3)];
            tool_delta(json!({name: {"source": format!("mcp.s.{name}"),
                "enable": dice.roll(3) > 0}}))
        }
        4 if switches => model(
            [
                "anthropic/claude-opus-5",
                "anthropic/claude-opus-5-5",
                "anthropic/claude-sonnet-4-6",
                "openai/gpt-5-mini",
            ][dice.roll(4)],
        ),
        _ => change(dice),
    }
}

fn think(dice: &mut Dice, at: usize) -> Value {
    json!({"type": "chat_response", "reasoning": format!("t{at}"),
        "metadata": {"anthropic_thinking_signature": format!("S{}", dice.roll(1000))}})
}

fn stream(dice: &mut Dice, switches: bool, compacts: bool) -> Vec<Value> {
    let mut events = vec![delta(json!({"assistant": {"system_prompt": "P",
    "model": {"id": "anthropic/claude-opus-5-5"}}, "conversation": {"tools":
        match dice.roll(3) {
            0 => json!({}),
            1 => json!({"f": super::local(true), "m": {"source": "mcp.s.m", "enable": true}}),
            _ => json!({"f": super::local(false), "g": super::local(true)}),
        }}}))];
    let mut at = 0;
    let changes = |events: &mut Vec<Value>, dice: &mut Dice, most: usize| {
        for _ in 0..dice.roll(most) {
            events.push(any_change(dice, switches));
        }
    };
    for _ in 0..3 + dice.roll(6) {
        changes(&mut events, dice, 3);
        events.push(json!({"type": "turn_start"}));
        events.push(ask("q"));
        changes(&mut events, dice, 3);
        for _ in 0..dice.roll(3) {
            at += 1;
            let id = format!("c{at}");
            if dice.roll(2) == 0 {
                events.push(think(dice, at));
            }
            events.push(json!({"type": "tool_call_request", "id": id, "name": "f",
                "arguments": {}}));
            changes(&mut events, dice, 2);
            events
                .push(json!({"type": "tool_call_response", "id": id, "content": "ok"}));
            changes(&mut events, dice, 2);
        }
        if dice.roll(3) == 0 {
            events.push(think(dice, at));
        }
        events.push(say("a"));
        if compacts && dice.roll(5) == 0 {
            events.push(
                json!({"type": "compaction", "summary": {"summary": "so far"},
                "from_turn": 0, "to_turn": 0}),
            );
        }
    }
    events.push(ask("end"));
    events
}

/// Pairs of a run that the binding pass rejects.
fn rejected(bodies: &[u8]) -> Vec<usize> {
    let table = Table::built_in();
    let judge = Comparison::new(&table).account(Account::New);
    let mut history = History::default();
    let all: Vec<_> = records(bodies)
        .flat_map(|record| captures(bodies, record.expect("a record")))
        .map(|one| one.expect("a capture"))
        .collect();
    let mut last: Option<Sent<'_>> = None;
    let mut found = Vec::new();
    for (at, capture) in all.iter().enumerate() {
        let sent = Sent {
            name: "x".to_owned(),
            capture,
            times: convo::prefix::Times::default(),
        };
        if let Some(before) = last.replace(sent.clone())
            && let Ok(report) = judge.pair(&before, &sent, &mut history)
            && report.binding.outcome == Outcome::Rejected
        {
            found.push(at);
        }
    }
    found
}

#[test]
fn no_stream_makes_a_body_that_is_refused() {
    let count = std::env::var("CONVO_STREAMS").ok();
    let count = count.and_then(|text| text.parse().ok()).unwrap_or(200);
    let mut dice = Dice::new();
    let servers = servers();
    let file = CatalogueFile::read(servers.as_bytes()).expect("servers");
    let (mut pairs, mut kept, mut foreign) = (0, 0, 0);
    for at in 0..count {
        let (switches, compacts) = (dice.roll(3) == 0, dice.roll(3) == 0);
        let events = stream(&mut dice, switches, compacts);
        let mut value = bundle(&Value::from(events.clone()));
        if dice.roll(4) == 0 {
            value["inputs"] = json!({"attachments": [
                {"source": "a.txt", "text": "words"}]});
        }
        let bytes = value.to_string();
        let betas: Vec<&str> = BETAS.into_iter().filter(|_| dice.roll(4) > 0).collect();
        let mode = [ToolMode::Deferred, ToolMode::Inline][dice.roll(2)];
        let open = Open {
            betas: json!(betas).to_string(),
            ..Open::new("", INLINE, mode)
        };
        let options = Options {
            provider: None,
            model: None,
            catalogue: Some(&file).filter(|_| dice.roll(3) > 0),
            place: Some(PlaceOptions {
                tool_mode: mode,
                efforts: dice.roll(2) == 0,
                personas: dice.roll(2) == 0,
                ..PlaceOptions::default()
            }),
            ..open.options(Requests::All)
        };
        let show = || {
            let asked = (&open.betas, options.place, options.catalogue.is_some());
            format!("stream {at}, {asked:?}\n{value}")
        };
        let (bodies, told) = place(bytes.as_bytes(), &options)
            .unwrap_or_else(|error| panic!("{error:?} {}", show()));
        let costly: Vec<String> = told
            .iter()
            .filter(|one| {
                [
                    "head-changed",
                    "first-tool",
                    "prefix-switched",
                    "thinking-bound",
                ]
                .contains(&one.code)
            })
            .filter_map(|one| Some(one.message.split_once(':')?.0.to_owned()))
            .collect();
        for (index, body) in bodies.iter().enumerate() {
            let raw = convo::json::Raw::parse(body).expect("JSON");
            if raw.get("messages").is_none() {
                foreign += 1;
                continue;
            }
            let read = convo::body::Body::read(raw, Some(Provider::Anthropic), None);
            assert!(read.is_ok(), "{}", show());
            let found = refusals(body, &open.profile(body));
            assert_eq!(found, [""; 0], "body {index} of {}", show());
            if index == 0 || compacts {
                continue;
            }
            pairs += 1;
            if !costly.contains(&format!("request {}", index + 1)) {
                kept += 1;
                let why = keeps(&bodies[index - 1], body);
                let (old, new) = (&bodies[index - 1], body);
                assert_eq!(
                    why,
                    Ok(()),
                    "body {index} of {}\n{}\n{}",
                    show(),
                    String::from_utf8_lossy(old),
                    String::from_utf8_lossy(new)
                );
            }
        }
        let requests = Options {
            format: Format::Request,
            ..options
        };
        let (run, _) = place(bytes.as_bytes(), &requests).expect("bodies");
        let found = rejected(&run.join(&b"\n"[..]));
        assert_eq!(found, [0; 0], "{}", show());
    }
    assert!(
        kept * 2 > pairs && foreign > 0,
        "{kept} of {pairs}, {foreign}"
    );
}
