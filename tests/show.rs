//! What every writer of findings owes its reader: nothing of the input steers a
//! terminal, hides, or speaks to a CI runner; colours are decided in one way.

use crate::common::command::{convo, feed, run};

const BODY: &str = r#"{"model":"claude-opus-5","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"#;

/// Characters that must not stand raw in any output.
const BAD: [char; 12] = [
    '\u{1b}',
    '\u{7}',
    '\u{7f}',
    '\u{9b}',
    '\u{202e}',
    '\u{61c}',
    '\u{200b}',
    '\u{2060}',
    '\u{feff}',
    '\u{e0041}',
    '\u{2028}',
    '\u{1d173}',
];

fn outputs(key: &str) -> Vec<String> {
    let body = format!("{BODY}{}:1}}\n", serde_json::to_string(key).expect("JSON"));
    let mut all = Vec::new();
    for format in ["human", "json", "github", "sarif"] {
        all.push(run(&["lint", "--format", format], body.as_bytes()).shown());
    }
    let second = body.replace(":1}", ":2}");
    let pair = format!("{body}{second}");
    for format in ["human", "json", "github"] {
        let args = ["diff-cache-prefix", "--format", format, "--fail-on", "lint"];
        all.push(run(&args, pair.as_bytes()).shown());
    }
    let delta = serde_json::json!([
        {"type":"config_delta","timestamp":"2026-09-01 10:00:00.0",
         "delta":{"assistant":{"model":{"id":format!("anthropic/x{key}")}}}},
        {"type":"chat_request","timestamp":"2026-09-01 10:00:00.0","content":"q"}]);
    for format in ["human", "json"] {
        let args = ["flatten", "--encoding", "plain", "--message-format", format];
        all.push(run(&args, delta.to_string().as_bytes()).stderr);
        let args = ["validate", "--encoding", "plain", "--format", format];
        let odd = serde_json::json!([{"type": key, "timestamp": key}]);
        all.push(run(&args, odd.to_string().as_bytes()).shown());
    }
    all
}

#[test]
fn no_text_from_outside_comes_out_raw() {
    let key: String = BAD.iter().flat_map(|c| ['a', *c]).collect();
    for text in outputs(&key) {
        let raw = BAD.into_iter().find(|bad| text.contains(*bad));
        assert_eq!(raw, None, "{text:?}");
    }
}

#[test]
fn a_key_gives_no_command_to_a_runner() {
    for text in outputs("x\n::error file=a.yml,line=1::pwned\r\n::warning::w") {
        let odd = text.lines().find(|line| {
            let line = line.trim_start();
            line.starts_with("::error file=a.yml") || line.starts_with("::warning::w")
        });
        assert_eq!(odd, None, "{text}");
    }
}

#[test]
fn colours_follow_the_environment_in_every_command() {
    let bad = format!("{BODY}\"x\":1}}\n{BODY}\"x\":2}}\n");
    let cases: [(&[(&str, &str)], bool); 7] = [
        (&[], false),
        (&[("FORCE_COLOR", "1")], true),
        (&[("CLICOLOR_FORCE", "1")], true),
        (&[("FORCE_COLOR", "1"), ("NO_COLOR", "1")], false),
        (&[("FORCE_COLOR", "0")], false),
        (&[("FORCE_COLOR", "false")], false),
        (&[("CLICOLOR", "1")], false),
    ];
    for (variables, colored) in cases {
        for command in [
            &["lint"][..],
            &["diff-cache-prefix"],
            &["render", "--lenient"],
            &["project"],
        ] {
            let mut process = convo();
            process.args(command).envs(variables.iter().copied());
            let ran = feed(&mut process, bad.as_bytes());
            assert_eq!(
                ran.shown().contains("\u{1b}["),
                colored,
                "{command:?} {variables:?}: {}",
                ran.shown()
            );
        }
    }
}

#[test]
fn a_caret_stands_below_its_place() {
    let body = format!("{BODY}\"✅✅✅\":1,\"tools\":[{{\"name\":\"x y\"}}]}}");
    let text = run(&["lint"], body.as_bytes()).stdout;
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|line| line.ends_with('^'));
    let at = at.expect("a caret");
    let columns = convo::term::width::cells(lines[at]) - 1;
    let above = lines[at - 1];
    let rest = &above[convo::term::width::fitting(above, columns)..];
    let row = lines[at - 3..at].join("\n");
    assert!(rest.starts_with(['{', '"', '1', '[']), "{row}");
}
