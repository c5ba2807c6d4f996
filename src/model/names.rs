//! Names of models: the spellings of platforms, dates, families and versions.

use crate::json::Raw;

/// A Claude model's name without what platforms and gateways put around it.
pub(super) fn plain_name(name: &str) -> String {
    let tail = name.rsplit(['/', '.']).next().unwrap_or(name);
    let name = match name
        .rsplit_once("anthropic/")
        .or(name.rsplit_once("anthropic."))
    {
        Some((_, rest)) => rest,
        None if tail.starts_with("claude") => tail,
        None => name,
    };
    let name = name.split(':').next().unwrap_or(name);
    let version = |rest: &str| rest.bytes().all(|b| b.is_ascii_digit());
    let name = match name.rsplit_once("-v") {
        Some((plain, rest)) if version(rest) => plain,
        _ => name,
    };
    name.replace(['@', '.'], "-")
}

/// A name without `-latest`, `-20251001` or `-2025-10-01` at its end.
pub(super) fn without_date(name: &str) -> &str {
    let name = name.strip_suffix("-latest").unwrap_or(name);
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let Some((plain, last)) = name.rsplit_once('-') else {
        return name;
    };
    if last.len() == 8 && digits(last) {
        return plain;
    }
    let mut parts = name.rsplitn(4, '-');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(day), Some(month), Some(year), Some(plain))
            if (day.len(), month.len(), year.len()) == (2, 2, 4)
                && digits(day)
                && digits(month)
                && digits(year) =>
        {
            plain
        }
        _ => name,
    }
}

/// Which models an entry speaks of: names with `*` at their ends, or versions of a
/// family, such as gpt from 5.6 on. An empty one speaks of all.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    patterns: Vec<String>,
    family: Option<String>,
    within: Option<String>,
    from: Option<Version>,
    below: Option<Version>,
    without: Option<String>,
}

type Version = (u32, u32);

impl Names {
    pub(super) fn read(entry: Raw<'_>) -> Self {
        let text = |key| entry.get(key).and_then(Raw::as_str);
        let version = |key| version(&text(key)?);
        let patterns = entry.get("names").and_then(super::support::strings);
        Self {
            patterns: patterns.unwrap_or_default(),
            family: text("family").map(Into::into),
            within: text("within").map(Into::into),
            from: version("from"),
            below: version("below"),
            without: text("without").map(Into::into),
        }
    }

    /// Whether they hold a name.
    pub(super) fn hold(&self, name: &str) -> bool {
        if !self.patterns.is_empty() {
            return self.patterns.iter().any(|one| fits(one, name));
        }
        let Some(family) = &self.family else {
            return true;
        };
        let name = match &self.within {
            Some(within) => match name.strip_prefix(within.as_str()) {
                Some(rest) => rest,
                None => return false,
            },
            // A gateway's or a resource's path before the name.
            None => name.rsplit('/').next().unwrap_or(name),
        };
        let rest = name.strip_prefix(family.as_str());
        let Some(rest) = rest.and_then(|rest| rest.strip_prefix('-')) else {
            return false;
        };
        if self
            .without
            .as_deref()
            .is_some_and(|one| rest.contains(one))
        {
            return false;
        }
        if self.from.is_none() && self.below.is_none() {
            return true;
        }
        let Some(version) = version(rest) else {
            return false;
        };
        self.from.is_none_or(|from| version >= from)
            && self.below.is_none_or(|below| version < below)
    }
}

fn fits(pattern: &str, name: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(rest), Some(_)) => name.contains(rest.trim_end_matches('*')),
        (Some(rest), None) => name.ends_with(rest),
        (None, Some(rest)) => name.starts_with(rest),
        (None, None) => name == pattern,
    }
}

/// The version that a text begins with: `5.6-pro` is 5.6, `4o` is 4.
fn version(text: &str) -> Option<Version> {
    let number = |text: &str| {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        text[..digits].parse::<u32>().ok()
    };
    let major = number(text)?;
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text[digits..].strip_prefix('.');
    Some((major, rest.and_then(number).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_the_front() {
        let names = Names::read(Raw::checked(br#"{"family":"gpt","from":"5.6"}"#));
        for (model, expected) in [
            ("gpt-5.6", true),
            ("gpt-5.6-pro", true),
            ("openai/gpt-6", true),
            ("gpt-5.10", true),
            ("gpt-5.5", false),
            ("gpt-5", false),
            ("gpt-4o", false),
            ("gpt-oss-120b", false),
            ("o4-mini", false),
            ("", false),
        ] {
            assert_eq!(names.hold(model), expected, "{model}");
        }
    }

    #[test]
    fn dates_are_no_part_of_a_name() {
        for (name, plain) in [
            ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
            ("gpt-5.5-2026-04-23", "gpt-5.5"),
            ("claude-3-5-sonnet-latest", "claude-3-5-sonnet"),
            ("gpt-4-1106-preview", "gpt-4-1106-preview"),
            ("a-1-2-3", "a-1-2-3"),
            ("", ""),
        ] {
            assert_eq!(without_date(name), plain);
        }
    }
}
