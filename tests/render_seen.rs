//! Faults that trials of `render` and the user view have shown.

use crate::common::command::{process, run, run_in};
use crate::common::screen::{Screen, replay};
use convo::block::Encoding;
use convo::render::{Only, Preset, Settings, Told};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

fn shown(base: &str, events: &Value, settings: &Settings) -> Screen {
    let whole = replay(base, &events.to_string(), settings, Encoding::Plain, false);
    let live = replay(base, &events.to_string(), settings, Encoding::Plain, true);
    assert_eq!(live.both, whole.both, "live equals one go");
    whole
}

fn turn(rest: &[Value]) -> Value {
    let mut events = vec![
        json!({"type": "turn_start"}),
        json!({"type": "chat_request", "content": "get"}),
    ];
    events.extend_from_slice(rest);
    Value::from(events)
}

fn call() -> Value {
    json!({"type": "tool_call_request", "id": "c1", "name": "t", "arguments": {}})
}

fn result(content: &Value) -> Value {
    json!({"type": "tool_call_response", "id": "c1", "is_error": false, "content": content})
}

fn said(text: &str) -> Value {
    json!({"type": "chat_response", "message": text})
}

fn text_for(role: &str, text: &str) -> Value {
    json!({"type": "text", "text": text, "annotations": {"audience": [role]}})
}

fn with(change: impl FnOnce(&mut Settings)) -> Settings {
    let mut settings = Settings::default();
    change(&mut settings);
    settings
}

