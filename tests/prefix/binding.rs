//! The binding pass (`docs/prefix.md#binding`): by
//! value, whatever the cache loses.

use super::{Setting, found, pair, series, states};
use convo::prefix::{Account, Outcome};
use serde_json::{Value, json};

fn say(text: &str) -> Value {
    json!({"role": "user", "content": [{"type": "text", "text": text}]})
}

fn think(seal: &str) -> Value {
    json!({"type": "thinking", "thinking": format!("about {seal}"), "signature": seal})
}

fn answer(seal: &str) -> Value {
    json!({"role": "assistant", "content": [think(seal),
        {"type": "text", "text": format!("R{seal}")}]})
}

fn body(messages: &[Value]) -> Value {
    json!({"max_tokens": 1, "system": "S",
        "tools": [{"name": "a", "input_schema": {"type": "object"}}],
        "messages": messages})
}

/// Three answered turns and a new question.
fn three() -> Value {
    body(&[
        say("M1"),
        answer("1"),
        say("M2"),
        answer("2"),
        say("M3"),
        answer("3"),
        say("M4"),
    ])
}

fn strict() -> Setting {
    Setting::model("claude-fable-5-2")
}

fn edited(edit: impl Fn(&mut Value)) -> Value {
    let mut body = three();
    edit(&mut body);
    body
}

/// Takes the thinking out of the answers named.
fn without(turns: &[usize]) -> Value {
    edited(|body| {
        for turn in turns {
            let list = body["messages"][2 * turn - 1]["content"].as_array_mut();
            list.expect("blocks").remove(0);
        }
    })
}

#[test]
fn what_is_outside_the_check_fails_nothing() {
    for (key, value) in [
        ("tool_choice", json!({"type": "none"})),
        ("max_tokens", json!(9)),
        ("output_config", json!({"effort": "low"})),
        ("metadata", json!({"user_id": "x"})),
        (
            "thinking",
            json!({"type": "adaptive", "display": "omitted"}),
        ),
        ("cache_control", json!({"type": "ephemeral"})),
    ] {
        let b = edited(|body| body[key] = value.clone());
        let report = pair(&three(), &b, &strict());
        assert_eq!(states(&report), ["valid"; 3], "{key}");
        assert_eq!(report.binding.outcome, Outcome::Accepted, "{key}");
    }
    let b = edited(|body| {
        let mark = json!({"type": "ephemeral"});
        body["tools"][0]["cache_control"] = mark.clone();
        body["messages"][2]["content"][0]["cache_control"] = mark;
    });
    assert_eq!(states(&pair(&three(), &b, &strict())), ["valid"; 3]);
}

#[test]
fn an_edit_fails_the_blocks_behind_it_alone() {
    let b = edited(|body| body["messages"][2]["content"][0]["text"] = json!("M2!"));
    let report = pair(&three(), &b, &strict());
    assert_eq!(
        states(&report),
        ["valid", "invalid_prefix", "invalid_prefix"]
    );
    assert_eq!(
        report.binding.first.as_deref(),
        Some("/messages/3/content/0")
    );
    let cause = report.binding.blocks[1].cause.as_deref();
    assert_eq!(cause, Some("/messages/2/content/0/text"));
    for edit in [
        (&|body: &mut Value| body["tools"][0]["description"] = json!("d"))
            as &dyn Fn(&mut Value),
        &|body| body["tools"][0]["name"] = json!("b"),
        &|body| body["system"] = json!("S!"),
        &|body| {
            body["system"] =
                json!([{"type": "text", "text": "S"}, {"type": "text", "text": "T"}]);
        },
    ] {
        let b = edited(edit);
        assert_eq!(
            states(&pair(&three(), &b, &strict())),
            ["invalid_prefix"; 3],
            "{b}"
        );
    }
}

#[test]
fn the_chain_may_lose_its_front_its_end_or_all() {
    let setting = strict();
    for (gone, expected) in [
        (&[][..], &["valid", "valid", "valid"][..]),
        (&[1], &["valid", "valid"]),
        (&[1, 2], &["valid"]),
        (&[3], &["valid", "valid"]),
        (&[2, 3], &["valid"]),
        (&[1, 2, 3], &[]),
        (&[2], &["valid", "invalid_chain"]),
        (&[1, 3], &["valid"]),
    ] {
        let report = pair(&three(), &without(gone), &setting);
        assert_eq!(states(&report), expected, "{gone:?}");
    }
    let report = pair(&three(), &without(&[2]), &setting);
    assert_eq!(report.binding.outcome, Outcome::Rejected);
    let block = &report.binding.blocks[1];
    assert_eq!(block.cause.as_deref(), Some("/messages/3/content/0"));
    let hint = report.binding.hint.as_deref().expect("a hint");
    assert!(hint.contains("whole and in order"), "{hint}");
    // Two that changed places.
    let b = edited(|body| {
        body["messages"][1]["content"][0] = think("2");
        body["messages"][3]["content"][0] = think("1");
    });
    let states = states_of(&three(), &b);
    assert!(
        states.iter().any(|state| state.starts_with("invalid")),
        "{states:?}"
    );
}

