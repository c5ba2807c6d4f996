//! Rules: their texts, as data.

use crate::error::Severity;

/// Two or three small inputs that show a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// What the rule finds.
    pub fail: &'static str,
    /// The same, mended.
    pub pass: &'static str,
    /// What looks like an offender and is none, if there is such a thing.
    pub legal: Option<&'static str>,
}

/// One rule.
#[derive(Debug)]
pub struct Rule {
    /// Its stable id, in kebab-case.
    pub id: &'static str,
    /// What it is about: the family's name.
    pub family: &'static str,
    /// How much a finding of it matters, unless the place says otherwise.
    pub severity: Severity,
    /// What it finds: the title.
    pub what: &'static str,
    /// Why that matters.
    pub why: &'static str,
    /// What to do.
    pub mend: &'static str,
    /// The public page that the rule comes from.
    pub source: &'static str,
    /// Whether it judges only when asked to.
    pub on_request: bool,
    /// Whether it looks at one body for what a comparison with the request before
    /// tells better.
    pub pair: bool,
    /// Whether it guesses from one body what will change; a comparison knows.
    pub guess: bool,
    /// Whether it is about reasoning sent back, so that breaking it fails the check
    /// of that reasoning.
    pub replay: bool,
}

impl Rule {
    /// A rule without texts, for [`family!`](crate::finding) to fill.
    pub(crate) const BLANK: Self = Self {
        id: "",
        family: "",
        severity: Severity::Note,
        what: "",
        why: "",
        mend: "",
        source: "",
        on_request: false,
        pair: false,
        guess: false,
        replay: false,
    };
}

/// Writes down the rules of a family: a static each, and `RULES`, the list.
///
/// ```text
/// family! { "texts";
///     TEXT_EMPTY: Error "text-empty", MESSAGES;
///     "a text block is empty";
///     "the API refuses empty text blocks";
///     "leave the block out";
/// }
/// ```
///
/// `[on_request]`, `[pair]`, `[guess]` or `[replay]` behind the id sets the field of that name.
macro_rules! family {
    ($family:literal;
     $($name:ident: $severity:ident $id:literal $([$mark:ident])?, $source:expr;
        $what:literal; $why:literal; $mend:literal;)*) => {
        $(pub(crate) static $name: $crate::finding::Rule = $crate::finding::Rule {
            id: $id,
            family: $family,
            severity: $crate::error::Severity::$severity,
            what: $what,
            why: $why,
            mend: $mend,
            source: $source,
            $($mark: true,)?
            ..$crate::finding::Rule::BLANK
        };)*
        /// The rules of this family.
        pub(crate) static RULES: &[&$crate::finding::Rule] = &[$(&$name),*];
    };
}
pub(crate) use family;
