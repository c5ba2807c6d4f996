//! What is told of configuration.

use crate::finding::family;

const CONFIG: &str = "docs/formats.md#configuration";

family! { "configuration";
    CONFIG_VALUE: Warning "config-value", CONFIG;
    "a value of the configuration makes no sense where it stands";
    "it counts as absent, and what depends on it takes its default";
    "write a value of the kind expected";

    CONFIG_UNSET: Warning "config-unset", "docs/formats.md#config-deltas";
    "a delta takes back what is not modelled";
    "the request made from it may differ from the one that was sent";
    "nothing, if no request depends on it";

    UNKNOWN_ALIAS: Error "unknown-alias", CONFIG;
    "the configuration names a model by an alias that it does not define";
    "no model is known to write the request for";
    "name the model with --model PROVIDER/NAME";
}
