//! The Messages API: one walk over the body, every family looking on.

use super::cache::Cache;
use super::change::Changes;
use super::content::Content;
use super::pairing::Pairing;
use super::placement::Placement;
use super::report::Report;
use super::scoped::Scoped;
use super::{parameters, tools, values};
use crate::body::{Body, Role};

pub(super) fn check<'a>(body: &Body<'a>, report: &mut Report<'_>) {
    parameters::check(body, report);
    values::fields(body, report);
    let mut held = values::Values::default();
    let mut cache = Cache::new(report, body);
    let declared = tools::check(body, report, &mut cache);
    let mut changes = Changes::new(declared);
    changes.start(report, body);
    let mut content = Content::default();
    let mut pairing = Pairing::default();
    let mut placement = Placement::default();
    let mut scoped = Scoped::default();
    placement.system(report, body);
    for block in body.system() {
        content.system(report, &block);
        cache.system(report, &block);
    }
    for message in body.messages() {
        let role = Role::of(&message.role);
        placement.message(&message, role);
        scoped.message(report, &message, role);
        content.message(report, &message, role);
        pairing.message(report, role);
        cache.message(role, scoped.turn());
        for block in message.blocks() {
            placement.block(report, role, &block);
            scoped.block(report, &block);
            content.block(report, role, &block, &mut changes);
            pairing.block(report, role, &block);
            changes.block(report, role, &block);
            cache.block(report, role, &block);
            held.block(report, &block);
        }
        placement.end(report, &message, role);
        content.end(report, &message, role);
        changes.end();
    }
    held.finish(report, body);
    content.finish(report, body);
    pairing.finish(report, &changes);
    placement.finish(report);
    scoped.finish(report, body);
    cache.finish(report);
    changes.finish(report, body);
}
