//! Recorded and built request bodies, reproduced.

use crate::common::bodies::{lines, options};
use crate::common::compare::differences;
use crate::common::corpus::{corpus, report};
use crate::common::recorded::{self, file_name, files};
use convo::body::Provider;
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
const MENDED: [(&str, &str, &str); 4] = [
    ("ollama", "tool_call_auto-0", BARE_MAP),
    ("ollama", "tool_call_reasoning-0", BARE_MAP),
    ("ollama", "tool_call_required_no_reasoning-0", BARE_MAP),
    ("ollama", "tool_call_stream-0", BARE_MAP),
];

const BARE_MAP: &str = "parameters go as an object's schema, not as a bare map in which \
                        the server finds no parameter";

/// How many pairs the corpus holds.
const RECORDED: [(Provider, usize); 7] = [
    (Provider::Anthropic, 24),
    (Provider::OpenAi, 24),
    (Provider::OpenRouter, 24),
    (Provider::Cerebras, 21),
    (Provider::LlamaCpp, 20),
    (Provider::Google, 18),
    (Provider::Ollama, 16),
];

/// Where `expected` and `found` differ, pointers of `compare.ignore` aside.
fn compared(case: &Value, mut found: Value) -> Vec<String> {
    let mut expected = case["body"].clone();
    for pointer in case["compare"]["ignore"].as_array().into_iter().flatten() {
        let pointer = pointer.as_str().expect("a pointer");
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
        for body in [&mut expected, &mut found] {
            let parent = body.pointer_mut(parent).and_then(Value::as_object_mut);
            parent.map(|parent| parent.remove(key));
        }
    }
    differences(&expected, &found)
}

#[test]
fn recorded_bodies() {
    let (mut total, mut wrong) = (0, Vec::new());
    let mut mended = 0;
    for (provider, count) in RECORDED {
        let provider = provider.name();
        let mut cases = 0;
        for path in files(&format!("providers/{provider}"), ".json") {
            let case = recorded::json(&path);
            assert_eq!(case["golden"], json!(true), "{}", path.display());
            cases += 1;
            let name = file_name(&path);
            let name = name.trim_end_matches(".json");
            let bundle = json!({
                "base_config": case["conversation"]["base_config"],
                "events": case["conversation"]["events"],
                "inputs": case["inputs"],
            });
            let found = bodies(&bundle, Mode::Jp, Requests::Last, provider);
            let found = compared(&case, found[0].clone());
            if !found.is_empty() {
                wrong.push(format!("{provider} {name} parity: {found:#?}"));
            }
            let found = bodies(&bundle, Mode::Convo, Requests::Last, provider);
            let found = compared(&case, found[0].clone());
            let differs = !found.is_empty();
            let is_mended = MENDED.iter().any(|(p, c, _)| *p == provider && name == *c);
            mended += usize::from(is_mended);
            if differs != is_mended {
                wrong.push(format!("{provider} {name} default: {found:#?}"));
            }
        }
        total += cases;
        report(&format!("recorded {provider} bodies"), cases);
        assert!(corpus().is_none() || cases >= count, "{provider}: {cases}");
    }
    report("recorded bodies", total);
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(corpus().is_none() || mended == MENDED.len());
}

#[test]
fn bodies_that_jp_built() {
    let (mut cases, mut ordered, mut wrong) = (0, 0, Vec::new());
    for folder in files("jp-bodies", "") {
        for path in files(&format!("jp-bodies/{}", file_name(&folder)), ".gz") {
            let name = file_name(&path);
            let stem = name.trim_end_matches(".json.gz");
            let (provider, mode) = stem.split_once('-').expect("provider-mode");
            cases += 1;
            let mut case = recorded::json(&path);
            let requests = match mode {
                "asis" => Requests::End,
                _ => Requests::Last,
            };
            if ["openai", "openrouter", "ollama"].contains(&provider) {
                case["compare"] = json!({"ignore": ["/stream"]});
            }
            let bundle = built_stream(&case, mode);
            let found = bodies(&bundle, Mode::Jp, requests, provider);
            // Here also the order of keys is JP's.
            if ["openai", "openrouter", "llamacpp", "ollama"].contains(&provider) {
                let [built, ours] =
                    [&case["body"], &found[0]].map(|body| body["tools"].to_string());
                ordered += 1;
                if built != ours {
                    wrong.push(format!(
                        "{} {name}: {}",
                        file_name(&folder),
                        first_difference(&built, &ours)
                    ));
                }
            }
            let found = compared(&case, found[0].clone());
            if !found.is_empty() {
                wrong.push(format!("{} {name}: {found:#?}", file_name(&folder)));
            }
        }
    }
    report("bodies that JP built", cases);
    report("tools as JP orders them", ordered);
    assert!(corpus().is_none() || cases >= 80, "{cases} of 80");
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Both texts from the first byte in which they differ.
fn first_difference(built: &str, ours: &str) -> String {
    let same = built.bytes().zip(ours.bytes()).take_while(|(a, b)| a == b);
    let at = same.count();
    let around = |text: &str| {
        let bytes = &text.as_bytes()[at.saturating_sub(40)..text.len().min(at + 80)];
        String::from_utf8_lossy(bytes).into_owned()
    };
    format!(
        "byte {at} of the tools: JP {}, ours {}",
        around(built),
        around(ours)
    )
}

/// The stream a built body was made from, as a bundle (`docs/formats.md#bundle`).
pub(crate) fn built_stream(case: &Value, mode: &str) -> Value {
    let name = case["conversation"].as_str().expect("a folder");
    let corpus = corpus().expect("a corpus");
    let folder = match mode {
        "point" => corpus.join("conversations").join(name),
        _ => corpus.join(name),
    };
    let (base, mut events) = recorded::conversation(&folder);
    let embedded = base.is_none() && events[0]["type"] == "config_delta";
    let base = base.unwrap_or_else(|| match embedded {
        true => events.remove(0)["delta"].take(),
        false => json!({}),
    });
    if mode == "point" {
        // The body of the last request point, with everything that is stored in force.
        return json!({
            "base_config": base,
            "events": events,
            "inputs": {"model": case["inputs"]["model"]},
        });
    }
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
    if mode == "point" {
        // Its own model, and the beta headers that are stored.
        return json!({
            "base_config": base,
            "events": events,
            "inputs": {
                "model": case["inputs"]["model"],
                "created_at": case["created_at"],
            },
        });
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
