//! The rows of the tables in `docs/formats.md`, each with an input of its own.

use super::{events, import, of_kind, one, run};
use serde_json::{Value, json};

/// A session of lines, each a child of the one before.
fn chained(lines: &[Value]) -> String {
    let mut out = String::new();
    let mut parent = Value::Null;
    for (index, line) in lines.iter().enumerate() {
        let mut line = line.clone();
        let object = line.as_object_mut().expect("a line");
        object
            .entry("uuid")
            .or_insert(json!(format!("u{}", index + 1)));
        object.entry("parentUuid").or_insert(parent);
        object.entry("sessionId").or_insert(json!("s"));
        parent = object["uuid"].clone();
        out.push_str(&line.to_string());
        out.push('\n');
    }
    out
}

fn user(content: impl Into<Value>) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": content.into()}})
}

fn answer(content: impl Into<Value>) -> Value {
    json!({"type": "assistant", "message": {"role": "assistant", "id": "m", "model": "claude-opus-5", "content": content.into()}})
}

fn said(text: &str) -> Value {
    answer(json!([{"type": "text", "text": text}]))
}

#[test]
fn kinds_outside_the_tree_are_kept_and_named() {
    for (line, kind) in [
        (
            json!({"type": "file-history-snapshot", "messageId": "x", "snapshot": {}}),
            "file-history-snapshot",
        ),
        (
            json!({"type": "last-prompt", "sessionId": "s"}),
            "last-prompt",
        ),
        (json!({"type": "mode", "sessionId": "s"}), "mode"),
        (
            json!({"type": "queue-operation", "operation": "enqueue", "content": null, "sessionId": "s"}),
            "queue-operation",
        ),
        (
            json!({"type": "content-replacement", "replacements": []}),
            "content-replacement",
        ),
        (json!({"type": "marble-origami-x"}), "marble-origami-x"),
        (json!({"type": "never-seen"}), "never-seen"),
    ] {
        let text = chained(&[user("Hi")]) + &line.to_string() + "\n";
        let record = one(&text, &[]);
        let kept = of_kind(&record, "foreign");
        assert_eq!(kept.len(), 1, "{record:#}");
        assert_eq!(kept[0]["kind"], kind);
        assert_eq!(kept[0]["raw"], line);
        let told = run(&text, &[]).stderr;
        assert_eq!(told.contains("never-seen"), kind == "never-seen", "{told}");
        let lean = one(&text, &["--keep", "lean"]);
        assert!(of_kind(&lean, "foreign").is_empty());
        assert_eq!(lean["metadata"]["import"]["dropped"][kind], 1);
    }
}

#[test]
fn lines_of_the_tree_that_say_nothing_are_kept() {
    let text = chained(&[
        user("Hi"),
        json!({"type": "system", "subtype": "turn_duration", "durationMs": 5}),
        json!({"type": "progress", "data": {"type": "x"}}),
        json!({"type": "attachment", "attachment": {"type": "file", "content": "x"}}),
        json!({"type": "system", "subtype": "microcompact_boundary"}),
        said("Hello."),
    ]);
    let record = one(&text, &[]);
    let kinds: Vec<_> = of_kind(&record, "foreign")
        .iter()
        .map(|e| e["kind"].clone())
        .collect();
    let expected = [
        "system/turn_duration",
        "progress",
        "attachment/file",
        "system/microcompact_boundary",
    ];
    assert_eq!(kinds, expected);
    let told = run(&text, &[]).stderr;
    assert!(
        told.contains("the text the model got for attachments"),
        "{told}"
    );
    assert!(told.contains("old results were cleared"), "{told}");
}

