//! The invalidation table (`docs/prefix.md#kinds-of-cache`) and the pair
//! rules, one by one; what is never a loss.

use super::{Setting, found, levels, pair, places};
use convo::prefix::{Reason, Verdict};
use serde_json::{Value, json};

pub(super) fn base() -> Value {
    let mark = json!({"type": "ephemeral"});
    json!({"model": "claude-opus-5", "max_tokens": 1,
        "tools": [{"name": "a", "input_schema": {"type": "object"}, "cache_control": mark},
            {"name": "b", "description": "d", "input_schema": {"type": "object"}}],
        "system": [{"type": "text", "text": "S", "cache_control": mark}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "M1"}]},
            {"role": "assistant", "content": [{"type": "text", "text": "R1"}]},
            {"role": "user", "content": [{"type": "text", "text": "M2",
                "cache_control": mark}]}]})
}

/// The base with one more turn, the marker moved to its end.
pub(super) fn next() -> Value {
    let mut body = base();
    let mark = body["messages"][2]["content"][0]
        .as_object_mut()
        .and_then(|block| block.shift_remove("cache_control"));
    let list = body["messages"].as_array_mut().expect("messages");
    list.push(
        json!({"role": "assistant", "content": [{"type": "text", "text": "R2"}]}),
    );
    list.push(
        json!({"role": "user", "content": [{"type": "text", "text": "M3",
        "cache_control": mark}]}),
    );
    body
}

pub(super) fn verdict(a: &Value, b: &Value) -> (Verdict, String) {
    let report = pair(a, b, &Setting::default());
    (report.verdict, levels(&report))
}

#[test]
fn parameters_cost_what_the_table_says() {
    use Verdict::{Hit, Miss, Partial, Unknown};
    for (key, value, expected, state, rule) in [
        (
            "model",
            json!("claude-opus-4-8"),
            Miss,
            "l/l/l",
            "diff-model",
        ),
        (
            "tool_choice",
            json!({"type": "none"}),
            Partial,
            "k/k/l",
            "diff-tool-choice",
        ),
        ("tool_choice", json!({"type": "auto"}), Hit, "k/k/k", ""),
        (
            "tool_choice",
            json!({"type": "auto", "disable_parallel_tool_use": true}),
            Partial,
            "k/k/l",
            "diff-tool-choice",
        ),
        (
            "thinking",
            json!({"type": "adaptive"}),
            Partial,
            "k/k/l",
            "diff-thinking",
        ),
        ("thinking", json!({"type": "disabled"}), Hit, "k/k/k", ""),
        (
            "output_config",
            json!({"effort": "low"}),
            Partial,
            "k/k/l",
            "diff-effort",
        ),
        ("output_config", json!({"effort": "high"}), Hit, "k/k/k", ""),
        ("speed", json!("fast"), Partial, "k/l/l", "diff-speed"),
        ("speed", json!("standard"), Hit, "k/k/k", ""),
        (
            "output_config",
            json!({"format": {"type": "json_schema", "schema": {}}}),
            Unknown,
            "k/k/k",
            "diff-output-format",
        ),
        (
            "context_management",
            json!({"edits": []}),
            Unknown,
            "k/k/k",
            "diff-context-management",
        ),
        ("metadata", json!({"user_id": "u"}), Hit, "k/k/k", ""),
        ("stream", json!(true), Hit, "k/k/k", ""),
        ("max_tokens", json!(9), Hit, "k/k/k", ""),
        ("stop_sequences", json!(["x"]), Hit, "k/k/k", ""),
        (
            "diagnostics",
            json!({"previous_message_id": "m"}),
            Hit,
            "k/k/k",
            "",
        ),
    ] {
        let mut b = next();
        b[key] = value.clone();
        let report = pair(&base(), &b, &Setting::default());
        let seen = (report.verdict, levels(&report));
        assert_eq!(seen, (expected, state.to_owned()), "{key} {value}");
        assert_eq!(report.divergences.len(), 0);
        if !rule.is_empty() {
            assert_eq!(found(&report, rule), Some("warning"), "{key}");
            let reason = if rule == "diff-model" {
                Reason::Model
            } else {
                Reason::Unavailable
            };
            assert_eq!(report.reason, Some(reason));
        }
    }
}

