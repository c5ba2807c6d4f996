//! Every tool of a conversation, in an order that never changes.
//!
//! `docs/directives.md`, D-29: a tool keeps the place and the definition it had when it
//! first became resolvable, and all but one, the anchor tool, are deferred. A
//! [`CatalogueFile`] brings definitions from outside: those that MCP servers list
//! (D-14), tools in the form of `inputs.tools`, or a lock file, an array written
//! earlier whose order, anchor and bytes are used unchanged.

use crate::error::{Error, ErrorKind};
use crate::json::{Kind, Raw, write};
use std::collections::HashMap;
use std::sync::Arc;

/// A tool and its definition as sent, without marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: Arc<str>,
    /// Its definition, a JSON object.
    pub definition: Arc<[u8]>,
}

/// The `tools` of a body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Catalogue {
    /// The tools, in order.
    pub entries: Vec<Entry>,
    /// The one that is not deferred.
    pub anchor: usize,
}

impl Catalogue {
    /// Appends the array; `mark` is put on the anchor tool.
    pub fn write(&self, out: &mut Vec<u8>, mark: &[u8]) {
        out.push(b'[');
        for (index, entry) in self.entries.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            let open = entry.definition.strip_suffix(b"}");
            out.extend_from_slice(open.unwrap_or(&entry.definition));
            match index == self.anchor {
                true => out.extend_from_slice(mark),
                false => out.extend_from_slice(b",\"defer_loading\":true"),
            }
            out.push(b'}');
        }
        out.push(b']');
    }
}

/// What `--catalogue` names, read: of one file, or of several laid together.
#[derive(Debug, Clone, Default)]
pub struct CatalogueFile<'a> {
    /// What each MCP server lists, by server and the server's own name.
    servers: HashMap<String, HashMap<String, Raw<'a>>>,
    /// Tools in the form of `inputs.tools`, by name.
    tools: HashMap<String, Raw<'a>>,
    lock: Option<Lock<'a>>,
}

/// An array written earlier.
#[derive(Debug, Clone)]
struct Lock<'a> {
    catalogue: Catalogue,
    /// Where each name stands in it, and its entry as it was read.
    names: HashMap<String, (usize, Raw<'a>)>,
}

impl<'a> CatalogueFile<'a> {
    /// Reads a catalogue file.
    ///
    /// # Errors
    ///
    /// Bytes that are not JSON, or of none of the three shapes.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Error> {
        let root = Raw::parse(bytes).map_err(|error| {
            let message = error.to_string();
            Error::new(ErrorKind::Input, "json-syntax", message).byte(error.offset)
        })?;
        match root.kind() {
            Kind::Object => servers(root),
            Kind::Array => {
                let mut list = root.as_array().into_iter().flatten();
                match list.any(|tool| tool.get("input_schema").is_some()) {
                    true => lock(root),
                    false => Ok(Self {
                        tools: named(root, "", "a tool with a `name`")?,
                        ..Self::default()
                    }),
                }
            }
            _ => Err(shape(
                "",
                "an object of MCP servers, or an array of tools",
                root,
            )),
        }
    }

    /// Lays another file over this one: of two that speak of one server's tool, or of
    /// one tool, the later one counts.
    ///
    /// # Errors
    ///
    /// A second lock file.
    pub fn merge(&mut self, later: Self) -> Result<(), Error> {
        for (server, tools) in later.servers {
            self.servers.entry(server).or_default().extend(tools);
        }
        self.tools.extend(later.tools);
        if later.lock.is_some() && self.lock.is_some() {
            let what = "a second lock file: there can be one".to_owned();
            return Err(wrong("", what));
        }
        self.lock = self.lock.take().or(later.lock);
        Ok(())
    }

    /// The array of a lock file, if there is one.
    pub fn lock(&self) -> Option<&Catalogue> {
        Some(&self.lock.as_ref()?.catalogue)
    }

    /// Where a name stands in the lock file.
    pub fn place(&self, name: &str) -> Option<usize> {
        let (index, _) = self.lock.as_ref()?.names.get(name)?;
        Some(*index)
    }

    /// The entry of a lock file under that name, and as it was read.
    pub fn locked(&self, name: &str) -> Option<(&Entry, Raw<'a>)> {
        let lock = self.lock.as_ref()?;
        let (index, raw) = lock.names.get(name)?;
        Some((&lock.catalogue.entries[*index], *raw))
    }

    /// What a server says of a tool; without a server's name, the only server that
    /// lists it.
    pub fn listed(&self, server: &str, tool: &str) -> Option<Raw<'a>> {
        if !server.is_empty() {
            return self.servers.get(server)?.get(tool).copied();
        }
        let mut found = self.servers.values().filter_map(|tools| tools.get(tool));
        let first = found.next().copied();
        first.filter(|_| found.next().is_none())
    }

    /// Whether what that server lists is known, with this tool or without it; without
    /// a server's name, whether any server's list is.
    pub fn lists(&self, server: &str) -> bool {
        match server.is_empty() {
            true => !self.servers.is_empty(),
            false => self.servers.contains_key(server),
        }
    }

    /// A tool in the form of `inputs.tools`.
    pub fn tool(&self, name: &str) -> Option<Raw<'a>> {
        self.tools.get(name).copied()
    }
}

