//! Compaction, rule by rule (`docs/formats.md#compaction`): what becomes of each entry.

use convo::event::Event;
use convo::json::Raw;
use convo::stream::compaction::{Fate, Rules, plan};

/// The fates of a stream of lines, one letter an entry: `.` kept, `-` dropped,
/// `S` a summary in its place, `a` arguments gone, `c` content gone.
fn fates(lines: &str, rules: Rules) -> String {
    let events: Vec<_> = lines
        .lines()
        .map(|line| Raw::parse(line.trim().as_bytes()).expect("JSON"))
        .map(|raw| Event::read(raw).expect("an object"))
        .collect();
    plan(&events, rules)
        .iter()
        .map(|fate| match fate {
            Fate::Keep => '.',
            Fate::Drop => '-',
            Fate::Summary(_) => 'S',
            Fate::StripArguments => 'a',
            Fate::StripContent(_) => 'c',
        })
        .collect()
}

fn stripped(lines: &str, rules: Rules) -> Vec<String> {
    let events: Vec<_> = lines
        .lines()
        .map(|line| Raw::parse(line.trim().as_bytes()).expect("JSON"))
        .map(|raw| Event::read(raw).expect("an object"))
        .collect();
    let status = |fate| match fate {
        Fate::StripContent(text) => Some(text),
        _ => None,
    };
    plan(&events, rules)
        .into_iter()
        .filter_map(status)
        .collect()
}

/// Two turns, each a request, a thought, a call, its result and an answer.
const TURNS: &str = r#"{"type":"turn_start"}
{"type":"chat_request","content":"0"}
{"type":"chat_response","reasoning":"0"}
{"type":"tool_call_request","id":"a","name":"f"}
{"type":"tool_call_response","id":"a","content":""}
{"type":"chat_response","message":"0"}
{"type":"turn_start"}
{"type":"chat_request","content":"1"}
{"type":"chat_response","reasoning":"1"}
{"type":"tool_call_request","id":"a","name":"g"}
{"type":"tool_call_response","id":"a","content":""}
{"type":"chat_response","message":"1"}"#;

fn compacted(compactions: &str, rules: Rules) -> String {
    fates(&format!("{TURNS}\n{compactions}"), rules)
}

const STRIP_ALL: &str =
    r#""tool_calls":{"policy":"strip","request":true,"response":true}"#;

fn over(from: usize, to: usize, policies: &str) -> String {
    format!(
        r#"{{"type":"compaction","timestamp":"2026-01-01 00:00:00.0","from_turn":{from},"to_turn":{to},{policies}}}"#
    )
}

