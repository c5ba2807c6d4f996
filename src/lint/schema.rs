//! The schemas of tools and output formats, as each provider takes them.
//!
//! One walk over a schema, node by node; what a node may hold differs between
//! OpenAI (more narrowly where `strict` is on) and Gemini's own subset in
//! `parameters`. Nodes nested more deeply than any provider takes are not looked at.

use super::report::Report;
use crate::body::{Fields, Place};
use crate::finding::family;
use crate::json::{Kind, Raw};
use crate::term::quoted;
use std::rc::Rc;

const STRUCTURED: &str =
    "https://developers.openai.com/api/docs/guides/structured-outputs";
const DECLARE: &str = "https://ai.google.dev/api/caching#Schema";

family! { "schemas";
    SCHEMA_ROOT_TYPE: Error "openai-schema-root-type", "https://github.com/prism-php/prism/issues/858";
    "the root of a parameter schema is not of type `object`";
    "the API takes objects only, and one such tool fails the request";
    "write `\"type\":\"object\"` with `properties` at the root";

    SCHEMA_ROOT_COMBINATOR: Error "openai-schema-root-combinator", "https://github.com/nspady/google-calendar-mcp/issues/39";
    "a parameter schema has a combinator at its root";
    "`oneOf`, `anyOf`, `allOf`, `enum`, `const` and `not` are taken further down only";
    "move it into a property";

    SCHEMA_ARRAY_ITEMS: Error "openai-schema-array-items", "https://github.com/digitalocean-labs/mcp-digitalocean/issues/265";
    "an array in a schema does not say what its items are";
    "the API refuses arrays without `items`, at any depth";
    "add `items`, `{}` at least";

    SCHEMA_MALFORMED: Error "openai-schema-malformed", "https://github.com/cbdb-project/cbdb-online-main-server/issues/879";
    "a keyword of a schema has a value of the wrong kind";
    "what is no JSON Schema is refused";
    "write the keyword as JSON Schema has it";

    STRICT_ADDITIONAL: Error "openai-strict-additional-properties", STRUCTURED;
    "an object of a strict schema does not exclude other properties";
    "`strict` asks for `\"additionalProperties\":false` on every object";
    "add it, or leave `strict` out";

    STRICT_REQUIRED: Error "openai-strict-required-all", STRUCTURED;
    "an object of a strict schema does not require all of its properties";
    "`strict` knows no optional properties";
    "require them all, the optional ones of type `null` too, or leave `strict` out";

    STRICT_KEYWORD: Error "openai-strict-keyword", STRUCTURED;
    "a strict schema has a keyword that strict schemas may not have";
    "composition other than `anyOf` is not supported";
    "say it with `anyOf`, or leave `strict` out";

    STRICT_FORMAT: Error "openai-strict-format", STRUCTURED;
    "a strict schema has a `format` that is not supported";
    "dates, times, durations, e-mail, host names, addresses and UUIDs are";
    "leave the format out";

    STRICT_ITEMS: Error "openai-strict-items-untyped", "https://github.com/pydantic/pydantic-ai/issues/4425";
    "the items of an array in a strict schema have no type";
    "`strict` wants to know what stands there";
    "give `items` a type";

    STRICT_LIMITS: Error "openai-strict-limits", STRUCTURED;
    "a strict schema is larger than strict schemas may be";
    "depth, properties and enum values are limited";
    "make the schema smaller, or leave `strict` out";

    CEREBRAS_STRICT: Warning "cerebras-strict", "https://github.com/livekit/agents/issues/3134";
    "a tool is strict";
    "not every model of Cerebras takes strict tools";
    "leave `strict` out where the model refuses it";

    GEMINI_UNKNOWN_KEY: Error "gemini-parameters-unknown-key", "https://github.com/ahmadrosid/nakama/issues/292";
    "a schema under `parameters` has a keyword that Gemini does not know";
    "the API reads `parameters` into a fixed message and refuses other fields";
    "leave it out, or write the schema under `parametersJsonSchema`";

    GEMINI_TYPE_LIST: Error "gemini-parameters-type-list", "https://github.com/anomalyco/opencode/issues/43495";
    "a schema under `parameters` has a list of types";
    "`type` is one name there";
    "write `nullable`, or `anyOf` with a branch a type";

    GEMINI_EMPTY_OBJECT: Warning "gemini-parameters-empty-object", "https://github.com/pipecat-ai/pipecat-flows/issues/110";
    "an object under `parameters` has no properties";
    "some models refuse it";
    "leave `parameters` out for a tool without arguments";

    GEMINI_ITEMS: Error "gemini-parameters-items", "https://github.com/kkrishnan90/gemini-desktop/issues/7";
    "an array under `parameters` does not say what its items are";
    "the API refuses arrays without `items`";
    "add `items`";

    GEMINI_ENUM: Error "gemini-parameters-enum", "https://github.com/decolua/9router/issues/380";
    "an `enum` under `parameters` is not of strings";
    "the API takes `enum` with the type STRING, of strings that are not empty";
    "make them strings, or leave `enum` out";

    GEMINI_REQUIRED: Error "gemini-required-undefined", "https://github.com/Kilo-Org/kilocode/issues/11955";
    "`required` names a property that is not there";
    "the API refuses it";
    "define the property, or do not require it";

    GEMINI_PROPERTIES: Error "gemini-properties-type", "https://github.com/anomalyco/opencode/issues/43495";
    "`properties` or `items` stand beside a type they do not belong to";
    "the API takes `properties` with OBJECT and `items` with ARRAY alone";
    "mend the type, or leave the keyword out";

    GEMINI_PARAMETER_NAME: Warning "gemini-parameter-name", DECLARE;
    "a parameter has a name that Gemini does not document";
    "names are letters, digits and `_`, at most 64, and do not begin with a digit";
    "rename it";

    PROPERTY_KEY: Error "property-key", "https://github.com/anthropics/claude-code/issues/79418";
    "a property of a tool's schema has a name that the API refuses";
    "names are letters, digits, `_`, `.` and `-`, 64 at most";
    "rename the property";

    SCHEMA_DRAFT: Warning "schema-draft", "https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use";
    "a keyword of a tool's schema has a value of the wrong kind";
    "the API checks schemas against JSON Schema 2020-12";
    "write the keyword as JSON Schema has it";

    STRICT_SCHEMA: Error "strict-schema", "https://platform.claude.com/docs/en/build-with-claude/structured-outputs";
    "an object of a strict schema does not exclude other properties";
    "`strict` and output formats ask for `\"additionalProperties\":false` on every object";
    "add it, or leave `strict` out";
}

