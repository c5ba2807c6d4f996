//! What is cited is there: every `docs/` page and heading, every numbered rule, and
//! no file of a workplace that does not ship.

use regex::Regex;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text files below `folder`, those of snapshots too.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        if name.starts_with("__pycache__") || name == "target" || name == "node_modules"
        {
            continue;
        }
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// Everything that ships and may cite: path below the root, and text.
fn shipped() -> Vec<(String, String)> {
    let mut paths = Vec::new();
    for folder in [
        "src", "tests", "benches", "schemas", "docs", "man", "examples", "fuzz",
        "python", "fixtures",
    ] {
        files(&root().join(folder), &mut paths);
    }
    for file in ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "action.yml"] {
        paths.push(root().join(file));
    }
    paths.sort();
    paths
        .into_iter()
        .filter_map(|path| {
            let text = std::fs::read_to_string(&path).ok()?;
            let name = path.strip_prefix(root()).expect("below the root");
            Some((name.to_string_lossy().into_owned(), text))
        })
        .collect()
}

/// The anchor that a Markdown heading gets.
fn anchor(heading: &str) -> String {
    heading
        .to_lowercase()
        .chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
            _ => None,
        })
        .collect()
}

fn anchors(page: &str) -> BTreeSet<String> {
    let mut fenced = false;
    let mut found = BTreeSet::new();
    for line in page.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        }
        if let Some(heading) = line.strip_prefix('#').filter(|_| !fenced) {
            found.insert(anchor(heading.trim_start_matches('#').trim()));
        }
    }
    found
}

#[test]
fn nothing_cites_a_file_that_does_not_ship() {
    // In pieces, so that this file does not name them.
    let absent = [
        concat!("spec", "/"),
        concat!("design", ".md"),
        concat!("house", ".md"),
        concat!("style", ".md"),
        concat!("cases", "/"),
        concat!("seen", ".md"),
        concat!("corpus/", "README"),
    ];
    let address = Regex::new(r"https?://\S+").expect("a pattern");
    let mut found = Vec::new();
    for (name, text) in shipped() {
        for (number, line) in text.lines().enumerate() {
            if !absent.iter().any(|absent| line.contains(absent)) {
                continue;
            }
            // Names of other projects' files, in addresses, are theirs.
            let line = address.replace_all(line, "");
            for absent in absent {
                let cited = line.match_indices(absent).any(|(at, _)| {
                    // Not the end of a longer name.
                    !line[..at]
                        .ends_with(|c: char| c.is_alphanumeric() || "-_/".contains(c))
                });
                if cited {
                    found.push(format!("{name}:{}: {}", number + 1, line.trim()));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn cited_pages_and_headings_are_there() {
    let address = Regex::new(r"https?://[^\s)]+").expect("a pattern");
    let citation =
        Regex::new(r"\b(docs/[a-z_-]+\.md)(#[a-z0-9_-]+)?").expect("a pattern");
    let link = Regex::new(r"\]\(([^)\s#:]+\.md)?(#[a-z0-9_-]+)?\)").expect("a pattern");
    let mut missing = BTreeSet::new();
    let mut check = |from: &str, page: &Path, heading: Option<&str>| {
        let Ok(text) = std::fs::read_to_string(page) else {
            missing.insert(format!("{from}: {} is not there", page.display()));
            return;
        };
        if let Some(heading) = heading.map(|heading| &heading[1..])
            && !anchors(&text).contains(heading)
        {
            missing.insert(format!("{from}: {} has no #{heading}", page.display()));
        }
    };
    for (name, text) in shipped() {
        let text = address.replace_all(&text, "");
        for cited in citation.captures_iter(&text) {
            check(
                &name,
                &root().join(&cited[1]),
                cited.get(2).map(|m| m.as_str()),
            );
        }
        if !name.ends_with(".md") {
            continue;
        }
        let here = root().join(&name);
        for link in link.captures_iter(&text) {
            let page = match link.get(1) {
                Some(page) => here.parent().expect("a folder").join(page.as_str()),
                None => here.clone(),
            };
            check(&name, &page, link.get(2).map(|m| m.as_str()));
        }
    }
    let missing: Vec<_> = missing.into_iter().collect();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn cited_rules_are_written_down() {
    let id =
        Regex::new(r"\b(D|CH|TU|TL|MD|MD-W|ST|SE|EN)-([0-9]+)\b").expect("a pattern");
    let mut defined = BTreeSet::new();
    let definition = Regex::new(r"(?m)^\| (D-[0-9]+) \||\*\*([A-Z]{2}-W?[0-9]+)\*\*")
        .expect("a pattern");
    for page in ["docs/formats.md", "docs/render.md"] {
        let text = std::fs::read_to_string(root().join(page)).expect("a page");
        for found in definition.captures_iter(&text) {
            let id = found.get(1).or(found.get(2)).expect("an id");
            defined.insert(id.as_str().to_owned());
        }
    }
    assert!(defined.len() > 100, "{}", defined.len());
    let mut missing = BTreeSet::new();
    for (name, text) in shipped() {
        if !name.ends_with(".rs") && !name.ends_with(".json") && !name.ends_with(".md")
        {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            let comment = !name.ends_with(".rs") || line.contains("//");
            for cited in id.find_iter(line).filter(|_| comment) {
                if !defined.contains(cited.as_str()) {
                    missing.insert(format!(
                        "{name}:{}: {}",
                        number + 1,
                        cited.as_str()
                    ));
                }
            }
        }
    }
    let missing: Vec<_> = missing.into_iter().collect();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
