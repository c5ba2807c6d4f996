//! MD-W1 to MD-W3 on plain texts.

use super::*;
use anstyle::Style;

fn lines(string: &str, columns: usize) -> Vec<String> {
    let text = Text::styled(string, Style::new());
    let mut lines = Vec::new();
    let widths = Widths {
        columns: Some(columns),
        split_atoms: false,
    };
    wrap(&text, widths, |range| {
        lines.push(text.string[range].to_owned());
    });
    lines
}

#[test]
fn md_w1_lines_are_filled_greedily() {
    assert_eq!(lines("aa bb cc dd", 5), ["aa bb", "cc dd"]);
    assert_eq!(lines("aa  bb   cc ", 6), ["aa  bb", "cc"]);
    assert_eq!(lines("one\ntwo three", 4), ["one", "two", "thre", "e"]);
}

#[test]
fn md_w2_wide_text_breaks_without_spaces() {
    let source = "设置页面打开以后，先检查网络连接，再点击右上角的同步按钮。";
    let lines = lines(source, 20);
    assert!(lines.len() > 1);
    assert_eq!(lines.concat(), source);
    for line in &lines {
        assert!(cells(line) <= 20, "{line}");
        assert!(!line.starts_with(['，', '。']), "{line}");
    }
}

#[test]
fn md_w2_mixed_text_fills_the_line() {
    let lines = lines("Run backup 之后请等待三分钟再继续下一步操作", 24);
    assert!(lines[0].contains("backup 之后"), "{lines:?}");
}

#[test]
fn md_w3_long_tokens_break_between_graphemes() {
    assert_eq!(lines("abcdefgh", 3), ["abc", "def", "gh"]);
    assert_eq!(lines("👍🏽👍🏽👍🏽", 3), ["👍🏽", "👍🏽", "👍🏽"]);
    let long = "x".repeat(100_000);
    assert_eq!(lines(&long, 80).concat(), long);
    let wide = "é".repeat(100_000);
    assert_eq!(lines(&wide, 80).concat(), wide);
}

#[test]
fn md_6_addresses_overflow_whole() {
    assert_eq!(
        lines("see https://e.org/a/very/long/path now", 10),
        ["see", "https://e.org/a/very/long/path", "now"]
    );
}

#[test]
fn a_column_narrower_than_a_grapheme_ends() {
    assert_eq!(lines("设置", 1), ["设", "置"]);
}
