//! `lint`: every rule's examples, other providers, real bodies, the command.

mod cases;
mod command;
mod corpus;
mod examples;
mod fix;
mod hostile;
mod mends;
mod reports;
mod traffic;
mod values;

use convo::body::{Body, Capture, Provider, captures, records};
use convo::error::{Error, Severity};
use convo::finding::Finding;
use convo::lint::{Profile, Wanted, check};
use convo::model::Table;
use serde_json::{Value, json};

/// One finding as the tests look at it: rule, severity, path.
pub(super) type Seen = (&'static str, &'static str, String);

pub(super) fn seen(findings: &[Finding]) -> Vec<Seen> {
    findings
        .iter()
        .map(|one| (one.rule.id, one.severity.name(), one.path.clone()))
        .collect()
}

/// The findings on a body or capture, as its bytes would have them.
pub(super) fn lint_bytes(input: &[u8], wanted: &Wanted) -> Result<Vec<Finding>, Error> {
    with(input, None, wanted, |body, capture, profile| {
        check(body, capture.bytes(), profile)
    })
}

/// Reads a record and calls `then` with its body.
pub(super) fn with<T>(
    input: &[u8],
    provider: Option<Provider>,
    wanted: &Wanted,
    then: impl FnOnce(&Body<'_>, &Capture<'_>, &Profile) -> T,
) -> Result<T, Error> {
    let table = Table::built_in();
    let record = records(input).next().expect("a record")?;
    let capture = captures(input, record).remove(0)?;
    let model = capture.model().or(wanted.model.as_deref());
    let body = Body::read(capture.raw(), provider, model)?;
    let wanted = Wanted {
        model: model.map(str::to_owned),
        ..wanted.clone()
    };
    let profile = Profile::new(&table, &wanted, &body, capture.headers.as_ref());
    Ok(then(&body, &capture, &profile))
}

pub(super) fn lint(value: &Value, wanted: &Wanted) -> Vec<Finding> {
    let bytes = value.to_string().into_bytes();
    lint_bytes(&bytes, wanted).unwrap_or_else(|error| panic!("{error}\n{value}"))
}

/// A capture with the base body of the specification's examples, patched; its
/// headers say exactly which betas are on.
pub(super) fn patched(patch: &Value) -> Value {
    let mut body = json!({
        "model": "claude-opus-5",
        "max_tokens": 64,
        "messages": [{"role": "user", "content": "hi"}],
    });
    let mut betas = Vec::new();
    for (key, value) in patch.as_object().expect("a patch") {
        match key.as_str() {
            "_betas" => betas.extend(
                value
                    .as_array()
                    .expect("betas")
                    .iter()
                    .filter_map(Value::as_str),
            ),
            _ => body[key] = value.clone(),
        }
    }
    json!({"headers": {"anthropic-beta": betas.join(",")}, "body": body})
}

pub(super) fn errors(findings: &[Finding]) -> Vec<&'static str> {
    let mut ids: Vec<_> = findings
        .iter()
        .filter(|one| one.severity == Severity::Error)
        .map(|one| one.rule.id)
        .collect();
    ids.dedup();
    ids
}
