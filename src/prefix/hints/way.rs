//! The ways out: where each is open, and the words for it.

use super::Means;
use crate::body::{Dialect, Provider};
use crate::model::Feature;

/// What a client can do instead of changing what was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::prefix) enum Way {
    /// Move what changes to the newest user message.
    Move,
    LeaveId,
    KeepIds,
    SameBytes,
    KeepKeys,
    KeepBytes,
    SortTools,
    /// `tool_removal`.
    Withdraw,
    /// A `tool_choice` that keeps the prefix.
    Allow,
    KeepTool,
    /// A deferred tool and a `tool_addition`.
    AddDeferred,
    /// An item that brings tools.
    AddItem,
    Declare,
    /// A `tool_addition` with a definition.
    Redefine,
    KeepDefinition,
    KeepDeferred,
    KeepFlag,
    KeepSwitch,
    KeepOrder,
    /// A system message in the conversation.
    SystemMessage,
    /// Another message in the role of the instructions.
    Role,
    UserMessage,
    SendReasoning,
    /// A reminder that leaves by itself.
    Clearing,
    Leave,
    KeepDirectives,
    ContextEditing,
    DropSeldom,
    ShortenFirst,
    KeepFile,
    Append,
    WithdrawInstead,
    SameChoice,
    /// A system message that holds the effort alone.
    EffortMessage,
    SameEffort,
}

impl Way {
    /// All of them.
    #[cfg(test)]
    pub(super) const FOLLOWED: [Way; 12] = [
        Way::Withdraw,
        Way::Allow,
        Way::AddDeferred,
        Way::AddItem,
        Way::Redefine,
        Way::SystemMessage,
        Way::Role,
        Way::UserMessage,
        Way::Clearing,
        Way::ContextEditing,
        Way::EffortMessage,
        Way::Move,
    ];

