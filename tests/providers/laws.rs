//! What holds for every body of every provider (`docs/bodies.md#mends`): it is legal, and
//! it depends on nothing behind its request point.

use super::*;
use crate::common::corpus::report;
use crate::flatten_laws::{Stored, points};
use convo::body::Body;
use convo::error::Severity;
use convo::json::Raw;
use convo::lint::{Profile, Wanted, check};
use convo::model::Table;
use proptest::prelude::*;

/// Opens with the user; every call is answered before anything else is said, no
/// result stands alone, nothing is blank.
fn legal(provider: Provider, body: &Value) -> Result<(), String> {
    let lines = outline(provider, body);
    let lines = lines.iter().filter(|line| !line.starts_with("system "));
    let mut open: Vec<&str> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut answering = false;
    for (index, line) in lines.enumerate() {
        let mut words = line.splitn(3, ' ');
        let word = words.next().unwrap_or_default();
        let id = match provider {
            Provider::Ollama => "",
            _ => words.next().unwrap_or_default(),
        };
        if index == 0 && word != "user" {
            return Err(format!("opens with {line}"));
        }
        match word {
            "call" => {
                if answering && !open.is_empty() {
                    return Err(format!("a call among results: {line}"));
                }
                if provider != Provider::Ollama && (id.is_empty() || !seen.insert(id)) {
                    return Err(format!("an id again: {line}"));
                }
                answering = false;
                open.push(id);
            }
            "result" | "failed" => {
                let at = open.iter().position(|one| *one == id);
                open.remove(at.ok_or_else(|| format!("an orphan: {line}"))?);
                answering = true;
            }
            "user" if !open.is_empty() => return Err(format!("unanswered: {line}")),
            "say" | "think" if answering && !open.is_empty() => {
                return Err(format!("unanswered: {line}"));
            }
            _ => {}
        }
        if matches!(word, "user" | "say" | "think") {
            let text = line.split_once(' ').map_or("", |(_, text)| text);
            let text: Value = serde_json::from_str(text).unwrap_or_default();
            if text.as_str().is_some_and(|text| text.trim().is_empty()) {
                return Err(format!("blank: {line}"));
            }
        }
    }
    match open.is_empty() {
        true => Ok(()),
        false => Err(format!("unanswered at the end: {open:?}")),
    }
}

/// What is known to be refused of a body.
fn refusals(provider: Provider, body: &[u8]) -> Vec<String> {
    let raw = Raw::parse(body).expect("a body is JSON");
    let model = Some(model(provider));
    let read = Body::read(raw, Some(provider), model).expect("a body");
    let profile = Profile::new(&Table::built_in(), &Wanted::default(), &read, None);
    let findings = check(&read, body, &profile);
    let errors = findings.iter().filter(|f| f.severity == Severity::Error);
    errors
        .map(|f| format!("{} {}", f.rule.id, f.path))
        .collect()
}

fn stored_conversations(provider: Provider) {
    let mut count = 0;
    for stored in Stored::all() {
        let whole = stored.cut(stored.entries.len());
        let all = Options {
            requests: Requests::All,
            ..options(provider.name(), Some(model(provider)))
        };
        let last = options(provider.name(), Some(model(provider)));
        let (bodies, _) = lines(&whole, &all).expect("bodies");
        let points = points(&whole, &all);
        assert_eq!(bodies.len(), points.len(), "{}", stored.name);
        // Every point of a short conversation, some of a long one: each costs its
        // length.
        let step = 1 + whole.len() / 300_000;
        for (index, (body, &point)) in bodies.iter().zip(&points).enumerate() {
            let name = format!("{provider:?} {} {point}", stored.name);
            count += 1;
            let is_last = index + 1 == points.len();
            if is_last || index % step == 0 {
                let (cut, _) = lines(&stored.cut(point), &last).expect("a body");
                assert!(cut[0] == *body, "{name}: the cut differs");
                let value = serde_json::from_slice(body).expect("a body is JSON");
                assert_eq!(legal(provider, &value), Ok(()), "{name}");
            }
            if is_last {
                assert_eq!(refusals(provider, body), Vec::<String>::new(), "{name}");
            }
        }
    }
    report(&format!("request points for {provider:?}"), count);
}

#[test]
fn stored_conversations_for_openai() {
    stored_conversations(Provider::OpenAi);
}

#[test]
fn stored_conversations_for_google() {
    stored_conversations(Provider::Google);
}

#[test]
fn stored_conversations_for_openrouter() {
    stored_conversations(Provider::OpenRouter);
}

#[test]
fn stored_conversations_for_ollama() {
    stored_conversations(Provider::Ollama);
}

#[test]
fn stored_conversations_for_llamacpp() {
    stored_conversations(Provider::LlamaCpp);
}

#[test]
fn stored_conversations_for_cerebras() {
    stored_conversations(Provider::Cerebras);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn bodies_are_legal_and_depend_on_nothing_behind_their_point(
        entries in crate::flatten_random::stream(),
    ) {
        let bytes = |entries: &[Value]| {
            json!({"base_config": {}, "events": entries, "encoding": "plain"}).to_string()
        };
        let whole = bytes(&entries);
        for provider in OTHERS {
            let last = options(provider.name(), Some(model(provider)));
            let all = Options { requests: Requests::All, ..last };
            let Ok((bodies, _)) = lines(whole.as_bytes(), &all) else { continue };
            let points = points(whole.as_bytes(), &all);
            prop_assert_eq!(bodies.len(), points.len());
            for (body, &point) in bodies.iter().zip(&points) {
                let value = serde_json::from_slice(body).expect("a body is JSON");
                let legal = legal(provider, &value);
                prop_assert_eq!(legal, Ok(()), "{:?} {}", provider, value);
                let cut = bytes(&entries[..point]);
                let (cut, _) = lines(cut.as_bytes(), &last).expect("a body");
                prop_assert!(cut[0] == *body, "{:?} cut at {}", provider, point);
            }
        }
    }
}
