//! The Messages API: one walk over the body, every family looking on.

use super::cache::Cache;
use super::change::Changes;
use super::content::Content;
use super::pairing::Pairing;
use super::placement::Placement;
use super::report::Report;
use super::scoped::Scoped;
use super::{parameters, tools};
use crate::body::Body;

/// The roles of the Messages API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    User,
    Assistant,
    System,
    Other,
}

impl Role {
    pub(super) fn of(name: &str) -> Self {
        match name {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            "system" => Role::System,
            _ => Role::Other,
        }
    }
}

/// Whether a block of this type changes the tools on offer.
pub(super) fn is_change(kind: &str) -> bool {
    matches!(kind, "tool_addition" | "tool_removal")
}

/// Whether a block of this type is the result of a server tool, behind which an
/// assistant turn may be paused.
pub(super) fn is_server_result(kind: &str) -> bool {
    kind.len() > "_tool_result".len() && kind.ends_with("_tool_result")
}

/// Whether a block of this type holds thinking.
pub(super) fn is_thinking(kind: &str) -> bool {
    matches!(kind, "thinking" | "redacted_thinking")
}

pub(super) fn check<'a>(body: &Body<'a>, report: &mut Report<'_>) {
    parameters::check(body, report);
    let mut cache = Cache::new(report, body);
    let declared = tools::check(body, report, &mut cache);
    let mut changes = Changes::new(declared);
    changes.start(report, body);
    let mut content = Content::default();
    let mut pairing = Pairing::default();
    let mut placement = Placement::default();
    let mut scoped = Scoped::default();
    placement.system(report, body);
    for block in body.system() {
        content.system(report, &block);
        cache.system(report, &block);
    }
    for message in body.messages() {
        let role = Role::of(&message.role);
        placement.message(&message, role);
        scoped.message(report, &message, role);
        content.message(report, &message, role);
        pairing.message(report, role);
        cache.message(role, scoped.turn());
        for block in message.blocks() {
            placement.block(report, role, &block);
            scoped.block(report, &block);
            content.block(report, role, &block, &mut changes);
            pairing.block(report, role, &block);
            changes.block(report, role, &block);
            cache.block(report, role, &block);
        }
        placement.end(report, &message, role);
        content.end(report, &message, role);
        changes.end();
    }
    content.finish(report, body);
    pairing.finish(report, &changes);
    placement.finish(report);
    scoped.finish(report, body);
    cache.finish(report);
    changes.finish(report, body);
}
