//! A conversation flattened: the bodies of its request points.
//!
//! The one function that joins stream, thread and provider (`docs/bodies.md#request-points`).
//! Provider and model are those in force at each point, unless given. What is
//! told is told once, however many bodies are written.

use super::choose::{choose, given};
use super::options::{Binding, Format, Options, Requests};
use super::parameters::tell_unknown;
use super::place::{Cost, Placement, Switch};
use super::request::Request;
use super::source::Source;
use super::{Provider, anthropic, rules, write};
use crate::block::{Decoder, Encoding};
use crate::config::{Config, Mode, Warnings};
use crate::error::{Diagnostic, Error, ErrorKind, Position};
use crate::event::{Event, EventKind, Timestamp};
use crate::json::{Raw, Text, write as json};
use crate::model::{Feature, Model};
use crate::stream::Conversation;
use crate::term::{counted, counted_are};
use crate::thread::jp::Inserted;
use crate::thread::rules::Policy;
use crate::thread::{
    Bound, Builder, Inputs, LeftOut, Rules, Walk, halves, holds_seal, walk,
};
use memchr::memmem;
use std::collections::HashSet;

/// Appends the bodies asked for, one a line.
///
/// # Errors
///
/// The conversation is no stream or has no such request; its model is not known.
pub fn flatten(
    out: &mut Vec<u8>,
    conversation: &Conversation<'_>,
    options: &Options<'_>,
    told: &mut Vec<Diagnostic>,
) -> Result<(), Error> {
    place_directives(out, conversation, options, told).map(|_| ())
}

/// As [`flatten`], with changes where they happened if `options.place` says so;
/// returns the `tools` array of the last body, without marks.
///
/// # Errors
///
/// Those of [`flatten`], and a tool mode that the platform does not have.
pub fn place_directives(
    out: &mut Vec<u8>,
    conversation: &Conversation<'_>,
    options: &Options<'_>,
    told: &mut Vec<Diagnostic>,
) -> Result<Option<Vec<u8>>, Error> {
    each_body(conversation, options, told, &mut |body| {
        out.extend_from_slice(body);
        Ok(())
    })
}

/// As [`place_directives`], with each body, its line break included, handed to `sink`
/// when it is made and forgotten then.
///
/// # Errors
///
/// Those of [`place_directives`] and of `sink`; bodies may have been handed over
/// before.
pub fn each_body(
    conversation: &Conversation<'_>,
    options: &Options<'_>,
    told: &mut Vec<Diagnostic>,
    sink: &mut dyn FnMut(&[u8]) -> Result<(), Error>,
) -> Result<Option<Vec<u8>>, Error> {
    if let Some(place) = &options.place {
        super::place::check(options, place)?;
    }
    conversation.require_stream()?;
    let mut once = Once::from(told.len());
    let source = Source::read(conversation, options, told)?;
    let mut warnings = Warnings::default();
    let config = Config::resolve(source.base, options.mode, &mut warnings);
    let policy = policy(options, &config);
    let walk = walk(&source.events, config, &policy, &mut warnings, told);
    let points = points(&walk, source.events.len(), options.requests)?;
    // Entries that repair puts in, for each body: they outlive the threads.
    let inserted: Vec<Inserted> = points
        .iter()
        .map(|&point| match options.mode {
            Mode::Jp => Inserted::into_stream(&source.events[..point]),
            Mode::Convo => Inserted::default(),
        })
        .collect();
    let mut decoder = Decoder::new(
        conversation.encoding,
        options.strict_base64 || options.mode == Mode::Jp,
    );
    let inputs = &source.inputs;
    let convo = options.mode == Mode::Convo;
    let mut writer = Writer {
        options,
        created_at: source.created_at,
        events: &source.events,
        encoding: conversation.encoding,
        placement: Placement::new(inputs, &walk),
        inputs,
        builder: Builder::new(&source.events, &walk, &source.inputs, options.catalogue),
        walk: &walk,
        sealed: convo && source.events.iter().any(holds_seal),
        track: Track::default(),
    };
    let mut out = Vec::new();
    let mut replaced = false;
    for (&point, inserted) in points.iter().zip(&inserted) {
        out.clear();
        let done =
            writer.body(&mut out, point, inserted, &mut decoder, &mut warnings, told);
        if !replaced && memmem::find(&out, "\u{fffd}".as_bytes()).is_some() {
            replaced = true;
            halves::tell(&source.events, told);
        }
        // What each of many bodies says is held once.
        once.drop(told);
        done?;
        sink(&out)?;
    }
    writer.placement.finish(&mut warnings);
    told.append(&mut warnings.list);
    once.drop(told);
    Ok(writer.placement.catalogue)
}

