//! The roles and kinds of blocks that a Messages body has.
//!
//! The names are those of the API; what may stand where is `lint`'s to say.

/// The roles of the Messages API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// `user`
    User,
    /// `assistant`
    Assistant,
    /// `system`
    System,
    /// Any other word.
    Other,
}

impl Role {
    /// The role of that name.
    pub fn of(name: &str) -> Self {
        match name {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            "system" => Role::System,
            _ => Role::Other,
        }
    }
}

/// Whether a block of this type changes the tools on offer.
pub fn is_change(kind: &str) -> bool {
    matches!(kind, "tool_addition" | "tool_removal")
}

/// Whether a block of this type is the result of a server tool, behind which an
/// assistant turn may be paused.
pub fn is_server_result(kind: &str) -> bool {
    kind.len() > "_tool_result".len() && kind.ends_with("_tool_result")
}

/// Whether a block of this type holds thinking.
pub fn is_thinking(kind: &str) -> bool {
    matches!(kind, "thinking" | "redacted_thinking")
}
