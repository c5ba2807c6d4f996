//! Every command's main ways: output, messages and status, as they are seen.
//!
//! One snapshot a command. What is looked at in a review is whether the words help;
//! whether they are right is asked elsewhere. Long results show their first lines.

use crate::common::command::run;

const BUNDLE: &str = "fixtures/ways/bundle.json";
const BODIES: &str = "fixtures/ways/bodies.jsonl";
const REFUSED: &str = "fixtures/ways/refused.json";
const SESSION: &str = "fixtures/import/01.in.jsonl";

/// Lines shown of one result, and characters of a line.
const LINES: usize = 24;
const WIDTH: usize = 600;

fn cut(text: &str) -> String {
    let count = text.lines().count();
    let mut out = String::new();
    for line in text.lines().take(LINES) {
        let shown: String = line.chars().take(WIDTH).collect();
        out.push_str(&shown);
        if shown.len() < line.len() {
            out.push('…');
        }
        out.push('\n');
    }
    if count > LINES {
        out.push_str("… and more lines\n");
    }
    out
}

/// The runs of one command, told one after the other.
fn ways(command: &str, runs: &[(&[&str], &str)]) {
    let mut told = String::new();
    for (args, input) in runs {
        let mut all = vec![command];
        all.extend_from_slice(args);
        let ran = run(&all, input.as_bytes());
        let given = match input.is_empty() {
            true => String::new(),
            false => format!(" <<< {}", cut(input).trim_end()),
        };
        told.push_str(&format!("$ convo {}{given}\n", all.join(" ")));
        told.push_str(&cut(&ran.stdout));
        if !ran.stderr.is_empty() {
            told.push_str(&format!("[err]\n{}", cut(&ran.stderr)));
        }
        told.push_str(&format!("[{}]\n\n", ran.status));
    }
    insta::assert_snapshot!(format!("ways-{command}"), told);
}

/// What is wrong with an input in the ways that are met.
const CUT: &str = "[{\"type\":\"chat_request\",\"content\":\"aG";
const NO_JSON: &str = "hello";
const BODY: &str = "{\"model\":\"m\",\"messages\":[]}";
const SHAPE: &str = "[{\"type\":\"chat_request\",\"content\":5}]";

#[test]
fn project() {
    ways(
        "project",
        &[
            (&[BUNDLE], ""),
            (&["--view", "raw", "--output", "lines", BUNDLE], ""),
            (&["--audience", "both", "--output", "array", BUNDLE], ""),
            (&["--addressed-only", BUNDLE], ""),
            (&[], CUT),
            (&[], NO_JSON),
            (&[], BODY),
            (&[], SHAPE),
            (&["--lenient"], SHAPE),
            (&["--message-format", "json"], ""),
            (&["none.json"], ""),
        ],
    );
}

#[test]
fn render() {
    ways(
        "render",
        &[
            (&["--width", "60", BUNDLE], ""),
            (&["--width", "60", "--style", "chat", BUNDLE], ""),
            (&["--format", "markdown", BUNDLE], ""),
            (&["--format", "lines", "--only", "speech", BUNDLE], ""),
            (&["--turns", "9", BUNDLE], ""),
            (&[], CUT),
            (&["--last", "0", BUNDLE], ""),
        ],
    );
}

#[test]
fn flatten() {
    ways(
        "flatten",
        &[
            (&[BUNDLE], ""),
            (&["--requests", "1", "--pretty", BUNDLE], ""),
            (&["--format", "request", BUNDLE], ""),
            (&["--model", "openai/gpt-5.4", BUNDLE], ""),
            (&["--model", "google/gemini-3.5-flash", BUNDLE], ""),
            (&["--requests", "9", BUNDLE], ""),
            (&["--model", "nobody", BUNDLE], ""),
            (&[], "[]"),
            (&[], CUT),
        ],
    );
}

#[test]
fn place_directives() {
    ways(
        "place-directives",
        &[
            (&[BUNDLE], ""),
            (&["--items", BUNDLE], ""),
            (&["--platform", "bedrock", BUNDLE], ""),
            (
                &["--platform", "bedrock", "--tool-mode", "inline", BUNDLE],
                "",
            ),
            (&["--catalogue", REFUSED, BUNDLE], ""),
            (&[], "[]"),
        ],
    );
}

#[test]
fn validate() {
    let remarks =
        r#"[{"type":"turn_start","n":1},{"type":"chat_request","content":5}]"#;
    ways(
        "validate",
        &[
            (&[BUNDLE], ""),
            (&[], remarks),
            (&["--format", "json"], remarks),
            (&["--format", "github"], remarks),
            (&["--schema", "bundle"], "[]"),
            (&[], CUT),
        ],
    );
}

#[test]
fn bundle() {
    ways(
        "bundle",
        &[
            (&["fixtures/workspace"], ""),
            (&["fixtures/events"], ""),
            (&["none"], ""),
        ],
    );
}

#[test]
fn import() {
    ways(
        "import",
        &[
            (&[SESSION], ""),
            (&["--from", "anthropic", REFUSED], ""),
            (&[BUNDLE], ""),
            (&[], NO_JSON),
            (&["--branch", "none", SESSION], ""),
        ],
    );
}

#[test]
fn read_events() {
    ways(
        "read-events",
        &[
            (
                &["--workspace", "fixtures/workspace"],
                "{\"type\":\"none\"}\nhello\n",
            ),
            (&["--workspace", "none"], ""),
        ],
    );
}

#[test]
fn tell_user() {
    ways(
        "tell-user",
        &[
            (&[], "{\"message\":\"Nearly done.\"}"),
            (&[], "{}"),
            (&["--definition"], ""),
            (&["--config"], ""),
            (&["--elicitation"], ""),
        ],
    );
}

#[test]
fn diff_cache_prefix() {
    ways(
        "diff-cache-prefix",
        &[
            (&[BODIES], ""),
            (&["--format", "json", BODIES], ""),
            (&["--format", "github", BODIES], ""),
            (&["--mask", "[0-9]+:[0-9]+", BODIES], ""),
            (&["--mask", "(", BODIES], ""),
            (&[REFUSED], ""),
            (&["--conversation", BUNDLE, "--via", "flatten"], ""),
            (&[], NO_JSON),
        ],
    );
}

#[test]
fn lint() {
    ways(
        "lint",
        &[
            (&[BODIES], ""),
            (&[REFUSED], ""),
            (&["--format", "json", REFUSED], ""),
            (&["--format", "github", REFUSED], ""),
            (&["--fix", REFUSED], ""),
            (&["--fix", "--diff", REFUSED], ""),
            (&["--after", BODIES, BODIES], ""),
            (&["--explain", "told-apart"], ""),
            (&["--explain", "diff-systems"], ""),
            (&[BUNDLE], ""),
            (&[], NO_JSON),
            (&[], CUT),
        ],
    );
}

#[test]
fn models() {
    ways(
        "models",
        &[
            (&["claude-opus-5"], ""),
            (&["claude-opus-55"], ""),
            (&["--model-details", REFUSED], ""),
        ],
    );
}

#[test]
fn schema() {
    ways("schema", &[(&[], ""), (&["event"], ""), (&["nothing"], "")]);
}

#[test]
fn completions() {
    ways("completions", &[(&["bash"], ""), (&["tcsh"], "")]);
}

#[test]
fn man() {
    ways(
        "man",
        &[
            (&["lint"], ""),
            (&["nothing"], ""),
            (&["--all", "none/none"], ""),
        ],
    );
}
