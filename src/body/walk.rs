//! Messages, blocks and tools of a body, read as they are walked.
//!
//! One pass over the members of each object; nothing is kept of a part that was
//! left behind. A string where a list of blocks may stand is one bare block of
//! kind `text`, so that both spellings of the same content walk alike. Gemini's
//! parts have no `type`; their kind is the field that fills them.

use super::Fields;
use super::place::{Inside, Place, content_key};
use super::provider::Dialect;
use crate::json::{Elements, Kind, Raw};
use std::borrow::Cow;

/// One message, item or content.
#[derive(Debug, Clone)]
pub struct Message<'a> {
    /// Its index in the list.
    pub index: usize,
    /// Where it stands.
    pub place: Place,
    /// The whole value.
    pub raw: Raw<'a>,
    /// Its members.
    pub fields: Fields<'a>,
    /// Its role as written; empty when there is none.
    pub role: Cow<'a, str>,
    /// Its `type`; empty when there is none.
    pub kind: Cow<'a, str>,
    /// What holds its blocks: a list, a string, or something else.
    pub content: Option<Raw<'a>>,
    dialect: Dialect,
}

impl<'a> Message<'a> {
    /// The blocks of its content, in order.
    pub fn blocks(&self) -> Blocks<'a> {
        let bare = match self.place {
            Place::MessageText => Place::MessageText,
            _ => Place::Content(self.index),
        };
        Blocks::new(self.dialect, self.content, Owner::Message(self.index), bare)
    }

    /// The entries of its `tool_calls`, in order.
    pub fn calls(&self) -> Blocks<'a> {
        let list = self
            .fields
            .get("tool_calls")
            .filter(|calls| calls.kind() == Kind::Array);
        Blocks::new(self.dialect, list, Owner::Calls(self.index), Place::Root)
    }
}

/// One block of content, or one entry of `tool_calls`.
#[derive(Debug, Clone)]
pub struct Block<'a> {
    /// Where it stands.
    pub place: Place,
    /// The whole value: an object, or the string of a bare block.
    pub raw: Raw<'a>,
    /// Its members; none for a bare block.
    pub fields: Fields<'a>,
    /// Its `type`; `text` for a bare block, empty when there is none.
    pub kind: Cow<'a, str>,
    /// Whether it is a string that stands for a list of one text block.
    pub bare: bool,
    dialect: Dialect,
}

impl<'a> Block<'a> {
    fn read(dialect: Dialect, place: Place, raw: Raw<'a>) -> Self {
        let fields = Fields::read(raw);
        let kind = match fields.text("type") {
            Some(kind) => kind,
            None if dialect == Dialect::Gemini => Cow::Borrowed(part_kind(&fields)),
            None if dialect == Dialect::Converse => fields
                .iter()
                .next()
                .map_or(Cow::Borrowed(""), |(key, _)| key.decode()),
            None => Cow::Borrowed(""),
        };
        Self {
            place,
            raw,
            fields,
            kind,
            bare: false,
            dialect,
        }
    }

    fn bare(dialect: Dialect, place: Place, raw: Raw<'a>) -> Self {
        Self {
            place,
            raw,
            fields: Fields::default(),
            kind: Cow::Borrowed("text"),
            bare: true,
            dialect,
        }
    }

    /// The value of `key`, the last one if it stands there twice.
    pub fn get(&self, key: &str) -> Option<Raw<'a>> {
        self.fields.get(key)
    }

    /// The string that holds the text of a text block.
    pub fn text(&self) -> Option<Raw<'a>> {
        match self.bare {
            true => Some(self.raw),
            false => self.get("text").filter(|text| text.kind() == Kind::String),
        }
    }

    /// The blocks it holds, in `content` or `source.content`; a string there is
    /// no block. Three levels deep at most.
    pub fn inner(&self) -> Blocks<'a> {
        let list = |value: Raw<'a>| (value.kind() == Kind::Array).then_some(value);
        let direct = self.get("content").and_then(list);
        let (inside, found) = match direct {
            Some(value) => (Inside::Content, Some(value)),
            None => (
                Inside::Source,
                self.get("source")
                    .and_then(|source| source.get("content"))
                    .and_then(list),
            ),
        };
        let owner = match self.place {
            Place::Block(message, block) => Some(Owner::Block(message, block, inside)),
            Place::Inner(message, block, outer, inner) => {
                Some(Owner::Inner(message, block, outer, inner, inside))
            }
            _ => None,
        };
        match owner {
            Some(owner) => Blocks::new(self.dialect, found, owner, Place::Root),
            None => Blocks::default(),
        }
    }
}

