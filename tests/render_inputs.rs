//! The public test inputs of `docs/render.md` that are about messages:
//! long links, wide characters, nesting, fences, references.

use crate::common::markdown::{blocks, meaning};
use crate::common::screen::{
    assert_closed_lines, at_once, coloured, message, pieces_of, pipe, strip, wide_lines,
};
use convo::render::surface::Surface;
use convo::term::width::cells;

const LINK: &str = "Read the [upgrade notes](https://docs.example.org/en/v12/admin/\
upgrade/from-eleven-to-twelve.html) before you start.";
const TARGET: &str =
    "https://docs.example.org/en/v12/admin/upgrade/from-eleven-to-twelve.html";

fn linked(columns: usize) -> Surface {
    Surface {
        hyperlinks: true,
        ..pipe(columns)
    }
}

#[test]
fn r01_long_inline_link() {
    let output = message(LINK, &pipe(30));
    assert_eq!(output.matches(TARGET).count(), 1, "{output}");
    let wide = wide_lines(&output, 30);
    assert!(wide.len() == 1 && wide[0].contains(TARGET), "{output}");
    let joined = output.lines().collect::<Vec<_>>().join(" ");
    assert!(joined.contains("upgrade notes"), "{joined}");
    assert!(joined.contains("before you start."), "{joined}");
}

#[test]
fn r01_with_hyperlinks() {
    let output = message(LINK, &linked(30));
    assert!(wide_lines(&output, 30).is_empty(), "{output}");
    assert_closed_lines(&output);
    let mut shown = String::new();
    let mut ids = Vec::new();
    for part in output.split("\u{1b}]8;").skip(1) {
        let (head, text) = part.split_once("\u{1b}\\").expect("an OSC ends");
        let Some((id, target)) = head.split_once(';') else {
            continue;
        };
        if !target.is_empty() {
            assert_eq!(target, TARGET);
            ids.push(id.to_owned());
            shown.push_str(text.split('\u{1b}').next().unwrap_or_default());
        }
    }
    ids.dedup();
    assert_eq!(ids.len(), 1, "{ids:?}");
    assert!(
        shown.contains("upgrade notes") && shown.contains(TARGET),
        "{shown}"
    );
    assert!(strip(&output).replace('\n', "").contains(TARGET));
}

#[test]
fn r02_url_in_a_table_cell() {
    let source = "| Id | Where |\n|---|---|\n\
                  | 7 | <https://img.example.net/a/b/c/d/e/f/g/h/i/j/k.png> |\n";
    let output = message(source, &pipe(44));
    let widths: Vec<usize> = output.lines().map(cells).collect();
    assert!(
        widths.iter().all(|&w| w == widths[0] && w <= 44),
        "{output}"
    );
    let mut column = String::new();
    for line in output.lines().skip(2) {
        // A line that continues the row opens with another mark.
        let line = line.replacen('┆', "|", 1);
        column.push_str(line.split('|').nth(2).unwrap_or_default().trim());
    }
    assert_eq!(
        column,
        "<https://img.example.net/a/b/c/d/e/f/g/h/i/j/k.png>"
    );
    assert!(output.contains('┆'), "{output}");
}

#[test]
fn r03_cjk_without_spaces() {
    let source = "设置页面打开以后，先检查网络连接，再点击右上角的同步按钮。";
    let output = message(source, &pipe(20));
    assert!(output.lines().count() >= 2);
    assert!(wide_lines(&output, 20).is_empty());
    assert_eq!(output.lines().collect::<String>(), source);
    for line in output.lines() {
        assert!(!line.starts_with(['，', '。']), "{line}");
    }
}

#[test]
fn r04_mixed_script_fill() {
    let output = message("Run backup 之后请等待三分钟再继续下一步操作", &pipe(24));
    let first = output.lines().next().unwrap_or_default();
    assert!(first.contains("backup") && first.contains('之'), "{output}");
}

#[test]
fn r05_narrow_table_wide_graphemes() {
    let source = "| 状态 | 担当 | 👩‍🔧 | ok |\n|:-:|---|---|--:|\n\
                  | 完了 | 山田 | 👍🏽👍🏽 | ✔️ |\n";
    for columns in [20, 24, 25, 26, 30, 80] {
        let output = message(source, &pipe(columns));
        assert!(output.contains("👩‍🔧"), "{output}");
        assert_eq!(output.matches("👍🏽").count(), 2, "{output}");
        if output.starts_with('|') {
            let widths: Vec<usize> = output.lines().map(cells).collect();
            assert!(
                widths.iter().all(|&w| w == widths[0] && w <= columns),
                "{output}"
            );
        } else {
            assert!(output.contains("状态: 完了"), "{output}");
        }
    }
}

