//! The slow implementation against the examples of the specification and the
//! answers written into the fixtures: who checks the checker.

use crate::common::oracle::{
    Conversation, Encoding, Form, Options, bare_entries, project, read,
};
use crate::common::{fixture, fixtures};
use serde_json::{Value, json};

const USER: Options = Options {
    raw: false,
    addressed_only: false,
    compacted: false,
};
const COMPACTED: Options = Options {
    raw: true,
    addressed_only: false,
    compacted: true,
};

fn conversations(name: &str) -> Vec<Conversation> {
    read(&fixture(&format!("streams/{name}")), false).expect("a known form")
}

fn entries(name: &str) -> Vec<Value> {
    conversations(name)[0].entries(None, false)
}

/// One string per entry: its text, else its content or its kind.
fn texts(entries: &[Value]) -> Vec<String> {
    entries
        .iter()
        .map(|entry| {
            let text = ["message", "reasoning", "content", "arguments", "type"]
                .iter()
                .find_map(|key| entry.get(key))
                .unwrap_or(&Value::Null);
            text.as_str()
                .map_or_else(|| text.to_string(), ToOwned::to_owned)
        })
        .collect()
}

#[test]
fn worked_example_of_the_user_view() {
    let conversation = &conversations("worked-example.json")[0];
    let view = project(&conversation.entries(None, false), USER);
    let expected: Value =
        serde_json::from_slice(&fixture("streams/worked-example-user.json"))
            .expect("JSON");
    assert_eq!(conversation.envelope(view.clone()), expected);
    assert_eq!(project(&view, USER), view, "projecting twice");
}

#[test]
fn calls_are_decoded_in_the_raw_view() {
    let entries = entries("worked-example.json");
    assert_eq!(entries[2]["arguments"], json!({ "message": "Half done." }));
}

#[test]
fn forms_are_told_apart() {
    use Encoding::{Plain, Storage};
    for (name, form, encoding, entries) in [
        ("form-b-nested.json", Form::B, Storage, 5),
        ("form-b-flat.json", Form::B, Storage, 5),
        ("form-c.json", Form::C, Storage, 5),
        ("form-c-compact.json", Form::C, Storage, 5),
        ("form-c-bom.json", Form::C, Storage, 5),
        ("empty.json", Form::C, Storage, 0),
        ("form-d-raw.json", Form::D, Plain, 7),
        ("form-d-user.json", Form::D, Plain, 4),
        ("form-d-empty.json", Form::D, Plain, 0),
        ("form-e.json", Form::E, Storage, 5),
        ("form-e-plain.json", Form::E, Plain, 5),
        ("form-e-leading-delta.json", Form::E, Storage, 6),
        ("form-f.jsonl", Form::F, Storage, 5),
        ("form-f-data-first.jsonl", Form::F, Storage, 5),
        ("form-f-unknown-first.jsonl", Form::F, Storage, 6),
    ] {
        let found = conversations(name);
        assert_eq!(found.len(), 1, "{name}");
        assert_eq!(found[0].form, form, "{name}");
        assert_eq!(found[0].encoding, encoding, "{name}");
        assert_eq!(found[0].stored.len(), entries, "{name}");
    }
    let forms = |name| -> Vec<Form> {
        conversations(name).iter().map(|found| found.form).collect()
    };
    assert_eq!(
        forms("form-g.jsonl"),
        [Form::C, Form::E, Form::D, Form::C, Form::C]
    );
    assert_eq!(forms("form-g-pretty.json"), [Form::C, Form::C, Form::E]);
}

#[test]
fn a_base_from_outside_makes_form_a() {
    let bytes = fixture("streams/form-b-nested.json");
    let found = read(&bytes, true).expect("a known form");
    assert_eq!((found[0].form, found[0].stored.len()), (Form::A, 6));
}

#[test]
fn all_forms_of_one_conversation_have_one_view() {
    let expected = project(&entries("form-c.json"), USER);
    assert_eq!(
        texts(&expected)[1..],
        [
            "List the tests.",
            "cli.rs\nlaws.rs",
            "Two files: cli.rs and laws.rs."
        ]
    );
    for name in [
        "form-b-nested.json",
        "form-b-flat.json",
        "form-d-raw.json",
        "form-d-user.json",
        "form-e.json",
        "form-e-plain.json",
        "form-f.jsonl",
    ] {
        assert_eq!(project(&entries(name), USER), expected, "{name}");
    }
}

