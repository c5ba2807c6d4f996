//! The provider view of a tool response (`docs/formats.md#provider-view`), row by row.

use convo::block::{Content, Decoder, Encoding};
use convo::config::escaped::unescape;
use convo::event::Event;
use convo::json::Raw;
use convo::view::provider::write_result;
use serde_json::{Value, json};

fn view(content: &Value, is_error: bool, encoding: Encoding) -> (String, usize) {
    let entry = json!({"type": "tool_call_response", "id": "x", "content": content});
    let text = entry.to_string();
    let event =
        Event::read(Raw::parse(text.as_bytes()).expect("JSON")).expect("an entry");
    let (mut out, mut told) = (Vec::new(), Vec::new());
    let mut decoder = Decoder::new(encoding, false);
    write_result(
        &mut out,
        Content::of(&event),
        is_error,
        0,
        &mut decoder,
        &mut told,
    );
    (unescape(&out), told.len())
}

fn blocks(blocks: &Value) -> String {
    view(blocks, false, Encoding::Storage).0
}

fn resource(resource: &Value) -> String {
    blocks(&json!([{"type": "resource", "resource": resource}]))
}

#[test]
fn the_string_form_is_decoded_and_may_be_empty() {
    assert_eq!(
        view(&json!("Zm4gbWFpbigpIHt9"), false, Encoding::Storage).0,
        "fn main() {}"
    );
    assert_eq!(
        view(&json!("Zm4gbWFpbigpIHt9"), false, Encoding::Plain).0,
        "Zm4gbWFpbigpIHt9"
    );
    assert_eq!(view(&json!(""), true, Encoding::Storage).0, "");
}

#[test]
fn blocks_are_joined_by_an_empty_line_and_never_decoded() {
    let text = |text: &str| json!({"type": "text", "text": text});
    assert_eq!(
        blocks(&json!([text("Zm4="), text("b\n"), text("")])),
        "Zm4=\n\nb\n\n\n"
    );
}

#[test]
fn resources_become_fences() {
    let with = |mime: &str, text: &str| {
        resource(&json!({"uri": "u", "mimeType": mime, "text": text}))
    };
    assert_eq!(
        with("text/rust", "fn main() {}"),
        "```rs\nfn main() {}\n```"
    );
    assert_eq!(with("TEXT/X-RUST; charset=x", "a\n"), "```rs\na\n```");
    assert_eq!(with("text/plain", "a ``` b"), "````\na ``` b\n````");
    assert_eq!(with("application/yaml", ""), "```yaml\n\n```");
    assert_eq!(with("text/x-c++", "x\\n"), "```cpp\nx\\n\n```");
    assert_eq!(
        resource(&json!({"uri": "u", "text": "````"})),
        "`````\n````\n`````"
    );
}

#[test]
fn formatted_text_goes_as_it_is_and_the_outer_one_wins() {
    let inner = json!({"uri": "u", "text": "t", "formatted": "inner"});
    assert_eq!(resource(&inner), "inner");
    let both = json!([{"type": "resource", "resource": inner, "formatted": "outer"}]);
    assert_eq!(blocks(&both), "outer");
}

#[test]
fn blobs_are_named_not_sent() {
    let blob = json!({"uri": "file:///a", "mimeType": "image/png", "blob": "AAEC"});
    assert_eq!(
        resource(&blob),
        "[binary resource file:///a (image/png, 3 bytes)]"
    );
    let bare = json!({"uri": "file:///a", "blob": "AA=="});
    assert_eq!(resource(&bare), "[binary resource file:///a (1 bytes)]");
}

#[test]
fn the_filter_looks_at_audiences() {
    let to = |audience: Value| {
        json!({"type": "text", "text": "x",
        "annotations": {"audience": audience}})
    };
    for (audience, shown) in [
        (json!(["assistant"]), true),
        (json!(["user"]), false),
        (json!(["user", "assistant"]), true),
        (json!([]), true),
        (json!(null), true),
        (json!("assistant"), true),
        (json!("user"), false),
        (json!(["developer"]), false),
        (json!(7), true),
    ] {
        let found = blocks(&json!([to(audience.clone())]));
        assert_eq!(found == "x", shown, "{audience}");
    }
    let inner = json!({"uri": "u", "text": "t", "annotations": {"audience": ["user"]}});
    assert_eq!(resource(&inner), "Tool executed successfully.");
}

#[test]
fn placeholders_stand_for_what_is_filtered_away() {
    let question = json!([{"type": "question", "question": {"id": "q"}}]);
    assert_eq!(
        view(&question, false, Encoding::Plain),
        ("Tool executed successfully.".into(), 0)
    );
    assert_eq!(
        view(&json!([]), true, Encoding::Plain),
        ("Tool failed.".into(), 0)
    );
    let odd = json!([{"type": "image"}, {"type": "text"}, 7,
        {"type": "resource", "resource": {"uri": "u"}}]);
    assert_eq!(
        view(&odd, true, Encoding::Plain),
        ("Tool failed.".into(), 4)
    );
}
