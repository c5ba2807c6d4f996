//! Which provider and model a request goes to, and what is known of it.
//!
//! An option goes before a fact given from outside, that before the configuration
//! in force at the request point, that before the built-in table.

use super::Provider;
use super::options::Options;
use crate::config::{Config, Mode, ModelRef};
use crate::error::{Diagnostic, Error, ErrorKind};
use crate::json::Raw;
use crate::model::Model;
use crate::thread::Inputs;
use std::borrow::Cow;
use std::sync::Arc;

/// The provider and model of a request whose configuration is `config`.
pub(super) fn choose(
    options: &Options<'_>,
    inputs: &Inputs<'_>,
    config: &Config<'_>,
    told: &mut Vec<Diagnostic>,
) -> Result<(Provider, Arc<Model>), Error> {
    let entry = inputs.model;
    let entry_name = entry
        .and_then(|entry| entry.get("name"))
        .and_then(Raw::as_str);
    let named = match asked(options, config)? {
        Some(model) => model,
        None => configured(options, config, entry_name.clone())?,
    };
    let provider =
        Provider::parse(&named.provider).ok_or_else(|| unsupported(&named.provider))?;
    let mut details = options.table.describe(provider.name(), &named.name);
    // A model that is asked for and known needs no outside facts on another one.
    let is_other =
        options.model.is_some() && entry_name.as_deref() != Some(&*named.name);
    if let Some(entry) = entry
        && !(is_other && details.is_known)
    {
        let details = Arc::make_mut(&mut details);
        details.read(entry, "/model")?;
        details.id = named.name.into_owned();
    }
    if !details.is_known && options.mode == Mode::Convo {
        told.push(
            Diagnostic::warning(
                "model-unknown",
                format!(
                    "nothing is known of {}'s model `{}`; its limits are left to the \
                     defaults",
                    provider.name(),
                    details.id
                ),
            )
            .hint("describe it with --model-details"),
        );
    }
    Ok((provider, details))
}

/// The model of the configuration, under the name that is given for it.
fn configured<'a>(
    options: &Options<'_>,
    config: &Config<'a>,
    name: Option<Cow<'a, str>>,
) -> Result<ModelRef<'a>, Error> {
    let model = config.model().resolve();
    let provider = match (&model, options.provider) {
        (_, Some(provider)) => Cow::Borrowed(provider.name()),
        (Ok(Some(model)), None) => model.provider.clone(),
        (Ok(None), None) => {
            return Err(Error::new(
                ErrorKind::Contract,
                "no-model",
                "the configuration names no model",
            )
            .hint("name one with --model PROVIDER/NAME"));
        }
        (Err(error), None) => return Err(error.clone()),
    };
    match (name, model) {
        (Some(name), _) => Ok(ModelRef { provider, name }),
        (None, Ok(Some(model))) if model.provider == provider => Ok(model),
        (None, found) => {
            let found = found.ok().flatten().map_or_else(String::new, |model| {
                format!(
                    "; the configuration's is {}'s `{}`",
                    model.provider, model.name
                )
            });
            Err(Error::new(
                ErrorKind::Usage,
                "no-model",
                format!("no model of {provider} is named{found}"),
            )
            .hint("name one with --model"))
        }
    }
}

/// The model asked for with `--model`, which may name its provider too.
fn asked<'a>(
    options: &Options<'_>,
    config: &Config<'a>,
) -> Result<Option<ModelRef<'a>>, Error> {
    let Some(name) = options.model else {
        return Ok(None);
    };
    let of = |provider: &str, name: &str| {
        Ok(Some(ModelRef {
            provider: Cow::Owned(provider.to_owned()),
            name: Cow::Owned(name.to_owned()),
        }))
    };
    if let Some(provider) = options.provider {
        let own = name.strip_prefix(provider.name());
        let own = own.and_then(|rest| rest.strip_prefix('/'));
        return of(provider.name(), own.unwrap_or(name));
    }
    if let Some((provider, rest)) = name.split_once('/')
        && Provider::parse(provider).is_some()
    {
        return of(provider, rest);
    }
    if config.model().has_alias(name) {
        return config.model().named(&Cow::Owned(name.to_owned())).map(Some);
    }
    let configured = config.model().resolve().ok().flatten();
    if let Some(model) = configured.filter(|model| model.name == name) {
        return of(&model.provider, name);
    }
    match providers_of(options, name).as_slice() {
        [one] => of(one.name(), name),
        found => Err(no_provider(name, found)),
    }
}

/// The provider that `--provider` or `--model` brings along, whatever the
/// configuration at a request says.
pub(super) fn given(options: &Options<'_>, config: &Config<'_>) -> Option<Provider> {
    let asked = || asked(options, config).ok().flatten();
    options
        .provider
        .or_else(|| Provider::parse(&asked()?.provider))
}

/// The error for a model whose provider is not to be told by its name.
fn no_provider(name: &str, found: &[Provider]) -> Error {
    let why = match found {
        [] => format!("no provider is known to have model `{name}`"),
        _ => {
            let all: Vec<_> = found.iter().map(|one| one.name()).collect();
            format!(
                "model `{name}` is known of several providers: {}",
                all.join(", ")
            )
        }
    };
    let example = match found {
        [first, ..] => format!("{}/{name}", first.name()),
        [] => format!("PROVIDER/{name}"),
    };
    Error::new(ErrorKind::Usage, "no-provider", why)
        .hint(format!("write --model {example}, or add --provider"))
}

/// The error for a provider whose bodies cannot be written.
pub(super) fn unsupported(name: &str) -> Error {
    let known: Vec<_> = Provider::ALL.iter().map(|one| one.name()).collect();
    Error::new(
        ErrorKind::Usage,
        "unknown-provider",
        format!("no request body can be written for provider `{name}`"),
    )
    .hint(format!("choose one with --provider: {}", known.join(", ")))
}

/// The providers that are known to have a model of that name.
fn providers_of(options: &Options<'_>, name: &str) -> Vec<Provider> {
    let all = options.table.providers_of(name);
    all.into_iter().filter_map(Provider::parse).collect()
}
