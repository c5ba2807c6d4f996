//! Schemas of tools and of structured answers (`docs/bodies.md#schemas`, `docs/bodies.md#google`, `docs/bodies.md#cerebras`).

use super::*;

/// The sent parameters of one tool, and whether it is strict.
fn parameters(provider: Provider, parameters: &Value) -> (Value, Option<bool>) {
    let tools = json!([{"name": "f", "description": "d", "parameters": parameters}]);
    let body = Ask::new(provider, &json!([ask("go")]))
        .input("tools", tools)
        .body();
    let tool = &body["tools"][0];
    if provider == Provider::Google {
        let declaration = &tool["functionDeclarations"][0];
        return (declaration["parametersJsonSchema"].clone(), None);
    }
    let function = if provider == Provider::OpenAi {
        tool
    } else {
        &tool["function"]
    };
    assert_eq!(function["description"], "d");
    (function["parameters"].clone(), function["strict"].as_bool())
}

const STRICT: [Provider; 3] =
    [Provider::OpenAi, Provider::OpenRouter, Provider::LlamaCpp];

#[track_caller]
fn strict(given: &Value, properties: &Value) {
    for provider in STRICT {
        let (found, is_strict) = parameters(provider, given);
        assert_eq!(found["properties"], *properties, "{provider:?}");
        assert_eq!(is_strict, Some(true));
        assert_eq!(found["additionalProperties"], false);
        let names: Vec<_> = given.as_object().expect("a map").keys().collect();
        assert_eq!(found["required"], json!(names));
    }
}

#[test]
fn optional_parameters_may_be_null() {
    strict(
        &json!({
            "a": {"type": "string", "required": true, "enum": ["x"]},
            "b": {"type": "string", "enum": ["x"], "default": "x", "summary": "s"},
            "c": {"type": ["string", "integer"]},
            "d": {"type": "array", "description": "l", "items": {"type": "string"}},
            "e": {"type": ["string", "null"]},
            "g": {"type": "object", "properties": {"h": {"type": "boolean"},
                  "i": {"type": "number", "required": true}}, "required": true},
        }),
        &json!({
            "a": {"type": "string", "enum": ["x"]},
            "b": {"type": ["string", "null"], "description": "s", "default": "x",
                  "enum": ["x"]},
            "c": {"type": ["string", "integer", "null"]},
            "d": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}],
                  "description": "l"},
            "e": {"type": ["string", "null"]},
            "g": {"type": "object", "properties": {"h": {"type": ["boolean", "null"]},
                  "i": {"type": "number"}}, "required": ["h", "i"],
                  "additionalProperties": false},
        }),
    );
}

#[test]
fn lists_among_the_choices_become_choices_of_an_element() {
    let given = json!({
        "a": {"type": ["string", "array"], "required": true, "enum": ["x", ["y", "z"], ["y"]]},
        "b": {"type": "array", "required": true, "enum": [[1, "p"], [2.5, null]]},
        "c": {"type": "array", "required": true, "items": {"type": "array",
              "items": {"type": "string"}, "enum": [["in"]]}},
        "d": {"type": "string", "required": true, "enum": [["kept"]]},
    });
    let unfolded = json!({
        "a": {"type": ["string", "array"], "enum": ["x"],
              "items": {"type": "string", "enum": ["y", "z"]}},
        "b": {"type": "array", "items": {"type": ["integer", "string", "number", "null"],
              "enum": [1, "p", 2.5, null]}},
        "c": {"type": "array", "items": {"type": "array",
              "items": {"type": "string", "enum": ["in"]}}},
        "d": {"type": "string", "enum": [["kept"]]},
    });
    strict(&given, &unfolded);
    let (loose, _) = parameters(Provider::Cerebras, &given);
    assert_eq!(loose["properties"], unfolded);
    let (plain, _) = parameters(Provider::Google, &given);
    assert_eq!(
        plain["properties"]["a"]["enum"],
        json!(["x", ["y", "z"], ["y"]])
    );
}

#[test]
fn the_loose_and_the_plain_form_keep_what_is_optional() {
    let given =
        json!({"a": {"type": "string"}, "b": {"type": "string", "required": true}});
    let properties = json!({"a": {"type": "string"}, "b": {"type": "string"}});
    for (provider, open) in [(Provider::Cerebras, true), (Provider::Google, false)] {
        let (found, is_strict) = parameters(provider, &given);
        assert_eq!(
            found,
            json!({"type": "object", "properties": properties, "required": ["b"],
                "additionalProperties": open})
        );
        assert_eq!(is_strict, None);
    }
}

