//! `convo flatten`: today's request bodies of each conversation.

use super::filter::{Answer, Filter};
use super::origin::Record;
use super::output::Output;
use super::place_args::CatalogueArgs;
use super::request::{RequestArgs, options_for};
use super::{CommonArgs, Exit, StreamArgs};
use crate::config::Mode;
use crate::error::{Diagnostic, Error, ErrorKind};
use crate::provider::{Options, each_body};
use clap::{Args, ValueEnum};

/// Write the request body that was, or would be, sent
///
/// A body is made from the entries before its request point and nothing else, so
/// an old one does not change when a conversation goes on. Where the stored
/// stream is nothing the provider accepts, the body is mended the same way every
/// time, and standard error says how.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  convo flatten .jp/conversations/17800836875-fix-init | jq '.messages | length'
  convo flatten --requests all archive.jsonl > bodies.jsonl
  convo flatten --provider openai --model gpt-5-mini --format request events.json

The same call and its result, as two providers take them:
  convo flatten --provider openai --model gpt-5-mini events.json | jq -c '.input[2:][]'
    {\"type\":\"function_call\",\"arguments\":\"{\\\"path\\\":\\\"a\\\"}\",\"call_id\":\"c1\",...}
    {\"type\":\"function_call_output\",...,\"call_id\":\"c1\",\"output\":\"ok\"}
  convo flatten --provider google --model gemini-3-pro-preview events.json |
    jq -c '.contents[1:][].parts[]'
    {\"functionCall\":{\"id\":\"c1\",\"name\":\"read\",\"args\":{\"path\":\"a\"}},...}
    {\"functionResponse\":{\"id\":\"c1\",\"name\":\"read\",\"response\":{\"content\":\"ok\"}}}")]
pub struct FlattenArgs {
    #[command(flatten)]
    stream: StreamArgs,
    #[command(flatten)]
    request: RequestArgs,
    #[command(flatten)]
    catalogue: CatalogueArgs,
    /// Write the bytes another program sends, defects included
    #[arg(long, value_name = "PROGRAM")]
    parity: Option<Parity>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Parity {
    /// The program that stored the conversation
    Jp,
}

/// Flattens the inputs.
pub fn run(args: &FlattenArgs, common: &CommonArgs) -> Exit {
    match try_run(args, common) {
        Ok(exit) => exit,
        Err(error) => {
            common.messages("flatten").tell(&error.into());
            Exit::Failed
        }
    }
}

fn try_run(args: &FlattenArgs, common: &CommonArgs) -> Result<Exit, Error> {
    if args.parity.is_some() && !args.catalogue.catalogue.is_empty() {
        let what =
            "--catalogue: with --parity jp, tools come from the stream or `inputs`";
        let error = Error::new(ErrorKind::Usage, "catalogue-parity", what);
        return Err(
            error.hint("give the tools of the request as `tools` with --inputs")
        );
    }
    let files = args.request.files()?;
    let catalogues = args.catalogue.files()?;
    let file = catalogues.merged()?;
    let options = Options {
        mode: match args.parity {
            Some(Parity::Jp) => Mode::Jp,
            None => Mode::Convo,
        },
        lenient: args.stream.lenient,
        strict_base64: args.stream.strict_base64,
        catalogue: file.as_ref(),
        ..args.request.options(&files)
    };
    Ok(common.run(&Flatten { options }, &args.stream, "flatten"))
}

struct Flatten<'a> {
    options: Options<'a>,
}

impl Filter for Flatten<'_> {
    fn conversation(
        &self,
        record: &Record<'_>,
        output: &mut Output,
        told: &mut Vec<Diagnostic>,
    ) -> Result<Answer, Error> {
        let options = options_for(&self.options, record);
        each_body(&record.conversation, &options, told, &mut |body| {
            output.bytes.extend_from_slice(body);
            output.release()
        })?;
        Ok(Answer::Good)
    }
}
