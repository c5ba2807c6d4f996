//! Pages: nothing stored becomes markup, everything stands where it should.

use crate::common::command::{run, run_in};
use crate::common::corpus::{cases, report};
use serde_json::{Value, json};

/// Strings that would run, load or break out somewhere.
const HOSTILE: [&str; 14] = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "</style><img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)>",
    "' onmouseover='alert(1)",
    "\" onfocus=\"alert(1)\" autofocus=\"",
    "javascript:alert(1)",
    "[x](javascript:alert(1))",
    "![x](https://example.com/x.png\"onerror=\"alert(1))",
    "<a href=\"data:text/html,<script>alert(1)</script>\">x</a>",
    "```html\n<script>alert(1)</script>\n```",
    "--><iframe src=//example.com></iframe><!--",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<meta http-equiv=refresh content='0;url=https://example.com'>",
];

fn page(input: &str, args: &[&str]) -> String {
    let args = [&["render", "-q", "--format", "html"], args].concat();
    run(&args, input.as_bytes()).ok(0)
}

/// What stands in the body of a page, its own script left out.
fn body(page: &str) -> &str {
    let (_, body) = page.split_once("</head>").expect("a head");
    let (body, _) = body.rsplit_once("<script>").expect("a script");
    body
}

/// Fails where a page has an element or attribute that no template of ours writes.
#[track_caller]
fn is_harmless(page: &str, what: &str) {
    let body = body(page);
    for (at, _) in body.match_indices('<') {
        let tag: String = body[at + 1..]
            .trim_start_matches('/')
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect();
        assert!(
            [
                "body",
                "header",
                "h1",
                "h2",
                "h3",
                "h4",
                "h5",
                "h6",
                "fieldset",
                "legend",
                "label",
                "input",
                "span",
                "output",
                "main",
                "section",
                "nav",
                "ol",
                "ul",
                "li",
                "a",
                "div",
                "p",
                "article",
                "time",
                "pre",
                "code",
                "details",
                "summary",
                "em",
                "strong",
                "del",
                "br",
                "hr",
                "blockquote",
                "table",
                "thead",
                "tbody",
                "tr",
                "th",
                "td",
                "img",
                "svg",
                "title",
                "rect"
            ]
            .contains(&&*tag),
            "{what}: <{tag}> in {}",
            &body[at..(at + 120).min(body.len())]
        );
        let end = body[at..].find('>').map_or(body.len(), |end| at + end);
        // Values stand between double quotes; what is left is names.
        let names: String = body[at..end].split('"').step_by(2).collect();
        assert!(!names.contains(" on"), "{what}: {}", &body[at..end]);
        assert!(!names.contains("style="), "{what}: {}", &body[at..end]);
        for link in ["href=\"", "src=\""] {
            if let Some((_, rest)) = body[at..end].split_once(link) {
                let safe = [
                    "#",
                    "https://",
                    "http://",
                    "mailto:",
                    "data:image/png;base64,",
                ];
                assert!(
                    safe.iter().any(|start| rest.starts_with(start)),
                    "{what}: {rest}"
                );
            }
        }
        assert!(
            !body[at..end].contains("src=\"http"),
            "{what}: {}",
            &body[at..end]
        );
    }
}

