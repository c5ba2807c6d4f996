//! The command from outside: statuses, formats, bad input.

use crate::common::command::run;
use serde_json::Value;
use serde_sarif::sarif::Sarif;

const BODY: &str = concat!(
    r#"{"headers":{"anthropic-beta":"x"},"body":{"model":"claude-opus-5","max_tokens":1,"#,
    "\n",
    r#" "messages":[{"role":"user","content":"é"},{"role":"user","content":""}]}}"#,
    "\n"
);

const GOOD: &str = r#"{"model":"claude-opus-5","max_tokens":1,"messages":[{"role":"user","content":"hi"}]}"#;

#[test]
fn text_marks_the_place_in_its_line() {
    let ran = run(&["lint"], BODY.as_bytes());
    insta::assert_snapshot!(ran.shown(), @r#"
    standard input:2:44: error[content-empty] at /messages/1 (byte 126)
      a message of role `user` without content
      2 | …role":"user","content":"é"},{"role":"user","content":""}]}}
        |                              ^
      hint: leave the message out

    standard input at /body: 1 error (anthropic, claude-opus-5, claude-api, x)
    [out]
    [err]
    [1]
    "#);
}

#[test]
fn json_has_one_report_a_body() {
    let input = format!("{BODY}{GOOD}\n");
    let ran = run(
        &["lint", "--format", "json", "-", "--model", "m"],
        input.as_bytes(),
    );
    assert_eq!(ran.status, 1, "{}", ran.shown());
    let reports: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(reports.len(), 2);
    let first = &reports[0];
    assert_eq!(first["schema"], "convo/lint-report/1");
    assert_eq!(first["input"], Value::Null);
    assert_eq!(
        (first["body"].as_u64(), first["errors"].as_u64()),
        (Some(0), Some(1))
    );
    assert_eq!(first["within"], "/body");
    assert_eq!(first["betas"], serde_json::json!(["x"]));
    let finding = &first["findings"][0];
    assert_eq!(finding["rule"], "content-empty");
    assert_eq!(finding["path"], "/messages/1");
    assert_eq!(
        (finding["line"].as_u64(), finding["column"].as_u64()),
        (Some(2), Some(44))
    );
    let byte =
        usize::try_from(finding["byte"].as_u64().expect("a byte")).expect("a byte");
    assert!(BODY[byte..].starts_with(r#"{"role":"user","content":""}"#));
    assert_eq!(reports[1]["body"], 1);
    assert_eq!(reports[1]["betas"], Value::Null);
    assert_eq!(reports[1]["findings"], serde_json::json!([]));
}

#[test]
fn github_annotations_are_escaped() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a,b:c%.json");
    std::fs::write(&path, BODY).expect("written");
    let path = path.to_str().expect("UTF-8");
    let ran = run(&["lint", "--format", "github", path], b"");
    assert_eq!(ran.status, 1);
    let expected = "a%2Cb%3Ac%25.json,line=2,col=44,title=content-empty::/messages/1: a message \
                    of role `user` without content%0Aleave the message out\n";
    assert!(ran.stdout.starts_with("::error file="), "{}", ran.stdout);
    assert!(ran.stdout.ends_with(expected), "{}", ran.stdout);
}

/// The log is read back by a crate that knows SARIF and not us.
#[test]
fn sarif_is_read_back() {
    let five = r#"{"model":"claude-opus-5","max_tokens":1,"messages":[{"role":"user","content":[
        {"type":"text","text":"a","cache_control":{"type":"ephemeral"}},
        {"type":"text","text":"b","cache_control":{"type":"ephemeral","ttl":"1h"}}]}]}"#;
    let input = format!("{BODY}{five}\n{{\"messages\":\n");
    let ran = run(&["lint", "--format", "sarif"], input.as_bytes());
    assert_eq!(ran.status, 1, "{}", ran.shown());
    let log: Sarif = serde_json::from_str(&ran.stdout).expect("a SARIF log");
    assert_eq!(log.version, Value::from("2.1.0"));
    let run = &log.runs[0];
    let rules = run.tool.driver.rules.as_deref().expect("rules");
    assert_eq!(rules.len(), convo::show::rules::all().count());
    let results = run.results.as_deref().expect("results");
    for result in results {
        let index =
            usize::try_from(result.rule_index.expect("an index")).expect("an index");
        assert_eq!(Some(&rules[index].id), result.rule_id.as_ref());
        let place = &result.locations.as_deref().expect("locations")[0];
        let region = place.physical_location.as_ref().expect("a place");
        let region = region.region.as_ref().expect("a region");
        assert!(region.start_line.expect("a line") >= 1);
        assert!(region.byte_offset.expect("a byte") >= 0);
    }
    let order = results
        .iter()
        .find(|one| one.rule_id.as_deref() == Some("ttl-order"))
        .expect("the finding");
    assert_eq!(
        order.level,
        Some(serde_json::from_value("error".into()).expect("a level"))
    );
    assert!(order.related_locations.is_some());
    let invocation = &run.invocations.as_deref().expect("invocations")[0];
    assert!(!invocation.execution_successful);
    let told = invocation.tool_execution_notifications.as_deref();
    assert_eq!(told.expect("notifications").len(), 1);
}

