//! Channels, turns and reasoning (`docs/render.md#channels`, `docs/render.md#turns`).

use crate::common::screen::{Screen, coloured, replay, screen, strip};
use convo::block::Encoding;
use convo::render::{Only, Preset, Settings, Time, Turns};

const EXAMPLE: &str = r#"[
  {"type":"turn_start","timestamp":"2026-05-29 19:42:36.46732"},
  {"type":"chat_request","author":"alice","content":"List the failing tests"},
  {"type":"chat_response","reasoning":"I should run the suite first."},
  {"type":"tool_call_request","id":"1","name":"run_tests",
   "arguments":{"package":"core","filter":null}},
  {"type":"tool_call_response","id":"1",
   "content":"l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\nl10\nl11\nl12","is_error":false},
  {"type":"chat_response","message":"Two tests fail."}]"#;

const MODEL: &str = r#"{"assistant":{"model":{"id":"vendor/model-x"}}}"#;

fn narrow() -> Settings {
    let mut settings = Settings::default();
    settings.speech.columns = 60;
    settings.chrome.columns = 60;
    settings
}

fn plain(entries: &str) -> Screen {
    screen("{}", entries, &Settings::default())
}

fn entries(list: &[&str]) -> String {
    format!("[{{\"type\":\"turn_start\"}},{}]", list.join(","))
}

fn message(text: &str) -> String {
    serde_json::json!({"type":"chat_response","message":text}).to_string()
}

fn reasoning(text: &str) -> String {
    serde_json::json!({"type":"chat_response","reasoning":text}).to_string()
}

fn displayed(mode: &str) -> String {
    format!(r#"{{"style":{{"reasoning":{{"display":{mode}}}}}}}"#)
}

#[test]
fn ch_1_speech_and_chrome_go_apart() {
    let shown = screen(MODEL, EXAMPLE, &narrow());
    assert_eq!(
        shown.out,
        "── alice ─────────────────── turn 1, 2026-05-29T19:42:36Z ──\n\
         \n\
         List the failing tests\n\
         \n\
         ── jp (vendor/model-x) ─────────────────────────────────────\n\
         \n\
         │ I should run the suite first.\n\
         \n\
         Two tests fail.\n"
    );
    assert_eq!(
        shown.err,
        "\nCalling tool run_tests with arguments:\n\n```json\n{\n  \"package\": \
         \"core\"\n}\n```\n\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\nl10\n\
         … 2 more lines (10 of 12 shown)\n"
    );
}

#[test]
fn ch_2_one_streams_looks_do_not_touch_the_other() {
    let mut settings = narrow();
    settings.chrome = coloured(30);
    let shown = screen(MODEL, EXAMPLE, &settings);
    assert_eq!(shown.out, screen(MODEL, EXAMPLE, &narrow()).out);
    assert!(shown.err.contains('\u{1b}'));
}

#[test]
fn ch_4_tabs_in_code_and_results_survive() {
    let shown = plain(&entries(&[
        &message("```\n\tx\n```"),
        r#"{"type":"tool_call_request","id":"1","name":"t"}"#,
        r#"{"type":"tool_call_response","id":"1","content":"a\tb"}"#,
    ]));
    assert!(shown.out.contains("\n\tx\n") && shown.err.contains("a\tb"));
}

#[test]
fn tu_2_headers_follow_speakers_and_turns() {
    let shown = plain(
        r#"[{"type":"turn_start"},{"type":"chat_request","content":"a"},
            {"type":"chat_response","message":"b"},{"type":"chat_response","data":1},
            {"type":"turn_start"},{"type":"chat_request","content":"c"},
            {"type":"chat_response","reasoning":"hidden"},
            {"type":"chat_request","content":"d"}]"#,
    );
    let headers: Vec<&str> = shown
        .out
        .lines()
        .filter_map(|line| line.strip_prefix("── ")?.split(' ').next())
        .collect();
    assert_eq!(headers, ["user", "jp", "user", "jp", "user"]);
    assert_eq!(shown.out.matches("turn 1").count(), 1);
    assert_eq!(shown.out.matches("turn 2").count(), 1);
}

#[test]
fn tu_2_no_header_for_a_turn_without_anything_to_see() {
    let base = r#"{"conversation":{"tools":{"*":{"style":{"hidden":true}}}}}"#;
    let entries = entries(&[
        r#"{"type":"tool_call_request","id":"1","name":"t"}"#,
        r#"{"type":"tool_call_response","id":"1","content":"x"}"#,
    ]);
    let shown = screen(base, &entries, &Settings::default());
    assert_eq!(shown.both, "");
}

/// One blank line between units, none in front, on both and on stdout alone.
#[track_caller]
fn assert_spaced(shown: &Screen) {
    for text in [&shown.both, &shown.out] {
        assert!(!text.starts_with('\n'), "{text}");
        assert!(!text.contains("\n\n\n"), "{text}");
        assert!(!text.ends_with("\n\n"), "{text}");
    }
}

