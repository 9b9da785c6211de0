//! The addresses of files and archives, which are no operations, and the forms that bring files.

use serde_json::{Map, Value, json};
use szk_tools::{Method, Spec};

use super::statuses;

/// A body with files, for an operation that takes some.
pub(super) fn form(spec: &Spec) -> Option<Value> {
    let fields = spec.uploads?;
    let kinds = (spec.fields)();
    let file = json!({"type": "string", "format": "binary"});
    let of = |name: &str| {
        let field = kinds.iter().find(|field| field.name == name);
        let many = field.is_some_and(|field| matches!(field.kind, szk_tools::Kind::List(_)));
        match many {
            true => json!({"type": "array", "items": file}),
            false => file.clone(),
        }
    };
    let properties: Map<String, Value> = fields
        .iter()
        .map(|name| ((*name).to_owned(), of(name)))
        .collect();
    Some(json!({"schema": {
        "type": "object",
        "description": "Files, and the fields of the JSON body as texts; lists repeat a part, objects are JSON. In other paths, `upload:NAME` stands for the file of the part NAME.",
        "properties": properties,
        "additionalProperties": {"type": "string"},
    }}))
}

/// The paths of files and archives.
pub(super) fn paths() -> Map<String, Value> {
    let session = json!({"name": "session", "in": "path", "required": true, "description": "Name of the profile.", "schema": {"type": "string"}});
    let file = json!({"name": "path", "in": "path", "required": true, "description": "A `path` of the list; in an address its slashes may be escaped.", "schema": {"type": "string"}});
    let binary = json!({"schema": {"type": "string", "format": "binary"}});
    let bytes = |kinds: &[&str]| {
        let mut content = json!({"application/octet-stream": binary});
        kinds.iter().for_each(|kind| content[kind] = json!({}));
        json!({"description": "The bytes, as an attachment.", "content": content})
    };
    let list = answer(
        "The files.",
        &json!({
            "type": "object",
            "required": ["session", "files"],
            "properties": {
                "session": {"type": "string"},
                "files": {"type": "array", "items": {
                    "type": "object",
                    "required": ["path", "bytes", "modified"],
                    "properties": {
                        "path": {"type": "string", "description": "Such as `downloads/report.pdf`."},
                        "bytes": {"type": "integer", "minimum": 0},
                        "modified": {"type": "string", "format": "date-time"},
                    },
                }},
            },
        }),
    );
    let made = answer(
        "The profile was made.",
        &json!({
            "type": "object",
            "required": ["session", "files", "bytes", "left_out"],
            "properties": {
                "session": {"type": "string"},
                "files": {"type": "integer", "minimum": 0},
                "bytes": {"type": "integer", "minimum": 0},
                "left_out": {"type": "integer", "minimum": 0},
            },
        }),
    );
    let described = |id: &str,
                     summary: &str,
                     about: &str,
                     parameters: &[&Value],
                     tag: &str,
                     (status, done): (&str, Value)| {
        let method = if status == "201" {
            Method::Post
        } else {
            Method::Get
        };
        let mut responses = statuses::failures(statuses::FILES, method);
        responses.insert(status.to_owned(), done);
        json!({"operationId": id, "summary": summary, "description": about, "tags": [tag], "parameters": parameters, "responses": responses})
    };
    let mut import = described(
        "profile_import",
        "Make a profile of an archive",
        "The archive may come from another machine.\n\nNeeds a token that allows `secrets` and `write`.",
        &[&session],
        "profile",
        ("201", made),
    );
    import["requestBody"] =
        json!({"required": true, "content": {"application/octet-stream": binary}});
    let found = json!({
        "/v1/sessions/{session}/files": {"get": described(
            "file_list",
            "List the files that a session keeps",
            "Downloads and artifacts, newest first.\n\nNeeds a token that allows `read`.",
            &[&session],
            "file",
            ("200", list),
        )},
        "/v1/sessions/{session}/files/{path}": {"get": described(
            "file_read",
            "Fetch a file that a session keeps",
            "Needs a token that allows `read`; for exported logins, traces and other data, `secrets`.",
            &[&session, &file],
            "file",
            ("200", bytes(&["application/pdf", "image/png", "image/jpeg", "image/webp"])),
        )},
        "/v1/profiles/{session}/archive": {
            "get": described(
                "profile_export",
                "Fetch a stored profile as an archive",
                "The profile must be closed.\n\nNeeds a token that allows `secrets`.",
                &[&session],
                "profile",
                ("200", bytes(&[])),
            ),
            "post": import,
        },
    });
    match found {
        Value::Object(paths) => paths,
        _ => Map::new(),
    }
}

pub(super) fn answer(about: &str, schema: &Value) -> Value {
    json!({"description": about, "content": {"application/json": {"schema": schema}}})
}
