//! The public test inputs of `docs/render.md` that are about tools:
//! and reports from the field about viewing.

use crate::common::screen::{Screen, assert_inert, message, pipe, screen};
use convo::render::Settings;
use convo::term::clean::{Control, Rules};
use convo::term::width::cells;

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a string")
}

fn base(style: &str) -> String {
    format!(
        r#"{{"conversation":{{"tools":{{"t":{{"source":"local","style":{style}}}}}}}}}"#
    )
}

/// One turn with one call of `t` and a result.
fn call(content: &str, error: bool) -> String {
    format!(
        r#"[{{"type":"turn_start"}},{{"type":"chat_request","content":"go"}},
            {{"type":"tool_call_request","id":"1","name":"t","arguments":{{}}}},
            {{"type":"tool_call_response","id":"1","content":{content},"is_error":{error}}},
            {{"type":"chat_response","message":"ok"}}]"#
    )
}

fn result(style: &str, content: &str) -> Screen {
    screen(&base(style), &call(content, false), &Settings::default())
}

fn showing() -> Settings {
    Settings {
        rules: Rules {
            control: Control::Show,
            keep_bidi: false,
        },
        ..Settings::default()
    }
}

#[test]
fn r13_control_sequences_in_a_result() {
    let text = "ok\u{1b}]52;c;c2VjcmV0\u{7} done\n\u{1b}]0;unfinished title\n\
                visible tail\u{1b}[2J\u{1b}[H!";
    let content = quoted(text);
    let style = r#"{"inline_results":"full"}"#;
    let shown = result(style, &content);
    assert!(shown.err.contains("ok done"), "{}", shown.err);
    assert!(shown.err.contains("visible tail!"), "{}", shown.err);
    assert!(!shown.err.contains("c2VjcmV0"));
    assert_inert(&shown.both);
    assert_eq!(
        shown.told,
        ["turn 1: removed 4 control sequences; --control show reveals them"]
    );
    let shown = screen(&base(style), &call(&content, false), &showing());
    assert_eq!(shown.err.matches('␛').count(), 4, "{}", shown.err);
    assert!(shown.told.is_empty());
}

#[test]
fn r14_c1_bidi_tags() {
    let entries = r#"[{"type":"turn_start"},
        {"type":"tool_call_request","id":"1","name":"rea\u202Ed_\u009B31mfile"},
        {"type":"chat_response","message":"run `rm\u200B -r\u2066 x`"}]"#;
    let shown = screen("{}", entries, &Settings::default());
    let header: Vec<&str> = shown
        .err
        .lines()
        .filter(|l| l.contains("Calling"))
        .collect();
    assert_eq!(header, ["Calling tool rea<U+202E>d_file"]);
    assert!(shown.out.contains("`rm -r<U+2066> x`"), "{}", shown.out);
    assert_inert(&shown.both);
    let shown = screen("{}", entries, &showing());
    assert!(shown.out.contains("<U+200B>"), "{}", shown.out);
}

#[test]
fn r15_audience_split() {
    let style = |hidden: bool| {
        format!(
            r#"{{"inline_results":{{"user":"chat","assistant":"off"}},"header":"off",
                 "parameters":"off","hidden":{hidden}}}"#
        )
    };
    let content = r#"[
        {"type":"text","text":"**Phase 1** done","mimeType":"text/markdown",
         "annotations":{"audience":["user"]}},
        {"type":"text","text":"ack","annotations":{"audience":["assistant"]}},
        {"type":"text","text":"log line"}]"#;
    let shown = result(&style(false), content);
    assert!(shown.out.contains("\n**Phase 1** done\n"), "{}", shown.out);
    assert_eq!(shown.err.trim(), "log line");
    assert!(!shown.both.contains("ack"));
    let hidden = result(&style(true), content);
    assert!(hidden.err.is_empty());
    assert!(!hidden.both.contains("Phase") && !hidden.both.contains("log line"));
}

