//! Every rule under its id: severity, what it finds, why, how to mend, source.
//!
//! The ids and severities are those of `docs/lint.md#sources`, with a few
//! of our own for what the sections before it describe and it does not name, and
//! for the other providers. The texts stand beside the code that judges by them. `lint --list` and `lint --explain` print
//! these texts, and findings take their way out from them.

use crate::finding::Rule;

/// All rules, family by family.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    [
        super::placement::RULES,
        super::scoped::RULES,
        super::gates::RULES,
        super::change::RULES,
        super::stock::RULES,
        super::tools::RULES,
        super::cache::RULES,
        super::marks::RULES,
        super::pairing::RULES,
        super::content::RULES,
        super::parameters::RULES,
        super::responses::RULES,
        super::openai::RULES,
        super::chat::RULES,
        super::gemini::RULES,
        super::gemini_fields::RULES,
        super::gemini_settings::RULES,
        super::converse::RULES,
        crate::finding::text::RULES,
        super::values::RULES,
        super::schema::RULES,
    ]
    .into_iter()
    .flatten()
    .copied()
}

/// The rule of that id.
pub fn rule(id: &str) -> Option<&'static Rule> {
    rules().find(|rule| rule.id == id)
}

/// The documentation pages that rules come from.
pub(super) mod page {
    macro_rules! pages {
        ($($name:ident = $path:literal;)*) => {
            $(pub(in crate::lint) const $name: &str =
                concat!("https://platform.claude.com/docs/en/", $path);)*
        };
    }
    pages! {
        SYSTEM = "build-with-claude/mid-conversation-system-messages";
        CACHING = "build-with-claude/prompt-caching";
        SEARCH = "agents-and-tools/tool-use/tool-search-tool";
        TOOLS = "agents-and-tools/tool-use/tool-reference";
        DEFINE = "agents-and-tools/tool-use/implement-tool-use";
        CALLS = "agents-and-tools/tool-use/handle-tool-calls";
        MCP = "agents-and-tools/mcp-connector";
        EFFORT = "build-with-claude/effort";
        THINKING = "build-with-claude/thinking-troubleshooting";
        ERRORS = "api/errors";
        MESSAGES = "build-with-claude/working-with-messages";
        VISION = "build-with-claude/vision";
        VERSION = "api/migration-2026-10-21";
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_are_unique_and_texts_are_whole() {
        let mut seen = HashSet::new();
        for rule in rules() {
            assert!(seen.insert(rule.id), "{} twice", rule.id);
            assert!(
                rule.id.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'),
                "{}",
                rule.id
            );
            for text in [rule.what, rule.why, rule.mend, rule.source] {
                assert!(!text.trim().is_empty(), "{}", rule.id);
                assert!(!text.ends_with(' '), "{}", rule.id);
            }
        }
        assert!(rules().count() >= 200);
    }
}
