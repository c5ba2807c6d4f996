//! Raw values as `serde_json::Value`s, for the schema library alone.
//!
//! Bounded where the schemas do not look: what is nested deeper than
//! [`MAX_DEPTH`] becomes an empty container of its kind, and a number that no
//! float holds becomes the largest one, so that no stored value, however deep or
//! large, can break the check.

use crate::json::{Kind, Raw};
use serde_json::{Map, Number, Value};

/// Deeper than any place that a schema says something about.
pub const MAX_DEPTH: usize = 64;

/// The value of `raw`; of duplicate keys the last wins.
pub fn to_value(raw: Raw<'_>) -> Value {
    convert(raw, 0)
}

/// An object's value, with `[]` at `key`.
pub(super) fn object_without(raw: Raw<'_>, key: &str) -> Value {
    let members = raw.as_object().into_iter().flatten();
    let map: Map<String, Value> = members
        .map(|(name, value)| match name.is(key) {
            true => (name.decode().into_owned(), Value::Array(Vec::new())),
            false => (name.decode().into_owned(), convert(value, 1)),
        })
        .collect();
    Value::Object(map)
}

fn convert(raw: Raw<'_>, depth: usize) -> Value {
    match raw.kind() {
        Kind::Null => Value::Null,
        Kind::Bool => Value::Bool(raw.as_bool() == Some(true)),
        Kind::Number => Value::Number(number(raw)),
        Kind::String => Value::String(raw.as_str().unwrap_or_default().into_owned()),
        Kind::Array if depth == MAX_DEPTH => Value::Array(Vec::new()),
        Kind::Object if depth == MAX_DEPTH => Value::Object(Map::new()),
        Kind::Array => {
            let elements = raw.as_array().into_iter().flatten();
            Value::Array(
                elements
                    .map(|element| convert(element, depth + 1))
                    .collect(),
            )
        }
        Kind::Object => {
            let members = raw.as_object().into_iter().flatten();
            Value::Object(
                members
                    .map(|(k, v)| (k.decode().into_owned(), convert(v, depth + 1)))
                    .collect(),
            )
        }
    }
}

fn number(raw: Raw<'_>) -> Number {
    if let Some(number) = raw.as_u64() {
        return number.into();
    }
    if let Some(number) = raw.as_i64() {
        return number.into();
    }
    let float = raw.as_f64().unwrap_or(0.0);
    let finite = float.clamp(f64::MIN, f64::MAX);
    Number::from_f64(finite).unwrap_or_else(|| 0.into())
}
