//! Subagents: which lines are theirs, and which call started them.
//!
//! Version 1 wrote them into the session, later ones into files of their own with
//! a sidecar that names the call. Where nothing names it, the prompt may.

use super::super::options::{Options, Sidechains};
use super::super::record::Record;
use super::index::{Index, Kind, text_of};
use super::rest;
use crate::json::{Raw, Text};
use crate::term::counted;
use std::collections::HashMap;

/// One subagent's lines.
#[derive(Debug)]
pub(super) struct Chain<'a> {
    pub(super) id: String,
    pub(super) lines: Vec<usize>,
    /// The call that started it, as written, and what says so.
    parent: Option<(Text<'a>, &'static str)>,
}

/// The subagents of a session.
#[derive(Debug, Default)]
pub(super) struct Chains<'a> {
    pub(super) list: Vec<Chain<'a>>,
    /// The id of the file itself, where it is a subagent's.
    pub(super) own: Option<String>,
    /// `metadata.import.parent` of the file itself.
    own_parent: Option<Vec<u8>>,
}

/// Finds the subagents.
pub(super) fn find<'a>(index: &Index<'a>, options: &Options) -> Chains<'a> {
    if index.all_side {
        return own(index, options);
    }
    let mut chains = Chains::default();
    let mut places: HashMap<usize, usize> = HashMap::new();
    let mut roots: HashMap<usize, usize> = HashMap::new();
    for at in 0..index.lines.len() {
        if !index.is_tree(at) || !index.side[at] {
            continue;
        }
        let root = root(index, at, &mut roots);
        let place = *places.entry(root).or_insert_with(|| {
            let line = &index.lines[root];
            let id = line.text("agentId").or_else(|| line.text("uuid"));
            let number = line.number;
            chains.list.push(Chain {
                id: id
                    .map_or_else(|| format!("line-{number}"), |id| id.decode().into()),
                lines: Vec::new(),
                parent: None,
            });
            chains.list.len() - 1
        });
        chains.list[place].lines.push(at);
    }
    // Lines of one agent stay together though its answers hang apart.
    if !chains.list.is_empty() {
        link(index, &mut chains.list);
    }
    chains
}

/// The topmost side line above a side line.
fn root(index: &Index<'_>, start: usize, roots: &mut HashMap<usize, usize>) -> usize {
    let mut way = Vec::new();
    let mut at = start;
    let root = loop {
        if let Some(&root) = roots.get(&at) {
            break root;
        }
        way.push(at);
        match index.parents[at].filter(|&parent| index.side[parent]) {
            Some(parent) => at = parent,
            None => break at,
        }
    };
    roots.extend(way.into_iter().map(|line| (line, root)));
    root
}

/// A file that is one subagent.
fn own<'a>(index: &Index<'a>, options: &Options) -> Chains<'a> {
    let mut tree = (0..index.lines.len()).filter(|&at| index.is_tree(at));
    let named = tree.find_map(|at| index.lines[at].text("agentId"));
    let from_name = options
        .stem
        .as_deref()
        .and_then(|stem| stem.strip_prefix("agent-"));
    let first = index.lines.iter().find_map(|line| line.text("uuid"));
    let id = named
        .map(Text::decode)
        .map(std::borrow::Cow::into_owned)
        .or_else(|| from_name.map(str::to_owned))
        .or_else(|| first.map(|id| id.decode().into_owned()));
    let sidecar = options.sidecar.as_deref().map(Raw::checked);
    let call = sidecar.and_then(|meta| meta.get("toolUseId")?.as_str());
    let agent = sidecar.and_then(|meta| meta.get("parentAgentId")?.as_str());
    let how = if call.is_some() { "meta" } else { "" };
    Chains {
        list: Vec::new(),
        own: id,
        own_parent: Some(rest::parent(call.as_deref(), agent.as_deref(), how)),
    }
}

