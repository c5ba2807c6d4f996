//! Mends that lose no meaning (`lint --fix`).
//!
//! A finding is mended where there is one right way and nothing that the model
//! reads is lost; everything else stays a finding with its ways out. Mends are
//! edits of the bytes: what they do not touch stays as it was written.

use crate::body::Body;
use crate::body::id::{IdRules, Ids};
use crate::finding::Finding;
use crate::json::{Kind, Raw, pointer, write};
use crate::term::quoted;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// One edit of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    /// The bytes that go, counted in the body.
    pub(super) range: Range<usize>,
    /// What comes in their place.
    pub(super) text: Vec<u8>,
}

/// One finding mended.
#[derive(Debug, Clone)]
pub struct Mend {
    /// The rule it obeys.
    pub rule: &'static str,
    /// Where it was broken.
    pub path: String,
    /// What was done.
    pub message: String,
}

/// The mends of a body.
#[derive(Debug, Default)]
pub struct Mends {
    edits: Vec<Edit>,
    /// What was done, in the order of the findings.
    pub told: Vec<Mend>,
}

/// The longest id that every provider with a limit takes.
const ID: usize = 64;

/// The keys of ids of calls, and of their mentions.
const ID_KEYS: [&str; 6] = [
    "\"call_id\"",
    "\"id\"",
    "\"tool_call_id\"",
    "\"tool_use_id\"",
    "\"toolUseId\"",
    "\"ref_id\"",
];

/// Mends what can be mended of `findings`, which are those of `body`.
pub fn fix(body: &Body<'_>, findings: &[Finding]) -> Mends {
    let mut fixer = Fixer {
        body,
        bytes: body.raw.bytes(),
        mends: Mends::default(),
        ids: HashMap::new(),
        written: None,
        gone: HashMap::new(),
    };
    for finding in findings {
        if let Some(message) = fixer.one(finding) {
            fixer.mends.told.push(Mend {
                rule: finding.rule.id,
                path: finding.path.clone(),
                message,
            });
        }
    }
    fixer.mends
}

impl Mends {
    /// Whether nothing is mended.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// The body with the mends.
    pub fn apply(&self, bytes: &[u8]) -> Vec<u8> {
        let mut edits: Vec<&Edit> = self.edits.iter().collect();
        edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
        let mut out = Vec::with_capacity(bytes.len());
        let mut at = 0;
        for edit in edits {
            // Two mends of one place: the first wins, the next run sees the rest.
            if edit.range.start < at {
                continue;
            }
            out.extend_from_slice(&bytes[at..edit.range.start]);
            out.extend_from_slice(&edit.text);
            at = edit.range.end;
        }
        out.extend_from_slice(&bytes[at..]);
        out
    }
}

/// The ids of a body, so that no renamed one becomes another's.
fn standing(bytes: &[u8]) -> Ids<'_> {
    let mut ids = Ids::default();
    for key in ID_KEYS {
        for at in memchr::memmem::find_iter(bytes, key) {
            let behind = bytes[at + key.len()..].trim_ascii_start();
            let Some(value) = behind.strip_prefix(b":") else {
                continue;
            };
            let value = value.trim_ascii_start();
            if value.first() == Some(&b'"') {
                let end = crate::json::raw::string_end(value, 0);
                ids.keep(Raw::checked(&value[..end]).as_str().unwrap_or_default());
            }
        }
    }
    ids
}

struct Fixer<'b> {
    body: &'b Body<'b>,
    bytes: &'b [u8],
    mends: Mends,
    /// Ids renamed so far, old to new.
    ids: HashMap<String, String>,
    /// Ids that stand in the body, once one is renamed.
    written: Option<Ids<'b>>,
    /// Elements taken out of each list so far.
    gone: HashMap<String, usize>,
}

