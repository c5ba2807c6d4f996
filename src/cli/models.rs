//! `convo models`: what is believed of models, each fact with its source and date.

use super::{CommonArgs, Exit};
use crate::error::{Error, ErrorKind};
use crate::json::write;
use crate::model::{Caching, Fact, Model, Platform, Table};
use crate::term::{self, json, width, words};
use clap::{Args, ValueEnum};
use std::io::Write as _;
use std::path::PathBuf;

/// Show the facts that are believed of models, each with its source and date
///
/// Every command judges by these facts. A stale one is mended with a file for
/// --model-details; given here, the facts are shown with that file laid over them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  convo models
  convo models claude-opus-5
  convo models gpt-5.5 --format json --model-details mine.json")]
pub struct ModelsArgs {
    /// A model, as `NAME` or `PROVIDER/NAME`; without it, all are listed
    name: Option<String>,
    /// A table for people, or one JSON object
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Lay a file of model details over the built-in table
    #[arg(long, value_name = "FILE")]
    model_details: Option<PathBuf>,
}

/// How facts are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for people.
    Human,
    /// One JSON object (`convo schema models`).
    Json,
}

/// Lists the models, or shows what is believed of one.
pub fn run(args: &ModelsArgs, common: &CommonArgs) -> Exit {
    let messages = common.messages("models");
    let shown =
        super::request::table(args.model_details.as_deref()).and_then(|table| {
            let mut out = Vec::new();
            match &args.name {
                None => list(&mut out, &table, args.format),
                Some(name) => show(&mut out, &table, name, args.format)?,
            }
            Ok(out)
        });
    match shown {
        Ok(out) => super::write_text(&messages, &out),
        Err(error) => {
            messages.tell(&error.into());
            Exit::Failed
        }
    }
}

fn list(out: &mut Vec<u8>, table: &Table, format: Format) {
    let models = table.models().iter().map(AsRef::as_ref);
    if format == Format::Json {
        return object(out, table, models);
    }
    for model in models {
        let name = format!("{}/{}", model.provider, model.id);
        let context = model.context_window.map_or_else(|| "-".into(), size);
        let output = model.max_output_tokens.map_or_else(|| "-".into(), size);
        let cache = table.caching(&model.provider, &model.id, Platform::ClaudeApi);
        let least = cache.least.map_or_else(String::new, |least| {
            format!(" from {} tokens", words::grouped(least))
        });
        let pad = " ".repeat(40_usize.saturating_sub(width::cells(&name)));
        let kind = cache.kind.name();
        let _ = writeln!(out, "{name}{pad} {context:>9} {output:>9}  {kind}{least}");
    }
}

fn size(tokens: u64) -> String {
    words::grouped(usize::try_from(tokens).unwrap_or(usize::MAX))
}

/// The models that a name means, whoever's they are.
fn meant<'t>(table: &'t Table, name: &str) -> Vec<&'t Model> {
    let models = table.models().iter().map(AsRef::as_ref);
    if let Some((provider, id)) = name.split_once('/') {
        let found: Vec<_> = models
            .clone()
            .filter(|model| model.provider == provider && model.is(id))
            .collect();
        if !found.is_empty() {
            return found;
        }
    }
    models.filter(|model| model.is(name)).collect()
}

