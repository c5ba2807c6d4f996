//! How much a request asks a model to reason (`docs/bodies.md#reasoning`).

use crate::config::{Effort, Reasoning};
use crate::model::{Model, ReasoningSupport};

/// What a configuration comes to for a model: no reasoning, or an effort.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolved {
    /// Nothing is asked for.
    None,
    /// This effort is.
    Effort(Effort),
}

impl Resolved {
    /// Resolves what is configured against what the model can do.
    pub fn of(configured: Option<Reasoning>, details: &Model) -> Self {
        use Effort::{Auto, High, Low, Max, Medium, XHigh, XLow};
        let named = match configured {
            None | Some(Reasoning::Auto) => None,
            Some(Reasoning::Off) => return Resolved::None,
            Some(Reasoning::On(effort)) => Some(effort),
        };
        let default = match &details.reasoning {
            ReasoningSupport::Unsupported => return Resolved::None,
            ReasoningSupport::Unknown => {
                if configured.is_none() {
                    return Resolved::None;
                }
                Auto
            }
            ReasoningSupport::Budgeted { .. } => Medium,
            ReasoningSupport::Adaptive(_) => High,
            ReasoningSupport::Leveled(levels) => {
                let order = [Medium, High, XHigh, Low, Max];
                let has =
                    |effort: &Effort| levels.iter().any(|level| level == effort.name());
                order.into_iter().find(has).unwrap_or(XLow)
            }
        };
        Resolved::Effort(named.unwrap_or(default))
    }

    /// The effort, if there is one.
    pub fn effort(self) -> Option<Effort> {
        match self {
            Resolved::None => None,
            Resolved::Effort(effort) => Some(effort),
        }
    }
}

impl Effort {
    /// The level's name; that of the nearest level for a number of tokens, which
    /// needs [`Effort::relative`] first.
    pub fn name(&self) -> &'static str {
        match self {
            Effort::Auto | Effort::Absolute(_) => "auto",
            Effort::None => "none",
            Effort::XLow => "xlow",
            Effort::Low => "low",
            Effort::Medium => "medium",
            Effort::High => "high",
            Effort::XHigh => "xhigh",
            Effort::Max => "max",
        }
    }

    /// The tokens an effort stands for when `max` is all there is.
    pub fn tokens(self, max: u64) -> u64 {
        let percent = match self {
            Effort::Absolute(tokens) => return tokens,
            Effort::None => 0,
            Effort::XLow => 10,
            Effort::Low => 20,
            Effort::Auto | Effort::Medium => 50,
            Effort::High => 80,
            Effort::XHigh => 90,
            Effort::Max => 100,
        };
        u64::try_from(u128::from(max) * percent / 100).unwrap_or(max)
    }

    /// A level for a number of tokens; `auto` where the maximum is not known.
    pub fn relative(self, max: Option<u64>) -> Self {
        let (Effort::Absolute(tokens), Some(max)) = (self, max) else {
            return match self {
                Effort::Absolute(_) => Effort::Auto,
                level => level,
            };
        };
        let share = u128::from(tokens) * 100;
        let over = |percent: u128| share > percent * u128::from(max);
        match () {
            () if over(90) => Effort::Max,
            () if over(80) => Effort::XHigh,
            () if over(50) => Effort::High,
            () if over(20) => Effort::Medium,
            () => Effort::Low,
        }
    }
}
