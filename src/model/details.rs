//! What is known of one model, read from its entry in the table.

use crate::error::{Error, ErrorKind};
use crate::json::{Kind, Raw};

/// Whether a model takes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Support {
    /// Documented to.
    #[default]
    Yes,
    /// Assumed to.
    AssumedYes,
    /// Documented not to.
    No,
    /// Assumed not to.
    AssumedNo,
    /// Only while it thinks.
    WithThinking,
}

impl Support {
    /// Whether it is refused, surely or presumably.
    pub fn refused(self) -> bool {
        matches!(self, Support::No | Support::AssumedNo)
    }

    /// Whether it is taken, surely or presumably, at least while thinking.
    pub fn taken(self) -> bool {
        !self.refused()
    }

    /// Whether the answer is documented.
    pub fn sure(self) -> bool {
        !matches!(self, Support::AssumedYes | Support::AssumedNo)
    }

    fn read(raw: Raw<'_>) -> Option<Self> {
        Some(match raw.as_str()?.as_ref() {
            "yes" => Support::Yes,
            "yes?" => Support::AssumedYes,
            "no" => Support::No,
            "no?" => Support::AssumedNo,
            "thinking" => Support::WithThinking,
            _ => return None,
        })
    }
}

/// What becomes of a thinking block whose prefix changed, when the request does
/// not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Binding {
    /// Nobody checks.
    #[default]
    NotChecked,
    /// The block is read all the same.
    Allow,
    /// The request is refused.
    Reject,
    /// Sources disagree whether the request is refused.
    MayReject,
}

impl Binding {
    fn read(raw: Raw<'_>) -> Option<Self> {
        Some(match raw.as_str()?.as_ref() {
            "not_checked" => Binding::NotChecked,
            "allow" => Binding::Allow,
            "reject" => Binding::Reject,
            "reject?" => Binding::MayReject,
            _ => return None,
        })
    }
}

/// Which thinking blocks stay in the rendered prompt after a user text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeepThinking {
    /// Not documented.
    #[default]
    Unknown,
    /// All of them.
    All,
    /// Those of the last assistant turn.
    Last,
}

/// One model.
#[derive(Debug, Clone, Default)]
pub struct Model {
    /// Its id on the vendor's API.
    pub id: String,
    /// Other ids of the same model.
    pub names: Vec<String>,
    /// Whether it takes system messages inside `messages`.
    pub system_messages: Support,
    /// Whether it takes tool changes.
    pub tool_changes: Support,
    /// Whether it takes effort on a system message.
    pub message_effort: Support,
    /// Whether it takes `clear_at`.
    pub clear_at: Support,
    /// Whether it takes a `tool_choice` of `any` or `tool`.
    pub forced_tool_choice: Support,
    /// Whether the last message may be the assistant's.
    pub prefill: Support,
    /// Whether it takes sampling parameters other than their defaults.
    pub sampling: Support,
    /// Fewest tokens that are cached.
    pub min_cacheable: usize,
    /// Most images in one request.
    pub images: usize,
    /// Values of `thinking.type` it refuses.
    pub thinking_refused: Vec<String>,
    /// Highest effort at which thinking may be switched off.
    pub thinking_off_effort: Option<String>,
    /// Highest effort at which `thinking.type` may be `between_tools`.
    pub between_tools: Option<String>,
    /// Which thinking blocks stay in the rendered prompt.
    pub keep_thinking: KeepThinking,
    /// The prefix check for accounts made before 2026-08-31.
    pub binding_old: Binding,
    /// The prefix check for accounts made since.
    pub binding_new: Binding,
    /// The effort in force when none is given.
    pub default_effort: String,
    /// Price of a cache read, as a factor of the input price.
    pub cache_read: f64,
    /// Most tokens it writes in one answer; 0 where nobody says.
    pub max_output_tokens: u64,
    /// Whether that figure is assumed.
    pub max_output_assumed: bool,
    /// Whether it takes only one of `temperature` and `top_p`.
    pub one_sampling: bool,
    source: String,
}

impl Model {
    /// Whether `name` is the model's id or one of its other ids.
    pub fn is(&self, name: &str) -> bool {
        self.id == name || self.names.iter().any(|one| one == name)
    }

    /// Any other field of the entry last read, for callers with facts of their
    /// own.
    pub fn field(&self, key: &str) -> Option<Raw<'_>> {
        Raw::checked(self.source.as_bytes()).get(key)
    }

    pub(super) fn renamed(mut self, id: &str) -> Self {
        id.clone_into(&mut self.id);
        self.names.clear();
        self
    }

    /// Reads the fields given in `entry`; the others stay.
    pub(super) fn read(&mut self, entry: Raw<'_>, path: &str) -> Result<(), Error> {
        for (key, value) in entry.as_object().into_iter().flatten() {
            let key = key.decode();
            if self.set(&key, value).is_none() {
                return Err(Error::new(
                    ErrorKind::Contract,
                    "model-details",
                    format!("`{key}` of model {} has no such value", self.id),
                )
                .path(format!("{path}/{key}")));
            }
        }
        self.source = String::from_utf8_lossy(entry.bytes()).into_owned();
        Ok(())
    }

    fn set(&mut self, key: &str, value: Raw<'_>) -> Option<()> {
        let number = || value.as_u64().and_then(|n| usize::try_from(n).ok());
        match key {
            "names" => self.names = strings(value)?,
            "system_messages" => self.system_messages = Support::read(value)?,
            "tool_changes" => self.tool_changes = Support::read(value)?,
            "message_effort" => self.message_effort = Support::read(value)?,
            "clear_at" => self.clear_at = Support::read(value)?,
            "forced_tool_choice" => self.forced_tool_choice = Support::read(value)?,
            "prefill" => self.prefill = Support::read(value)?,
            "sampling" => self.sampling = Support::read(value)?,
            "min_cacheable" => self.min_cacheable = number()?,
            "images" => self.images = number()?,
            "thinking_refused" => self.thinking_refused = strings(value)?,
            "thinking_off_effort" => {
                self.thinking_off_effort = value.as_str().map(Into::into);
            }
            "between_tools" => self.between_tools = value.as_str().map(Into::into),
            "keep_thinking" => {
                self.keep_thinking = match value.as_str().as_deref() {
                    Some("all") => KeepThinking::All,
                    Some("last") => KeepThinking::Last,
                    _ if value.is_null() => KeepThinking::Unknown,
                    _ => return None,
                }
            }
            "binding" => {
                self.binding_old = Binding::read(value.get("old")?)?;
                self.binding_new = Binding::read(value.get("new")?)?;
            }
            "default_effort" => self.default_effort = value.as_str()?.into_owned(),
            "cache_read" => self.cache_read = value.as_f64()?,
            "max_output_tokens" => {
                let text = value.as_str();
                let plain = text.as_deref().and_then(|text| text.strip_suffix('?'));
                self.max_output_assumed = plain.is_some();
                self.max_output_tokens = match plain {
                    Some(plain) => plain.parse().ok()?,
                    None => value.as_u64()?,
                };
            }
            "one_sampling" => self.one_sampling = value.as_bool()?,
            _ => {}
        }
        Some(())
    }
}

fn strings(value: Raw<'_>) -> Option<Vec<String>> {
    (value.kind() == Kind::Array).then(|| {
        let items = value.as_array().into_iter().flatten();
        items.filter_map(Raw::as_str).map(Into::into).collect()
    })
}
