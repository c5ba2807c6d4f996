//! Which model reads whose thinking (`docs/prefix.md#which-model-reads-whose-thinking`).

/// Families and generations, oldest first; what is not listed is older.
fn rank(model: &str) -> Option<u8> {
    Some(match model {
        "claude-fable-5-1" | "claude-mythos-5-1" => 1,
        "claude-opus-5-5" => 2,
        "claude-sonnet-5-5" => 3,
        "claude-haiku-5-5" => 4,
        "claude-fable-5-2" | "claude-mythos-5-2" => 5,
        _ => return None,
    })
}

/// Whether `reader` reads what `maker` thought; `None` where nothing is published.
pub(super) fn reads(reader: &str, maker: &str, claude_api: bool) -> Option<bool> {
    if reader == maker {
        return Some(true);
    }
    match (rank(reader), rank(maker)) {
        (Some(5), Some(5)) | (Some(1), Some(1) | None) => Some(true),
        (_, Some(5)) => Some(false),
        (Some(1), Some(2)) => claude_api.then_some(true),
        (Some(2), Some(1)) => Some(false),
        (Some(2), None) => {
            let old = ["opus", "sonnet", "haiku"];
            Some(old.iter().any(|family| maker.contains(family)))
        }
        (None, Some(2)) if reader == "claude-sonnet-5" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::reads;

    #[test]
    fn readers_are_those_published() {
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
            assert_eq!(reads(reader, maker, true), expected, "{reader} {maker}");
        }
        assert_eq!(reads("claude-fable-5-1", "claude-opus-5-5", false), None);
    }
}
