//! `convo render`: conversations as terminal text.

mod args;
mod filter;
mod html;
mod streams;

pub use args::RenderArgs;

use super::project;
use super::{CommonArgs, Exit};
use crate::error::Error;
use args::FormatArg;
use filter::Render;
use streams::Streams;

/// Renders the inputs.
pub fn run(args: &RenderArgs, common: &CommonArgs) -> Exit {
    let mut messages = common.messages("render");
    let refused = |error: Error| {
        common.messages("render").tell(&error.into());
        Exit::Failed
    };
    if let Err(error) = args.refuse_idle() {
        return refused(error);
    }
    let mut stream = args.stream().clone();
    match args.mask.read() {
        Ok(masks) => stream.masks = masks,
        Err(error) => return refused(error),
    }
    let events = |array| {
        let pick = args.pick.clone();
        project::run_events(&stream, args.told(), pick, array, common)
    };
    match args.format {
        FormatArg::Json => return events(true),
        FormatArg::Lines => return events(false),
        FormatArg::Html => return html::run(args, &stream, common),
        FormatArg::Text | FormatArg::Markdown => {}
    }
    let settings = match args.settings(common.color) {
        Ok(settings) => settings,
        Err(error) => return refused(error),
    };
    let streams = match Streams::open(args.pages(), args.format == FormatArg::Markdown)
    {
        Ok(streams) => streams,
        Err(error) => return refused(error),
    };
    let render = Render::new(args, settings, streams);
    // One conversation at a time: two streams cannot be put together again.
    let exit = super::batch::run(&render, &stream, &mut messages, 1, common.strict);
    render.close();
    exit
}