#[test]
fn tu_3_one_blank_line_between_units() {
    for base in [
        MODEL,
        "{}",
        &displayed("\"static\""),
        &displayed("\"hidden\""),
    ] {
        for preset in [
            None,
            Some(Preset::Chat),
            Some(Preset::Brief),
            Some(Preset::Full),
        ] {
            for only in [
                None,
                Some(Only::Speech),
                Some(Only::Tools),
                Some(Only::Reasoning),
            ] {
                let settings = Settings {
                    preset,
                    only,
                    ..narrow()
                };
                assert_spaced(&screen(base, EXAMPLE, &settings));
            }
        }
    }
}

#[test]
fn tu_3_headers_without_a_body_touch() {
    let shown = plain(&entries(&[
        r#"{"type":"tool_call_request","id":"1","name":"a"}"#,
        r#"{"type":"tool_call_request","id":"2","name":"b"}"#,
    ]));
    assert!(
        shown.err.contains("Calling tool a\nCalling tool b\n"),
        "{}",
        shown.err
    );
}

#[test]
fn tu_4_times() {
    let with = |time| screen(MODEL, EXAMPLE, &Settings { time, ..narrow() }).out;
    let now = 1_780_083_756 + 7200;
    assert!(with(Time::Relative(now)).contains("turn 1, 2 hours ago ──"));
    assert!(with(Time::Relative(0)).contains("turn 1, now ──"));
    assert!(with(Time::Iso).contains("2026-05-29T19:42:36Z ──"));
    assert!(with(Time::None).contains("─ turn 1 ──"));
    let bare = plain(&entries(&[&message("x")])).out;
    assert!(
        bare.lines()
            .next()
            .is_some_and(|l| l.ends_with("─ turn 1 ──"))
    );
}

#[test]
fn tu_5_adjacent_messages_are_one_text() {
    let joined = plain(&entries(&[&message("one **bo"), &message("ld** two")]));
    assert!(
        joined.out.ends_with("\none **bold** two\n"),
        "{}",
        joined.out
    );
    let base = displayed("\"hidden\"");
    let list = entries(&[&message("one"), &reasoning("r"), &message("two")]);
    let apart = screen(&base, &list, &Settings::default());
    assert!(apart.out.ends_with("\none\n\ntwo\n"), "{}", apart.out);
}

#[test]
fn tu_5_a_removed_event_splits_no_region() {
    let shown = plain(&entries(&[
        &reasoning("half a "),
        &reasoning(""),
        &reasoning("sentence"),
    ]));
    assert!(
        shown.out.ends_with("\n│ half a sentence\n"),
        "{}",
        shown.out
    );
}

#[test]
fn tu_6_reasoning_modes() {
    let list = entries(&[&reasoning("abc 👍🏽 def"), &reasoning("ghi"), &message("m")]);
    let with = |mode: &str| screen(&displayed(mode), &list, &Settings::default());
    assert!(with("\"full\"").out.contains("\n│ abc 👍🏽 defghi\n"));
    for mode in ["\"hidden\"", "\"timer\""] {
        assert!(!with(mode).both.contains("abc"));
    }
    for mode in ["\"static\"", "\"progress\"", "\"summary\""] {
        assert_eq!(with(mode).err.matches("reasoning...\n").count(), 1);
    }
    assert_eq!(with("\"summary\"").told.len(), 1);
    assert_eq!(with("\"loud\"").told.len(), 1);
    for mode in ["5", "\"5\"", r#"{"truncate":{"characters":5}}"#] {
        assert!(
            with(mode).out.contains("\n│ abc 👍🏽…\n"),
            "{}",
            with(mode).out
        );
    }
    assert!(
        with("11").out.contains("\n│ abc 👍🏽 defgh…\n"),
        "{}",
        with("11").out
    );
    assert!(with("12").out.contains("\n│ abc 👍🏽 defghi\n"));
    let mut ascii = Settings::default();
    ascii.speech.ascii = true;
    let shown = screen(&displayed("\"full\""), &list, &ascii);
    assert!(shown.out.contains("\n| abc"), "{}", shown.out);
}

#[test]
fn tu_6_the_budget_starts_over_with_each_turn() {
    let list = format!(
        r#"[{{"type":"turn_start"}},{},{{"type":"turn_start"}},{}]"#,
        reasoning("abcdef"),
        reasoning("uvwxyz")
    );
    let shown = screen(&displayed("3"), &list, &Settings::default());
    assert!(shown.out.contains("abc…") && shown.out.contains("uvw…"));
}

