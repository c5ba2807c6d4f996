use super::*;
use crate::json::pointer;

fn raw(text: &str) -> Raw<'_> {
    Raw::parse(text.as_bytes()).expect("a value")
}

fn read(text: &str) -> Body<'_> {
    Body::read(raw(text), None, None).expect("a body")
}

#[test]
fn providers_are_recognised_by_their_own_fields() {
    for (text, provider, certain) in [
        (r#"{"system":"x","messages":[]}"#, Provider::Anthropic, true),
        (
            r#"{"model":"claude-opus-5","messages":[]}"#,
            Provider::Anthropic,
            true,
        ),
        (
            r#"{"messages":[{"role":"user","content":"hi"}]}"#,
            Provider::Anthropic,
            false,
        ),
        (
            r#"{"model":"gpt-5","messages":[{"role":"user","content":"hi"}]}"#,
            Provider::OpenAi,
            true,
        ),
        (
            r#"{"model":"claude-opus-5","max_tokens":1}"#,
            Provider::Anthropic,
            false,
        ),
        (
            r#"{"messages":[{"role":"assistant","content":[{"type":"tool_use"}]}]}"#,
            Provider::Anthropic,
            true,
        ),
        (r#"{"model":"m","input":"hi"}"#, Provider::OpenAi, true),
        (r#"{"contents":[]}"#, Provider::Google, true),
        (
            r#"{"model":"anthropic/claude-opus-5","messages":[],"reasoning":{}}"#,
            Provider::OpenRouter,
            true,
        ),
        (
            r#"{"messages":[{"role":"tool","tool_call_id":"t"}]}"#,
            Provider::OpenRouter,
            false,
        ),
        (
            r#"{"messages":[{"role":"tool","content":"x"}]}"#,
            Provider::Ollama,
            true,
        ),
        (
            r#"{"messages":[],"options":{},"think":false}"#,
            Provider::Ollama,
            true,
        ),
        (
            r#"{"messages":[],"reasoning_format":"none","chat_template_kwargs":{}}"#,
            Provider::LlamaCpp,
            true,
        ),
        (
            r#"{"messages":[],"reasoning_format":"parsed"}"#,
            Provider::Cerebras,
            true,
        ),
    ] {
        let body = read(text);
        assert_eq!((body.provider, body.certain), (provider, certain), "{text}");
    }
}

#[test]
fn what_is_no_body_is_said_to_be_what_it_is() {
    for (text, code) in [
        ("[]", "not-a-body"),
        (r#"[{"type":"chat_request"}]"#, "not-a-body"),
        ("3", "not-a-body"),
        ("{}", "not-a-body"),
        (r#"{"events":[]}"#, "not-a-body"),
        (
            r#"{"type":"message","role":"assistant","content":[]}"#,
            "response",
        ),
        (r#"{"type":"error","error":{}}"#, "response"),
        (r#"{"object":"response","output":[]}"#, "response"),
        (r#"{"choices":[]}"#, "response"),
        (r#"{"candidates":[]}"#, "response"),
    ] {
        let error = Body::read(raw(text), None, None).expect_err(text);
        assert_eq!(error.code, code, "{text}: {error}");
    }
    let body = raw(r#"{"contents":[]}"#);
    let error = Body::read(body, Some(Provider::Anthropic), None).expect_err("other");
    assert_eq!(error.code, "other-provider");
    let chat = raw(r#"{"messages":[],"reasoning":{}}"#);
    assert!(Body::read(chat, Some(Provider::Cerebras), None).is_ok());
}

#[test]
fn every_place_has_the_pointer_that_leads_to_it() {
    let text = r#"{"system":[{"type":"text","text":"s"}],"tools":[{"name":"t"}],"messages":[
        {"role":"user","content":"bare"},
        {"role":"user","content":[{"type":"tool_result","content":[
            {"type":"text","text":"x"},
            {"type":"document","source":{"type":"content","content":[{"type":"image"}]}}]}],
         "tool_calls":[{"id":"c"}]}]}"#;
    let body = read(text);
    let mut seen = Vec::new();
    let mut check = |place: Place, raw: Raw<'_>| {
        let path = body.pointer(place);
        assert_eq!(pointer::resolve(body.raw, &path), Some(raw), "{path}");
        seen.push(path);
    };
    body.tools().for_each(|tool| check(tool.place, tool.raw));
    body.system()
        .for_each(|block| check(block.place, block.raw));
    for message in body.messages() {
        check(message.place, message.raw);
        message.calls().for_each(|call| check(call.place, call.raw));
        for block in message.blocks() {
            check(block.place, block.raw);
            for inner in block.inner() {
                check(inner.place, inner.raw);
                inner.inner().for_each(|deep| check(deep.place, deep.raw));
            }
        }
    }
    assert_eq!(
        seen,
        [
            "/tools/0",
            "/system/0",
            "/messages/0",
            "/messages/0/content",
            "/messages/1",
            "/messages/1/tool_calls/0",
            "/messages/1/content/0",
            "/messages/1/content/0/content/0",
            "/messages/1/content/0/content/1",
            "/messages/1/content/0/content/1/source/content/0",
        ]
    );
}

#[test]
fn captures_of_every_shape_lead_to_their_body() {
    let har = r#"{"log":{"entries":[{"request":{"method":"GET"}},{"request":{"url":"u",
        "headers":[{"name":"Anthropic-Beta","value":"a, b"}],
        "postData":{"text":"{\"x\":\"\\u00e9\",\"messages\":[\"é\"]}"}}}]}}"#;
    for (text, path, betas) in [
        (r#"{"messages":["é"]}"#, "", None),
        (r#"{"body":{"messages":["é"]}}"#, "/body", None),
        (
            r#"{"headers":{},"body":{"messages":["é"]}}"#,
            "/body",
            Some(vec![]),
        ),
        (
            r#"{"headers":{"Anthropic-Beta":["a","b,"]},"body":"{\"messages\":[\"é\"]}"}"#,
            "/body",
            Some(vec!["a", "b"]),
        ),
        (
            r#"{"request":{"headers":[["anthropic-beta","a"]],"body":{"messages":["é"]}}}"#,
            "/request/body",
            Some(vec!["a"]),
        ),
        (
            har,
            "/log/entries/1/request/postData/text",
            Some(vec!["a", "b"]),
        ),
    ] {
        let input = text.as_bytes();
        let record = records(input).next().expect("one").expect("a value");
        let found = captures(input, record);
        assert_eq!(found.len(), 1, "{text}");
        let capture = found.into_iter().next().expect("one").expect("a capture");
        assert_eq!(capture.path, path);
        let list = capture
            .headers
            .as_ref()
            .map(|all| all.list("anthropic-beta"));
        assert_eq!(
            list.as_ref()
                .map(|list| list.iter().map(String::as_str).collect()),
            betas
        );
        let messages = capture.raw().get("messages").expect("messages");
        let value = messages
            .as_array()
            .and_then(|mut list| list.next())
            .expect("one");
        let byte = capture.byte(value.offset_in(capture.bytes()) + 1);
        assert!(text[byte..].starts_with('é'), "{text} {byte}");
    }
}

#[test]
fn records_go_on_after_a_broken_one() {
    let text = "{\"a\":1}\n{\"a\":\n  [}\n{\"b\":2}\n{\"c\":";
    let found: Vec<_> = records(text.as_bytes())
        .map(|record| record.map_err(|error| error.code))
        .collect();
    assert!(found[0].is_ok() && found[2].is_ok(), "{found:?}");
    assert_eq!(found[1], Err("json-syntax"));
    assert_eq!(found[3], Err("cut-short"));
    assert_eq!(found.len(), 4);
    for (bytes, code) in [
        (&b" \n"[..], "empty-input"),
        (b"\x1f\x8b\x08", "not-json"),
        (b"{", "cut-short"),
    ] {
        let all: Vec<_> = records(bytes).collect();
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].as_ref().expect_err("broken").code, code);
    }
}
