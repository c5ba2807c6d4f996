//! Options of the commands that write request bodies (`docs/bodies.md#mends`).

use super::origin::Record;
use super::workspace::Home;
use crate::body::Provider;
use crate::error::{Error, ErrorKind};
use crate::event::Timestamp;
use crate::json::{Kind, Raw, write};
use crate::model::{Platform, Table};
use crate::provider::{Binding, Format, Options, Requests};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// Which bodies to write, for whom, and in which form.
#[derive(Debug, Args)]
pub struct RequestArgs {
    /// Write for this provider [default: the configuration's]
    #[arg(long, value_name = "PROVIDER", value_parser = provider_names())]
    pub provider: Option<String>,
    /// Use this model: a name, PROVIDER/NAME or an alias [default: the
    /// configuration's]
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Which requests to write: last, all, end (the whole stream), or a number
    #[arg(long, value_name = "WHICH", default_value = "last",
          value_parser = parse_requests)]
    pub requests: Requests,
    /// Write the body alone, or {"method","path","headers","body"}
    #[arg(long, value_name = "FORMAT", default_value = "body")]
    pub format: FormatArg,
    /// Write each over several lines
    #[arg(long)]
    pub pretty: bool,
    /// Send this beta header too; may be given more than once
    #[arg(long, value_name = "NAME")]
    pub beta: Vec<String>,
    /// Where requests to Claude go
    #[arg(long, value_name = "PLATFORM", default_value = "claude-api",
          value_parser = platform_names())]
    pub platform: String,
    /// What becomes of thinking made behind a prefix that has changed, where the
    /// model checks it
    #[arg(long, value_name = "HOW", default_value = "drop")]
    pub binding: BindingArg,
    /// Read what models can do from this file too
    #[arg(long, value_name = "FILE")]
    pub model_details: Option<PathBuf>,
    /// Read facts that streams do not hold from this file: model, tools,
    /// attachments... (the shape of a bundle's `inputs`)
    #[arg(long = "inputs", id = "facts", value_name = "FILE")]
    pub facts: Option<PathBuf>,
}

/// A value of `--format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormatArg {
    /// The body
    Body,
    /// Method, path, headers without credentials, and the body
    Request,
}

/// A value of `--binding`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BindingArg {
    /// It is left out, or the API is asked to drop it
    Drop,
    /// It is sent
    Keep,
}

fn platform_names() -> clap::builder::PossibleValuesParser {
    Platform::ALL.map(Platform::name).into()
}

fn provider_names() -> clap::builder::PossibleValuesParser {
    Provider::ALL.map(Provider::name).into()
}

fn parse_requests(text: &str) -> Result<Requests, String> {
    match text {
        "last" => Ok(Requests::Last),
        "all" => Ok(Requests::All),
        "end" => Ok(Requests::End),
        _ => match text.parse() {
            Ok(0) => Err("requests count from 1".to_owned()),
            Ok(number) => Ok(Requests::Number(number)),
            Err(_) => Err("expected last, all, end or a number".to_owned()),
        },
    }
}

/// The files that these options name, read.
#[derive(Debug, Default)]
pub struct RequestFiles {
    inputs: Option<Vec<u8>>,
    /// The betas asked for, as a JSON array.
    betas: Vec<u8>,
    table: Table,
}

impl RequestArgs {
    /// Reads the files.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or does not fit.
    pub fn files(&self) -> Result<RequestFiles, Error> {
        let inputs = match &self.facts {
            None => None,
            Some(path) => Some(read_inputs(path)?),
        };
        let mut betas = b"[".to_vec();
        for (index, beta) in self.beta.iter().enumerate() {
            if index > 0 {
                betas.push(b',');
            }
            write::string(&mut betas, beta);
        }
        betas.push(b']');
        Ok(RequestFiles {
            inputs,
            betas,
            table: table(self.model_details.as_deref())?,
        })
    }

    /// What is asked for, with the files read.
    pub fn options<'o>(&'o self, files: &'o RequestFiles) -> Options<'o> {
        Options {
            provider: self.provider.as_deref().and_then(Provider::parse),
            model: self.model.as_deref(),
            requests: self.requests,
            format: match self.format {
                FormatArg::Body => Format::Body,
                FormatArg::Request => Format::Request,
            },
            pretty: self.pretty,
            inputs: files.inputs.as_deref().map(Raw::checked),
            betas: (!self.beta.is_empty()).then(|| Raw::checked(&files.betas)),
            platform: Platform::parse(&self.platform).unwrap_or_default(),
            binding: match self.binding {
                BindingArg::Drop => Binding::Drop,
                BindingArg::Keep => Binding::Keep,
            },
            ..Options::new(&files.table)
        }
    }
}

/// The options for one conversation, whose directory may say when it began.
pub(super) fn options_for<'a>(
    options: &Options<'a>,
    record: &Record<'_>,
) -> Options<'a> {
    Options {
        created_at: created_at(record),
        ..*options
    }
}

/// When the conversation of a directory began, by the directory's name.
pub(super) fn created_at(record: &Record<'_>) -> Option<Timestamp> {
    let home = record.beside.directory.as_deref()?;
    // An `events.json` of the current directory has no other name.
    let home = Home::of(match home.as_os_str().is_empty() {
        true => Path::new("."),
        false => home,
    });
    Timestamp::from_deciseconds(home.number?)
}

/// The built-in facts with those of `--model-details` laid over them.
///
/// # Errors
///
/// A file that cannot be read or does not fit.
pub(super) fn table(model_details: Option<&Path>) -> Result<Table, Error> {
    let mut table = Table::built_in();
    if let Some(path) = model_details {
        let bytes = read(path, "--model-details")?;
        table
            .merge_file(&bytes, &path.display().to_string())
            .map_err(|error| at_file(error, path))?;
    }
    Ok(table)
}

/// Reads a file that an option names.
pub(super) fn read(path: &Path, option: &str) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|error| {
        Error::new(
            ErrorKind::Input,
            "unreadable",
            format!("{option} {}: cannot be read: {error}", path.display()),
        )
    })
}

/// Reads `--inputs`: the object itself, or a bundle's that holds one.
pub(super) fn read_inputs(path: &Path) -> Result<Vec<u8>, Error> {
    let bytes = read(path, "--inputs")?;
    let value = Raw::parse(&bytes).map_err(|error| {
        let wrong = Error::new(ErrorKind::Input, "json-syntax", error.to_string());
        at_file(wrong.byte(error.offset), path)
    })?;
    let inner = value
        .get("inputs")
        .filter(|inner| inner.kind() == Kind::Object);
    let value = inner.unwrap_or(value);
    crate::thread::Inputs::read(value).map_err(|error| at_file(error, path))?;
    Ok(value.bytes().to_vec())
}

/// The error, placed in a file that an option names.
pub(super) fn at_file(mut error: Error, path: &Path) -> Error {
    error.position.input = Some(path.display().to_string());
    error
}