#[test]
fn tu_7_presets() {
    let content = r#"{"type":"tool_call_response","id":"1","content":[
        {"type":"text","text":"said","annotations":{"audience":["user"]}},
        {"type":"text","text":"logged"}]}"#;
    let list = entries(&[
        r#"{"type":"chat_request","content":"asked"}"#,
        &reasoning("thought"),
        r#"{"type":"tool_call_request","id":"1","name":"t","arguments":{"a":1}}"#,
        content,
        &message("answered"),
    ]);
    let base = r#"{"conversation":{"tools":{"t":{"style":
        {"inline_results":{"user":"chat","assistant":"off"}}}}}}"#;
    let with = |preset| {
        let settings = Settings {
            preset: Some(preset),
            ..Settings::default()
        };
        screen(base, &list, &settings)
    };
    let user = with(Preset::User);
    assert!(user.out.contains("asked") && !user.out.contains("answered"));
    assert!(user.err.is_empty() && !user.out.contains("said"));
    let chat = with(Preset::Chat);
    assert!(chat.out.contains("\nsaid\n") && chat.out.contains("answered"));
    assert!(chat.err.is_empty() && !chat.out.contains("thought"));
    let brief = with(Preset::Brief);
    assert!(brief.out.contains("\nsaid\n"));
    assert_eq!(brief.err, "\nCalling tool t\n");
    let full = with(Preset::Full);
    assert!(full.out.contains("thought") && full.out.contains("\nsaid\n"));
    assert!(full.err.contains("\"a\": 1") && full.err.contains("logged"));
}

#[test]
fn tu_8_shading_erases_instead_of_padding() {
    let mut settings = Settings {
        speech: coloured(60),
        ..Settings::default()
    };
    settings.speech.theme = convo::render::theme::Theme::Dark;
    let shown = screen("{}", &entries(&[&reasoning("a\n\nb")]), &settings);
    let region: Vec<&str> = shown.out.lines().filter(|l| l.contains('│')).collect();
    assert_eq!(region.len(), 3);
    for line in region {
        assert!(
            line.contains("\u{1b}[K") && !strip(line).ends_with(' '),
            "{line:?}"
        );
    }
}

#[test]
fn tl_10_live_equals_replay() {
    for base in [MODEL, &displayed("7"), &displayed("\"static\"")] {
        let live = replay(base, EXAMPLE, &narrow(), Encoding::Plain, true);
        assert_eq!(
            live,
            replay(base, EXAMPLE, &narrow(), Encoding::Plain, false)
        );
    }
    let long = entries(&[
        &message("# A\n\nsome [x] text\n\nmore\n\n"),
        &message("[x]: y\n"),
    ]);
    let live = replay("{}", &long, &narrow(), Encoding::Plain, true);
    assert_eq!(live, replay("{}", &long, &narrow(), Encoding::Plain, false));
}

#[test]
fn turns_and_kinds_can_be_picked() {
    let list = r#"[{"type":"turn_start"},{"type":"chat_request","content":"one"},
        {"type":"turn_start"},{"type":"chat_request","content":"two"},
        {"type":"chat_response","reasoning":"why"},
        {"type":"tool_call_request","id":"1","name":"t"},
        {"type":"turn_start"},{"type":"chat_request","content":"three"}]"#;
    let settings = Settings {
        turns: Turns { first: 1, last: 1 },
        ..Settings::default()
    };
    let shown = screen("{}", list, &settings);
    assert!(shown.out.contains("turn 2") && shown.out.contains("two"));
    assert!(!shown.out.contains("one") && !shown.out.contains("three"));
    let only = |only| {
        let settings = Settings {
            only: Some(only),
            ..Settings::default()
        };
        screen("{}", list, &settings)
    };
    assert!(only(Only::Speech).err.is_empty());
    assert!(!only(Only::Speech).out.contains("why"));
    assert!(only(Only::Tools).out.is_empty());
    assert!(only(Only::Reasoning).out.contains("│ why"));
    assert!(!only(Only::Reasoning).out.contains("three"));
}

#[test]
fn structured_answers_are_fenced_json() {
    let shown = plain(&entries(&[r#"{"type":"chat_response","data":{"a":[1]}}"#]));
    assert!(
        shown
            .out
            .ends_with("\n```json\n{\n  \"a\": [\n    1\n  ]\n}\n```\n"),
        "{}",
        shown.out
    );
}

#[test]
fn en_2_plain_characters_only() {
    let mut settings = narrow();
    settings.speech.ascii = true;
    settings.chrome.ascii = true;
    let shown = screen(MODEL, EXAMPLE, &settings);
    assert!(shown.both.is_ascii(), "{}", shown.both);
    assert!(
        shown.out.starts_with("--- alice --- turn 1, "),
        "{}",
        shown.out
    );
    assert!(shown.err.contains("... 2 more lines (10 of 12 shown)"));
}
