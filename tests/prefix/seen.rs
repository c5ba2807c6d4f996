//! What trials of the program showed, each by its number: the right answer.

use super::command::{REPORTS, fits, json_lines};
use super::{Setting, found, pair, places};
use crate::common::command::run;
use convo::body::Provider;
use convo::model::Platform;
use convo::prefix::{Account, Outcome, Verdict};
use serde_json::{Value, json};

fn text(role: &str, text: &str) -> Value {
    json!({"role": role, "content": [{"type": "text", "text": text}]})
}

fn body(messages: &[Value]) -> Value {
    json!({"max_tokens": 1, "cache_control": {"type": "ephemeral"}, "system": "S",
        "messages": messages})
}

/// Two acts in one list: an edit, and a reminder that travels.
#[test]
fn p7_a_reminder_that_moves_beside_an_edit() {
    let reminder = text("user", "<reminder>mind the time</reminder>");
    let talk = |second: &str, count: usize| {
        let mut list: Vec<Value> = (0..count)
            .map(|at| text(["user", "assistant"][at % 2], &format!("message {at}")))
            .collect();
        list[1] = text("assistant", second);
        list.push(reminder.clone());
        body(&list)
    };
    let report = pair(&talk("first", 5), &talk("other", 7), &Setting::default());
    let told: Vec<_> = places(&report).iter().map(|one| (one.0, one.2)).collect();
    let expected = [
        ("/messages/1/content/0/text", "edited"),
        ("/messages/5", "moved"),
    ];
    assert_eq!(told, expected, "{:?}", report.divergences);
    let hint = |setting: &Setting| {
        pair(&talk("first", 5), &talk("first", 7), setting).divergences[0]
            .hint
            .clone()
    };
    let newer = hint(&Setting::default());
    assert!(newer.contains("clear_at"), "{newer}");
    let older = hint(&Setting::model("claude-opus-4-6"));
    assert!(
        older.contains("leave the reminder") && !older.contains("clear_at"),
        "{older}"
    );
}

/// Hints by provider, model, platform and betas; `lint` takes what follows
/// (the walk over all of them stands beside the table).
#[test]
fn p4_hints_are_what_the_model_takes() {
    let tools = |names: &[&str]| {
        let each = names
            .iter()
            .map(|name| json!({"name": name, "input_schema": {"type": "object"}}));
        json!({"max_tokens": 1, "cache_control": {"type": "ephemeral"},
            "tools": each.collect::<Vec<_>>(), "messages": [text("user", "hi")]})
    };
    let system = |words: &str| {
        json!({"max_tokens": 1, "cache_control": {"type": "ephemeral"},
        "system": words, "messages": [text("user", "hi")]})
    };
    let hint = |a: &Value, b: &Value, setting: &Setting| {
        pair(a, b, setting).divergences[0].hint.clone()
    };
    for model in ["claude-opus-4-6", "claude-sonnet-4-5", "claude-haiku-4-5"] {
        let setting = Setting::model(model);
        let said = hint(&system("Mode: fast"), &system("Mode: slow"), &setting);
        assert!(
            !said.contains("\"role\":\"system\"")
                && said.contains("newest user message"),
            "{said}"
        );
        let said = hint(&tools(&["a"]), &tools(&["a", "b"]), &setting);
        assert!(!said.contains("tool_addition"), "{said}");
    }
    let said = hint(&tools(&["a"]), &tools(&["a", "b"]), &Setting::default());
    assert!(
        said.contains("tool_addition") && said.contains("(beta `"),
        "{said}"
    );

    let effort = |effort: &str| {
        json!({"max_tokens": 1, "cache_control": {"type": "ephemeral"},
        "output_config": {"effort": effort}, "messages": [text("user", "hi")]})
    };
    for (model, word) in [
        ("claude-opus-4-7", "keep one effort"),
        ("claude-opus-5", "(beta `"),
    ] {
        let report = pair(&effort("low"), &effort("high"), &Setting::model(model));
        let one = report
            .findings
            .iter()
            .find(|one| one.rule.id == "diff-effort")
            .expect("a finding");
        assert!(one.hint.contains(word), "{model}: {}", one.hint);
    }
    let cloud = Setting {
        platform: Platform::GoogleCloud,
        ..Setting::model("claude-opus-5")
    };
    let report = pair(&effort("low"), &effort("high"), &cloud);
    assert_eq!(found(&report, "diff-effort"), Some("warning"));
}

