//! The base64 that storage wraps strings in (`docs/formats.md#base64`).
//!
//! A stored string is decoded with the standard alphabet, padding required,
//! unused bits zero; what does not decode to UTF-8 is kept as it is, silently.
//! Unless strict, a string with `-` or `_` in it gets a second try with the
//! URL-safe alphabet (D-6). Whether strings are encoded at all is a property of
//! the container, never of the string (D-4).

use crate::json::raw::string_end;
use crate::json::{Raw, Text, write};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use std::borrow::Cow;

/// How a container spells the strings that storage encodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// As stored: base64.
    Storage,
    /// As meant: plain text.
    Plain,
}

/// The base64 that others write into texts: padding or none, unused bits or not, in the
/// alphabet that the text is in; `padded` says how it is written again.
pub(crate) fn lenient(url_safe: bool, padded: bool) -> GeneralPurpose {
    let alphabet = match url_safe {
        true => &base64::alphabet::URL_SAFE,
        false => &base64::alphabet::STANDARD,
    };
    let config = GeneralPurposeConfig::new()
        .with_encode_padding(padded)
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent);
    GeneralPurpose::new(alphabet, config)
}

/// Turns stored strings into plain ones, or back.
#[derive(Debug)]
pub struct Decoder {
    from: Encoding,
    strict: bool,
    scratch: Vec<u8>,
}

impl Decoder {
    /// A decoder for strings spelled `from`; `strict` takes the URL-safe
    /// fallback away.
    pub fn new(from: Encoding, strict: bool) -> Self {
        Self {
            from,
            strict,
            scratch: Vec::new(),
        }
    }

    /// The encoding of what is read.
    pub fn from(&self) -> Encoding {
        self.from
    }

    /// The plain text of a string that storage encodes.
    pub fn text<'a>(&mut self, text: Text<'a>) -> Cow<'a, str> {
        match self.decode(text) {
            Some(plain) => Cow::Owned(plain.to_owned()),
            None => text.decode(),
        }
    }

    /// Appends the string, quotes included, in the encoding `to`.
    ///
    /// What needs no change keeps its spelling.
    pub fn write_string(&mut self, out: &mut Vec<u8>, value: Text<'_>, to: Encoding) {
        match (self.from, to) {
            (Encoding::Storage, Encoding::Plain) => {
                if let Some(plain) = self.decode(value) {
                    write::string(out, plain);
                    return;
                }
            }
            (Encoding::Plain, Encoding::Storage) => {
                encode(out, &value.decode());
                return;
            }
            _ => {}
        }
        out.push(b'"');
        out.extend_from_slice(value.escaped());
        out.push(b'"');
    }

    /// Appends the plain text of a string that storage encodes, escaped, without
    /// quotes.
    pub fn write_plain(&mut self, out: &mut Vec<u8>, value: Text<'_>) {
        match self.decode(value) {
            Some(plain) => write::escaped(out, plain),
            None => out.extend_from_slice(&write::canonical(value)),
        }
    }

    /// Appends a checked value, compacted, every string in it but object keys in
    /// the encoding `to`. Iterative: depth costs nothing.
    pub fn write_leaves(&mut self, out: &mut Vec<u8>, value: Raw<'_>, to: Encoding) {
        if self.from == to {
            write::compact(out, value);
            return;
        }
        let bytes = value.bytes();
        let mut pos = 0;
        while let Some(&byte) = bytes.get(pos) {
            match byte {
                b'"' => {
                    let end = string_end(bytes, pos);
                    let next = crate::json::raw::skip_space(bytes, end);
                    let string = Raw::checked(&bytes[pos..end]);
                    match string.as_text() {
                        Some(text) if bytes.get(next) != Some(&b':') => {
                            self.write_string(out, text, to);
                        }
                        _ => out.extend_from_slice(string.bytes()),
                    }
                    pos = end;
                }
                b' ' | b'\n' | b'\r' | b'\t' => pos += 1,
                _ => {
                    out.push(byte);
                    pos += 1;
                }
            }
        }
    }

    /// The decoded text, or `None` for a string to be kept as it is.
    fn decode(&mut self, text: Text<'_>) -> Option<&str> {
        if self.from == Encoding::Plain {
            return None;
        }
        match text.plain() {
            Some(bytes) => decode_into(&mut self.scratch, bytes, self.strict),
            None => {
                decode_into(&mut self.scratch, text.decode().as_bytes(), self.strict)
            }
        }
    }
}