/// Whose schema it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taker {
    /// OpenAI; strict or not.
    OpenAi { strict: bool },
    /// Gemini's `parameters` and `responseSchema`.
    Gemini,
    /// Anthropic; strict or not.
    Anthropic { strict: bool },
}

/// Levels that are looked at.
const DEEPEST: usize = 32;

/// The way to a node: its last key, and the way to what holds it.
struct Link<'a> {
    key: std::borrow::Cow<'a, str>,
    up: Option<Rc<Link<'a>>>,
    depth: usize,
}

struct Node<'a> {
    raw: Raw<'a>,
    way: Option<Rc<Link<'a>>>,
    /// Objects around it, for the limit.
    level: usize,
}

/// What stands around a schema.
pub(super) struct Where<'k> {
    pub(super) place: Place,
    pub(super) keys: &'k [&'k str],
}

#[derive(Default)]
struct Sums {
    properties: usize,
    values: usize,
    letters: usize,
    deepest: usize,
}

impl Where<'_> {
    fn tell(
        &self,
        report: &mut Report<'_>,
        rule: &'static crate::finding::Rule,
        node: &Node<'_>,
        more: &[&str],
        raw: Raw<'_>,
        text: String,
    ) -> usize {
        let mut names: Vec<&str> = Vec::new();
        let mut way = node.way.as_deref();
        while let Some(link) = way {
            names.push(&link.key);
            way = link.up.as_deref();
        }
        names.reverse();
        let keys = [self.keys, &names, more].concat();
        report.under(rule, self.place, &keys, raw, text);
        1
    }
}

/// Judges a schema and all in it.
pub(super) fn check(
    report: &mut Report<'_>,
    at: &Where<'_>,
    schema: Raw<'_>,
    taker: Taker,
) {
    // A body cannot be mended in more than so many places at once.
    let mut left = 50usize;
    let mut sums = Sums::default();
    let mut open = vec![Node {
        raw: schema,
        way: None,
        level: 1,
    }];
    while let Some(node) = open.pop() {
        let fields = Fields::read(node.raw);
        let told = match taker {
            Taker::OpenAi { strict } => {
                openai(report, at, &node, &fields, strict, &mut sums)
            }
            Taker::Gemini => gemini(report, at, &node, &fields),
            Taker::Anthropic { strict } => {
                anthropic(report, at, &node, &fields, strict)
            }
        };
        left = left.saturating_sub(told);
        if left == 0 {
            break;
        }
        if node.way.as_ref().is_none_or(|way| way.depth < DEEPEST) {
            children(&node, &fields, &mut open);
        }
    }
    if let Taker::OpenAi { strict: true } = taker {
        limits(report, at, schema, &sums);
    }
}