impl<'b> Fixer<'b> {
    fn one(&mut self, finding: &Finding) -> Option<String> {
        let value = pointer::resolve(self.body.raw, &finding.path);
        match finding.rule.id {
            "lone-surrogate" => {
                let range = self.range(value?);
                let halves = super::values::halves(&self.bytes[range.clone()]);
                halves.first()?;
                for at in halves {
                    let start = range.start + at;
                    self.replace(start..start + 6, b"\\ufffd");
                }
                Some("half a character became U+FFFD".to_owned())
            }
            "image-media-type" | "gemini-mime" => {
                let value = value?;
                (value.as_str()? == "image/jpg").then_some(())?;
                self.put(value, "image/jpeg");
                Some("`image/jpg` became `image/jpeg`".to_owned())
            }
            "image-magic" => {
                let parent = finding.path.strip_suffix("/data")?;
                let media =
                    pointer::resolve(self.body.raw, &format!("{parent}/media_type"))?;
                let found = ["image/jpeg", "image/png", "image/gif", "image/webp"]
                    .into_iter()
                    .find(|kind| finding.message.ends_with(&format!("`{kind}`")))?;
                self.put(media, found);
                Some(format!("the type became `{found}`"))
            }
            "text-empty"
            | "text-whitespace"
            | "bedrock-text-blank"
            | "gemini-part-no-data" => self.take_out(&finding.path),
            "openai-schema-array-items" => {
                self.insert_first(value?, b"\"items\":{}");
                Some("`items` were added".to_owned())
            }
            "responses-item-id-length"
            | "responses-item-id-prefix"
            | "responses-item-id-charset"
            | "reasoning-missing" => {
                let owner = finding.path.strip_suffix("/id")?;
                self.leave_out(pointer::resolve(self.body.raw, owner)?, "id")?;
                Some("the `id` was left out".to_owned())
            }
            "responses-call-id-length"
            | "chat-call-id-length"
            | "tool-use-id-pattern"
            | "bedrock-tool-use-id" => self.rename(value?),
            "ollama-image-raw" => {
                let text = value?.as_str()?;
                let (head, data) = text.split_once(";base64,")?;
                head.starts_with("data:").then_some(())?;
                self.put(value?, data);
                Some("the head of the data URI was left out".to_owned())
            }
            "openai-max-tokens-param" => {
                let body = self.body.raw;
                self.rename_key(body, "max_tokens", "max_completion_tokens")?;
                Some("`max_tokens` became `max_completion_tokens`".to_owned())
            }
            "choice-none-parallel" => {
                let choice = self.body.get("tool_choice")?;
                self.leave_out(choice, "disable_parallel_tool_use")?;
                Some("`disable_parallel_tool_use` was left out".to_owned())
            }
            "openai-parallel-no-tools" => {
                let body = self.body.raw;
                self.leave_out(body, "parallel_tool_calls")?;
                Some("`parallel_tool_calls` was left out".to_owned())
            }
            "cache-control-thinking" | "deferred-cache-control" => {
                let owner = finding.path.strip_suffix("/cache_control");
                let owner = owner.unwrap_or(&finding.path);
                self.leave_out(
                    pointer::resolve(self.body.raw, owner)?,
                    "cache_control",
                )?;
                Some("the mark was left out".to_owned())
            }
            _ => None,
        }
    }

    fn replace(&mut self, range: Range<usize>, text: &[u8]) {
        self.mends.edits.push(Edit {
            range,
            text: text.to_vec(),
        });
    }

    fn range(&self, raw: Raw<'_>) -> Range<usize> {
        let start = raw.offset_in(self.bytes);
        start..start + raw.bytes().len()
    }

    fn put(&mut self, value: Raw<'_>, text: &str) {
        let mut out = Vec::new();
        write::string(&mut out, text);
        let range = self.range(value);
        self.replace(range, &out);
    }

