//! `/openapi.json`: the API as OpenAPI 3.1, made from the catalogue.

mod admin;
mod bytes;
mod statuses;

use std::sync::LazyLock;

use axum::Json;
use serde_json::{Map, Value, json};
use szk_tools::{Code, Method, Route, Spec, specs};

static DOCUMENT: LazyLock<Value> = LazyLock::new(document);

pub(crate) async fn serve() -> Json<&'static Value> {
    Json(&DOCUMENT)
}

/// The whole document.
#[must_use]
pub fn document() -> Value {
    let mut paths = Map::new();
    for spec in specs() {
        for (number, route) in spec.routes.iter().enumerate() {
            let path = paths.entry(route.path).or_insert_with(|| json!({}));
            path[route.method.name().to_lowercase()] = operation(spec, route, number);
        }
    }
    paths.extend(bytes::paths());
    paths.extend(admin::paths());
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "szk",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "The browser that AI agents and scripts keep, over HTTP",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Error": error()},
        },
    });
    in_full(&mut document);
    document
}

/// Says what some generators of clients do not understand in other words that mean the same: `{}` for a
/// schema that is `true`, and one choice of flags and one of texts for a choice between both.
fn in_full(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::Array(all)) = fields.get("enum")
                && all.iter().all(|one| one.is_boolean() || one.is_string())
                && all.iter().any(Value::is_boolean)
                && all.iter().any(Value::is_string)
            {
                let texts: Vec<&Value> = all.iter().filter(|one| one.is_string()).collect();
                let choices = json!([{"type": "boolean"}, {"type": "string", "enum": texts}]);
                fields.remove("enum");
                fields.remove("type");
                fields.insert("anyOf".to_owned(), choices);
            }
            for (name, field) in fields {
                if name == "items" && *field == true {
                    *field = json!({});
                }
                if name == "properties" {
                    let each = field.as_object_mut().into_iter().flat_map(Map::values_mut);
                    each.filter(|one| **one == true)
                        .for_each(|one| *one = json!({}));
                }
                in_full(field);
            }
        }
        Value::Array(list) => list.iter_mut().for_each(in_full),
        _ => {}
    }
}

fn error() -> Value {
    let codes: Vec<String> = Code::ALL.iter().map(|code| code.name()).collect();
    json!({
        "type": "object",
        "required": ["error"],
        "properties": {"error": {
            "type": "object",
            "required": ["code", "message", "retryable", "effect", "status"],
            "properties": {
                "code": {"type": "string", "enum": codes},
                "message": {"type": "string", "description": "What happened."},
                "hint": {"type": "string", "description": "The next step."},
                "retryable": {"type": "boolean", "description": "Whether the same request may succeed later."},
                "effect": {"type": "string", "enum": ["none", "done", "unknown"], "description": "What was done before it failed."},
                "status": {"type": "integer", "description": "The HTTP status."},
            },
        }},
    })
}

fn operation(spec: &Spec, route: &Route, number: usize) -> Value {
    let schema = (spec.input)();
    let set = |name: &str| route.sets.iter().any(|(set, _)| *set == name);
    let in_path: Vec<&str> = route.in_path().collect();
    let mut parameters: Vec<Value> = in_path
        .iter()
        .map(|name| {
            json!({"name": name, "in": "path", "required": true,
                "description": schema["properties"][name]["description"],
                "schema": {"type": "string"}})
        })
        .collect();
    let mut rest = schema.clone();
    if let Some(fields) = rest.get_mut("properties").and_then(Value::as_object_mut) {
        fields.retain(|name, _| !set(name) && !in_path.contains(&name.as_str()));
    }
    if let Some(required) = rest.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| {
            let name = name.as_str().unwrap_or_default();
            !set(name) && !in_path.contains(&name)
        });
    }
    let mut described = json!({
        "operationId": operation_id(spec, route, number),
        "summary": spec.title,
        "description": format!("{}\n\nNeeds a token that allows `{}`.", spec.summary, spec.needs.name()),
        "tags": [spec.name.split('_').next().unwrap_or_default()],
        "responses": responses(spec, route.method),
    });
    if route.method == Method::Post {
        let required = rest["required"]
            .as_array()
            .is_some_and(|required| !required.is_empty());
        described["requestBody"] = json!({
            "required": required,
            "content": {"application/json": {"schema": rest}},
        });
        if let Some(form) = bytes::form(spec).filter(|_| in_path.contains(&"session")) {
            described["requestBody"]["content"]["multipart/form-data"] = form;
        }
    } else {
        let required = |name: &str| {
            rest["required"]
                .as_array()
                .is_some_and(|all| all.iter().any(|one| one == name))
        };
        for (name, field) in rest["properties"].as_object().into_iter().flatten() {
            let mut schema = field.clone();
            let about = schema
                .as_object_mut()
                .and_then(|schema| schema.remove("description"));
            parameters.push(
                json!({"name": name, "in": "query", "required": required(name),
                "description": about, "schema": schema}),
            );
        }
    }
    if !parameters.is_empty() {
        described["parameters"] = parameters.into();
    }
    described
}

