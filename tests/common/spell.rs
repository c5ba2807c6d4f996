//! One JSON value written in many ways, and changed in many ways.

use serde_json::Value;

/// A small generator of choices: the same seed makes the same ones.
struct Choice(u64);

impl Choice {
    fn one_in(&mut self, n: u64) -> bool {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33).is_multiple_of(n)
    }
}

/// `value` as JSON with white space, escapes and overridden duplicate keys put
/// in where `seed` says; 0 writes it compact.
pub(crate) fn spell(value: &Value, seed: u64) -> String {
    if seed == 0 {
        return value.to_string();
    }
    let mut out = String::new();
    write(&mut out, value, &mut Choice(seed));
    out
}

fn write(out: &mut String, value: &Value, choice: &mut Choice) {
    space(out, choice);
    match value {
        Value::String(text) => string(out, text, choice),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write(out, item, choice);
            }
            space(out, choice);
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (at, (key, member)) in members.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                if choice.one_in(12) {
                    member_of(out, key, &Value::from(5), choice);
                    out.push(',');
                }
                member_of(out, key, member, choice);
            }
            space(out, choice);
            out.push('}');
        }
        other => out.push_str(&other.to_string()),
    }
    space(out, choice);
}

fn member_of(out: &mut String, key: &str, member: &Value, choice: &mut Choice) {
    space(out, choice);
    string(out, key, choice);
    space(out, choice);
    out.push(':');
    write(out, member, choice);
}

fn space(out: &mut String, choice: &mut Choice) {
    for blank in [' ', '\n', '\t', '\r'] {
        if choice.one_in(9) {
            out.push(blank);
        }
    }
}

fn string(out: &mut String, text: &str, choice: &mut Choice) {
    let escapes = choice.one_in(4);
    out.push('"');
    for c in text.chars() {
        if c == '/' && choice.one_in(2) {
            out.push_str("\\/");
        } else if escapes && choice.one_in(5) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let upper = choice.one_in(2);
                let hex = if upper {
                    format!("\\u{unit:04X}")
                } else {
                    format!("\\u{unit:04x}")
                };
                out.push_str(&hex);
            }
        } else {
            let quoted = Value::from(c.to_string()).to_string();
            out.push_str(&quoted[1..quoted.len() - 1]);
        }
    }
    out.push('"');
}

/// `value` with one thing wrong or odd: every member and element in turn taken
/// away, and every value in turn replaced by one of each kind.
pub(crate) fn mutations(value: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    for pointer in pointers(value, "") {
        for other in [
            "null", "true", "0", "-1", "1.5", "\"\"", "\"x\"", "[]", "{}",
        ] {
            let mut mutant = value.clone();
            let target = mutant.pointer_mut(&pointer).expect("a path of the value");
            *target = serde_json::from_str(other).expect("JSON");
            found.push(mutant);
        }
        let Some((parent, step)) = pointer.rsplit_once('/') else {
            continue;
        };
        let mut mutant = value.clone();
        match mutant.pointer_mut(parent) {
            Some(Value::Object(members)) => {
                members.shift_remove(&step.replace("~1", "/").replace("~0", "~"));
            }
            Some(Value::Array(items)) => {
                items.remove(step.parse().expect("an index"));
            }
            _ => {}
        }
        found.push(mutant);
    }
    found
}

/// The JSON Pointers of a value and of all values in it.
fn pointers(value: &Value, path: &str) -> Vec<String> {
    let mut found = vec![path.to_owned()];
    for (key, member) in value.as_object().into_iter().flatten() {
        let key = key.replace('~', "~0").replace('/', "~1");
        found.extend(pointers(member, &format!("{path}/{key}")));
    }
    for (at, item) in value.as_array().into_iter().flatten().enumerate() {
        found.extend(pointers(item, &format!("{path}/{at}")));
    }
    found
}
