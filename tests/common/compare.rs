//! Bodies compared by value: as the API reads them, not as they are spelled.

use serde_json::Value;

/// Where two bodies differ: paths with both values, at most eight.
pub(crate) fn differences(expected: &Value, found: &Value) -> Vec<String> {
    let mut list = Vec::new();
    compare(expected, found, "", &mut list);
    list.truncate(8);
    list
}

fn compare(expected: &Value, found: &Value, path: &str, list: &mut Vec<String>) {
    match (expected, found) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, value) in a {
                match b.get(key) {
                    Some(other) => {
                        compare(value, other, &format!("{path}/{key}"), list);
                    }
                    None => list.push(format!("{path}/{key}: missing {}", cut(value))),
                }
            }
            for (key, value) in b.iter().filter(|(key, _)| !a.contains_key(*key)) {
                list.push(format!("{path}/{key}: unexpected {}", cut(value)));
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            if a.len() != b.len() {
                list.push(format!("{path}: {} elements, found {}", a.len(), b.len()));
            }
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                compare(a, b, &format!("{path}/{index}"), list);
            }
        }
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap_or(0.0), b.as_f64().unwrap_or(0.0));
            if (a - b).abs() > a.abs() * 1e-6 {
                list.push(format!("{path}: {a}, found {b}"));
            }
        }
        (a, b) if a == b => {}
        (a, b) => list.push(format!("{path}: {}, found {}", cut(a), cut(b))),
    }
}

fn cut(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(160) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
