//! What is asked of an import.

use crate::body::Provider;

/// A format that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// A session of Claude Code.
    ClaudeCode,
    /// A rollout of Codex.
    Codex,
    /// A body of the Messages API.
    Anthropic,
    /// A body of the Responses API.
    OpenAiResponses,
    /// A body of a chat completions API.
    OpenAiChat,
    /// A body of `generateContent`.
    Gemini,
    /// A session of Gemini CLI.
    GeminiCli,
    /// A dataset of `conversations` with `from` and `value`.
    ShareGpt,
    /// A dataset of `messages`.
    Messages,
}

impl Format {
    /// All formats, in the order of the help.
    pub const ALL: [Format; 9] = [
        Format::ClaudeCode,
        Format::Codex,
        Format::Anthropic,
        Format::OpenAiResponses,
        Format::OpenAiChat,
        Format::Gemini,
        Format::GeminiCli,
        Format::ShareGpt,
        Format::Messages,
    ];

    /// The word for it in options and in `metadata.import.format`.
    pub fn name(self) -> &'static str {
        match self {
            Format::ClaudeCode => "claude-code",
            Format::Codex => "codex",
            Format::Anthropic => "anthropic",
            Format::OpenAiResponses => "openai-responses",
            Format::OpenAiChat => "openai-chat",
            Format::Gemini => "gemini",
            Format::GeminiCli => "gemini-cli",
            Format::ShareGpt => "sharegpt",
            Format::Messages => "messages",
        }
    }

    /// What people call it, with its article.
    pub fn title(self) -> &'static str {
        match self {
            Format::ClaudeCode => "a Claude Code session",
            Format::Codex => "a Codex session",
            Format::Anthropic => "a body of the Messages API",
            Format::OpenAiResponses => "a body of the Responses API",
            Format::OpenAiChat => "a chat completions body",
            Format::Gemini => "a Gemini body",
            Format::GeminiCli => "a Gemini CLI session",
            Format::ShareGpt => "a ShareGPT dataset",
            Format::Messages => "a dataset of messages",
        }
    }

    /// Whether one input is one session, line by line.
    pub fn is_session(self) -> bool {
        matches!(self, Format::ClaudeCode | Format::Codex | Format::GeminiCli)
    }
}

/// Which path of a session that branches is taken.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Branch {
    /// The one that was worked on last.
    #[default]
    Last,
    /// Each of them, as a record of its own.
    All,
    /// A table of them instead of records.
    List,
    /// The one a line id, or a prefix of it, leads to.
    Id(String),
}

/// What becomes of subagents' lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sidechains {
    /// Records of their own behind their session.
    #[default]
    Separate,
    /// Counted only.
    Drop,
}

/// How a session that was compacted is told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Compaction {
    /// The whole history, with a compaction entry over it.
    #[default]
    Overlay,
    /// What the model saw last.
    Cut,
}

/// How much of what events cannot hold is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Keep {
    /// Nothing of it.
    None,
    /// Where it comes from, and what was made up.
    Lean,
    /// All of it.
    #[default]
    All,
}

/// What is asked of an import. The default is what every command reads with.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The format, where the input is not to be asked.
    pub from: Option<Format>,
    /// The provider a chat body belongs to.
    pub provider: Option<Provider>,
    /// Which branch.
    pub branch: Branch,
    /// What becomes of subagents.
    pub sidechains: Sidechains,
    /// What becomes of compactions.
    pub compaction: Compaction,
    /// How much is kept.
    pub keep: Keep,
    /// Whether bodies that grow by prefix are one conversation.
    pub sequence: bool,
    /// System parts from outside, a JSON array of strings.
    pub system: Option<Vec<u8>>,
    /// Tools from outside, a JSON array in any provider's form.
    pub tools: Option<Vec<u8>>,
    /// The model from outside: provider and name.
    pub model: Option<(String, String)>,
    /// What stands beside an agent file: `agent-<id>.meta.json`, checked JSON.
    pub sidecar: Option<Vec<u8>>,
    /// The name of the input, of which only an agent's id is taken.
    pub stem: Option<String>,
}
