//! Decoding of stored strings (`docs/formats.md#base64`, D-6), bit by bit.

const STANDARD: &str =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &str =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The text a stored string stands for: itself, if it is not base64 of UTF-8.
pub(super) fn decoded(stored: &str, strict: bool) -> String {
    if let Some(text) = text_of(stored, STANDARD) {
        return text;
    }
    if !strict
        && stored.contains(['-', '_'])
        && let Some(text) = text_of(stored, URL_SAFE)
    {
        return text;
    }
    stored.to_owned()
}

fn text_of(stored: &str, alphabet: &str) -> Option<String> {
    String::from_utf8(bytes_of(stored, alphabet)?).ok()
}

fn bytes_of(stored: &str, alphabet: &str) -> Option<Vec<u8>> {
    let digits = stored.trim_end_matches('=');
    let padding = stored.len() - digits.len();
    if !stored.len().is_multiple_of(4) || padding > 2 {
        return None;
    }
    let mut bits = Vec::new();
    for digit in digits.chars() {
        let value = alphabet.find(digit)?;
        bits.extend((0..6).rev().map(|place| value >> place & 1));
    }
    let whole = bits.len() - bits.len() % 8;
    if bits[whole..].contains(&1) {
        return None;
    }
    let byte = |bits: &[usize]| bits.iter().fold(0, |sum, bit| sum * 2 + bit);
    Some(bits[..whole].chunks(8).map(|b| byte(b) as u8).collect())
}
