//! `convo schema`: the published schemas, as embedded.

use super::{CommonArgs, Exit};
use crate::schema;
use clap::Args;

/// Print a published schema, or list them
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  convo schema
  convo schema event > event.schema.json")]
pub struct SchemaArgs {
    /// The schema to print; without it, names and descriptions are listed
    #[arg(value_parser = super::validate::schema_name())]
    name: Option<String>,
}

/// Prints or lists.
pub fn run(args: &SchemaArgs, common: &CommonArgs) -> Exit {
    let text = match args.name.as_deref().and_then(schema::find) {
        Some(schema) => schema.text.to_owned(),
        None => schema::SCHEMAS
            .iter()
            .map(|schema| format!("{:<16} {}\n", schema.name, schema.about))
            .collect(),
    };
    super::write_text(&common.messages("schema"), text.as_bytes())
}
