//! Whose request a body is.
//!
//! Seven providers speak five dialects (`docs/bodies.md`). A body does not
//! name its provider, so [`recognise`] reads it off the fields: first the ones
//! that only one dialect has, then what tells the dialects built on `messages`
//! apart. Where nothing tells, the answer is a guess and says so; a caller who
//! knows better passes the provider.

use super::Fields;
use crate::json::{Kind, Raw};

/// A provider that a body can be written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Provider {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Responses.
    OpenAi,
    /// Gemini `generateContent`.
    Google,
    /// OpenRouter chat completions.
    OpenRouter,
    /// Ollama chat.
    Ollama,
    /// llama.cpp server chat completions.
    LlamaCpp,
    /// Cerebras chat completions.
    Cerebras,
    /// Bedrock Converse. Read and judged, never written.
    Bedrock,
}

/// The shape a provider's bodies have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `messages` of content blocks beside `system` and `tools`.
    Messages,
    /// `input` items.
    Responses,
    /// `contents` of parts.
    Gemini,
    /// `messages` with `tool_calls`, arguments as strings.
    Chat,
    /// `messages` with `tool_calls`, arguments as objects, no ids.
    Ollama,
    /// `messages` of blocks named by their only key, `toolConfig`.
    Converse,
}

impl Provider {
    /// All providers that bodies are written for, in the order of `docs/bodies.md`.
    pub const ALL: [Provider; 7] = [
        Provider::Anthropic,
        Provider::OpenAi,
        Provider::Google,
        Provider::OpenRouter,
        Provider::Ollama,
        Provider::LlamaCpp,
        Provider::Cerebras,
    ];

    /// All providers whose bodies are read.
    pub const READ: [Provider; 8] = [
        Provider::Anthropic,
        Provider::OpenAi,
        Provider::Google,
        Provider::OpenRouter,
        Provider::Ollama,
        Provider::LlamaCpp,
        Provider::Cerebras,
        Provider::Bedrock,
    ];

    /// The provider's id, as configurations and options spell it.
    pub fn name(self) -> &'static str {
        match self {
            Provider::Anthropic => "anthropic",
            Provider::OpenAi => "openai",
            Provider::Google => "google",
            Provider::OpenRouter => "openrouter",
            Provider::Ollama => "ollama",
            Provider::LlamaCpp => "llamacpp",
            Provider::Cerebras => "cerebras",
            Provider::Bedrock => "bedrock",
        }
    }

    /// The provider with that id.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }

    /// The provider with that id, those whose bodies are only read among them.
    pub fn read(name: &str) -> Option<Self> {
        Self::READ.into_iter().find(|one| one.name() == name)
    }

    /// The shape that a body with these fields has, if it is this provider's.
    /// OpenAI and OpenRouter take two.
    pub fn dialect_of(self, fields: &Fields<'_>) -> Dialect {
        let chat = fields.get("messages").is_some();
        let items = fields.get("input").is_some();
        match self {
            Provider::OpenAi if chat && !items => Dialect::Chat,
            Provider::OpenRouter if items && !chat => Dialect::Responses,
            _ => self.dialect(),
        }
    }

    /// The fields one of which a body of it has.
    pub(super) fn prompt_keys(self) -> &'static [&'static str] {
        match self {
            Provider::Google => &["contents", "cachedContent", "cached_content"],
            Provider::OpenAi => &["input", "previous_response_id", "messages"],
            Provider::OpenRouter => &["messages", "input"],
            Provider::Anthropic
            | Provider::Ollama
            | Provider::LlamaCpp
            | Provider::Cerebras
            | Provider::Bedrock => &["messages"],
        }
    }

    /// Whether a body has one of them; one of parameters alone is Anthropic's.
    pub(super) fn has_own(self, fields: &Fields<'_>) -> bool {
        self == Provider::Anthropic && fields.get("contents").is_none()
            || self
                .prompt_keys()
                .iter()
                .any(|key| fields.get(key).is_some())
    }

    /// The shape of the bodies that are written for it.
    pub fn dialect(self) -> Dialect {
        match self {
            Provider::Anthropic => Dialect::Messages,
            Provider::OpenAi => Dialect::Responses,
            Provider::Google => Dialect::Gemini,
            Provider::Ollama => Dialect::Ollama,
            Provider::Bedrock => Dialect::Converse,
            Provider::OpenRouter | Provider::LlamaCpp | Provider::Cerebras => {
                Dialect::Chat
            }
        }
    }
}