#[test]
fn no_field_of_any_form_becomes_markup() {
    for bad in HOSTILE {
        let base = json!({"assistant": {"name": bad, "model": {"id": {"provider": bad, "name": bad}}}});
        let stamp = "2026-01-01T00:00:00Z";
        let events = json!([
            {"type": "turn_start", "timestamp": stamp},
            {"type": "chat_request", "timestamp": stamp, "event_id": bad, "content": bad, "author": bad,
             "resources": [{"uri": bad, "mimeType": bad, "text": bad}, {"uri": bad, "mimeType": "image/png", "blob": bad}],
             "metadata": {"foreign": {"injected": bad}}},
            {"type": "chat_request", "timestamp": stamp, "content": bad},
            {"type": "chat_response", "timestamp": stamp, "message": bad},
            {"type": "chat_response", "timestamp": stamp, "reasoning": bad},
            {"type": "chat_response", "timestamp": stamp, "data": {bad: bad}},
            {"type": "config_delta", "timestamp": stamp, "delta": {"assistant": {"model": {"id": {"provider": bad, "name": bad}}, bad: bad}}},
            {"type": "tool_call_request", "timestamp": stamp, "id": bad, "name": bad, "arguments": {bad: bad}},
            {"type": "tool_call_response", "timestamp": stamp, "id": bad, "is_error": false, "content": bad},
            {"type": "tool_call_response", "timestamp": stamp, "id": bad, "is_error": false, "content": [
                {"type": "text", "text": bad, "annotations": {"audience": ["user"]}},
                {"type": "resource", "resource": {"uri": bad, "mimeType": bad, "text": bad}},
                {"type": "resource_link", "uri": bad, "name": bad},
                {"type": "image", "data": bad, "mimeType": "image/png"}, {"type": "image", "data": "AAAA", "mimeType": bad},
                {"type": bad, bad: bad}]},
            {"type": "compaction", "timestamp": stamp, "from_turn": 0, "to_turn": 0, "summary": {"summary": bad}},
            {"type": bad, "raw": bad},
        ]);
        let bundle = json!({"id": bad, "base_config": base, "encoding": "plain", "events": events,
            "metadata": {"title": bad, "import": {"format": bad, "parent": {"tool_use_id": bad}, "common": {"sessionId": bad}}}});
        let out = page(&bundle.to_string(), &[]);
        is_harmless(&out, bad);
        let body = json!({"model": bad, "messages": [{"role": "user", "content": bad, "name": bad}, {"role": "assistant", "content": bad}]});
        is_harmless(&page(&body.to_string(), &[]), bad);
        let home = tempfile::tempdir().expect("a directory");
        let args = ["render", "-q", "--format", "html", "--output-dir", "pages"];
        run_in(home.path(), &args, bundle.to_string().as_bytes()).ok(0);
        let index = std::fs::read_to_string(home.path().join("pages/index.html"))
            .expect("an index");
        assert!(!body_of_index(&index).contains("<script"), "{bad}");
    }
}

fn body_of_index(index: &str) -> &str {
    body(index)
}

#[test]
fn the_policy_names_the_page_s_own_style_and_script() {
    let out = page(r#"[{"type":"chat_request","content":"Hi"}]"#, &[]);
    assert_eq!(out.matches("<script>").count(), 1);
    assert_eq!(out.matches("<style>").count(), 1);
    for part in [
        "default-src 'none'",
        "img-src data:",
        "style-src 'sha256-",
        "script-src 'sha256-",
    ] {
        assert!(
            out.contains(&part.replace('\'', "&#39;")) || out.contains(part),
            "{part}"
        );
    }
}

#[test]
fn a_page_has_turns_anchors_and_who_saw_what() {
    let events = json!([
        {"type": "turn_start"}, {"type": "chat_request", "content": "Say *hi*.", "event_id": "ev-1"},
        {"type": "chat_response", "reasoning": "think"},
        {"type": "tool_call_request", "id": "t1", "name": "ls", "arguments": {"dir": "."}},
        {"type": "tool_call_response", "id": "t1", "is_error": true, "content": [
            {"type": "text", "text": "for you", "annotations": {"audience": ["user"]}},
            {"type": "text", "text": "for the model", "annotations": {"audience": ["assistant"]}}]},
        {"type": "chat_response", "message": "```rust\nfn main() {}\n```"},
        {"type": "turn_start"}, {"type": "chat_request", "content": "Long.\n".repeat(60)},
    ]);
    let bundle = json!({"base_config": {"assistant": {"model": {"id": "a/b"}}}, "encoding": "plain", "events": events});
    let out = page(&bundle.to_string(), &[]);
    let at = |text: &str| {
        out.find(text)
            .unwrap_or_else(|| panic!("{text} in {}", body(&out)))
    };
    assert!(at("href=\"#c-turn-2\"") < at("id=\"c-turn-2\""));
    at("id=\"c-ev-1\"");
    at("<em>hi</em>");
    at("data-call=\"t1\"");
    at("data-who=\"user\"");
    at("data-kind=\"reasoning\" data-who=\"model\"");
    at("result ls");
    at("<span class=\"k\">fn</span>");
    let one = page(&bundle.to_string(), &["--turns", "2"]);
    assert!(!one.contains("c-ev-1") && one.contains("c-turn-2"));
    let ran = run(&["render", "--format", "html", "--style", "chat"], b"[]");
    assert_eq!(ran.status, 2, "{}", ran.shown());
}

#[test]
fn several_conversations_have_a_page_each_and_an_index() {
    let home = tempfile::tempdir().expect("a directory");
    let one = |id: &str, text: &str| {
        json!({"id": id, "base_config": {}, "events": [{"type": "chat_request", "content": text}]}).to_string()
    };
    let input = format!(
        "{}\n{}\n{}\n",
        one("7", "First"),
        one("7", "Second"),
        one("../../x", "Third")
    );
    let args = ["render", "--format", "html", "--output-dir", "pages"];
    let ran = run_in(home.path(), &args, input.as_bytes());
    assert_eq!(ran.status, 0, "{}", ran.shown());
    assert_eq!(ran.stdout, "");
    let mut names: Vec<_> = std::fs::read_dir(home.path().join("pages"))
        .expect("a directory")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("UTF-8")
        })
        .collect();
    names.sort();
    assert_eq!(names, ["7-2.html", "7.html", "index.html", "x.html"]);
    let index = std::fs::read_to_string(home.path().join("pages/index.html"))
        .expect("an index");
    for (name, words) in [
        ("7.html", "First"),
        ("7-2.html", "Second"),
        ("x.html", "Third"),
    ] {
        assert!(
            index.contains(&format!("<a href=\"{name}\">{words}</a>")),
            "{index}"
        );
    }
    let all = page(&input, &[]);
    assert_eq!(all.matches("<main>").count(), 1);
    assert_eq!(all.matches("id=\"c2-turn-1\"").count(), 1);
}