#[test]
fn r16_truncation_arithmetic() {
    let lines: Vec<String> = (1..=42).map(|n| format!("line {n}")).collect();
    let content = quoted(&lines.join("\n"));
    let expected = [
        ("0", 0, None),
        ("1", 1, Some("… 41 more lines (1 of 42 shown)")),
        ("41", 41, Some("… 1 more line (41 of 42 shown)")),
        ("42", 42, None),
        ("\"full\"", 42, None),
    ];
    for (limit, count, note) in expected {
        let shown = result(&format!(r#"{{"inline_results":{limit}}}"#), &content);
        let body = shown.err.lines().filter(|line| line.starts_with("line "));
        assert_eq!(body.count(), count, "limit {limit}");
        let found = shown.err.lines().find(|line| line.contains("more line"));
        assert_eq!(found, note, "limit {limit}");
    }
    let style = r#"{"inline_results":0,"error":{"inline_results":"full"}}"#;
    let failed = screen(&base(style), &call(&content, true), &Settings::default());
    let body = failed.err.lines().filter(|line| line.starts_with("line "));
    assert_eq!(body.count(), 42);
}

#[test]
fn r17_one_endless_line() {
    let strings = vec![format!("\"{}\"", "x".repeat(100)); 3000];
    let many = quoted(&format!("[{}]", strings.join(",")));
    let shown = result(r#"{"inline_results":10}"#, &many);
    let body: Vec<&str> = shown
        .err
        .lines()
        .skip_while(|line| *line != "```json")
        .skip(1)
        .take_while(|line| *line != "```")
        .collect();
    assert_eq!(body.len(), 10);
    assert!(
        shown.err.contains("… 2992 more lines (10 of 3002 shown)"),
        "{}",
        shown.err
    );
    let one = quoted(&format!("[\"{}\"]", "y".repeat(300_000)));
    let shown = result(r#"{"inline_results":10}"#, &one);
    let body: Vec<&str> = shown
        .err
        .lines()
        .skip_while(|line| *line != "```json")
        .skip(1)
        .take_while(|line| *line != "```")
        .collect();
    assert_eq!(body.len(), 3);
    assert!(cells(body[1]) <= 2001 && body[1].ends_with('…'));
    assert!(!shown.err.contains("more line"));
    let full = result(r#"{"inline_results":"full"}"#, &one);
    assert!(full.err.contains(&"y".repeat(300_000)));
}

#[test]
fn case_1_control_sequences_in_stored_text() {
    let entries = r#"[{"type":"turn_start"},
        {"type":"chat_request",
         "content":"probe \u001b[2J\u001b[Hred \u001b[31mX\u001b[0m \rspoof"},
        {"type":"chat_response","message":"ok\b\b\u202egnp.exe"}]"#;
    let shown = screen("{}", entries, &Settings::default());
    assert_inert(&shown.both);
    assert!(shown.out.contains("probe red X spoof"), "{}", shown.out);
    assert!(shown.out.contains("ok<U+202E>gnp.exe"), "{}", shown.out);
}

#[test]
fn case_2_half_stripped_escapes_leave_no_litter() {
    let content = quoted("\u{1b}[1m\u{1b}[32mCompiling\u{1b}[0m x");
    let shown = result("{}", &content);
    assert!(shown.err.contains("\nCompiling x\n"), "{}", shown.err);
    for litter in ["[1m", "[32m", "[0m"] {
        assert!(!shown.both.contains(litter));
    }
}

#[test]
fn case_3_wide_characters_and_table_borders() {
    let source = "| 项目 | n |\n|---|---|\n| 前端框架 | 1 |\n| CLI | 22 |";
    let output = message(source, &pipe(80));
    let borders = |line: &str| -> Vec<usize> {
        line.match_indices('|')
            .map(|(at, _)| cells(&line[..at]))
            .collect()
    };
    let first = borders(output.lines().next().unwrap_or_default());
    assert_eq!(first.len(), 3);
    for line in output.lines() {
        assert_eq!(borders(line), first, "{output}");
    }
}

#[test]
fn case_4_the_last_row_without_a_newline() {
    let output = message("| a | 列 |\n|---|---|\n| 1 | x |\n| 2 | y |", &pipe(80));
    assert!(
        output.contains("| 1 ") && output.contains("| 2 "),
        "{output}"
    );
}

#[test]
fn case_5_an_inner_fence_ends_nothing() {
    let source = "````md\nintro\n\n```qmd\nx: 1\n```\n\nmore\n````";
    assert_eq!(message(source, &pipe(80)), format!("{source}\n"));
}

#[test]
fn case_6_tags_are_text() {
    let text = "Leave the <head> and the <style> block as they are.";
    let entries = format!(
        r#"[{{"type":"turn_start"}},{{"type":"chat_request","content":{}}},
            {{"type":"chat_response","message":"Done."}}]"#,
        quoted(text)
    );
    let shown = screen("{}", &entries, &Settings::default());
    assert!(shown.out.contains(text), "{}", shown.out);
    assert!(shown.out.ends_with("\nDone.\n"), "{}", shown.out);
}

#[test]
fn case_7_an_image_is_one_line() {
    let content = r#"[{"type":"image","mimeType":"image/png","data":"iVBORw0KGgo="}]"#;
    let shown = result("{}", content);
    assert!(shown.err.contains("\n[image/png, 8 B]\n"), "{}", shown.err);
    assert!(!shown.both.contains("iVBOR"));
}

#[test]
fn case_8_one_very_long_line() {
    let content = quoted(&format!("{}TAIL", "a".repeat(500)));
    let full = result(r#"{"inline_results":"full"}"#, &content);
    assert!(full.err.contains("TAIL"));
    // Source lines are counted, not rows: one line is within the limit.
    let ten = result(r#"{"inline_results":10}"#, &content);
    assert!(ten.err.contains("TAIL") && !ten.err.contains("more line"));
}

#[test]
fn case_9_a_line_limit_against_minified_text() {
    let content = quoted(&vec!["m".repeat(20_000); 3].join("\n"));
    let shown = result(r#"{"inline_results":10}"#, &content);
    assert!(shown.err.len() < 3 * 2100, "{}", shown.err.len());
    assert_eq!(shown.err.matches('…').count(), 3);
}