/// A provider, and whether anything in the body proves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recognised {
    /// The provider.
    pub provider: Provider,
    /// Whether a field says so; false for a guess.
    pub certain: bool,
}

/// The provider a body is for, or `None` when it is nobody's.
///
/// `model` is the model's name where the body does not hold it.
pub fn recognise(fields: &Fields<'_>, model: Option<&str>) -> Option<Recognised> {
    let sure = |provider| {
        Some(Recognised {
            provider,
            certain: true,
        })
    };
    let guess = |provider| {
        Some(Recognised {
            provider,
            certain: false,
        })
    };
    if fields.get("contents").is_some() {
        return sure(Provider::Google);
    }
    let Some(messages) = fields.get("messages") else {
        let responses = ["input", "previous_response_id"];
        if responses.iter().any(|key| fields.get(key).is_some()) {
            let own = fields.get("model").and_then(Raw::as_str);
            let routed = own
                .as_deref()
                .or(model)
                .is_some_and(|name| name.contains('/'));
            let routed = routed || fields.given("provider").is_some();
            return sure(match routed {
                true => Provider::OpenRouter,
                false => Provider::OpenAi,
            });
        }
        return only_parameters(fields, model).then_some(Recognised {
            provider: Provider::Anthropic,
            certain: false,
        });
    };
    let own = fields.get("model").and_then(Raw::as_str);
    let model = own.as_deref().or(model).unwrap_or_default();
    if is_converse(fields, messages) {
        return sure(Provider::Bedrock);
    }
    if is_anthropic(fields) {
        return sure(Provider::Anthropic);
    }
    let has = |key: &str| fields.get(key).is_some_and(|value| !value.is_null());
    if has("chat_template_kwargs") || has("cache_prompt") || has("n_predict") {
        return sure(Provider::LlamaCpp);
    }
    if ["options", "think", "keep_alive", "format"]
        .iter()
        .any(|key| has(key))
    {
        return sure(Provider::Ollama);
    }
    if ["reasoning", "provider", "transforms", "plugins", "models"]
        .iter()
        .any(|key| has(key))
    {
        return sure(Provider::OpenRouter);
    }
    // A name like `gpt-5.4` is OpenAI's alone; with a gateway's prefix it is not.
    if is_openai(model) {
        return sure(Provider::OpenAi);
    }
    if has("max_completion_tokens") || has("reasoning_format") {
        return sure(Provider::Cerebras);
    }
    if is_claude(model) {
        return sure(Provider::Anthropic);
    }
    match message_shape(messages) {
        Shape::Blocks => sure(Provider::Anthropic),
        Shape::Ollama => sure(Provider::Ollama),
        Shape::Chat => guess(Provider::OpenRouter),
        Shape::Plain if !model.is_empty() || has_functions(fields) => {
            guess(Provider::OpenRouter)
        }
        Shape::Plain => guess(Provider::Anthropic),
    }
}

/// Whether a body without messages still has the parameters of one.
fn only_parameters(fields: &Fields<'_>, model: Option<&str>) -> bool {
    let own = fields.get("model").and_then(Raw::as_str);
    fields.get("max_tokens").is_some()
        || is_claude(own.as_deref().or(model).unwrap_or_default())
            && fields.get("model").is_some()
}