#[test]
fn v1_an_entry_is_shown_when_it_is_whole() {
    let events = [
        json!({"type": "turn_start"}),
        json!({"type": "chat_request", "content": "hi"}),
        said("All of it."),
    ];
    let lines: String = events.iter().map(|event| format!("{event}\n")).collect();
    // What came of the three entries before anything follows them.
    let mut child = process()
        .args(["render", "--color", "never"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(lines.as_bytes()).expect("it reads");
    let mut stdout = child.stdout.take().expect("a pipe");
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = stdout.read(&mut bytes) {
            if sender.send(bytes[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    // The input stays open: nothing follows, and yet all of it comes.
    let mut seen = String::new();
    while !seen.contains("\nAll of it.\n") {
        let piece = receiver.recv_timeout(Duration::from_secs(60));
        let piece = piece.unwrap_or_else(|_| panic!("it is kept back: {seen}"));
        seen.push_str(&String::from_utf8_lossy(&piece));
    }
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn v1_r145_parts_of_one_message_are_joined() {
    let events = turn(&[
        said(
            "Intro line before fence\n\n```sh\nls\n```\n\n| 列 | b |\n|---|---|\n| 1 | 🟢 ✅ |\n\nend **bo",
        ),
        said("ld** tail\n1. a"),
        call(),
        result(&json!("ok")),
        said("done"),
    ]);
    let out = shown("{}", &events, &Settings::default()).out;
    assert!(out.contains("end **bold** tail"), "{out}");
    assert_eq!(out.matches("Intro line before fence").count(), 1, "{out}");
    let whole = turn(&[said("One."), said("Two.")]);
    let out = shown("{}", &whole, &Settings::default()).out;
    assert!(out.ends_with("One.\n\nTwo.\n"), "{out}");
}

#[test]
fn v2_a_chat_shows_what_is_addressed_to_the_user() {
    let events = turn(&[
        call(),
        result(&json!([
            text_for("user", "MINE"),
            text_for("assistant", "ITS")
        ])),
    ]);
    for settings in [
        with(|s| s.preset = Some(Preset::Chat)),
        with(|s| s.preset = Some(Preset::Brief)),
        with(|s| s.only = Some(Only::Speech)),
        with(|s| s.told = Told::User),
    ] {
        let screen = shown("{}", &events, &settings);
        assert_eq!(screen.out.matches("\nMINE\n").count(), 1, "{}", screen.both);
        assert!(!screen.both.contains("ITS"), "{}", screen.both);
    }
    let hidden = r#"{"conversation":{"tools":{"t":{"source":"local","style":{"hidden":true}}}}}"#;
    let chat = with(|s| s.preset = Some(Preset::Chat));
    assert!(!shown(hidden, &events, &chat).both.contains("MINE"));
    // For both is shown once.
    let both = json!([{"type": "text", "text": "OURS",
        "annotations": {"audience": ["user", "assistant"]}}]);
    let events = turn(&[call(), result(&both)]);
    assert_eq!(shown("{}", &events, &chat).both.matches("OURS").count(), 1);
}

#[test]
fn v4_a_failure_is_no_success_whoever_reads_it() {
    let style = r#"{"conversation":{"tools":{"t":{"source":"local","style":{"header":"off",
        "parameters":"off","inline_results":{"user":"chat","assistant":"off"}}}}}}"#;
    let failed = json!({"type": "tool_call_response", "id": "c1", "is_error": true,
        "content": [text_for("user", "half of it")]});
    let events = turn(&[call(), failed]);
    for settings in [Settings::default(), with(|s| s.preset = Some(Preset::Chat))] {
        let screen = shown(style, &events, &settings);
        assert!(screen.out.contains("half of it"), "{}", screen.both);
        assert!(screen.err.contains("Tool t failed:"), "{}", screen.both);
    }
}

#[test]
fn v6_code_as_speech_keeps_its_shape() {
    let code = json!([{"type": "resource", "annotations": {"audience": ["user"]},
        "resource": {"uri": "file:///a.py", "mimeType": "text/x-python",
            "text": "def f():\n    print(\"x\")\n"}}]);
    let events = turn(&[call(), result(&code)]);
    let chat = with(|s| s.preset = Some(Preset::Chat));
    let fence = "```python\ndef f():\n    print(\"x\")\n```\n";
    for settings in [chat.clone(), chat.into_document()] {
        let out = shown("{}", &events, &settings).out;
        assert!(out.contains(fence), "{out}");
    }
}

#[test]
fn v8_the_builtin_tell_user_is_known() {
    let base = r#"{"conversation":{"tools":{"tell_user":{"source":"builtin"}}}}"#;
    let mut request = call();
    request["name"] = json!("tell_user");
    request["arguments"] = json!({"message": "Half done."});
    let blocks = json!([
        {"type": "text", "text": "**Half** done.", "mimeType": "text/markdown",
            "annotations": {"audience": ["user"]}},
        text_for("assistant", "Message shown to user.")]);
    let screen = shown(
        base,
        &turn(&[request, result(&blocks)]),
        &Settings::default(),
    );
    assert!(
        screen.out.ends_with("\n**Half** done.\n"),
        "{}",
        screen.both
    );
    assert_eq!(screen.err, "");
}

#[test]
fn v10_content_of_newer_servers_has_a_line() {
    let blocks = json!([
        {"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="},
        {"type": "audio", "mimeType": "audio/wav", "data": "AAAA"},
        {"type": "resource_link", "uri": "https://e.org/a", "name": "a", "title": "Page A",
            "mimeType": "text/html", "size": 2048}]);
    let screen = shown(
        "{}",
        &turn(&[call(), result(&blocks)]),
        &Settings::default(),
    );
    for line in [
        "[image/png, 8 B]",
        "[audio/wav, 3 B]",
        "[resource: Page A, text/html, 2.0 KiB, https://e.org/a]",
    ] {
        assert!(screen.err.contains(line), "{line}: {}", screen.err);
    }
    let links = with(|s| s.chrome.hyperlinks = true);
    let linked = shown("{}", &turn(&[call(), result(&blocks)]), &links).err;
    assert!(linked.contains(";https://e.org/a\u{1b}\\"), "{linked:?}");
    let structured = json!({"type": "tool_call_response", "id": "c1", "content": [],
        "structuredContent": {"answer": 42}});
    let screen = shown("{}", &turn(&[call(), structured]), &Settings::default());
    assert!(screen.err.contains("\"answer\": 42"), "{}", screen.err);
}

#[test]
fn v11_a_user_view_has_results_without_calls() {
    let events = turn(&[result(&json!([text_for("user", "MINE")]))]);
    let view = run(
        &["render", "--color", "never"],
        json!({"data": events}).to_string().as_bytes(),
    );
    assert!(view.stdout.contains("MINE"), "{}", view.shown());
    assert!(!view.stderr.contains("unknown call"), "{}", view.shown());
}

#[test]
fn v12_r157_blocks_of_one_result_are_marked() {
    let blocks = json!([
        text_for("assistant", "200 lines of file body"),
        text_for("user", "Read 200 lines")
    ]);
    let events = turn(&[call(), result(&blocks)]);
    let err = shown("{}", &events, &Settings::default()).err;
    let model = "(for the model)\n200 lines of file body";
    let user = "(for the user)\nRead 200 lines";
    assert!(err.contains(model) && err.contains(user), "{err}");
    let told = shown("{}", &events, &with(|s| s.told = Told::Assistant)).both;
    assert!(told.contains("200 lines of file") && !told.contains("Read 200"));
    let off = r#"{"conversation":{"tools":{"t":{"source":"local","style":{"inline_results":"off"}}}}}"#;
    let both = shown(off, &events, &with(|s| s.told = Told::Both)).err;
    assert!(both.contains(model) && both.contains(user), "{both}");
}

#[test]
fn v15_hidden_markup_leaves_no_delimiters() {
    let hide = with(|s| s.speech.hide_markup = true);
    let text = "| Pattern | Meaning |\n|---|---|\n| `^go(\\s\\|$)` | word go |\n| `m|n` | raw pipe |\n\n```rust\nfn x() {}\n```";
    let out = shown("{}", &turn(&[said(text)]), &hide).out;
    assert!(!out.contains("rust") && out.contains("fn x() {}"), "{out}");
    // R137: an escaped pipe stays, a raw one loses nothing and gains nothing.
    assert!(out.contains("^go(\\s|$)"), "{out}");
    assert!(!out.contains("\\|"), "{out}");
    assert!(out.contains("raw pipe"), "{out}");
}

/// The input of the report, in every mode: nothing reaches the terminal, what was
/// taken out is told, once for each, and a shown address is the one gone to.
#[test]
fn v15_r141_an_escape_made_from_a_reference() {
    let text = "Zero ~~&**#27;**[31mFAKE~~ one &amp;#27;[31mTWO two `&#27;[2J` three \
        &#27;]0;pwned&#7; four [x](https://e.test/&#27;]8;;z) five &#x9b;31mSIX \
        &#8238;rtl &#x202e;txt &#8;&#8;bs\n\n```&#27;[31m\ncode\n```\n\n\
        | &#27;[31ma | b |\n|---|---|\n| &#x1b;[2Jc | d |";
    let events = turn(&[said(text)]).to_string();
    for markup in ["keep", "hide"] {
        for links in ["never", "always"] {
            for format in ["text", "markdown"] {
                let mut args = vec!["render", "--format", format, "--color", "never"];
                if format == "text" {
                    args.extend(["--markup", markup, "--hyperlinks", links]);
                }
                let ran = run(&args, events.as_bytes());
                let bare: String = ran
                    .stdout
                    .split("\u{1b}]8;")
                    .enumerate()
                    .map(|(at, part)| match at {
                        0 => part,
                        _ => part.split_once("\u{1b}\\").map_or(part, |(_, rest)| rest),
                    })
                    .collect();
                let bad = |c: char| {
                    (c.is_control() && c != '\n')
                        || ('\u{202a}'..='\u{202e}').contains(&c)
                };
                assert!(!bare.contains(bad), "{args:?}: {bare:?}");
                if format == "text" && markup == "hide" {
                    assert!(
                        ran.stderr
                            .contains("removed 6 control sequences, 2 control"),
                        "{args:?}: {}",
                        ran.stderr
                    );
                    if links == "never" {
                        assert!(ran.stdout.contains("https://e.test/%1B]8;;z"));
                    }
                }
            }
        }
    }
}

#[test]
fn v15_tables_and_alerts_lose_their_marks_and_no_word() {
    let hide = with(|s| s.speech.hide_markup = true);
    let text = "> [!NOTE]\n> mind it\n\n| a | b |\n|:--|--:|\n| one | `x\\|y` |\n| three | 4 |";
    let out = shown("{}", &turn(&[said(text)]), &hide).out;
    assert!(out.contains("> NOTE\n> mind it\n"), "{out}");
    let table = "  a         b\n ------- -----\n  one     x|y\n  three     4\n";
    assert!(out.contains(table), "{out}");
}

#[test]
fn v17_a_conversation_is_found_by_its_id() {
    let folder = std::env::temp_dir().join(format!("convo-id-{}", std::process::id()));
    let home = folder.join(".jp/conversations/17800836875-a-title");
    let inner = folder.join("src/deep");
    for one in [&home, &inner] {
        std::fs::create_dir_all(one).expect("a folder");
    }
    let events = turn(&[said("BY ID")]).to_string();
    std::fs::write(home.join("events.json"), events).expect("written");
    std::fs::write(home.join("base_config.json"), "{}").expect("written");
    for name in ["17800836875", "jp-c17800836875"] {
        for place in [&folder, &inner] {
            let ran = run_in(place, &["render", name], b"");
            assert_eq!(ran.status, 0, "{}", ran.shown());
            assert!(ran.stdout.contains("BY ID"), "{}", ran.shown());
            // One line, not two with long paths.
            let notes = ran.stderr.lines().filter(|line| line.contains("base"));
            assert_eq!(notes.count(), 1, "{}", ran.shown());
        }
    }
    let none = run_in(&folder, &["render", "17800836876"], b"");
    assert_eq!(none.status, 2, "{}", none.shown());
    std::fs::remove_dir_all(folder).expect("it is ours");
}

#[test]
fn v19_arguments_of_a_formatter_that_left_nothing_are_cut() {
    let style = r#"{"conversation":{"tools":{"t":{"source":"local","style":{"parameters":"fmt"}}}}}"#;
    let mut request = call();
    request["arguments"] =
        json!({"long": "x".repeat(40_000), "list": (0..50).collect::<Vec<_>>()});
    let events = turn(&[request, result(&json!("ok"))]);
    let err = shown(style, &events, &Settings::default()).err;
    assert!(err.contains(" more lines (10 of "), "{err}");
    assert!(err.lines().all(|line| line.chars().count() <= 2001));
    let full = with(|s| s.preset = Some(Preset::Full));
    assert!(shown(style, &events, &full).err.len() > 40_000);
}

#[test]
fn v20_each_request_has_its_header() {
    let events = turn(&[json!({"type": "chat_request", "content": "and more"})]);
    let out = shown("{}", &events, &Settings::default()).out;
    assert_eq!(out.matches("── user ──").count(), 2, "{out}");
}

#[test]
fn v21_a_call_breaks_behind_a_comma_and_not_before_its_name() {
    let style =
        r#"{"conversation":{"tools":{"*":{"style":{"parameters":"function_call"}}}}}"#;
    let mut request = call();
    request["name"] = json!("a_name_of_some_length_for_a_tool");
    request["arguments"] = json!({"path": "x".repeat(60), "other": 1});
    let settings = with(|s| s.chrome.columns = 80);
    let events = turn(&[request, result(&json!("ok"))]);
    let err = shown(style, &events, &settings).err;
    assert!(err.contains("Calling tool a_name_of_some_length"), "{err}");
    assert!(err.contains("\",\n  other: 1)"), "{err}");
}

#[test]
fn v22_a_fence_in_a_fenced_result_is_its_content() {
    let text = "```md\nintro\n\n```rust\nfn f() {}\n```\n\nend\n```";
    let events = turn(&[call(), result(&json!(text))]);
    let err = shown("{}", &events, &Settings::default()).err;
    assert!(err.contains("````md\nintro\n"), "{err}");
    assert_eq!(err.matches("md\n").count(), 1, "{err}");
    let two = "```a\n1\n```\nprose\n```b\n2\n```";
    let events = turn(&[call(), result(&json!(two))]);
    let err = shown("{}", &events, &Settings::default()).err;
    assert!(err.contains("\n```a\n1\n```\nprose\n"), "{err}");
}

#[test]
fn r139_list_numbers_go_on() {
    let text = "1. First\n2. Second\n\nA note between.\n\n3. Third\n\n```sh\nls\n```\n\n4. Fourth\n\n0. zero\n1. one";
    let out = shown("{}", &turn(&[said(text)]), &Settings::default()).out;
    for line in ["1. First", "2. Second", "3. Third", "4. Fourth"] {
        assert!(out.contains(line), "{out}");
    }
}

#[test]
fn r143_tables_that_fit_stay_tables() {
    let wide = "| Step | What to do | Why it matters | Owner |\n|---|---|---|---|\n| 1 | Check the database connection string and rotate the secret before the release | An old secret keeps working for a day and then all writes fail without a message | ops team |";
    let short = "| a | b | c | d | e | f | g |\n|---|---|---|---|---|---|---|\n| 1 | 2 | 3 | 4 | 5 | 6 | 7 |";
    for columns in [80, 100] {
        let settings = with(|s| s.speech.columns = columns);
        for text in [wide, short] {
            let out = shown("{}", &turn(&[said(text)]), &settings).out;
            assert!(out.contains("|---") || out.contains("| --"), "{out}");
            assert!(!out.contains("Step: "), "{out}");
        }
    }
}

/// Shapes that once cost a hundred times their size: `unit` repeated to `size`.
#[test]
fn r2_r7_no_message_is_shown_at_many_times_its_size() {
    let heads = format!(
        "{}\n{}\n{}",
        "|a".repeat(1500),
        "|-".repeat(1500),
        "|x\n".repeat(1500)
    );
    let full = format!("|a|b|\n|-|-|\n{}", "|c|d|\n".repeat(100_000));
    let bullets = "- - - - - - - - - -x\n".repeat(20_000);
    for text in [
        heads,
        full,
        bullets,
        "*a **b ".repeat(60_000),
        "[a](b ".repeat(60_000),
        "a\n".repeat(200_000),
    ] {
        let size = text.len();
        let mut settings = Settings::default();
        settings.speech.columns = 120;
        let out = shown("{}", &turn(&[said(&text)]), &settings).out;
        assert!(out.len() < 20 * size + (1 << 20), "{} of {size}", out.len());
        // Nothing is lost: every letter is there.
        let letters =
            |text: &str| text.chars().filter(char::is_ascii_lowercase).count();
        assert!(letters(&out) >= letters(&text), "{}", &text[..20]);
    }
    let deep = format!("{}1{}", "[".repeat(200_000), "]".repeat(200_000));
    let mut request = call();
    request["arguments"] = json!({});
    let line = request
        .to_string()
        .replace("{}", &format!("{{\"x\":{deep}}}"));
    let events = format!("[{{\"type\":\"turn_start\"}},{line}]");
    let ran = run(&["render", "--color", "never"], events.as_bytes());
    assert!(ran.stderr.len() < 20 * events.len(), "{}", ran.stderr.len());
}

/// Every stored conversation: nothing that names the user is missing in a chat.
#[test]
fn v2_nothing_for_the_user_is_missing_in_chat() {
    let blocks: Vec<Value> = (0..5)
        .map(|n| match n % 3 {
            0 => text_for("user", &format!("word{n}")),
            1 => text_for("assistant", &format!("word{n}")),
            _ => json!({"type": "text", "text": format!("word{n}"),
                "annotations": {"audience": ["user", "assistant"]}}),
        })
        .collect();
    let events = turn(&[call(), result(&Value::from(blocks))]).to_string();
    let view = run(&["project", "--addressed-only"], events.as_bytes()).ok(0);
    let chat = run(&["render", "--style", "chat"], events.as_bytes());
    for n in 0..5 {
        let word = format!("word{n}");
        assert_eq!(view.contains(&word), chat.stdout.contains(&word), "{word}");
    }
}

#[test]
fn v5_options_are_obeyed_or_refused() {
    let events = json!([
        {"type": "turn_start"}, {"type": "chat_request", "content": "one"},
        {"type": "chat_response", "reasoning": "hmm"},
        {"type": "chat_response", "message": "first."},
        {"type": "turn_start"}, {"type": "chat_request", "content": "two"},
        {"type": "chat_response", "message": "second."}])
    .to_string();
    let lines = |args: &[&str]| {
        let mut all = vec!["render", "--format", "lines"];
        all.extend_from_slice(args);
        run(&all, events.as_bytes()).ok(0)
    };
    assert_eq!(lines(&["--turns", "2"]).lines().count(), 3);
    assert_eq!(lines(&["--last", "1"]), lines(&["--turns", "2"]));
    assert_eq!(lines(&["--only", "reasoning"]).lines().count(), 3);
    let project = run(
        &["project", "--output", "lines", "--last", "1"],
        events.as_bytes(),
    );
    assert_eq!(project.ok(0).lines().count(), 3);
    for args in [
        ["--format", "json", "--style", "chat"],
        ["--format", "lines", "--width", "40"],
        ["--format", "markdown", "--only", "tools"],
    ] {
        let mut all = vec!["render"];
        all.extend_from_slice(&args);
        let ran = run(&all, events.as_bytes());
        assert_eq!(ran.status, 2, "{}", ran.shown());
        assert!(ran.stderr.contains("does nothing with"), "{}", ran.shown());
    }
    // V17: a range behind the end is told.
    let none = run(&["render", "--turns", "99"], events.as_bytes());
    assert!(
        none.stderr.contains("nothing of 2 turns"),
        "{}",
        none.shown()
    );
}

#[test]
fn v9_misspelt_audiences_are_told_by_every_reader() {
    let blocks =
        json!([{"type": "text", "text": "x", "annotations": {"audience": ["User"]}}]);
    let events = turn(&[call(), result(&blocks)]).to_string();
    let bodies = ["--model", "anthropic/claude-opus-5-5"];
    for command in ["project", "render", "flatten", "place-directives"] {
        let mut args = vec![command];
        if command == "flatten" || command.starts_with("place") {
            args.extend(bodies);
        }
        for misspelt in ["[\"User\"]", "[1]", "\"\""] {
            let events = events.replace("[\"User\"]", misspelt);
            let ran = run(&args, events.as_bytes());
            assert!(
                ran.stderr.contains("is no role and reaches nobody"),
                "{command}: {}",
                ran.shown()
            );
            assert_eq!(ran.status, 0);
        }
        // One level too high, and no object at all: sent to the model, and told.
        for misplaced in [
            r#"{"type":"text","text":"x","audience":["user"]}"#,
            r#"{"type":"text","text":"x","annotations":"user"}"#,
        ] {
            let block: Value = serde_json::from_str(misplaced).expect("JSON");
            let events = turn(&[call(), result(&json!([block]))]).to_string();
            let ran = run(&args, events.as_bytes());
            assert!(
                ran.stderr.contains("expected"),
                "{command}: {}",
                ran.shown()
            );
        }
    }
}

#[test]
fn v3_an_inner_audience_keeps_a_secret_from_every_model() {
    let block = json!([{"type": "resource", "annotations": {"priority": 1}, "resource":
        {"uri": "file:///s", "text": "SECRET", "annotations": {"audience": ["user"]}}}]);
    let events = turn(&[call(), result(&block)]).to_string();
    for model in [
        "anthropic/claude-opus-5-5",
        "openai/gpt-5.4",
        "google/gemini-3-pro-preview",
        "openrouter/x/y",
        "ollama/l",
        "llamacpp/l",
        "cerebras/gpt-oss-120b",
    ] {
        let ran = run(&["flatten", "--model", model], events.as_bytes());
        assert!(!ran.stdout.contains("SECRET"), "{model}");
        assert_eq!(ran.status, 0, "{}", ran.shown());
    }
    let view = run(&["project", "--addressed-only"], events.as_bytes());
    assert!(view.stdout.contains("SECRET"), "{}", view.shown());
}

#[test]
fn v11_a_user_view_is_refused_by_name_in_every_form() {
    let events = turn(&[call(), result(&json!([text_for("user", "HI")])), said("ok")]);
    let events = events.to_string();
    for output in ["envelope", "array", "lines"] {
        let view = run(&["project", "--output", output], events.as_bytes()).ok(0);
        for args in [
            &["flatten", "--model", "anthropic/claude-opus-5-5"][..],
            &["place-directives", "--model", "anthropic/claude-opus-5-5"],
            &["project", "--compacted"],
        ] {
            let ran = run(args, view.as_bytes());
            assert_eq!(ran.status, 2, "{output}: {}", ran.shown());
            assert!(
                ran.stderr.contains("looks like a user view"),
                "{output}: {}",
                ran.shown()
            );
        }
        let valid = run(&["validate", "-q"], view.as_bytes());
        assert_eq!(valid.status, 0, "{output}: {}", valid.shown());
        for style in ["full", "chat"] {
            let shown = run(&["render", "--style", style], view.as_bytes());
            let both = format!("{}{}", shown.stdout, shown.stderr);
            assert!(both.contains("HI"), "{output}: {}", shown.shown());
            assert!(
                !both.contains("unknown call"),
                "{output}: {}",
                shown.shown()
            );
        }
        // As it arrives, and in one go.
        let one = run(&["render"], view.as_bytes()).ok(0);
        let envelope = run(&["project"], events.as_bytes()).ok(0);
        assert_eq!(one, run(&["render"], envelope.as_bytes()).ok(0), "{output}");
    }
}

#[test]
fn v9_faults_of_a_user_view_have_names() {
    let result = |content: Value| {
        json!({"type": "tool_call_response", "id": "c", "content": content,
            "is_error": false})
    };
    let good = result(json!([text_for("user", "x")]));
    for (entry, path, named) in [
        (
            result(json!([text_for("assistant", "x")])),
            "/data/1/content/0",
            "does not name `user`",
        ),
        (
            result(json!([{"type": "question", "text": "?"}])),
            "/data/1/content/0",
            "a question is in no user view",
        ),
        (result(json!([])), "/data/1/content", "no block is left"),
        (
            json!({"type": "chat_response", "reasoning": "r"}),
            "/data/1",
            "the entry is reasoning",
        ),
        (
            json!({"type": "inquiry_request", "id": "q", "question": {}}),
            "/data/1/type",
            "an entry of type `inquiry_request` is in no user view",
        ),
    ] {
        let view = json!({"data": [good, entry]}).to_string();
        let ran = run(&["validate"], view.as_bytes());
        assert!(ran.stdout.contains(named), "{named}: {}", ran.shown());
        assert!(
            ran.stdout.contains(&format!("at {path}, ")),
            "{}",
            ran.shown()
        );
        assert!(!ran.stdout.contains("several shapes"), "{}", ran.shown());
        assert_eq!(ran.status, 1);
    }
}

#[test]
fn v7_styles_in_a_base_configuration_are_checked() {
    let tools = json!({"conversation": {"tools": {"t": {"source": "local",
        "style": {"header": "yes"}}}}});
    let bundle = json!({"base_config": tools, "events": []}).to_string();
    let ran = run(&["validate"], bundle.as_bytes());
    let place = "at /base_config/conversation/tools/t/style, byte 71: warning:";
    assert!(ran.stdout.contains(place), "{}", ran.shown());
    assert!(ran.stdout.contains("found \"yes\""), "{}", ran.shown());
}

#[test]
fn v14_r147_a_bad_line_ends_nothing() {
    let input = "{\"type\":\"turn_start\"}\n\
        {\"type\":\"chat_request\",\"content\":\"one\"}\n\
        {\"type\":\"chat_response\",\"message\":\"par{\"type\":\"chat_response\",\"message\":\"two\"}\n\
        \0\0\0\0\n\
        {\"type\":\"chat_request\"}\n\
        {\"type\":\"turn_start\"}\n\
        {\"type\":\"chat_request\",\"content\":\"three\"}\n";
    for command in ["render", "project"] {
        let ran = run(&[command], input.as_bytes());
        assert!(ran.stdout.contains("three"), "{}", ran.shown());
        assert!(ran.stderr.contains("bytes are left out"), "{}", ran.shown());
        assert_eq!(ran.status, 1, "{}", ran.shown());
        let strict = run(&[command, "--strict"], input.as_bytes());
        assert!(!strict.stdout.contains("three"), "{}", strict.shown());
        assert_ne!(strict.status, 0);
    }
}

#[test]
fn v7_v9_validate_names_styles_and_audiences() {
    let styled = json!({"type": "config_delta", "timestamp": "2026-01-01 00:00:00.0",
        "delta": {"conversation": {"tools": {"t": {"source": "local", "style": {
            "inline_result": "off", "header": "yes",
            "inline_results": {"user": null, "assistant": "off"}}}}}}});
    let events = json!([styled, {"type": "turn_start"}, call(), result(&json!([
        {"type": "text", "text": "x", "annotations": {"audience": ["User"]}},
        text_for("user", "y")]))]);
    let ran = run(&["validate", "--audience"], events.to_string().as_bytes());
    for part in [
        "style.inline_result` is not read; expected `inline_results`",
        "style.header`: found \"yes\"",
        "\"User\" is no role and reaches nobody",
        "every block is for the user",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.shown());
    }
    // Null is no opinion: the other side counts.
    assert!(!ran.stdout.contains("inline_results`: "), "{}", ran.shown());
    let mut settings = Settings::default();
    settings.chrome.columns = 0;
    let base = r#"{"conversation":{"tools":{"t":{"source":"local","style":
        {"inline_results":{"user":null,"assistant":"off"}}}}}}"#;
    let events = turn(&[call(), result(&json!([text_for("assistant", "ITS")]))]);
    assert!(!shown(base, &events, &settings).both.contains("ITS"));
}

/// A real terminal: both streams on one pseudo-terminal, by Python's `pty`.
#[cfg(unix)]
#[test]
fn v16_on_a_terminal() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/terminal.py");
    let program = process();
    let ran = std::process::Command::new("python3")
        .arg(script)
        .arg(program.get_program())
        .output();
    let Ok(ran) = ran else {
        println!("python3 absent: the terminal test did not run");
        return;
    };
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    let wrong = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}{wrong}");
    println!("{said}");
}
