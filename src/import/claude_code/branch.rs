//! The branches of a session, and which of them is wanted.
//!
//! A rewind leaves the abandoned lines in the file. The branch that was worked on
//! last is the conversation; two leaves that part without a typed request on one
//! of them are artefacts of writing, not rewinds.

use super::super::foreign::{number, text};
use super::super::options::Branch;
use super::index::{Index, Kind};
use super::injected;
use super::path::{Path, Walker};
use crate::error::Error;
use crate::json::Text;
use crate::term::{printable, shortened};
use std::collections::{HashMap, HashSet};

/// What is read of the session.
pub(super) enum Chosen {
    /// The paths, each with what is to be told of it.
    Paths(Vec<(Path, Told)>),
    /// The table that `--branch list` asks for.
    Table(String),
}

/// What stands beside a path.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// `metadata.import.branch`, if there is a choice.
    pub(super) branch: Option<Vec<u8>>,
    /// Main lines that are not on it.
    pub(super) off_path: usize,
    /// Other branches.
    pub(super) others: usize,
}

/// Takes the branches asked for.
pub(super) fn choose(
    index: &Index<'_>,
    walker: &Walker<'_, '_>,
    wanted: &Branch,
) -> Result<Chosen, Error> {
    if walker.is_linear() {
        let path = walker.linear();
        return Ok(match wanted {
            Branch::List => Chosen::Table(String::new()),
            _ => Chosen::Paths(vec![(path, Told::default())]),
        });
    }
    let leaves = walker.leaves();
    let Some(active) = active(index, &leaves) else {
        return Ok(Chosen::Paths(Vec::new()));
    };
    let branches = without_artefacts(index, &leaves, active);
    let told = |path: &Path, leaf: usize| told(index, &branches, path, leaf);
    let one = |leaf: usize| {
        let path = walker.path(leaf);
        let told = told(&path, leaf);
        (path, told)
    };
    Ok(match wanted {
        Branch::Last => Chosen::Paths(vec![one(active)]),
        Branch::All => Chosen::Paths(branches.iter().map(|&leaf| one(leaf)).collect()),
        Branch::Id(id) => {
            let line = by_prefix(index, id)?;
            let below = leaves.iter().rev().copied().find(|&leaf| {
                let mut at = Some(leaf);
                while let Some(up) = at.filter(|&up| up != line) {
                    at = index.parents[up];
                }
                at.is_some()
            });
            Chosen::Paths(vec![one(below.unwrap_or(line))])
        }
        Branch::List => Chosen::Table(table(index, walker, &branches, active)),
    })
}

/// The leaf worked on last: the latest that the harness did not write itself,
/// unless a `last-prompt` behind all lines names another.
fn active(index: &Index<'_>, leaves: &[usize]) -> Option<usize> {
    let last_tree = (0..index.lines.len()).rev().find(|&at| index.is_tree(at))?;
    let named = (last_tree + 1..index.lines.len())
        .filter(|&at| {
            let tag = index.lines[at].text("type");
            tag.is_some_and(|tag| tag.is("last-prompt"))
        })
        .filter_map(|at| index.find(index.lines[at].text("leafUuid")?))
        .rfind(|&at| index.is_main(at) && index.is_message(at));
    if named.is_some() {
        return named;
    }
    let mut latest = leaves.iter().rev().copied();
    latest
        .find(|&leaf| !index.flag(leaf, "isMeta"))
        .or_else(|| leaves.last().copied())
}

/// Leaves that are branches: the active one, and those with a request of their
/// own behind the fork. Of several without one at the same fork, the longest.
fn without_artefacts(index: &Index<'_>, leaves: &[usize], active: usize) -> Vec<usize> {
    let mut visits: HashMap<usize, usize> = HashMap::new();
    let mut up_to_root: HashSet<usize> = HashSet::new();
    // Lines that two leaves share are forks or above one.
    for &leaf in leaves {
        let mut at = Some(leaf);
        while let Some(line) = at {
            *visits.entry(line).or_default() += 1;
            if !up_to_root.insert(line) {
                break;
            }
            at = index.parents[line];
        }
    }
    let mut kept = Vec::new();
    let mut bare: HashMap<Option<usize>, (usize, usize)> = HashMap::new();
    for &leaf in leaves {
        let (mut at, mut steps, mut asked) = (Some(leaf), 0, false);
        while let Some(line) = at.filter(|line| visits.get(line) == Some(&1)) {
            asked |= is_typed(index, line);
            steps += 1;
            at = index.parents[line];
        }
        if leaf == active || asked {
            kept.push(leaf);
        } else {
            let best = bare.entry(at).or_insert((leaf, steps));
            if steps >= best.1 {
                *best = (leaf, steps);
            }
        }
    }
    // A bare end stands for its fork only where no other branch leaves it.
    let mut passed = HashSet::new();
    for &leaf in &kept {
        let mut at = Some(leaf);
        while let Some(line) = at.filter(|&line| passed.insert(line)) {
            at = index.parents[line];
        }
    }
    let free = |fork: Option<usize>| fork.is_none_or(|line| !passed.contains(&line));
    let ends = bare.into_iter().filter(|&(fork, _)| free(fork));
    kept.extend(ends.map(|(_, (leaf, _))| leaf));
    if !kept.contains(&active) {
        kept.push(active);
    }
    kept.sort_unstable();
    kept
}

