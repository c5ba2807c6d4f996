//! Every rule of `docs/render.md#untrusted-text` that is about single texts.

use super::*;

fn strip(text: &str) -> String {
    clean(text, Rules::default(), &mut Removed::default()).into_owned()
}

fn show(text: &str) -> String {
    let rules = Rules {
        control: Control::Show,
        keep_bidi: false,
    };
    clean(text, rules, &mut Removed::default()).into_owned()
}

#[test]
fn se_1_every_kind_of_sequence_goes() {
    for sequence in [
        "\u{1b}[2J",
        "\u{1b}[1;1H",
        "\u{1b}[?25l",
        "\u{1b}[31m",
        "\u{1b}]0;t\u{7}",
        "\u{1b}]8;;http://e\u{1b}\\",
        "\u{1b}Pq#0\u{1b}\\",
        "\u{1b}_a\u{1b}\\",
        "\u{1b}^p\u{1b}\\",
        "\u{1b}Xs\u{1b}\\",
        "\u{1b}c",
        "\u{1b}(B",
        "\u{1b}#8",
        "\u{9b}31m",
        "\u{9d}0;t\u{9c}",
        "\u{84}",
    ] {
        assert_eq!(strip(&format!("a{sequence}b")), "ab", "{sequence:?}");
        assert_eq!(show(&format!("a{sequence}b")), "a\u{241b}b", "{sequence:?}");
    }
    assert_eq!(strip("ok\u{1b}[2J\u{1b}[1;1Hfake"), "okfake");
    assert_eq!(show("ok\u{1b}[2J\u{1b}[1;1Hfake"), "ok\u{241b}\u{241b}fake");
}

#[test]
fn se_2_c1_starts_sequences_and_nel_breaks_lines() {
    assert_eq!(strip("a\u{9b}31mfile\u{85}b"), "afile\nb");
}

#[test]
fn se_3_unterminated_strings_fail_visible() {
    assert_eq!(strip("a\u{1b}]0;title\nshown"), "a\nshown");
    assert_eq!(strip("a\u{1b}]0;title\u{1b}[1mshown"), "ashown");
    let long = format!("a\u{1b}]0;{}shown", "x".repeat(4094));
    assert_eq!(strip(&long), "ashown");
    assert_eq!(strip("a\u{1b}Pq\u{7}b\u{1b}\\c"), "ac");
    assert_eq!(strip("a\u{1b}"), "a");
    assert_eq!(strip("a\u{1b}["), "a");
    assert_eq!(strip("a\u{1b}é"), "aé");
}

#[test]
fn se_4_sgr_keeps_colours_and_drops_tricks() {
    let kept =
        |text: &str| clean_keeping_sgr(text, Rules::default(), &mut Removed::default());
    let (text, runs) = kept("\u{1b}[1m\u{1b}[32mCompiling\u{1b}[0m x");
    assert_eq!(text, "Compiling x");
    assert_eq!(runs.changes.len(), 2);
    assert_eq!(
        runs.changes[0].1.render().to_string(),
        "\u{1b}[1m\u{1b}[32m"
    );
    assert!(runs.changes[1].1.is_plain());
    let (_, runs) = kept("\u{1b}[8mhidden");
    assert!(runs.changes[0].1.is_plain());
    let (_, runs) = kept("\u{1b}[38;5;8mgrey");
    assert!(runs.changes[0].1.get_fg_color().is_some());
    let (_, runs) = kept("\u{1b}[31;41mgone");
    assert!(runs.changes[0].1.is_plain());
    let (text, runs) = kept("a\u{1b}[5nb\u{1b}[>4mc");
    assert_eq!((text.as_str(), runs.changes.len()), ("abc", 0));
    let (_, runs) = kept("\u{1b}[38:2::1:2:3mx");
    assert_eq!(runs.changes[0].1.render().to_string(), "\u{1b}[38;2;1;2;3m");
}

#[test]
fn se_5_clipboard_and_title_leave_nothing() {
    assert_eq!(strip("a\u{1b}]52;c;cm0gLXJm\u{7}b"), "ab");
}

#[test]
fn se_6_controls() {
    assert_eq!(strip("a\tb\r\nc\rd\u{8}\u{7f}e"), "a\tb\nc\nde");
    assert_eq!(show("\u{8}\u{7f}\0"), "\u{2408}\u{2421}\u{2400}");
}

#[test]
fn se_7_bidi_controls_are_named_in_every_mode() {
    for c in [
        '\u{61c}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}',
        '\u{202d}', '\u{202e}', '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}',
    ] {
        let text = format!("a{c}b");
        let expected = format!("a<U+{:04X}>b", c as u32);
        assert_eq!(strip(&text), expected);
        assert_eq!(show(&text), expected);
    }
    let keep = Rules {
        keep_bidi: true,
        ..Rules::default()
    };
    assert_eq!(
        clean("a\u{202e}b", keep, &mut Removed::default()),
        "a\u{202e}b"
    );
}

#[test]
fn se_8_invisible_characters_go_or_show() {
    assert_eq!(strip("a\u{200b}\u{ad}\u{feff}b\u{2028}c"), "ab\nc");
    assert_eq!(show("a\u{200b}b"), "a<U+200B>b");
    assert_eq!(show("a\u{200b}\u{2060}b"), "a<2 invisible characters>b");
    let tags: String = "\u{e0041}".repeat(23);
    assert_eq!(strip(&format!("a{tags}b")), "ab");
    assert_eq!(show(&format!("a{tags}b")), "a<23 tag characters>b");
}

#[test]
fn se_8_honest_joiners_selectors_and_flags_stay() {
    let wales = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}";
    for text in [
        "👩‍🔧",
        "👍🏽",
        "✔️",
        "❤️‍🔥",
        "1️⃣",
        wales,
        "می‌خواهم",
        "क्‍ष",
        "葛\u{e0100}",
        "☎\u{fe0e}",
    ] {
        assert_eq!(strip(text), text, "{text:?}");
    }
    assert_eq!(strip("a\u{200d}b\u{fe00}c\u{e0100}"), "abc");
    assert_eq!(strip("\u{1f3f4}\u{e0067}x"), "\u{1f3f4}x");
}

#[test]
fn se_9_eight_marks_stay_on_one_base() {
    let tower = format!("a{}b", "\u{301}".repeat(20));
    let mut removed = Removed::default();
    let text = clean(&tower, Rules::default(), &mut removed);
    assert_eq!(text.chars().count(), 10);
    assert_eq!(removed.marks, 12);
}

#[test]
fn se_12_labels_are_one_short_line() {
    let rules = Rules::default();
    assert_eq!(label("a\nb\r\n\tc", rules, false), "a b c");
    assert_eq!(
        label("rea\u{202e}d_\u{9b}31mfile", rules, false),
        "rea<U+202E>d_file"
    );
    let long = label(&"x".repeat(500), rules, false);
    assert_eq!(long.chars().count(), LABEL_COLUMNS);
    assert!(long.ends_with('…'));
}

#[test]
fn notices_name_what_went() {
    let mut removed = Removed::default();
    clean("\u{1b}[2J\u{1b}[Hx\u{200b}", Rules::default(), &mut removed);
    assert_eq!(
        removed.describe().as_deref(),
        Some("2 control sequences, 1 invisible character")
    );
    assert_eq!(Removed::default().describe(), None);
}
