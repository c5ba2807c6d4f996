//! What a request needs to know of a model: limits, reasoning, features.
//!
//! The built-in facts are in `details.json` beside this file, one entry a line in
//! the shape of a bundle's `inputs.model`. A file of such entries, or one entry,
//! overrides them (`--model-details`). What the API refuses of a model is in
//! [`crate::model`].

use crate::error::{Error, ErrorKind};
use crate::json::{Kind, Raw};

const BUILT_IN: &str = include_str!("details.json");

/// How a model reasons.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ReasoningSupport {
    /// Nobody knows.
    #[default]
    Unknown,
    /// It does not.
    Unsupported,
    /// By a budget of tokens.
    Budgeted {
        /// Fewest tokens.
        min: u64,
        /// Most tokens, if there is a cap.
        max: Option<u64>,
    },
    /// By one of these levels.
    Leveled(Vec<String>),
    /// As it sees fit; these levels exist above `high`.
    Adaptive(Vec<String>),
}

/// The facts of one model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Details {
    /// The provider it belongs to; `None` for a given entry.
    pub provider: Option<String>,
    /// The name on the wire.
    pub name: String,
    /// Tokens of prompt and answer together.
    pub context_window: Option<u64>,
    /// Most tokens of an answer.
    pub max_output_tokens: Option<u64>,
    /// How it reasons.
    pub reasoning: ReasoningSupport,
    /// Whether reasoning can be switched off.
    pub can_disable: bool,
    /// Whether it keeps to a schema.
    pub structured_output: Option<bool>,
    /// Whether the last message may be the assistant's.
    pub prefill: Option<bool>,
    /// Flags, by name.
    pub features: Vec<String>,
    /// Whether anything but the name is known.
    pub is_known: bool,
}

impl Details {
    /// A model of which only the name is known.
    pub fn unknown(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            can_disable: true,
            ..Self::default()
        }
    }

    /// Whether the model has a flag.
    pub fn has(&self, feature: &str) -> bool {
        self.features.iter().any(|one| one == feature)
    }

    /// Lays an entry over what is known; fields it lacks stay.
    ///
    /// # Errors
    ///
    /// A field of another shape.
    pub fn read(&mut self, entry: Raw<'_>, path: &str) -> Result<(), Error> {
        if entry.kind() != Kind::Object {
            return Err(shape(path, "an object", entry));
        }
        for (key, value) in entry.as_object().into_iter().flatten() {
            let at = || format!("{path}/{}", key.decode());
            let number = |into: &mut Option<u64>| {
                *into = value.as_u64();
                match into.is_some() || value.is_null() {
                    true => Ok(()),
                    false => Err(shape(&at(), "a number of tokens", value)),
                }
            };
            match &*key.decode() {
                "name" | "id" => match value.as_str() {
                    Some(name) => self.name = name.into_owned(),
                    None => return Err(shape(&at(), "a string", value)),
                },
                "provider" => {
                    self.provider = value.as_str().map(std::borrow::Cow::into_owned);
                }
                "context_window" => number(&mut self.context_window)?,
                "max_output_tokens" => number(&mut self.max_output_tokens)?,
                "structured_output" => self.structured_output = value.as_bool(),
                "prefill" => self.prefill = value.as_bool(),
                "features" => self.features = strings(value),
                "reasoning" => self.read_reasoning(value, &at())?,
                _ => {}
            }
        }
        self.is_known = true;
        Ok(())
    }

    fn read_reasoning(&mut self, value: Raw<'_>, path: &str) -> Result<(), Error> {
        let number = |key| value.get(key).and_then(Raw::as_u64);
        let levels = || value.get("levels").map(strings).unwrap_or_default();
        let mode = value.get("mode").and_then(Raw::as_str);
        self.reasoning = match (value.as_str().as_deref(), mode.as_deref()) {
            (None, None) if value.is_null() => ReasoningSupport::Unknown,
            (Some("unsupported"), _) => ReasoningSupport::Unsupported,
            (_, Some("budgetted" | "budgeted")) => ReasoningSupport::Budgeted {
                min: number("min").unwrap_or(0),
                max: number("max"),
            },
            (_, Some("leveled")) => ReasoningSupport::Leveled(levels()),
            (_, Some("adaptive")) => ReasoningSupport::Adaptive(levels()),
            _ => {
                let expected = "null, \"unsupported\" or an object with a `mode` of \
                                budgetted, leveled or adaptive";
                return Err(shape(path, expected, value));
            }
        };
        let can_disable = value.get("can_disable").and_then(Raw::as_bool);
        self.can_disable = can_disable.unwrap_or(true);
        Ok(())
    }
}

