//! Markdown constructs, one by one (`docs/render.md#markdown`).

use crate::common::screen::{coloured, message, pipe, strip, wide_lines};
use convo::render::surface::Surface;
use convo::term::width::cells;

/// Source in, lines out, at 80 columns without colour.
#[track_caller]
fn keeps(source: &str, expected: &str) {
    assert_eq!(message(source, &pipe(80)), expected);
}

fn hidden(source: &str) -> String {
    let surface = Surface {
        hide_markup: true,
        ..pipe(80)
    };
    message(source, &surface)
}

#[test]
fn md_1_headings_wrap_under_their_text() {
    let output = message("## one two three four five six seven", &pipe(20));
    assert_eq!(output, "## one two three\n   four five six\n   seven\n");
    keeps("Title\n=====\n", "# Title\n");
    keeps("Title #\n---\n", "## Title \\#\n");
    keeps("#\n", "#\n");
}

#[test]
fn md_2_to_md_5_inline_delimiters_stay() {
    for source in [
        "*a* _b_ **c** __d__ ***e*** ~~f~~ ~g~",
        "H~2~O and x^2^ and a_b_c",
        "`code` and `` a`b `` and ` padded `",
        "\\*literal\\* &amp; &copy;",
    ] {
        keeps(source, &format!("{source}\n"));
    }
    let bold = message("__d__", &coloured(80));
    assert!(bold.contains("\u{1b}[1m"), "{bold:?}");
    let code = message("`c`", &coloured(80));
    assert!(
        !code.contains("\u{1b}[48"),
        "no background by itself: {code:?}"
    );
}

#[test]
fn md_6_links() {
    keeps("[a](https://e.org \"t\")", "[a](https://e.org \"t\")\n");
    keeps("[https://e.org](https://e.org)", "<https://e.org>\n");
    let wrapped = message("see [some label](https://e.org/abcdef) now", &pipe(20));
    assert_eq!(wrapped, "see [some label](\nhttps://e.org/abcdef)\nnow\n");
    let colour = message("[a](https://e.org)", &coloured(80));
    assert!(colour.contains("\u{1b}[4m"), "{colour:?}");
    for refused in ["javascript:x", "data:x", "file:///x", "/relative"] {
        let links = Surface {
            hyperlinks: true,
            ..pipe(80)
        };
        let output = message(&format!("[a]({refused})"), &links);
        assert_eq!(output, format!("[a]({refused})\n"));
    }
}

#[test]
fn md_7_autolinks_are_printed_as_written() {
    keeps(
        "<https://a.b/c> https://d.e/f?g. www.h.i <x@y.z>",
        "<https://a.b/c> https://d.e/f?g. www.h.i <x@y.z>\n",
    );
}

#[test]
fn md_8_references_become_inline_links() {
    keeps(
        "[a][r], [r][], [r] and [undefined]\n\n[r]: <https://e.org/a b> 'ti\"tle'\n",
        "[a](<https://e.org/a b> \"ti\\\"tle\"), [r](<https://e.org/a b> \"ti\\\"tle\"), [r](\n\
         <https://e.org/a b> \"ti\\\"tle\") and [undefined]\n\n\
         [r]: <https://e.org/a b> 'ti\"tle'\n",
    );
}

#[test]
fn md_9_images_keep_their_alt_text() {
    keeps("![an *alt*](src.png \"t\")", "![an *alt*](src.png \"t\")\n");
    assert_eq!(hidden("![an *alt*](src.png)"), "an alt (src.png)\n");
}

#[test]
fn md_10_to_md_13_lists() {
    keeps("* a\n* b\n", "- a\n- b\n");
    keeps("+ a\n\n\n+ b\n", "- a\n\n- b\n");
    keeps("- a\n\n* b\n", "- a\n\n* b\n");
    keeps("7) a\n9) b\n", "7) a\n8) b\n");
    keeps("- [ ] a\n- [x] b\n- [X] c\n", "- [ ] a\n- [x] b\n- [X] c\n");
    keeps(
        "- a\n  - b\n    - c\n\n      d\n",
        "- a\n  - b\n    - c\n\n      d\n",
    );
    keeps("-\n- b\n", "-\n- b\n");
    let output = message("10. one two three four five six", &pipe(20));
    assert_eq!(output, "10. one two three\n    four five six\n");
}

#[test]
fn md_14_to_md_16_tables() {
    keeps(
        "a|b\n:-|-:\n1|long cell\n|`x\\|y`|",
        "| a      |         b |\n|:-------|----------:|\n| 1      | long cell |\n\
         | `x\\|y` |           |\n",
    );
    let source = "| Header one | Second |\n|---|---|\n\
                  | some words that wrap | configuration value |\n| a<br>b | c |\n";
    let output = message(source, &pipe(34));
    let widths: Vec<usize> = output.lines().map(cells).collect();
    assert!(
        widths.iter().all(|&w| w == widths[0] && w <= 34),
        "{output}"
    );
    assert!(output.contains("configuration"), "{output}");
    assert!(output.lines().any(|line| line.starts_with('┆')), "{output}");
    for word in ["Header", "one", "some", "words", "that", "wrap", "value"] {
        assert!(output.contains(word), "{output}");
    }
    assert!(!output.contains("<br>"), "{output}");
}

