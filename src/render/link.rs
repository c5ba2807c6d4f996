//! Link targets: which are clickable, how they are written, what they hide.
//!
//! Only `http`, `https` and `mailto` become hyperlinks (SE-10); a label that
//! looks like another host than the target's is deceptive (SE-11); a host with
//! letters beyond ASCII is also shown in the form the network uses.

use super::text::Link;

/// Longest target of a hyperlink.
const LONGEST: usize = 2000;

/// The hyperlink to a target, if it may be one.
pub fn hyperlink(target: &str, message: u64, index: u64) -> Option<Link> {
    let scheme = target.split_once(':')?.0.to_ascii_lowercase();
    if !matches!(scheme.as_str(), "http" | "https" | "mailto") {
        return None;
    }
    let target = encode(target);
    (target.len() <= LONGEST).then(|| Link {
        id: identifier(message, index),
        target,
    })
}

/// Every byte outside 0x21 to 0x7E as `%XX`.
pub fn encode(target: &str) -> String {
    let mut encoded = String::with_capacity(target.len());
    for byte in target.bytes() {
        if (0x21..=0x7e).contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push('%');
            for half in [byte >> 4, byte & 15] {
                encoded.push(char::from(b"0123456789ABCDEF"[half as usize]));
            }
        }
    }
    encoded
}

/// A short name that is the same for all pieces of one link (FNV-1a).
fn identifier(message: u64, index: u64) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in message.to_le_bytes().into_iter().chain(index.to_le_bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    }
    format!("{:08x}", (hash >> 32) ^ (hash & 0xffff_ffff))
}

/// The host of a target or of a label that looks like one.
pub fn host(text: &str) -> Option<&str> {
    let text = text.trim();
    let rest = match text.split_once("://") {
        Some((_, rest)) => rest,
        None => text.strip_prefix("mailto:").unwrap_or(text),
    };
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let host = authority.rsplit('@').next()?;
    let host = host.split(':').next()?;
    (!host.is_empty()).then_some(host)
}

/// Whether a label reads as an address of another host than the target's.
pub fn deceptive(label: &str, target: &str) -> bool {
    let label = label.trim();
    let looks = label.contains("://")
        || label.starts_with("www.")
        || (label.contains('.')
            && !label.contains(char::is_whitespace)
            && host(label).is_some_and(|host| {
                host.rsplit('.').next().is_some_and(|top| {
                    top.chars().count() >= 2 && top.chars().all(char::is_alphabetic)
                })
            }));
    let bare =
        |text| host(text).map(|host| host.trim_start_matches("www.").to_lowercase());
    looks && bare(label) != bare(target)
}

/// The network's form of a target's host, when it has letters beyond ASCII.
pub fn ascii_host(target: &str) -> Option<String> {
    let host = host(target).filter(|host| !host.is_ascii() && host.len() <= 1000)?;
    let labels = host.to_lowercase();
    let labels = labels.split('.').map(|label| match punycode(label) {
        _ if label.is_ascii() => Some(label.to_owned()),
        Some(code) => Some(format!("xn--{code}")),
        None => None,
    });
    Some(labels.collect::<Option<Vec<_>>>()?.join("."))
}

/// RFC 3492; `None` on overflow.
fn punycode(label: &str) -> Option<String> {
    const BASE: u32 = 36;
    let mut out: String = label.chars().filter(char::is_ascii).collect();
    let basic = u32::try_from(out.len()).ok()?;
    if basic > 0 {
        out.push('-');
    }
    let total = u32::try_from(label.chars().count()).ok()?;
    let (mut n, mut delta, mut bias, mut handled) = (128_u32, 0_u32, 72_u32, basic);
    while handled < total {
        let next = label.chars().map(|c| c as u32).filter(|&c| c >= n).min()?;
        delta = delta.checked_add((next - n).checked_mul(handled + 1)?)?;
        n = next;
        for c in label.chars().map(|c| c as u32) {
            if c < n {
                delta = delta.checked_add(1)?;
            }
            if c != n {
                continue;
            }
            let mut q = delta;
            let mut k = BASE;
            loop {
                let t = k.saturating_sub(bias).clamp(1, 26);
                if q < t {
                    break;
                }
                out.push(digit(t + (q - t) % (BASE - t)));
                q = (q - t) / (BASE - t);
                k += BASE;
            }
            out.push(digit(q));
            bias = adapt(delta, handled + 1, handled == basic);
            delta = 0;
            handled += 1;
        }
        delta = delta.checked_add(1)?;
        n += 1;
    }
    Some(out)
}

fn adapt(delta: u32, points: u32, first: bool) -> u32 {
    let mut delta = if first { delta / 700 } else { delta / 2 };
    delta += delta / points;
    let mut k = 0;
    while delta > 455 {
        delta /= 35;
        k += 36;
    }
    k + 36 * delta / (delta + 38)
}

fn digit(value: u32) -> char {
    let value = u8::try_from(value).unwrap_or(0);
    char::from(if value < 26 {
        b'a' + value
    } else {
        b'0' + value - 26
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn se_10_schemes_and_encoding() {
        let link = |target| hyperlink(target, 1, 1).map(|link| link.target);
        assert_eq!(
            link("https://e.org/a b\u{1b}é").as_deref(),
            Some("https://e.org/a%20b%1B%C3%A9")
        );
        assert!(link("mailto:a@b.c").is_some());
        for bad in [
            "javascript:alert(1)",
            "data:text/html,x",
            "vbscript:x",
            "file:///etc/passwd",
            "slack://x",
            "/relative",
        ] {
            assert_eq!(link(bad), None, "{bad}");
        }
        assert_eq!(link(&format!("http://e.org/{}", "x".repeat(2000))), None);
        let id = |message, index| hyperlink("http://e", message, index).map(|l| l.id);
        assert_eq!(id(1, 1), id(1, 1));
        assert_ne!(id(1, 1), id(1, 2));
    }

    #[test]
    fn se_10_hosts_beyond_ascii_get_their_network_form() {
        assert_eq!(ascii_host("https://e.org/é"), None);
        assert_eq!(
            ascii_host("https://bücher.example/").as_deref(),
            Some("xn--bcher-kva.example")
        );
        assert_eq!(
            ascii_host("http://пример.испытание").as_deref(),
            Some("xn--e1afmkfd.xn--80akhbyknj4f")
        );
    }

    #[test]
    fn se_11_labels_that_name_another_host() {
        assert!(deceptive("https://bank.example", "https://evil.example"));
        assert!(deceptive("bank.example/login", "https://evil.example"));
        assert!(deceptive("www.bank.example", "https://bank.evil"));
        assert!(!deceptive(
            "https://bank.example/a",
            "https://bank.example/b"
        ));
        assert!(!deceptive("www.bank.example", "https://bank.example"));
        assert!(!deceptive("the guide", "https://e.org"));
        assert!(!deceptive("v1.2", "https://e.org"));
    }
}
