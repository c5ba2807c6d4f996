//! What costs without differing content, and what is good to know: presence, form,
//! what a request clears or strips.

use super::outcome::{Effects, Walk, costs};
use super::policy::Policy;
use crate::body::Dialect;
use crate::error::Severity;
use crate::json::Raw;
use crate::model::{KeepThinking, Platform};
use crate::prefix::levels::deferred;
use crate::prefix::report::{Cause, Level};
use crate::prefix::request::{Judge, Request};
use crate::prefix::rules;
use crate::prefix::segment::{Prefix, Segment};
use crate::prefix::sides::Sides;
use crate::prefix::values::differ::Forms;
use crate::term::counted;
use std::collections::HashSet;

/// Pictures, citations and first definitions that came or went.
pub(crate) fn presence<'a>(
    a: &Prefix<'a>,
    b: &Prefix<'a>,
    request: &Request<'a>,
    effects: &mut Effects,
) {
    if b.dialect != Dialect::Messages {
        return;
    }
    let at = |segment: Option<&Segment<'a>>| {
        segment.map_or((String::new(), None), |segment| {
            (segment.path(b.dialect), Some(segment.raw))
        })
    };
    if a.pictured() != b.pictured() {
        let (path, raw) = at(b.messages.iter().find(|segment| segment.image));
        let text = match b.pictured() {
            true => {
                "the first picture of the conversation: adding pictures is documented \
                     to drop the messages cache, wherever they stand"
            }
            false => {
                "the last picture is gone: removing pictures is documented to drop \
                      the messages cache"
            }
        };
        let found =
            request.finding(&rules::DIFF_IMAGES, Severity::Warning, path, raw, text);
        let hint =
            "expect one miss of the messages cache; send the first picture early";
        effects.findings.push(costs(found, Cause::Images, hint));
        effects.lose(Level::Messages);
    }
    if a.citations != b.citations {
        let text = "citations were switched on or off: documented to cost system and \
                    messages";
        let rule = &rules::DIFF_SERVER_TOOL_TOGGLE;
        let found = request.finding(rule, Severity::Warning, "/messages", None, text);
        let hint = "decide on citations at the start of the conversation";
        effects.findings.push(costs(found, Cause::Toggle, hint));
        effects.lose(Level::System);
    }
    let defines = |prefix: &Prefix<'a>| {
        prefix
            .messages
            .iter()
            .find(|one| is_definition(one.raw))
            .cloned()
    };
    if a.tools.is_empty()
        && b.tools.is_empty()
        && let (None, Some(first)) = (defines(a), defines(b))
    {
        let (path, raw) = at(Some(&first));
        let text = "the first tool defined in a message, and `tools` holds none that is \
                    not deferred: the start of the prompt moves, once";
        let rule = &rules::DIFF_TOOLS_SET;
        let found = request.finding(rule, Severity::Warning, path, raw, text);
        let hint = "declare one tool that is not deferred from the first request on";
        effects.findings.push(costs(found, Cause::Toggle, hint));
        effects.lose(Level::Tools);
    }
}

fn is_definition(raw: Raw<'_>) -> bool {
    let is = |raw: Option<Raw<'_>>, kind: &str| {
        let found = raw.and_then(|raw| raw.get("type"));
        found
            .and_then(Raw::as_text)
            .is_some_and(|text| text.is(kind))
    };
    is(Some(raw), "tool_addition") && is(raw.get("tool"), "tool_definition")
}

/// A shared message that the second request has cleared: the prompt ends before
/// it (`docs/lint.md#sources`).
pub(crate) fn cleared<'a>(
    a: &Prefix<'a>,
    b: &Prefix<'a>,
    request: &Request<'a>,
    kept: usize,
    effects: &mut Effects,
) -> Option<(usize, bool)> {
    let pairs = a.turns.iter().zip(&b.turns);
    let (_, turn) = pairs
        .take_while(|(one, _)| one.from < kept)
        .find(|(one, other)| !one.cleared && other.cleared)?;
    let text =
        "this message is cleared now: what stands behind it is processed once more";
    let path = turn.place.pointer(b.dialect);
    let rule = &rules::DIFF_CLEARED;
    let found = request.finding(rule, Severity::Note, path, Some(turn.raw), text);
    effects.findings.push(found);
    Some((turn.from, false))
}

/// Thinking that older models take out of the prompt once the user speaks.
pub(crate) fn stripped<'a>(
    a: &Prefix<'a>,
    b: &Prefix<'a>,
    first: &Request<'a>,
    request: &Request<'a>,
    judge: &Judge<'_>,
    kept: usize,
    effects: &mut Effects,
) -> Option<(usize, bool)> {
    let model = request.known(judge)?;
    if b.dialect != Dialect::Messages
        || model.keep_thinking != KeepThinking::Last
        || first.known(judge).is_none_or(|one| one.id != model.id)
    {
        return None;
    }
    let speaks = |prefix: &Prefix<'a>| {
        let mut turns = prefix.turns.iter().rev();
        let last = turns.find(|turn| turn.role == "user" && turn.says);
        last.map_or(0, |turn| turn.from)
    };
    let (before, now) = (speaks(a), speaks(b));
    let at = a.messages[before.min(kept)..kept]
        .iter()
        .position(|segment| segment.thinking)?
        + before;
    if at >= now {
        return None;
    }
    let segment = &b.messages[at];
    let text = format!(
        "{} takes earlier thinking out of the prompt once the user speaks: what was \
         cached behind this block is lost",
        model.id
    );
    let path = segment.path(b.dialect);
    let rule = &rules::DIFF_THINKING_STRIPPED;
    let found = request.finding(rule, Severity::Warning, path, Some(segment.raw), text);
    let hint = "nothing to mend: newer models keep all thinking";
    effects.findings.push(costs(found, Cause::Removed, hint));
    Some((at, true))
}

