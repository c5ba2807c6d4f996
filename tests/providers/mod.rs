//! Bodies of all seven providers, rule by rule (`docs/bodies.md`).

mod bad;
mod cases;
mod laws;
mod mends;
mod parity;
mod reasoning;
mod schemas;
mod settings;
mod view;

use crate::common::bodies::{bundle, lines, options};
use crate::common::outline::outline;
use convo::body::Provider;
use convo::config::Mode;
use convo::error::Error;
use convo::provider::{Options, Requests};
use serde_json::{Value, json};

/// The providers but Anthropic.
const OTHERS: [Provider; 6] = [
    Provider::OpenAi,
    Provider::Google,
    Provider::OpenRouter,
    Provider::Ollama,
    Provider::LlamaCpp,
    Provider::Cerebras,
];

fn model(provider: Provider) -> &'static str {
    match provider {
        Provider::Anthropic | Provider::Bedrock => "claude-opus-4-8",
        Provider::OpenAi => "gpt-5-mini",
        Provider::Google => "gemini-3-flash-preview",
        Provider::OpenRouter => "openai/gpt-5-mini",
        Provider::Ollama | Provider::LlamaCpp => "qwen3.5:9b",
        Provider::Cerebras => "gpt-oss-120b",
    }
}

/// A conversation to be asked for, as a bundle of plain entries.
struct Ask {
    provider: Provider,
    model: &'static str,
    mode: Mode,
    requests: Requests,
    bundle: Value,
}

impl Ask {
    fn new(provider: Provider, events: &Value) -> Self {
        let mut bundle = bundle(events);
        bundle["inputs"] = json!({"created_at": "2020-01-01T00:00:00Z"});
        Self {
            provider,
            model: model(provider),
            mode: Mode::Convo,
            requests: Requests::Last,
            bundle,
        }
    }

    /// With one of the facts that a stream does not hold.
    fn input(mut self, key: &str, value: Value) -> Self {
        self.bundle["inputs"][key] = value;
        self
    }

    /// With parameters of the model.
    fn parameters(mut self, parameters: Value) -> Self {
        let base = &mut self.bundle["base_config"];
        base["assistant"]["model"]["parameters"] = parameters;
        self
    }

    /// For a model `m` of which this is known.
    fn on(mut self, mut details: Value) -> Self {
        details["name"] = json!("m");
        self.model = "m";
        self.input("model", details)
    }

    fn jp(mut self) -> Self {
        self.mode = Mode::Jp;
        self
    }

    fn try_all(&self) -> Result<(Vec<Value>, Vec<&'static str>), Error> {
        let options = Options {
            mode: self.mode,
            requests: self.requests,
            ..options(self.provider.name(), Some(self.model))
        };
        let bytes = self.bundle.to_string();
        let (lines, told) = lines(bytes.as_bytes(), &options)?;
        let body = |line: &Vec<u8>| serde_json::from_slice(line).expect("a body");
        let told = told.iter().map(|one| one.code).collect();
        Ok((lines.iter().map(body).collect(), told))
    }

    #[track_caller]
    fn told(&self) -> (Value, Vec<&'static str>) {
        let (mut bodies, told) = self.try_all().expect("a body");
        (bodies.remove(0), told)
    }

    #[track_caller]
    fn body(&self) -> Value {
        self.told().0
    }

    /// What is said in the body, the system parts aside.
    #[track_caller]
    fn said(&self) -> Vec<String> {
        let mut lines = outline(self.provider, &self.body());
        lines.retain(|line| !line.starts_with("system "));
        lines
    }
}

fn ask(text: &str) -> Value {
    json!({"type": "chat_request", "content": text})
}

fn say(text: &str) -> Value {
    json!({"type": "chat_response", "message": text})
}

fn think(text: &str) -> Value {
    json!({"type": "chat_response", "reasoning": text})
}

fn call(id: &str) -> Value {
    json!({"type": "tool_call_request", "id": id, "name": "f", "arguments": {}})
}

fn result(id: &str, text: &str) -> Value {
    json!({"type": "tool_call_response", "id": id, "content": text})
}

fn failed(id: &str, text: &str) -> Value {
    json!({"type": "tool_call_response", "id": id, "content": text, "is_error": true})
}

fn start() -> Value {
    json!({"type": "turn_start"})
}

/// Lines without the ids that a provider has no room for.
fn with_ids(provider: Provider, lines: &[&str]) -> Vec<String> {
    let line = |line: &&str| {
        let mut words: Vec<&str> = line.splitn(3, ' ').collect();
        let has_id = ["call", "result", "failed"].contains(&words[0]);
        if has_id && provider == Provider::Ollama {
            words.remove(1);
        }
        words.join(" ")
    };
    lines.iter().map(line).collect()
}