fn is_openai(model: &str) -> bool {
    let digit = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    model.strip_prefix("gpt-").is_some_and(digit)
        || model.starts_with("chatgpt-")
        || ["o1", "o3", "o4"].iter().any(|name| {
            model
                .strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        })
}

/// Whether a body has the marks of Bedrock Converse: its own fields, or blocks
/// that are named by their only key.
fn is_converse(fields: &Fields<'_>, messages: Raw<'_>) -> bool {
    const OWN: [&str; 5] = [
        "inferenceConfig",
        "toolConfig",
        "additionalModelRequestFields",
        "guardrailConfig",
        "modelId",
    ];
    const BLOCKS: [&str; 5] = [
        "toolUse",
        "toolResult",
        "reasoningContent",
        "cachePoint",
        "document",
    ];
    if OWN.iter().any(|key| fields.given(key).is_some()) {
        return true;
    }
    let untyped = |raw: Raw<'_>| {
        raw.kind() == Kind::Object
            && raw.get("type").is_none()
            && raw.get("text").is_some()
    };
    let first = |raw: Option<Raw<'_>>| raw?.as_array()?.next().map(untyped);
    if first(fields.get("system")) == Some(true) {
        return true;
    }
    // Two messages tell: a question, and what answers it.
    let list = messages.as_array().into_iter().flatten().take(2);
    let blocks = list.filter_map(|message| message.get("content")?.as_array()?.next());
    let mut blocks = blocks.peekable();
    blocks.peek().is_some()
        && blocks.all(|block| {
            untyped(block)
                || block.get("type").is_none()
                    && BLOCKS.iter().any(|key| block.get(key).is_some())
        })
}

fn is_claude(model: &str) -> bool {
    model.starts_with("claude") || model.contains("anthropic.claude")
}

fn is_anthropic(fields: &Fields<'_>) -> bool {
    let object = |key: &str| {
        fields
            .get(key)
            .is_some_and(|value| value.kind() == Kind::Object)
    };
    fields.get("system").is_some()
        || fields.get("anthropic_version").is_some()
        || fields.get("mcp_servers").is_some()
        || object("cache_control")
        || object("thinking")
        || object("output_config")
        || first_tool(fields).is_some_and(|tool| tool.get("input_schema").is_some())
}

fn first_tool<'a>(fields: &Fields<'a>) -> Option<Raw<'a>> {
    fields.get("tools")?.as_array()?.next()
}

fn has_functions(fields: &Fields<'_>) -> bool {
    first_tool(fields).is_some_and(|tool| tool.get("function").is_some())
}

enum Shape {
    Blocks,
    Chat,
    Ollama,
    Plain,
}

/// The first message that tells; usually one of the first three.
fn message_shape(messages: Raw<'_>) -> Shape {
    for message in messages.as_array().into_iter().flatten() {
        let fields = Fields::read(message);
        let role = fields.get("role").and_then(Raw::as_str);
        if role.as_deref() == Some("tool") {
            let id = fields.get("tool_call_id").is_some();
            return if id { Shape::Chat } else { Shape::Ollama };
        }
        if fields.get("thinking").is_some() || fields.get("images").is_some() {
            return Shape::Ollama;
        }
        let calls = fields.get("tool_calls").and_then(Raw::as_array);
        if let Some(call) = calls.and_then(|mut calls| calls.next()) {
            let id = call.get("id").is_some();
            return if id { Shape::Chat } else { Shape::Ollama };
        }
        if fields.get("reasoning").is_some()
            || fields.get("reasoning_content").is_some()
        {
            return Shape::Chat;
        }
        for block in fields
            .get("content")
            .and_then(Raw::as_array)
            .into_iter()
            .flatten()
        {
            match block.get("type").and_then(Raw::as_str).as_deref() {
                Some(
                    "image_url" | "input_audio" | "file" | "video_url" | "input_video"
                    | "refusal",
                ) => return Shape::Chat,
                Some("text") | None => {}
                Some(_) => return Shape::Blocks,
            }
        }
    }
    Shape::Plain
}
