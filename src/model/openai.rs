//! What OpenAI's models take, by the start of their names.
//!
//! From live checks and reports that client libraries keep in public
//! (<https://github.com/pydantic/pydantic-ai>, read in August 2026; GPT-6 from
//! reports of September to November 2026). The first line that fits a name counts.

/// A family of models.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// How the names begin.
    pub name: &'static str,
    /// Whether it reasons unless told otherwise.
    pub reasons: bool,
    /// The efforts it takes; empty for a model without.
    pub efforts: &'static [&'static str],
    /// Whether `max_tokens` has given way to `max_completion_tokens`.
    pub new_limit: bool,
    /// Whether Chat Completions takes tools with effort `none` alone.
    pub tools_need_none: bool,
    /// Whether that effort must be written out.
    pub explicit: bool,
    /// Whether it takes no stop sequences.
    pub no_stop: bool,
    /// Whether it is older than GPT-5.
    pub before_5: bool,
    /// Whether effort `max` is for Responses alone.
    pub max_in_responses: bool,
}

const OLD: Family = Family {
    name: "",
    reasons: false,
    efforts: &[],
    new_limit: false,
    tools_need_none: false,
    explicit: false,
    no_stop: false,
    before_5: true,
    max_in_responses: false,
};

const NEW: Family = Family {
    reasons: true,
    new_limit: true,
    before_5: false,
    ..OLD
};

const O: Family = Family {
    reasons: true,
    efforts: &["low", "medium", "high"],
    new_limit: true,
    ..OLD
};

static FAMILIES: &[Family] = &[
    Family {
        name: "gpt-3",
        ..OLD
    },
    Family {
        name: "gpt-4",
        ..OLD
    },
    Family {
        name: "chatgpt-4o",
        ..OLD
    },
    Family { name: "o1", ..O },
    Family {
        name: "o3",
        no_stop: true,
        ..O
    },
    Family {
        name: "o4-mini",
        no_stop: true,
        ..O
    },
    Family {
        name: "gpt-5-chat",
        reasons: false,
        new_limit: true,
        ..NEW
    },
    Family {
        name: "gpt-5-pro",
        efforts: &["high"],
        ..NEW
    },
    Family {
        name: "gpt-5-codex",
        efforts: &["minimal", "low", "medium", "high"],
        ..NEW
    },
    Family {
        name: "gpt-5.1-chat",
        efforts: &["medium"],
        ..NEW
    },
    Family {
        name: "gpt-5.2-chat",
        efforts: &["medium"],
        ..NEW
    },
    Family {
        name: "gpt-5.3-chat",
        efforts: &["medium"],
        ..NEW
    },
    Family {
        name: "gpt-5.1-codex",
        efforts: &["none", "low", "medium", "high", "xhigh"],
        ..NEW
    },
    Family {
        name: "gpt-5.2-pro",
        efforts: &["medium", "high", "xhigh"],
        ..NEW
    },
    Family {
        name: "gpt-5.4-pro",
        efforts: &["medium", "high", "xhigh"],
        ..NEW
    },
    Family {
        name: "gpt-5.5-pro",
        efforts: &["medium", "high", "xhigh"],
        ..NEW
    },
    Family {
        name: "gpt-5.1",
        reasons: false,
        efforts: &["none", "low", "medium", "high"],
        ..NEW
    },
    Family {
        name: "gpt-5.2",
        reasons: false,
        efforts: &["none", "low", "medium", "high", "xhigh"],
        ..NEW
    },
    Family {
        name: "gpt-5.3",
        reasons: false,
        efforts: &["none", "low", "medium", "high", "xhigh"],
        ..NEW
    },
    Family {
        name: "gpt-5.4",
        reasons: false,
        efforts: &["none", "low", "medium", "high", "xhigh"],
        tools_need_none: true,
        ..NEW
    },
    Family {
        name: "gpt-5.5",
        efforts: &["none", "low", "medium", "high", "xhigh"],
        tools_need_none: true,
        explicit: true,
        ..NEW
    },
    Family {
        name: "gpt-5.6",
        efforts: &["none", "low", "medium", "high", "xhigh", "max"],
        tools_need_none: true,
        explicit: true,
        ..NEW
    },
    Family {
        name: "gpt-6-sol",
        efforts: &["none", "low", "medium", "high", "xhigh", "max"],
        tools_need_none: true,
        explicit: true,
        no_stop: true,
        max_in_responses: true,
        ..NEW
    },
    Family {
        name: "gpt-6",
        efforts: &["low", "medium", "high", "xhigh", "max"],
        tools_need_none: true,
        explicit: true,
        no_stop: true,
        max_in_responses: true,
        ..NEW
    },
    Family {
        name: "gpt-5",
        efforts: &["minimal", "low", "medium", "high"],
        ..NEW
    },
];

/// The family of a model's name, a gateway's prefix aside.
pub fn family_of(name: &str) -> Option<&'static Family> {
    let plain = name.rsplit('/').next().unwrap_or(name);
    FAMILIES.iter().find(|one| {
        plain.strip_prefix(one.name).is_some_and(|rest| {
            rest.is_empty() || rest.starts_with(['-', '.', 'o', 't', ':'])
        })
    })
}

#[cfg(test)]
mod tests {
    use super::family_of;

    #[test]
    fn the_first_line_that_fits_counts() {
        let name = |name| family_of(name).map(|family| family.name);
        assert_eq!(name("gpt-4.1"), Some("gpt-4"));
        assert_eq!(name("gpt-4o-mini"), Some("gpt-4"));
        assert_eq!(name("openai/gpt-5.4-mini"), Some("gpt-5.4"));
        assert_eq!(name("gpt-5-mini"), Some("gpt-5"));
        assert_eq!(name("gpt-6.1-sol"), Some("gpt-6"));
        assert_eq!(name("gpt-6-sol"), Some("gpt-6-sol"));
        assert_eq!(name("o3-mini"), Some("o3"));
        assert_eq!(name("omni"), None);
    }
}