fn children<'a>(node: &Node<'a>, fields: &Fields<'a>, open: &mut Vec<Node<'a>>) {
    let link = |key: std::borrow::Cow<'a, str>, up: &Option<Rc<Link<'a>>>| {
        Some(Rc::new(Link {
            key,
            depth: up.as_ref().map_or(1, |up| up.depth + 1),
            up: up.clone(),
        }))
    };
    let from = open.len();
    for (key, value) in fields.iter() {
        let named = key.decode();
        match named.as_ref() {
            "properties" | "$defs" | "definitions" | "defs" => {
                let way = link(named, &node.way);
                for (name, raw) in value.as_object().into_iter().flatten() {
                    open.push(Node {
                        raw,
                        way: link(name.decode(), &way),
                        level: node.level + 1,
                    });
                }
            }
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                let way = link(named, &node.way);
                for (at, raw) in value.as_array().into_iter().flatten().enumerate() {
                    open.push(Node {
                        raw,
                        way: link(at.to_string().into(), &way),
                        level: node.level,
                    });
                }
            }
            "items" | "not" | "additionalProperties"
                if value.kind() == Kind::Object =>
            {
                open.push(Node {
                    raw: value,
                    way: link(named, &node.way),
                    level: node.level + 1,
                });
            }
            _ => {}
        }
    }
    // Last in, first out: in the order written.
    open[from..].reverse();
}

fn is_type(fields: &Fields<'_>, name: &str) -> bool {
    let Some(kind) = fields.get("type") else {
        return false;
    };
    let is = |raw: Raw<'_>| {
        raw.as_str()
            .is_some_and(|text| text.eq_ignore_ascii_case(name))
    };
    is(kind) || kind.as_array().into_iter().flatten().any(is)
}

/// Judges the root of an OpenAI schema, which must be an object's.
pub(super) fn openai_root(report: &mut Report<'_>, at: &Where<'_>, schema: Raw<'_>) {
    let fields = Fields::read(schema);
    let node = Node {
        raw: schema,
        way: None,
        level: 1,
    };
    let combinators = ["oneOf", "anyOf", "allOf", "enum", "not", "const"];
    for key in combinators {
        if let Some(value) = fields.get(key) {
            let text = format!("`{key}` at the root of the schema");
            at.tell(report, &SCHEMA_ROOT_COMBINATOR, &node, &[key], value, text);
        }
    }
    let kind = fields.get("type");
    if kind.and_then(Raw::as_str).as_deref() != Some("object") {
        let found = kind.map_or("none".to_owned(), |kind| match kind.as_str() {
            Some(text) => quoted(&text),
            None => kind.kind().name().to_owned(),
        });
        let text = format!("expected the type `object` at the root, found {found}");
        at.tell(report, &SCHEMA_ROOT_TYPE, &node, &[], schema, text);
    }
}

/// Keywords whose value must be of a kind, here as in JSON Schema.
const KINDS: &[(&str, &[Kind])] = &[
    ("properties", &[Kind::Object]),
    ("required", &[Kind::Array]),
    ("enum", &[Kind::Array]),
    ("anyOf", &[Kind::Array]),
    ("oneOf", &[Kind::Array]),
    ("allOf", &[Kind::Array]),
    ("type", &[Kind::String, Kind::Array]),
    ("items", &[Kind::Object, Kind::Bool, Kind::Array]),
    ("minimum", &[Kind::Number]),
    ("maximum", &[Kind::Number]),
    ("exclusiveMinimum", &[Kind::Number]),
    ("exclusiveMaximum", &[Kind::Number]),
    ("minLength", &[Kind::Number]),
    ("maxLength", &[Kind::Number]),
    ("pattern", &[Kind::String]),
    ("description", &[Kind::String]),
];

fn malformed(
    report: &mut Report<'_>,
    at: &Where<'_>,
    node: &Node<'_>,
    fields: &Fields<'_>,
    rule: &'static crate::finding::Rule,
) -> usize {
    let mut told = 0;
    for (key, kinds) in KINDS {
        let Some(value) = fields.get(key) else {
            continue;
        };
        let strings = |raw: Raw<'_>| {
            *key != "required"
                || raw
                    .as_array()
                    .is_some_and(|mut all| all.all(|one| one.kind() == Kind::String))
        };
        if !kinds.contains(&value.kind()) || !strings(value) {
            let want = kinds[0].name();
            let text = match kinds.contains(&value.kind()) {
                true => "expected names in `required`".to_owned(),
                false => {
                    format!("expected {want} in `{key}`, found {}", value.kind().name())
                }
            };
            told += at.tell(report, rule, node, &[key], value, text);
        }
    }
    told
}