/// Equal content in another form.
pub(crate) fn forms<'a>(
    sides: &mut Sides<'a, '_>,
    request: &Request<'a>,
    policy: &Policy<'_>,
    effects: &mut Effects,
) {
    let mut seen = HashSet::new();
    for (path, byte, forms) in std::mem::take(&mut sides.forms) {
        if !seen.insert(path.clone()) {
            continue;
        }
        let mut tell = |rule, severity, text: &str| {
            let mut found = request.finding(rule, severity, path.clone(), None, text);
            found.byte = Some(byte);
            found.cause = Some(Cause::Form.name());
            effects.findings.push(found);
        };
        let Forms {
            shape,
            number,
            twice,
            masked,
        } = forms;
        if shape {
            let text = match policy.anthropic {
                true => {
                    "one text, as a string here and as a list of one block there: \
                         equal for the cache"
                }
                false => {
                    "one text, as a string here and as a list of one part there: a \
                          gateway that compares bytes takes them for two"
                }
            };
            tell(&rules::DIFF_FORM, Severity::Note, text);
        }
        if number || twice {
            let text = match number {
                true => {
                    "a number is written with other digits: whether the cache minds \
                         is not published"
                }
                false => {
                    "a key stands twice in one of the objects: whether the cache \
                          minds is not published"
                }
            };
            tell(&rules::DIFF_FORM, Severity::Warning, text);
            effects.unknown = true;
        }
        if masked {
            tell(
                &rules::DIFF_MASKED,
                Severity::Note,
                "what differs here is masked",
            );
        }
    }
}

/// What is good to know of the pair as a whole.
pub(crate) fn of<'a>(
    sides: &Sides<'a, '_>,
    a: &Request<'a>,
    b: &Request<'a>,
    judge: &Judge<'_>,
    policy: &Policy<'_>,
    walk: &Walk,
    effects: &mut Effects,
) {
    let dialect = sides.b.dialect;
    if let Some((path, byte)) = &walk.messages.grown {
        let text = "a message that was sent before has grown here; what was cached ends \
                    before it";
        let mut found =
            b.finding(&rules::DIFF_GROWN, Severity::Note, path.clone(), None, text);
        found.byte = Some(*byte);
        "put new text into a message of its own".clone_into(&mut found.hint);
        effects.findings.push(found);
    }
    let hidden = deferred::unreferenced(sides, walk.messages.kept);
    if !hidden.is_empty() {
        let tool = hidden.iter().find_map(|name| sides.b.deferred.get(name));
        let text = match hidden.len() {
            1 => format!(
                "the deferred tool `{}` changed: nothing shared refers to it",
                hidden[0]
            ),
            count => format!(
                "{} changed: nothing shared refers to them",
                counted(count, "deferred tool")
            ),
        };
        let path = tool.map_or_else(|| "/tools".to_owned(), |tool| tool.path(dialect));
        let rule = &rules::DIFF_TOOLS_DEFERRED;
        let mut found =
            b.finding(rule, Severity::Note, path, tool.map(|tool| tool.raw), text);
        found.plain =
            Some("deferred tools changed that nothing shared refers to".to_owned());
        effects.findings.push(found);
    }
    for one in &sides.divergences {
        if one.path.ends_with("/thinking") && one.level == Level::Messages {
            let text = "the visible thinking changed under an intact signature: probes saw \
                        the cache kept and the block accepted";
            let path = one.path.clone();
            let mut found =
                b.finding(&rules::DIFF_THINKING_TEXT, Severity::Note, path, None, text);
            found.byte = Some(one.byte_b);
            effects.findings.push(found);
        }
    }
    order(b, judge, effects);
    if let Some(note) = policy.note.clone() {
        effects.findings.push(b.finding(
            &rules::NOT_PUBLISHED,
            Severity::Note,
            "",
            None,
            note,
        ));
    }
    if !b.body.certain {
        let text = format!(
            "nothing in the body proves the provider: taken for {}",
            b.body.provider.name()
        );
        let mut found =
            b.finding(&rules::PROVIDER_GUESSED, Severity::Note, "", None, text);
        "say which with --provider".clone_into(&mut found.hint);
        effects.findings.push(found);
    }
    if policy.anthropic && (b.model.is_none() || a.model.is_none()) {
        let text = "the body names no model: lengths, prices and the check of thinking \
                    blocks depend on it";
        let mut found =
            b.finding(&rules::MODEL_MISSING, Severity::Note, "", None, text);
        "say which with --model".clone_into(&mut found.hint);
        effects.findings.push(found);
    }
}

/// Top-level keys out of rendering order, for a host that reads them raw.
fn order(b: &Request<'_>, judge: &Judge<'_>, effects: &mut Effects) {
    if judge.platform != Platform::GoogleCloud {
        return;
    }
    let place = |name: &str| b.body.fields.iter().position(|(key, _)| key.is(name));
    let Some(messages) = place("messages") else {
        return;
    };
    for name in ["tools", "system"] {
        if place(name).is_some_and(|at| at > messages) {
            let text = format!(
                "`messages` precede `{name}` in the second body: this host is reported \
                 to read keys in the order written"
            );
            let raw = b.body.get(name);
            let path = format!("/{name}");
            let mut found =
                b.finding(&rules::RAW_ORDER, Severity::Note, path, raw, text);
            "write `tools`, `system`, `messages` in that order"
                .clone_into(&mut found.hint);
            effects.findings.push(found);
        }
    }
}
