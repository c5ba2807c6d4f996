//! How a request's cache works: what is known of its provider and model, and what
//! the request asks for (`docs/prefix.md#kinds-of-cache`).

use crate::body::{Body, Provider};
use crate::cache::Ttl;
use crate::json::Raw;
use crate::model::{CacheKind, Order};
use crate::prefix::hints::Means;
use crate::prefix::request::{Judge, Request};

/// What ends an entry that a later request can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entries {
    /// Markers alone; a reader looks back over a few positions.
    Marked,
    /// Markers, and the newest message of its own accord; no looking back.
    Implicit,
    /// Markers alone; no looking back.
    Explicit,
    /// Any position, by itself.
    Anywhere,
}

/// What the cache of a request goes by.
#[derive(Debug, Clone)]
pub(crate) struct Policy<'t> {
    pub(crate) order: Order,
    pub(crate) entries: Entries,
    /// Whether the rules of the Messages API hold.
    pub(crate) anthropic: bool,
    /// Fewest tokens that are cached; 0 where any number is.
    pub(crate) least: usize,
    /// Tokens of a unit of reading.
    pub(crate) step: usize,
    /// Seconds after which nothing is left, where nothing is marked.
    pub(crate) keeps: Option<u64>,
    /// Price of a read, as a factor of the input price.
    pub(crate) read: f64,
    /// Price of a write for the default lifetime, and for an hour.
    pub(crate) write: (f64, f64),
    /// What is not published, for the reader of the report.
    pub(crate) note: Option<String>,
    /// What the second request's client can do about it.
    pub(crate) means: Means<'t>,
}

impl<'t> Policy<'t> {
    /// The policy of the second request; `a` wrote what is read.
    pub(crate) fn of(a: &Request<'_>, b: &Request<'_>, judge: &Judge<'t>) -> Self {
        let model = b.model.as_deref().unwrap_or_default();
        let provider = b.body.provider.name();
        let facts = judge.table.caching(provider, model, judge.platform);
        let entries = match facts.kind {
            CacheKind::Breakpoints if !facts.implicit => Entries::Marked,
            CacheKind::Breakpoints if is_explicit(b.body) => Entries::Explicit,
            CacheKind::Breakpoints => Entries::Implicit,
            CacheKind::Prefix | CacheKind::Units | CacheKind::Resource => {
                Entries::Anywhere
            }
        };
        let known = || {
            let model = a.known(judge).filter(|_| entries == Entries::Marked)?;
            Some(model.min_cacheable)
        };
        Policy {
            order: facts.order,
            entries,
            anthropic: b.body.provider == Provider::Anthropic,
            least: judge
                .least
                .or(facts.least)
                .or_else(known)
                .unwrap_or_default(),
            // Where any length counts, so does any token.
            step: if judge.least == Some(0) {
                1
            } else {
                facts.step.unwrap_or(1).max(1)
            },
            keeps: facts.ttl.iter().map(|(_, seconds)| *seconds).max(),
            read: facts.read.unwrap_or(0.1),
            write: (facts.write_price(None), facts.write_price(Some("1h"))),
            note: facts.note.clone(),
            means: Means::of(b, judge, facts),
        }
    }

    /// Seconds that an entry at a breakpoint lives.
    pub(crate) fn lifetime(&self, ttl: Ttl) -> u64 {
        let named = self.means.cache.lifetime(Some(ttl.name()));
        named.unwrap_or(if ttl == Ttl::Hour { 3600 } else { 300 })
    }

    /// Whether markers say what is cached.
    pub(crate) fn marked(&self) -> bool {
        self.entries != Entries::Anywhere
    }

    /// Whether so many tokens, an estimate, are surely too few to be cached.
    pub(crate) fn too_short(&self, tokens: usize) -> bool {
        crate::cache::is_short(tokens, self.least)
    }
}

/// Whether a request takes the automatic breakpoint away.
fn is_explicit(body: &Body<'_>) -> bool {
    let mode = body.get("prompt_cache_options");
    let mode = mode.and_then(|options| options.get("mode"));
    mode.and_then(Raw::as_str).as_deref() == Some("explicit")
}
