//! What the check does with what it finds: model, account, and the field that
//! says (`docs/prefix.md#binding`).

use super::super::hints::Means;
use super::super::report::{Binding, BlockState, Outcome};
use super::super::request::{Account, Judge, Request};
use super::Judged;
use super::chain::Chain;
use crate::json::Raw;
use crate::model::Binding as Policy;

const TAKEN: &str = "blocks of the first request are taken as valid there";

/// From the states of all blocks to the outcome.
pub(super) fn decide(
    b: &Request<'_>,
    judge: &Judge<'_>,
    means: &Means<'_>,
    judged: Vec<Judged>,
) -> Binding {
    let failing = |one: &Judged| {
        matches!(
            one.bound.state,
            BlockState::InvalidPrefix | BlockState::InvalidChain
        )
    };
    let sealed = |one: &Judged| one.bound.state != BlockState::InvalidSignature;
    let mut out = Binding {
        outcome: Outcome::Accepted,
        first: None,
        blocks: Vec::new(),
        dropped: None,
        notes: Vec::new(),
        hint: None,
    };
    if judged.is_empty() {
        return out;
    }
    out.notes.push(TAKEN.to_owned());
    let field = field(b);
    let model = b.known(judge);
    let unreadable = judged
        .iter()
        .any(|one| one.bound.state == BlockState::DroppedModel);
    let first = judged.iter().find(|one| failing(one));
    out.outcome = if let Some(one) = judged.iter().find(|one| !sealed(one)) {
        out.first = Some(one.bound.path.clone());
        out.hint = Some(
            "send the block with the signature it came with, byte for byte".to_owned(),
        );
        Outcome::Rejected
    } else if let Some(model) = model {
        let (old, new) = (model.binding_old, model.binding_new);
        let checks = old != Policy::NotChecked || new != Policy::NotChecked;
        let doubt = judged
            .iter()
            .any(|one| one.bound.state == BlockState::Uncertain);
        match first {
            _ if !checks && unreadable => Outcome::Dropped,
            _ if !checks => Outcome::NotChecked,
            None if doubt => Outcome::Uncertain,
            None if unreadable => Outcome::Dropped,
            None => Outcome::Accepted,
            Some(one) => {
                out.first = Some(one.bound.path.clone());
                out.hint = Some(mend(one, means));
                fails(&mut out, field.as_deref(), judge.account, old, new)
            }
        }
    } else {
        if let Some(one) = first {
            out.first = Some(one.bound.path.clone());
            out.hint = Some(mend(one, means));
        }
        out.notes
            .push("the model is not known, so neither is what it checks".to_owned());
        Outcome::Uncertain
    };
    if unreadable {
        out.notes.push(
            "the model cannot read some blocks: they are dropped without an error, \
             whatever the field says, and stay usable when the conversation returns"
                .to_owned(),
        );
    }
    if out.outcome == Outcome::Dropped && first.is_some() {
        out.dropped = Some(bounds(&judged));
    }
    out.blocks = judged.into_iter().map(|one| one.bound).collect();
    out
}

/// The latest answer came with its thinking elsewhere: refused by every model that
/// thinks between calls.
pub(super) fn refuse_rearranged(
    out: &mut Binding,
    b: &Request<'_>,
    judge: &Judge<'_>,
    path: String,
) {
    if b.known(judge).is_none() {
        return;
    }
    out.outcome = Outcome::Rejected;
    out.first = Some(path);
    out.hint = Some(
        "send the blocks of the latest answer in the order in which they came: thinking \
         stays in front of the call that it led to"
            .to_owned(),
    );
    out.notes.push(
        "the API refuses a latest answer whose thinking blocks were moved, whatever the \
         model checks besides"
            .to_owned(),
    );
}

/// `thinking.block_binding.prefix_mismatch_behavior`, its default if the object
/// is there without it.
fn field(b: &Request<'_>) -> Option<String> {
    let binding = b.body.get("thinking")?.get("block_binding")?;
    let said = binding
        .get("prefix_mismatch_behavior")
        .and_then(Raw::as_str);
    Some(said.map_or_else(|| "error".to_owned(), std::borrow::Cow::into_owned))
}

fn fails(
    out: &mut Binding,
    field: Option<&str>,
    account: Account,
    old: Policy,
    new: Policy,
) -> Outcome {
    match field {
        Some("drop_block") => {
            out.notes.push(
                "`drop_block` takes the failing blocks out and starts the messages \
                 cache anew at the edit"
                    .to_owned(),
            );
            return Outcome::Dropped;
        }
        Some(_) => return Outcome::Rejected,
        None => {}
    }
    let outcome = |policy| match policy {
        Policy::Reject => Outcome::Rejected,
        Policy::Allow => Outcome::Accepted,
        Policy::MayReject => Outcome::Uncertain,
        Policy::NotChecked => Outcome::NotChecked,
    };
    let (old, new) = (outcome(old), outcome(new));
    let found = match account {
        Account::Old => old,
        Account::New => new,
        Account::Unknown if old == new => old,
        Account::Unknown => Outcome::DependsOnAccount,
    };
    match found {
        Outcome::Accepted => out.notes.push(
            "an account made before 2026-08-31 still has the block read and billed; \
             with a subscription token it is dropped instead"
                .to_owned(),
        ),
        Outcome::DependsOnAccount => out.notes.push(
            "refused for accounts made on 2026-08-31 or later, accepted for older ones \
             (where a subscription token drops the block); say which with --account"
                .to_owned(),
        ),
        Outcome::Uncertain => out.notes.push(
            "sources disagree whether this model refuses the request".to_owned(),
        ),
        _ => {}
    }
    found
}

fn mend(one: &Judged, means: &Means<'_>) -> String {
    let path = &one.bound.path;
    match (one.bound.state, one.bound.cause.as_deref()) {
        (BlockState::InvalidChain, _) => format!(
            "send thinking blocks whole and in order, those with empty text too; or \
             take out {path} and every later one"
        ),
        (_, Some(cause)) if cause.starts_with("/messages") => format!(
            "do not rewrite {cause}, or strip the kept thinking: {path} and every \
             later block"
        ),
        (_, Some(cause)) => {
            let append = match means.appends_system() {
                true => " and append the change as a mid-conversation system message",
                false => "",
            };
            format!(
                "put {cause} back{append}, or take out {path} and every later thinking \
                 block"
            )
        }
        (_, None) => format!("take out {path} and every later thinking block"),
    }
}

/// The fewest and the most blocks that `drop_block` takes out: those of the
/// failing block's turn, judged anew after each, or every later one.
fn bounds(judged: &[Judged]) -> (usize, usize) {
    let mut kept = Chain::default();
    let mut fewest = 0;
    let mut turn = None;
    let mut first = None;
    for (at, one) in judged.iter().enumerate() {
        let breaks = || {
            one.before
                .as_ref()
                .is_some_and(|before| !before.ends_with(&kept))
        };
        if one.prefix_fails || turn == Some(one.turn) || breaks() {
            fewest += 1;
            turn = Some(one.turn);
            first.get_or_insert(at);
        } else if let Some(signature) = one.signature {
            kept.push(signature);
        }
    }
    (fewest, first.map_or(0, |first| judged.len() - first))
}
