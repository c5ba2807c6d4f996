//! Rules in the form of gitleaks' configuration (`docs/redact.md`).
//!
//! What is read: `rules` with `id`, `regex`, `secretGroup`, `entropy`, `keywords` and
//! `allowlists` (or `allowlist`) of `regexes`, `stopwords`, `regexTarget` and
//! `condition`; the allow list for all of them; `extend.useDefault`. Rules for files of a certain
//! name say nothing of a conversation and are left out, as are lists of paths and commits.

use crate::error::{Error, ErrorKind};
use aho_corasick::AhoCorasick;
use regex::bytes::{Regex, RegexBuilder};
use std::sync::OnceLock;
use toml::{Table, Value};

/// gitleaks' configuration, unchanged.
const BUILT_IN: &str = include_str!("gitleaks.toml");

/// What is looked for.
#[derive(Debug)]
pub struct Rules {
    pub(super) rules: Vec<Rule>,
    /// The keywords of all rules, and which rules each wakes.
    pub(super) keywords: AhoCorasick,
    pub(super) woken: Vec<Vec<usize>>,
    /// Rules without a keyword.
    pub(super) always: Vec<usize>,
    /// What is no secret, whatever the rule.
    pub(super) allow: Vec<Allow>,
}

/// One kind of secret.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) id: String,
    pattern: Pattern,
    /// The group that holds the secret; 0 for the first that took part.
    pub(super) group: usize,
    /// Bits a character that a secret has more of.
    pub(super) entropy: f64,
    keywords: Vec<String>,
    pub(super) allow: Vec<Allow>,
}

/// What is no secret.
#[derive(Debug)]
pub(super) struct Allow {
    pub(super) patterns: Vec<Pattern>,
    pub(super) target: Target,
    pub(super) stopwords: Option<AhoCorasick>,
    /// Whether all that is given has to fit, not any of it.
    pub(super) all: bool,
}

/// What an allow list's patterns look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Secret,
    Match,
    Line,
}

/// A pattern, compiled when first needed: few of some hundred ever are.
#[derive(Debug)]
pub(super) struct Pattern {
    text: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            compiled: OnceLock::new(),
        }
    }

    /// The pattern compiled; those that cannot be were refused before.
    pub(super) fn get(&self) -> Option<&Regex> {
        self.compiled
            .get_or_init(|| compiled(&self.text).ok())
            .as_ref()
    }
}

/// Go's `regexp`, for which the rules are written, has classes of ASCII only, and takes a
/// brace that opens no repetition, and a bracket inside a class, for themselves.
fn compiled(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(&from_go(pattern)).unicode(false).build()
}

/// A pattern of Go's with what `regex` would read otherwise escaped.
fn from_go(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 8);
    let (mut rest, mut in_class) = (pattern, false);
    while let Some(char) = rest.chars().next() {
        let mut taken = char.len_utf8();
        match char {
            '\\' => {
                taken += rest[1..].chars().next().map_or(0, char::len_utf8);
                // A class or a code point by its name in braces.
                if ["\\p{", "\\P{", "\\x{"]
                    .iter()
                    .any(|open| rest.starts_with(open))
                {
                    taken = rest.find('}').map_or(rest.len(), |end| end + 1);
                }
            }
            '[' if in_class && !rest.starts_with("[:") => out.push('\\'),
            '[' if in_class => taken = rest.find(":]").map_or(1, |end| end + 2),
            '[' => {
                in_class = true;
                // A bracket that closes at once stands for itself.
                for lead in ["[^]", "[]", "[^"] {
                    if rest.starts_with(lead) {
                        taken = lead.len();
                        break;
                    }
                }
            }
            ']' => in_class = false,
            '{' if !in_class && !repeats(rest) => out.push('\\'),
            _ => {}
        }
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    out
}

/// Whether a text begins with `{n}`, `{n,}` or `{n,m}`.
fn repeats(text: &str) -> bool {
    let Some((inside, _)) = text[1..].split_once('}') else {
        return false;
    };
    let (least, most) = inside.split_once(',').unwrap_or((inside, ""));
    !least.is_empty() && (least.bytes().chain(most.bytes())).all(|b| b.is_ascii_digit())
}

impl Rules {
    /// The built-in rules.
    ///
    /// # Errors
    ///
    /// None: a test reads them.
    pub fn built_in() -> Result<Self, Error> {
        Self::read(&[BUILT_IN], &[])
    }