#[test]
fn betas_that_change_are_of_unknown_effect() {
    let with = |body: Value, beta: &str| json!({"headers": {"anthropic-beta": beta}, "body": body});
    let report = pair(
        &with(base(), "x"),
        &with(next(), "x, y"),
        &Setting::default(),
    );
    assert_eq!(report.verdict, Verdict::Unknown);
    assert_eq!(report.reason, Some(Reason::Unavailable));
    assert_eq!(found(&report, "diff-betas"), Some("warning"));
    let report = pair(
        &with(base(), "x,y"),
        &with(next(), "y , x"),
        &Setting::default(),
    );
    assert_eq!(report.verdict, Verdict::Hit);
    let report = pair(&base(), &with(next(), "x"), &Setting::default());
    assert_eq!(
        report.verdict,
        Verdict::Hit,
        "nobody said which the first had"
    );
}

#[test]
fn tools_cost_by_what_became_of_them() {
    let tool = |name: &str| json!({"name": name, "input_schema": {"type": "object"}});
    let search = json!({"type": "web_search_20260318", "name": "web_search"});
    let change = |edit: &dyn Fn(&mut Vec<Value>)| {
        let mut b = next();
        edit(b["tools"].as_array_mut().expect("tools"));
        b
    };
    type Edit<'e> = &'e dyn Fn(&mut Vec<Value>);
    let edits: [(Edit<'_>, &str, &str, &str, &str); 7] = [
        (
            &|list| list.push(tool("c")),
            "/tools/2",
            "added",
            "diff-tools-set",
            "l/l/l",
        ),
        (
            &|list| {
                list.pop();
            },
            "/tools/1",
            "truncated",
            "diff-tools-set",
            "l/l/l",
        ),
        (
            &|list| list[1]["defer_loading"] = json!(true),
            "/tools/1",
            "toggle",
            "diff-tools-defer-flip",
            "l/l/l",
        ),
        (
            &|list| list[1]["strict"] = json!(true),
            "/tools/1/strict",
            "added",
            "diff-tools-definition",
            "l/l/l",
        ),
        (
            &|list| list[1]["name"] = json!("bb"),
            "/tools/1/name",
            "edited",
            "diff-tools-set",
            "l/l/l",
        ),
        (
            &|list| list.push(search.clone()),
            "/tools/2",
            "toggle",
            "diff-server-tool-toggle",
            "k/l/l",
        ),
        (
            &|list| list[1]["input_schema"] = json!({"type": "object", "required": []}),
            "/tools/1/input_schema/required",
            "added",
            "diff-tools-definition",
            "l/l/l",
        ),
    ];
    for (edit, path, cause, rule, state) in edits {
        let report = pair(&base(), &change(edit), &Setting::default());
        let (at, _, why, by) = places(&report)[0];
        assert_eq!((at, why, by), (path, cause, rule));
        assert_eq!(levels(&report), state, "{rule}");
        assert_eq!(report.reason, Some(Reason::Tools));
        // The first tool's own entry survives.
        assert_eq!(report.verdict, Verdict::Partial, "{rule}");
    }
    // A deferred tool that is written out as what it is by default.
    let plain = change(&|list| list[1]["defer_loading"] = json!(false));
    assert_eq!(verdict(&base(), &plain), (Verdict::Hit, "k/k/k".to_owned()));
}

#[test]
fn a_deferred_tool_counts_once_a_shared_message_refers_to_it() {
    let deferred = json!({"name": "d", "description": "one", "defer_loading": true,
        "input_schema": {"type": "object"}});
    let add = json!({"role": "system", "content": [{"type": "tool_addition",
        "tool": {"type": "tool_reference", "name": "d"}}]});
    let with = |mut body: Value, referred: bool, text: &str| {
        let mut tool = deferred.clone();
        tool["description"] = json!(text);
        body["tools"].as_array_mut().expect("tools").push(tool);
        if referred {
            body["messages"]
                .as_array_mut()
                .expect("messages")
                .insert(1, add.clone());
        }
        body
    };
    let a = with(base(), false, "one");
    let report = pair(&a, &with(next(), false, "two"), &Setting::default());
    assert_eq!(report.verdict, Verdict::Hit);
    assert_eq!(found(&report, "diff-tools-deferred"), Some("note"));
    let a = with(base(), true, "one");
    let report = pair(&a, &with(next(), true, "two"), &Setting::default());
    assert_eq!(levels(&report), "k/k/p");
    assert_eq!(report.verdict, Verdict::Partial);
    assert_eq!(places(&report)[0].0, "/tools/2/description");
    assert_eq!(verdict(&a, &with(next(), true, "one")).0, Verdict::Hit);
}

#[test]
fn messages_cost_from_the_place_on() {
    type Edit<'e> = &'e dyn Fn(&mut Vec<Value>);
    let edits: [(Edit<'_>, &str, &str, &str, &str); 7] = [
        (
            &|list| list[1]["content"][0]["text"] = json!("R1!"),
            "/messages/1/content/0/text",
            "edited",
            "diff-message-edited",
            "k/k/p",
        ),
        (
            &|list| {
                list.remove(1);
            },
            "/messages/1/role",
            "removed",
            "diff-message-removed",
            "k/k/p",
        ),
        (
            &|list| {
                list.remove(0);
            },
            "/messages/0/role",
            "shifted",
            "diff-message-removed",
            "k/k/l",
        ),
        (
            &|list| list.insert(0, json!({"role": "user", "content": "M0"})),
            "/messages/0/content/text",
            "shifted",
            "diff-message-edited",
            "k/k/l",
        ),
        (
            &|list| list.swap(0, 2),
            "/messages/0/content/0/text",
            "reordered",
            "diff-message-reordered",
            "k/k/l",
        ),
        (
            &|list| {
                let more = json!({"type": "text", "text": "more"});
                list[0]["content"]
                    .as_array_mut()
                    .expect("blocks")
                    .push(more);
            },
            "/messages/0/content/1",
            "added",
            "diff-message-edited",
            "k/k/p",
        ),
        (
            &|list| list[1]["role"] = json!("user"),
            "/messages/1/role",
            "edited",
            "diff-message-edited",
            "k/k/p",
        ),
    ];
    for (edit, path, cause, rule, state) in edits {
        let mut b = next();
        edit(b["messages"].as_array_mut().expect("messages"));
        let report = pair(&base(), &b, &Setting::default());
        let (at, _, why, by) = places(&report)[0];
        assert_eq!((why, by), (cause, rule), "{path}");
        assert!(at == path || path.starts_with(at), "{at} {path}");
        assert_eq!(levels(&report), state, "{path}");
        assert_eq!(report.reason, Some(Reason::Messages));
        assert_eq!(report.verdict, Verdict::Partial, "{path}");
        assert_eq!(
            report.reusable.as_ref().map(|one| one.breakpoint.as_str()),
            Some("/system/0")
        );
    }
}

#[test]
fn directives_have_rules_of_their_own() {
    let say = |text: &str| json!({"role": "system", "content": text});
    let with = |list: &[Value]| {
        let mut body = base();
        let messages = body["messages"].as_array_mut().expect("messages");
        list.iter()
            .rev()
            .for_each(|one| messages.insert(1, one.clone()));
        body
    };
    let a = with(&[say("x"), say("y")]);
    let report = pair(&a, &with(&[say("x"), say("z")]), &Setting::default());
    assert_eq!(places(&report)[0].3, "diff-directive-moved");
    let report = pair(&a, &with(&[say("y")]), &Setting::default());
    assert_eq!(places(&report)[0].3, "diff-directive-moved");
    let merged = json!({"role": "system", "content": [{"type": "text", "text": "x"},
        {"type": "text", "text": "y"}]});
    let report = pair(&a, &with(&[merged]), &Setting::default());
    assert_eq!(places(&report)[0].3, "diff-directive-collapsed");
}