#[test]
fn a_parameter_that_leaves_its_content_open_makes_the_tool_lax() {
    for (open, sent) in [
        (json!({"type": "object"}), json!({"type": "object"})),
        (
            json!({"type": "array"}),
            json!({"type": "array", "items": {}}),
        ),
        (json!({"description": "any"}), json!({"description": "any"})),
    ] {
        for provider in STRICT {
            let (found, is_strict) = parameters(provider, &json!({"a": open}));
            assert_eq!(is_strict, Some(false), "{provider:?}");
            assert_eq!(
                found,
                json!({"type": "object", "properties": {"a": sent}, "required": []})
            );
        }
    }
}

/// The schema of a structured answer as sent.
fn sent(provider: Provider, schema: &Value) -> Result<Value, Error> {
    let request = json!({"type": "chat_request", "content": "go", "schema": schema});
    let (mut bodies, _) = Ask::new(provider, &json!([start(), request])).try_all()?;
    let body = bodies.remove(0);
    Ok(match provider {
        Provider::OpenAi => body["text"]["format"]["schema"].clone(),
        Provider::Google => body["generationConfig"]["_responseJsonSchema"].clone(),
        Provider::Ollama => body["format"].clone(),
        _ => body["response_format"]["json_schema"]["schema"].clone(),
    })
}

#[test]
fn structured_answers_of_openai_are_strict() {
    let schema = json!({"type": "object", "required": ["a"], "properties": {
        "a": {"$ref": "#/$defs/a", "description": "own"},
        "b": {"allOf": [{"type": "object", "properties": {"x": {"type": "string"}}},
              {"properties": {"y": {"type": "string"}}, "required": ["x"]}]},
        "c": {"type": "string", "default": null}},
        "$defs": {"a": {"type": "object", "description": "named", "properties": {}}}});
    let found = sent(Provider::OpenAi, &schema).expect("a schema");
    assert_eq!(
        found["properties"]["a"],
        json!({"type": "object", "description": "own", "properties": {},
            "additionalProperties": false, "required": []})
    );
    assert_eq!(
        found["properties"]["b"],
        json!({"type": "object", "properties": {"x": {"type": "string"},
            "y": {"type": ["string", "null"]}}, "required": ["x", "y"],
            "additionalProperties": false})
    );
    assert_eq!(
        found["properties"]["c"],
        json!({"type": ["string", "null"]})
    );
    assert_eq!(found["required"], json!(["a", "b", "c"]));
}

#[test]
fn structured_answers_of_google_have_no_references() {
    let schema = json!({"type": "object", "properties": {"k": {"const": "v"},
        "a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "array",
        "items": {"$ref": "#/$defs/b"}}, "b": {"type": "string"}}});
    let found = sent(Provider::Google, &schema).expect("a schema");
    assert_eq!(
        found,
        json!({"type": "object", "properties": {"k": {"enum": ["v"]},
            "a": {"type": "array", "items": {"type": "string"}}},
            "propertyOrdering": ["k", "a"]})
    );
    let tree = json!({"type": "object", "properties": {"next": {"$ref": "#"}}});
    let error = sent(Provider::Google, &tree).expect_err("it has no end");
    assert_eq!(error.code, "schema-reference");
}

#[test]
fn structured_answers_of_cerebras_put_into_words_what_is_not_known() {
    let schema = json!({"type": "object", "title": "T", "properties": {
        "n": {"type": "integer", "minimum": 1, "x-unit": "m", "description": "count"},
        "s": {"type": "string", "format": "date", "pattern": "^2", "enum": ["2"]},
        "l": {"type": "array", "items": {"oneOf": [{"const": 1}]}, "minItems": 1,
              "maxItems": 3}}, "required": ["n"]});
    let found = sent(Provider::Cerebras, &schema).expect("a schema");
    assert_eq!(
        found,
        json!({"type": "object", "title": "T", "properties": {
            "n": {"type": "integer", "minimum": 1, "description": "count\n\n{x-unit: \"m\"}"},
            "s": {"type": "string", "enum": ["2"],
                  "description": "{pattern: \"^2\", format: \"date\"}"},
            "l": {"type": "array", "items": {"anyOf": [{"const": 1}]},
                  "description": "{maxItems: 3, minItems: 1}"}},
            "required": ["n", "s", "l"], "additionalProperties": false})
    );
}

#[test]
fn the_other_providers_get_the_schema_as_it_is() {
    let schema = json!({"anyOf": [{"type": "string", "x": 1}]});
    for provider in [Provider::OpenRouter, Provider::Ollama, Provider::LlamaCpp] {
        assert_eq!(sent(provider, &schema).expect("a schema"), schema);
    }
}
