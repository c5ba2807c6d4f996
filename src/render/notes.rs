//! What is told while a stream is rendered.

use crate::finding::family;

family! { "rendering";
    REMOVED: Note "removed", "docs/render.md#untrusted-text";
    "characters were left out that would have steered the terminal";
    "text from outside must not do that";
    "--control escape shows them";

    METADATA: Warning "metadata", "docs/render.md#tools";
    "what an event says of its rendering is not read";
    "the default is taken in its place";
    "write a value of the kind expected";
}
