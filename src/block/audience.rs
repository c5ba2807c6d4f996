//! Whom a block addresses: `annotations.audience`, as MCP and JP's RFD 094 have it
//! (`docs/formats.md#audience`).
//!
//! Absent, null, `[]`, and what is neither a string nor an array, say nothing: the
//! block is for everybody. A string counts as an array of one. A name that is not
//! a role still counts as given, so that a block with such names alone reaches
//! nobody; [`super::fault`] tells of it.

use crate::json::{Kind, Raw};

/// A reader of tool results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// The roles a block names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// None given: absent, null, `[]`, or neither a string nor an array.
    Everyone,
    /// Given: unknown role names count as given and reach nobody.
    Named {
        /// `user` is among them.
        user: bool,
        /// `assistant` is among them.
        assistant: bool,
    },
}

impl Audience {
    /// Reads the value of `annotations.audience`.
    pub fn read(value: Option<Raw<'_>>) -> Self {
        let Some(value) = value else {
            return Audience::Everyone;
        };
        let is =
            |value: Raw<'_>, role: &str| value.as_text().is_some_and(|t| t.is(role));
        let names: Vec<Raw<'_>> = match value.kind() {
            Kind::String => vec![value],
            Kind::Array => value.as_array().into_iter().flatten().collect(),
            _ => Vec::new(),
        };
        if names.is_empty() {
            return Audience::Everyone;
        }
        Audience::Named {
            user: names.iter().any(|&name| is(name, "user")),
            assistant: names.iter().any(|&name| is(name, "assistant")),
        }
    }

    /// Whether the block is for `role`.
    pub fn includes(self, role: Role) -> bool {
        match self {
            Audience::Everyone => true,
            Audience::Named { user, assistant } => match role {
                Role::User => user,
                Role::Assistant => assistant,
            },
        }
    }

    /// Whether `user` is named outright (`--addressed-only`, D-24).
    pub fn names_user(self) -> bool {
        matches!(self, Audience::Named { user: true, .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degenerate_audiences_d19() {
        let user_and_assistant = |json: &str| {
            let raw = Raw::parse(json.as_bytes()).expect("JSON");
            let audience = Audience::read(Some(raw));
            (
                audience.includes(Role::User),
                audience.includes(Role::Assistant),
                audience.names_user(),
            )
        };
        for json in ["null", "[]", "{}", "5", "true"] {
            assert_eq!(user_and_assistant(json), (true, true, false), "{json}");
        }
        for (json, expected) in [
            ("\"user\"", (true, false, true)),
            ("\"assistant\"", (false, true, false)),
            ("[\"user\"]", (true, false, true)),
            ("[\"assistant\",\"user\"]", (true, true, true)),
            ("[\"developer\"]", (false, false, false)),
            ("[\"User\"]", (false, false, false)),
            ("[5]", (false, false, false)),
            ("[\"developer\",\"user\"]", (true, false, true)),
        ] {
            assert_eq!(user_and_assistant(json), expected, "{json}");
        }
        assert!(Audience::read(None).includes(Role::User));
    }
}
