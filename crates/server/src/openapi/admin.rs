//! The addresses for tokens, the audit log and draining, which are no operations.

use serde_json::{Map, Value, json};
use szk_tools::{Method, Permission};

use super::bytes::answer;
use super::statuses;

/// Their paths.
pub(super) fn paths() -> Map<String, Value> {
    let scopes: Vec<&str> = Permission::ALL.iter().map(|one| one.name()).collect();
    let scopes = json!({"type": "array", "items": {"type": "string", "enum": scopes}});
    let names = json!({"type": "array", "items": {"type": "string"}});
    let time = json!({"type": "string", "format": "date-time"});
    let row = json!({
        "type": "object",
        "required": ["name", "scopes", "sessions", "created"],
        "properties": {"name": {"type": "string"}, "scopes": scopes, "sessions": names, "created": time, "expires": time},
    });
    let object = |properties: Value| {
        let needed: Vec<&String> = properties
            .as_object()
            .into_iter()
            .flat_map(Map::keys)
            .collect();
        json!({"type": "object", "required": needed, "properties": properties})
    };
    let list = object(json!({"tokens": {"type": "array", "items": row}}));
    let made = object(
        json!({"token": {"type": "string", "description": "Shown only now."}, "about": row}),
    );
    let revoked = object(json!({"revoked": {"type": "string"}}));
    let number = json!({"type": "integer", "minimum": 0});
    let line = json!({
        "type": "object",
        "required": ["seq", "time", "operation", "code", "effect", "ms"],
        "properties": {"seq": number, "time": time, "operation": {"type": "string"}, "code": {"type": "string"}, "effect": {"type": "string"}, "ms": number},
        "additionalProperties": {},
    });
    let lines = object(json!({"lines": {"type": "array", "items": line}}));
    let checked = object(json!({
        "good": {"type": "boolean"}, "lines": number, "first": number, "last": number, "hash": {"type": "string"},
        "broken": {"type": ["string", "null"], "description": "The first place where the log is not as it was written."},
    }));
    let draining = object(json!({"status": {"type": "string"}}));
    let query = |name: &str, about: &str, schema: Value| json!({"name": name, "in": "query", "required": false, "description": about, "schema": schema});
    let name = json!({"name": "name", "in": "path", "required": true, "description": "Name of the token.", "schema": {"type": "string"}});
    let mut create = described(
        "token_create",
        "Make a token",
        "It allows no more than the token that makes it, and ends with it.",
        &[],
        (Method::Post, "201", answer("The token was made.", &made)),
    );
    create["requestBody"] = json!({"required": true, "content": {"application/json": {"schema": {
        "type": "object",
        "required": ["name"],
        "additionalProperties": false,
        "properties": {
            "name": {"type": "string"},
            "scopes": {"type": "array", "items": scopes["items"], "description": "Default: `read` and `write`."},
            "sessions": {"type": "array", "items": {"type": "string"}, "description": "Sessions that exist for it, by name or with `*` and `?`. Default: those of the token that makes it."},
            "expires": {"type": "string", "description": "When it stops working: a time, the end of a day such as `2027-01-31` (UTC), or how long from now, such as `30d`. Default: never."},
        },
    }}}});
    let audit = [
        query("session", "Only this session.", json!({"type": "string"})),
        query(
            "after",
            "The lines after this number, from the first. Default: the last lines.",
            number.clone(),
        ),
        query(
            "limit",
            "Most lines. Default: 100.",
            json!({"type": "integer", "minimum": 1, "maximum": 10_000}),
        ),
    ];
    let found = json!({
        "/v1/tokens": {
            "get": described("token_list", "List tokens", "Those that see no more sessions than the one that asks; never their values.", &[], (Method::Get, "200", answer("The tokens.", &list))),
            "post": create,
        },
        "/v1/tokens/{name}": {"delete": described("token_revoke", "Make a token stop working", "At once, also for those who use it now.", &[name], (Method::Delete, "200", answer("It no longer works.", &revoked)))},
        "/v1/audit": {"get": described("audit_show", "Read the audit log", "Who did what, oldest line first.", &audit, (Method::Get, "200", answer("The lines.", &lines)))},
        "/v1/audit/check": {"get": described("audit_verify", "Check the audit log", "Whether any line was changed, removed or moved.", &[], (Method::Get, "200", answer("What was found.", &checked)))},
        "/v1/drain": {"post": described("server_drain", "Drain the server", "It opens no more sessions, lets those who work finish, and ends.", &[], (Method::Get, "202", answer("It drains.", &draining)))},
    });
    match found {
        Value::Object(paths) => paths,
        _ => Map::new(),
    }
}

fn described(
    id: &str,
    summary: &str,
    about: &str,
    parameters: &[Value],
    (method, status, done): (Method, &str, Value),
) -> Value {
    let mut responses = statuses::failures(statuses::ADMIN, method);
    responses.insert(status.to_owned(), done);
    json!({
        "operationId": id, "summary": summary, "tags": ["server"], "parameters": parameters, "responses": responses,
        "description": format!("{about}\n\nNeeds a token that allows `admin`."),
    })
}
