//! The page that leads to several conversations.

use super::article::title;
use super::entry::time;
use super::frame::page;
use super::text;
use crate::term::words;
use crate::view::Summary;
use maud::html;

/// One conversation of the index.
#[derive(Debug)]
pub struct Row {
    /// The file its page is in, of characters that need no escape.
    pub file: String,
    /// What is said of it.
    pub summary: Option<Summary>,
    /// Bytes of the conversation.
    pub size: u64,
}

/// The index of `rows`, in their order; subagents stand in behind their session.
pub fn write(rows: &[Row]) -> String {
    let frame = page("Conversations", &html! {});
    let body = html! {
        div.index {
            table {
                thead {
                    tr {
                        th scope="col" { "Conversation" }
                        th scope="col" { "Date (UTC)" }
                        th scope="col" { "Model" }
                        th scope="col" { "Turns" }
                        th scope="col" { "Cached" }
                        th scope="col" { "Size" }
                    }
                }
                tbody {
                    @for row in rows {
                        @let summary = row.summary.as_ref();
                        @let sub = summary.is_some_and(|s| s.is_subagent);
                        tr.request {
                            td class=[sub.then_some("sub")] {
                                a href=(row.file) { (title(summary)) }
                                @if sub { " (subagent)" }
                            }
                            td { @if let Some(at) = summary.and_then(|s| s.started.as_deref()) { (time(at)) } }
                            td { @for model in summary.iter().flat_map(|s| &s.models) { (text::plain(model)) " " } }
                            td.number { @if let Some(s) = summary { (words::grouped(s.turns)) } }
                            td.number {
                                @if let Some(share) = summary.and_then(Summary::cache_share) {
                                    (format!("{:.0} %", share * 100.0))
                                }
                            }
                            td.number { (words::size(row.size)) }
                        }
                    }
                }
            }
        }
    };
    format!("{}{}{}", frame.start, body.into_string(), frame.end)
}
