//! What a media type and a base64 payload say of a block: its language, its size.

use crate::json::Text;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Language tags of fences, by media type.
const LANGUAGES: [(&str, &[&str]); 16] = [
    ("rs", &["text/rust", "text/x-rust"]),
    ("python", &["text/x-python"]),
    ("js", &["text/javascript", "application/javascript"]),
    ("ts", &["text/typescript"]),
    ("json", &["application/json"]),
    ("toml", &["application/toml"]),
    ("yaml", &["application/yaml", "text/yaml"]),
    ("md", &["text/markdown"]),
    ("html", &["text/html"]),
    ("css", &["text/css"]),
    ("xml", &["application/xml", "text/xml"]),
    ("sh", &["text/x-shellscript", "application/x-sh"]),
    ("go", &["text/x-go"]),
    ("c", &["text/x-c"]),
    ("cpp", &["text/x-c++"]),
    ("java", &["text/x-java"]),
];

/// The media type without its parameters.
pub fn essence(mime: &str) -> &str {
    mime.split(';').next().unwrap_or_default().trim()
}

/// The tag of a fence around a text of this media type; empty where none is known.
pub fn language(mime: Option<&str>) -> &'static str {
    let mime = essence(mime.unwrap_or_default());
    LANGUAGES
        .iter()
        .find(|(_, types)| types.iter().any(|one| one.eq_ignore_ascii_case(mime)))
        .map_or("", |(language, _)| language)
}

/// Whether a media type is markdown.
pub fn is_markdown(mime: Option<&str>) -> bool {
    mime.is_some_and(|mime| essence(mime).eq_ignore_ascii_case("text/markdown"))
}

/// The size of decoded base64; estimated from its length where it is none.
pub fn decoded_size(data: Text<'_>) -> usize {
    let data = data.decode();
    let trimmed = data.trim_end_matches('=').len();
    STANDARD
        .decode(data.as_bytes())
        .map_or(trimmed * 3 / 4, |bytes| bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_by_media_type() {
        for (mime, expected) in [
            ("text/rust", "rs"),
            ("TEXT/X-Python; charset=utf-8", "python"),
            ("text/plain", ""),
            ("", ""),
        ] {
            assert_eq!(language(Some(mime)), expected, "{mime}");
        }
        assert_eq!(language(None), "");
        assert!(is_markdown(Some("text/Markdown;variant=GFM")));
        assert!(!is_markdown(Some("text/markdownish")));
    }
}