fn strings(list: Raw<'_>) -> Vec<String> {
    let list = list.as_array().into_iter().flatten();
    list.filter_map(Raw::as_str)
        .map(std::borrow::Cow::into_owned)
        .collect()
}

fn shape(path: &str, expected: &str, found: Raw<'_>) -> Error {
    Error::new(
        ErrorKind::Contract,
        "model-details",
        format!("expected {expected}, found {}", found.kind().name()),
    )
    .path(path)
}

/// All models that something is known of.
#[derive(Debug, Clone, Default)]
pub struct DetailsTable(Vec<Details>);

impl DetailsTable {
    /// The table the program was built with.
    pub fn built_in() -> Self {
        let mut table = Self::default();
        let read = table.merge(BUILT_IN.as_bytes());
        debug_assert!(read.is_ok(), "the built-in details: {read:?}");
        table
    }

    /// Lays a file over the table: `{"models": [...]}`, an array, or one entry.
    ///
    /// # Errors
    ///
    /// Bytes that are not JSON, or not of that shape.
    pub fn merge(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let root = Raw::parse(bytes).map_err(|error| {
            let message = error.to_string();
            Error::new(ErrorKind::Input, "json-syntax", message).byte(error.offset)
        })?;
        let (list, path) = match root.get("models") {
            Some(list) => (list, "/models"),
            None => (root, ""),
        };
        if list.kind() != Kind::Array {
            return self.merge_entry(list, path);
        }
        for (index, entry) in list.as_array().into_iter().flatten().enumerate() {
            self.merge_entry(entry, &format!("{path}/{index}"))?;
        }
        Ok(())
    }

    fn merge_entry(&mut self, entry: Raw<'_>, path: &str) -> Result<(), Error> {
        let name = entry.get("name").or_else(|| entry.get("id"));
        let Some(name) = name.and_then(Raw::as_str) else {
            return Err(shape(path, "a model with a `name`", entry));
        };
        let provider = entry.get("provider").and_then(Raw::as_str);
        let known = self.0.iter_mut().find(|one| {
            one.name == name
                && (provider.is_none()
                    || one.provider == provider.as_deref().map(str::to_owned))
        });
        match known {
            Some(known) => known.read(entry, path),
            None => {
                let mut details = Details::unknown(&name);
                details.read(entry, path)?;
                self.0.push(details);
                Ok(())
            }
        }
    }

    /// The provider that has a model of that name.
    pub fn provider_of(&self, name: &str) -> Option<String> {
        let one = self.0.iter().rev().find(|one| one.name == name)?;
        one.provider.clone()
    }

    /// What is known of a provider's model; a dated or `-latest` spelling of a
    /// known name counts as that model.
    pub fn find(&self, provider: &str, name: &str) -> Option<Details> {
        let of = |wanted: &str| {
            self.0.iter().rev().find(|one| {
                one.name == wanted
                    && one.provider.as_deref().is_none_or(|one| one == provider)
            })
        };
        let plain = name.strip_suffix("-latest").unwrap_or(name);
        let plain = match plain.rsplit_once('-') {
            Some((head, date))
                if date.len() == 8 && date.bytes().all(|b| b.is_ascii_digit()) =>
            {
                head
            }
            _ => plain,
        };
        of(name).or_else(|| of(plain)).map(|found| Details {
            name: name.to_owned(),
            ..found.clone()
        })
    }
}
