//! The bodies of all request points of a conversation, compared in turn.

use super::Via;
use super::compare::{Comparer, Found};
use crate::body::captures;
use crate::cli::batch;
use crate::cli::filter::{Answer, Filter};
use crate::cli::message::Messages;
use crate::cli::origin::Record;
use crate::cli::output::Output;
use crate::cli::request::{BindingArg, created_at, read_inputs};
use crate::cli::{CommonArgs, Exit, StreamArgs};
use crate::directive::CatalogueFile;
use crate::error::{Diagnostic, Error, ErrorKind};
use crate::json::{Raw, write};
use crate::prefix::{History, Summary, Times};
use crate::provider::{Binding, Format, Options, Requests, each_body};
use std::path::Path;

/// Makes the bodies and compares them.
pub(super) fn run(
    comparer: &Comparer<'_>,
    input: &Path,
    common: &CommonArgs,
    messages: &mut Messages,
) -> Exit {
    let args = StreamArgs {
        inputs: vec![input.to_owned()],
        base_config: None,
        no_base: false,
        encoding: None,
        strict_base64: false,
        lenient: false,
        masks: None,
    };
    let done = comparer.args.catalogue.files().and_then(|files| {
        let file = files.merged()?;
        let facts = &comparer.args.facts;
        let facts = facts.as_deref().map(read_inputs).transpose()?;
        let filter = Bodies::new(comparer, input, file.as_ref(), facts.as_deref())?;
        Ok(batch::run(&filter, &args, messages, 1, common.strict))
    });
    match done {
        Ok(exit) => exit,
        Err(error) => {
            messages.tell(&error.into());
            Exit::Failed
        }
    }
}

struct Bodies<'r> {
    comparer: &'r Comparer<'r>,
    name: String,
    /// The betas asked for, as a JSON array.
    betas: Vec<u8>,
    /// Definitions of tools, and facts that the stream does not hold.
    catalogue: Option<&'r CatalogueFile<'r>>,
    facts: Option<&'r [u8]>,
}

impl Filter for Bodies<'_> {
    fn conversation(
        &self,
        record: &Record<'_>,
        output: &mut Output,
        told: &mut Vec<Diagnostic>,
    ) -> Result<Answer, Error> {
        let mut history = History::default();
        let mut summary = Summary::default();
        let mut last: Option<Vec<u8>> = None;
        let mut answer = Answer::Good;
        let mut index = 0;
        self.each(record, told, &mut |body| {
            index += 1;
            if let Some(before) = &last {
                let (before, now) =
                    (self.found(before, index - 1)?, self.found(body, index)?);
                let report = self.comparer.pair(&before, &now, &mut history)?;
                if self.comparer.fails(&report) {
                    answer = Answer::No;
                }
                summary.add(&report);
                self.comparer.write(&mut output.bytes, &report, &now);
            }
            let held = last.get_or_insert_default();
            held.clear();
            held.extend_from_slice(body);
            Ok(())
        })?;
        if index < 2 {
            let text = "fewer than two request points: nothing to compare";
            told.push(Diagnostic::note("no-pair", text));
        }
        self.comparer.write_summary(&mut output.bytes, &summary);
        Ok(answer)
    }
}

impl<'r> Bodies<'r> {
    fn new(
        comparer: &'r Comparer<'r>,
        input: &Path,
        catalogue: Option<&'r CatalogueFile<'r>>,
        facts: Option<&'r [u8]>,
    ) -> Result<Self, Error> {
        let mut betas = b"[".to_vec();
        for beta in comparer.args.betas().iter().flatten() {
            if betas.len() > 1 {
                betas.push(b',');
            }
            write::string(&mut betas, beta);
        }
        betas.push(b']');
        Ok(Self {
            comparer,
            name: input.display().to_string(),
            betas,
            catalogue,
            facts,
        })
    }

    /// A body that was made here.
    fn found<'f>(&self, body: &'f [u8], index: usize) -> Result<Found<'f>, Error> {
        let capture = captures(body, Raw::checked(body.trim_ascii_end()));
        let capture = capture.into_iter().next().transpose()?.ok_or_else(|| {
            Error::new(ErrorKind::Contract, "not-a-body", "a request has no body")
        })?;
        Ok(Found {
            capture,
            input: body,
            name: format!("{}:{index}", self.name),
            file: None,
            base: 0,
            line: 1,
            times: Times::default(),
        })
    }

    /// Makes the bodies of all request points, with their headers, one by one.
    fn each(
        &self,
        record: &Record<'_>,
        told: &mut Vec<Diagnostic>,
        sink: &mut dyn FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let args = self.comparer.args;
        let place = args.place.options();
        let options = Options {
            provider: args.provider,
            model: args.model.as_deref(),
            requests: Requests::All,
            betas: Some(Raw::checked(&self.betas)),
            platform: args.platform.unwrap_or_default(),
            format: Format::Request,
            created_at: created_at(record),
            inputs: self.facts.map(Raw::checked),
            catalogue: self.catalogue,
            binding: match args.binding {
                Some(BindingArg::Keep) => Binding::Keep,
                Some(BindingArg::Drop) | None => Binding::Drop,
            },
            place: match args.via {
                Some(Via::PlaceDirectives) => Some(place),
                Some(Via::Flatten) | None => None,
            },
            ..Options::new(self.comparer.table)
        };
        each_body(&record.conversation, &options, told, sink).map(|_| ())
    }
}