/// The text behind one string of base64, if it is that.
pub fn decode(text: &str, strict: bool) -> Option<String> {
    let mut scratch = Vec::new();
    decode_into(&mut scratch, text.as_bytes(), strict).map(str::to_owned)
}

/// Decodes into `scratch`; `None` when the bytes are no base64 of UTF-8 text.
fn decode_into<'s>(
    scratch: &'s mut Vec<u8>,
    bytes: &[u8],
    strict: bool,
) -> Option<&'s str> {
    if !bytes.len().is_multiple_of(4) {
        return None;
    }
    scratch.resize(bytes.len() / 4 * 3, 0);
    let used = match STANDARD.decode_slice(bytes, scratch) {
        Ok(used) => used,
        Err(_) if !strict && memchr::memchr2(b'-', b'_', bytes).is_some() => {
            URL_SAFE.decode_slice(bytes, scratch).ok()?
        }
        Err(_) => return None,
    };
    std::str::from_utf8(&scratch[..used]).ok()
}

/// Appends `text` as stored: base64 in quotes.
fn encode(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let start = out.len();
    out.resize(start + text.len().div_ceil(3) * 4, 0);
    // The slice has exactly the size that standard base64 with padding takes.
    let used = STANDARD
        .encode_slice(text, &mut out[start..])
        .expect("the slice fits the encoded text");
    out.truncate(start + used);
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(stored: &str, strict: bool) -> String {
        let json = format!("\"{stored}\"");
        let raw = Raw::parse(json.as_bytes()).expect("a string");
        let text = raw.as_text().expect("a string");
        Decoder::new(Encoding::Storage, strict)
            .text(text)
            .into_owned()
    }

    #[test]
    fn standard_alphabet_padded_and_canonical_or_kept() {
        assert_eq!(plain("Zm4gbWFpbigpIHt9", false), "fn main() {}");
        assert_eq!(plain("", false), "");
        for kept in [
            "YR==", "YQ", "YQ=", "Y Q==", "/w==", "file:", "YQ==\\n", "YQ==YQ==",
        ] {
            let meant = kept.replace("\\n", "\n");
            assert_eq!(plain(kept, false), meant, "{kept}");
        }
        assert_eq!(plain("file", false), "~)^", "four letters decode (D-4)");
        assert_eq!(plain("Pz8\\/", false), "???", "an escaped slash is a slash");
    }

    #[test]
    fn url_safe_is_a_fallback_d6() {
        assert_eq!(
            plain("4pyT8J-ZgiDihpI_", false),
            "\u{2713}\u{1f642} \u{2192}?"
        );
        assert_eq!(plain("4pyT8J-ZgiDihpI_", true), "4pyT8J-ZgiDihpI_");
        assert_eq!(plain("Pz8_Pz8+", false), "Pz8_Pz8+", "no mixed alphabets");
        assert_eq!(plain("Pz8-Pw", false), "Pz8-Pw", "padding is required");
    }

    #[test]
    fn leaves_are_decoded_and_keys_kept() {
        let json = r#"{ "YQ==" : [ "YQ==", { "k" : "YQ==" }, 1.0, "no" ] }"#;
        let raw = Raw::parse(json.as_bytes()).expect("a value");
        let mut out = Vec::new();
        Decoder::new(Encoding::Storage, false).write_leaves(
            &mut out,
            raw,
            Encoding::Plain,
        );
        assert_eq!(
            String::from_utf8_lossy(&out),
            r#"{"YQ==":["a",{"k":"a"},1.0,"no"]}"#
        );
        let raw = Raw::parse(&out).expect("a value");
        let mut stored = Vec::new();
        Decoder::new(Encoding::Plain, false).write_leaves(
            &mut stored,
            raw,
            Encoding::Storage,
        );
        assert_eq!(
            String::from_utf8_lossy(&stored),
            r#"{"YQ==":["YQ==",{"k":"YQ=="},1.0,"bm8="]}"#
        );
    }
}
