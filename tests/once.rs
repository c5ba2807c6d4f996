//! What is shared is built once: each thing below has one home, and no second one
//! grows beside it.

use regex::Regex;
use std::path::Path;

struct Shared {
    what: &'static str,
    /// What a second one would look like.
    sign: &'static str,
    home: &'static [&'static str],
    instead: &'static str,
}

const SHARED: &[Shared] = &[
    Shared {
        what: "a plural",
        sign: r#"(?:== 1 \{|1 =>|\btrue =>)\s*"[a-z ]*"[\s,}]*(?:else \{|_ =>|false =>)\s*"[a-z ]*(?:s|are)""#,
        home: &["src/term/"],
        instead: "term::{counted, counted_are, noun_for}",
    },
    Shared {
        what: "a plural that leaves the choice to the reader",
        sign: r#""[^"\n]*[a-z]\(e?s\)[^"\n]*""#,
        home: &[],
        instead: "term::counted",
    },
    Shared {
        what: "thousands set apart",
        sign: r"is_multiple_of\(3\)",
        home: &["src/term/"],
        instead: "term::grouped",
    },
    Shared {
        what: "a sanitiser",
        sign: r"escape_(?:debug|default|unicode)\(\)|\{\w*:\?\}.*decode\(\)",
        home: &["src/term/"],
        instead: "term::{printable, quoted}",
    },
    Shared {
        what: "a list of characters that hide or turn text",
        sign: r"u\{202[a-e]\}'|u\{200[b-f]\}'\.\.",
        home: &["src/term/"],
        instead: "term::printable, term::clean",
    },
    Shared {
        what: "a cut by characters",
        sign: r"chars\(\)\s*\.take\([^)]*\)\s*\.collect(?:::<String>)?\(\)\s*[;,)]",
        // Ids are made to fit, not shown; a line around a caret is a window.
        home: &["src/term/", "src/lint/fix.rs", "src/show/human/mod.rs"],
        instead: "term::{shortened, quoted}, term::width::cut",
    },
    Shared {
        what: "a width",
        sign: r"unicode_width|unicode_segmentation",
        // Line breaks and streamed ends look at single characters.
        home: &[
            "src/term/",
            "src/render/wrap.rs",
            "src/render/markdown/inline.rs",
            "src/render/replay/speech.rs",
        ],
        instead: "term::width",
    },
    Shared {
        what: "a decision on colours",
        sign: r#""(?:NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|TERM)""#,
        // The command reads the variables, it does not judge; the pages name them.
        home: &["src/term/", "src/cli/mod.rs", "src/cli/man.rs"],
        instead: "term::Environment",
    },
];

fn sources(folder: &Path, found: &mut Vec<(String, String)>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            let name = path.strip_prefix(root).expect("below the root");
            let text = std::fs::read_to_string(&path).expect("a source");
            // Tests may state what they expect in any way.
            let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
            found.push((name.to_string_lossy().replace('\\', "/"), code.to_owned()));
        }
    }
}

#[test]
fn shared_things_have_one_home() {
    let mut files = Vec::new();
    sources(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut files,
    );
    assert!(files.len() > 100, "{} sources", files.len());
    let mut seconds = Vec::new();
    for shared in SHARED {
        let sign = Regex::new(shared.sign).expect("a pattern");
        for (name, text) in &files {
            if shared.home.iter().any(|home| name.starts_with(home)) {
                continue;
            }
            for found in sign.find_iter(text) {
                let line = text[..found.start()].matches('\n').count() + 1;
                let Shared { what, instead, .. } = shared;
                seconds.push(format!("{name}:{line}: {what}; use {instead}"));
            }
        }
    }
    assert!(seconds.is_empty(), "\n{}", seconds.join("\n"));
}

#[test]
fn the_signs_see_what_they_are_for() {
    for (what, second) in [
        ("a plural", r#"if n == 1 { "" } else { "s" }"#),
        (
            "a plural",
            r#"if n == 1 { "tool is" } else { "tools are" }"#,
        ),
        ("a plural", "match n {\n 1 => \"block\",\n _ => \"blocks\""),
        ("a sanitiser", "key.decode().escape_debug()"),
        (
            "a cut by characters",
            "text.chars().take(40).collect::<String>(),",
        ),
        ("a decision on colours", r#"var("NO_COLOR")"#),
    ] {
        let shared = SHARED.iter().find(|one| one.what == what).expect("a row");
        let sign = Regex::new(shared.sign).expect("a pattern");
        assert!(sign.is_match(second), "{what}: {second}");
    }
}
