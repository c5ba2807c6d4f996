//! Which tools a delta touches (`docs/formats.md#merging`, D-9).
//!
//! Whoever keeps something per tool asks this before the delta is merged, so that
//! a stream of many deltas and many tools costs what the deltas name, not the
//! product of both.

use super::tool::Tools;
use super::{Config, Delta};
use std::borrow::Cow;

/// A tool that a delta says something of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched<'a> {
    /// Its name; never `*`.
    pub name: Cow<'a, str>,
    /// Whether what is said bears on the definition that is sent.
    pub definition: bool,
}

impl<'a> Config<'a> {
    /// The tools that merging `delta` would touch, named or unset.
    pub fn touched(&self, delta: &Delta<'a>) -> Vec<Touched<'a>> {
        let mut touched = Vec::new();
        for path in &delta.unsets {
            if path == "conversation.tools" {
                let all = self.tools.iter().map(|tool| tool.name.clone());
                touched.extend(all.map(|name| Touched {
                    name,
                    definition: true,
                }));
            } else if let Some(path) = path.strip_prefix("conversation.tools.")
                && let Some(name) = unset_name(&self.tools, path)
            {
                touched.push(Touched {
                    name,
                    definition: true,
                });
            }
        }
        let named = delta.layer.iter().flat_map(|layer| &layer.tools);
        touched.extend(named.filter(|tool| tool.name != "*").map(|tool| Touched {
            name: tool.name.clone(),
            definition: tool.defines(),
        }));
        touched
    }
}

/// The known tool that `<name>[.<field>]` speaks of.
fn unset_name<'a>(tools: &Tools<'a>, path: &str) -> Option<Cow<'a, str>> {
    let dots = path.rmatch_indices('.').take(2).map(|(at, _)| &path[..at]);
    let mut names = std::iter::once(path).chain(dots);
    names.find_map(|name| tools.get(name).map(|tool| tool.name.clone()))
}