/// A deferred tool's loss and reasoning left out have hints of their own.
#[test]
fn p9_a_deferred_tool_is_no_sliding_window() {
    let with = |description: &str| {
        json!({"max_tokens": 1, "cache_control": {"type": "ephemeral"},
            "tools": [{"name": "a", "input_schema": {"type": "object"}},
                {"name": "d", "description": description, "input_schema": {"type": "object"}, "defer_loading": true}],
            "messages": [text("user", "go"), {"role": "system", "content": [
                {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "d"}}]}]})
    };
    let report = pair(&with("one"), &with("two"), &Setting::default());
    let hint = &report.divergences[0].hint;
    assert!(
        hint.contains("definition") && !hint.contains("window"),
        "{hint}"
    );
    let mut gone = with("one");
    gone["tools"].as_array_mut().expect("tools").pop();
    let report = pair(&with("one"), &gone, &Setting::default());
    let hint = &report.divergences[0].hint;
    assert!(hint.contains("deferred definition"), "{hint}");
}

/// Interleaved thinking of the latest answer, put in front of its calls.
#[test]
fn p10_thinking_put_in_front_of_the_calls_is_refused() {
    let thinking = |at: usize| json!({"type": "thinking", "thinking": "t", "signature": format!("SIG{at}")});
    let call = |at: usize| json!({"type": "tool_use", "id": format!("t{at}"), "name": "f", "input": {}});
    let result = |at: usize| json!({"type": "tool_result", "tool_use_id": format!("t{at}"), "content": "ok"});
    let with = |blocks: Vec<Value>| {
        body(&[
            text("user", "go"),
            json!({"role": "assistant", "content": blocks}),
            json!({"role": "user", "content": [result(1), result(2)]}),
        ])
    };
    let a = with(vec![thinking(1), call(1), thinking(2), call(2)]);
    let b = with(vec![thinking(1), thinking(2), call(1), call(2)]);
    for model in [
        "claude-opus-4-6",
        "claude-sonnet-4-5",
        "claude-opus-5",
        "claude-opus-5-5",
    ] {
        let report = pair(&a, &b, &Setting::model(model).account(Account::Old));
        assert_eq!(report.binding.outcome, Outcome::Rejected, "{model}");
        assert_eq!(
            report.binding.first.as_deref(),
            Some("/messages/1/content/1")
        );
        let hint = report.binding.hint.expect("a hint");
        assert!(hint.contains("in the order in which they came"), "{hint}");
    }
    // Calls alone in another order touch no thinking.
    let c = with(vec![thinking(1), thinking(2), call(2), call(1)]);
    let report = pair(&b, &c, &Setting::model("claude-opus-4-6"));
    assert_eq!(report.binding.outcome, Outcome::NotChecked);
}

/// What looks volatile is a finding on a pair only where it changed.
#[test]
fn p18_what_did_not_change_is_not_volatile() {
    let with = |time: &str, more: bool| {
        let mut list = vec![text("user", "hi")];
        if more {
            list.extend([text("assistant", "yes?"), text("user", "go on")]);
        }
        json!({"max_tokens": 1, "cache_control": {"type": "ephemeral"},
            "system": format!("Session began at {time}."), "messages": list})
    };
    let report = pair(
        &with("09:15:20", false),
        &with("09:15:20", true),
        &Setting::default(),
    );
    assert_eq!(report.verdict, Verdict::Hit);
    assert_eq!(found(&report, "volatile-prefix"), None);
    let report = pair(
        &with("09:15:20", false),
        &with("09:15:21", true),
        &Setting::default(),
    );
    assert_eq!(found(&report, "volatile-prefix"), Some("warning"));
}

/// A picture exchanged for another: said as such, without a byte of it.
#[test]
fn p11_a_picture_exchanged_shows_no_base64() {
    let picture = |fill: &str| {
        // The head of a GIF of 9 by 7, then anything.
        let data = format!("R0lGODlhCQAHAAAA{}", fill.repeat(60));
        json!({"max_tokens": 1, "cache_control": {"type": "ephemeral"}, "messages": [{"role": "user", "content": [
            {"type": "image", "source": {"type": "base64", "media_type": "image/gif", "data": data}}]}]})
    };
    let report = pair(&picture("Ab0+"), &picture("zX9/"), &Setting::default());
    let one = &report.divergences[0];
    assert_eq!(one.cause.name(), "edited");
    assert!(
        one.detail.contains("another one: GIF of 9 by 7"),
        "{}",
        one.detail
    );
    assert_eq!(one.sample.a, ["GIF of 9 by 7, 192 bytes"]);
    let gone = json!({"max_tokens": 1, "cache_control": {"type": "ephemeral"},
        "messages": [{"role": "user", "content": [{"type": "text", "text": "no"}]}]});
    let report = pair(&picture("Ab0+"), &gone, &Setting::default());
    let shown = format!("{:?}", report.divergences[0].sample);
    assert!(!shown.contains("Ab0+Ab0+"), "{shown}");
}

