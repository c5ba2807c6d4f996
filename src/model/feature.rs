//! Features, the betas and platforms that open them, and the request limits.

use super::entry::{unknown_key, wrong};
use crate::error::Error;
use crate::json::Raw;

/// Where a request is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Platform {
    /// The vendor's own API.
    #[default]
    ClaudeApi,
    /// Amazon Bedrock.
    Bedrock,
    /// Google Cloud, managed by Google.
    GoogleCloud,
}

impl Platform {
    /// All platforms.
    pub const ALL: [Platform; 3] = [
        Platform::ClaudeApi,
        Platform::Bedrock,
        Platform::GoogleCloud,
    ];

    /// The name options and the table use.
    pub fn name(self) -> &'static str {
        match self {
            Platform::ClaudeApi => "claude-api",
            Platform::Bedrock => "bedrock",
            Platform::GoogleCloud => "google-cloud",
        }
    }

    /// The platform of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}

/// Something a request may use only where it is on offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Feature {
    /// A system message inside `messages`.
    SystemMessage,
    /// A tool change that names its tool.
    ToolChange,
    /// A tool change that brings its tool's definition.
    ToolDefinition,
    /// A tool change that brings an MCP toolset.
    McpDefinition,
    /// `mcp_servers`.
    McpServers,
    /// `clear_at` on a system message.
    ClearAt,
    /// `output_config.effort` on a system message.
    MessageEffort,
    /// `thinking.block_binding`.
    BlockBinding,
    /// `thinking.display` with the value `updates`.
    DisplayUpdates,
    /// `context_management`.
    ContextManagement,
    /// `compaction` blocks.
    Compaction,
    /// `diagnostics`.
    CacheDiagnostics,
}

impl Feature {
    /// All features.
    pub const ALL: [Feature; 12] = [
        Feature::SystemMessage,
        Feature::ToolChange,
        Feature::ToolDefinition,
        Feature::McpDefinition,
        Feature::McpServers,
        Feature::ClearAt,
        Feature::MessageEffort,
        Feature::BlockBinding,
        Feature::DisplayUpdates,
        Feature::ContextManagement,
        Feature::Compaction,
        Feature::CacheDiagnostics,
    ];

    /// The feature's key in the table.
    pub fn name(self) -> &'static str {
        match self {
            Feature::SystemMessage => "system_message",
            Feature::ToolChange => "tool_change",
            Feature::ToolDefinition => "tool_definition",
            Feature::McpDefinition => "mcp_definition",
            Feature::McpServers => "mcp_servers",
            Feature::ClearAt => "clear_at",
            Feature::MessageEffort => "message_effort",
            Feature::BlockBinding => "block_binding",
            Feature::DisplayUpdates => "display_updates",
            Feature::ContextManagement => "context_management",
            Feature::Compaction => "compaction",
            Feature::CacheDiagnostics => "cache_diagnostics",
        }
    }

    pub(super) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}

/// The beta headers of a request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Betas {
    /// Nobody said which are on.
    #[default]
    Unknown,
    /// Exactly these are on.
    Known(Vec<String>),
}

impl Betas {
    /// Whether the beta is known to be on.
    pub fn has(&self, beta: &str) -> bool {
        match self {
            Betas::Unknown => false,
            Betas::Known(betas) => betas.iter().any(|one| one == beta),
        }
    }
}

/// Whether a feature may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// It may.
    Open,
    /// One of its betas must be on, and none is.
    NeedsBeta,
    /// One of its betas must be on, and nobody said which are.
    Unknown,
    /// The platform does not offer it.
    NotHere,
}

/// One way to a feature: a beta, or none, on some platforms.
#[derive(Debug, Clone)]
pub(super) struct Way {
    beta: Option<String>,
    platforms: Vec<String>,
}

impl Way {
    /// Reads `{"beta": NAME, "platforms": [NAME]}`; without a beta none is needed.
    pub(super) fn read(raw: Raw<'_>, path: &str) -> Result<Self, Error> {
        const KEYS: &[&str] = &["beta", "platforms", "source"];
        const EXPECTED: &str = "an object with a `beta`, or none, and `platforms`, \
                                each claude-api, bedrock or google-cloud";
        for (key, _) in raw.as_object().into_iter().flatten() {
            if !KEYS.iter().any(|one| key.is(one)) {
                return Err(unknown_key(path, &key.decode(), KEYS));
            }
        }
        let names = raw.get("platforms").and_then(super::support::strings);
        let known = |names: &Vec<String>| {
            names.iter().all(|name| Platform::parse(name).is_some())
        };
        let beta = raw.get("beta").filter(|beta| !beta.is_null());
        match (names.filter(known), beta.map(Raw::as_str)) {
            (None, _) | (_, Some(None)) => Err(wrong(path, EXPECTED, raw)),
            (Some(platforms), beta) => Ok(Self {
                beta: beta.flatten().map(Into::into),
                platforms,
            }),
        }
    }

    pub(super) fn on(&self, platform: Platform) -> bool {
        self.platforms.iter().any(|name| name == platform.name())
    }

    pub(super) fn beta(&self) -> Option<&str> {
        self.beta.as_deref()
    }
}

macro_rules! limits {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// How much of anything one request may hold.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct Limits {
            $($(#[$doc])* pub $name: usize,)*
        }

        impl Limits {
            const KEYS: &[&str] = &[$(stringify!($name)),*];

            /// Lays an object of numbers over the limits.
            pub(super) fn read(&mut self, raw: Raw<'_>, path: &str) -> Result<(), Error> {
                let Some(members) = raw.as_object() else {
                    return Err(wrong(path, "an object of numbers", raw));
                };
                for (key, value) in members {
                    let key = key.decode();
                    let number = value.as_u64().map(usize::try_from);
                    let Some(number) = number.map(|n| n.unwrap_or(usize::MAX)) else {
                        let at = format!("{path}/{key}");
                        return Err(wrong(&at, "a whole number", value));
                    };
                    match &*key {
                        $(stringify!($name) => self.$name = number,)*
                        _ => return Err(unknown_key(path, &key, Self::KEYS)),
                    }
                }
                Ok(())
            }
        }
    };
}

limits! {
    /// Cache breakpoints, the automatic one included.
    breakpoints,
    /// Positions a breakpoint looks back over, itself the first.
    lookback,
    /// Deferred tools available at any point.
    deferred_tools,
    /// Tools defined after the first user message and available at any point.
    later_tools,
    /// Bytes of definitions sent in messages and available at any point.
    later_tool_bytes,
    /// Bytes of rendered tool text.
    tool_text_bytes,
    /// Entries of `mcp_servers`.
    mcp_servers,
    /// Messages.
    messages,
    /// Bytes of the whole request.
    request_bytes,
    /// Characters of a picture's base64.
    image_bytes,
}
