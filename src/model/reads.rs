//! Which model reads whose thinking (Anthropic's page on preserved thinking,
//! platform.claude.com/docs/en/build-with-claude/preserved-thinking).

use super::Table;
use super::entry::Model;
use super::feature::Platform;
use super::support::Binding;

impl Table {
    /// Whether `reader` reads what `maker` thought; `None` where nothing is published.
    ///
    /// A line of the reader's `reads` names a maker, or `older`: a model that no
    /// prefix check binds, with a part of its name behind a slash. Then the maker may
    /// say that no other model reads it.
    pub fn reads(&self, reader: &str, maker: &str, platform: Platform) -> Option<bool> {
        if reader == maker {
            return Some(true);
        }
        let known = self.model(reader);
        let from = self.model(maker);
        let is_older = from.is_none_or(|model| !is_bound(model));
        let fits = |pattern: &str| match pattern.strip_prefix("older") {
            Some("") => is_older,
            Some(part) => is_older && maker.contains(part.trim_start_matches('/')),
            None => pattern == maker || from.is_some_and(|model| model.is(pattern)),
        };
        for line in known.into_iter().flat_map(|model| &model.reads) {
            if fits(&line.maker) {
                let here = line.platform.as_deref();
                let here = here.is_none_or(|one| one == platform.name());
                return here.then_some(line.answer.taken());
            }
        }
        let others = from.and_then(|model| model.read_by_others);
        others.filter(|one| one.refused()).map(|_| false)
    }
}

fn is_bound(model: &Model) -> bool {
    [model.binding_old, model.binding_new] != [Binding::NotChecked; 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_are_those_published() {
        let table = Table::built_in();
        for (reader, maker, expected) in [
            ("claude-opus-5-5", "claude-opus-5-5", Some(true)),
            ("claude-fable-5-1", "claude-mythos-5-1", Some(true)),
            ("claude-fable-5-1", "claude-opus-5", Some(true)),
            ("claude-fable-5-1", "claude-opus-5-5", Some(true)),
            ("claude-opus-5-5", "claude-opus-5", Some(true)),
            ("claude-opus-5-5", "claude-fable-5", Some(false)),
            ("claude-opus-5-5", "claude-fable-5-1", Some(false)),
            ("claude-opus-5-5", "claude-fable-5-2", Some(false)),
            ("claude-mythos-5-2", "claude-fable-5-2", Some(true)),
            ("claude-fable-5-2", "claude-fable-5-1", None),
            ("claude-sonnet-5", "claude-opus-5-5", Some(false)),
            ("claude-haiku-5-5", "claude-sonnet-5-5", None),
            ("claude-opus-5", "claude-opus-4-8", None),
        ] {
            let reads = table.reads(reader, maker, Platform::ClaudeApi);
            assert_eq!(reads, expected, "{reader} {maker}");
        }
        let elsewhere =
            table.reads("claude-fable-5-1", "claude-opus-5-5", Platform::Bedrock);
        assert_eq!(elsewhere, None);
    }

    #[test]
    fn a_file_says_who_reads_whom() {
        let mut table = Table::built_in();
        let file = br#"{"id":"claude-opus-5","reads":[["older/haiku","no"]]}"#;
        table.merge(file).expect("a table");
        let reads = |maker| table.reads("claude-opus-5", maker, Platform::ClaudeApi);
        assert_eq!(reads("claude-haiku-4-5"), Some(false));
        assert_eq!(reads("claude-opus-4-8"), None);
    }
}
