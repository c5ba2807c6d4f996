//! Files inside a body: whether one is the same as before, written anew, or another.
//!
//! Decided by what the bytes say of themselves, their kind and a picture's size; no
//! byte of a file is shown to people.

use crate::block::{base64::lenient, picture};
use crate::json::Raw;
use crate::prefix::report::Cause;
use crate::prefix::values::differ::Difference;
use base64::Engine as _;

/// Texts shorter than this are no files.
const SHORT: usize = 64;

/// Whether two texts at a path are files given inside the body.
pub(crate) fn is(path: &str, a: &str, b: &str) -> bool {
    const KEYS: [&str; 6] = [
        "/data",
        "/image_url",
        "/url",
        "/file_data",
        "/bytes",
        "/image_url/url",
    ];
    let inline = |text: &str| !text.starts_with("http");
    KEYS.iter().any(|end| path.ends_with(end))
        && (a.len() > SHORT || b.len() > SHORT)
        && inline(a)
        && inline(b)
}

/// The bytes of a file, if it is base64, bare or in a `data:` address.
fn decode(text: &str) -> Option<Vec<u8>> {
    let text = match text.strip_prefix("data:") {
        Some(rest) => rest.split_once(',')?.1,
        None => text,
    };
    let plain: Vec<u8> = text
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    let url = plain.iter().any(|byte| matches!(byte, b'-' | b'_'));
    lenient(url, true).decode(plain).ok()
}

/// A file's kind, as people call it, and, of a picture, its size.
struct Kind {
    name: &'static str,
    size: Option<(usize, usize)>,
}

fn kind(bytes: &[u8]) -> Kind {
    let name = match picture::magic(bytes) {
        Some("image/png") => "PNG",
        Some("image/jpeg") => "JPEG",
        Some("image/gif") => "GIF",
        Some("image/webp") => "WebP",
        Some("application/pdf") => "PDF",
        _ => "file",
    };
    let size = imagesize::blob_size(bytes).ok();
    Kind {
        name,
        size: size.map(|size| (size.width, size.height)),
    }
}

/// Why one file became another: the same bytes in another spelling, or a picture of
/// the same size in another format, was encoded anew; all else is another file.
pub(crate) fn cause(a: &str, b: &str) -> Cause {
    let (Some(a), Some(b)) = (decode(a), decode(b)) else {
        return Cause::Edited;
    };
    let (one, other) = (kind(&a), kind(&b));
    let format = one.size.is_some() && one.size == other.size && one.name != other.name;
    match a == b || format || pixels(&a).is_some_and(|one| pixels(&b) == Some(one)) {
        true => Cause::Reencoded,
        false => Cause::Edited,
    }
}

/// The packed pixels of a PNG, without what is said about them.
fn pixels(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut rest = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n")?;
    let mut out = Vec::new();
    while let Some((length, tail)) = rest.split_first_chunk::<4>() {
        let length = u32::from_be_bytes(*length) as usize;
        let (name, data) = (tail.get(..4)?, tail.get(4..4 + length)?);
        if name == b"IHDR" || name == b"IDAT" || name == b"PLTE" {
            out.extend_from_slice(data);
        }
        rest = tail.get(8 + length..)?;
    }
    (!out.is_empty()).then_some(out)
}

/// The words for a file that changed, if the difference is one.
pub(crate) fn describe(found: &Difference<'_>) -> Option<String> {
    let [a, b] = both(found)?;
    let what = match cause(&a, &b) {
        Cause::Reencoded => "the file was encoded anew",
        _ => "the file is another one",
    };
    Some(format!("{what}: {} became {}", say(&a), say(&b)))
}

/// Both files of a difference.
pub(crate) fn both(found: &Difference<'_>) -> Option<[String; 2]> {
    let (a, b) = (
        found.a.and_then(Raw::as_str)?,
        found.b.and_then(Raw::as_str)?,
    );
    is(&found.path, &a, &b).then(|| [a.into_owned(), b.into_owned()])
}

/// What a file is, without a byte of it.
pub(crate) fn say(text: &str) -> String {
    match decode(text) {
        None => format!("{} characters", text.chars().count()),
        Some(bytes) => {
            let Kind { name, size } = kind(&bytes);
            let size = size.map_or(String::new(), |(x, y)| format!(" of {x} by {y}"));
            format!("{name}{size}, {} bytes", bytes.len())
        }
    }
}

/// A line without its long runs of base64.
pub(crate) fn elide(line: &str) -> String {
    const LONG: usize = 80;
    let is = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_')
    };
    let bytes = line.as_bytes();
    let (mut out, mut at) = (String::new(), 0);
    while at < bytes.len() {
        let run = bytes[at..].iter().take_while(|byte| is(byte)).count();
        let part = &bytes[at..at + run];
        let mixed = part.iter().any(u8::is_ascii_uppercase)
            && part.iter().any(u8::is_ascii_lowercase)
            && part.iter().any(u8::is_ascii_digit);
        if run >= LONG && mixed {
            out.push_str("[base64]");
        } else {
            out.push_str(&line[at..at + run]);
        }
        at += run;
        let other = bytes[at..].iter().take_while(|byte| !is(byte)).count();
        out.push_str(&line[at..at + other]);
        at += other;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{cause, elide};
    use crate::prefix::report::Cause;
    use base64::Engine as _;

    fn png(width: u8, pixels: u8, comment: &[u8]) -> String {
        let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
        let mut chunk = |name: &[u8], data: &[u8]| {
            out.extend((data.len() as u32).to_be_bytes());
            out.extend(name);
            out.extend(data);
            out.extend([0; 4]);
        };
        chunk(b"IHDR", &[0, 0, 0, width, 0, 0, 0, 9, 8, 2, 0, 0, 0]);
        chunk(b"tEXt", comment);
        chunk(b"IDAT", &[pixels; 40]);
        chunk(b"IEND", &[]);
        base64::engine::general_purpose::STANDARD.encode(out)
    }

    #[test]
    fn p11_another_picture_is_not_the_same_encoded_anew() {
        let one = png(7, 1, b"a");
        assert_eq!(cause(&one, &png(7, 1, b"other")), Cause::Reencoded);
        assert_eq!(
            cause(&one, &format!("data:image/png;base64,{one}")),
            Cause::Reencoded
        );
        assert_eq!(cause(&one, &one.replace('=', "")), Cause::Reencoded);
        assert_eq!(cause(&one, &png(7, 2, b"a")), Cause::Edited);
        assert_eq!(cause(&one, &png(8, 1, b"a")), Cause::Edited);
        assert_eq!(cause(&one, "no base64!"), Cause::Edited);
    }

    #[test]
    fn base64_is_not_shown() {
        let long = png(7, 1, b"some words about it");
        assert_eq!(elide(&format!("x \"{long}\" é")), "x \"[base64]\" é");
        assert_eq!(
            elide("a plain line, /tmp/f-1.txt"),
            "a plain line, /tmp/f-1.txt"
        );
    }
}
