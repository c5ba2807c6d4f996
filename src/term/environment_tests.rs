//! Precedence, row by row.

use super::*;

fn environment(variables: &[(&str, &str)]) -> Environment {
    Environment {
        variables: variables
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        unix: true,
        knows_hyperlinks: true,
    }
}

const XTERM: (&str, &str) = ("TERM", "xterm-256color");
const INDEXED: Paint = Paint::Colours(Depth::Indexed);

#[test]
fn colour_precedence() {
    let auto = |variables: &[(&str, &str)], terminal| {
        environment(variables).paint(When::Auto, terminal)
    };
    assert_eq!(auto(&[XTERM], true), INDEXED);
    assert_eq!(auto(&[XTERM], false), Paint::None);
    assert_eq!(auto(&[XTERM, ("NO_COLOR", "1")], true), Paint::Weights);
    assert_eq!(auto(&[XTERM, ("NO_COLOR", "0")], true), Paint::Weights);
    assert_eq!(auto(&[XTERM, ("NO_COLOR", "")], true), INDEXED);
    assert_eq!(auto(&[XTERM, ("NO_COLOR", "1")], false), Paint::None);
    let both = [XTERM, ("NO_COLOR", "1"), ("FORCE_COLOR", "3")];
    assert_eq!(auto(&both, true), Paint::Weights);
    assert_eq!(auto(&[XTERM, ("CLICOLOR_FORCE", "1")], false), INDEXED);
    assert_eq!(auto(&[XTERM, ("CLICOLOR_FORCE", "0")], false), Paint::None);
    assert_eq!(auto(&[XTERM, ("FORCE_COLOR", "false")], false), Paint::None);
    assert_eq!(auto(&[XTERM, ("CLICOLOR", "0")], true), Paint::None);
    assert_eq!(auto(&[("TERM", "dumb")], true), Paint::None);
    assert_eq!(auto(&[], true), Paint::None);
    let dumb = environment(&[("TERM", "dumb")]);
    assert_eq!(dumb.paint(When::Always, false), Paint::Colours(Depth::Ansi));
    assert_eq!(dumb.paint(When::Never, true), Paint::None);
}

#[test]
fn depth_of_colours() {
    let depth =
        |variables: &[(&str, &str)]| environment(variables).paint(When::Always, true);
    assert_eq!(depth(&[("TERM", "xterm")]), Paint::Colours(Depth::Ansi));
    assert_eq!(depth(&[XTERM]), INDEXED);
    let truecolor = [("TERM", "xterm"), ("COLORTERM", "truecolor")];
    assert_eq!(depth(&truecolor), Paint::Colours(Depth::True));
    let forced = [XTERM, ("FORCE_COLOR", "1")];
    assert_eq!(depth(&forced), Paint::Colours(Depth::Ansi));
    let forced = [("TERM", "xterm"), ("FORCE_COLOR", "3")];
    assert_eq!(depth(&forced), Paint::Colours(Depth::True));
}

#[test]
fn hyperlinks() {
    let auto = |variables: &[(&str, &str)], terminal| {
        environment(variables).hyperlinks(When::Auto, terminal)
    };
    assert!(auto(&[XTERM], true));
    assert!(!auto(&[XTERM], false));
    assert!(auto(&[XTERM, ("NO_COLOR", "1")], true));
    assert!(!auto(&[XTERM, ("TMUX", "/tmp/x")], true));
    assert!(auto(
        &[XTERM, ("TMUX", "/t"), ("FORCE_HYPERLINK", "1")],
        true
    ));
    assert!(!auto(&[XTERM, ("FORCE_HYPERLINK", "0")], true));
    assert!(!auto(&[("TERM", "screen-256color")], true));
    assert!(!auto(&[("TERM", "dumb")], true));
    assert!(environment(&[]).hyperlinks(When::Always, false));
}

#[test]
fn columns() {
    let none = environment(&[]);
    assert_eq!(none.columns(None, None), 80);
    assert_eq!(none.columns(None, Some(132)), 132);
    assert_eq!(none.columns(Some(0), Some(132)), 0);
    assert_eq!(none.columns(Some(1), None), 20);
    let set = environment(&[("COLUMNS", "60")]);
    assert_eq!(set.columns(None, Some(132)), 60);
    assert_eq!(set.columns(Some(90), Some(132)), 90);
    for bad in ["0", "10001", "x", "-5"] {
        assert_eq!(environment(&[("COLUMNS", bad)]).columns(None, Some(50)), 50);
    }
}

#[test]
fn ascii() {
    let utf8 = ("LANG", "en_US.UTF-8");
    assert!(!environment(&[utf8]).ascii(false, true));
    assert!(environment(&[utf8]).ascii(true, true));
    assert!(environment(&[utf8, ("ACCESSIBLE", "1")]).ascii(false, true));
    assert!(!environment(&[utf8, ("ACCESSIBLE", "0")]).ascii(false, true));
    assert!(environment(&[("LC_ALL", "C"), utf8]).ascii(false, true));
    assert!(!environment(&[("LC_ALL", "C"), utf8]).ascii(false, false));
    assert!(!environment(&[]).ascii(false, true));
}