#[test]
fn r06_code_inside_a_nested_list() {
    let source = "3. Prepare\n\n   - fetch:\n\n     ```sh\n     \
                  curl -sO https://example.org/x\n     \ttar xf x   # tab-indented\n     \
                  ```\n\n4. Done\n";
    let output = message(source, &pipe(80));
    assert!(output.starts_with("3. Prepare\n"), "{output}");
    assert!(output.ends_with("\n4. Done\n"), "{output}");
    let code: Vec<&str> = output
        .lines()
        .skip_while(|line| !line.contains("```"))
        .skip(1)
        .take(2)
        .collect();
    assert_eq!(code[0].trim_start(), "curl -sO https://example.org/x");
    let prefix = code[0].len() - code[0].trim_start().len();
    assert_eq!(&code[1][prefix..], "\ttar xf x   # tab-indented");
    for line in output.lines() {
        assert_eq!(line, line.trim_end());
    }
}

#[test]
fn r07_quote_holding_list_code_nested_quote() {
    let source = "> Steps so far, in the order we tried them:\n> 1. restart\n>\n\
                  > ```\n> x=1\n> ```\n> > inner remark that needs to wrap\n";
    let output = message(source, &pipe(28));
    for line in output.lines().filter(|line| !line.is_empty()) {
        assert!(line.starts_with('>'), "{output}");
    }
    assert!(output.lines().any(|line| line == "> x=1"), "{output}");
    let inner: Vec<&str> = output
        .lines()
        .skip_while(|line| !line.contains("inner"))
        .collect();
    assert!(inner.len() > 1, "{output}");
    assert!(inner.iter().all(|line| line.starts_with("> >")), "{output}");
}

#[test]
fn r08_fence_within_fence() {
    let source = "````md\n```js\nx()\n```\nafter\n````\n\ntail\n";
    let output = message(source, &pipe(80));
    assert!(output.ends_with("\ntail\n"), "{output}");
    assert_eq!(meaning(&output), meaning(source));
    assert_eq!(blocks(&output), ["CodeBlock", "Paragraph"]);
}

#[test]
fn r09_style_stack() {
    let output = message("## Fix **two** bugs in `core` today", &coloured(80));
    let line = output.lines().next().unwrap_or_default();
    let today = line.find("today").expect("the word") + "toda".len();
    let (mut bold, mut at_y, mut rest, mut at) = (false, None, line, 0);
    while let Some(escape) = rest.find("\u{1b}[") {
        if at_y.is_none() && at + escape > today {
            at_y = Some(bold);
        }
        let end = rest[escape..].find('m').expect("SGR ends") + escape;
        bold = match &rest[escape + 2..end] {
            "1" => true,
            "0" => false,
            _ => bold,
        };
        at += end + 1;
        rest = &rest[end + 1..];
    }
    assert_eq!(at_y, Some(true), "{line:?}");
    assert!(!bold, "{line:?}");
}

#[test]
fn r10_alert() {
    let output = message(
        "> [!WARNING]\n> Disk almost full.\n> Delete logs.",
        &pipe(80),
    );
    assert_eq!(output, "> [!WARNING]\n> Disk almost full. Delete logs.\n");
    let output = message("> [!WARNINGS]\n> Disk almost full.", &pipe(80));
    assert_eq!(output, "> [!WARNINGS] Disk almost full.\n");
}

fn same_for_every_split(source: &str) -> String {
    let surface = pipe(80);
    let whole = at_once(source, &surface);
    let bytes = source.as_bytes();
    for at in 0..=bytes.len() {
        let (left, right) = bytes.split_at(at);
        assert_eq!(pieces_of(&[left, right], &surface), whole, "split at {at}");
    }
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(pieces_of(&single, &surface), whole);
    whole
}

#[test]
fn r11_forward_reference() {
    let output = same_for_every_split(
        "See the [guide][g] and [faq].\n\nMore text.\n\n\
         [g]: https://e.org/g\n[faq]: https://e.org/f",
    );
    assert!(output.contains("[guide](https://e.org/g)"), "{output}");
    assert!(output.contains("[faq](https://e.org/f)"), "{output}");
}

#[test]
fn r12_late_loosening() {
    let output = same_for_every_split("- one\n- two\n\n- three\n\nAfter.");
    assert_eq!(output, "- one\n- two\n\n- three\n\nAfter.\n");
}