fn states_of(a: &Value, b: &Value) -> Vec<&'static str> {
    states(&pair(a, b, &strict()))
}

#[test]
fn a_block_put_back_fails_those_made_meanwhile() {
    let first = body(&[say("M1"), answer("1"), say("M2")]);
    // Its thinking is left out while the second answer is made...
    let mut second = body(&[say("M1"), answer("1"), say("M2"), answer("2"), say("M3")]);
    let gone = second["messages"][1]["content"]
        .as_array_mut()
        .expect("blocks");
    gone.remove(0);
    let mut middle = body(&[say("M1"), answer("1"), say("M2")]);
    middle["messages"][1]["content"]
        .as_array_mut()
        .expect("blocks")
        .remove(0);
    // ... and comes back.
    let third = body(&[say("M1"), answer("1"), say("M2"), answer("2"), say("M3")]);
    let run: Vec<Vec<u8>> = [first, middle, second, third]
        .iter()
        .map(|one| one.to_string().into_bytes())
        .collect();
    let reports = series(&run, &strict());
    assert_eq!(states(&reports[1]), ["valid"]);
    assert_eq!(states(&reports[2]), ["valid", "invalid_chain"]);
}

#[test]
fn a_block_without_a_usable_signature_is_always_refused() {
    for edit in [
        (&|body: &mut Value| body["messages"][3]["content"][0]["signature"] = json!(""))
            as &dyn Fn(&mut Value),
        &|body| {
            let block = body["messages"][3]["content"][0].as_object_mut();
            block.expect("a block").shift_remove("signature");
        },
    ] {
        for model in ["claude-fable-5-2", "claude-opus-5"] {
            let report = pair(&three(), &edited(edit), &Setting::model(model));
            assert_eq!(states(&report)[1], "invalid_signature");
            assert_eq!(report.binding.outcome, Outcome::Rejected, "{model}");
        }
    }
    let long = "c2lnbmF0dXJl";
    let with = |seal: &str| body(&[say("M1"), answer(seal), say("M2")]);
    let report = pair(&with(long), &with(&long[..8]), &strict());
    assert_eq!(states(&report), ["invalid_signature"], "cut short");
}

#[test]
fn visible_thinking_that_changes_is_a_divergence_and_uncertain() {
    let b =
        edited(|body| body["messages"][1]["content"][0]["thinking"] = json!("other"));
    let report = pair(&three(), &b, &strict());
    assert_eq!(states(&report), ["uncertain", "valid", "valid"]);
    assert_eq!(report.binding.outcome, Outcome::Uncertain);
    assert_eq!(report.divergences[0].path, "/messages/1/content/0/thinking");
    assert_eq!(found(&report, "diff-thinking-text"), Some("note"));
}

#[test]
fn what_no_publication_decides_is_uncertain() {
    let two = |tools: Value| edited(|body| body["tools"] = tools.clone());
    let tool = |name: &str| json!({"name": name, "input_schema": {"type": "object"}});
    let a = two(json!([tool("a"), tool("b")]));
    let b = two(json!([tool("b"), tool("a")]));
    assert_eq!(states_of(&a, &b), ["uncertain"; 3]);
    let b = edited(|body| body["messages"][0]["content"] = json!("M1"));
    assert_eq!(
        states_of(&three(), &b),
        ["uncertain"; 3],
        "a string for a block"
    );
    let with = |url: &str| {
        edited(|body| {
            let image = json!({"type": "image", "source": {"type": "url", "url": url}});
            body["messages"][0]["content"]
                .as_array_mut()
                .expect("blocks")
                .push(image);
        })
    };
    assert_eq!(
        states_of(&with("http://x/?a"), &with("http://x/?b")),
        ["uncertain"; 3]
    );
}

