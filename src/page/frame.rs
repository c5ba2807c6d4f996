//! What stands around every page: policy, style, script.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};
use std::sync::OnceLock;

const SCRIPT: &str = include_str!("page.js");

const STYLE: &str = include_str!("page.css");

/// What the page may do: its own style and script, pictures that stand in it.
fn policy() -> String {
    let digest = |text: &str| STANDARD.encode(Sha256::digest(text));
    format!(
        "default-src 'none'; img-src data:; style-src 'sha256-{}'; script-src 'sha256-{}'; \
         base-uri 'none'; form-action 'none'",
        digest(STYLE),
        digest(SCRIPT)
    )
}

/// The start and the end of a page; what it shows goes between.
#[derive(Debug)]
pub struct Body {
    /// Up to what the page shows.
    pub start: String,
    /// Everything behind.
    pub end: &'static str,
}

/// A page called `title`, with `controls` in its bar.
pub fn page(title: &str, controls: &Markup) -> Body {
    let start = html! {
        (DOCTYPE)
        (PreEscaped("<html lang=\"en\">"))
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(policy());
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="referrer" content="no-referrer";
            title { (title) }
            style { (PreEscaped(STYLE)) }
        }
        (PreEscaped("<body>"))
        header.bar {
            h1 { (title) }
            (controls)
            span.scripted {
                label { "Search " input #search type="search" placeholder="/"; }
                " " output #found for="search" {}
            }
        }
        (PreEscaped("<main>"))
    };
    let start = start.into_string();
    static END: OnceLock<String> = OnceLock::new();
    let end = END.get_or_init(|| {
        let script = html! { script { (PreEscaped(SCRIPT)) } };
        format!("</main>{}</body></html>\n", script.into_string())
    });
    Body { start, end }
}

/// The switches of a page of conversations; they work without scripts.
pub(super) fn switches() -> Markup {
    html! {
        fieldset {
            legend { "Seen by" }
            @for (id, label, on) in [
                ("who-all", "anybody", true), ("who-user", "the user", false),
                ("who-model", "the model", false), ("who-differ", "one only", false),
            ] {
                label { input type="radio" name="who" id=(id) checked[on]; " " (label) }
            }
        }
        fieldset {
            legend { "Show" }
            @for (id, label) in [
                ("kind-speech", "speech"), ("kind-reasoning", "reasoning"),
                ("kind-tools", "tools"), ("kind-other", "the rest"),
            ] {
                label { input type="checkbox" id=(id) checked; " " (label) }
            }
        }
    }
}
