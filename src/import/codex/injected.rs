//! What Codex says in the user's place (`codex-rs/core/src/context/`).

/// Openings and endings of injected text, in lower case, and the word for each.
const MARKS: [(&str, &str, &str); 9] = [
    (
        "# agents.md instructions for ",
        "</instructions>",
        "agents_md",
    ),
    (
        "<user_instructions>",
        "</user_instructions>",
        "user_instructions",
    ),
    (
        "<environment_context>",
        "</environment_context>",
        "environment_context",
    ),
    ("<turn_aborted>", "</turn_aborted>", "turn_aborted"),
    (
        "<user_shell_command>",
        "</user_shell_command>",
        "user_shell_command",
    ),
    (
        "<subagent_notification>",
        "</subagent_notification>",
        "subagent_notification",
    ),
    ("<skill", "</skill>", "skill"),
    (
        "<extension_context>",
        "</extension_context>",
        "extension_context",
    ),
    ("<goal_context>", "</goal_context>", "goal_context"),
];

/// The word for a text that is injected from its first to its last character.
pub(super) fn word(text: &str) -> Option<&'static str> {
    let text = text.trim();
    let opens = |mark: &str| {
        text.get(..mark.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(mark))
    };
    let ends = |mark: &str| {
        text.len()
            .checked_sub(mark.len())
            .and_then(|at| text.get(at..))
            .is_some_and(|end| end.eq_ignore_ascii_case(mark))
    };
    MARKS
        .iter()
        .find(|(open, end, _)| opens(open) && ends(end))
        .map(|(_, _, word)| *word)
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn the_whole_text_between_the_marks_is_injected() {
        for (text, expected) in [
            (
                "  # AGENTS.md instructions for /w\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>",
                "agents_md",
            ),
            (
                "<user_instructions>x</user_instructions>",
                "user_instructions",
            ),
            (
                "<ENVIRONMENT_CONTEXT>x</environment_context>\n",
                "environment_context",
            ),
            ("<turn_aborted>x</turn_aborted>", "turn_aborted"),
            (
                "<user_shell_command>ls</user_shell_command>",
                "user_shell_command",
            ),
            (
                "<subagent_notification>x</subagent_notification>",
                "subagent_notification",
            ),
            ("<skill name=\"a\">x</skill>", "skill"),
            (
                "<extension_context>x</extension_context>",
                "extension_context",
            ),
            ("<goal_context>x</goal_context>", "goal_context"),
        ] {
            assert_eq!(word(text), Some(expected), "{text}");
        }
        for typed in [
            "<environment_context>x</environment_context> go",
            "",
            "é<skill",
            "<skill",
        ] {
            assert_eq!(word(typed), None, "{typed}");
        }
    }
}
