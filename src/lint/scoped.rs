//! Turn-scoped and effort-only system messages (`docs/lint.md#sources`).

use super::catalogue::page::{EFFORT, SYSTEM};
use super::fields;
use super::placement::more;
use super::report::{Report, Spot};
use crate::body::{Block, Body, Message, Role, is_change};
use crate::error::Severity;
use crate::finding::family;
use crate::json::Raw;
use crate::model::{Feature, Support};
use crate::term::quoted;

family! { "scoped";
    CLEAR_AT_BETA_MISSING: Error "clear-at-beta-missing", SYSTEM;
    "`clear_at` is used without its beta";
    "without the header the field is an unknown one, and refused";
    "send `anthropic-beta: mid-conversation-system-clear-at-2026-08-21`";

    CLEAR_AT_ROLE: Error "clear-at-role", SYSTEM;
    "`clear_at` stands on a message that is not of role `system`";
    "only system messages can be turn-scoped";
    "leave the field out";

    CLEAR_AT_VALUE: Error "clear-at-value", SYSTEM;
    "`clear_at` is neither `next_user_message` nor `never`";
    "the API knows these two values only";
    "use `next_user_message`, or leave the field out";

    CLEAR_AT_TEXT_ONLY: Error "clear-at-text-only", SYSTEM;
    "a turn-scoped system message carries a tool change";
    "a message that is cleared later carries text only";
    "put the tool change into a system message of its own, without `clear_at`";

    CLEAR_AT_OUTPUT_CONFIG: Error "clear-at-output-config", SYSTEM;
    "a turn-scoped system message carries `output_config`";
    "a message that is cleared later carries text only";
    "put `output_config` into a system message of its own, without `clear_at`";

    CLEAR_AT_CACHE_CONTROL: Error "clear-at-cache-control", SYSTEM;
    "a turn-scoped system message carries a breakpoint";
    "what is cleared later cannot end a cached prefix";
    "mark the last block of the user message before it";

    EFFORT_MESSAGE_BETA_MISSING: Error "effort-message-beta-missing", EFFORT;
    "`output_config` stands on a system message without its beta";
    "without the header the field is an unknown one, and refused";
    "send `anthropic-beta: mid-conversation-output-config-2026-07-01`";

    EFFORT_MESSAGE_MODEL: Error "effort-message-model", EFFORT;
    "the model takes no effort per message";
    "the API refuses `output_config.effort` inside `messages` on this model";
    "use the top-level `output_config`";
}

#[derive(Default)]
pub(super) struct Scoped<'a> {
    turn: bool,
    clear: Option<(Spot<'a>, usize)>,
    effort: Option<(Spot<'a>, usize)>,
}

impl<'a> Scoped<'a> {
    /// Whether the message being walked is turn-scoped.
    pub(super) fn turn(&self) -> bool {
        self.turn
    }

    pub(super) fn message(
        &mut self,
        report: &mut Report<'_>,
        message: &Message<'a>,
        role: Role,
    ) {
        let place = message.place;
        let config = message.fields.given("output_config");
        let clear = message.fields.given("clear_at");
        let value = clear.and_then(Raw::as_str);
        self.turn =
            role == Role::System && value.as_deref() == Some("next_user_message");
        if let Some(clear) = clear {
            let keys = ["clear_at"];
            self.clear.get_or_insert((Spot { place, raw: clear }, 0)).1 += 1;
            if role != Role::System {
                let text = format!(
                    "`clear_at` on a message of role {}",
                    quoted(&message.role)
                );
                report.under(&CLEAR_AT_ROLE, place, &keys, clear, text);
            }
            if !matches!(value.as_deref(), Some("next_user_message" | "never")) {
                let found = value.map_or_else(
                    || clear.kind().name().to_owned(),
                    |value| quoted(&value),
                );
                let text =
                    format!("expected `next_user_message` or `never`, found {found}");
                report.under(&CLEAR_AT_VALUE, place, &keys, clear, text);
            }
        }
        let Some(config) = config.filter(|_| role == Role::System) else {
            return;
        };
        self.effort
            .get_or_insert((Spot { place, raw: config }, 0))
            .1 += 1;
        fields::effort(report, place, config);
        if self.turn {
            let text = "`output_config` on a turn-scoped system message";
            let rule = &CLEAR_AT_OUTPUT_CONFIG;
            report.under(rule, place, &["output_config"], config, text);
        }
    }

    pub(super) fn block(&mut self, report: &mut Report<'_>, block: &Block<'a>) {
        if !self.turn {
            return;
        }
        if is_change(&block.kind) {
            let text =
                format!("a `{}` block in a turn-scoped system message", block.kind);
            report.at(&CLEAR_AT_TEXT_ONLY, block.place, block.raw, text);
        }
        if let Some(mark) = block.fields.given("cache_control") {
            let text = "a breakpoint in a turn-scoped system message";
            let (rule, keys) = (&CLEAR_AT_CACHE_CONTROL, ["cache_control"]);
            report.under(rule, block.place, &keys, mark, text);
        }
    }

    pub(super) fn finish(self, report: &mut Report<'_>, body: &Body<'_>) {
        if let Some((spot, count)) = self.clear
            && let Some((severity, why)) = report.shut(Feature::ClearAt)
        {
            let text = format!("`clear_at` {why}{}", more(count));
            let rule = &CLEAR_AT_BETA_MISSING;
            report
                .under(rule, spot.place, &["clear_at"], spot.raw, text)
                .weigh(severity);
        }
        let Some((spot, count)) = self.effort else {
            return;
        };
        let keys = ["output_config"];
        if let Some((severity, why)) = report.shut(Feature::MessageEffort) {
            let text = format!("effort on a message {why}{}", more(count));
            let rule = &EFFORT_MESSAGE_BETA_MISSING;
            report
                .under(rule, spot.place, &keys, spot.raw, text)
                .weigh(severity);
        }
        let support = report.profile.model.message_effort;
        let model = report.profile.model.id.clone();
        let rule = &EFFORT_MESSAGE_MODEL;
        if support.refused() {
            let severity = report.weight(report.profile.sure(support));
            let text = format!("{model} takes no effort per message{}", more(count));
            report
                .under(rule, spot.place, &keys, spot.raw, text)
                .weigh(severity);
        } else if support == Support::WithThinking {
            let thinking = body.get("thinking").and_then(|value| value.get("type"));
            if thinking.and_then(Raw::as_str).as_deref() == Some("disabled") {
                let text =
                    format!("{model} takes effort per message only while it thinks");
                report
                    .under(rule, spot.place, &keys, spot.raw, text)
                    .weigh(Severity::Warning);
            }
        }
    }
}