/// Whose rules the walk goes by.
pub(super) fn policy(options: &Options<'_>, config: &Config<'_>) -> Policy {
    match given(options, config) {
        Some(provider) => Policy {
            rules: rules(provider, options.mode),
            by_owner: None,
        },
        None => Policy {
            rules: anthropic::rules(options.mode),
            by_owner: Some(rules),
        },
    }
}

fn points(
    walk: &Walk<'_>,
    end: usize,
    requests: Requests,
) -> Result<Vec<usize>, Error> {
    let count = walk.points.len();
    let last = walk.points.last().copied();
    let (Some(_), Some(last)) = (walk.first, last) else {
        return Err(Error::new(
            ErrorKind::Contract,
            "no-request",
            "expected a chat_request with text, found none: no request was ever sent",
        ));
    };
    Ok(match requests {
        Requests::All => walk.points.clone(),
        Requests::Last => vec![last],
        Requests::End => vec![end],
        Requests::Number(number) => {
            let index = number.checked_sub(1);
            let point = index.and_then(|index| walk.points.get(index));
            vec![*point.ok_or_else(|| {
                Error::new(
                    ErrorKind::Usage,
                    "no-such-request",
                    format!(
                        "request {number} was asked for; the conversation has {count}"
                    ),
                )
                .hint(format!("--requests takes last, all, end, or 1 to {count}"))
            })?]
        }
    })
}

struct Writer<'a, 'b> {
    options: &'b Options<'a>,
    events: &'b [Event<'a>],
    encoding: Encoding,
    placement: Placement<'a, 'b>,
    inputs: &'b Inputs<'a>,
    created_at: Option<Timestamp>,
    builder: Builder<'a, 'b>,
    walk: &'b Walk<'a>,
    /// Whether some thinking carries a seal.
    sealed: bool,
    track: Track,
}

/// What has been seen of the requests so far.
#[derive(Debug, Default)]
struct Track {
    /// How many request points.
    points: usize,
    version: Option<u32>,
    /// What the last one is written for, and the last one of the Messages API.
    last: Option<Switch>,
    last_anthropic: Option<Switch>,
    /// The last one that is written otherwise than the one before.
    since: usize,
    /// The thinking last told.
    told: Option<(usize, &'static str, bool)>,
    /// Whether the request last written reads nothing of what was cached before.
    cut: bool,
    /// The provider of the bodies last told to be no Messages bodies.
    foreign: Option<Provider>,
}

impl<'a, 'b> Writer<'a, 'b> {
    /// Goes along the requests before `point`, for what was switched between them.
    fn follow(&mut self, point: usize) {
        while let Some(&one) = self.walk.points.get(self.track.points)
            && one < point
        {
            self.track.points += 1;
            let config = self.builder.config_at(one).clone();
            let version = config.versions().model;
            if self.track.version == Some(version) {
                continue;
            }
            self.track.version = Some(version);
            let quiet = &mut Vec::new();
            let Ok((provider, details)) =
                choose(self.options, self.inputs, &config, quiet)
            else {
                continue;
            };
            let betas = self.betas(&config, quiet);
            let switch = Switch::of((provider, &details), &betas, self.options);
            self.switched(one, switch);
        }
    }

    /// Takes in what the request at `point` is written for; what that costs.
    fn switched(&mut self, point: usize, switch: Switch) -> Option<Cost> {
        let costs = self.track.last.as_ref().and_then(|old| switch.costs(old));
        if switch.is_anthropic() {
            let old = self.track.last_anthropic.replace(switch.clone());
            if old.is_some_and(|old| switch.rewrites(&old)) {
                self.track.since = point;
            }
        }
        self.track.last = Some(switch);
        costs
    }