#[test]
fn titles_by_who_gave_them() {
    let mut text = chained(&[user("Hi"), said("Hello.")]);
    let title = |text: &str| one(text, &[])["metadata"]["title"].clone();
    text += "{\"type\":\"summary\",\"summary\":\"other\",\"leafUuid\":\"zz\"}\n";
    assert_eq!(title(&text), Value::Null);
    text += "{\"type\":\"summary\",\"summary\":\"S\",\"leafUuid\":\"u2\"}\n";
    assert_eq!(title(&text), "S");
    text += "{\"type\":\"ai-title\",\"aiTitle\":\"A\",\"sessionId\":\"s\"}\n";
    assert_eq!(title(&text), "A");
    text = "{\"type\":\"custom-title\",\"customTitle\":\"C\",\"sessionId\":\"s\"}\n"
        .to_owned()
        + &text;
    assert_eq!(title(&text), "C");
}

#[test]
fn text_sent_while_the_model_works_opens_no_turn() {
    let call =
        answer(json!([{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]));
    let queued = json!({"type": "attachment", "attachment": {"type": "queued_command", "prompt": "And tests."}});
    let removed = "{\"type\":\"queue-operation\",\"operation\":\"remove\",\"content\":\"And docs.\",\"sessionId\":\"s\"}\n";
    let repeated = "{\"type\":\"queue-operation\",\"operation\":\"remove\",\"content\":\"And tests.\",\"sessionId\":\"s\"}\n";
    let text = chained(&[user("Go"), call, queued]) + removed + repeated;
    let record = one(&text, &[]);
    assert_eq!(of_kind(&record, "turn_start").len(), 1);
    let asked: Vec<_> = of_kind(&record, "chat_request")
        .iter()
        .map(|e| e["content"].clone())
        .collect();
    assert_eq!(asked, ["Go", "And tests.", "And docs."]);
    let steering =
        &of_kind(&record, "chat_request")[1]["metadata"]["foreign"]["rest"]["steering"];
    assert_eq!(steering, "attachment");
}

#[test]
fn harness_text_has_an_author() {
    let mut meta = user("x");
    meta["isMeta"] = json!(true);
    let mut origin = user("x");
    origin["origin"] = json!({"kind": "task-notification"});
    let mut human = user("x");
    human["origin"] = json!({"kind": "human"});
    for (line, word) in [
        (meta, Some("meta")),
        (origin, Some("task-notification")),
        (
            user("<system-reminder>x</system-reminder>"),
            Some("reminder"),
        ),
        (human, None),
        (user("<command-name>/x</command-name>"), None),
    ] {
        let record = one(
            &chained(&[user("Hi"), said("Yes."), line]),
            &["--keep", "all"],
        );
        let last = of_kind(&record, "chat_request")[1].clone();
        assert_eq!(last.get("author").is_some(), word.is_some(), "{last:#}");
        assert_eq!(
            last["metadata"]["foreign"]
                .get("injected")
                .and_then(Value::as_str),
            word
        );
    }
    let mut hidden = user("x");
    hidden["isVisibleInTranscriptOnly"] = json!(true);
    let record = one(&chained(&[user("Hi"), hidden]), &[]);
    assert_eq!(
        of_kind(&record, "foreign")[0]["kind"],
        "user/transcript-only"
    );
}

#[test]
fn blocks_of_an_answer() {
    let text = chained(&[
        user("Hi"),
        answer(json!([
            {"type": "thinking", "thinking": "a", "signature": ""},
            {"type": "redacted_thinking", "data": "cg=="},
            {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "q"}},
            {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
            {"type": "fallback", "x": 1},
            {"type": "text", "text": "b", "citations": []}
        ])),
    ]);
    let ran = run(&text, &[]);
    assert!(
        ran.stderr.contains("block 5 of line 2 has no rule"),
        "{}",
        ran.stderr
    );
    let record = one(&text, &[]);
    let answers = events(&record);
    assert_eq!(answers.len(), 7, "{record:#}");
    assert_eq!(answers[2]["reasoning"], "a");
    assert!(
        answers[2]["metadata"]
            .get("anthropic_thinking_signature")
            .is_none()
    );
    assert_eq!(
        answers[3]["metadata"]["anthropic_redacted_thinking"],
        "cg=="
    );
    assert_eq!(answers[4]["metadata"]["foreign"]["server"], true);
    assert_eq!(answers[5]["type"], "tool_call_response");
    assert_eq!(answers[6]["event_id"], "u2/4");
}

#[test]
fn broken_and_odd_lines_cost_nothing_but_themselves() {
    let good = chained(&[user("Hi"), said("Yes.")]);
    let text = format!(
        "{good}not json\n{{\"type\":\"user\",\"message\":{{}},\"uuid\":\"z\"}}\n[1]\n"
    );
    let ran = run(&text, &[]);
    assert_eq!(ran.status, 0);
    assert!(
        ran.stderr.contains("line 3 is no JSON object"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("line 4 has no readable message"),
        "{}",
        ran.stderr
    );
    let record = one(&text, &[]);
    assert_eq!(of_kind(&record, "foreign").len(), 3);
    let cut = format!("{good}{{\"type\":\"us");
    assert!(run(&cut, &[]).stderr.contains("line 3 is cut short"));
}

#[test]
fn trees_of_every_odd_shape() {
    let line = |uuid: &str, parent: Value, text: &str| {
        json!({"type": "user", "uuid": uuid, "parentUuid": parent, "message": {"role": "user", "content": text}})
            .to_string()
            + "\n"
    };
    let texts = |text: &str| -> Vec<String> {
        let record = one(text, &[]);
        of_kind(&record, "chat_request")
            .iter()
            .map(|e| e["content"].as_str().expect("text").to_owned())
            .collect()
    };
    // A line again, a line under a used id, a parent that is not there, a cycle.
    let again = line("a", json!(null), "1") + &line("b", json!("a"), "2");
    assert_eq!(
        texts(&(again.clone() + &line("b", json!("a"), "2"))),
        ["1", "2"]
    );
    let other = again.clone() + &line("b", json!("a"), "3");
    assert_eq!(texts(&other), ["1", "2"]);
    assert!(
        run(&other, &[])
            .stderr
            .contains("has the uuid of an earlier line")
    );
    let lost = line("a", json!("zz"), "1") + &line("b", json!("a"), "2");
    assert!(
        run(&lost, &[])
            .stderr
            .contains("the parent of line 1 is not in the file")
    );
    let cycle = line("a", json!("b"), "1") + &line("b", json!("a"), "2");
    assert!(run(&cycle, &[]).stderr.contains("lead back to it"));
    assert_eq!(texts(&cycle).len(), 2);
    // Two roots, one after the other, are one conversation.
    let roots = again + &line("c", json!(null), "3") + &line("d", json!("c"), "4");
    assert_eq!(texts(&roots), ["1", "2", "3", "4"]);
    // No ids: the order of the file.
    let plain =
        "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"1\"}}\n"
            .repeat(2);
    assert_eq!(texts(&plain), ["1", "1"]);
}

fn rollout(lines: &[(&str, Value)]) -> String {
    let all = lines.iter().enumerate().map(|(index, (kind, payload))| {
        let time = format!("2026-03-01T09:00:{index:02}.000Z");
        json!({"timestamp": time, "type": kind, "payload": payload}).to_string() + "\n"
    });
    all.collect()
}

fn message(role: &str, text: &str) -> (&'static str, Value) {
    let kind = if role == "assistant" {
        "output_text"
    } else {
        "input_text"
    };
    (
        "response_item",
        json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]}),
    )
}

