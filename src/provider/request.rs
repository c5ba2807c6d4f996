//! One request: everything a provider's writer looks at.

use crate::config::CachePolicy;
use crate::event::Timestamp;
use crate::json::{Text, write};
use crate::model::{Model, Platform, Table};
use crate::thread::{Rules, Thread};

/// A request to be written.
#[derive(Debug)]
pub struct Request<'r, 'a> {
    /// The thread.
    pub thread: &'r Thread<'a>,
    /// The provider's rules; they name it, and the mode.
    pub rules: Rules,
    /// The model: its name on the wire and what it can do.
    pub model: &'r Model,
    /// All that is known, of other models too.
    pub table: &'r Table,
    /// Where it goes.
    pub platform: Platform,
    /// The beta headers in force.
    pub betas: Vec<Text<'a>>,
    /// When the conversation began.
    pub created_at: Option<Timestamp>,
}

impl Request<'_, '_> {
    /// How long prompt prefixes should be kept.
    pub fn cache(&self) -> CachePolicy {
        self.thread.config.cache_policy()
    }

    /// Whether a beta header is in force: the one of that name, or one of that
    /// name with a date behind it.
    pub fn has_beta(&self, name: &str) -> bool {
        self.betas
            .iter()
            .any(|beta| beta.decode().starts_with(name))
    }
}

/// How a body is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transport {
    /// The path, with a query if there is one.
    pub path: String,
    /// Header names and values, credentials aside.
    pub headers: Vec<(&'static str, String)>,
}

impl Transport {
    /// A path with the headers that every provider wants.
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            headers: vec![("content-type", "application/json".to_owned())],
        }
    }

    /// Appends `{"method","path","headers","body"}` around a written body.
    pub fn write(&self, out: &mut Vec<u8>, body: &[u8]) {
        out.extend_from_slice(b"{\"method\":\"POST\"");
        write::key(out, "path");
        write::string(out, &self.path);
        write::key(out, "headers");
        out.push(b'{');
        for (name, value) in &self.headers {
            write::key(out, name);
            write::string(out, value);
        }
        out.push(b'}');
        write::key(out, "body");
        out.extend_from_slice(body);
        out.push(b'}');
    }
}