fn servers(root: Raw<'_>) -> Result<CatalogueFile<'_>, Error> {
    let mut found = HashMap::new();
    for (server, value) in root.as_object().into_iter().flatten() {
        let server = server.decode().into_owned();
        let result = value.get("result").unwrap_or(value);
        let list = result.get("tools").unwrap_or(result);
        let path = format!("/{server}/tools");
        if list.kind() != Kind::Array {
            return Err(shape(&path, "the tools that the server lists", list));
        }
        let tools = named(list, &path, "a tool with a `name`")?;
        found.insert(server, tools);
    }
    Ok(CatalogueFile {
        servers: found,
        ..CatalogueFile::default()
    })
}

fn named<'a>(
    list: Raw<'a>,
    path: &str,
    expected: &str,
) -> Result<HashMap<String, Raw<'a>>, Error> {
    let mut tools = HashMap::new();
    for (index, tool) in list.as_array().into_iter().flatten().enumerate() {
        let name = tool.get("name").and_then(Raw::as_str);
        let name =
            name.ok_or_else(|| shape(&format!("{path}/{index}"), expected, tool));
        tools.entry(name?.into_owned()).or_insert(tool);
    }
    Ok(tools)
}

fn lock(root: Raw<'_>) -> Result<CatalogueFile<'_>, Error> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut names = HashMap::new();
    let mut anchors = Vec::new();
    for (index, tool) in root.as_array().into_iter().flatten().enumerate() {
        let at = format!("/{index}");
        let name = tool.get("name").and_then(Raw::as_str);
        let name = name.ok_or_else(|| shape(&at, "a tool with a `name`", tool))?;
        let legal = |b: u8| b.is_ascii_alphanumeric() || b"_-".contains(&b);
        if !(1..=128).contains(&name.len()) || !name.bytes().all(legal) {
            return Err(wrong(&at, format!("the API refuses the name `{name}`")));
        }
        let named = name.clone().into_owned();
        if names.insert(named, (index, tool)).is_some() {
            return Err(wrong(&at, format!("tool `{name}` is there twice")));
        }
        let schema = tool.get("input_schema");
        schema_fits(schema)
            .map_err(|why| wrong(&at, format!("tool `{name}`: {why}")))?;
        let deferred = tool.get("defer_loading").and_then(Raw::as_bool);
        if deferred != Some(true) {
            anchors.push(index);
        }
        entries.push(Entry {
            name: name.into(),
            definition: bare(tool).into(),
        });
    }
    match anchors.as_slice() {
        &[anchor] => Ok(CatalogueFile {
            lock: Some(Lock {
                catalogue: Catalogue { entries, anchor },
                names,
            }),
            ..CatalogueFile::default()
        }),
        _ => Err(wrong(
            "",
            format!(
                "expected one tool without `defer_loading`, found {}",
                anchors.len()
            ),
        )
        .hint("a lock file is written by --write-catalogue")),
    }
}

