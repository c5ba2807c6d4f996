//! JSON laid out for reading: two spaces a level, bytes of scalars kept.

use crate::json::raw::string_end;

/// Appends a checked JSON value, one member or element a line.
///
/// Iterative: depth costs nothing but its indentation, which stops growing.
pub fn pretty(out: &mut Vec<u8>, value: &[u8]) {
    let mut depth = 0_usize;
    let mut at = 0;
    let from = out.len();
    let newline = |out: &mut Vec<u8>, depth: usize, at: usize| {
        // What is nested so densely that it would be mostly margin stays on its
        // line.
        if out.len() - from + 2 * depth.min(DEEPEST) <= MARGIN * at + ROOM {
            newline(out, depth);
        }
    };
    // Whether an opened container still holds nothing.
    let mut empty = false;
    while let Some(&byte) = value.get(at) {
        if matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
            at += 1;
            continue;
        }
        if empty && !matches!(byte, b'}' | b']') {
            newline(out, depth, at);
        }
        match byte {
            b'{' | b'[' => {
                out.push(byte);
                depth += 1;
                empty = true;
                at += 1;
                continue;
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if !empty {
                    newline(out, depth, at);
                }
                out.push(byte);
            }
            b',' => {
                out.push(byte);
                newline(out, depth, at);
            }
            b':' => out.extend_from_slice(b": "),
            b'"' => {
                let end = string_end(value, at);
                out.extend_from_slice(&value[at..end]);
                at = end - 1;
            }
            _ => out.push(byte),
        }
        empty = false;
        at += 1;
    }
}

/// Deeper levels are not indented further.
const DEEPEST: usize = 64;
/// How many times its own length a value may take, and what any value may.
const MARGIN: usize = 4;
const ROOM: usize = 16 << 10;

fn newline(out: &mut Vec<u8>, depth: usize) {
    out.push(b'\n');
    for _ in 0..depth.min(DEEPEST) {
        out.extend_from_slice(b"  ");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pretty_text(json: &str) -> String {
        let mut out = Vec::new();
        pretty(&mut out, json.as_bytes());
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn values_are_laid_out_and_scalars_kept() {
        assert_eq!(
            pretty_text(r#"{"a":[1.0,"x,]\u001b",{}],"b":[],"c":{"d":null}}"#),
            "{\n  \"a\": [\n    1.0,\n    \"x,]\\u001b\",\n    {}\n  ],\n  \
             \"b\": [],\n  \"c\": {\n    \"d\": null\n  }\n}"
        );
    }

    #[test]
    fn depth_costs_no_more_than_its_bytes() {
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        assert!(pretty_text(&deep).len() < 5 * deep.len() + (17 << 10));
    }
}
