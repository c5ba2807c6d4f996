//! Recorded and built request bodies, reproduced (`corpus/README.md`).

use crate::common::bodies::{lines, options};
use crate::common::compare::differences;
use crate::common::corpus::{corpus, report};
use crate::common::recorded::{self, file_name, files};
use convo::config::Mode;
use convo::provider::{Options, Requests};
use serde_json::{Value, json};

/// The bodies of a bundle.
fn bodies(
    bundle: &Value,
    mode: Mode,
    requests: Requests,
    provider: &str,
) -> Vec<Value> {
    let options = Options {
        mode,
        requests,
        ..options(provider, None)
    };
    let bytes = bundle.to_string();
    let (lines, _) = lines(bytes.as_bytes(), &options).expect("bodies");
    let body = |line: &Vec<u8>| serde_json::from_slice(line).expect("a body is JSON");
    lines.iter().map(body).collect()
}

/// The pairs that the default mode answers otherwise, and why.
const MENDED: [(&str, &str); 0] = [];

#[test]
fn recorded_anthropic_bodies() {
    let (mut cases, mut wrong) = (0, Vec::new());
    for path in files("providers/anthropic", ".json") {
        let case = recorded::json(&path);
        if case["golden"] != json!(true) {
            continue;
        }
        cases += 1;
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let bundle = json!({
            "base_config": case["conversation"]["base_config"],
            "events": case["conversation"]["events"],
            "inputs": case["inputs"],
        });
        for mode in [Mode::Jp, Mode::Convo] {
            let found = bodies(&bundle, mode, Requests::Last, "anthropic");
            let mended = MENDED.iter().any(|(case, _)| *case == name);
            let found = differences(&case["body"], &found[0]);
            let excused = mended && mode == Mode::Convo;
            if !found.is_empty() && !excused {
                wrong.push(format!("{name} {mode:?}: {found:#?}"));
            }
        }
    }
    report("recorded anthropic bodies", cases);
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn anthropic_bodies_that_jp_built() {
    let (mut cases, mut wrong) = (0, Vec::new());
    for folder in files("jp-bodies", "") {
        for path in files(&format!("jp-bodies/{}", file_name(&folder)), ".gz") {
            let name = file_name(&path);
            let Some(mode) = name.strip_prefix("anthropic-") else {
                continue;
            };
            let mode = mode.trim_end_matches(".json.gz");
            cases += 1;
            let case = recorded::json(&path);
            let requests = match mode {
                "asis" => Requests::End,
                _ => Requests::Last,
            };
            let bundle = built_stream(&case, mode);
            let found = bodies(&bundle, Mode::Jp, requests, "anthropic");
            let found = differences(&case["body"], &found[0]);
            if !found.is_empty() {
                wrong.push(format!("{} {name}: {found:#?}", file_name(&folder)));
            }
        }
    }
    report("anthropic bodies that JP built", cases);
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// The stream a built body was made from, as a bundle (`corpus/README.md`).
pub(crate) fn built_stream(case: &Value, mode: &str) -> Value {
    let name = case["conversation"].as_str().expect("a folder");
    let folder = corpus().expect("a corpus").join(name);
    let (base, mut events) = recorded::conversation(&folder);
    let embedded = base.is_none() && events[0]["type"] == "config_delta";
    let base = base.unwrap_or_else(|| match embedded {
        true => events.remove(0)["delta"].take(),
        false => json!({}),
    });
    let is_request = |event: &Value| event["type"] == "chat_request";
    match mode {
        "last" => {
            let last = events.iter().rposition(is_request).expect("a request");
            events.truncate(last + 1);
        }
        "next" => {
            let time = events.last().expect("an event")["timestamp"].clone();
            events.push(json!({"type": "turn_start", "timestamp": time}));
            events.push(json!({
                "type": "chat_request", "timestamp": time, "content": "Continue.",
            }));
        }
        _ => {}
    }
    let provider = case["provider"].as_str().expect("a provider");
    let model = case["inputs"]["model"]["name"].as_str().expect("a name");
    let time = events.last().expect("an event")["timestamp"].clone();
    events.push(json!({
        "type": "config_delta", "timestamp": time,
        "delta": {"assistant": {"model": {"id": format!("{provider}/{model}")}}},
    }));
    json!({
        "base_config": base,
        "events": events,
        "inputs": {
            "model": case["inputs"]["model"],
            "created_at": case["created_at"],
            "beta_headers": [],
        },
    })
}
