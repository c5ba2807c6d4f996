//! Which user lines a person typed.
//!
//! The harness speaks in the user's place: caveats, reminders, output of local
//! commands, task notifications. The marks are those that versions 1.0 to 2.1
//! write, as public readers describe them.

use super::index::Index;
use crate::json::Raw;

/// Beginnings of text that the harness wrote, and the word for each.
const OPENINGS: [(&str, &str); 15] = [
    ("<local-command-stdout>", "local-command"),
    ("<local-command-stderr>", "local-command"),
    ("<local-command-caveat>", "local-command"),
    ("<bash-stdout>", "local-command"),
    ("<bash-stderr>", "local-command"),
    ("Caveat: The messages below", "local-command"),
    ("<task-notification>", "task-notification"),
    ("[Request interrupted by user", "interrupt"),
    ("<user-prompt-submit-hook>", "hook"),
    ("<session-start-hook>", "hook"),
    ("Stop hook feedback:", "hook"),
    ("Another Claude session sent a message:", "teammate"),
    ("<teammate-message", "teammate"),
    ("<tick>", "schedule"),
    ("<goal>", "schedule"),
];

/// Elements that are injected when they are the whole text.
const WHOLE: [(&str, &str); 4] = [
    ("system-reminder", "reminder"),
    ("ide_opened_file", "ide"),
    ("ide_selection", "ide"),
    ("ide_diagnostics", "ide"),
];

/// Why a whole line is injected, if its fields say so.
pub(super) fn of_line(index: &Index<'_>, at: usize) -> Option<String> {
    if index.flag(at, "isMeta") {
        return Some("meta".to_owned());
    }
    let line = &index.lines[at];
    let kind = line.get("origin").and_then(|origin| origin.get("kind"));
    [kind, line.get("turnOrigin")]
        .into_iter()
        .flatten()
        .filter_map(Raw::as_str)
        .find(|word| word != "human")
        .map(std::borrow::Cow::into_owned)
}

/// Why a text is injected, if it looks like it.
pub(super) fn of_text(text: &str) -> Option<&'static str> {
    let text = text.trim_start();
    let opening = OPENINGS.iter().find(|(mark, _)| text.starts_with(mark));
    if let Some((_, word)) = opening {
        return Some(word);
    }
    let text = text.trim_end();
    let whole = WHOLE.iter().find(|(name, _)| is_element(text, name));
    whole.map(|(_, word)| *word)
}

/// Whether the text is one element of that name.
fn is_element(text: &str, name: &str) -> bool {
    let inner = text
        .strip_prefix('<')
        .and_then(|text| text.strip_prefix(name))
        .and_then(|text| text.strip_prefix('>'))
        .and_then(|text| text.strip_suffix('>'))
        .and_then(|text| text.strip_suffix(name))
        .and_then(|text| text.strip_suffix("</"));
    inner.is_some_and(|inner| !inner.contains(&format!("</{name}>")))
}

#[cfg(test)]
mod tests {
    use super::of_text;

    #[test]
    fn every_mark_is_known_and_nothing_else() {
        for (text, word) in [
            ("  <local-command-stdout>x", "local-command"),
            ("<local-command-stderr>", "local-command"),
            ("<local-command-caveat>", "local-command"),
            ("<bash-stdout>a</bash-stdout>", "local-command"),
            ("<bash-stderr>", "local-command"),
            ("Caveat: The messages below were generated", "local-command"),
            ("<task-notification>", "task-notification"),
            ("[Request interrupted by user for tool use]", "interrupt"),
            ("<user-prompt-submit-hook>", "hook"),
            ("<session-start-hook>", "hook"),
            ("Stop hook feedback: no", "hook"),
            ("Another Claude session sent a message: hi", "teammate"),
            ("<teammate-message from=\"a\">", "teammate"),
            ("<tick>", "schedule"),
            ("<goal>", "schedule"),
            ("<system-reminder>\nx\n</system-reminder>\n", "reminder"),
            ("<ide_opened_file>a</ide_opened_file>", "ide"),
            ("<ide_selection>a</ide_selection>", "ide"),
            ("<ide_diagnostics>a</ide_diagnostics>", "ide"),
        ] {
            assert_eq!(of_text(text), Some(word), "{text}");
        }
        for typed in [
            "<command-name>/review</command-name>",
            "<command-message>x</command-message>",
            "<bash-input>ls</bash-input>",
            "Look: <system-reminder>x</system-reminder>",
            "<system-reminder>x</system-reminder> and I say",
            "<system-reminder>a</system-reminder>b<system-reminder>c</system-reminder>",
            "",
        ] {
            assert_eq!(of_text(typed), None, "{typed}");
        }
    }
}
