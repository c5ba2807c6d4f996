//! The examples of every rule: what fails, what passes, and what looks like an
//! offender and is legal. Three tests a rule, named by its id.

use super::{errors, lint, patched};
use convo::finding::Finding;
use convo::lint::{Wanted, rule, rules};
use serde_json::{Value, json};
use std::sync::OnceLock;

fn table(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect()
}

fn example(id: &str, key: &str) -> Option<Value> {
    static EXAMPLES: OnceLock<Vec<Value>> = OnceLock::new();
    let all = EXAMPLES.get_or_init(|| {
        let mut all = table(include_str!("../../fixtures/lint/examples.jsonl"));
        all.extend(table(include_str!("../../fixtures/lint/legal.jsonl")));
        all
    });
    let mut hits = all.iter().filter(|line| line["rule"] == id);
    let line = hits.find(|line| line.get(key).is_some())?;
    Some(grown(line[key].clone()))
}

/// Puts what the examples only describe in the place of its description.
fn grown(mut value: Value) -> Value {
    let text = value.to_string();
    if text.contains("<4194305 bytes>") {
        let long = "x".repeat(4_194_305);
        let text = text.replace("<4194305 bytes>", &long);
        return serde_json::from_str(&text).expect("JSON");
    }
    if text.contains("<about 700 tokens>") {
        let text = text.replace("<about 700 tokens>", &"word ".repeat(700));
        return serde_json::from_str(&text).expect("JSON");
    }
    if text.contains("<repeat 101 times>") {
        let content = &mut value["messages"][0]["content"];
        let one = content[0].clone();
        *content = Value::Array(vec![one; 101]);
    }
    value
}

fn findings(patch: &Value) -> Vec<Finding> {
    let wanted = Wanted {
        enable: vec!["system-untrusted-text".to_owned()],
        ..Wanted::default()
    };
    lint(&patched(patch), &wanted)
}

fn fails(id: &'static str) {
    let expected = rule(id).expect("a rule").severity;
    let patch = example(id, "fail").expect("an example");
    let found = findings(&patch);
    let own: Vec<_> = found.iter().filter(|one| one.rule.id == id).collect();
    assert!(!own.is_empty(), "{id}: {found:#?}");
    assert!(own.iter().all(|one| one.severity == expected), "{own:#?}");
    let also: Vec<_> = errors(&found)
        .into_iter()
        .filter(|one| *one != id)
        .collect();
    let allowed: &[&str] = match id {
        // An empty text cannot be marked without being empty.
        "cache-control-empty-text" => &["text-empty"],
        // The header that is missing is the one `mcp_servers` needs too.
        // Its budget is no matter of the model's.
        "thinking-type-model" => &["budget-max"],
        "mcp-inline-beta-missing" => &["unknown-field"],
        _ => &[],
    };
    assert_eq!(also, allowed, "{id}: {found:#?}");
}

fn passes(id: &'static str, key: &str) {
    let patch = example(id, key).unwrap_or_else(|| panic!("no {key} example of {id}"));
    let found = findings(&patch);
    assert!(
        !found.iter().any(|one| one.rule.id == id),
        "{id}: {found:#?}"
    );
    assert_eq!(errors(&found), [""; 0], "{id}: {found:#?}");
}

macro_rules! examples {
    ($($name:ident $id:literal)*) => {
        $(mod $name {
            #[test]
            fn fail() {
                super::fails($id);
            }
            #[test]
            fn pass() {
                super::passes($id, "pass");
            }
            #[test]
            fn legal() {
                super::passes($id, "legal");
            }
        })*

        #[test]
        fn every_rule_of_the_messages_api_has_its_examples() {
            let named = [$($id),*];
            let mut own: Vec<_> = rules().map(|rule| rule.id).collect();
            let others = own.iter().position(|id| *id == "call-unanswered");
            own.truncate(others.expect("the other providers' rules come last"));
            own.sort_unstable();
            let mut named = named.to_vec();
            named.sort_unstable();
            assert_eq!(own, named);
        }
    };
}