#[test]
fn each_policy_takes_its_own_entries() {
    for (policy, expected) in [
        (r#""reasoning":"strip""#, "..-...|......|-"),
        (r#""tool_calls":{"policy":"omit"}"#, "...--.|......|-"),
        (STRIP_ALL, "...ac.|......|-"),
        (
            r#""tool_calls":{"policy":"strip","request":true}"#,
            "...a..|......|-",
        ),
        (r#""tool_calls":{"policy":"strip"}"#, "......|......|-"),
        (r#""summary":{"summary":"s"}"#, "S-----|......|-"),
        (
            r#""summary":null,"reasoning":null,"tool_calls":null"#,
            "......|......|-",
        ),
    ] {
        let found = compacted(&over(0, 0, policy), Rules::Standard);
        assert_eq!(found, expected.replace('|', ""), "{policy}");
    }
}

#[test]
fn a_summary_disables_the_other_policies_of_its_turns() {
    let both = format!(
        "{}\n{}",
        over(0, 0, r#""summary":{"summary":"s"}"#),
        over(0, 1, &format!(r#""reasoning":"strip",{STRIP_ALL}"#)),
    );
    assert_eq!(compacted(&both, Rules::Standard), "S-----..-ac.--");
}

#[test]
fn ranges_are_clamped_to_the_turn_of_the_compaction_and_empty_ones_cover_nothing() {
    let strip = r#""reasoning":"strip""#;
    assert_eq!(
        compacted(&over(0, 99, strip), Rules::Standard),
        "..-.....-...-"
    );
    assert_eq!(
        compacted(&over(1, 0, strip), Rules::Standard),
        "............-"
    );
    assert_eq!(
        compacted(&over(7, 9, strip), Rules::Standard),
        "............-"
    );
}

#[test]
fn a_compaction_covers_what_stands_before_it_and_jp_whole_turns() {
    let early = over(0, 9, r#""reasoning":"strip""#);
    let stream = format!("{early}\n{TURNS}");
    assert_eq!(fates(&stream, Rules::Standard), "-............");
    assert_eq!(fates(&stream, Rules::Jp), "-..-.....-...");
}

#[test]
fn a_result_goes_with_its_call() {
    let lines = [
        r#"{"type":"tool_call_request","id":"a","name":"f"}"#,
        &over(0, 0, STRIP_ALL),
        r#"{"type":"tool_call_response","id":"a","content":""}"#,
        r#"{"type":"tool_call_request","id":"a","name":"f"}"#,
        r#"{"type":"tool_call_response","id":"a","content":""}"#,
    ];
    assert_eq!(fates(&lines.join("\n"), Rules::Standard), "a-c..");
    assert_eq!(fates(&lines.join("\n"), Rules::Jp), "a-cac");
}

#[test]
fn a_status_names_the_call_answered_and_jp_the_last_of_that_id() {
    let stream = format!("{TURNS}\n{}", over(0, 1, STRIP_ALL));
    let named = ["[compacted] f: success", "[compacted] g: success"];
    assert_eq!(stripped(&stream, Rules::Standard), named);
    assert_eq!(stripped(&stream, Rules::Jp), [named[1]; 2]);
    let orphan = format!(
        "{}\n{}",
        r#"{"type":"tool_call_response","id":"x","content":"","isError":true}"#,
        over(0, 0, STRIP_ALL)
    );
    for rules in [Rules::Standard, Rules::Jp] {
        assert_eq!(stripped(&orphan, rules), ["[compacted] unknown: error"]);
    }
}

#[test]
fn the_newest_compaction_of_each_policy_wins_by_itself() {
    let at = |second: u8, policy: &str| {
        over(0, 1, policy).replace("00:00:00", &format!("00:00:0{second}"))
    };
    let omit = r#""tool_calls":{"policy":"omit"}"#;
    // The greater time wins wherever it stands; reasoning is decided apart.
    let newer_first = [
        at(2, omit),
        at(1, STRIP_ALL),
        at(0, r#""reasoning":"strip""#),
    ]
    .join("\n");
    assert_eq!(compacted(&newer_first, Rules::Standard), "..---...---.---");
    // Of equal times the later in the array; one without a time loses to all.
    let equal = [at(1, STRIP_ALL), at(1, omit)].join("\n");
    assert_eq!(compacted(&equal, Rules::Standard), "...--....--.--");
    let untimed = at(1, omit).replace(r#""timestamp":"2026-01-01 00:00:01.0","#, "");
    let equal = [at(1, STRIP_ALL), untimed].join("\n");
    assert_eq!(compacted(&equal, Rules::Standard), "...ac....ac.--");
}

#[test]
fn consecutive_turns_of_one_summary_are_one_run() {
    let summary = r#""summary":{"summary":"s"}"#;
    let one = over(0, 1, summary);
    assert_eq!(compacted(&one, Rules::Standard), "S------------");
    let two = format!("{}\n{}", over(0, 0, summary), over(1, 1, summary));
    assert_eq!(
        compacted(&two, Rules::Standard),
        "S-----S-------",
        "two of them"
    );
    let twice = format!("{one}\n{one}");
    assert_eq!(
        compacted(&twice, Rules::Standard),
        "S-------------",
        "the same one"
    );
}

#[test]
fn deltas_and_unknown_entries_stay_in_place() {
    let stream = format!(
        "{}\n{}\n{}\n{}",
        r#"{"type":"turn_start"}"#,
        r#"{"type":"config_delta"}"#,
        r#"{"type":"note"}"#,
        over(0, 0, r#""summary":{"summary":"s"}"#)
    );
    assert_eq!(fates(&stream, Rules::Standard), "S..-");
}