/// A tool's entry without what depends on its place in a request.
fn bare(tool: Raw<'_>) -> Vec<u8> {
    let mut out = b"{".to_vec();
    for (key, value) in tool.as_object().into_iter().flatten() {
        if key.is("defer_loading") || key.is("cache_control") {
            continue;
        }
        if out.len() > 1 {
            out.push(b',');
        }
        write::text(&mut out, key);
        out.push(b':');
        write::compact(&mut out, value);
    }
    out.push(b'}');
    out
}

/// Whether the API takes a schema as that of a tool (`docs/directives.md#catalogue`).
///
/// # Errors
///
/// What is wrong with it.
pub fn schema_fits(schema: Option<Raw<'_>>) -> Result<(), String> {
    let Some(schema) = schema.filter(|one| one.kind() == Kind::Object) else {
        return Err("its schema is not an object".to_owned());
    };
    for key in ["oneOf", "anyOf", "allOf"] {
        if schema.get(key).is_some() {
            return Err(format!("its schema has `{key}` at its root"));
        }
    }
    let kind = schema.get("type").and_then(Raw::as_str);
    match kind.as_deref() {
        Some("object") => Ok(()),
        _ => Err("its schema is not that of an object".to_owned()),
    }
}

fn shape(path: &str, expected: &str, found: Raw<'_>) -> Error {
    let found = found.kind().name();
    wrong(path, format!("expected {expected}, found {found}"))
}

fn wrong(path: &str, message: String) -> Error {
    Error::new(ErrorKind::Contract, "catalogue-shape", message).path(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"[{"name":"a","input_schema":{"type":"object"}},{"input_schema":{"type":"object"},"name":"b","description":"\u0041","defer_loading":true}]"#;

    #[test]
    fn a_lock_file_is_written_as_it_was_read() {
        let spaced = LOCK.replace(',', " ,\n ");
        for text in [LOCK, &spaced] {
            let file = CatalogueFile::read(text.as_bytes()).expect("a lock file");
            let mut out = Vec::new();
            file.lock().expect("a lock").write(&mut out, b"");
            assert_eq!(String::from_utf8_lossy(&out), LOCK);
        }
    }

    #[test]
    fn files_are_laid_together_and_there_is_one_lock() {
        let read =
            |text: &'static str| CatalogueFile::read(text.as_bytes()).expect(text);
        let mut file = read(LOCK);
        let old = r#"{"s":{"tools":[{"name":"x","description":"old"},{"name":"y"}]}}"#;
        file.merge(read(old)).expect("servers");
        file.merge(read(r#"{"s":[{"name":"x","description":"new"}],"t":[]}"#))
            .expect("servers");
        file.merge(read(r#"[{"name":"z"}]"#)).expect("tools");
        let text = file
            .listed("s", "x")
            .and_then(|x| x.get("description")?.as_str());
        assert_eq!(text.as_deref(), Some("new"));
        assert!(file.listed("s", "y").is_some() && file.tool("z").is_some());
        assert!(file.lists("t") && !file.lists("u"));
        assert_eq!(file.place("b"), Some(1));
        let error = file.merge(read(LOCK)).expect_err("two");
        assert!(error.message.contains("second lock"), "{}", error.message);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let two = LOCK.replace("\"defer_loading\":true", "\"x\":1");
        let none = LOCK.replacen("}},", "},\"defer_loading\":true},", 1);
        let twice = LOCK.replace("\"b\"", "\"a\"");
        for (text, why) in [
            ("", "expected"),
            ("3", "an object of MCP servers"),
            ("[1]", "a tool with a `name`"),
            (r#"{"s":3}"#, "the tools that the server lists"),
            (r#"{"s":{"tools":[{}]}}"#, "a tool with a `name`"),
            (&two, "found 2"),
            (&none, "found 0"),
            (&twice, "there twice"),
            (r#"[{"name":"a b","input_schema":{}}]"#, "refuses the name"),
            (
                r#"[{"name":"a","input_schema":{}}]"#,
                "not that of an object",
            ),
        ] {
            let error = CatalogueFile::read(text.as_bytes()).expect_err(text);
            assert!(error.message.contains(why), "{text}: {}", error.message);
        }
    }
}