/// Unique in the document: the operation's name, with what its further addresses set or end with.
fn operation_id(spec: &Spec, route: &Route, number: usize) -> String {
    match (number, route.sets.first()) {
        (_, Some((_, value))) => format!("{}_{value}", spec.name),
        (0, None) => spec.name.to_owned(),
        (_, None) => {
            let last = route.path.rsplit('/').next().unwrap_or_default();
            let last = last.trim_matches(['{', '}']).replace('-', "_");
            format!(
                "{}_{}_{last}",
                spec.name,
                route.method.name().to_lowercase()
            )
        }
    }
}

fn responses(spec: &Spec, method: Method) -> Value {
    let mut content = json!({"application/json": {"schema": (spec.output)()}});
    match spec.name {
        "browser_screenshot" => {
            for kind in ["image/png", "image/jpeg", "image/webp"] {
                content[kind] = json!({});
            }
        }
        "browser_pdf" => content["application/pdf"] = json!({}),
        _ => {}
    }
    content["text/plain"] = json!({"schema": {"type": "string"}});
    content["text/event-stream"] = json!({"schema": {"type": "string"}});
    let mut responses = json!({"200": {"description": "Done.", "content": content}});
    if (spec.output)()["properties"].get("started").is_some() {
        responses["201"] = json!({
            "description": "Done, and it started the session.",
            "headers": {"Location": {"schema": {"type": "string"}}},
            "content": {"application/json": {"schema": (spec.output)()}},
        });
    }
    if let Some(responses) = responses.as_object_mut() {
        responses.extend(statuses::of_operation(spec, method));
    }
    responses
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn what_generators_do_not_understand_is_said_in_other_words() {
        let mut schema = json!({
            "properties": {"any": true, "list": {"type": "array", "items": true}},
            "enum": [true, false, "new"],
        });
        in_full(&mut schema);
        let expected = json!({
            "properties": {"any": {}, "list": {"type": "array", "items": {}}},
            "anyOf": [{"type": "boolean"}, {"type": "string", "enum": ["new"]}],
        });
        assert_eq!(schema, expected);
    }

    /// Where `null` is a value that a schema allows.
    const VALUES: [&str; 5] = ["enum", "const", "default", "example", "examples"];

    fn nulls(value: &Value, at: &str, found: &mut Vec<String>) {
        match value {
            Value::Null => found.push(at.to_owned()),
            Value::Object(fields) => {
                for (name, field) in fields
                    .iter()
                    .filter(|(name, _)| !VALUES.contains(&name.as_str()))
                {
                    nulls(field, &format!("{at}/{name}"), found);
                }
            }
            Value::Array(list) => list.iter().for_each(|one| nulls(one, at, found)),
            _ => {}
        }
    }

    #[test]
    fn no_keyword_is_null() {
        let mut found = Vec::new();
        nulls(&document(), "", &mut found);
        assert!(found.is_empty(), "{found:#?}");
    }

    #[test]
    fn every_address_is_described_under_an_id_of_its_own() {
        let document = document();
        let mut ids = HashSet::new();
        for spec in specs() {
            for route in spec.routes {
                let method = route.method.name().to_lowercase();
                let described = &document["paths"][route.path][&method];
                let id = described["operationId"].as_str().unwrap_or_default();
                assert!(ids.insert(id.to_owned()), "{id}");
                let parameters = described["parameters"].as_array();
                for name in route.in_path() {
                    let found = parameters
                        .into_iter()
                        .flatten()
                        .find(|one| one["name"] == name);
                    assert_eq!(
                        found.map(|one| &one["in"]),
                        Some(&json!("path")),
                        "{route:?}"
                    );
                }
            }
        }
        assert!(ids.contains("browser_navigate") && ids.contains("browser_tabs_open"));
    }
}