#[test]
fn the_flat_base_loses_what_is_not_configuration() {
    let nested = conversations("form-b-nested.json")[0].base.clone();
    let mut flat = conversations("form-b-flat.json")[0].base.clone();
    let flat = flat.as_mut().and_then(Value::as_object_mut).expect("base");
    assert_eq!(flat.shift_remove("inherit"), Some(json!(true)));
    assert_eq!(nested, Some(json!(flat)));
}

#[test]
fn plain_strings_are_not_decoded_again() {
    let entries = entries("form-d-plain-strings.json");
    assert_eq!(entries[2]["arguments"], json!({ "folder": "file" }));
    assert_eq!(entries[3]["content"], "ZmlsZQ==");
}

#[test]
fn audiences_reach_whom_their_text_says() {
    let entries = entries("audiences.json");
    let blocks = entries[3]["content"].as_array().expect("blocks");
    let labels = |audiences: &[&str]| -> Vec<Value> {
        let labelled = |block: &&Value| {
            let text = block["text"].as_str().expect("a text");
            audiences.iter().any(|label| text.ends_with(label))
        };
        blocks.iter().filter(labelled).cloned().collect()
    };
    let view = project(&entries, USER);
    assert_eq!(view[2]["content"], json!(labels(&[": both", ": user"])));
    assert_eq!(view.len(), 4, "results that reach nobody are dropped");
    let addressed = Options {
        addressed_only: true,
        ..USER
    };
    let view = project(&entries, addressed);
    let named = labels(&[": user", "user and assistant: both"]);
    assert_eq!(view[2]["content"], json!(named));
}

#[test]
fn strings_that_are_not_base64_are_kept() {
    let conversation = &conversations("base64-not.json")[0];
    let decoded = conversation.entries(None, false);
    let before = &conversation.stored[2]["arguments"];
    let after = &decoded[2]["arguments"];
    for (label, stored) in before.as_object().expect("arguments") {
        let expected = match label.as_str() {
            "decodes" => "file",
            "a word that decodes" => "~)^",
            "a zero byte" => "\0",
            _ => stored.as_str().expect("a string"),
        };
        assert_eq!(after[label], expected, "{label}");
    }
    assert_eq!(
        decoded[decoded.len() - 2..],
        conversation.stored[decoded.len() - 2..]
    );
}

#[test]
fn the_url_safe_alphabet_is_a_fallback() {
    let conversation = &conversations("base64-url-safe.json")[0];
    let lenient = conversation.entries(None, false);
    assert_eq!(lenient[3]["content"], "a~~b??c>>");
    assert_eq!(lenient[4]["arguments"]["safe"], "x>>y??z~~");
    assert_eq!(lenient[5]["content"], "Pz8_Lw");
    let metadata = &lenient[6]["metadata"];
    assert_eq!(metadata["google_thought_signature"], "sig??>>~~");
    let strict = conversation.entries(None, true);
    assert_eq!(strict[3]["content"], conversation.stored[3]["content"]);
    assert_eq!(strict[4]["arguments"]["plain"], "x>>y??z~~");
}

#[test]
fn metadata_is_decoded_on_events_only_and_once() {
    let conversation = &conversations("metadata.json")[0];
    let decoded = conversation.entries(None, false);
    assert_eq!(
        decoded[1]["metadata"]["list"],
        json!(["one", ["two", { "three": "three" }], null])
    );
    assert_eq!(
        decoded[3]["arguments"]["ZmlsZQ=="],
        json!("keys stay"),
        "keys are never encoded"
    );
    let rendered = decoded[3]["metadata"]["rendered_arguments"].as_str();
    assert!(
        rendered.is_some_and(|text| text.ends_with('=') && !text.contains("fs_read"))
    );
    for at in [6, 7] {
        assert_eq!(decoded[at], conversation.stored[at], "delta-like entries");
    }
}

#[test]
fn each_compaction_policy_changes_its_turns() {
    assert_eq!(
        texts(&project(&entries("compaction.json"), COMPACTED)),
        [
            "turn_start",
            "[Summary of previous conversation]",
            "Two questions were answered.",
            "turn_start",
            "Question 2",
            "{}",
            "[compacted] look: success",
            "Answer 2",
            "turn_start",
            "Question 3",
            "Thought 3",
            "Answer 3",
            "turn_start",
            "Question 4",
            "Thought 4",
            "Answer 4",
            "turn_start",
            "And now?",
            "Go on."
        ]
    );
}

#[test]
fn a_newer_summary_inside_an_older_one_makes_three_runs() {
    let text = |summary| ["turn_start", "[Summary of previous conversation]", summary];
    let view = project(&entries("compaction-nested.json"), COMPACTED);
    let mut expected = text("The older, longer one.").to_vec();
    expected.push("config_delta");
    expected.extend(text("The newer one."));
    expected.extend(text("The older, longer one."));
    assert_eq!(texts(&view), expected);
}