/// At most four times the conversation plus 100 kB; nothing harmful of any of it.
#[test]
fn pages_of_the_corpus_are_small_and_harmless() {
    let mut count = 0;
    for folder in [
        "conversations",
        "import/claude-code",
        "import/codex",
        "import/gemini-cli",
    ] {
        for path in cases(folder) {
            let file = if path.is_dir() {
                path.join("events.json")
            } else {
                path.clone()
            };
            let size = std::fs::metadata(&file).map_or(0, |data| data.len());
            let path = path.display().to_string();
            let ran = run(&["render", "-q", "--format", "html", &path], b"");
            if ran.status != 0 {
                assert!(path.contains("ccu-"), "{path}: {}", ran.stderr);
                continue;
            }
            let page = ran.stdout;
            assert!(
                page.len() as u64 <= 4 * size + 100_000,
                "{path}: {} of {size}",
                page.len()
            );
            is_harmless(&page, &path);
            count += 1;
        }
    }
    report("pages_of_the_corpus_are_small_and_harmless", count);
}

#[test]
fn every_shape_of_value_is_taken() {
    let odd: Value = json!([{"type": "chat_request", "content": ""}, {"type": "tool_call_response", "id": "x", "content": null, "is_error": false}]);
    is_harmless(&page(&odd.to_string(), &[]), "odd");
}

/// Bodies of a run: the third leaves the prefix.
fn recording(bad: &str) -> String {
    let system = "Mind the gap. ".repeat(900);
    let body = |clock: &str, count: usize| {
        let messages: Vec<Value> = (0..count)
            .map(|n| match n % 2 {
                0 => json!({"role": "user", "content": format!("{bad} {n}")}),
                _ => json!({"role": "assistant", "content": [{"type": "text", "text": bad}]}),
            })
            .collect();
        json!({"model": "claude-opus-5", "max_tokens": 9, "messages": messages,
            "system": [{"type": "text", "text": format!("It is {clock}. {bad} {system}"), "cache_control": {"type": "ephemeral"}}]})
    };
    [body("10:41", 1), body("10:41", 3), body("10:57", 5)]
        .map(|body| format!("{body}\n"))
        .concat()
}

#[test]
fn a_run_of_requests_is_a_page() {
    for bad in HOSTILE {
        let input = recording(bad);
        let args = ["diff-cache-prefix", "-q", "--format", "html"];
        let ran = run(&args, input.as_bytes());
        assert_eq!(ran.status, 1, "{}", ran.shown());
        is_harmless(&ran.stdout, bad);
        assert_eq!(ran.stdout.matches("class=\"request\"").count(), 2);
        assert_eq!(ran.stdout.matches("data-kept=\"true\"").count(), 1, "{bad}");
        assert!(ran.stdout.contains("clock"), "{}", body(&ran.stdout));
        let masked = run(
            &[
                "diff-cache-prefix",
                "-q",
                "--format",
                "html",
                "--hashes-only",
            ],
            input.as_bytes(),
        );
        assert!(!masked.stdout.contains("Mind the gap"));
    }
    let ran = run(
        &["diff-cache-prefix", "--format", "html"],
        b"{\"model\":\"claude-opus-5\",\"messages\":[]}",
    );
    assert_eq!((ran.status, &*ran.stdout), (2, ""), "{}", ran.shown());
}
