//! How long `diff-cache-prefix` takes: `cargo bench --bench prefix`.
//!
//! First the growth of shapes that might be slow, doubled up to the most a request
//! may hold; the last column is the time a byte takes against the smallest size:
//! near 1 for linear time. Then, where there is a `cmp`, two equal files of 100 MB,
//! compared in turn by `cmp` and by the command: the goal is at most 4 times.

use convo::body::{captures, records};
use convo::model::Table;
use convo::prefix::{Account, Comparison, History, Sent};
use std::hint::black_box;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn body(system: &str, tools: &str, messages: &str) -> String {
    format!(
        r#"{{"model":"claude-opus-5-5","max_tokens":1,"cache_control":{{"type":"ephemeral"}},"tools":[{tools}],"system":"{system}","messages":[{messages}]}}"#
    )
}

fn list(count: usize, one: impl Fn(usize) -> String) -> String {
    (0..count).map(one).collect::<Vec<_>>().join(",")
}

fn turns(from: usize, count: usize, text: &str) -> String {
    list(count, |n| {
        let n = from + n;
        format!(
            r#"{{"role":"user","content":[{{"type":"text","text":"{text} {n}"}}]}},{{"role":"assistant","content":[{{"type":"thinking","thinking":"","signature":"s{n}"}},{{"type":"tool_use","id":"t{n}","name":"f","input":{{"a":{n},"b":[1,2]}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{n}","content":"ok"}}]}}"#
        )
    })
}

fn tools(count: usize, text: &str, back: bool) -> String {
    list(count, |n| {
        let n = if back { count - n } else { n + 1 };
        format!(
            r#"{{"name":"tool_{n}","description":"{text}","input_schema":{{"type":"object"}}}}"#
        )
    })
}

fn nest(count: usize, swapped: bool) -> String {
    let depth = count / 16;
    let (open, close) = match swapped {
        false => (r#"{"k":1,"v":"#, "}"),
        true => (r#"{"v":"#, r#","k":1}"#),
    };
    let leaf = usize::from(swapped).to_string();
    let value = [open.repeat(depth), leaf, close.repeat(depth)].concat();
    let call = format!(
        r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"t","name":"f","input":{value}}}]}}"#
    );
    body(
        "",
        "",
        &format!(r#"{{"role":"user","content":"x"}},{call}"#),
    )
}

/// A shape: the pair of a size.
type Shape = (&'static str, fn(usize) -> (String, String));

const SHAPES: [Shape; 8] = [
    ("a turn more", |size| {
        let count = size / 280;
        (
            body("s", "", &turns(0, count, "x")),
            body("s", "", &turns(0, count + 1, "x")),
        )
    }),
    ("another system text", |size| {
        let all = turns(0, size / 280, "x");
        (body("a", "", &all), body("b", "", &all))
    }),
    ("every message edited", |size| {
        let count = size / 280;
        (
            body("s", "", &turns(0, count, "x")),
            body("s", "", &turns(0, count, "y")),
        )
    }),
    ("a window that slides", |size| {
        let count = size / 280;
        (
            body("s", "", &turns(0, count, "x")),
            body("s", "", &turns(1, count, "x")),
        )
    }),
    ("tools the other way round", |size| {
        let count = size / 80;
        (
            body("s", &tools(count, "d", false), ""),
            body("s", &tools(count, "d", true), ""),
        )
    }),
    ("every tool edited", |size| {
        let count = size / 80;
        (
            body("s", &tools(count, "d", false), ""),
            body("s", &tools(count, "e", false), ""),
        )
    }),
    ("keys swapped at every depth", |size| {
        (nest(size, false), nest(size, true))
    }),
    ("one long text", |size| {
        let text = "word ".repeat(size / 5);
        (
            body(&format!("{text}a"), "", ""),
            body(&format!("{text}b"), "", ""),
        )
    }),
];

fn run(a: &str, b: &str, table: &Table) {
    let take = |text| {
        let record = records(text).next()?.ok()?;
        captures(text, record).into_iter().next()?.ok()
    };
    let (Some(one), Some(other)) = (take(a.as_bytes()), take(b.as_bytes())) else {
        return;
    };
    let sent = |capture| Sent {
        name: String::new(),
        capture,
        times: convo::prefix::Times::default(),
    };
    let comparison = Comparison::new(table)
        .model(Some("claude-opus-5-5"))
        .account(Account::New);
    let report = comparison.pair(&sent(&one), &sent(&other), &mut History::default());
    black_box(report.is_ok());
}

fn best(rounds: usize, mut job: impl FnMut()) -> Duration {
    let timed = (0..rounds).map(|_| {
        let start = Instant::now();
        job();
        start.elapsed()
    });
    timed.min().unwrap_or_default()
}

fn growth() {
    let table = Table::built_in();
    for (name, shape) in SHAPES {
        let mut first = None;
        for size in [1 << 20, 1 << 22, 1 << 24] {
            let (a, b) = shape(size);
            let time = best(3, || run(&a, &b, &table));
            let bytes = (a.len() + b.len()) as f64;
            let per_byte = time.as_secs_f64() / bytes;
            let against = per_byte / *first.get_or_insert(per_byte);
            println!(
                "{name:<28} {:>7.1} MB {:>8.1} ms {:>7.0} MB/s {against:>5.2}",
                bytes / 1e6,
                time.as_secs_f64() * 1e3,
                bytes / 1e6 / time.as_secs_f64(),
            );
        }
    }
}

fn equal() -> std::io::Result<()> {
    let folder =
        std::env::temp_dir().join(format!("prefix-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let paths = ["a.json", "b.json"].map(|name| folder.join(name));
    let text = "The quick brown fox jumps over the lazy dog. ".repeat(40);
    let tool = r#"{"name":"f","input_schema":{"type":"object"}}"#;
    let all = body("s", tool, &turns(0, 100_000_000 / 2080, &text));
    for path in &paths {
        std::fs::write(path, &all)?;
    }
    let binary = env!("CARGO_BIN_EXE_convo");
    let mut times = [Duration::MAX, Duration::MAX];
    for _ in 0..7 {
        for (at, command) in [("cmp", &[][..]), (binary, &["diff-cache-prefix"])]
            .into_iter()
            .enumerate()
        {
            let start = Instant::now();
            let done = Command::new(command.0)
                .args(command.1)
                .args(&paths)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()?;
            if done.success() {
                times[at] = times[at].min(start.elapsed());
            }
        }
    }
    println!(
        "equal bodies of {:.0} MB: cmp {:.0} ms, convo {:.0} ms: {:.1} times",
        all.len() as f64 / 1e6,
        times[0].as_secs_f64() * 1e3,
        times[1].as_secs_f64() * 1e3,
        times[1].as_secs_f64() / times[0].as_secs_f64(),
    );
    std::fs::remove_dir_all(&folder)
}

fn main() {
    growth();
    if let Err(error) = equal() {
        println!("equal bodies: not compared: {error}");
    }
}