#[test]
fn an_empty_sarif_log_is_read_back() {
    let ran = run(&["lint", "--format", "sarif"], GOOD.as_bytes());
    assert_eq!(ran.status, 0);
    let log: Sarif = serde_json::from_str(&ran.stdout).expect("a SARIF log");
    assert_eq!(log.runs[0].results.as_deref().map(<[_]>::len), Some(0));
}

#[test]
fn what_is_no_body_is_told_for_what_it_is() {
    let response = r#"{"type":"message","role":"assistant","content":[],"usage":{}}"#;
    for (input, words) in [
        ("", "the input is empty"),
        ("{\"messages\":[{", "the body is cut short"),
        ("{\"messages\":[}", "expected a JSON value or `]`"),
        ("\u{1f}\u{8b}", "character"),
        (
            response,
            "this is an Anthropic response, not a request body",
        ),
        ("[]", "expected a request body, an object, found an array"),
        ("{\"events\":[]}", "this is a stored conversation"),
        ("{\"a\":1}", "found an object with `a`"),
        ("{\"log\":{\"entries\":[]}}", "no request with a body"),
        ("{\"body\":\"{\"}", "the string does not hold a body"),
        (
            "{\"contents\":[]}",
            "this is a body for google, not for anthropic",
        ),
    ] {
        let ran = run(&["lint", "--provider", "anthropic"], input.as_bytes());
        assert_eq!(ran.status, 2, "{input}: {}", ran.shown());
        assert_eq!(ran.stdout, "", "{input}");
        assert!(ran.stderr.contains(words), "{input}: {}", ran.stderr);
    }
    let ran = run(&["lint"], b"\x1f\x8b\x08\x00");
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("gzip"), "{}", ran.stderr);
    let ran = run(&["lint", "no-such-file.json"], b"");
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("no-such-file.json"), "{}", ran.stderr);
}

#[test]
fn a_batch_goes_on_and_remembers() {
    let input = format!("{GOOD}\n{{broken\n{GOOD}\n");
    let ran = run(&["lint", "--format", "json"], input.as_bytes());
    assert_eq!(
        (ran.status, ran.stdout.lines().count()),
        (1, 2),
        "{}",
        ran.shown()
    );
    let ran = run(&["lint", "--format", "json", "--strict"], input.as_bytes());
    assert_eq!(
        (ran.status, ran.stdout.lines().count()),
        (1, 1),
        "{}",
        ran.shown()
    );
    assert_eq!(
        run(&["lint"], GOOD.as_bytes()).shown(),
        "[out]\n[err]\n[0]\n"
    );
}

#[test]
fn any_number_of_jobs_gives_the_same_bytes() {
    let mut input = String::new();
    for count in 0..100 {
        let words = "word ".repeat(count * 7 % 50);
        input.push_str(&GOOD.replace("hi", words.as_str()));
        input.push_str(if count % 9 == 0 { "\n{broken\n" } else { "\n" });
    }
    for format in ["human", "json", "github", "sarif"] {
        let one = run(&["lint", "--format", format], input.as_bytes());
        let many = run(&["lint", "--format", format, "-j", "3"], input.as_bytes());
        assert_eq!(one.shown(), many.shown());
        assert_eq!(one.status, 1);
    }
}