#[test]
fn md_17_records_and_natural_widths() {
    let columns = 30;
    let row = |cell: &str| format!("|{}\n", format!(" {cell} |").repeat(columns));
    let source = format!("{}{}{}", row("h"), row("---"), row("v"));
    let output = message(&source, &pipe(80));
    assert_eq!(output, "h: v\n".repeat(columns));
    let wide = message(&source, &pipe(0));
    assert_eq!(wide.lines().count(), 3);
    keeps(
        "| a | b |\n|---|---|\n| 1 | 2 | 3 |",
        "| a   | b      |\n|-----|--------|\n| 1   | 2 \\| 3 |\n",
    );
}

#[test]
fn md_18_quotes_mark_every_line() {
    keeps(
        "> a\n>\n> ```\n> x\n>\n> y\n> ```\n",
        "> a\n>\n> ```\n> x\n>\n> y\n> ```\n",
    );
    keeps(">\n", ">\n");
}

#[test]
fn md_19_alerts() {
    keeps(
        "> [!tip] Own *title*\n> body",
        "> [!tip] Own *title*\n> body\n",
    );
    let colour = message("> [!CAUTION]\n> x", &coloured(80));
    assert!(strip(&colour).starts_with("> [!CAUTION]\n"));
}

#[test]
fn md_20_footnotes() {
    keeps(
        "A[^1] b.\n\n[^1]: note one two\n\n    more\n\n[^unused]: kept\n",
        "A[^1] b.\n\n[^1]: note one two\n\n    more\n\n[^unused]: kept\n",
    );
}

#[test]
fn md_21_to_md_24_code() {
    keeps("```\nopen", "```\nopen\n```\n");
    keeps("~~~ no-such-lang\nx\n~~~", "~~~no-such-lang\nx\n~~~\n");
    keeps("    indented\n    ```\n", "````\nindented\n```\n````\n");
    let long = "x ".repeat(200);
    keeps(&format!("```\n{long}\n```"), &format!("```\n{long}\n```\n"));
    let colour = message("```rust\nlet x = \"s\";\n```", &coloured(80));
    assert!(
        colour.contains("\u{1b}[") && strip(&colour).contains("\nlet x = \"s\";\n")
    );
    let unknown = message("```no-such\nlet x = 1;\n```", &coloured(80));
    assert!(unknown.contains("\nlet x = 1;\n"), "{unknown:?}");
}

#[test]
fn md_21_tabs() {
    let terminal = Surface {
        terminal: true,
        ..pipe(80)
    };
    let source = "- ```\n  a\tb\n  \tc\n  ```\n";
    assert_eq!(
        message(source, &terminal),
        "- ```\n  a   b\n      c\n  ```\n"
    );
    assert_eq!(message("```\na\tb\n```", &terminal), "```\na\tb\n```\n");
    assert_eq!(message(source, &pipe(80)), "- ```\n  a\tb\n  \tc\n  ```\n");
}

#[test]
fn md_25_html_is_text() {
    keeps("<!-- c -->\n", "<!-- c -->\n");
    keeps(
        "<details>\n  <b>x</b>\n</details>\n",
        "<details>\n  <b>x</b>\n</details>\n",
    );
    keeps("a <kbd>k</kbd><br>b", "a <kbd>k</kbd><br>b\n");
}

#[test]
fn md_26_rules_are_no_headers() {
    keeps("a\n\n***\n\nb", "a\n\n---\n\nb\n");
    keeps("- ***\n", "- ___\n");
    assert_eq!(hidden("---"), format!("{}\n", "─".repeat(80)));
}

#[test]
fn md_27_and_md_28_breaks() {
    keeps("a  \nb\\\nc\nd", "a\nb\\\nc d\n");
    keeps("设置\n页面\nend\n前", "设置页面 end 前\n");
    keeps("한국어\n문장", "한국어 문장\n");
}

#[test]
fn md_29_math_is_verbatim() {
    keeps("$$\na\nb\n$$ and $x$", "$$\na\nb\n$$ and $x$\n");
    keeps("$5 and $6", "$5 and $6\n");
}

#[test]
fn md_w6_deep_nesting_leaves_room() {
    let source = format!("{}text that goes on and on", "> ".repeat(40));
    let output = message(&source, &pipe(40));
    assert!(wide_lines(&output, 40).is_empty(), "{output}");
    assert!(output.lines().all(|line| line.starts_with("> >")));
}

#[test]
fn wrapped_prose_stays_prose() {
    let output = message("aaaa bbbb - cccc # dddd 1. eeee > ffff", &pipe(20));
    for line in output.lines() {
        assert!(line.starts_with(char::is_alphabetic), "{output}");
    }
}

#[test]
fn hide_takes_delimiters_and_no_text() {
    assert_eq!(
        hidden("# A *b* `c`\n\n**d** [l](https://e.org) &amp; \\*\n\n```rs\nx\n```"),
        "A b c\n\nd l (https://e.org) & *\n\nx\n"
    );
    let linked = Surface {
        hide_markup: true,
        hyperlinks: true,
        ..pipe(80)
    };
    let text = |source| strip(&message(source, &linked));
    assert_eq!(text("[l](https://e.org)"), "l\n");
    // SE-11: a label that names another host does not hide the target.
    assert_eq!(
        text("[https://bank.example](https://evil.example)"),
        "https://bank.example (https://evil.example)\n"
    );
    // SE-10: no clickable target, so it is shown.
    assert_eq!(text("[l](javascript:x)"), "l (javascript:x)\n");
}

#[test]
fn se_10_hosts_beyond_ascii_are_spelled_out() {
    keeps(
        "[a](https://bücher.example)",
        "[a](https://bücher.example) (xn--bcher-kva.example)\n",
    );
}