/// Finds the call of each chain: by the agent's id in a result, a progress line or
/// a queued notification, else by a prompt that only one call has.
fn link<'a>(index: &Index<'a>, chains: &mut [Chain<'a>]) {
    let mut by_agent: HashMap<String, (Text<'a>, &'static str)> = HashMap::new();
    let mut prompts: HashMap<Text<'a>, (Text<'a>, usize)> = HashMap::new();
    for at in 0..index.lines.len() {
        let line = &index.lines[at];
        match index.kinds[at] {
            Kind::User if !index.side[at] => {
                let agent = line.get("toolUseResult").and_then(|r| r.get("agentId"));
                let call = index
                    .blocks(at)
                    .find_map(|b| b.get("tool_use_id")?.as_text());
                if let (Some(agent), Some(call)) = (agent.and_then(Raw::as_str), call) {
                    by_agent.insert(agent.into_owned(), (call, "result"));
                }
            }
            Kind::Assistant if !index.side[at] => {
                for block in index.blocks(at) {
                    let name = block.get("name").and_then(Raw::as_text);
                    let starts = name.is_some_and(|n| n.is("Task") || n.is("Agent"));
                    let id = block.get("id").and_then(Raw::as_text);
                    let prompt = block.at(&["input", "prompt"]).and_then(Raw::as_text);
                    if let (true, Some(id), Some(prompt)) = (starts, id, prompt) {
                        prompts.entry(prompt).or_insert((id, 0)).1 += 1;
                    }
                }
            }
            Kind::Progress => {
                let agent = line.get("data").and_then(|d| d.get("agentId"));
                let call = line.text("parentToolUseID");
                if let (Some(agent), Some(call)) = (agent.and_then(Raw::as_str), call) {
                    by_agent
                        .entry(agent.into_owned())
                        .or_insert((call, "progress"));
                }
            }
            Kind::Other => {
                if let Some((agent, call)) = queued(line.get("content")) {
                    by_agent.entry(agent).or_insert((call, "queue"));
                }
            }
            _ => {}
        }
    }
    for chain in chains {
        let first = chain.lines.first().copied();
        let prompt = first.and_then(|at| {
            let content = index.message(at, "content")?;
            content
                .as_text()
                .or_else(|| index.blocks(at).find_map(|block| text_of(block)))
        });
        chain.parent = by_agent.get(&chain.id).copied().or_else(|| {
            let (id, count) = prompts.get(&prompt?)?;
            (*count == 1).then_some((*id, "prompt"))
        });
    }
}

/// Agent and call of a queued notification that has both.
fn queued(content: Option<Raw<'_>>) -> Option<(String, Text<'_>)> {
    let object = content?;
    let agent = object.get("task_id").and_then(Raw::as_str)?;
    let call = object.get("tool_use_id").and_then(Raw::as_text)?;
    Some((agent.into_owned(), call))
}

impl<'a> Chains<'a> {
    /// The chain that each call opened.
    pub(super) fn opened(&self) -> HashMap<&'a [u8], String> {
        self.list
            .iter()
            .filter_map(|chain| Some((chain.parent?.0.escaped(), chain.id.clone())))
            .collect()
    }

    /// Tells of the subagents in the session's own record.
    pub(super) fn tell(&self, record: &mut Record<'_>, wanted: Sidechains) {
        if let Some(id) = &self.own {
            let mut name = Vec::new();
            crate::json::write::string(&mut name, id);
            record.import.push(("sidechain", name));
        }
        if let Some(parent) = &self.own_parent {
            if parent.starts_with(b"{\"tool_use_id\":null") {
                unlinked(record);
            }
            record.import.push(("parent", parent.clone()));
        }
        if self.list.is_empty() {
            return;
        }
        let mut ids = b"[".to_vec();
        for (index, chain) in self.list.iter().enumerate() {
            if index > 0 {
                ids.push(b',');
            }
            crate::json::write::string(&mut ids, &chain.id);
        }
        ids.push(b']');
        record.import.push(("sidechains", ids));
        let lines: usize = self.list.iter().map(|chain| chain.lines.len()).sum();
        let count = self.list.len();
        let (what, hint) = match wanted {
            Sidechains::Separate => ("follow as records of their own", None),
            Sidechains::Drop => (
                "are left out",
                Some("--sidechains separate gives them as records of their own"),
            ),
        };
        record.note(
            "sidechains",
            || {
                let (lines, of) = (counted(lines, "line"), counted(count, "subagent"));
                format!("{lines} of {of} {what}")
            },
            hint,
        );
    }
}

impl Chain<'_> {
    /// Puts down whose record this is.
    pub(super) fn head(&self, record: &mut Record<'_>) {
        let mut id = Vec::new();
        crate::json::write::string(&mut id, &self.id);
        record.import.push(("sidechain", id));
        let call = self.parent.map(|(id, _)| id.decode());
        let how = self.parent.map_or("", |(_, how)| how);
        if call.is_none() {
            unlinked(record);
        }
        let parent = rest::parent(call.as_deref(), None, how);
        record.import.push(("parent", parent));
    }
}

fn unlinked(record: &mut Record<'_>) {
    record.note(
        "sidechain-unlinked",
        || "the call that started this subagent is not told".into(),
        None,
    );
}