    /// The rules of `file`, or the built-in ones; what matches an `allow` is no
    /// secret. A file that says `[extend] useDefault = true` adds to the built-in
    /// ones, and replaces those of the same id.
    ///
    /// # Errors
    ///
    /// No TOML, a rule without id, a pattern that cannot be compiled.
    pub fn new(file: Option<&str>, allow: &[String]) -> Result<Self, Error> {
        let Some(file) = file else {
            return Self::read(&[BUILT_IN], allow);
        };
        let table: Table = file.parse().map_err(|error| unreadable(&error))?;
        let extends = table
            .get("extend")
            .and_then(|extend| extend.get("useDefault"));
        let rules = match extends.and_then(Value::as_bool) {
            Some(true) => Self::read(&[BUILT_IN, file], allow)?,
            _ => Self::read(&[file], allow)?,
        };
        rules.compile()?;
        Ok(rules)
    }

    /// A JSON text with its secrets masked.
    pub fn mask(
        self: &std::sync::Arc<Self>,
        json: &[u8],
        hits: &mut Vec<super::Hit>,
    ) -> Vec<u8> {
        let mut out = Vec::with_capacity(json.len());
        super::Redactor::new(std::sync::Arc::clone(self))
            .push(json, true, &mut out, hits);
        out
    }

    /// How many rules there are.
    pub fn count(&self) -> usize {
        self.rules.len()
    }

    fn read(files: &[&str], allow: &[String]) -> Result<Self, Error> {
        let mut rules: Vec<Rule> = Vec::new();
        let mut lists = Vec::new();
        for file in files {
            let table: Table = file.parse().map_err(|error| unreadable(&error))?;
            lists.extend(allow_lists(&table)?);
            for rule in tables(&table, "rules") {
                let Some(rule) = self::rule(rule)? else {
                    continue;
                };
                rules.retain(|one| one.id != rule.id);
                rules.push(rule);
            }
        }
        if !allow.is_empty() {
            for pattern in allow {
                compiled(pattern).map_err(|error| bad_pattern("--allow", &error))?;
            }
            lists.push(Allow {
                patterns: allow.iter().map(|text| Pattern::new(text)).collect(),
                target: Target::Secret,
                stopwords: None,
                all: false,
            });
        }
        let mut names: Vec<&str> = Vec::new();
        let mut woken: Vec<Vec<usize>> = Vec::new();
        let mut places = std::collections::HashMap::new();
        let mut always = Vec::new();
        for (index, rule) in rules.iter().enumerate() {
            if rule.keywords.is_empty() {
                always.push(index);
            }
            for keyword in &rule.keywords {
                let at = *places.entry(keyword.as_str()).or_insert_with(|| {
                    names.push(keyword);
                    woken.push(Vec::new());
                    names.len() - 1
                });
                woken[at].push(index);
            }
        }
        let keywords = words(&names)?;
        Ok(Self {
            rules,
            keywords,
            woken,
            always,
            allow: lists,
        })
    }

    /// Compiles everything now, so that a bad pattern is told before any work.
    fn compile(&self) -> Result<(), Error> {
        let lists = self
            .rules
            .iter()
            .flat_map(|rule| &rule.allow)
            .chain(&self.allow);
        let own = self.rules.iter().map(|rule| (&*rule.id, &rule.pattern));
        let allowed =
            lists.flat_map(|list| list.patterns.iter().map(|p| ("allowlist", p)));
        for (name, pattern) in own.chain(allowed) {
            let built =
                compiled(&pattern.text).map_err(|error| bad_pattern(name, &error))?;
            let _ = pattern.compiled.set(Some(built));
        }
        Ok(())
    }
}

impl Rule {
    pub(super) fn regex(&self) -> Option<&Regex> {
        self.pattern.get()
    }
}

/// One rule; `None` for one that looks at names of files.
fn rule(table: &Table) -> Result<Option<Rule>, Error> {
    let text = |key: &str| table.get(key).and_then(Value::as_str);
    let id = text("id").ok_or_else(|| bad("a rule has no `id`"))?;
    let Some(pattern) = text("regex").filter(|_| text("path").is_none()) else {
        return Ok(None);
    };
    if !id
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
    {
        let message = "a rule's `id` has letters, digits, `-`, `_` and `.` only";
        return Err(bad(message));
    }
    let group = table.get("secretGroup").and_then(Value::as_integer);
    let entropy = table.get("entropy");
    let entropy = entropy.and_then(|e| {
        #[allow(clippy::cast_precision_loss)] // a few bits
        e.as_float().or_else(|| e.as_integer().map(|e| e as f64))
    });
    Ok(Some(Rule {
        id: id.to_owned(),
        pattern: Pattern::new(pattern),
        group: group
            .and_then(|group| usize::try_from(group).ok())
            .unwrap_or(0),
        entropy: entropy.unwrap_or(0.0),
        keywords: strings(table, "keywords").map(str::to_lowercase).collect(),
        allow: allow_lists(table)?,
    }))
}

