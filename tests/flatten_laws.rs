//! A body depends on nothing behind its request point (`docs/bodies.md#request-points`).

use crate::common::bodies::{check_messages, conversation, lines, options};
use crate::common::corpus::{cases, report};
use convo::body::{Body, Provider};
use convo::error::Severity;
use convo::json::Raw;
use convo::lint::{Profile, Wanted, check};
use convo::model::Table;
use convo::provider::{Options, Requests};

/// A stored conversation as one bundle, and the end of each entry in its bytes.
pub(crate) struct Stored {
    pub(crate) name: String,
    head: Vec<u8>,
    pub(crate) entries: Vec<Vec<u8>>,
}

impl Stored {
    pub(crate) fn all() -> Vec<Self> {
        cases("conversations")
            .iter()
            .map(|folder| Self::read(folder))
            .collect()
    }

    fn read(folder: &std::path::Path) -> Self {
        let events = std::fs::read(folder.join("events.json")).expect("events");
        let base = std::fs::read(folder.join("base_config.json")).ok();
        let raw = Raw::parse(&events).expect("JSON");
        let entries = raw.as_array().expect("an array");
        let mut entries: Vec<Vec<u8>> = entries.map(|e| e.bytes().to_vec()).collect();
        let first = conversation(&events).embedded_base();
        let base = base.or_else(|| {
            let first = first?.raw();
            entries.remove(0);
            Some(first.get("delta").unwrap_or(first).bytes().to_vec())
        });
        let mut head = b"{\"base_config\":".to_vec();
        head.extend_from_slice(base.as_deref().unwrap_or(b"{}"));
        head.extend_from_slice(b",\"events\":[");
        Self {
            name: folder
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned(),
            head,
            entries,
        }
    }

    pub(crate) fn cut(&self, count: usize) -> Vec<u8> {
        let mut bytes = self.head.clone();
        bytes.extend_from_slice(&self.entries[..count].join(&b","[..]));
        bytes.extend_from_slice(b"]}");
        bytes
    }
}

/// The number of entries before each request point.
pub(crate) fn points(bytes: &[u8], options: &Options<'_>) -> Vec<usize> {
    use convo::config::{Config, Warnings};
    use convo::thread::rules::Policy;
    let conversation = conversation(bytes);
    let (mut told, mut warnings) = (Vec::new(), Warnings::default());
    let events = convo::stream::Entries::new(&conversation, false);
    let events = events.collect(&mut told).expect("entries");
    let config = Config::new(conversation.base, options.mode, &mut warnings);
    let policy = Policy {
        rules: convo::provider::rules(
            options.provider.expect("a provider"),
            options.mode,
        ),
        by_owner: None,
    };
    convo::thread::walk(&events, config, &policy, &mut warnings, &mut told).points
}

/// What the API refuses of a body.
fn refusals(body: &[u8]) -> Option<String> {
    let raw = Raw::parse(body).expect("a body is JSON");
    let read = Body::read(raw, Some(Provider::Anthropic), None).expect("a body");
    let profile = Profile::new(&Table::built_in(), &Wanted::default(), &read, None);
    let findings = check(&read, body, &profile);
    let errors = findings
        .iter()
        .filter(|one| one.severity == Severity::Error);
    let errors: Vec<_> = errors
        .map(|one| format!("{} {}", one.rule.id, one.path))
        .collect();
    (!errors.is_empty()).then(|| errors.join(", "))
}

#[test]
fn stored_conversations_are_stable_and_legal_at_every_request_point() {
    let mut count = 0;
    for stored in Stored::all() {
        let whole = stored.cut(stored.entries.len());
        let all = Options {
            requests: Requests::All,
            ..options("anthropic", Some("claude-opus-4-8"))
        };
        let last = options("anthropic", Some("claude-opus-4-8"));
        let (bodies, _) = lines(&whole, &all).expect("bodies");
        let points = points(&whole, &all);
        assert_eq!(bodies.len(), points.len(), "{}", stored.name);
        for (body, &point) in bodies.iter().zip(&points) {
            let (cut, _) = lines(&stored.cut(point), &last).expect("a body");
            assert!(cut[0] == *body, "{} cut at {point} differs", stored.name);
            let raw = Raw::parse(body).expect("a body is JSON");
            let last = Some(&point) == points.last();
            let why = check_messages(raw).err();
            let why = why.or_else(|| last.then(|| refusals(body))?);
            assert_eq!(why, None, "{} {point}", stored.name);
            count += 1;
        }
    }
    report("request points", count);
}