    /// The beta it takes to name, if it is open at all; an empty one is none.
    pub(super) fn opens<'t>(self, means: &Means<'t>) -> Option<Option<&'t str>> {
        let openai = means.provider == Provider::OpenAi;
        let when = |open: bool| open.then_some(None);
        match self {
            Way::Withdraw | Way::AddDeferred | Way::WithdrawInstead => {
                means.takes(Feature::ToolChange)
            }
            Way::Redefine => means.takes(Feature::ToolDefinition),
            Way::SystemMessage => means.takes(Feature::SystemMessage),
            Way::Clearing => means.takes(Feature::ClearAt),
            Way::EffortMessage => means.takes(Feature::MessageEffort),
            Way::ContextEditing => means.takes(Feature::ContextManagement),
            Way::Allow => when(openai),
            Way::AddItem => when(
                openai && means.cache.implicit && means.dialect == Dialect::Responses,
            ),
            // The first reasoning models take no instructions at all.
            Way::Role => when(
                openai
                    && !means.name.starts_with("o1-mini")
                    && !means.name.starts_with("o1-preview"),
            ),
            _ => Some(None),
        }
    }

    /// The words, for what stands at `at`.
    pub(super) fn says(self, at: &str, means: &Means<'_>) -> String {
        let mut text = self.words(at, means);
        if let Some(Some(beta)) = self.opens(means) {
            text.push_str(&format!(" (beta `{beta}`)"));
        }
        text
    }

    fn words(self, at: &str, means: &Means<'_>) -> String {
        let fixed = match self {
            Way::Move => {
                return format!(
                    "move it out of {at} to the end of the newest user message"
                );
            }
            Way::LeaveId => {
                return format!(
                    "leave the id out of {at}, keep one for the whole conversation, or \
                     move it to the newest user message"
                );
            }
            Way::KeepKeys => {
                return format!(
                    "send {at} as it came, keys in the order of the response; a store \
                     that sorts keys changes the prompt"
                );
            }
            Way::KeepBytes => {
                return format!(
                    "store and send {at} byte for byte: trimming on load changes the \
                     prompt"
                );
            }
            Way::SystemMessage => {
                return format!(
                    "leave {at} as it was and append the change as a mid-conversation \
                     system message (`\"role\":\"system\"` behind the newest user message)"
                );
            }
            Way::Role => {
                let role = match (means.dialect, means.role) {
                    (Dialect::Responses, _) => "developer",
                    (_, Some(role)) => role,
                    (_, None) => "developer",
                };
                return format!(
                    "leave {at} as it was and append the change as a `{role}` message \
                     behind what was sent"
                );
            }
            Way::UserMessage => {
                let more = match means.provider {
                    Provider::Google => {
                        "; what never changes can go into a `cachedContents` resource"
                    }
                    _ => "",
                };
                return format!(
                    "leave {at} as it was, what changes last, or put the change into the \
                     newest user message{more}"
                );
            }
            Way::SendReasoning => return reasoning(at, means),
            Way::ShortenFirst => {
                return format!(
                    "send {at} as it was first sent; shorten a result before it is sent \
                     the first time, not later"
                );
            }
            Way::KeepFile => {
                return format!(
                    "keep the encoded file in {at} with the conversation and send those \
                     bytes"
                );
            }
            Way::KeepOrder => {
                return format!(
                    "send {at} and what follows in the order in which it was first sent"
                );
            }
            Way::Append => {
                return format!(
                    "append instead of editing: leave {at} as it was sent and put what is \
                     new behind the newest message"
                );
            }
            Way::Withdraw => {
                let forced = means.model.is_some_and(|model| {
                    model.forced_tool_choice.taken() && !means.thinks
                });
                return format!(
                    "keep the definition in `tools` and send a `tool_removal` in a system \
                     message{}",
                    if forced {
                        "; to force one tool keep the array and set `tool_choice`"
                    } else {
                        ""
                    }
                );
            }
            Way::KeepIds => {
                "send the ids that the calls came with, in call and result, in every \
                 later request"
            }
            Way::SameBytes => {
                "write the tools once and send the same bytes each time: keys in one order"
            }
            Way::SortTools => {
                "sort the tools once, by name, and send them in that order every time"
            }
            Way::Allow => {
                "keep `tools` as it was and offer fewer of them with a `tool_choice` of \
                 type `allowed_tools`, or none with `tool_choice` `none`: neither breaks \
                 the prefix"
            }
            Way::KeepTool => {
                "keep the definition in `tools`, and say in the newest user message that \
                 it is not to be called"
            }
            Way::AddDeferred => {
                "leave `tools` as it was: append the tool with `defer_loading` and send a \
                 `tool_addition`"
            }
            Way::AddItem => {
                "leave `tools` as it was and append the tool in an `additional_tools` item"
            }
            Way::Declare => {
                "declare every tool from the first request on, in one order"
            }
            Way::Redefine => {
                "keep the definition as first sent; send a new one by value in a \
                 `tool_addition`, or keep what changes out of descriptions"
            }
            Way::KeepDefinition => {
                "keep the definition as first sent, and what changes out of descriptions"
            }
            Way::KeepDeferred => {
                "keep the deferred definition as it was when a message brought it into the \
                 prompt"
            }
            Way::KeepFlag => "decide once which tools are deferred",
            Way::KeepSwitch => {
                "switch server tools and citations on in the first request, or not at all"
            }
            Way::Clearing => {
                "leave the reminder where it was first sent and append a new one; sent as a \
                 system message with `clear_at` it leaves the prompt by itself"
            }
            Way::Leave => {
                "leave the reminder where it was first sent, and append a new one; or put it \
                 into the newest message alone, where nothing behind it is cached"
            }
            Way::KeepDirectives => {
                "leave earlier system messages where and as they were sent; append a new \
                 one"
            }
            Way::ContextEditing => {
                "do not slide the window every turn: drop history seldom and much at a \
                 time, or leave it to the API's context editing"
            }
            Way::DropSeldom => {
                "do not slide the window every turn: drop history seldom and much at a \
                 time"
            }
            Way::WithdrawInstead => {
                "keep `tool_choice` as it was; withdraw tools with `tool_removal` instead"
            }
            Way::SameChoice => {
                "send the same `tool_choice` in every request of a conversation"
            }
            Way::EffortMessage => {
                "change effort with a system message that holds `output_config` alone, its \
                 `content` an empty list"
            }
            Way::SameEffort => "keep one effort for the whole conversation",
        };
        fixed.to_owned()
    }
}

/// How reasoning is sent back.
fn reasoning(at: &str, means: &Means<'_>) -> String {
    let what = match (means.dialect, means.provider) {
        (Dialect::Responses, _) => "send the reasoning item back where it stood",
        (_, Provider::LlamaCpp) => {
            "start the server with `--reasoning-preserve` where the chat template allows \
             that, and send the reasoning back (`reasoning_content`) with the answer it \
             came with"
        }
        _ => "send the reasoning back with the answer it came with",
    };
    format!("{what} at {at}, in every later request")
}
