//! The provider view in each body: audience, placeholders, the error state.

use super::*;

/// The text of the only result, with the word for its state.
fn shown(provider: Provider, content: &Value, is_error: bool, mode: Mode) -> String {
    let response = json!({"type": "tool_call_response", "id": "t1", "content": content,
        "is_error": is_error});
    let events = json!([ask("go"), call("t1"), response]);
    let mut asked = Ask::new(provider, &events);
    asked.mode = mode;
    let last = asked.said().pop().expect("a result");
    last.replacen(" t1", "", 1)
}

fn to(audience: &str, text: &str) -> Value {
    json!({"type": "text", "text": text, "annotations": {"audience": [audience]}})
}

#[test]
fn entry_14_only_what_is_for_the_assistant_is_sent() {
    let (user, own) = (
        to("user", "Report for you"),
        to("assistant", "stored as id 7"),
    );
    for provider in Provider::ALL {
        for blocks in [json!([user, own]), json!([own, user])] {
            let found = shown(provider, &blocks, false, Mode::Convo);
            assert_eq!(found, "result \"stored as id 7\"", "{provider:?}");
        }
    }
}

#[test]
fn placeholders_stand_for_what_nobody_shows_the_model() {
    let blocks = json!([to("user", "Report for you")]);
    for provider in Provider::ALL {
        for nothing in [&blocks, &json!([])] {
            let found = shown(provider, nothing, false, Mode::Convo);
            assert_eq!(found, "result \"Tool executed successfully.\"");
            let found = shown(provider, nothing, true, Mode::Convo);
            let words: Vec<_> = found.splitn(2, ' ').collect();
            assert_eq!(words[1], "\"Tool failed.\"", "{provider:?}");
        }
        // An empty text is a text.
        assert_eq!(
            shown(provider, &json!(""), false, Mode::Convo),
            "result \"\""
        );
    }
}

#[test]
fn a_failure_is_told_as_each_provider_can() {
    for provider in OTHERS {
        let expected = match provider {
            Provider::Google => "failed \"no such file\"",
            _ => "result \"Error: no such file\"",
        };
        let text = json!("no such file");
        assert_eq!(
            shown(provider, &text, true, Mode::Convo),
            expected,
            "{provider:?}"
        );
        // The other program forgets that the call failed.
        let plain = "result \"no such file\"";
        assert_eq!(
            shown(provider, &text, true, Mode::Jp),
            plain,
            "{provider:?}"
        );
        let words = json!("error: disk full");
        let found = shown(provider, &words, true, Mode::Convo);
        assert!(found.ends_with(" \"error: disk full\""), "{found}");
        let events = json!([ask("go"), call("t1"), failed("t1", "no such file")]);
        let told = Ask::new(provider, &events).told().1;
        let says = told.contains(&"error-in-text");
        assert_eq!(says, provider != Provider::Google, "{provider:?}");
    }
    assert_eq!(
        shown(Provider::Anthropic, &json!("x"), true, Mode::Convo),
        "failed \"x\""
    );
}

#[test]
fn blocks_are_joined_and_what_nobody_knows_is_told() {
    let blocks = json!([{"type": "text", "text": "a"}, {"type": "hologram", "data": ""},
        {"type": "resource", "resource": {"uri": "u", "text": "b"}}]);
    for provider in Provider::ALL {
        let found = shown(provider, &blocks, false, Mode::Convo);
        assert_eq!(found, "result \"a\\n\\n```\\nb\\n```\"", "{provider:?}");
        let response = json!({"type": "tool_call_response", "id": "t1",
            "content": blocks});
        let events = json!([ask("go"), call("t1"), response]);
        let told = Ask::new(provider, &events).told().1;
        assert!(told.contains(&"block-left-out"), "{provider:?}");
    }
}