fn show(
    out: &mut Vec<u8>,
    table: &Table,
    name: &str,
    format: Format,
) -> Result<(), Error> {
    let found = meant(table, name);
    if found.is_empty() {
        let text = format!("no model {} in the table", words::quoted(name));
        let ids = table.models().iter().map(|model| model.id.as_str());
        let near = words::nearest(name, ids);
        let hint = near.map_or_else(
            || {
                "`convo models` lists them; --model-details FILE says what is known of one"
                    .to_owned()
            },
            |near| format!("did you mean `{near}`?"),
        );
        return Err(Error::new(ErrorKind::Usage, "usage", text).hint(hint));
    }
    if format == Format::Json {
        object(out, table, found.into_iter());
        return Ok(());
    }
    for (index, model) in found.into_iter().enumerate() {
        if index > 0 {
            out.push(b'\n');
        }
        let _ = writeln!(out, "{}/{}", model.provider, model.id);
        facts(out, "  ", &model.facts());
        let cache = table.caching(&model.provider, &model.id, Platform::ClaudeApi);
        let _ = writeln!(out, "  cache: {}", cache.id);
        facts(out, "    ", &cache.facts());
        if model.provider != "anthropic" {
            continue;
        }
        for part in ["features", "limits"] {
            let _ = writeln!(out, "  {part} of a request");
            facts(out, "    ", &table.facts(part));
        }
        for platform in Platform::ALL {
            let _ = writeln!(out, "  on {}", platform.name());
            facts(out, "    ", &table.platform_facts(platform));
        }
    }
    Ok(())
}

/// One fact a line: what, value, and where it was read.
fn facts(out: &mut Vec<u8>, indent: &str, all: &[Fact<'_>]) {
    for fact in all {
        let mut value = Vec::new();
        write::compact(&mut value, fact.value);
        let value = String::from_utf8_lossy(&value);
        let _ = write!(
            out,
            "{indent}{}: {}",
            term::line(&fact.key),
            term::line(&value)
        );
        if let Some(source) = &fact.source {
            let date = source.date.as_deref().unwrap_or("undated");
            let at = source.url.as_deref().unwrap_or(&source.title);
            let at = term::line(at);
            let _ = write!(out, "  ({at}, {})", term::line(date));
        }
        out.push(b'\n');
    }
}

fn object<'t>(
    out: &mut Vec<u8>,
    table: &Table,
    models: impl Iterator<Item = &'t Model>,
) {
    out.extend_from_slice(b"{\"schema\":\"convo/models/1\",\"models\":[");
    for (index, model) in models.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        out.extend_from_slice(b"{\"provider\":");
        json::string(out, &model.provider);
        out.extend_from_slice(b",\"id\":");
        json::string(out, &model.id);
        listed(out, "facts", &model.facts());
        let cache = table.caching(&model.provider, &model.id, Platform::ClaudeApi);
        out.extend_from_slice(b",\"cache\":");
        cached(out, &cache);
        out.push(b'}');
    }
    out.push(b']');
    listed(out, "features", &table.facts("features"));
    listed(out, "limits", &table.facts("limits"));
    out.extend_from_slice(b",\"platforms\":[");
    for (index, platform) in Platform::ALL.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        out.extend_from_slice(b"{\"id\":");
        json::string(out, platform.name());
        listed(out, "facts", &table.platform_facts(platform));
        out.push(b'}');
    }
    out.extend_from_slice(b"]}\n");
}

fn cached(out: &mut Vec<u8>, cache: &Caching) {
    out.extend_from_slice(b"{\"id\":");
    json::string(out, &cache.id);
    listed(out, "facts", &cache.facts());
    out.push(b'}');
}

fn listed(out: &mut Vec<u8>, key: &str, all: &[Fact<'_>]) {
    out.push(b',');
    json::string(out, key);
    out.extend_from_slice(b":[");
    for (index, fact) in all.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        out.extend_from_slice(b"{\"key\":");
        json::string(out, &fact.key);
        out.extend_from_slice(b",\"value\":");
        let mut value = Vec::new();
        write::compact(&mut value, fact.value);
        json::value(out, &String::from_utf8_lossy(&value));
        out.extend_from_slice(b",\"source\":");
        match &fact.source {
            None => out.extend_from_slice(b"null"),
            Some(source) => {
                out.extend_from_slice(b"{\"title\":");
                json::string(out, &source.title);
                json::text(out, "url", source.url.as_deref());
                json::text(out, "date", source.date.as_deref());
                out.push(b'}');
            }
        }
        out.push(b'}');
    }
    out.push(b']');
}
