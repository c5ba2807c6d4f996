//! Rules on text that hold for bodies and stored streams alike.

use super::family;

family! { "text";
    LONE_SURROGATE: Error "lone-surrogate", "https://github.com/anthropics/claude-code/issues/60394";
    "a string holds half of a surrogate pair";
    "it is no character: strict readers refuse the whole body. Mostly a text was cut inside an emoji";
    "cut texts between characters; U+FFFD in its place is safe";
}