fn part_kind(fields: &Fields<'_>) -> &'static str {
    if fields.get("thought").and_then(Raw::as_bool) == Some(true) {
        return "thought";
    }
    [
        "functionCall",
        "functionResponse",
        "inlineData",
        "fileData",
        "executableCode",
        "codeExecutionResult",
        "text",
    ]
    .into_iter()
    .find(|key| fields.given(key).is_some())
    .unwrap_or("")
}

#[derive(Debug, Clone, Copy)]
enum Owner {
    System,
    Message(usize),
    Calls(usize),
    Block(usize, usize, Inside),
    Inner(usize, usize, Inside, usize, Inside),
}

impl Owner {
    fn place(self, index: usize) -> Place {
        match self {
            Owner::System => Place::System(index),
            Owner::Message(message) => Place::Block(message, index),
            Owner::Calls(message) => Place::Call(message, index),
            Owner::Block(message, block, inside) => {
                Place::Inner(message, block, inside, index)
            }
            Owner::Inner(message, block, outer, inner, inside) => {
                Place::Deep(message, block, outer, inner, inside, index)
            }
        }
    }
}

/// The blocks of one list, in order.
#[derive(Debug, Clone, Default)]
pub struct Blocks<'a> {
    list: Option<(Elements<'a>, usize, Owner, Dialect)>,
    bare: Option<Block<'a>>,
}

impl<'a> Blocks<'a> {
    fn new(
        dialect: Dialect,
        value: Option<Raw<'a>>,
        owner: Owner,
        bare: Place,
    ) -> Self {
        let list = value.and_then(Raw::as_array);
        let string = value.filter(|value| value.kind() == Kind::String);
        Self {
            list: list.map(|list| (list, 0, owner, dialect)),
            bare: string.map(|raw| Block::bare(dialect, bare, raw)),
        }
    }

    pub(super) fn system(dialect: Dialect, value: Option<Raw<'a>>) -> Self {
        Self::new(dialect, value, Owner::System, Place::SystemText)
    }
}

impl<'a> Iterator for Blocks<'a> {
    type Item = Block<'a>;

    fn next(&mut self) -> Option<Block<'a>> {
        if let Some(bare) = self.bare.take() {
            return Some(bare);
        }
        let (elements, index, owner, dialect) = self.list.as_mut()?;
        let raw = elements.next()?;
        let place = owner.place(*index);
        *index += 1;
        Some(Block::read(*dialect, place, raw))
    }
}

/// The messages of a body, in order.
#[derive(Debug, Clone)]
pub struct Messages<'a> {
    dialect: Dialect,
    list: Option<Elements<'a>>,
    bare: Option<Raw<'a>>,
    index: usize,
}

impl<'a> Messages<'a> {
    pub(super) fn new(dialect: Dialect, value: Option<Raw<'a>>) -> Self {
        Self {
            dialect,
            list: value.and_then(Raw::as_array),
            bare: value.filter(|value| {
                value.kind() == Kind::String && dialect == Dialect::Responses
            }),
            index: 0,
        }
    }
}

impl<'a> Iterator for Messages<'a> {
    type Item = Message<'a>;

    fn next(&mut self) -> Option<Message<'a>> {
        let dialect = self.dialect;
        if let Some(raw) = self.bare.take() {
            return Some(Message {
                index: 0,
                place: Place::MessageText,
                raw,
                fields: Fields::default(),
                role: Cow::Borrowed("user"),
                kind: Cow::Borrowed("message"),
                content: Some(raw),
                dialect,
            });
        }
        let raw = self.list.as_mut()?.next()?;
        let index = self.index;
        self.index += 1;
        let fields = Fields::read(raw);
        Some(Message {
            index,
            place: Place::Message(index),
            raw,
            role: fields.text("role").unwrap_or_default(),
            kind: fields.text("type").unwrap_or_default(),
            content: fields.get(content_key(dialect)),
            fields,
            dialect,
        })
    }
}

/// One entry of `tools`.
#[derive(Debug, Clone)]
pub struct Tool<'a> {
    /// Its index in `tools`.
    pub index: usize,
    /// Where it stands.
    pub place: Place,
    /// The whole value.
    pub raw: Raw<'a>,
    /// Its members.
    pub fields: Fields<'a>,
}

impl<'a> Tool<'a> {
    /// The value of `key`, the last one if it stands there twice.
    pub fn get(&self, key: &str) -> Option<Raw<'a>> {
        self.fields.get(key)
    }

    /// Its `name`, if it has one as a string.
    pub fn name(&self) -> Option<Cow<'a, str>> {
        self.fields.text("name")
    }
}

/// The entries of `tools`, in order.
#[derive(Debug, Clone)]
pub struct Tools<'a> {
    list: Option<Elements<'a>>,
    index: usize,
}

impl<'a> Tools<'a> {
    pub(super) fn new(value: Option<Raw<'a>>) -> Self {
        Self {
            list: value.and_then(Raw::as_array),
            index: 0,
        }
    }
}

impl<'a> Iterator for Tools<'a> {
    type Item = Tool<'a>;

    fn next(&mut self) -> Option<Tool<'a>> {
        let raw = self.list.as_mut()?.next()?;
        let index = self.index;
        self.index += 1;
        Some(Tool {
            index,
            place: Place::Tool(index),
            raw,
            fields: Fields::read(raw),
        })
    }
}
