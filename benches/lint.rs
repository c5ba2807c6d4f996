//! How long `lint` takes as bodies grow: `cargo bench --bench lint`.
//!
//! Each shape is doubled until it is as large as a request may be; the last
//! column is the time a byte takes, against the smallest size: near 1 for linear
//! time. Plain timings, best of five, for reading, judging and placing together.

use convo::body::{Body, captures, records};
use convo::lint::{Profile, Wanted, check};
use convo::model::Table;
use convo::show::{Lines, Linted};
use std::hint::black_box;
use std::time::{Duration, Instant};

fn body(system: &str, tools: &str, messages: &str) -> String {
    format!(
        r#"{{"model":"claude-opus-5","max_tokens":1,"cache_control":{{"type":"ephemeral"}},"system":"{system}","tools":[{tools}],"messages":[{messages}]}}"#
    )
}

fn list(count: usize, one: impl Fn(usize) -> String) -> String {
    (0..count).map(one).collect::<Vec<_>>().join(",")
}

const USER: &str = r#"{"role":"user","content":"hi"}"#;

fn tools(count: usize) -> String {
    let tools = list(count, |n| {
        format!(
            r#"{{"name":"tool_{n}","description":"Does the thing numbered {n}.","input_schema":{{"type":"object","properties":{{"path":{{"type":"string"}}}}}}}}"#
        )
    });
    body("Be brief.", &tools, USER)
}

fn messages(count: usize) -> String {
    let turns = list(count / 2, |n| {
        format!(
            r#"{{"role":"user","content":"question {n}"}},{{"role":"assistant","content":[{{"type":"text","text":"answer {n}"}}]}}"#
        )
    });
    body("Be brief.", "", &format!("{turns},{USER}"))
}

fn calls(count: usize) -> String {
    let tool = r#"{"name":"f","input_schema":{"type":"object"}}"#;
    let turns = list(count, |n| {
        format!(
            r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"t{n}","name":"f","input":{{"n":{n}}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{n}","content":"ok"}}]}}"#
        )
    });
    body("", tool, &format!("{USER},{turns}"))
}

fn changes(count: usize) -> String {
    let tool = r#"{"name":"f","input_schema":{"type":"object"}}"#;
    let turns = list(count, |n| {
        let kind = if n % 2 == 0 {
            "tool_removal"
        } else {
            "tool_addition"
        };
        format!(
            r#"{USER},{{"role":"system","content":[{{"type":"{kind}","tool":{{"type":"tool_reference","name":"f"}}}}]}},{{"role":"assistant","content":"ok"}}"#
        )
    });
    body("", tool, &format!("{turns},{USER}"))
}

fn text(bytes: usize) -> String {
    let text = r"A line of text, with a break.\n".repeat(bytes / 31);
    let half = text.len() / 62 * 31;
    let message = format!(r#"{{"role":"user","content":"{}"}}"#, &text[..half]);
    body(&text[half..], "", &message)
}

fn wrong(count: usize) -> String {
    let blocks = list(count, |_| {
        r#"{"type":"text","text":"","cache_control":{"ttl":"1h"}}"#.to_owned()
    });
    body(
        "",
        "",
        &format!(r#"{{"role":"user","content":[{blocks}]}}"#),
    )
}

fn in_a_string(count: usize) -> String {
    let text = messages(count).replace("\"content\":\"question", "\"x\":\"\\n");
    format!(
        r#"{{"headers":{{}},"body":{}}}"#,
        serde_json::Value::from(text)
    )
}

fn once(input: &[u8], table: &Table) -> (Duration, usize) {
    let start = Instant::now();
    let record = records(input).next().and_then(Result::ok).expect("JSON");
    let capture = captures(input, record).remove(0).expect("a capture");
    let body = Body::read(capture.raw(), None, None).expect("a body");
    let profile = Profile::new(table, &Wanted::default(), &body, None);
    let findings = check(&body, capture.bytes(), &profile);
    let linted = Linted::new(Lines::new(input), &capture, &body, &profile, findings);
    let count = black_box(linted).findings.len();
    (start.elapsed(), count)
}

fn main() {
    type Shape = (&'static str, fn(usize) -> String, usize);
    let shapes: [Shape; 7] = [
        ("tools", tools, 10_000),
        ("messages", messages, 100_000),
        ("calls and results", calls, 50_000),
        ("tool changes", changes, 33_000),
        ("bytes of text", text, 32 << 20),
        ("wrong blocks", wrong, 400_000),
        ("in a string", in_a_string, 100_000),
    ];
    let table = Table::built_in();
    println!(
        "shape                 count      bytes  findings        ms    MB/s  growth"
    );
    for (name, make, most) in shapes {
        let mut first = None;
        for count in [most / 8, most / 4, most / 2, most] {
            let input = make(count);
            let runs = (0..5).map(|_| once(input.as_bytes(), &table));
            let (best, found) = runs.min().expect("five runs");
            let seconds = best.as_secs_f64();
            let bytes = input.len() as f64;
            let per_byte = seconds / bytes;
            let growth = per_byte / *first.get_or_insert(per_byte);
            println!(
                "{name:<18} {count:>8} {bytes:>10} {found:>9} {:>9.2} {:>7.0} {growth:>7.2}",
                seconds * 1e3,
                bytes / seconds / 1e6,
            );
        }
    }
}
