//! `convo import`: the worked examples, the laws, the corpus, bad input.

mod corpus;
mod examples;
mod laws;
mod rebuild;
mod rows;

use crate::common::command::{Ran, convo};
use serde_json::Value;

/// The records that `convo import` makes of `input`.
pub(crate) fn import(input: &str, args: &[&str]) -> Vec<Value> {
    let ran = run(input, args);
    assert_eq!(ran.status, 0, "{}", ran.shown());
    records(&ran.stdout)
}

/// One record.
#[track_caller]
pub(crate) fn one(input: &str, args: &[&str]) -> Value {
    let mut records = import(input, args);
    assert_eq!(records.len(), 1, "{records:?}");
    records.remove(0)
}

pub(crate) fn run(input: &str, args: &[&str]) -> Ran {
    let mut command = convo();
    command.arg("import").args(args);
    Ran::of(&command.write_stdin(input).output().expect("a run"))
}

pub(crate) fn records(lines: &str) -> Vec<Value> {
    lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("a bundle"))
        .collect()
}

/// Runs another command on `input`.
pub(crate) fn pass(command: &[&str], input: &str) -> Ran {
    Ran::of(
        &convo()
            .args(command)
            .write_stdin(input)
            .output()
            .expect("a run"),
    )
}

/// The events of a record.
pub(crate) fn events(record: &Value) -> &Vec<Value> {
    record["events"].as_array().expect("events")
}

/// The entries of a kind.
pub(crate) fn of_kind<'v>(record: &'v Value, kind: &str) -> Vec<&'v Value> {
    events(record)
        .iter()
        .filter(|e| e["type"] == kind)
        .collect()
}
