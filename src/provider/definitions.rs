//! The tools that a conversation's configuration ends with, as they would be defined
//! now: what a lock file is held against.

use super::choose::choose;
use super::flatten::policy;
use super::options::Options;
use super::source::Source;
use super::{anthropic, place};
use crate::config::{Config, Warnings};
use crate::directive::Dialect;
use crate::error::{Diagnostic, Error};
use crate::stream::Conversation;
use crate::thread::walk;

/// The name of a tool, and its definition if there is one.
type Definition = (String, Option<Vec<u8>>);

/// Each tool of the last configuration by its name, with its definition for the
/// Messages API if there is one to be had.
///
/// # Errors
///
/// The conversation is no stream; its model is not known.
pub fn definitions(
    conversation: &Conversation<'_>,
    options: &Options<'_>,
    told: &mut Vec<Diagnostic>,
) -> Result<Vec<Definition>, Error> {
    conversation.require_stream()?;
    let source = Source::read(conversation, options, told)?;
    let mut warnings = Warnings::default();
    let base = Config::resolve(source.base, options.mode, &mut warnings);
    let policy = policy(options, &base);
    // What the walk has to tell is of bodies; none is written here.
    let walked = walk(
        &source.events,
        base,
        &policy,
        &mut warnings,
        &mut Vec::new(),
    );
    let mut replay = walked.replay;
    replay.to(source.events.len());
    let config = replay.config();
    let (_, details) = choose(options, &source.inputs, config, told)?;
    let betas = source.inputs.beta_headers.clone();
    let betas = betas.unwrap_or_else(|| config.beta_headers().to_vec());
    let betas = place::betas(betas, options, told);
    let placing = anthropic::Placing {
        rules: anthropic::rules(options.mode),
        details: &details,
        table: options.table,
        strict: place::strict(&details, &betas),
        efforts: false,
        file: options.catalogue,
    };
    let mut found = Vec::new();
    for tool in config.tools().iter() {
        let definition = placing.define(tool, &mut warnings);
        found.push((tool.name.to_string(), definition));
    }
    told.append(&mut warnings.list);
    Ok(found)
}
