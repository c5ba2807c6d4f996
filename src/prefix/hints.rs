//! How to keep the prefix, for each cause, with the place to do it.

use super::report::{Cause, Level, Report};
use crate::finding::Rule;

/// Says for every divergence what keeps the prefix.
pub(super) fn fill(report: &mut Report) {
    for one in &mut report.divergences {
        one.hint = of(one.level, one.cause, one.rule, &one.path);
    }
}

/// The change that keeps the prefix.
fn of(level: Level, cause: Cause, rule: &Rule, path: &str) -> String {
    let at = place(path);
    match (level, cause) {
        (_, Cause::Clock | Cause::Counter) => format!(
            "move it out of {at} to the end of the newest user message, or set a \
             breakpoint in front of it"
        ),
        (_, Cause::RandomId) => format!(
            "leave the id out of {at}, keep it for the whole conversation, or move it \
             to the newest user message; `--mask` sets a known one aside"
        ),
        (Level::Tools, Cause::KeyOrder) => {
            "write the tools once and send the same bytes each time: keys in one order"
                .to_owned()
        }
        (_, Cause::KeyOrder) => format!(
            "send {at} as it came, keys in the order of the response; a store that \
             sorts keys changes the prompt"
        ),
        (Level::Tools, Cause::Reordered) => {
            "sort the tools once, by name, and send them in that order every time"
                .to_owned()
        }
        (Level::Tools, Cause::Removed | Cause::Truncated) => {
            "keep the definition in `tools` and send a `tool_removal` in a system \
             message; to force one tool keep the array and set `tool_choice`"
                .to_owned()
        }
        (Level::Tools, Cause::Added) => {
            "leave `tools` as it was: append the tool with `defer_loading` and send a \
             `tool_addition`, or define it in the `tool_addition` itself"
                .to_owned()
        }
        (Level::Tools, Cause::Toggle) => {
            "keep the tool in `tools` and withdraw it with `tool_removal`".to_owned()
        }
        (Level::Tools, _) => {
            "keep the definition as first sent; send a new one by value in a \
             `tool_addition`, or keep what changes out of descriptions"
                .to_owned()
        }
        (Level::System, _) => format!(
            "leave {at} as it was and append the change as a mid-conversation system \
             message (`\"role\":\"system\"` after the newest user message)"
        ),
        (Level::Messages, _) if rule.id.starts_with("diff-directive") => {
            "leave earlier system messages where and as they were sent; append a new \
             one"
            .to_owned()
        }
        (Level::Messages, Cause::Whitespace) => format!(
            "store and send {at} byte for byte: trimming on load changes the prompt"
        ),
        (Level::Messages, Cause::Shifted | Cause::Removed) => {
            "do not slide the window every turn: drop history seldom and much at a \
             time, or leave it to the API's context editing or compaction"
                .to_owned()
        }
        (_, Cause::ReasoningLeftOut) => format!(
            "send the reasoning back with the answer it came with, at {at}, in every \
             later request"
        ),
        (Level::Messages, Cause::Moved) => {
            "leave the reminder where it was first sent, and append a new one; or put it \
             into the newest message alone, where nothing behind it is cached"
                .to_owned()
        }
        (Level::Messages, Cause::Truncated) => format!(
            "send {at} as it was first sent; shorten a result before it is sent the \
             first time, not later"
        ),
        (Level::Messages, Cause::Reencoded) => format!(
            "keep the encoded file in {at} with the conversation, or upload it and \
             send its `file_id`"
        ),
        (Level::Messages, _) => format!(
            "append instead of editing: leave {at} as it was sent and put what is \
             new behind the newest message"
        ),
    }
}

/// The part of a path that names the block or entry.
fn place(path: &str) -> String {
    let steps: Vec<&str> = path.split('/').skip(1).collect();
    let most = match steps.first() {
        Some(&"system") => 2,
        Some(&"tools") => 2,
        _ => 4,
    };
    let kept = steps.iter().take(most).copied().collect::<Vec<_>>();
    format!("/{}", kept.join("/"))
}
