//! Link destinations and titles as markdown writes them.

/// The length of the destination that a link's inside starts with.
pub(super) fn destination(inside: &str) -> usize {
    let bytes = inside.as_bytes();
    if bytes.first() == Some(&b'<') {
        let mut at = 1;
        while at < bytes.len() {
            match bytes[at] {
                b'\\' => at += 1,
                b'>' => return at + 1,
                _ => {}
            }
            at += 1;
        }
        return inside.len();
    }
    inside
        .find(|c: char| c.is_ascii_whitespace())
        .unwrap_or(inside.len())
}

/// A target in a form that reads back as itself.
pub(super) fn written(url: &str) -> String {
    let mut depth = 0_usize;
    let mut balanced = true;
    for byte in url.bytes() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 0 => balanced = false,
            b')' => depth -= 1,
            _ => {}
        }
    }
    let plain = !url.is_empty()
        && balanced
        && depth <= 16
        && depth == 0
        && !url.starts_with('<')
        && !url.contains(|c: char| c.is_ascii_whitespace() || c.is_control());
    let mut out = String::with_capacity(url.len() + 2);
    if !plain {
        out.push('<');
    }
    for c in url.chars() {
        if c == '\\' || c == '&' || (!plain && matches!(c, '<' | '>')) {
            out.push('\\');
        }
        out.push(c);
    }
    if !plain {
        out.push('>');
    }
    out
}

/// A title in quotes.
pub(super) fn title(title: &str) -> String {
    let mut out = String::from("\"");
    for c in title.chars() {
        if matches!(c, '"' | '\\' | '&') {
            out.push('\\');
        }
        out.push(if c == '\n' { ' ' } else { c });
    }
    out.push('"');
    out
}