#[test]
fn items_of_a_rollout() {
    let text = rollout(&[
        (
            "session_meta",
            json!({"id": "x", "model_provider": "openai"}),
        ),
        message("user", "Hi"),
        (
            "response_item",
            json!({"type": "local_shell_call", "call_id": "c1", "action": {"type": "exec", "command": ["ls"]}}),
        ),
        (
            "response_item",
            json!({"type": "local_shell_call_output", "call_id": "c1", "output": {"content": "a", "success": false}}),
        ),
        (
            "response_item",
            json!({"type": "tool_search_call", "call_id": "c2", "arguments": {"q": 1}}),
        ),
        (
            "response_item",
            json!({"type": "tool_search_output", "call_id": "c2", "tools": [{"name": "x"}]}),
        ),
        (
            "response_item",
            json!({"type": "web_search_call", "id": "w1", "status": "failed", "action": {"query": "q"}}),
        ),
        ("response_item", json!({"type": "ghost_snapshot"})),
        message("developer", "Later."),
        (
            "event_msg",
            json!({"type": "agent_reasoning", "text": "Alone."}),
        ),
        (
            "event_msg",
            json!({"type": "agent_message", "message": "Done."}),
        ),
        message("assistant", "Done."),
        (
            "event_msg",
            json!({"type": "token_count", "info": {"total_token_usage": {"input_tokens": 10, "cached_input_tokens": 5}}}),
        ),
        ("never_seen", json!({})),
    ]);
    let record = one(&text, &[]);
    let calls: Vec<_> = of_kind(&record, "tool_call_request")
        .iter()
        .map(|e| e["name"].clone())
        .collect();
    assert_eq!(calls, ["local_shell", "tool_search", "web_search"]);
    let results = of_kind(&record, "tool_call_response");
    assert_eq!(results[0]["is_error"], true);
    assert_eq!(results[1]["content"], "[{\"name\":\"x\"}]");
    assert_eq!(results[2]["is_error"], true);
    assert_eq!(of_kind(&record, "config_delta").len(), 1);
    let answers = of_kind(&record, "chat_response");
    assert_eq!(answers.len(), 2, "{record:#}");
    assert_eq!(answers[0]["reasoning"], "Alone.");
    assert_eq!(
        record["metadata"]["import"]["usage"]["cached_input_tokens"],
        5
    );
    assert!(run(&text, &[]).stderr.contains("never_seen (1)"));
}