/// Whether a person typed something on the line.
fn is_typed(index: &Index<'_>, at: usize) -> bool {
    if index.kinds[at] != Kind::User
        || index.is_summary(at)
        || injected::of_line(index, at).is_some()
    {
        return false;
    }
    let text = index.first_text(at).map(Text::decode);
    text.is_some_and(|text| injected::of_text(&text).is_none())
}

fn by_prefix(index: &Index<'_>, id: &str) -> Result<usize, Error> {
    let mut found = None;
    for (at, line) in index.lines.iter().enumerate() {
        let Some(uuid) = line.text("uuid").filter(|_| index.is_main(at)) else {
            continue;
        };
        let uuid = uuid.decode();
        if uuid == id {
            return Ok(at);
        }
        if uuid.starts_with(id) && found.replace(at).is_some() {
            return Err(super::unknown_branch(id, true));
        }
    }
    found.ok_or_else(|| super::unknown_branch(id, false))
}

fn told(index: &Index<'_>, branches: &[usize], path: &Path, leaf: usize) -> Told {
    let on: HashSet<usize> = path.lines.iter().copied().collect();
    let own: HashSet<usize> = path
        .boundaries
        .iter()
        .flat_map(|b| b.summary.into_iter().chain([b.line]))
        .collect();
    let off_path = (0..index.lines.len())
        .filter(|&at| index.is_main(at) && !on.contains(&at) && !own.contains(&at))
        .count();
    let place = branches.iter().position(|&one| one == leaf);
    let others = branches.len() - usize::from(place.is_some());
    let branch = (off_path > 0).then(|| {
        let mut out = b"{".to_vec();
        if let Some(id) = index.lines[leaf].text("uuid") {
            text(&mut out, "leaf", &id.decode());
        }
        number(&mut out, "index", place.unwrap_or_default());
        number(&mut out, "of", branches.len());
        number(&mut out, "off_path_lines", off_path);
        out.push(b'}');
        out
    });
    Told {
        branch,
        off_path,
        others,
    }
}

/// One branch a line, tab-separated.
fn table(
    index: &Index<'_>,
    walker: &Walker<'_, '_>,
    branches: &[usize],
    active: usize,
) -> String {
    let paths: Vec<Path> = branches.iter().map(|&leaf| walker.path(leaf)).collect();
    let mut shared: HashMap<usize, usize> = HashMap::new();
    for path in &paths {
        for &at in &path.lines {
            *shared.entry(at).or_default() += 1;
        }
    }
    let mut out = String::new();
    for (number, (path, &leaf)) in paths.iter().zip(branches).enumerate() {
        let id = |at: usize| {
            let id = index.lines[at].text("uuid").map(Text::decode);
            id.unwrap_or_default().into_owned()
        };
        let fork = path.lines.iter().rposition(|at| shared[at] > 1);
        let forks = match fork {
            Some(place) => format!("forks at {}", id(path.lines[place])),
            None => "-".to_owned(),
        };
        let own = &path.lines[fork.map_or(0, |place| place + 1)..];
        let prompt = own.iter().find(|&&at| is_typed(index, at));
        let prompt = prompt
            .and_then(|&at| index.first_text(at))
            .map(Text::decode);
        let prompt = prompt.unwrap_or_default();
        let prompt = shortened(&prompt, 60).into_owned();
        let time = index.lines[leaf].text("timestamp").map(Text::decode);
        let mut fields = vec![
            number.to_string(),
            id(leaf),
            time.unwrap_or_default().into_owned(),
            format!("{} lines", path.lines.len()),
            forks,
            prompt,
        ];
        if leaf == active {
            fields.push("active".to_owned());
        }
        let fields: Vec<_> = fields.iter().map(|f| one_line(f)).collect();
        out.push_str(&fields.join("\t"));
        out.push('\n');
    }
    out
}

/// Text from a session with nothing in it that breaks a table or a terminal.
fn one_line(text: &str) -> String {
    printable(&text.replace(['\n', '\t'], " ")).into_owned()
}
