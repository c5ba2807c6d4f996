//! Markdown as HTML that holds nothing but text and links (`docs/pages.md`).
//!
//! Raw HTML is shown as it is written; a link leads to the web or to mail, and says
//! nothing of where it came from; a picture elsewhere is a link. What would nest or
//! grow without end is shown as plain text.

use super::code;
use crate::render::highlight;
use crate::render::markdown;
use crate::term::clean::{Removed, Rules, clean};
use comrak::html::ChildRendering;
use comrak::nodes::NodeValue;
use comrak::{Arena, create_formatter, parse_document};
use maud::{Markup, PreEscaped, html};
use std::fmt::Write as _;

create_formatter!(Formatter, {
    NodeValue::Link(ref link) => |context, entering| {
        match (is_safe(&link.url), entering) {
            (true, true) => context.write_str(&opening(&link.url))?,
            (true, false) => context.write_str("</a>")?,
            (false, true) => {}
            (false, false) => context.write_str(&behind(&link.url))?,
        }
    },
    NodeValue::Image(ref link) => |context, entering| {
        match (is_safe(&link.url), entering) {
            (true, true) => context.write_str(&opening(&link.url))?,
            (true, false) => context.write_str("</a>")?,
            (false, true) => {}
            (false, false) => context.write_str(&behind(&link.url))?,
        }
        return Ok(ChildRendering::HTML);
    },
    NodeValue::CodeBlock(ref block) => |context, entering| {
        if entering {
            let language = highlight::language(&block.info).unwrap_or_default();
            context.write_str(&code::block(language, &block.literal).into_string())?;
        }
        return Ok(ChildRendering::Skip);
    },
    NodeValue::Heading(ref heading) => |context, entering| {
        // Below those of the page.
        let level = (heading.level + 3).min(6);
        match entering {
            true => write!(context, "<h{level}>")?,
            false => writeln!(context, "</h{level}>")?,
        }
    },
});

/// Whether a link may lead there.
fn is_safe(url: &str) -> bool {
    let scheme = url
        .split_once(':')
        .map(|(scheme, _)| scheme.to_ascii_lowercase());
    matches!(scheme.as_deref(), Some("http" | "https" | "mailto"))
        && !url.chars().any(|c| c.is_control() || c.is_whitespace())
}

fn opening(url: &str) -> String {
    let link = html! { a href=(url) rel="noopener noreferrer" target="_blank" { "|" } };
    let link = link.into_string();
    link.strip_suffix("|</a>").unwrap_or_default().to_owned()
}

/// An address that is not linked, behind its text.
fn behind(url: &str) -> String {
    let shown = if url.len() > 200 { "…" } else { url };
    html! { " (" (shown) ")" }.into_string()
}

/// Text without what steers or hides.
pub(super) fn plain(text: &str) -> String {
    clean(text, Rules::default(), &mut Removed::default()).into_owned()
}

/// A message.
pub(super) fn message(text: &str) -> Markup {
    let text = plain(text);
    let (parsed, rest) = markdown::bounded(&text);
    let mut options = markdown::options();
    // Their ids would repeat from message to message.
    options.extension.footnotes = false;
    options.render.escape = true;
    let arena = Arena::new();
    let root = parse_document(&arena, &parsed, &options);
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = Formatter::format_document(root, &options, &mut out);
    let out = out.replace(markdown::SENTINEL, "");
    html! {
        div.text {
            (PreEscaped(out))
            @if !rest.is_empty() { (code::block("", rest)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> String {
        message(text).into_string()
    }

    #[test]
    fn nothing_of_a_message_is_markup() {
        let out = page(
            "<script>alert(1)</script>\n\n<img src=x onerror=alert(1)> a <b>b</b>",
        );
        assert!(
            !out.contains("<script") && !out.contains("<img") && !out.contains("<b>"),
            "{out}"
        );
        assert!(out.contains("&lt;script&gt;"), "{out}");
    }

    #[test]
    fn links_lead_to_the_web_or_mail() {
        let out = page(
            "[a](https://example.com/?x=1&y=\"2\") [b](javascript:alert(1)) [c](JaVaScRiPt:x) [d](data:text/html,x) [e](//example.com) <mailto:a@b.c>",
        );
        assert_eq!(out.matches("<a ").count(), 2, "{out}");
        assert_eq!(
            out.matches("rel=\"noopener noreferrer\"").count(),
            2,
            "{out}"
        );
        assert!(!out.contains("href=\"javascript"), "{out}");
    }

    #[test]
    fn pictures_elsewhere_are_links() {
        let out = page("![alt](https://example.com/a.png) ![x](data:image/svg+xml,x)");
        assert!(!out.contains("<img"), "{out}");
        assert!(out.contains("href=\"https://example.com/a.png\""), "{out}");
    }

    #[test]
    fn deep_and_long_texts_are_no_trouble() {
        for text in [
            ">".repeat(100_000),
            "[".repeat(50_000),
            "* ".repeat(50_000),
            "# x\n".repeat(60_000),
        ] {
            assert!(page(&text).len() < 40 * text.len());
        }
    }
}