#[test]
fn a_compaction_covers_what_stands_before_it_and_results_of_that() {
    let view = project(&entries("compaction-mid-turn.json"), COMPACTED);
    assert_eq!(
        texts(&view),
        [
            "turn_start",
            "Question 0",
            "Answer 0",
            "turn_start",
            "Two at once.",
            "Kept.",
            "{}",
            "behind",
            "Done."
        ]
    );
}

#[test]
fn the_greatest_instant_wins_then_the_later_in_the_array() {
    let view = project(&entries("compaction-ties.json"), COMPACTED);
    assert_eq!(texts(&view)[2], "Same instant, later in the array.");
}

#[test]
fn reused_ids_pair_first_in_first_out() {
    let strip = json!({ "type": "compaction", "from_turn": 0, "to_turn": 9,
        "tool_calls": { "policy": "strip", "request": true, "response": true } });
    let mut stored = entries("reused-ids.json");
    stored.push(strip);
    let results: Vec<String> = texts(&project(&stored, COMPACTED))
        .into_iter()
        .filter(|text| text.starts_with("[compacted]"))
        .collect();
    assert_eq!(
        results,
        [
            "[compacted] first: success",
            "[compacted] second: success",
            "[compacted] unknown: success",
            "[compacted] third: success",
            "[compacted] unknown: success"
        ]
    );
}

#[test]
fn the_first_fitting_variant_of_a_response_decides() {
    let view = project(&entries("response-variants.json"), USER);
    let kept: Vec<&Value> = view[2..].iter().map(|entry| &entry["data"]).collect();
    assert_eq!(
        kept,
        [
            &json!(1),
            &json!({ "score": 3 }),
            &Value::Null,
            &Value::Null
        ]
    );
}

#[test]
fn malformed_blocks_pass_by_their_annotations() {
    let entries = entries("malformed-blocks.json");
    let blocks = entries[3]["content"].as_array().expect("blocks");
    let view = project(&entries, USER);
    let shown = view[2]["content"].as_array().expect("blocks");
    assert_eq!(shown.len(), blocks.len() - 1);
    assert!(!shown.contains(&blocks[6]), "for the assistant");
    assert_eq!(view.len(), 4, "a result of such blocks alone is dropped");
}

#[test]
fn question_blocks_are_never_in_the_user_view() {
    let view = project(&entries("questions.json"), USER);
    assert_eq!(view.len(), 4);
    assert_eq!(
        view[2]["content"],
        json!([{ "type": "text", "text": "Written." }])
    );
}

#[test]
fn v3_the_outer_audience_of_a_resource_wins_where_it_says_something() {
    let view = project(&entries("resources.json"), USER);
    let text = view[2]["content"].to_string();
    for (words, shown) in [
        ("for the user", true),
        ("for the assistant", false),
        ("outer wins: assistant", false),
        ("inner counts: assistant", false),
    ] {
        assert_eq!(text.contains(words), shown, "{words}");
    }
}

#[test]
fn of_duplicate_keys_the_last_counts() {
    let view = project(&entries("duplicate-keys.json"), USER);
    assert_eq!(
        texts(&view),
        [
            "turn_start",
            "last",
            "[{\"type\":\"text\",\"text\":\"shown\",\"annotations\":{\"audience\":[\"user\"]}}]",
            "null",
            "the last type decides"
        ]
    );
}

#[test]
fn every_stream_has_a_view_that_is_its_own_view() {
    for path in fixtures("streams", "json") {
        let bytes = std::fs::read(&path).expect("a fixture");
        for conversation in read(&bytes, false).expect("a known form") {
            let view = project(&conversation.entries(None, false), USER);
            let name = path.display();
            assert_eq!(project(&view, USER), view, "{name}");
            let bare = bare_entries(conversation.stored.clone());
            let encoding = Some(conversation.encoding);
            let same = project(&bare.entries(encoding, false), USER);
            assert_eq!(same, view, "{name} as form F");
        }
    }
}

#[test]
fn a_result_behind_the_compaction_of_its_call_opens_no_run() {
    let view = project(&entries("compaction-late-result.json"), COMPACTED);
    let texts = texts(&view);
    let summaries: Vec<&String> = texts.iter().skip(2).step_by(3).collect();
    assert_eq!(
        summaries,
        ["The older one.", "The newer one.", "The older one."]
    );
    assert_eq!(texts.len(), 9);
}