const FORMATS: &[&str] = &[
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uuid",
];

const NEVER_STRICT: &[&str] = &[
    "allOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "patternProperties",
];

fn openai(
    report: &mut Report<'_>,
    at: &Where<'_>,
    node: &Node<'_>,
    fields: &Fields<'_>,
    strict: bool,
    sums: &mut Sums,
) -> usize {
    let mut told = malformed(report, at, node, fields, &SCHEMA_MALFORMED);
    if is_type(fields, "array") && fields.get("items").is_none() {
        let text = "an array without `items`".to_owned();
        told += at.tell(report, &SCHEMA_ARRAY_ITEMS, node, &[], node.raw, text);
    }
    if !strict {
        return told;
    }
    sums.deepest = sums.deepest.max(node.level);
    let properties = fields.get("properties").and_then(Raw::as_object);
    let names: Vec<_> = properties
        .into_iter()
        .flatten()
        .map(|(name, _)| name.decode())
        .collect();
    sums.properties += names.len();
    sums.letters += names.iter().map(|name| name.chars().count()).sum::<usize>();
    let values = fields.get("enum").and_then(Raw::as_array);
    for value in values.into_iter().flatten() {
        sums.values += 1;
        sums.letters += value.as_str().map_or(0, |text| text.chars().count());
    }
    if is_type(fields, "object") || fields.get("properties").is_some() {
        let closed = fields.get("additionalProperties").and_then(Raw::as_bool);
        if closed != Some(false) {
            let text = "`additionalProperties` is not `false`".to_owned();
            told += at.tell(report, &STRICT_ADDITIONAL, node, &[], node.raw, text);
        }
        let required: std::collections::HashSet<_> = fields
            .get("required")
            .and_then(Raw::as_array)
            .into_iter()
            .flatten()
            .filter_map(Raw::as_str)
            .collect();
        if let Some(name) = names.iter().find(|name| !required.contains(*name)) {
            let text = format!("`required` leaves out {}", quoted(name));
            told += at.tell(report, &STRICT_REQUIRED, node, &[], node.raw, text);
        }
    }
    for key in NEVER_STRICT {
        if let Some(value) = fields.get(key) {
            let text = format!("`{key}` in a strict schema");
            told += at.tell(report, &STRICT_KEYWORD, node, &[key], value, text);
        }
    }
    if let Some(value) = fields.get("format")
        && let Some(text) = value.as_str()
        && !FORMATS.contains(&text.as_ref())
    {
        let text = format!("the format {} in a strict schema", quoted(&text));
        told += at.tell(report, &STRICT_FORMAT, node, &["format"], value, text);
    }
    if let Some(items) = fields.get("items") {
        let typed = ["type", "$ref", "anyOf", "enum", "const"]
            .iter()
            .any(|key| items.get(key).is_some());
        if !typed {
            let text = "`items` have no type".to_owned();
            told += at.tell(report, &STRICT_ITEMS, node, &["items"], items, text);
        }
    }
    told
}

fn limits(report: &mut Report<'_>, at: &Where<'_>, schema: Raw<'_>, sums: &Sums) {
    let node = Node {
        raw: schema,
        way: None,
        level: 1,
    };
    for (found, most, what) in [
        (sums.deepest, 10, "levels"),
        (sums.properties, 5_000, "properties"),
        (sums.values, 1_000, "enum values"),
        (sums.letters, 120_000, "characters of names and values"),
    ] {
        if found > most {
            let text = format!("{found} {what}, {most} are allowed");
            at.tell(report, &STRICT_LIMITS, &node, &[], schema, text);
        }
    }
}

const GEMINI: &[&str] = &[
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "items",
    "minItems",
    "maxItems",
    "properties",
    "required",
    "propertyOrdering",
    "property_ordering",
    "minProperties",
    "maxProperties",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "pattern",
    "example",
    "anyOf",
    "any_of",
    "default",
    "ref",
    "defs",
];

