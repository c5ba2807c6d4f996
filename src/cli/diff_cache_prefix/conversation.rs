//! The bodies of all request points of a conversation, compared in turn.

use super::Via;
use super::compare::{Comparer, Taken};
use crate::body::{captures, records};
use crate::cli::batch::{self, Answer, Filter};
use crate::cli::message::Messages;
use crate::cli::origin::Record;
use crate::cli::output::Output;
use crate::cli::{CommonArgs, Exit, StreamArgs};
use crate::error::{Diagnostic, Error};
use crate::model::Table;
use crate::prefix::{History, Summary};
use crate::provider::details::DetailsTable;
use crate::provider::{Format, Options, Requests, flatten};
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
    };
    let filter = Bodies {
        comparer,
        details: DetailsTable::built_in(),
        table: Table::built_in(),
        name: input.display().to_string(),
    };
    batch::run(&filter, &args, messages, 1, common.strict)
}

struct Bodies<'r> {
    comparer: &'r Comparer<'r>,
    details: DetailsTable,
    table: Table,
    name: String,
}

impl Filter for Bodies<'_> {
    fn conversation(
        &self,
        record: &Record<'_>,
        output: &mut Output,
        told: &mut Vec<Diagnostic>,
    ) -> Result<Answer, Error> {
        let bodies = self.bodies(record, told)?;
        let mut history = History::default();
        let mut summary = Summary::default();
        let mut last: Option<Taken<'_>> = None;
        let mut answer = Answer::Good;
        let mut index = 0;
        for one in records(&bodies) {
            let one = one?;
            for capture in captures(&bodies, one) {
                index += 1;
                let taken = Taken {
                    capture: capture?,
                    record: one,
                    input: &bodies,
                    name: format!("{}:{index}", self.name),
                    file: None,
                    time: None,
                };
                if let Some(before) = &last {
                    let report = self.comparer.pair(before, &taken, &mut history)?;
                    if self.comparer.fails(&report) {
                        answer = Answer::No;
                    }
                    summary.add(&report);
                    self.comparer.write(&mut output.bytes, &report, &taken);
                }
                last = Some(taken);
            }
        }
        if index < 2 {
            let text = "fewer than two request points: nothing to compare";
            told.push(Diagnostic::note("no-pair", text));
        }
        self.comparer.write_summary(&mut output.bytes, &summary);
        Ok(answer)
    }
}

impl Bodies<'_> {
    /// The bodies of all request points, one a line, with their headers.
    fn bodies(
        &self,
        record: &Record<'_>,
        told: &mut Vec<Diagnostic>,
    ) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        let options = Options {
            provider: self.comparer.args.provider,
            model: self.comparer.args.model.as_deref(),
            requests: Requests::All,
            format: Format::Request,
            ..Options::new(&self.details, &self.table)
        };
        match self.comparer.args.via {
            Some(Via::Flatten) | None => {
                flatten(&mut out, &record.conversation, &options, told)?;
            }
        }
        Ok(out)
    }
}
