//! The rules of reading, each under its name: the container forms and their order
//! (`docs/formats.md#forms`), the decisions that concern reading.

use crate::common::command::run;
use convo::block::Encoding;
use convo::json::Raw;
use convo::stream::{Container, Conversation, Form};

/// The form of one value, or what it is refused as.
fn form(text: &str) -> String {
    match Conversation::read(Raw::parse(text.as_bytes()).expect("JSON")) {
        Ok(Container::Entry(_)) => "F".to_owned(),
        Ok(Container::Conversation(found)) => match found.form {
            Form::Array if found.embedded_base().is_some() => "B",
            Form::Array => "C",
            Form::Envelope => "D",
            Form::Bundle => "E",
            Form::Entries => "gathered",
        }
        .to_owned(),
        Err(error) => error.code.to_owned(),
    }
}

fn raw_lines(args: &[&str], input: &str) -> String {
    let always = ["project", "--view", "raw", "--output", "lines"];
    run(&[&always, args].concat(), input.as_bytes()).ok(0)
}

#[test]
fn forms_are_told_by_the_first_value() {
    for (text, expected) in [
        ("[]", "C"),
        (r#"[{"type":"turn_start"}]"#, "C"),
        (r#"[{"type":"config_delta","delta":{}}]"#, "B"),
        (r#"[{"type":"config_delta","assistant":{}}]"#, "B"),
        (r#"[{"type":"note"},{"type":"config_delta"}]"#, "C"),
        (r#"{"data":[]}"#, "D"),
        (
            r#"{"type":"events","id":"r","conversation":"1","data":[]}"#,
            "D",
        ),
        (r#"{"base_config":{},"events":[]}"#, "E"),
        (r#"{"type":"x","base_config":{},"events":[]}"#, "E"),
        (r#"{"type":"turn_start"}"#, "F"),
        (r#"{"type":"note"}"#, "F"),
    ] {
        assert_eq!(form(text), expected, "{text}");
    }
}

#[test]
fn a_known_kind_is_form_f_whatever_other_keys_it_has() {
    for text in [
        r#"{"data":[],"type":"chat_response"}"#,
        r#"{"type":"turn_start","base_config":{},"events":[]}"#,
        r#"{"type":"chat_response","message":"m","role":"assistant","content":"c"}"#,
        r#"{"type":"compaction","messages":[],"sessionId":"s","uuid":"u"}"#,
        r#"{"\u0074ype":"turn\u005fstart","data":[]}"#,
        r#"{"type":"note","type":"turn_start","data":[]}"#,
    ] {
        assert_eq!(form(text), "F", "{text}");
    }
}

#[test]
fn an_error_envelope_is_reported_with_its_message() {
    for (text, expected) in [
        (r#"{"type":"error","message":"gone"}"#, "error-envelope"),
        (
            r#"{"type":"error","id":"r","message":"gone","data":[]}"#,
            "error-envelope",
        ),
        (r#"{"type":"error","message":"m","timestamp":"t"}"#, "F"),
        (r#"{"type":"error","reason":"m"}"#, "F"),
        (r#"{"type":"error","data":[]}"#, "D"),
    ] {
        assert_eq!(form(text), expected, "{text}");
    }
    let ran = run(
        &["project"],
        br#"{"type":"error","message":"gone","data":[]}"#,
    );
    assert!(
        ran.stderr.contains("instead of events: gone"),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.ok(2), "");
}

#[test]
fn any_other_string_type_is_form_f_whatever_its_keys_resemble() {
    for key in ["messages", "contents", "log", "choices", "role", "input"] {
        let text = format!(
            r#"{{"type":"note","{key}":[],"content":"c","model":"m","object":"o"}}"#
        );
        assert_eq!(form(&text), "F", "{text}");
    }
    for text in [
        r#"{"type":"note","data":{}}"#,
        r#"{"type":"note","base_config":{}}"#,
    ] {
        assert_eq!(form(text), "F", "{text}");
    }
    assert_eq!(form(r#"{"type":"note","events":[]}"#), "not-a-conversation");
    assert_eq!(form(r#"{"type":5,"x":1}"#), "not-a-conversation");
    assert_eq!(form(r#"[{"type":"note","role":"r","content":"c"}]"#), "C");
}

#[test]
fn a_byte_order_mark_and_white_space_are_no_part_of_the_input() {
    let view = "{\"data\":[{\"type\":\"turn_start\"}]}\n";
    for input in [
        "\u{feff}[{\"type\":\"turn_start\"}]",
        " \n[{\"type\":\"turn_start\"}]\r\n\t ",
        "\u{feff}\n{\"data\":[{\"type\":\"turn_start\"}]} ",
    ] {
        assert_eq!(run(&["project"], input.as_bytes()).ok(0), view, "{input:?}");
    }
}

#[test]
fn d1_a_bundle_or_a_flag_brings_the_base() {
    let text = r#"{"base_config":{"a":1},"events":[{"type":"config_delta"}]}"#;
    let Ok(Container::Conversation(found)) =
        Conversation::read(Raw::parse(text.as_bytes()).expect("JSON"))
    else {
        panic!("a bundle")
    };
    assert_eq!(found.base.map(Raw::bytes), Some(&br#"{"a":1}"#[..]));
    assert!(
        found.embedded_base().is_none(),
        "its first delta is a delta"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let base = folder.path().join("base.json");
    let flag = ["project", "--base-config", base.to_str().expect("UTF-8")];
    assert_eq!(run(&flag, b"[]").status, 2, "there is none yet");
    std::fs::write(&base, "[]").expect("written");
    let ran = run(&flag, b"[]");
    assert!(
        ran.stderr.contains("no JSON object: found an array"),
        "{}",
        ran.stderr
    );
    std::fs::write(&base, "\u{feff}{}").expect("written");
    assert_eq!(run(&flag, b"[]").ok(0), "{\"data\":[]}\n");
}

#[test]
fn d4_encoding_is_the_containers_and_never_the_strings() {
    let encoding = |text: &str| match Conversation::read(
        Raw::parse(text.as_bytes()).expect("JSON"),
    ) {
        Ok(Container::Conversation(found)) => found.encoding,
        _ => panic!("{text}"),
    };
    assert_eq!(encoding("[]"), Encoding::Storage);
    assert_eq!(encoding(r#"{"data":[]}"#), Encoding::Plain);
    let bundle =
        |name: &str| format!(r#"{{"base_config":{{}},"events":[],"encoding":{name}}}"#);
    assert_eq!(encoding(&bundle("null")), Encoding::Storage);
    assert_eq!(encoding(&bundle("\"storage\"")), Encoding::Storage);
    assert_eq!(encoding(&bundle("\"plain\"")), Encoding::Plain);
    // A plain envelope of what looks encoded is left alone, at any depth.
    let entry = r#"{"type":"tool_call_request","id":"1","name":"f","arguments":{"a":["ZmlsZQ=="]},"metadata":{"k":"ZmlsZQ=="}}"#;
    let envelope = format!("{{\"data\":[{entry}]}}");
    let out = run(&["project", "--view", "raw"], envelope.as_bytes()).ok(0);
    assert_eq!(out.trim_end(), envelope);
}

#[test]
fn d5_what_is_missing_stays_missing_and_is_told() {
    let entry = r#"{"type":"tool_call_response","id":"1","content":""}"#;
    assert_eq!(raw_lines(&[], entry).trim_end(), entry);
    let told = run(&["validate"], entry.as_bytes()).ok(0);
    for rule in ["missing-timestamp", "missing-is-error"] {
        assert!(told.contains(&format!("[{rule}]")), "{told}");
    }
    for content in ["", r#","content":null"#] {
        let entry = format!(r#"{{"type":"tool_call_response","id":"1"{content}}}"#);
        let ran = run(
            &["project", "--view", "raw", "--output", "lines"],
            entry.as_bytes(),
        );
        assert!(ran.stderr.contains("it is read as []"), "{}", ran.stderr);
        assert_eq!(ran.ok(0).trim_end(), entry);
        assert!(
            run(&["validate"], entry.as_bytes())
                .ok(0)
                .contains("missing-content")
        );
    }
}

#[test]
fn d5_a_bad_shape_of_a_known_kind_is_refused_and_of_an_unknown_one_carried() {
    let ran = run(
        &["project"],
        br#"[{"type":"note"},{"type":"turn_start","timestamp":5}]"#,
    );
    assert!(
        ran.stderr.contains("event 2, at /1/timestamp"),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.ok(2), "");
    let odd = r#"{"type":"Turn_Start","timestamp":5,"metadata":null,"content":[]}"#;
    assert_eq!(raw_lines(&[], odd).trim_end(), odd);
    let delta = r#"{"type":"config_delta","timestamp":"soon"}"#;
    assert_eq!(raw_lines(&[], delta).trim_end(), delta, "an unknown time");
}

#[test]
fn d6_strict_base64_takes_the_fallback_away() {
    let input = br#"[{"type":"tool_call_response","id":"1","content":"Pz8_Lz8_"}]"#;
    let lenient = run(&["project"], input).ok(0);
    assert!(lenient.contains(r#""content":"???/??""#), "{lenient}");
    let strict = run(&["project", "--strict-base64"], input).ok(0);
    assert!(strict.contains(r#""content":"Pz8_Lz8_""#), "{strict}");
}

#[test]
fn d7_blocks_are_never_decoded() {
    let input = r#"[{"type":"tool_call_response","id":"1","content":[{"type":"text","text":"ZmlsZQ=="},{"type":"resource","resource":{"uri":"ZmlsZQ==","blob":"ZmlsZQ=="}}]}]"#;
    let out = run(&["project"], input.as_bytes()).ok(0);
    assert_eq!(out.trim_end(), format!("{{\"data\":{input}}}"));
}

#[test]
fn d8_either_spelling_of_the_flag_counts_and_is_kept() {
    use convo::event::Event;
    for (flags, failed) in [
        (r#""is_error":true"#, true),
        (r#""isError":true"#, true),
        (r#""is_error":false,"isError":true"#, true),
        (r#""is_error":true,"isError":false"#, true),
        (r#""is_error":false,"isError":false"#, false),
        (r#""x":1"#, false),
    ] {
        let entry = format!(
            r#"{{"type":"tool_call_response","id":"1","content":[{{}}],{flags}}}"#
        );
        let event = Event::read(Raw::parse(entry.as_bytes()).expect("JSON"));
        assert_eq!(event.expect("an object").is_error(), failed, "{flags}");
        let view = run(&["project", "--output", "lines"], entry.as_bytes()).ok(0);
        assert_eq!(view.trim_end(), entry);
    }
}

#[test]
fn d17_compaction_leaves_one_unannotated_block_of_the_block_form() {
    let input = r#"[{"type":"tool_call_request","id":"1","name":"look"},{"type":"tool_call_response","id":"1","content":[{"type":"text","text":"x","annotations":{"audience":["assistant"]}}],"isError":true},{"type":"compaction","from_turn":0,"to_turn":0,"tool_calls":{"policy":"strip","response":true}}]"#;
    let out = run(&["project", "--compacted"], input.as_bytes()).ok(0);
    assert_eq!(
        out,
        "{\"data\":[{\"type\":\"tool_call_response\",\"id\":\"1\",\"content\":[{\"type\":\"text\",\"text\":\"[compacted] look: error\"}],\"isError\":true}]}\n"
    );
}

#[test]
fn d24_an_unannotated_result_passes_unless_addressed_only() {
    let input = br#"{"type":"tool_call_response","id":"1","content":[{"type":"text","text":"x"}]}"#;
    let entry = String::from_utf8_lossy(input);
    assert_eq!(run(&["project"], input).ok(0).trim_end(), entry);
    assert_eq!(run(&["project", "--addressed-only"], input).ok(0), "");
}

#[test]
fn d25_the_user_view_sees_the_raw_stream_unless_compacted() {
    let input = br#"{"type":"chat_request","content":"x"}
{"type":"compaction","from_turn":0,"to_turn":0,"summary":{"summary":"s"}}"#;
    let plain = run(&["project"], input).ok(0);
    assert_eq!(plain, "{\"type\":\"chat_request\",\"content\":\"x\"}\n");
    assert_eq!(
        run(&["project", "--compacted"], input).ok(0),
        "{\"type\":\"turn_start\"}\n\
         {\"type\":\"chat_request\",\"content\":\"[Summary of previous conversation]\"}\n\
         {\"type\":\"chat_response\",\"message\":\"s\"}\n"
    );
}

#[test]
fn d28_a_supplied_base_makes_the_first_delta_an_ordinary_one() {
    let text = r#"[{"type":"config_delta","delta":{"a":1}},{"type":"turn_start"}]"#;
    let mut found = Conversation::of_array(Raw::parse(text.as_bytes()).expect("JSON"));
    assert!(found.embedded_base().is_some(), "form B");
    found.base = Raw::parse(b"{}").ok();
    assert!(found.embedded_base().is_none(), "form A");
}

#[test]
fn the_raw_view_echoes_every_entry_the_base_of_form_b_too() {
    let text = r#"[{"type":"config_delta","delta":{"a":"ZmlsZQ=="}},{"note":1}]"#;
    let out = run(&["project", "--view", "raw"], text.as_bytes()).ok(0);
    assert_eq!(out.trim_end(), format!("{{\"data\":{text}}}"));
}

#[test]
fn a_base_that_is_not_needed_does_not_stop_a_view() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path().to_str().expect("UTF-8");
    std::fs::write(folder.path().join("events.json"), "[]").expect("written");
    std::fs::write(folder.path().join("base_config.json"), "{oops").expect("written");
    let ran = run(&["project", home], b"");
    assert!(ran.stderr.contains("warning:"), "{}", ran.stderr);
    assert_eq!(ran.ok(0), "{\"data\":[]}\n");
    assert_eq!(run(&["project", "--no-base", home], b"").stderr, "");
    let bundle = run(&["bundle", home], b"");
    assert!(
        bundle.stderr.contains("base_config.json"),
        "{}",
        bundle.stderr
    );
    std::fs::write(folder.path().join("base_config.json"), "[]").expect("written");
    let bundle = run(&["bundle", home], b"");
    assert!(
        bundle.stderr.contains("found an array"),
        "{}",
        bundle.stderr
    );
    assert_eq!(bundle.ok(2), "");
}

#[test]
fn turn_numbers_too_great_to_count_are_numbers() {
    for number in ["1e999", "1e30", "99999999999999999999999", "2.0", "-0"] {
        let entry =
            format!(r#"{{"type":"compaction","from_turn":0,"to_turn":{number}}}"#);
        assert_eq!(run(&["project"], entry.as_bytes()).ok(0), "", "{number}");
        assert_eq!(
            run(&["validate", "-q"], entry.as_bytes()).ok(0),
            "",
            "{number}"
        );
    }
    for number in ["-1", "-1e999", "0.5"] {
        let entry =
            format!(r#"{{"type":"compaction","from_turn":0,"to_turn":{number}}}"#);
        assert_eq!(run(&["project"], entry.as_bytes()).status, 2, "{number}");
        assert_eq!(run(&["validate"], entry.as_bytes()).status, 1, "{number}");
    }
}

#[test]
fn d2_a_flat_delta_holds_its_configuration_beside_its_own_keys() {
    use convo::config::{Config, Mode, Warnings};
    let raw = |text: &'static str| Raw::parse(text.as_bytes()).expect("JSON");
    let mut warnings = Warnings::default();
    let base = raw(
        r#"{"type":"config_delta","timestamp":"2025-12-04 09:28:23.2","inherit":true,"assistant":{"system_prompt":"first"}}"#,
    );
    let mut config = Config::new(Some(base), Mode::Convo, &mut warnings);
    assert_eq!(config.system_prompt(), "first", "element 0");
    let later =
        raw(r#"{"type":"config_delta","assistant":{"system_prompt":"second"}}"#);
    config.apply(later, &mut warnings);
    assert_eq!(config.system_prompt(), "second", "later in the stream");
    let nested = raw(
        r#"{"type":"config_delta","delta":{},"assistant":{"system_prompt":"ignored"}}"#,
    );
    config.apply(nested, &mut warnings);
    assert_eq!(config.system_prompt(), "second", "a delta decides");
}

#[test]
fn d3_a_user_view_has_results_and_neither_calls_nor_deltas() {
    let result = r#"{"type":"tool_call_response","id":"1","content":"x"}"#;
    let call = r#"{"type":"tool_call_request","id":"1","name":"f"}"#;
    for (before, entries, refused) in [
        (r#"{"data":["#, result.to_owned(), true),
        (
            r#"{"data":["#,
            format!(r#"{{"type":"note"}},{result}"#),
            true,
        ),
        (r#"{"data":["#, format!("{call},{result}"), false),
        (r#"{"data":["#, format!("{result},{call}"), false),
        (
            r#"{"data":["#,
            format!(r#"{result},{{"type":"config_delta"}}"#),
            false,
        ),
        (r#"{"data":["#, r#"{"type":"turn_start"}"#.to_owned(), false),
        (r#"{"base_config":{},"events":["#, result.to_owned(), false),
    ] {
        let text = format!("{before}{entries}]}}");
        let Ok(Container::Conversation(found)) =
            Conversation::read(Raw::parse(text.as_bytes()).expect("JSON"))
        else {
            panic!("{text}")
        };
        assert_eq!(found.looks_like_user_view(), refused, "{text}");
        assert_eq!(found.require_stream().is_err(), refused, "{text}");
        let status = run(&["project", "--compacted"], text.as_bytes()).status;
        assert_eq!(status, if refused { 2 } else { 0 }, "{text}");
    }
}