/// The allow lists of a rule, or of all rules. One that names paths or commits and
/// asks for all of it can never fit here.
fn allow_lists(table: &Table) -> Result<Vec<Allow>, Error> {
    let mut lists = Vec::new();
    let one = table.get("allowlist").and_then(Value::as_table);
    for list in tables(table, "allowlists").chain(one) {
        let all = list
            .get("condition")
            .and_then(Value::as_str)
            .is_some_and(|word| word.eq_ignore_ascii_case("and"));
        let elsewhere = list.contains_key("paths") || list.contains_key("commits");
        // `targetRules` narrows a list for all to some; none of the built-in ones does.
        if all && elsewhere || list.contains_key("targetRules") {
            continue;
        }
        let stopwords: Vec<&str> = strings(list, "stopwords").collect();
        let allow = Allow {
            patterns: strings(list, "regexes").map(Pattern::new).collect(),
            target: match list.get("regexTarget").and_then(Value::as_str) {
                Some("match") => Target::Match,
                Some("line") => Target::Line,
                _ => Target::Secret,
            },
            stopwords: match stopwords.is_empty() {
                true => None,
                false => Some(words(&stopwords)?),
            },
            all,
        };
        if !allow.patterns.is_empty() || allow.stopwords.is_some() {
            lists.push(allow);
        }
    }
    Ok(lists)
}

fn words(words: &[&str]) -> Result<AhoCorasick, Error> {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(words)
        .map_err(|error| bad(&format!("too many words: {error}")))
}

fn tables<'t>(table: &'t Table, key: &str) -> impl Iterator<Item = &'t Table> {
    let list = table.get(key).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_table)
}

fn strings<'t>(table: &'t Table, key: &str) -> impl Iterator<Item = &'t str> {
    let list = table.get(key).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str)
}

fn bad(message: &str) -> Error {
    Error::new(
        ErrorKind::Usage,
        "secret-rules",
        format!("the rules: {message}"),
    )
}

fn unreadable(error: &toml::de::Error) -> Error {
    bad(&format!("no TOML: {}", error.message()))
}

fn bad_pattern(name: &str, error: &regex::Error) -> Error {
    let last = error.to_string();
    let last = last.lines().last().unwrap_or_default();
    bad(&format!("`{name}`: {last}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_rule_can_be_used() {
        let rules = Rules::built_in().expect("rules");
        rules.compile().expect("patterns");
        assert!(rules.count() > 200, "{}", rules.count());
    }

    #[test]
    fn patterns_mean_what_they_mean_in_go() {
        for (pattern, text, fits) in [
            ("^{a}$", "{a}", true),
            (r"^\$(?:\d+|{\d+})$", "${12}", true),
            ("^a{2}$", "aa", true),
            ("^a{,2}$", "a{,2}", true),
            ("^[[{]$", "[", true),
            ("^[]a]$", "]", true),
            ("^[^]a]$", "a", false),
            ("^[[:alpha:]]{2,}$", "ab", true),
            (r"^\x{41}\{$", "A{", true),
        ] {
            let built = compiled(pattern).expect(pattern);
            assert_eq!(built.is_match(text.as_bytes()), fits, "{pattern} {text}");
        }
    }

    #[test]
    fn a_file_replaces_or_extends() {
        let own = "[[rules]]\nid = \"mine\"\nregex = '''mine-[0-9]{4}'''\n";
        assert_eq!(Rules::new(Some(own), &[]).expect("rules").count(), 1);
        let both = format!("[extend]\nuseDefault = true\n{own}");
        assert!(Rules::new(Some(&both), &[]).expect("rules").count() > 200);
    }

    #[test]
    fn what_is_wrong_with_rules_is_said() {
        for (file, words) in [
            ("[[rules", "no TOML"),
            ("[[rules]]\nregex = 'a'\n", "no `id`"),
            ("[[rules]]\nid = 'x'\nregex = '('\n", "`x`"),
            ("[[rules]]\nid = 'x y'\nregex = 'a'\n", "letters"),
        ] {
            let error = Rules::new(Some(file), &[]).expect_err(file);
            assert!(error.message.contains(words), "{file}: {}", error.message);
        }
        let error = Rules::new(None, &["(".to_owned()]).expect_err("a bad pattern");
        assert!(error.message.contains("--allow"), "{}", error.message);
    }
}
