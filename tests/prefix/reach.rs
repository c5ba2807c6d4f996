//! What is never a loss, and what is lost although nothing differs: reach, age,
//! length, what a request clears or strips (`docs/lint.md#sources`, `docs/prefix.md#kinds-of-cache`).

use super::levels::{base, next, verdict};
use super::{Setting, found, levels, pair, pair_bytes, places};
use convo::model::Platform;
use convo::prefix::{Reason, Verdict};
use serde_json::{Value, json};

#[test]
fn a_cleared_message_left_in_place_is_no_loss() {
    let remind =
        json!({"role": "system", "clear_at": "next_user_message", "content": "x"});
    let mut a = base();
    a["messages"]
        .as_array_mut()
        .expect("messages")
        .push(remind.clone());
    let mut b = next();
    b["messages"]
        .as_array_mut()
        .expect("messages")
        .insert(3, remind);
    let report = pair(&a, &b, &Setting::default());
    assert_eq!(
        (report.verdict, levels(&report)),
        (Verdict::Hit, "k/k/k".to_owned())
    );
    assert_eq!(found(&report, "diff-cleared"), Some("note"));
    let mut reworded = b.clone();
    reworded["messages"][3]["content"] = json!("y");
    let report = pair(&a, &reworded, &Setting::default());
    assert_eq!(report.reason, Some(Reason::Messages));
    assert_eq!(places(&report)[0].3, "diff-directive-moved");
}

#[test]
fn a_rewind_is_shorter_and_no_loss() {
    let mut b = next();
    b["messages"].as_array_mut().expect("messages").truncate(3);
    let report = pair(&next(), &b, &Setting::default());
    assert_eq!(report.verdict, Verdict::Shorter);
    assert_eq!(report.lost.bytes, 0);
    assert_eq!(places(&report), []);
}

#[test]
fn reach_age_and_markers() {
    // The marker stays behind: what was written further on is out of reach.
    let mut b = next();
    let last = b["messages"][4]["content"][0]
        .as_object_mut()
        .expect("a block");
    last.shift_remove("cache_control");
    let report = pair(&base(), &b, &Setting::default());
    assert_eq!(report.verdict, Verdict::Partial);
    assert_eq!(found(&report, "diff-breakpoint-lost"), Some("warning"));
    // Twenty positions from breakpoint to entry: 19 in between are too many by one.
    for (blocks, expected) in [(19, Verdict::Hit), (20, Verdict::Miss)] {
        let mark = json!({"type": "ephemeral"});
        let text = |n: usize| json!({"type": "text", "text": format!("t{n}")});
        let mut list: Vec<Value> = (0..=blocks).map(text).collect();
        list[blocks]["cache_control"] = mark.clone();
        let b =
            json!({"max_tokens": 1, "messages": [{"role": "user", "content": list}]});
        let mut first = text(0);
        first["cache_control"] = mark;
        let a = json!({"max_tokens": 1, "messages": [{"role": "user", "content": [first]}]});
        assert_eq!(verdict(&a, &b).0, expected, "{blocks}");
    }
    let setting = Setting {
        gap: Some(301),
        ..Setting::default()
    };
    let report = pair(&base(), &next(), &setting);
    assert_eq!(report.verdict, Verdict::Miss);
    assert_eq!(levels(&report), "k/k/k");
    assert_eq!(found(&report, "diff-ttl"), Some("warning"));
    let mut hour = base();
    hour["messages"][2]["content"][0]["cache_control"]["ttl"] = json!("1h");
    assert_eq!(pair(&hour, &next(), &setting).verdict, Verdict::Hit);
    // Automatic caching ends an entry at the last block.
    let (mut a, mut b) = (base(), next());
    for one in [&mut a, &mut b] {
        one["cache_control"] = json!({"type": "ephemeral"});
    }
    assert_eq!(verdict(&a, &b).0, Verdict::Hit);
    // The second marks nothing, so it reads nothing.
    let mut b = next();
    let text = b
        .to_string()
        .replace(r#","cache_control":{"type":"ephemeral"}"#, "");
    b = serde_json::from_str(&text).expect("JSON");
    let report = pair(&base(), &b, &Setting::default());
    assert_eq!(report.verdict, Verdict::Uncached);
    assert_eq!(levels(&report), "k/k/k");
    assert_eq!(found(&report, "diff-breakpoint-lost"), Some("warning"));
}

#[test]
fn other_hosts_and_other_lengths() {
    let setting = Setting {
        platform: Platform::GoogleCloud,
        ..Setting::default()
    };
    assert_eq!(pair(&base(), &next(), &setting).verdict, Verdict::Hit);
    let table = Setting {
        least: None,
        ..Setting::default()
    };
    let report = pair(&base(), &next(), &table);
    assert_eq!(report.verdict, Verdict::Uncached);
    assert_eq!(found(&report, "diff-minimum"), Some("warning"));
    let mut long = base();
    long["system"][0]["text"] = json!("word ".repeat(2000));
    let mut b = next();
    b["system"] = long["system"].clone();
    assert_eq!(found(&pair(&long, &b, &table), "diff-minimum"), None);
}

#[test]
fn older_models_lose_thinking_when_the_user_speaks() {
    let think = json!({"type": "thinking", "thinking": "t", "signature": "s"});
    let call = json!({"type": "tool_use", "id": "t1", "name": "a", "input": {}});
    let result = json!({"type": "tool_result", "tool_use_id": "t1", "content": "r",
        "cache_control": {"type": "ephemeral"}});
    let a = json!({"max_tokens": 1, "messages": [{"role": "user", "content": "M1"},
        {"role": "assistant", "content": [think, call]},
        {"role": "user", "content": [result]}]});
    let mut b = a.clone();
    let list = b["messages"].as_array_mut().expect("messages");
    list.push(json!({"role": "assistant", "content": "R"}));
    list.push(
        json!({"role": "user", "content": [{"type": "text", "text": "M2",
        "cache_control": {"type": "ephemeral"}}]}),
    );
    let old = pair(&a, &b, &Setting::model("claude-sonnet-4-5"));
    assert_eq!(levels(&old), "e/e/p");
    assert_eq!(found(&old, "diff-thinking-stripped"), Some("warning"));
    assert_eq!(
        pair(&a, &b, &Setting::model("claude-opus-5")).verdict,
        Verdict::Hit
    );
}

#[test]
fn white_space_between_tokens_is_no_loss_and_bytes_are_those_of_the_file() {
    let a = base().to_string();
    let pretty = serde_json::to_string_pretty(&next()).expect("JSON");
    let report = pair_bytes(a.as_bytes(), pretty.as_bytes(), &Setting::default());
    assert_eq!(report.verdict, Verdict::Hit);
    let edited = pretty.replace("\"R1\"", "\"Rx\"");
    let report = pair_bytes(a.as_bytes(), edited.as_bytes(), &Setting::default());
    let one = &report.divergences[0];
    assert!(a[one.byte_a..].starts_with("1\""), "{one:?}");
    assert!(edited[one.byte_b..].starts_with("x\""), "{one:?}");
    assert_eq!(one.offset, Some(1));
}
