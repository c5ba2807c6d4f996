//! The values that facts take: what a model takes, checks, keeps and reads.

use crate::json::Raw;

/// Whether a model takes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Support {
    /// Documented to.
    #[default]
    Yes,
    /// Assumed to.
    AssumedYes,
    /// Documented not to.
    No,
    /// Assumed not to.
    AssumedNo,
    /// Only while it thinks.
    WithThinking,
}

impl Support {
    /// Whether it is refused, surely or presumably.
    pub fn refused(self) -> bool {
        matches!(self, Support::No | Support::AssumedNo)
    }

    /// Whether it is taken, surely or presumably, at least while thinking.
    pub fn taken(self) -> bool {
        !self.refused()
    }

    /// Whether the answer is documented.
    pub fn sure(self) -> bool {
        !matches!(self, Support::AssumedYes | Support::AssumedNo)
    }

    /// Reads `"yes"`, `"no?"` and the like, or a boolean, as bundles have it.
    pub(super) fn read(raw: Raw<'_>) -> Option<Self> {
        if let Some(taken) = raw.as_bool() {
            return Some(if taken { Support::Yes } else { Support::No });
        }
        Some(match raw.as_str()?.as_ref() {
            "yes" => Support::Yes,
            "yes?" => Support::AssumedYes,
            "no" => Support::No,
            "no?" => Support::AssumedNo,
            "thinking" => Support::WithThinking,
            _ => return None,
        })
    }
}

/// What becomes of a thinking block whose prefix changed, when the request does
/// not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Binding {
    /// Nobody checks.
    #[default]
    NotChecked,
    /// The block is read all the same.
    Allow,
    /// The request is refused.
    Reject,
    /// Sources disagree whether the request is refused.
    MayReject,
}

impl Binding {
    pub(super) fn read(raw: Raw<'_>) -> Option<Self> {
        Some(match raw.as_str()?.as_ref() {
            "not_checked" => Binding::NotChecked,
            "allow" => Binding::Allow,
            "reject" => Binding::Reject,
            "reject?" => Binding::MayReject,
            _ => return None,
        })
    }
}

/// Which thinking blocks stay in the rendered prompt after a user text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeepThinking {
    /// Not documented.
    #[default]
    Unknown,
    /// All of them.
    All,
    /// Those of the last assistant turn.
    Last,
}

impl KeepThinking {
    pub(super) fn read(raw: Raw<'_>) -> Option<Self> {
        Some(match raw.as_str().as_deref() {
            Some("all") => KeepThinking::All,
            Some("last") => KeepThinking::Last,
            _ if raw.is_null() => KeepThinking::Unknown,
            _ => return None,
        })
    }
}

/// How a model reasons.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ReasoningSupport {
    /// Nobody knows.
    #[default]
    Unknown,
    /// It does not.
    Unsupported,
    /// By a budget of tokens.
    Budgeted {
        /// Fewest tokens.
        min: u64,
        /// Most tokens, if there is a cap.
        max: Option<u64>,
    },
    /// By one of these levels.
    Leveled(Vec<String>),
    /// As it sees fit; these levels exist above `high`.
    Adaptive(Vec<String>),
}

impl ReasoningSupport {
    /// Reads the support, and whether reasoning can be switched off.
    pub(super) fn read(raw: Raw<'_>) -> Option<(Self, bool)> {
        let number = |key| raw.get(key).and_then(Raw::as_u64);
        let levels = || strings(raw.get("levels")?);
        let mode = raw.get("mode").and_then(Raw::as_str);
        let support = match (raw.as_str().as_deref(), mode.as_deref()) {
            (None, None) if raw.is_null() => ReasoningSupport::Unknown,
            (Some("unsupported"), _) => ReasoningSupport::Unsupported,
            (_, Some("budgetted" | "budgeted")) => ReasoningSupport::Budgeted {
                min: number("min").unwrap_or(0),
                max: number("max"),
            },
            (_, Some("leveled")) => {
                ReasoningSupport::Leveled(levels().unwrap_or_default())
            }
            (_, Some("adaptive")) => {
                ReasoningSupport::Adaptive(levels().unwrap_or_default())
            }
            _ => return None,
        };
        let can_disable = raw.get("can_disable").and_then(Raw::as_bool);
        Some((support, can_disable.unwrap_or(true)))
    }
}

/// The strings of an array; `None` where it is none, or holds something else.
pub(super) fn strings(raw: Raw<'_>) -> Option<Vec<String>> {
    let all = raw.as_array()?.map(|one| one.as_str().map(Into::into));
    all.collect()
}