#[test]
fn a_text_that_an_event_proves_is_typed() {
    let looks = "<environment_context>x</environment_context>";
    let text = rollout(&[
        ("session_meta", json!({"id": "x"})),
        message("user", looks),
        (
            "event_msg",
            json!({"type": "user_message", "message": looks}),
        ),
        message("assistant", "Yes."),
        (
            "event_msg",
            json!({"type": "user_message", "message": "Event alone."}),
        ),
    ]);
    let record = one(&text, &[]);
    let asked = of_kind(&record, "chat_request");
    assert_eq!(asked.len(), 2);
    assert!(asked.iter().all(|e| e.get("author").is_none()));
    assert_eq!(of_kind(&record, "turn_start").len(), 2);
}

#[test]
fn a_compaction_of_a_rollout() {
    let history = json!([{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Kept."}]}]);
    let text = rollout(&[
        ("session_meta", json!({"id": "x"})),
        message("user", "One"),
        message("assistant", "1"),
        (
            "compacted",
            json!({"message": "Sum.", "replacement_history": history}),
        ),
        message("user", "Two"),
        ("compacted", json!({"message": ""})),
    ]);
    let record = one(&text, &[]);
    assert_eq!(of_kind(&record, "compaction").len(), 1);
    assert!(run(&text, &[]).stderr.contains("cannot be read"));
    let cut = one(&text, &["--compaction", "cut"]);
    let asked: Vec<_> = of_kind(&cut, "chat_request")
        .iter()
        .map(|e| e["content"].clone())
        .collect();
    assert_eq!(asked, ["Kept.", "Two"]);
}

#[test]
fn the_first_versions_of_codex() {
    let text = json!({"session": {"id": "x", "timestamp": "2025-06-01T00:00:00Z", "instructions": ""},
        "items": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
                  {"type": "local_shell_call", "id": "l1", "action": {"command": ["ls"]}},
                  {"type": "local_shell_call_output", "call_id": "l1", "output": "a"}]});
    let record = one(&text.to_string(), &[]);
    assert_eq!(record["metadata"]["import"]["format"], "codex");
    assert_eq!(
        events(&record)
            .iter()
            .filter(|e| e["type"] != "foreign")
            .count(),
        4
    );
}

#[test]
fn gemini_cli_sessions_of_lines() {
    let text = "{\"sessionId\":\"s\",\"projectHash\":\"h\",\"startTime\":\"2026-01-01T00:00:00Z\"}
{\"id\":\"1\",\"timestamp\":\"2026-01-01T00:00:01Z\",\"type\":\"user\",\"content\":\"Hi\"}
{\"id\":\"2\",\"timestamp\":\"2026-01-01T00:00:02Z\",\"type\":\"gemini\",\"content\":\"No.\"}
{\"$rewindTo\":\"2\"}
{\"id\":\"3\",\"timestamp\":\"2026-01-01T00:00:03Z\",\"type\":\"gemini\",\"content\":\"Yes.\",\"model\":\"gemini-3-pro\",\"tokens\":{\"input\":10,\"cached\":5},
\"toolCalls\":[]}
";
    let text = text.replace(",\n\"toolCalls\"", ",\"toolCalls\"");
    let text = text
        + "{\"$set\":{\"lastUpdated\":\"2026-01-01T00:00:04Z\"}}\n{\"id\":\"4\",\"type\":\"info\",\"content\":\"x\"}\n";
    let record = one(&text, &[]);
    let answers = of_kind(&record, "chat_response");
    assert_eq!(answers.len(), 1, "{record:#}");
    assert_eq!(answers[0]["message"], "Yes.");
    assert_eq!(of_kind(&record, "foreign")[0]["kind"], "info");
}

#[test]
fn what_an_input_is() {
    let format = |text: &str| -> Value {
        import(text, &[])[0]["metadata"]["import"]["format"].clone()
    };
    let user = json!({"role": "user", "content": "Hi"});
    for (value, name) in [
        (
            json!({"body": {"model": "claude-opus-5", "max_tokens": 1, "messages": [user]}}),
            "anthropic",
        ),
        (
            json!({"request": {"url": "https://x/v1/responses", "body": {"model": "gpt-5.5", "input": "Hi"}}}),
            "openai-responses",
        ),
        (
            json!({"log": {"entries": [{"request": {"url": "https://openrouter.ai/api/v1/chat/completions", "postData": {"text": json!({"model": "a/b", "messages": [user]}).to_string()}}}]}}),
            "openai-chat",
        ),
        (
            json!({"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}),
            "gemini",
        ),
        (
            json!({"model": "gpt-5.5", "input": "Hi"}),
            "openai-responses",
        ),
        (
            json!({"conversations": [{"from": "human", "value": "Hi"}]}),
            "sharegpt",
        ),
        (
            json!({"conversations": [{"role": "user", "content": "Hi"}]}),
            "messages",
        ),
        (json!({"messages": [user]}), "messages"),
        (
            json!({"model": "gpt-4o", "messages": [user]}),
            "openai-chat",
        ),
        (json!([user]), "openai-chat"),
        (
            json!([{"role": "user", "parts": [{"text": "Hi"}]}]),
            "gemini",
        ),
        (
            json!([{"type": "message", "role": "user", "content": "Hi"}]),
            "openai-responses",
        ),
        (json!([{"messages": [user]}]), "messages"),
        (
            json!({"prompt": [user], "completion": [{"role": "assistant", "content": "x"}]}),
            "messages",
        ),
        (
            json!({"type": "message", "role": "assistant", "content": [{"type": "text", "text": "x"}], "stop_reason": "end_turn", "model": "claude-opus-5"}),
            "anthropic",
        ),
        (
            json!({"choices": [{"message": {"role": "assistant", "content": "x"}}], "model": "gpt-4o"}),
            "openai-chat",
        ),
        (
            json!({"object": "response", "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "x"}]}]}),
            "openai-responses",
        ),
        (
            json!({"candidates": [{"content": {"role": "model", "parts": [{"text": "x"}]}}]}),
            "gemini",
        ),
    ] {
        assert_eq!(format(&value.to_string()), name, "{value}");
    }
    let lines = "{\"role\":\"user\",\"content\":\"Hi\"}\n{\"role\":\"assistant\",\"content\":\"Yes.\"}\n";
    assert_eq!(one(lines, &[])["metadata"]["import"]["format"], "messages");
    let web = json!({"loglines": [{"type": "user", "sessionId": "s", "uuid": "u", "message": {"role": "user", "content": "Hi"}}]});
    assert_eq!(format(&web.to_string()), "claude-code");
}

#[test]
fn what_is_not_read_is_refused_by_name() {
    for (value, words) in [
        (
            json!({"mapping": {}, "current_node": "x"}),
            "ChatGPT export",
        ),
        (json!([{"chat_messages": []}]), "Claude.ai export"),
        (json!({"chosen": "a", "rejected": "b"}), "preference pair"),
        (
            json!({"instruction": "a", "output": "b"}),
            "instruction record",
        ),
        (json!({"prompt": "a", "response": "b"}), "pair of texts"),
        (
            json!({"messages": [{"role": "user", "content": [{"text": "x"}]}], "inferenceConfig": {}}),
            "Converse",
        ),
    ] {
        let ran = run(&value.to_string(), &[]);
        assert_eq!(ran.status, 2, "{value}: {}", ran.shown());
        assert!(ran.stderr.contains(words), "{value}: {}", ran.stderr);
    }
    let mixed = "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}\n{\"contents\":[{\"parts\":[{\"text\":\"x\"}]}]}\n";
    let ran = run(mixed, &[]);
    assert_eq!(ran.status, 1, "{}", ran.shown());
    assert!(
        ran.stderr
            .contains("expected another a dataset of messages"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_recorded_answer_is_the_last_message() {
    let body = json!({"model": "claude-opus-5", "max_tokens": 1, "messages": [{"role": "user", "content": "Hi"}]});
    let answer = json!({"role": "assistant", "type": "message", "content": [{"type": "text", "text": "Yes."}], "usage": {"input_tokens": 10, "cache_read_input_tokens": 30}});
    let record = one(
        &json!({"body": body, "response": {"body": answer.to_string()}}).to_string(),
        &[],
    );
    assert_eq!(of_kind(&record, "chat_response")[0]["message"], "Yes.");
    assert_eq!(
        record["metadata"]["import"]["usage"]["cache_read_input_tokens"],
        30
    );
}

#[test]
fn bodies_that_grow_are_one_conversation() {
    let body = |model: &str, texts: &[(&str, &str)]| {
        let list: Vec<_> = texts
            .iter()
            .map(|(role, text)| json!({"role": role, "content": text}))
            .collect();
        json!({"model": model, "max_tokens": 9, "messages": list}).to_string() + "\n"
    };
    let all = [
        ("user", "1"),
        ("assistant", "a"),
        ("user", "2"),
        ("assistant", "b"),
    ];
    let text = body("claude-opus-5", &all[..1])
        + &body("claude-opus-5", &all[..3])
        + &body("claude-haiku-4-5", &all);
    let records = import(&text, &["--sequence"]);
    assert_eq!(records.len(), 1);
    let record = &records[0];
    assert_eq!(of_kind(record, "chat_request").len(), 2);
    assert_eq!(of_kind(record, "config_delta").len(), 1);
    assert_eq!(
        record["metadata"]["import"]["requests"]
            .as_array()
            .expect("requests")
            .len(),
        3
    );
    let apart = body("claude-opus-5", &all[..1]) + &body("claude-opus-5", &all[2..]);
    assert_eq!(import(&apart, &["--sequence"]).len(), 2);
}

#[test]
fn what_is_given_from_outside_is_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    let system = folder.path().join("system.txt");
    let tools = folder.path().join("tools.json");
    std::fs::write(&system, "Be brief.").expect("written");
    std::fs::write(
        &tools,
        "[{\"name\":\"ls\",\"input_schema\":{\"type\":\"object\"}}]",
    )
    .expect("written");
    let text = chained(&[user("Hi")]);
    let record = one(
        &text,
        &[
            "--system",
            system.to_str().expect("a path"),
            "--tools",
            tools.to_str().expect("a path"),
            "--model",
            "anthropic/claude-opus-5",
        ],
    );
    assert_eq!(record["inputs"]["system_parts"], json!(["Be brief."]));
    assert_eq!(record["inputs"]["tools"][0]["name"], "ls");
    assert_eq!(
        record["base_config"]["assistant"]["model"]["id"]["name"],
        "claude-opus-5"
    );
    assert_eq!(
        record["metadata"]["import"]["unknown"],
        json!(["parameters", "timestamps"])
    );
}

#[test]
fn the_report_has_usage_turn_by_turn() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("report.jsonl");
    let mut reply = said("Yes.");
    reply["message"]["usage"] =
        json!({"input_tokens": 10, "cache_read_input_tokens": 30});
    run(
        &chained(&[user("Hi"), reply]),
        &["--report", path.to_str().expect("a path")],
    )
    .ok(0);
    let report: Value =
        serde_json::from_str(&std::fs::read_to_string(&path).expect("a report"))
            .expect("JSON");
    assert_eq!(report["turn_usage"][0]["cache_read_share"], json!(0.75));
    assert_eq!(report["unknown"][0], "system");
}

#[test]
fn directories_and_zstd() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = chained(&[user("Hi"), said("Yes.")]);
    std::fs::create_dir(folder.path().join("sub")).expect("a folder");
    std::fs::write(folder.path().join("sub/b.jsonl"), &text).expect("written");
    std::fs::write(folder.path().join("a.jsonl"), &text).expect("written");
    std::fs::write(folder.path().join("c.json"), "{\"x\":1}").expect("written");
    let packed = ruzstd::encoding::compress_to_vec(
        text.as_bytes(),
        ruzstd::encoding::CompressionLevel::Fastest,
    );
    std::fs::write(folder.path().join("d.jsonl.zst"), &packed).expect("written");
    std::fs::write(folder.path().join("a.jsonl.zst"), &packed).expect("written");
    let path = folder.path().to_str().expect("a path");
    let ran = run("", &[path]);
    assert_eq!(ran.status, 0, "{}", ran.shown());
    assert_eq!(ran.stdout.lines().count(), 3, "{}", ran.shown());
    assert!(ran.stderr.contains("passed over"), "{}", ran.stderr);
    let agent = folder.path().join("agent-7.jsonl");
    let mut line = user("Do it.");
    line["isSidechain"] = json!(true);
    std::fs::write(&agent, chained(&[line])).expect("written");
    std::fs::write(
        folder.path().join("agent-7.meta.json"),
        "{\"toolUseId\":\"t9\"}",
    )
    .expect("written");
    let record = one("", &[agent.to_str().expect("a path")]);
    assert_eq!(record["metadata"]["import"]["sidechain"], "7");
    assert_eq!(
        record["metadata"]["import"]["parent"],
        json!({"tool_use_id": "t9", "how": "meta"})
    );
}

#[test]
fn a_schema_that_parameters_cannot_say_is_sent_as_it_came() {
    let schema = json!({"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/x"}]}}, "$defs": {"x": {"type": "null"}}});
    let body = json!({"model": "claude-opus-5", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}],
        "tools": [{"name": "t", "description": "d", "input_schema": schema}]});
    let bundle = run(&body.to_string(), &[]).ok(0);
    for (provider, model, path) in [
        ("anthropic", "claude-opus-5", "/tools/0/input_schema"),
        ("openai", "gpt-5.5", "/tools/0/parameters"),
        (
            "google",
            "gemini-2.5-pro",
            "/tools/0/functionDeclarations/0/parametersJsonSchema",
        ),
        ("openrouter", "a/b", "/tools/0/function/parameters"),
        ("ollama", "x", "/tools/0/function/parameters"),
        ("cerebras", "x", "/tools/0/function/parameters"),
        ("llamacpp", "x", "/tools/0/function/parameters"),
    ] {
        let args = ["flatten", "-q", "--provider", provider, "--model", model];
        let body: Value =
            serde_json::from_str(&super::pass(&args, &bundle).ok(0)).expect("a body");
        assert_eq!(body.pointer(path), Some(&schema), "{provider}: {body}");
        assert_ne!(body.pointer("/tools/0/strict"), Some(&json!(true)));
    }
    // What is no object schema is said by parameters.
    let odd = bundle.replace(
        "\"schema\":{\"type\":\"object\"",
        "\"schema\":{\"type\":\"string\"",
    );
    assert_ne!(odd, bundle);
    let body = super::pass(&["flatten", "-q"], &odd).ok(0);
    assert!(
        body.contains("\"input_schema\":{\"type\":\"object\""),
        "{body}"
    );
}

#[test]
fn reasoning_of_a_rollout_goes_back_without_an_id() {
    let text = rollout(&[
        (
            "session_meta",
            json!({"id": "c", "timestamp": "2026-03-01T09:00:00Z", "cwd": "/x"}),
        ),
        ("turn_context", json!({"model": "gpt-5.5", "cwd": "/x"})),
        message("user", "Hi"),
        (
            "response_item",
            json!({"type": "reasoning", "summary": [], "encrypted_content": "ZW5j"}),
        ),
        message("assistant", "Hello."),
    ]);
    let body = super::pass(&["flatten", "-q", "--requests", "end"], &text).ok(0);
    let body: Value = serde_json::from_str(&body).expect("a body");
    let input = body["input"].as_array().expect("items");
    let found = input.iter().find(|item| item["type"] == "reasoning");
    assert_eq!(
        found,
        Some(&json!({"type": "reasoning", "summary": [], "encrypted_content": "ZW5j"})),
        "{body}"
    );
}

/// Directives, and the comparison of request points, on transcripts.
#[test]
fn directives_and_prefixes_of_transcripts() {
    let later = |text: &str| {
        let mut line = said(text);
        line["message"]["id"] = json!(text);
        line
    };
    let text = chained(&[
        user("Fix it."),
        answer(
            json!([{"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "a"}}]),
        ),
        json!({"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "A"}]}}),
        later("Done."),
        user("Thanks."),
        later("Welcome."),
    ]);
    let body = super::pass(&["place-directives", "-q"], &text).ok(0);
    let body: Value = serde_json::from_str(&body).expect("a body");
    assert_eq!(body["messages"].as_array().map(Vec::len), Some(5), "{body}");
    let home = tempfile::tempdir().expect("a directory");
    let path = home.path().join("session.jsonl");
    std::fs::write(&path, &text).expect("a file");
    let path = path.display().to_string();
    for via in ["flatten", "place-directives"] {
        let args = [
            "diff-cache-prefix",
            "--conversation",
            &path,
            "--via",
            via,
            "--format",
            "json",
        ];
        let ran = super::pass(&args, "");
        assert!(ran.status <= 1, "{via}: {}", ran.shown());
        let reports: Vec<Value> = ran
            .stdout
            .lines()
            .map(|l| serde_json::from_str(l).expect("a report"))
            .collect();
        assert!(reports.len() >= 2, "{via}: {}", ran.shown());
        assert!(
            reports
                .iter()
                .all(|r| r.get("divergences").is_none_or(|d| d == &json!([]))),
            "{via}: {}",
            ran.shown()
        );
        assert!(
            ran.stderr.contains("read as a Claude Code session"),
            "{}",
            ran.stderr
        );
    }
}