#[test]
fn options_change_the_answer() {
    let bare = GOOD.replace(r#""model":"claude-opus-5","#, "");
    assert_eq!(run(&["lint"], bare.as_bytes()).status, 1);
    assert_eq!(
        run(&["lint", "--model", "claude-opus-5"], bare.as_bytes()).status,
        0
    );
    let ignore = ["lint", "--ignore", "required-field"];
    assert_eq!(run(&ignore, bare.as_bytes()).status, 0);
    let guess = run(&["lint", "--ignore", "required-field"], bare.as_bytes());
    assert!(
        guess.stderr.contains("taken for anthropic"),
        "{}",
        guess.shown()
    );
    let said = [
        "lint",
        "--ignore",
        "required-field",
        "--provider",
        "anthropic",
    ];
    assert_eq!(run(&said, bare.as_bytes()).shown(), "[out]\n[err]\n[0]\n");
    let bedrock = bare.replace('{', r#"{"anthropic_version":"bedrock-2023-05-31","#);
    let bedrock = bedrock.replacen(
        r#""messages":[{"anthropic_version":"bedrock-2023-05-31","#,
        r#""messages":[{"#,
        1,
    );
    assert_eq!(
        run(&["lint"], bedrock.as_bytes()).shown(),
        "[out]\n[err]\n[0]\n"
    );
    let clear = GOOD.replace(
        "}]}",
        r#"},{"role":"system","content":"x","clear_at":"next_user_message"}]}"#,
    );
    assert_eq!(run(&["lint"], clear.as_bytes()).status, 0);
    assert_eq!(run(&["lint", "--beta", "none"], clear.as_bytes()).status, 1);
    let beta = "mid-conversation-system-clear-at-2026-08-21";
    assert_eq!(run(&["lint", "--beta", beta], clear.as_bytes()).status, 0);
}

#[test]
fn the_request_before_shows_what_the_body_cannot() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.json");
    let turns = |first: &str| {
        format!(
            r#"{{"model":"claude-opus-5-5","max_tokens":1,"messages":[{{"role":"user","content":"a"}},{{"role":"assistant","content":[{first}{{"type":"text","text":"b"}}]}},{{"role":"user","content":"c"}},{{"role":"assistant","content":[{{"type":"thinking","thinking":"","signature":"S2"}},{{"type":"text","text":"d"}}]}},{{"role":"user","content":"e"}}]}}"#
        )
    };
    let thinking = r#"{"type":"thinking","thinking":"","signature":"S1"},"#;
    std::fs::write(&path, turns(thinking)).expect("written");
    let args = ["lint", "--after", path.to_str().expect("UTF-8")];
    let ran = run(&args, turns("").as_bytes());
    let part = "warning[diff-message-edited] at /messages/1/content/0";
    assert!(ran.stdout.contains(part), "{}", ran.shown());
    let same = run(&args, turns(thinking).as_bytes());
    assert!(!same.stdout.contains("warning["), "{}", same.shown());
    assert_eq!(same.status, 0);
    assert_eq!(run(&["lint", "--after", "nothing.json"], b"{}").status, 2);
}

#[test]
fn rules_are_listed_and_explained() {
    let list = run(&["lint", "--list"], b"").ok(0);
    assert_eq!(list.lines().count(), convo::show::rules::all().count());
    for rule in convo::show::rules::all() {
        let text = run(&["lint", "--explain", rule.id], b"").ok(0);
        for part in [rule.id, rule.what, rule.why, rule.mend, rule.source] {
            assert!(text.contains(part), "{text}");
        }
    }
    let unknown = run(&["lint", "--explain", "ttl"], b"");
    assert_eq!(unknown.status, 2);
    assert!(unknown.stderr.contains("--list"), "{}", unknown.stderr);
}

/// `convo lint --list --format markdown > docs/rules.md` writes it anew.
#[test]
fn the_page_of_rules_is_up_to_date() {
    let page = run(&["lint", "--list", "--format", "markdown"], b"").ok(0);
    assert!(
        page == std::fs::read_to_string("docs/rules.md").expect("a page"),
        "write docs/rules.md anew"
    );
    assert_eq!(run(&["lint", "--format", "markdown"], b"{}").status, 2);
}

#[test]
fn a_slip_in_a_rule_is_mended() {
    let slip = run(&["lint", "--explain", "ttl-oder"], b"");
    assert!(
        slip.stderr.contains("did you mean `ttl-order`?"),
        "{}",
        slip.shown()
    );
    let other = run(&["lint", "--ignore", "diff-system"], b"");
    assert!(other.stderr.contains("does not judge"), "{}", other.shown());
    let known = run(&["lint", "--explain", "diff-system"], b"").ok(0);
    assert!(known.contains("the system text changed"), "{known}");
}
