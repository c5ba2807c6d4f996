//! Bad input: readable output, linear time (`docs/render.md` SE-14).

use crate::common::screen::{
    assert_inert, at_once, coloured, message, pieces_of, pipe, screen, strip,
};
use convo::render::Settings;
use convo::render::markdown::LARGEST;

/// Renders a shape at two sizes. Nothing is timed: a square would be felt.
#[track_caller]
fn assert_done(shape: &str, make: impl Fn(usize) -> String) {
    for size in [1, 12] {
        let source = make(size);
        for columns in [0, 40] {
            let output = at_once(&source, &pipe(columns));
            assert!(!output.is_empty(), "{shape}");
            assert_inert(&output);
        }
    }
}

#[test]
fn se_14_every_shape_comes_to_an_end() {
    let unit = 3000;
    let shapes: [(&str, &str, &str); 22] = [
        ("quotes", "> ", "x"),
        ("nested lists", "- ", "x"),
        ("open brackets", "[", ""),
        ("brackets", "[a](", ""),
        ("emphasis", "*a **b ", ""),
        ("backticks", "`a``b", ""),
        ("tags", "<a ", ""),
        ("comments", "<!-- ", ""),
        ("dollars", "$a ", ""),
        ("pipes", "|", "\n|-|\n"),
        ("escaped pipes", "| a \\| b `c\\|d` |\n", ""),
        ("entities", "&amp;", ""),
        ("backslashes", "\\", ""),
        ("ideographs", "页", ""),
        ("marks", "e\u{301}", ""),
        ("links", "[l](https://e.org/x) ", ""),
        ("definitions", "[l]: https://e.org/x\n", "\n[l]"),
        ("footnotes", "[^1]: x\n\n", "[^1]"),
        ("bullets in a row", "- - ", ""),
        ("lines", "a\n", ""),
        ("fences", "```\n", ""),
        ("hyphens", "word - ", ""),
    ];
    for (name, piece, tail) in shapes {
        assert_done(name, |n| format!("{}{tail}", piece.repeat(unit * n)));
    }
    assert_done("steps", |n| {
        let depth = 40 * n;
        (0..depth)
            .map(|d| format!("{}- x\n", "  ".repeat(d)))
            .collect::<String>()
            + &"\n".repeat(1000 * n)
    });
    assert_done("distinct definitions", |n| {
        (0..unit * n)
            .map(|i| format!("[l{i}]: /x{i}\n\n[l{i}]\n\n"))
            .collect()
    });
}

#[test]
fn two_hundred_quotes() {
    let source = format!("{}deep\n\nafter", "> ".repeat(200));
    let output = message(&source, &pipe(80));
    assert!(output.contains("deep") && output.ends_with("\nafter\n"));
    assert_inert(&output);
    let whole = message(&source, &pipe(0));
    assert_eq!(whole.matches('>').count(), 200);
}

#[test]
fn a_table_of_five_hundred_columns() {
    let row = |cell: &str| format!("|{}\n", format!(" {cell} |").repeat(500));
    let source = format!("{}{}{}", row("h"), row("-"), row("value"));
    let output = message(&source, &pipe(80));
    assert_eq!(output.lines().count(), 500);
    assert_eq!(output.matches("value").count(), 500);
}

#[test]
fn one_giant_cell_pads_nothing() {
    let rows = "| a | b |\n".repeat(3000);
    let source = format!(
        "| a | b |\n|---|---|\n| {} | x |\n{rows}",
        "y".repeat(100_000)
    );
    assert!(message(&source, &pipe(0)).len() < 4 * source.len());
}

#[test]
fn a_fence_never_closed() {
    let output = message("```rust\nlet a;\n\n# no heading\n", &pipe(80));
    assert_eq!(output, "```rust\nlet a;\n\n# no heading\n```\n");
}

#[test]
fn five_megabytes_on_one_line() {
    let source = "word ".repeat(1 << 20);
    let output = message(&source, &pipe(80));
    assert_eq!(output.split_whitespace().count(), 1 << 20);
    let long = "x".repeat(5 << 20);
    assert_eq!(at_once(&long, &pipe(80)).replace('\n', ""), long);
}

#[test]
fn se_14_more_than_eight_megabytes_are_plain_behind_that() {
    let source = "*a* line of text\n".repeat((LARGEST + (1 << 20)) / 17);
    let whole = at_once(&source, &pipe(0));
    assert!(whole.ends_with("*a* line of text\n*a* line of text\n"));
    let (left, right) = source.as_bytes().split_at(LARGEST - 5000);
    let (middle, right) = right.split_at(9000);
    assert_eq!(pieces_of(&[left, middle, right], &pipe(0)), whole);
}

#[test]
fn widths_of_one_and_none() {
    let source =
        "# h\n\npara with words\n\n- item\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
    for columns in [0, 1, 2, 5] {
        let output = message(source, &pipe(columns));
        let squeezed = |text: &str| text.replace([' ', '\n', '-'], "");
        assert!(!squeezed(&output).is_empty());
    }
}

#[test]
fn a_135_kb_result_and_binary_in_it() {
    let text: String = (0..135_000_u32)
        .map(|n| char::from(u8::try_from(n % 251).unwrap_or(0)))
        .collect();
    let content = serde_json::json!(text);
    let entries = format!(
        r#"[{{"type":"turn_start"}},{{"type":"tool_call_request","id":"1","name":"t"}},
            {{"type":"tool_call_response","id":"1","content":{content}}}]"#
    );
    for limit in ["10", "\"full\""] {
        let base = format!(
            r#"{{"conversation":{{"tools":{{"t":{{"style":{{"inline_results":{limit}}}}}}}}}}}"#
        );
        let shown = screen(&base, &entries, &Settings::default());
        assert_inert(&shown.both);
        assert_eq!(shown.told.len(), 1);
        let settings = Settings {
            chrome: coloured(80),
            ..Settings::default()
        };
        let colour = screen(&base, &entries, &settings);
        assert_eq!(strip(&colour.err), shown.err);
    }
}