    fn betas(&self, config: &Config<'a>, told: &mut Vec<Diagnostic>) -> Vec<Text<'a>> {
        let betas = self.inputs.beta_headers.clone();
        let betas = betas.unwrap_or_else(|| config.beta_headers().to_vec());
        super::place::betas(betas, self.options, told)
    }

    /// What makes thinking of earlier requests fail at `point`, if it is checked.
    fn bound(
        &self,
        point: usize,
        (provider, details): (Provider, &Model),
        betas: &[Text<'a>],
        config: &Config<'a>,
    ) -> Option<Bound> {
        let checked = self.sealed
            && self.options.binding == Binding::Drop
            && provider == Provider::Anthropic
            && super::place::checks(details, self.options);
        if !checked {
            return None;
        }
        let compaction = |event: &Event<'_>| event.kind() == EventKind::Compaction;
        let compacted = self.events[..point].iter().rposition(compaction);
        let switched = (self.track.since, "the body is written for another model");
        let compacted = compacted.map(|at| (at, "earlier turns were compacted"));
        Some(Bound {
            since: compacted.map_or(switched, |one| one.max(switched)),
            asks: super::place::can_ask(details, betas, config, self.options),
        })
    }

    /// Tells of thinking that is bound to another prefix, where that changed.
    fn tell_bound(&mut self, point: usize, out: &LeftOut, told: &mut Vec<Diagnostic>) {
        let news = (out.since, out.why, out.asked);
        if self.track.told.replace(news) == Some(news) {
            return;
        }
        let number = |at: usize| self.walk.points.partition_point(|&one| one < at) + 1;
        let what = match out.asked {
            true => "sent, and the API is asked to drop what fails",
            false => "left out",
        };
        told.push(Diagnostic {
            position: Position {
                event: Some(out.first),
                ..Position::default()
            },
            ..Diagnostic::warning(
                "thinking-bound",
                format!(
                    "request {}: {} {what} ({}): made before request {}, where {}, and \
                     the model checks what stands before its thinking",
                    number(point),
                    counted_are(out.count, "thinking block"),
                    counted(out.bytes, "byte"),
                    number(out.since),
                    out.why
                ),
            )
            .hint("--binding keep sends them as they are")
        });
    }

    fn body(
        &mut self,
        out: &mut Vec<u8>,
        point: usize,
        inserted: &'a Inserted,
        decoder: &mut Decoder,
        warnings: &mut Warnings,
        told: &mut Vec<Diagnostic>,
    ) -> Result<(), Error> {
        self.follow(point);
        let before = self.before(point);
        let config = self.builder.config_at(point).clone();
        let (provider, details) = choose(self.options, self.inputs, &config, told)?;
        let rules = rules(provider, self.options.mode);
        let betas = self.betas(&config, told);
        if self.options.mode == Mode::Convo {
            let switch = Switch::of((provider, &details), &betas, self.options);
            if self.walk.points.get(self.track.points) == Some(&point) {
                self.track.points += 1;
                self.track.version = Some(config.versions().model);
            }
            let cost = self.switched(point, switch);
            self.track.cut = cost.as_ref().is_some_and(|cost| cost.is_sure);
            if let Some(Cost { why, is_sure }) = cost {
                let number = self.number(point);
                let what = match is_sure {
                    true => "nothing cached before is read",
                    false => "what was cached before may not be read",
                };
                told.push(Diagnostic::note(
                    "prefix-switched",
                    format!("request {number}: {why}: {what}"),
                ));
            }
            self.tell_foreign(point, provider, told);
        }
        let bound = self.bound(point, (provider, &details), &betas, &config);
        let placed = match self.options.place.is_some() || bound.is_some() {
            true => self.placement.thread(
                &mut self.builder,
                point,
                (&rules, &details),
                &betas,
                bound,
                self.options,
                warnings,
                told,
            ),
            false => None,
        };
        let places = placed.as_ref().is_some_and(|one| one.placed.is_some());
        if !places && !self.track.cut && self.options.mode == Mode::Convo {
            self.head_changed(point, before, (&rules, &details), told);
        }
        let thread = match placed {
            Some(thread) => thread,
            None => self.builder.thread(point, inserted, &rules, warnings),
        };
        if let Some(out) = &thread.bound {
            self.tell_bound(point, out, told);
        }
        let request = Request {
            rules,
            model: &details,
            table: self.options.table,
            platform: self.options.platform,
            betas,
            created_at: self.created_at,
            thread: &thread,
        };
        if self.options.mode == Mode::Convo {
            let has_beta = |name: &str| request.has_beta(name);
            let parameters = thread.config.parameters();
            tell_unknown(provider, parameters, has_beta, told);
        }
        let declared = thread.config.attachments().len();
        if declared > 0 && self.inputs.attachments.is_none() {
            told.push(
                Diagnostic::note(
                    "attachments-missing",
                    format!(
                        "{} left out, whose content is not in the stream",
                        counted_are(declared, "declared attachment")
                    ),
                )
                .hint("give their content as `attachments` with --inputs"),
            );
        }
        if thread.ends_with_assistant() && self.options.mode == Mode::Convo {
            told.push(Diagnostic::note(
                "ends-with-assistant",
                "the body ends with the assistant: a user message must follow before \
                 it is sent",
            ));
        }
        self.put(out, point, &request, decoder, told)
    }

    fn put(
        &self,
        out: &mut Vec<u8>,
        point: usize,
        request: &Request<'_, 'a>,
        decoder: &mut Decoder,
        told: &mut Vec<Diagnostic>,
    ) -> Result<(), Error> {
        let place = self.options.place.unwrap_or_default();
        if place.items {
            let strict = self.options.strict_base64;
            let decoder = Decoder::new(self.encoding, strict);
            super::items::write(out, request.thread, self.events, decoder);
        } else if self.options.format == Format::Body
            && !self.options.pretty
            && !place.measure
        {
            write(out, request, decoder, told)?;
        } else {
            let mut body = Vec::new();
            let transport = write(&mut body, request, decoder, told)?;
            if place.measure && request.thread.placed.is_some() {
                let (deferred, mut kept) = super::place::measure(Raw::checked(&body));
                if self.placement.new_head || self.track.cut {
                    kept = 0;
                }
                let total = body.len();
                let number = self.number(point);
                if self.placement.persona && kept > 0 {
                    told.push(Diagnostic::note(
                        "prompt-placed",
                        format!(
                            "request {number}: the new system prompt is said in place, \
                             which saves the {kept} bytes of prefix that it would cost \
                             at the head"
                        ),
                    ));
                }
                told.push(Diagnostic::note(
                    "prefix-kept",
                    format!(
                        "request {number}: {deferred} bytes of tool definitions \
                         deferred and not offered; {kept} of {total} bytes are the \
                         prefix that the request before left"
                    ),
                ));
            }
            if self.options.format == Format::Request {
                let bare = std::mem::take(&mut body);
                transport.write(&mut body, &bare);
            }
            match self.options.pretty {
                true => json::pretty(out, Raw::checked(&body)),
                false => out.append(&mut body),
            }
        }
        out.push(b'\n');
        Ok(())
    }

    /// A point's number among the requests, from 1.
    fn number(&self, point: usize) -> usize {
        self.walk.points.partition_point(|&one| one < point) + 1
    }

    /// The request before `point`.
    fn before(&self, point: usize) -> Option<usize> {
        let earlier = self.walk.points.partition_point(|&one| one < point);
        self.walk.points[..earlier].last().copied()
    }

    /// Says whose a body is that was to be a Messages body, once a run of them.
    fn tell_foreign(
        &mut self,
        point: usize,
        provider: Provider,
        told: &mut Vec<Diagnostic>,
    ) {
        let is_foreign =
            self.options.place.is_some() && provider != Provider::Anthropic;
        let foreign = is_foreign.then_some(provider);
        if std::mem::replace(&mut self.track.foreign, foreign) == foreign || !is_foreign
        {
            return;
        }
        let (number, name) = (self.number(point), provider.name());
        let rest = match self.options.requests {
            Requests::All => ", as are those that follow up to another provider",
            _ => "",
        };
        told.push(
            Diagnostic::warning(
                "not-messages",
                format!(
                    "request {number}: the body is one for {name}, not one of the \
                     Messages API{rest}: changes are flattened, for {name} takes none \
                     in place"
                ),
            )
            .hint(
                "--format request shows where each goes; name a model of Claude with \
                 --model",
            ),
        );
    }

    /// Tells that system parts or tools are not those of the request before.
    fn head_changed(
        &mut self,
        point: usize,
        before: Option<usize>,
        (rules, details): (&Rules, &Model),
        told: &mut Vec<Diagnostic>,
    ) {
        let Some(before) = before else { return };
        let moved = self.builder.moved(before, point, rules);
        let what = match (moved.prelude, moved.tools) {
            (false, false) => return,
            (true, false) => "the system prompt changed",
            (false, true) => "tools changed",
            (true, true) => "the system prompt and tools changed",
        };
        let number = self.number(point);
        let mut changed = Diagnostic::warning(
            "head-changed",
            format!(
                "request {number}: {what} since the request before it, which costs the \
                 cached prefix"
            ),
        );
        let places = rules.provider == Provider::Anthropic
            && match moved.prelude {
                true => details.system_messages.taken() && !moved.prompt,
                false => details.tool_changes.taken(),
            };
        if self.options.place.is_none() && places {
            let (table, platform) = (self.options.table, self.options.platform);
            let beta = table.betas_for(Feature::ToolChange, platform).next();
            let beta = beta.filter(|_| moved.tools);
            let how = beta.map_or_else(String::new, |beta| format!(" --beta {beta}"));
            let hint =
                format!("place-directives{how} leaves the head of the prompt alone");
            changed = changed.hint(hint);
        }
        told.push(changed);
    }
}

/// What has been told of one conversation.
struct Once {
    seen: HashSet<(&'static str, Option<usize>, String)>,
    /// How many diagnostics have been looked at.
    looked: usize,
}

impl Once {
    /// Of the diagnostics from `start` on.
    fn from(start: usize) -> Self {
        Self {
            seen: HashSet::new(),
            looked: start,
        }
    }

    /// Drops what is new and has been told before.
    fn drop(&mut self, told: &mut Vec<Diagnostic>) {
        let mut new = told.split_off(self.looked);
        new.retain(|one| {
            self.seen
                .insert((one.code, one.position.event, one.message.clone()))
        });
        told.append(&mut new);
        self.looked = told.len();
    }
}
