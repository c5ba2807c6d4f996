//! Requests that the APIs answered: what they took has no error, what they
//! refused has one.

use super::with;
use crate::common::corpus::{corpus, report};
use convo::body::Provider;
use convo::error::Severity;
use convo::lint::{Wanted, check};
use serde_json::Value;

fn lines(file: &str) -> Vec<Value> {
    let Some(folder) = corpus() else {
        return Vec::new();
    };
    let text = std::fs::read_to_string(folder.join(file)).unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// The errors of a body, each with its path.
fn errors(body: &Value, said: Option<Provider>, model: Option<&str>) -> Vec<String> {
    let wanted = Wanted {
        model: model.map(Into::into),
        ..Wanted::default()
    };
    let text = body.to_string();
    let found = with(text.as_bytes(), said, &wanted, |body, capture, profile| {
        check(body, capture.bytes(), profile)
    });
    match found {
        Ok(found) => found
            .into_iter()
            .filter(|one| one.severity == Severity::Error)
            .map(|one| format!("{} {}: {}", one.rule.id, one.path, one.message))
            .collect(),
        Err(error) => vec![format!("refused: {error}")],
    }
}

#[test]
fn what_the_apis_took_has_no_error() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for name in ["anthropic", "cerebras", "google", "openai", "openrouter"] {
        for line in lines(&format!("traffic/{name}.jsonl")) {
            count += 1;
            let model = line["model"].as_str();
            // Google takes chat completions at another address, as OpenAI's.
            let chat = line["body"].get("contents").is_none();
            let said = line["provider"].as_str().and_then(Provider::read);
            let said = said.filter(|one| *one != Provider::Google || !chat);
            let place = format!("{name} {} {}", line["recording"], line["index"]);
            for said in [said, None] {
                let found = errors(&line["body"], said, model);
                let taken = line["status"].as_u64().is_some_and(|status| status < 300);
                if taken
                    && !found.is_empty()
                    && (said.is_some() || name != "openrouter")
                {
                    wrong.push(format!("{place} {said:?}: {}", found.join("; ")));
                }
                if line["status"] == 400 && said.is_some() && found.is_empty() {
                    wrong.push(format!("{place}: nothing, but {}", line["error"]));
                }
            }
        }
    }
    report("lint of recorded traffic", count);
    assert!(
        wrong.is_empty(),
        "{} of {count}\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Bodies that clients recorded with their answers, by the address they went to.
#[test]
fn imported_bodies_have_no_error() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for name in [
        "anthropic-messages",
        "bedrock-converse",
        "chat-other",
        "gemini",
        "local-chat",
        "openai-chat",
        "openai-responses",
        "openrouter-chat",
    ] {
        for line in lines(&format!("import/bodies/{name}.jsonl")) {
            count += 1;
            let uri = line["uri"].as_str().unwrap_or_default();
            let model = uri
                .split("models/")
                .nth(1)
                .and_then(|rest| rest.split(':').next());
            let found = errors(&line["body"], None, model);
            if !found.is_empty() {
                wrong.push(format!("{name} {}: {}", line["origin"], found.join("; ")));
            }
        }
    }
    report("lint of imported bodies", count);
    assert!(
        wrong.is_empty(),
        "{} of {count}\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