fn gemini(
    report: &mut Report<'_>,
    at: &Where<'_>,
    node: &Node<'_>,
    fields: &Fields<'_>,
) -> usize {
    let mut told = 0;
    for (key, value) in fields.iter() {
        if GEMINI.iter().any(|known| key.is(known)) {
            continue;
        }
        let key = key.decode();
        let text = format!("{} is no keyword of a Gemini schema", quoted(&key));
        told += at.tell(report, &GEMINI_UNKNOWN_KEY, node, &[&key], value, text);
        // Reports of 2025 have it refused; the client library of August 2026
        // has it as a field.
        if key == "additionalProperties" {
            report.last_as(crate::error::Severity::Warning);
        }
    }
    if let Some(kind) = fields.get("type")
        && kind.kind() == Kind::Array
    {
        let text = "`type` is a list".to_owned();
        told += at.tell(report, &GEMINI_TYPE_LIST, node, &["type"], kind, text);
        return told;
    }
    let object = is_type(fields, "object");
    let array = is_type(fields, "array");
    let typed = fields.get("type").is_some();
    for (key, fits) in [("properties", object), ("items", array)] {
        if let Some(value) = fields.get(key)
            && typed
            && !fits
        {
            let text = format!("`{key}` beside another type");
            told += at.tell(report, &GEMINI_PROPERTIES, node, &[key], value, text);
        }
    }
    let properties: Vec<_> = fields
        .get("properties")
        .and_then(Raw::as_object)
        .into_iter()
        .flatten()
        .collect();
    if object && properties.is_empty() {
        let text = "an object without properties".to_owned();
        told += at.tell(report, &GEMINI_EMPTY_OBJECT, node, &[], node.raw, text);
    }
    if array && fields.get("items").is_none() {
        let text = "an array without `items`".to_owned();
        told += at.tell(report, &GEMINI_ITEMS, node, &[], node.raw, text);
    }
    if let Some(value) = fields.get("enum") {
        let strings = value.as_array().is_some_and(|mut all| {
            all.all(|one| one.kind() == Kind::String && one.bytes().len() > 2)
        });
        if !is_type(fields, "string") || !strings {
            let text = "an `enum` that is not of strings".to_owned();
            told += at.tell(report, &GEMINI_ENUM, node, &["enum"], value, text);
        }
    }
    let names: std::collections::HashSet<_> =
        properties.iter().map(|(name, _)| name.decode()).collect();
    let required = fields.get("required").and_then(Raw::as_array);
    for (index, value) in required.into_iter().flatten().enumerate() {
        let Some(name) = value.as_str() else { continue };
        if !names.contains(&name) && fields.get("anyOf").is_none() {
            let text = format!("no property {}", quoted(&name));
            let index = index.to_string();
            let keys = ["required", index.as_str()];
            told += at.tell(report, &GEMINI_REQUIRED, node, &keys, value, text);
        }
    }
    for (name, value) in properties {
        let name = name.decode();
        let legal = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        if name.len() > 64
            || !name.bytes().all(legal)
            || name.starts_with(|c: char| c.is_ascii_digit())
            || name.is_empty()
        {
            let text = format!("a parameter named {}", quoted(&name));
            let keys = ["properties", name.as_ref()];
            told += at.tell(report, &GEMINI_PARAMETER_NAME, node, &keys, value, text);
        }
    }
    told
}

fn anthropic(
    report: &mut Report<'_>,
    at: &Where<'_>,
    node: &Node<'_>,
    fields: &Fields<'_>,
    strict: bool,
) -> usize {
    let mut told = malformed(report, at, node, fields, &SCHEMA_DRAFT);
    let properties = fields.get("properties").and_then(Raw::as_object);
    for (name, value) in properties.into_iter().flatten() {
        let name = name.decode();
        let legal =
            |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-');
        if name.is_empty() || name.len() > 64 || !name.bytes().all(legal) {
            let text = format!("a property named {}", quoted(&name));
            let keys = ["properties", name.as_ref()];
            told += at.tell(report, &PROPERTY_KEY, node, &keys, value, text);
            // The reports are about the properties of the root.
            if node.way.is_some() {
                report.last_as(crate::error::Severity::Warning);
            }
        }
    }
    let object = is_type(fields, "object") || fields.get("properties").is_some();
    let closed = fields.get("additionalProperties").and_then(Raw::as_bool);
    if strict && object && closed != Some(false) {
        let text = "`additionalProperties` is not `false`".to_owned();
        told += at.tell(report, &STRICT_SCHEMA, node, &[], node.raw, text);
        // Of nested objects the pages say it, and no report of a refusal is known.
        if node.way.is_some() {
            report.last_as(crate::error::Severity::Warning);
        }
    }
    told
}
