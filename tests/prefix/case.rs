//! The cases of `fixtures/prefix/cases.jsonl` and how their answers are checked.

use crate::common::command::{Ran, convo};
use crate::common::fixture;
use serde_json::{Value, json};

pub(super) fn case(number: u64) -> (Option<Value>, Value) {
    let text = String::from_utf8(fixture("prefix/cases.jsonl")).expect("UTF-8");
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let mut found = lines.filter(|line| line["case"] == number);
    let mut line = found.next().expect("a case");
    let a = line.get_mut("a").map(Value::take);
    (a, line["b"].take())
}

/// Runs the command on two bodies in files `a.json` and `b.json`.
pub(super) fn ran(a: &Value, b: &Value, args: &[&str]) -> Ran {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, body: &Value| {
        std::fs::write(folder.path().join(name), body.to_string()).expect("written");
    };
    write("a.json", a);
    write("b.json", b);
    let mut command = convo();
    let output = command
        .current_dir(folder.path())
        .args(["diff-cache-prefix", "a.json", "b.json"])
        .args(["--least-length", "0"])
        .args(args)
        .output()
        .expect("convo runs");
    Ran {
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        status: output.status.code().unwrap_or(-1),
    }
}

pub(super) struct Expected {
    pub(super) verdict: &'static str,
    pub(super) levels: [&'static str; 3],
    pub(super) reason: Value,
    pub(super) first: Value,
    pub(super) reusable: Value,
    pub(super) status: i32,
}

pub(super) const K: &str = "kept";
pub(super) const L: &str = "lost";
pub(super) const P: &str = "partial";
pub(super) const E: &str = "empty";

#[track_caller]
pub(super) fn check(number: u64, extra: &[&str], expected: &Expected) -> Value {
    let (a, b) = case(number);
    let mut args = vec!["--format", "json"];
    args.extend(match number {
        0..=21 => ["--model", "claude-opus-5"].as_slice(),
        _ => ["--model", "claude-opus-5-5", "--account", "new"].as_slice(),
    });
    args.extend(extra);
    let ran = ran(&a.expect("a first body"), &b, &args);
    let report: Value =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.shown()));
    assert_eq!(report["verdict"], expected.verdict, "{report:#}");
    let [tools, system, messages] = expected.levels;
    let levels = json!({"tools": tools, "system": system, "messages": messages});
    assert_eq!(report["levels"], levels, "{report:#}");
    assert_eq!(report["reason"], expected.reason, "{report:#}");
    let first = match report["divergences"].get(0) {
        None => Value::Null,
        Some(one) => json!([one["path"], one["offset"], one["cause"], one["rule"]]),
    };
    assert_eq!(first, expected.first, "{report:#}");
    let reusable = &report["reusable"];
    let reusable = if reusable.is_null() {
        &Value::Null
    } else {
        &reusable["breakpoint"]
    };
    assert_eq!(*reusable, expected.reusable, "{report:#}");
    assert_eq!(ran.status, expected.status, "{report:#}");
    assert_eq!(ran.stderr, "");
    report
}

#[track_caller]
pub(super) fn rule(report: &Value, rule: &str, severity: &str) -> Value {
    let findings = report["findings"].as_array().expect("findings");
    let mut found = findings.iter().filter(|one| one["rule"] == rule);
    let one = found
        .next()
        .unwrap_or_else(|| panic!("{rule} is not in {report:#}"));
    assert_eq!(one["severity"], severity, "{one:#}");
    one.clone()
}

#[track_caller]
pub(super) fn says(report: &Value, key: &str, text: &str) {
    let told = report["divergences"][0][key].as_str().expect("a text");
    assert!(told.contains(text), "{told}");
}