#[test]
fn deferred_tools_are_invisible_until_referred_to() {
    let with = |description: &str, refer: bool| {
        edited(|body| {
            let tool = json!({"name": "d", "description": description,
                "input_schema": {"type": "object"}, "defer_loading": true});
            body["tools"].as_array_mut().expect("tools").push(tool);
            if refer {
                let add = json!({"role": "system", "content": [{"type": "tool_addition",
                    "tool": {"type": "tool_reference", "name": "d"}}]});
                body["messages"]
                    .as_array_mut()
                    .expect("messages")
                    .insert(3, add);
            }
        })
    };
    assert_eq!(
        states_of(&three(), &with("x", false)),
        ["valid"; 3],
        "appended"
    );
    assert_eq!(
        states_of(&with("x", false), &with("y", false)),
        ["valid"; 3]
    );
    let behind = ["valid", "invalid_prefix", "invalid_prefix"];
    assert_eq!(states_of(&with("x", true), &with("y", true)), behind);
    let plain = edited(|body| {
        let tool = json!({"name": "d", "description": "x", "input_schema": {"type": "object"}});
        body["tools"].as_array_mut().expect("tools").push(tool);
    });
    assert_eq!(
        states_of(&with("x", false), &plain),
        ["invalid_prefix"; 3],
        "the flag cleared"
    );
}

#[test]
fn another_model_drops_what_it_cannot_read() {
    let with = |model: &str| edited(|body| body["model"] = json!(model));
    let report = pair(
        &with("claude-fable-5-2"),
        &with("claude-opus-5-5"),
        &Setting::default(),
    );
    assert_eq!(states(&report), ["dropped_model"; 3]);
    assert_eq!(report.binding.outcome, Outcome::Dropped);
    let report = pair(
        &with("claude-opus-5-5"),
        &with("claude-sonnet-5"),
        &Setting::default(),
    );
    assert_eq!(report.binding.outcome, Outcome::Dropped);
    let report = pair(
        &with("claude-fable-5-1"),
        &with("claude-mythos-5-1"),
        &Setting::default(),
    );
    assert_eq!(states(&report), ["valid"; 3]);
}

#[test]
fn a_summary_by_the_service_starts_the_checked_prefix() {
    let compacted = |text: &str| {
        body(&[
            json!({"role": "assistant", "content": [{"type": "compaction", "content": text}]}),
            say("M2"),
            answer("2"),
            say("M3"),
        ])
    };
    let a = compacted("sum");
    let mut longer = compacted("sum");
    let list = longer["messages"].as_array_mut().expect("messages");
    list.insert(0, say("M0"));
    assert_eq!(states_of(&a, &longer), ["valid"], "cut before the summary");
    assert_eq!(states_of(&a, &compacted("other")), ["invalid_prefix"]);
    let before = body(&[say("M1"), say("M2"), answer("2"), say("M3")]);
    assert_eq!(
        states_of(&before, &a),
        ["uncertain"],
        "the request between is not known"
    );
}

#[test]
fn the_field_decides_whatever_the_account() {
    let with = |behaviour: &str| {
        edited(|body| {
            body["system"] = json!("S!");
            body["thinking"] = json!({"type": "adaptive",
                "block_binding": {"prefix_mismatch_behavior": behaviour}});
        })
    };
    let old = Setting::model("claude-opus-5-5").account(Account::Old);
    let report = pair(&three(), &with("error"), &old);
    assert_eq!(report.binding.outcome, Outcome::Rejected);
    let report = pair(&three(), &with("drop_block"), &old);
    assert_eq!(report.binding.outcome, Outcome::Dropped);
    assert_eq!(report.binding.dropped, Some((3, 3)));
    let report = pair(&three(), &with("error"), &Setting::model("claude-opus-5"));
    assert_eq!(report.binding.outcome, Outcome::NotChecked);
    // A gap in the chain: the rest of that turn, or all that follows.
    let mut gap = without(&[1]);
    gap["messages"][2]["content"][0]["text"] = json!("M2!");
    gap["thinking"] = json!({"type": "adaptive",
        "block_binding": {"prefix_mismatch_behavior": "drop_block"}});
    let report = pair(&three(), &gap, &old);
    assert_eq!(report.binding.dropped, Some((2, 2)));
}

#[test]
fn a_long_chain_is_judged_in_linear_time() {
    let mut messages = Vec::new();
    for turn in 0..4000 {
        messages.push(say(&format!("M{turn}")));
        messages.push(answer(&turn.to_string()));
    }
    messages.push(say("end"));
    let a = body(&messages);
    messages.remove(0);
    let report = pair(&a, &body(&messages), &strict());
    assert_eq!(states(&report).len(), 4000);
    assert_eq!(states(&report)[3999], "invalid_prefix");
}
