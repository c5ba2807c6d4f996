//! Breakpoints: their shape.

use super::catalogue::page::CACHING;
use super::report::{Report, Spot};
use crate::body::Place;
use crate::cache::Ttl;
use crate::finding::family;
use crate::json::{Kind, Raw};
use crate::term::quoted;

family! { "marks";
    CACHE_CONTROL_SHAPE: Error "cache-control-shape", CACHING;
    "`cache_control` is not `ephemeral`, or its `ttl` is neither `5m` nor `1h`";
    "the API knows no other kind and lifetime";
    "use `{\"type\":\"ephemeral\"}`, with `\"ttl\":\"1h\"` if need be";
}

/// One breakpoint.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark<'a> {
    /// The block or tool that carries it.
    pub(super) spot: Spot<'a>,
    pub(super) ttl: Option<Ttl>,
}

/// Whether a `cache_control` asks for an hour.
pub(super) fn hour(mark: Raw<'_>) -> bool {
    Ttl::of(mark) == Some(Ttl::Hour)
}

/// Judges the value of a `cache_control`.
pub(super) fn shape(
    report: &mut Report<'_>,
    place: Place,
    keys: &[&str],
    mark: Raw<'_>,
) {
    let rule = &CACHE_CONTROL_SHAPE;
    if mark.kind() != Kind::Object {
        let text = format!("expected an object, found {}", mark.kind().name());
        report.under(rule, place, keys, mark, text);
        return;
    }
    let found = |value: Option<Raw<'_>>| match value.map(|one| (one, one.as_str())) {
        None => "none".to_owned(),
        Some((_, Some(text))) => quoted(&text),
        Some((value, None)) => value.kind().name().to_owned(),
    };
    let kind = mark.get("type");
    if kind.and_then(Raw::as_str).as_deref() != Some("ephemeral") {
        let text = format!("expected the type `ephemeral`, found {}", found(kind));
        report.under(rule, place, keys, mark, text);
    }
    let ttl = mark.get("ttl").filter(|ttl| !ttl.is_null());
    let known = ttl.and_then(Raw::as_str);
    if ttl.is_some() && !matches!(known.as_deref(), Some("5m" | "1h")) {
        let text = format!("expected the ttl `5m` or `1h`, found {}", found(ttl));
        let keys = [keys, &["ttl"]].concat();
        report.under(rule, place, &keys, ttl.unwrap_or(mark), text);
    }
}