#[test]
fn the_base_body_is_clean() {
    let found = lint(&patched(&json!({})), &Wanted::default());
    assert!(found.is_empty(), "{found:#?}");
}

examples! {
    system_not_first "system-not-first"
    system_after_assistant "system-after-assistant"
    system_before_user "system-before-user"
    system_in_tool_pair "system-in-tool-pair"
    system_empty "system-empty"
    system_block_kind "system-block-kind"
    system_model_unsupported "system-model-unsupported"
    tool_change_role "tool-change-role"
    tool_change_after_pause "tool-change-after-pause"
    system_untrusted_text "system-untrusted-text"
    clear_at_beta_missing "clear-at-beta-missing"
    clear_at_role "clear-at-role"
    clear_at_value "clear-at-value"
    clear_at_text_only "clear-at-text-only"
    clear_at_output_config "clear-at-output-config"
    clear_at_cache_control "clear-at-cache-control"
    effort_message_beta_missing "effort-message-beta-missing"
    effort_message_model "effort-message-model"
    tool_change_beta_missing "tool-change-beta-missing"
    tool_definition_beta_missing "tool-definition-beta-missing"
    tool_change_unresolved "tool-change-unresolved"
    tool_change_ref_key "tool-change-ref-key"
    tool_removal_by_value "tool-removal-by-value"
    tool_name_conflict "tool-name-conflict"
    tool_change_double_breakpoint "tool-change-double-breakpoint"
    tool_limit "tool-limit"
    tool_change_redundant "tool-change-redundant"
    inline_no_anchor "inline-no-anchor"
    mcp_inline_beta_missing "mcp-inline-beta-missing"
    tool_choice_unavailable "tool-choice-unavailable"
    tool_name_pattern "tool-name-pattern"
    tool_name_duplicate "tool-name-duplicate"
    tool_schema_root "tool-schema-root"
    all_tools_deferred "all-tools-deferred"
    deferred_cache_control "deferred-cache-control"
    deferred_unreachable "deferred-unreachable"
    tool_search_deferred "tool-search-deferred"
    tool_reference_unknown "tool-reference-unknown"
    tool_choice_forced "tool-choice-forced"
    mcp_toolset_pairing "mcp-toolset-pairing"
    breakpoint_budget "breakpoint-budget"
    breakpoint_auto_ttl_conflict "breakpoint-auto-ttl-conflict"
    ttl_order "ttl-order"
    cache_control_thinking "cache-control-thinking"
    cache_control_empty_text "cache-control-empty-text"
    cache_control_shape "cache-control-shape"
    cache_off "cache-off"
    below_minimum "below-minimum"
    lookback_window "lookback-window"
    volatile_prefix "volatile-prefix"
    tool_use_unanswered "tool-use-unanswered"
    tool_result_orphan "tool-result-orphan"
    tool_result_not_first "tool-result-not-first"
    tool_use_id_duplicate "tool-use-id-duplicate"
    tool_use_id_pattern "tool-use-id-pattern"
    server_tool_result_sent "server-tool-result-sent"
    tool_use_undeclared "tool-use-undeclared"
    text_empty "text-empty"
    text_whitespace "text-whitespace"
    content_empty "content-empty"
    messages_empty "messages-empty"
    prefill_unsupported "prefill-unsupported"
    prefill_trailing_space "prefill-trailing-space"
    thinking_signature_missing "thinking-signature-missing"
    thinking_first "thinking-first"
    server_tool_pending "server-tool-pending"
    block_role "block-role"
    image_count "image-count"
    required_field "required-field"
    field_type "field-type"
    unknown_field "unknown-field"
    request_limit "request-limit"
    model_unknown "model-unknown"
    thinking_type_model "thinking-type-model"
    sampling_unsupported "sampling-unsupported"
    prewarm_conflict "prewarm-conflict"
}