    /// Gives an id, and every other mention of it, a spelling that is taken.
    fn rename(&mut self, value: Raw<'_>) -> Option<String> {
        let old = value.as_str()?.into_owned();
        if old.is_empty() {
            return None;
        }
        if let Some(new) = self.ids.get(&old) {
            return Some(format!("the id became {}, here too", quoted(new)));
        }
        let rules = IdRules::of(self.body.provider);
        let rules = IdRules {
            longest: rules.longest.min(ID),
            ..rules
        };
        // What one client keeps to is no rule of the provider's.
        if old.len() <= rules.longest && old.bytes().all(rules.takes) {
            return None;
        }
        let bytes = self.bytes;
        let written = self.written.get_or_insert_with(|| standing(bytes));
        let new = written.assign(Cow::Owned(old.clone()), rules).into_owned();
        // Every string of the body that is this id, written as it is.
        let mut quoted_old = Vec::new();
        write::string(&mut quoted_old, &old);
        let mut quoted_new = Vec::new();
        write::string(&mut quoted_new, &new);
        let hits: Vec<usize> =
            memchr::memmem::find_iter(self.bytes, &quoted_old).collect();
        for hit in hits {
            let before = self.bytes[..hit].trim_ascii_end();
            let Some(before) = before.strip_suffix(b":") else {
                continue;
            };
            let before = before.trim_ascii_end();
            if ID_KEYS.iter().any(|key| before.ends_with(key.as_bytes())) {
                self.replace(hit..hit + quoted_old.len(), &quoted_new);
            }
        }
        let text = format!("the id became {}", quoted(&new));
        self.ids.insert(old, new);
        Some(text)
    }

    fn insert_first(&mut self, object: Raw<'_>, member: &[u8]) {
        let start = self.range(object).start + 1;
        let empty = object
            .as_object()
            .is_none_or(|mut all| all.next().is_none());
        let mut text = member.to_vec();
        if !empty {
            text.push(b',');
        }
        self.replace(start..start, &text);
    }

    fn rename_key(&mut self, object: Raw<'_>, old: &str, new: &str) -> Option<()> {
        let (key, _) = object.as_object()?.find(|(key, _)| key.is(old))?;
        let inner = key.escaped();
        let start = crate::json::raw::offset_in(inner, self.bytes);
        self.replace(start..start + inner.len(), new.as_bytes());
        Some(())
    }

    /// Takes a member out of an object, with the comma beside it.
    fn leave_out(&mut self, object: Raw<'_>, key: &str) -> Option<()> {
        let mut members: Vec<(usize, usize, bool)> = Vec::new();
        for (name, value) in object.as_object()? {
            let start = crate::json::raw::offset_in(name.escaped(), self.bytes) - 1;
            members.push((start, self.range(value).end, name.is(key)));
        }
        let index = members.iter().position(|(.., hit)| *hit)?;
        let range = match (index, members.get(index + 1)) {
            (_, Some((next, ..))) => members[index].0..*next,
            (0, None) => members[0].0..members[0].1,
            (_, None) => members[index - 1].1..members[index].1,
        };
        self.replace(range, b"");
        Some(())
    }

    /// Takes an element out of its list, unless it is the last one there.
    fn take_out(&mut self, path: &str) -> Option<String> {
        let (list, index) = path.rsplit_once('/')?;
        let index: usize = index.parse().ok()?;
        let raw = pointer::resolve(self.body.raw, list)?;
        (raw.kind() == Kind::Array).then_some(())?;
        let places: Vec<Range<usize>> =
            raw.as_array()?.map(|one| self.range(one)).collect();
        let gone = self.gone.entry(list.to_owned()).or_default();
        if *gone + 1 >= places.len() || places[index].is_empty() {
            return None;
        }
        *gone += 1;
        let range = match places.get(index + 1) {
            Some(next) => places[index].start..next.start,
            None => places[index - 1].end..places[index].end,
        };
        self.replace(range, b"");
        Some("the empty part was left out".to_owned())
    }
}
