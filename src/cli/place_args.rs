//! Options that decide what bodies say of changes and tools, for every command that
//! makes bodies of a conversation (`docs/directives.md`).

use super::request::{at_file, read};
use crate::directive::{CatalogueFile, ToolMode, Withdrawals};
use crate::error::Error;
use crate::provider::PlaceOptions;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// Where definitions of tools come from that a stream does not hold.
#[derive(Debug, Clone, Default, Args)]
pub struct CatalogueArgs {
    /// Take tool definitions from this file: what MCP servers list, by server; tools
    /// in the form of `inputs.tools`; or what --write-catalogue wrote. May be given
    /// more than once: a later file counts before an earlier one
    #[arg(long, value_name = "FILE")]
    pub catalogue: Vec<PathBuf>,
}

/// How changes are placed.
#[derive(Debug, Clone, Default, Args)]
pub struct PlaceArgs {
    /// How tools that appear later are made known [default: deferred]
    #[arg(long, value_name = "MODE")]
    pub tool_mode: Option<ToolModeArg>,
    /// What is said of a section that goes away [default: notice]
    #[arg(long, value_name = "HOW")]
    pub withdrawals: Option<WithdrawalsArg>,
    /// Say changes of effort in messages of their own, where the model takes them
    /// there: they keep the cached messages
    #[arg(long)]
    pub effort_messages: bool,
    /// Say a changed system prompt in place, as operator text, and keep the first one
    /// at the head
    #[arg(long)]
    pub persona_messages: bool,
}

/// A value of `--tool-mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ToolModeArg {
    /// As deferred entries at the end of `tools`
    Deferred,
    /// By value, where they appear; Claude API only
    Inline,
}

/// A value of `--withdrawals`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WithdrawalsArg {
    /// A text that takes it back
    Notice,
    /// Nothing to the model, a warning on standard error
    Report,
}

impl PlaceArgs {
    /// What is asked for.
    pub fn options(&self) -> PlaceOptions {
        PlaceOptions {
            tool_mode: match self.tool_mode {
                Some(ToolModeArg::Inline) => ToolMode::Inline,
                Some(ToolModeArg::Deferred) | None => ToolMode::Deferred,
            },
            withdrawals: match self.withdrawals {
                Some(WithdrawalsArg::Report) => Withdrawals::Report,
                Some(WithdrawalsArg::Notice) | None => Withdrawals::Notice,
            },
            efforts: self.effort_messages,
            personas: self.persona_messages,
            ..PlaceOptions::default()
        }
    }

    /// The first of them that was given, by its name.
    pub fn given(&self) -> Option<&'static str> {
        [
            (self.tool_mode.is_some(), "--tool-mode"),
            (self.withdrawals.is_some(), "--withdrawals"),
            (self.effort_messages, "--effort-messages"),
            (self.persona_messages, "--persona-messages"),
        ]
        .into_iter()
        .find_map(|(is, name)| is.then_some(name))
    }
}

/// Catalogue files, read.
#[derive(Debug, Default)]
pub struct Catalogues {
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl CatalogueArgs {
    /// Reads the files.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn files(&self) -> Result<Catalogues, Error> {
        let read = |path: &PathBuf| Ok((path.clone(), read(path, "--catalogue")?));
        let files = self
            .catalogue
            .iter()
            .map(read)
            .collect::<Result<_, Error>>()?;
        Ok(Catalogues { files })
    }
}

impl Catalogues {
    /// The files laid together; `None` without any.
    ///
    /// # Errors
    ///
    /// A file of another shape, or a second lock file.
    pub fn merged(&self) -> Result<Option<CatalogueFile<'_>>, Error> {
        let mut all: Option<CatalogueFile<'_>> = None;
        for (path, bytes) in &self.files {
            let file = parsed(bytes, path)?;
            match &mut all {
                None => all = Some(file),
                Some(all) => all.merge(file).map_err(|error| at_file(error, path))?,
            }
        }
        Ok(all)
    }
}

/// A catalogue file of these bytes.
///
/// # Errors
///
/// Bytes of another shape, placed in the file.
pub fn parsed<'a>(bytes: &'a [u8], path: &Path) -> Result<CatalogueFile<'a>, Error> {
    CatalogueFile::read(bytes).map_err(|error| at_file(error, path))
}
