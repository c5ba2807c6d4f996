//! The registry: every code that anything tells stands in it, with its texts.

use crate::common::command::run;
use convo::show::rules;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => sources(&path, found),
            false => found.push(path),
        }
    }
}

/// Codes as they stand where something is told, with the file.
fn told() -> BTreeMap<String, String> {
    let calls = [
        r#"Diagnostic::(?:note|warning)\(\s*"([a-z-]+)""#,
        r#"Error::new\(\s*(?:crate::error::)?ErrorKind::\w+,\s*"([a-z-]+)""#,
        r#"(?:warnings|warnings\.list|self|record|self\.record)\s*\.(?:warn|note|push)\(\s*"([a-z-]+)","#,
        r#"(?:refusal|contract|input_error)\(\s*"([a-z-]+)""#,
        r#"code[:=] *(?:if \w+ \{ )?"([a-z-]+)""#,
    ];
    let calls = calls.map(|call| Regex::new(call).expect("a pattern"));
    let mut files = Vec::new();
    sources(Path::new("src"), &mut files);
    let mut found = BTreeMap::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("UTF-8");
        for call in &calls {
            for hit in call.captures_iter(&text) {
                found.insert(hit[1].to_owned(), file.display().to_string());
            }
        }
    }
    found
}

/// A code that is told without standing in the registry cannot be explained: write it
/// down in the `notes.rs` of its room.
#[test]
fn every_code_that_is_told_is_a_rule() {
    let found = told();
    assert!(found.len() > 100, "{}", found.len());
    let missing: Vec<_> = found
        .iter()
        .filter(|(code, _)| rules::find(code).is_none())
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// What stands in the registry is told somewhere: a text for nothing would go stale.
#[test]
fn every_rule_is_told_somewhere() {
    let mut files = Vec::new();
    sources(Path::new("src"), &mut files);
    let text: String = files
        .iter()
        .map(|file| std::fs::read_to_string(file).expect("UTF-8"))
        .collect();
    let written = Regex::new(r#"(?m)^    ([A-Z_0-9]+): \w+ "([a-z0-9-]+)""#);
    for hit in written.expect("a pattern").captures_iter(&text) {
        let (name, code) = (&hit[1], &hit[2]);
        let named = Regex::new(&format!(r"\b{name}\b")).expect("a pattern");
        let uses = named.find_iter(&text).count();
        let literal = text.matches(&format!("\"{code}\"")).count();
        assert!(uses > 1 || literal > 1, "{code} is told nowhere");
    }
}

#[test]
fn ids_are_unique_and_texts_are_whole() {
    let mut seen = BTreeSet::new();
    for rule in rules::all() {
        let id = rule.id;
        assert!(seen.insert(id), "{id} twice");
        let kebab = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        assert!(id.bytes().all(kebab), "{id}");
        for text in [rule.what, rule.why, rule.mend] {
            assert!(!text.is_empty() && text.trim() == text, "{id}");
            assert!(!text.ends_with('.'), "{id}: {text}");
        }
        let page = rule.source.strip_prefix("docs/");
        assert!(
            page.is_some() || rule.source.starts_with("https://"),
            "{id}: {}",
            rule.source
        );
    }
    assert!(seen.len() > 400, "{}", seen.len());
}

/// `--explain` knows what every command tells, and suggests a near miss.
#[test]
fn every_family_is_listed_and_explained() {
    let list = run(&["lint", "--list"], b"").ok(0);
    for rule in rules::all() {
        let line = |line: &str| line.split(' ').next() == Some(rule.id);
        assert!(list.lines().any(line), "{}", rule.id);
    }
    for id in [
        "diff-system",
        "told-apart",
        "lone-surrogate",
        "gate-closed",
        "call-interrupted",
        "odd-block",
        "json-syntax",
        "removed",
    ] {
        let text = run(&["lint", "--explain", id], b"").ok(0);
        assert!(text.starts_with(&format!("{id} (")), "{text}");
        for part in ["what: ", "why: ", "mend: ", "source: "] {
            assert!(text.contains(part), "{text}");
        }
    }
    let ran = run(&["lint", "--explain", "told-part"], b"");
    assert_eq!(ran.status, 2);
    let near = "did you mean `told-apart`?";
    assert!(ran.stderr.contains(near), "{}", ran.stderr);
}
