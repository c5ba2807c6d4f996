//! `--preview`: what each change costs, flattened and as a directive.

use super::{PlaceDirectivesArgs, PreviewFormat};
use crate::cli::filter::{Answer, Filter};
use crate::cli::origin::Record;
use crate::cli::output::Output;
use crate::cli::request::{at_file, options_for, read};
use crate::cli::{CommonArgs, Exit};
use crate::error::{Diagnostic, Error, ErrorKind};
use crate::json::{Raw, write};
use crate::provider::{Change, Cost, Options, preview};
use crate::term::{counted, line};
use std::path::Path;

/// Previews the changes of the inputs, or the planned one.
///
/// # Errors
///
/// A planned change that cannot be read.
pub(super) fn run(
    args: &PlaceDirectivesArgs,
    options: &Options<'_>,
    common: &CommonArgs,
) -> Result<Exit, Error> {
    let bytes = match &args.delta {
        Some(path) => Some(planned(path)?),
        None => None,
    };
    let previewer = Preview {
        options: *options,
        delta: bytes.as_deref().map(Raw::checked),
        format: args.preview.unwrap_or_default(),
    };
    Ok(common.run(&previewer, &args.stream, "place-directives"))
}

fn planned(path: &Path) -> Result<Vec<u8>, Error> {
    let bytes = read(path, "--delta")?;
    let whole = Raw::parse(&bytes).map_err(|error| {
        let wrong = Error::new(ErrorKind::Input, "json-syntax", error.to_string());
        at_file(wrong.byte(error.offset), path)
    })?;
    Ok(whole.bytes().to_vec())
}

struct Preview<'a> {
    options: Options<'a>,
    delta: Option<Raw<'a>>,
    format: PreviewFormat,
}

impl Filter for Preview<'_> {
    fn conversation(
        &self,
        record: &Record<'_>,
        output: &mut Output,
        told: &mut Vec<Diagnostic>,
    ) -> Result<Answer, Error> {
        let options = options_for(&self.options, record);
        let changes = preview(&record.conversation, &options, self.delta, told)?;
        if changes.is_empty() {
            told.push(Diagnostic::note("no-change", "no change is stored"));
        }
        for change in &changes {
            match self.format {
                PreviewFormat::Human => human(&mut output.bytes, change),
                PreviewFormat::Json => json(&mut output.bytes, change),
            }
        }
        Ok(Answer::Good)
    }
}

fn human(out: &mut Vec<u8>, change: &Change) {
    let place = match change.entry {
        Some(entry) => format!("event {}", entry + 1),
        None => "planned".to_owned(),
    };
    let what = change.speaks_of.join(", ");
    let costs = match (change.flattened, change.directive) {
        (Some(flat), Some(placed)) => {
            format!(
                "flattened {}; as a directive {}",
                amount(flat),
                amount(placed)
            )
        }
        _ => "costs nothing: no request was sent before".to_owned(),
    };
    let gate = change.gate.as_ref();
    let gate = gate.map_or_else(String::new, |gate| format!("; {gate}"));
    let text = format!("{place}, request {}: {what}: {costs}{gate}", change.request);
    out.extend_from_slice(line(&text).as_bytes());
    out.push(b'\n');
}

fn amount(cost: Cost) -> String {
    let tokens = cost.tokens();
    let of = |bytes: usize, tokens: usize| {
        format!(
            "{} (about {})",
            counted(bytes, "byte"),
            counted(tokens, "token")
        )
    };
    let lost = match cost.lost {
        0 => "loses nothing".to_owned(),
        bytes => format!("loses {}", of(bytes, tokens.lost)),
    };
    match cost.said {
        0 => lost,
        bytes => format!("{lost} and says {}", of(bytes, tokens.said)),
    }
}

fn json(out: &mut Vec<u8>, change: &Change) {
    let number = |out: &mut Vec<u8>, value: usize| write::integer(out, value as u64);
    out.extend_from_slice(b"{\"schema\":\"convo/preview/1\",\"event\":");
    match change.entry {
        Some(entry) => number(out, entry),
        None => out.extend_from_slice(b"null"),
    }
    write::key(out, "request");
    number(out, change.request - 1);
    write::key(out, "speaks_of");
    out.push(b'[');
    for (index, one) in change.speaks_of.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        crate::term::json::string(out, one);
    }
    out.push(b']');
    for (key, cost) in [
        ("flattened", change.flattened),
        ("directive", change.directive),
    ] {
        write::key(out, key);
        let Some(cost) = cost else {
            out.extend_from_slice(b"null");
            continue;
        };
        let tokens = cost.tokens();
        let parts = [
            ("lost", cost.lost, tokens.lost),
            ("said", cost.said, tokens.said),
        ];
        for (at, (name, bytes, tokens)) in parts.into_iter().enumerate() {
            out.push(if at == 0 { b'{' } else { b',' });
            let text = format!("\"{name}\":{{\"bytes\":{bytes},\"tokens\":{tokens}}}");
            out.extend_from_slice(text.as_bytes());
        }
        out.push(b'}');
    }
    write::key(out, "gate");
    match &change.gate {
        Some(gate) => crate::term::json::string(out, gate),
        None => out.extend_from_slice(b"null"),
    }
    out.extend_from_slice(b"}\n");
}
