//! Why two requests cannot be compared.

use crate::finding::family;

const REPORT: &str = "docs/prefix.md#the-report";
const WHOSE: &str = "docs/prefix.md#whose-request-it-is";

family! { "comparisons";
    MASK: Error "mask", REPORT;
    "a mask is no regular expression";
    "what it is to set aside is not known";
    "mend it at the place told";

    TWO_PROVIDERS: Error "two-providers", WHOSE;
    "the two requests are for two providers";
    "their caches have nothing in common";
    "if it is one provider, say which with --provider";
}
