//! Laws of rendering under random documents and random splits
//! (`docs/render.md` ST-1 to ST-7, SE-16, MD-W4, MD-W7).

use crate::common::markdown::{document, meaning};
use crate::common::screen::{
    assert_closed_lines, assert_inert, at_once, coloured, message, pieces_of, pipe,
    strip, wide_lines,
};
use convo::render::surface::Surface;
use proptest::prelude::*;

fn pieces(text: &str, cuts: &[prop::sample::Index]) -> Vec<Vec<u8>> {
    let bytes = text.as_bytes();
    let mut at: Vec<usize> =
        cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    at.sort_unstable();
    let mut start = 0;
    let mut pieces = Vec::new();
    for end in at.into_iter().chain([bytes.len()]) {
        pieces.push(bytes[start..end].to_vec());
        start = end;
    }
    pieces
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn st_1_any_split_gives_the_bytes_of_the_whole(
        text in document(true),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        columns in prop::sample::select(vec![0, 24, 60]),
    ) {
        for surface in [pipe(columns), coloured(columns)] {
            let whole = at_once(&text, &surface);
            let pieces = pieces(&text, &cuts);
            let split: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
            prop_assert_eq!(pieces_of(&split, &surface), whole.clone());
        }
    }

    #[test]
    fn st_1_byte_by_byte(text in document(true)) {
        let surface = pipe(40);
        let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        prop_assert_eq!(pieces_of(&bytes, &surface), at_once(&text, &surface));
    }

    #[test]
    fn st_4_output_means_what_the_source_means(text in document(false)) {
        let text = faithful(&text);
        prop_assume!(!ambiguous(&text));
        let output = message(&text, &pipe(0));
        prop_assert_eq!(meaning(&output), meaning(&text), "{}", output);
    }

    #[test]
    fn st_5_stripped_colour_is_plain_output(
        text in document(true),
        columns in prop::sample::select(vec![0, 24, 60]),
    ) {
        let colour = message(&text, &coloured(columns));
        prop_assert_eq!(strip(&colour), message(&text, &pipe(columns)));
        assert_closed_lines(&colour);
        let links = Surface { hyperlinks: true, ..coloured(columns) };
        assert_closed_lines(&message(&text, &links));
    }

    #[test]
    fn md_w7_and_width(text in document(true), columns in 20_usize..60) {
        let prose = text.replace("    ", "").replace('`', "'").replace('~', "");
        let hide = Surface { hyperlinks: true, ..pipe(columns) };
        let output = message(&prose, &hide);
        let output = strip(&output);
        let wide = wide_lines(&output, columns);
        let glued = |line: &&String| !line.contains("word");
        prop_assert!(!wide.iter().any(|line| glued(&line)), "{:?}", wide);
        for line in output.lines() {
            prop_assert!(!line.ends_with(' '), "{:?}", line);
        }
    }

    #[test]
    fn se_16_output_is_inert_for_every_input(
        text in prop::collection::vec(prop::sample::select(vec![
            "\u{1b}", "[", "]", "31m", "8;;http://e", "\u{7}", "\u{9b}", "\u{9c}",
            "\u{9d}", "\u{90}", "\\", "\n", "\r", "\t", "a", "*", "`", "&#27;[2J",
            "&#x9b;", "[l](&#27;x)", "```&#27;\n", "\u{202e}", "\u{200b}", "P", "|",
            "\n|-|\n", "\0", "\u{7f}", "é", "页", "> ", "- ", "[^1]", "[^1]: ",
        ]), 0..40),
        hide in any::<bool>(),
    ) {
        let text = text.concat();
        let surface = Surface { hide_markup: hide, ..pipe(40) };
        assert_inert(&message(&text, &surface));
        let painted = Surface { hide_markup: hide, hyperlinks: true, ..coloured(40) };
        assert_inert(&strip(&message(&text, &painted)));
    }

    #[test]
    fn st_7_cleaning_by_lines_is_cleaning_the_whole(
        text in "[\u{1b}\\[\\]m;ab\r\n\u{9b}\u{7}\u{200d}\u{fe0f}\u{301}👩🔧\u{e0041}]{0,60}",
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let surface = pipe(40);
        let pieces = pieces(&text, &cuts);
        let split: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
        prop_assert_eq!(pieces_of(&split, &surface), at_once(&text, &surface));
    }

    #[test]
    fn hiding_markup_loses_no_letters(text in document(true)) {
        let hide = Surface { hide_markup: true, ..pipe(0) };
        let letters = |text: &str| {
            let mut letters: Vec<char> =
                text.chars().filter(|c| c.is_alphabetic()).collect();
            letters.sort_unstable();
            letters
        };
        // Entities and the languages of fences aside, every letter of the source
        // comes out.
        let text: String = text
            .replace('&', "and")
            .lines()
            .map(|line| {
                let fence = line.find("```").or_else(|| line.find("~~~"));
                format!("{}\n", &line[..fence.map_or(line.len(), |at| at + 3)])
            })
            .collect();
        let (shown, source) = (letters(&message(&text, &hide)), letters(&text));
        let missing = source.iter().filter(|c| shown.binary_search(c).is_err());
        prop_assert_eq!(missing.count(), 0);
    }
}

/// Leaves out what rendering says it changes (ST-4): two-space hard breaks print
/// nothing visible, cells beyond a table's columns are joined to the last one.
fn faithful(text: &str) -> String {
    text.replace("two spaces  ", "two spaces")
        .replace("| extra |", "|")
}

/// A table headed by a delimiter row, right below a paragraph of a tight item:
/// nothing that may be printed between them keeps the item tight.
fn ambiguous(text: &str) -> bool {
    let row = |line: &str| line.trim_start_matches([' ', '>', '-']).starts_with("|---");
    let lines: Vec<&str> = text.lines().collect();
    lines.windows(2).any(|pair| row(pair[0]) && row(pair[1]))
}
