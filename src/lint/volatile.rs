//! A guess at what changes from request to request: clock times, UUIDs, request
//! ids. Dates alone stay for a day and are left alone; so is what an example
//! announces.

/// What volatile thing the text holds, if any.
pub(super) fn find(text: &str) -> Option<&'static str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let fresh = at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
        if fresh
            && let Some(what) = opens(&bytes[at..])
            && !example(bytes, at)
        {
            return Some(what);
        }
        at += 1;
    }
    None
}

fn opens(rest: &[u8]) -> Option<&'static str> {
    let first = *rest.first()?;
    if first.is_ascii_digit() {
        let dated =
            matches(rest, b"0000-00-00") && matches!(rest.get(10), Some(b'T' | b' '));
        if dated && (matches(&rest[11..], b"00:00")) {
            return Some("a time of day");
        }
        for form in [&b"00:00:00"[..], b"0:00:00"] {
            let next = rest.get(form.len());
            if matches(rest, form)
                && !next.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b':')
            {
                return Some("a time of day");
            }
        }
    }
    if first.is_ascii_hexdigit() && uuid(rest) {
        return Some("a UUID");
    }
    let id = rest.strip_prefix(b"req_")?;
    let length = id.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
    (length >= 8).then_some("a request id")
}

/// Whether `rest` begins with the form; `0` stands for any digit.
fn matches(rest: &[u8], form: &[u8]) -> bool {
    rest.len() >= form.len()
        && form.iter().zip(rest).all(|(form, byte)| match form {
            b'0' => byte.is_ascii_digit(),
            _ => byte == form,
        })
}

fn uuid(rest: &[u8]) -> bool {
    rest.len() >= 36
        && !rest.get(36).is_some_and(u8::is_ascii_alphanumeric)
        && rest[..36].iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Whether the words before it make it an example.
fn example(bytes: &[u8], at: usize) -> bool {
    let before = bytes[at.saturating_sub(48)..at].to_ascii_lowercase();
    ["e.g", "example", "format", "such as", "like", "i.e"]
        .iter()
        .any(|word| memchr::memmem::find(&before, word.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn times_uuids_and_request_ids_are_found() {
        for (text, what) in [
            ("Now: 2026-10-01T12:00:00Z", "a time of day"),
            ("Current time is 15:09:20.\nx", "a time of day"),
            ("at 9:05:00", "a time of day"),
            ("id 123e4567-e89b-12d3-a456-426614174000", "a UUID"),
            ("req_011CabcDEF12", "a request id"),
        ] {
            assert_eq!(find(text), Some(what), "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_it_is_left_alone() {
        for text in [
            "",
            "Today is 2026-10-01.",
            "ratio 1:2:3, port 10:20",
            "use ISO 8601, e.g. 2026-10-01T12:00:00Z",
            "a1b2c3d4-0000",
            "req_short",
            "version 112:00:001",
            "deadbeef-dead-beef-dead-beefdeadbeefff",
        ] {
            assert_eq!(find(text), None, "{text}");
        }
    }
}