/// Hints of OpenAI name its own levers.
#[test]
fn p4_openai_has_levers_of_its_own() {
    let with = |model: &str, names: &[&str], rules: &str| {
        let each = names.iter().map(|name| json!({"type": "function", "name": name, "parameters": {"type": "object"}}));
        json!({"model": model, "instructions": rules, "tools": each.collect::<Vec<_>>(),
            "input": [{"type": "message", "role": "user", "content": "go"}]})
    };
    let setting = Setting {
        model: None,
        provider: Some(Provider::OpenAi),
        ..Setting::default()
    };
    let hint = |a: &Value, b: &Value| pair(a, b, &setting).divergences[0].hint.clone();
    for model in ["gpt-5-mini", "gpt-5.6"] {
        let (one, two) = (with(model, &["a", "b"], "R"), with(model, &["a"], "R"));
        assert!(hint(&one, &two).contains("allowed_tools"));
        let said = hint(&two, &one);
        assert_eq!(
            said.contains("additional_tools"),
            model == "gpt-5.6",
            "{said}"
        );
        let said = hint(&one, &with(model, &["a", "b"], "S"));
        assert!(said.contains("`developer` message"), "{said}");
    }
}

fn recording(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn talk(first: &str, turns: usize) -> Value {
    let mut list = vec![text("user", first)];
    for at in 0..turns {
        list.push(text("assistant", &format!("{first}: answer {at}")));
        list.push(text("user", &format!("{first}: question {at}")));
    }
    let mut body = body(&list);
    body["model"] = json!("claude-opus-5");
    body
}

/// Two healthy conversations and calls for a title, interleaved: all hits.
#[test]
fn p16_interleaved_conversations_are_threads() {
    let title = |words: &str| {
        json!({"model": "claude-haiku-4-5", "max_tokens": 1,
        "messages": [text("user", &format!("Title for: {words}"))]})
    };
    let lines = [
        talk("main", 1),
        talk("sub", 0),
        title("x"),
        talk("main", 2),
        talk("sub", 1),
        title("y"),
        talk("main", 3),
        talk("sub", 2),
    ];
    let args = [
        "diff-cache-prefix",
        "--least-length",
        "0",
        "--format",
        "json",
        "--fail-on",
        "lost",
    ];
    let out = json_lines(&run(&args, recording(&lines).as_bytes()).ok(0));
    out.iter().for_each(fits);
    let pairs: Vec<_> = out
        .iter()
        .filter(|one| one["schema"] == "convo/prefix-report/1")
        .collect();
    let told: Vec<_> = pairs
        .iter()
        .map(|one| (one["a"].as_str(), one["b"].as_str(), one["thread"].as_u64()))
        .collect();
    let expected = [
        (Some("-:1"), Some("-:4"), Some(0)),
        (Some("-:2"), Some("-:5"), Some(1)),
        (Some("-:4"), Some("-:7"), Some(0)),
        (Some("-:5"), Some("-:8"), Some(1)),
    ];
    assert_eq!(told, expected);
    assert!(pairs.iter().all(|one| one["verdict"] == "hit"));
    let opened: Vec<_> = out
        .iter()
        .filter(|one| one["schema"] == "convo/prefix-opening/1")
        .collect();
    assert_eq!(opened.len(), 3);
    assert_eq!(opened[0]["like"]["request"], "-:1");
    assert_eq!(out.last().expect("a summary")["threads"], 4);
    // In the order of the input they are all misses.
    let args = [
        "diff-cache-prefix",
        "--least-length",
        "0",
        "--pairs",
        "consecutive",
    ];
    assert_eq!(run(&args, recording(&lines).as_bytes()).status, 1);
}

/// A fork reads what the request before it wrote, not what came later.
#[test]
fn p16_a_fork_is_compared_with_what_it_left() {
    let mut fork = talk("main", 3);
    fork["messages"].as_array_mut().expect("messages")[5] =
        text("assistant", "another");
    fork["messages"].as_array_mut().expect("messages")[6] = text("user", "path");
    let lines = [talk("main", 1), talk("main", 2), talk("main", 3), fork];
    let out = json_lines(&run(&REPORTS, recording(&lines).as_bytes()).ok(0));
    assert_eq!((&out[2]["a"], &out[2]["b"]), (&json!("-:2"), &json!("-:4")));
    assert_eq!(
        (&out[2]["verdict"], &out[2]["thread"]),
        (&json!("hit"), &json!(1))
    );
    assert!(out[2].to_string().contains("thread-opened"));
}

/// A verdict is written when its request has arrived.
#[test]
fn p17_verdicts_come_before_the_input_ends() {
    use std::io::{BufRead as _, Write as _};
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_convo"))
        .args([
            "diff-cache-prefix",
            "--least-length",
            "0",
            "--format",
            "json",
            "-",
        ])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("convo runs");
    let mut input = child.stdin.take().expect("standard input");
    let mut output =
        std::io::BufReader::new(child.stdout.take().expect("standard output"));
    input
        .write_all(recording(&[talk("main", 0), talk("main", 1)]).as_bytes())
        .expect("written");
    input.flush().expect("flushed");
    let mut line = String::new();
    output.read_line(&mut line).expect("a verdict");
    assert!(line.contains("\"verdict\":\"hit\""), "{line}");
    drop(input);
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}
