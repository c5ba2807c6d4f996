//! Tool calls, results and speech of tools (`docs/render.md#tools`).

use crate::common::screen::{Screen, coloured, screen, strip};
use convo::render::Settings;

fn base(style: &str) -> String {
    format!(r#"{{"conversation":{{"tools":{{"t":{{"style":{style}}}}}}}}}"#)
}

fn shown(style: &str, entries: &str) -> Screen {
    let entries = format!(r#"[{{"type":"turn_start"}},{entries}]"#);
    screen(&base(style), &entries, &Settings::default())
}

fn call(arguments: &str) -> String {
    format!(
        r#"{{"type":"tool_call_request","id":"1","name":"t","arguments":{arguments}}}"#
    )
}

fn with_result(style: &str, rest: &str) -> Screen {
    let call = call("{}");
    shown(
        style,
        &format!(r#"{call},{{"type":"tool_call_response","id":"1",{rest}}}"#),
    )
}

const SPEECH: &str = r#"{"header":"off","parameters":"off","results_file_link":"off",
    "inline_results":{"user":"chat","assistant":"off"}}"#;

#[test]
fn tl_1_parameters() {
    let arguments = r#"{"a":"x y","gone":null,"none":{},"no":[],"zero":0,"empty":"",
                        "off":false}"#;
    let json = shown("{}", &call(arguments)).err;
    assert!(
        json.contains(
            "Calling tool t with arguments:\n\n```json\n{\n  \"a\": \"x y\",\n  \
             \"zero\": 0,\n  \"empty\": \"\",\n  \"off\": false\n}\n```\n"
        ),
        "{json}"
    );
    let call_form = shown(r#"{"parameters":"function_call"}"#, &call(arguments)).err;
    assert!(
        call_form
            .contains("Calling tool t(a: \"x y\", zero: 0, empty: \"\", off: false)\n"),
        "{call_form}"
    );
    for style in ["{}", r#"{"parameters":"function_call"}"#] {
        let none = shown(style, &call(r#"{"gone":null}"#)).err;
        assert!(none.starts_with("\nCalling tool t\n"), "{none}");
    }
    let off = shown(r#"{"parameters":"off"}"#, &call(arguments)).err;
    assert!(off.starts_with("\nCalling tool t\n") && !off.contains("x y"));
}

#[test]
fn tl_1_long_calls_wrap_after_a_comma() {
    let arguments = format!(
        r#"{{"first":"{}","second":"{}","third":3}}"#,
        "x".repeat(40),
        "y z ".repeat(10).trim()
    );
    let err = shown(r#"{"parameters":"function_call"}"#, &call(&arguments)).err;
    let lines: Vec<&str> = err.lines().skip(1).take(2).collect();
    assert!(lines[0].ends_with(','), "{err}");
    assert!(lines[1].starts_with("  second: "), "{err}");
}

#[test]
fn tl_2_stored_output_of_a_formatter() {
    // base64 of "\u{1b}[1mdiff\u{1b}[0m of x"
    let stored = r#"{"rendered_arguments":"G1sxbWRpZmYbWzBtIG9mIHg="}"#;
    let request = format!(
        r#"{{"type":"tool_call_request","id":"1","name":"t","arguments":{{"a":1}},
            "metadata":{stored}}}"#
    );
    let style = r#"{"parameters":"my-formatter {{tool}}"}"#;
    let err = shown(style, &request).err;
    assert!(err.starts_with("\nCalling tool t\n\ndiff of x\n"), "{err}");
    let settings = Settings {
        chrome: coloured(80),
        ..Settings::default()
    };
    let entries = format!(r#"[{{"type":"turn_start"}},{request}]"#);
    let colour = screen(&base(style), &entries, &settings).err;
    assert!(colour.contains("\u{1b}[1mdiff\u{1b}[0m of x"), "{colour:?}");
    let fallback = shown(style, &call(r#"{"a":1}"#));
    assert!(fallback.err.contains("```json") && fallback.told.is_empty());
    let object = shown(r#"{"parameters":{"program":"x"}}"#, &request).err;
    assert!(object.contains("\ndiff of x\n"), "{object}");
    let broken = request.replace("G1sx", "?");
    assert_eq!(shown(style, &broken).told.len(), 1);
}

#[test]
fn tl_3_header_off() {
    let one = call(r#"{"a":1}"#);
    let json = shown(r#"{"header":"off"}"#, &one).err;
    assert!(
        json.starts_with("\n```json\n{\n  \"a\": 1\n}\n```\n"),
        "{json}"
    );
    let list = shown(r#"{"header":false,"parameters":"function_call"}"#, &one).err;
    assert!(list.starts_with("\n(a: 1)\n"), "{list}");
    for style in [
        r#"{"header":"maybe"}"#,
        r#"{"header":1}"#,
        r#"{"error":{"header":false}}"#,
    ] {
        let shown = shown(style, &one);
        assert_eq!(shown.told.len(), 1, "{style}");
        assert!(shown.told[0].contains("header"), "{:?}", shown.told);
        assert!(shown.err.contains("Calling tool t"));
    }
}

#[test]
fn tl_4_hidden_hides_errors_too() {
    let shown = with_result(r#"{"hidden":true}"#, r#""content":"x","is_error":true"#);
    assert_eq!(shown.both, "");
}

#[test]
fn tl_5_no_chrome_but_speech() {
    let base = r#"{"style":{"tool_call":{"show":false}},"conversation":{"tools":{"t":
        {"style":{"inline_results":{"user":"chat"}}}}}}"#;
    let entries = r#"[{"type":"turn_start"},
        {"type":"tool_call_request","id":"1","name":"t","arguments":{"a":1}},
        {"type":"tool_call_response","id":"1","content":[{"type":"text","text":"log"},
         {"type":"text","text":"said","annotations":{"audience":["user"]}}]}]"#;
    let shown = screen(base, entries, &Settings::default());
    assert!(shown.err.is_empty(), "{}", shown.err);
    assert!(shown.out.ends_with("\nsaid\n"), "{}", shown.out);
}

#[test]
fn tl_7_attribution() {
    let two = r#"{"type":"tool_call_request","id":"1","name":"a"},
        {"type":"tool_call_request","id":"2","name":"b"},
        {"type":"tool_call_response","id":"1","content":"of a"},
        {"type":"tool_call_response","id":"2","content":"of b"},
        {"type":"tool_call_response","id":"9","content":"of nobody"},
        {"type":"tool_call_request","id":"3","name":"c"}"#;
    let err = shown("{}", two).err;
    assert!(err.contains("\nResult of a:\nof a\n"), "{err}");
    assert!(err.contains("\nResult of b:\nof b\n"), "{err}");
    assert!(
        err.contains("\nResult of unknown call 9:\nof nobody\n"),
        "{err}"
    );
    assert!(
        err.ends_with("\nCalling tool c\n\n(no result recorded)\n"),
        "{err}"
    );
    let direct = with_result("{}", r#""content":"x""#).err;
    assert_eq!(direct, "\nCalling tool t\n\nx\n");
}

#[test]
fn tl_7_equal_ids_pair_first_in_first_out() {
    let err = shown(
        "{}",
        r#"{"type":"tool_call_request","id":"1","name":"a"},
        {"type":"tool_call_request","id":"1","name":"b"},
        {"type":"tool_call_response","id":"1","content":"x"},
        {"type":"tool_call_response","id":"1","content":"y"}"#,
    )
    .err;
    assert!(err.contains("Result of a:\nx\n"), "{err}");
    assert!(err.contains("Result of b:\ny\n"), "{err}");
}

#[test]
fn tl_8_and_tl_9_speech() {
    let both = r#""content":[
        {"type":"text","text":"a *b*\n- c","mimeType":"text/markdown; charset=utf-8",
         "annotations":{"audience":["user","assistant"]}},
        {"type":"text","text":"a *b*\n- c","annotations":{"audience":["user"]}}]"#;
    let shown = with_result(SPEECH, both);
    assert!(shown.err.is_empty(), "{}", shown.err);
    assert!(
        shown.out.ends_with("\na *b*\n\n- c\n\na *b*\n- c\n"),
        "{}",
        shown.out
    );
}

#[test]
fn tl_11_a_speech_tool_leaves_no_trace_unless_it_fails() {
    let fine = r#""content":[{"type":"text","text":"Half done.","mimeType":
        "text/markdown","annotations":{"audience":["user"]}},{"type":"text","text":
        "Message shown to user.","annotations":{"audience":["assistant"]}}]"#;
    let shown = with_result(SPEECH, fine);
    assert_eq!(shown.err, "");
    assert!(shown.out.ends_with("\nHalf done.\n"), "{}", shown.out);
    let long = (1..40)
        .map(|n| format!("e{n}"))
        .collect::<Vec<_>>()
        .join("\\n");
    let failed = with_result(SPEECH, &format!(r#""content":"{long}","is_error":true"#));
    assert!(
        failed.err.starts_with("\nTool t failed:\ne1\n"),
        "{}",
        failed.err
    );
    assert!(failed.err.ends_with("\ne39\n"), "{}", failed.err);
}

#[test]
fn tl_12_failures_have_words() {
    let failed = |style: &str, rest: &str| {
        with_result(style, &format!("{rest},\"is_error\":true")).err
    };
    let err = failed("{}", r#""content":"boom""#);
    assert_eq!(err, "\nCalling tool t\n\nTool t failed:\nboom\n");
    assert!(failed("{}", r#""content":"""#).ends_with("\nTool t failed.\n"));
    assert!(failed("{}", r#""content":[]"#).ends_with("\nTool t failed.\n"));
    let off = failed(r#"{"inline_results":"off"}"#, r#""content":"boom""#);
    assert_eq!(off, "\nCalling tool t\n");
    let overlay = r#"{"inline_results":"off","error":{"inline_results":1}}"#;
    let err = failed(overlay, r#""content":"a\nb""#);
    assert!(
        err.contains("failed:\na\n… 1 more line (1 of 2 shown)"),
        "{err}"
    );
    let alias = with_result("{}", r#""content":"x","isError":true"#).err;
    assert!(alias.contains("Tool t failed:\nx\n"), "{alias}");
}

#[test]
fn spec_3_6_bodies() {
    let body = |rest: &str| {
        let err = with_result(r#"{"inline_results":"full"}"#, rest).err;
        err.strip_prefix("\nCalling tool t\n\n")
            .unwrap_or(&err)
            .to_owned()
    };
    let text = |text: &str| body(&format!("\"content\":{}", serde_json::json!(text)));
    assert_eq!(text("{\"a\":1}"), "```json\n{\n  \"a\": 1\n}\n```\n");
    assert_eq!(text("42"), "42\n");
    assert_eq!(text("\"s\""), "\"s\"\n");
    assert_eq!(text("```rs\nfn x() {}\n```"), "```rs\nfn x() {}\n```\n");
    assert_eq!(text("<x a=1>\n& raw\n</x>"), "<x a=1>\n& raw\n</x>\n");
    assert_eq!(text("plain *text*\n"), "plain *text*\n");
    let block = |block: &str| body(&format!("\"content\":[{block}]"));
    assert_eq!(
        block(r##"{"type":"text","text":"# h\ntext","mimeType":"TEXT/Markdown"}"##),
        "# h\n\ntext\n"
    );
    assert_eq!(
        block(
            r#"{"type":"resource","formatted":"no","resource":{"uri":"file:///m.rs",
               "mimeType":"text/rust","text":"fn main() {}"}}"#
        ),
        "file:///m.rs\n```rust\nfn main() {}\n```\n"
    );
    assert_eq!(
        block(
            r#"{"type":"resource","resource":{"uri":"file:///logo.png",
               "mimeType":"image/png","blob":"AAAA"}}"#
        ),
        "[image/png, 3 B, file:///logo.png]\n"
    );
    assert_eq!(
        block(r#"{"type":"resource_link","uri":"https://e.org"}"#),
        "[resource: https://e.org]\n"
    );
    assert_eq!(
        block(r#"{"type":"hologram"}"#),
        "[unsupported block: hologram]\n"
    );
    assert_eq!(block(r#"{"type":"text"}"#), "[malformed block]\n");
    let question = block(r#"{"type":"question","question":{"text":"?"}}"#);
    assert_eq!(question, "\nCalling tool t\n");
    let nobody = with_result(
        "{}",
        r#""content":[{"type":"text","text":"x","annotations":{"audience":["dev"]}}]"#,
    );
    assert!(!nobody.err.contains('x') && nobody.told.len() == 1);
}

#[test]
fn tl_13_and_tl_14_lines_are_source_lines() {
    let markdown = r#""content":[{"type":"text","mimeType":"text/markdown",
        "text":"one\n\n```\ntwo\nthree\n```\n"}]"#;
    let err = with_result(r#"{"inline_results":4}"#, markdown).err;
    assert!(
        err.ends_with("one\n\n```\ntwo\n```\n… 2 more lines (4 of 6 shown)\n"),
        "{err}"
    );
    let long = format!("\"content\":\"{}\\nb\"", "设".repeat(1500));
    let err = with_result(r#"{"inline_results":1}"#, &long).err;
    let line = err
        .lines()
        .find(|line| line.contains('设'))
        .unwrap_or_default();
    assert!(line.ends_with('…') && convo::term::width::cells(line) <= 2000);
}

#[test]
fn tl_16_fences_outgrow_their_bodies() {
    let rest = format!("\"content\":{}", serde_json::json!("{\"a\":\"````\"}"));
    let err = with_result("{}", &rest).err;
    assert!(
        err.contains("\n`````json\n") && err.ends_with("\n`````\n"),
        "{err}"
    );
}

#[test]
fn tl_17_links_are_never_made_up() {
    for link in ["\"full\"", "\"osc8\"", "\"off\"", "true", "false"] {
        let style = format!(r#"{{"results_file_link":{link}}}"#);
        let shown = with_result(&style, r#""content":"x""#);
        assert_eq!(shown.err, "\nCalling tool t\n\nx\n");
        assert!(shown.told.is_empty());
    }
    let bad = with_result(r#"{"results_file_link":"copy"}"#, r#""content":"x""#);
    assert_eq!(bad.told.len(), 1);
}

#[test]
fn tl_18_results_are_never_wrapped() {
    let long = "word ".repeat(100);
    let rest = format!("\"content\":{}", serde_json::json!(long));
    let err = with_result("{}", &rest).err;
    assert!(err.contains(long.as_str()));
}

#[test]
fn bad_styles_are_named_and_the_default_used() {
    for (style, key) in [
        (r#"{"inline_results":"Full"}"#, "inline_results"),
        (
            r#"{"inline_results":{"assistant":"chat"}}"#,
            "inline_results",
        ),
        (r#"{"hidden":"yes"}"#, "hidden"),
        (r#"{"parameters":7}"#, "parameters"),
        (r#"{"error":{"inline_results":-1}}"#, "error.inline_results"),
    ] {
        let shown = with_result(style, r#""content":"x""#);
        let path = format!("conversation.tools.t.style.{key}");
        assert!(
            shown.told.len() == 1 && shown.told[0].contains(&path),
            "{:?}",
            shown.told
        );
        assert!(shown.told[0].starts_with("turn 1: "));
        assert_eq!(shown.err, "\nCalling tool t\n\nx\n");
    }
}

#[test]
fn st_5_holds_for_chrome() {
    let entries = format!(
        r#"[{{"type":"turn_start"}},{},{{"type":"tool_call_response","id":"1",
            "content":"\u001b[31mred\u001b[0m \u001b[1mbold\nnext","is_error":true}}]"#,
        call(r#"{"a":[1,{"b":"c"}]}"#)
    );
    let plain = screen("{}", &entries, &Settings::default());
    let settings = Settings {
        chrome: coloured(80),
        ..Settings::default()
    };
    let colour = screen("{}", &entries, &settings);
    assert_eq!(strip(&colour.err), plain.err);
    crate::common::screen::assert_closed_lines(&colour.err);
    assert!(colour.err.contains("\u{1b}[31mred"));
}
