//! The reference of the API: as a page at `/docs`, without anything from outside, and as Markdown for the
//! book.

use std::fmt::Write as _;
use std::sync::LazyLock;

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use szk_tools::{Code, Field, Route, Spec, specs};

/// The page loads nothing and runs nothing.
const POLICY: &str =
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Addresses that are no operations: what they need, and what they do.
const OTHERS: [(&str, &str, &str); 12] = [
    (
        "GET /v1/sessions/{session}/files",
        "`read`",
        "lists the downloads and artifacts that a session keeps, with their paths.",
    ),
    (
        "GET /v1/sessions/{session}/files/{path}",
        "`read`, or `secrets` for exported logins, traces and other data",
        "one of them, as bytes.",
    ),
    (
        "GET /v1/profiles/{session}/archive",
        "`secrets`",
        "a closed profile as an archive.",
    ),
    (
        "POST /v1/profiles/{session}/archive",
        "`secrets` and `write`",
        "makes a profile of the archive in the body, of type `application/octet-stream`.",
    ),
    (
        "GET /v1/sessions/{session}/events",
        "`read`",
        "what happens in a session, as server-sent events.",
    ),
    (
        "GET /v1/sessions/{session}/cdp",
        "`cdp`",
        "the session's DevTools endpoint, for WebSockets; `cdp/json/version` and the like are below it.",
    ),
    (
        "GET /v1/tokens",
        "`admin`",
        "lists the tokens that see no more sessions than this one.",
    ),
    (
        "POST /v1/tokens",
        "`admin`",
        "makes a token with `name`, `scopes`, `sessions` and `expires`; no more than this one allows.",
    ),
    (
        "DELETE /v1/tokens/{name}",
        "`admin`",
        "makes a token stop working.",
    ),
    (
        "GET /v1/audit",
        "`admin`",
        "the last lines of the audit log, or those after number `after`; `session` and `limit` choose.",
    ),
    (
        "GET /v1/audit/check",
        "`admin`",
        "whether the audit log is as it was written.",
    ),
    (
        "POST /v1/drain",
        "`admin`",
        "ends the server once nothing goes on, as `szk serve --drain`.",
    ),
];

static PAGE: LazyLock<String> = LazyLock::new(page);

pub(crate) async fn serve() -> Response {
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("text/html; charset=utf-8"),
        ),
        (
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static(POLICY),
        ),
    ];
    (headers, PAGE.as_str()).into_response()
}

/// The reference as Markdown.
#[must_use]
pub fn markdown() -> String {
    let mut text = String::from(
        "<!-- Written by szk itself; `scripts/bless` writes it again. -->\n\n# HTTP addresses\n\nWhat `szk serve` answers; [Serving over HTTP](../server.md) says how to start it and make tokens. \
         `GET` and `DELETE` take fields from the query, `POST` from a JSON body. The same is in `/openapi.json`.\n",
    );
    // Writing to a string cannot fail.
    for spec in specs() {
        let _ = write!(text, "\n## `{}`\n\n{}\n\n", spec.name, spec.summary);
        for route in spec.routes {
            let _ = writeln!(
                text,
                "- `{} {}`{}",
                route.method.name(),
                route.path,
                sets(route)
            );
        }
        let _ = write!(text, "\nNeeds `{}`.{}\n", spec.needs.name(), uploads(spec));
        let fields = (spec.fields)();
        if !fields.is_empty() {
            text.push_str("\n| field | takes | |\n|---|---|---|\n");
        }
        for field in &fields {
            let kind = field.kind.to_string().replace('|', "\\|");
            let about = field.about.replace('\n', " ").replace('|', "\\|");
            let _ = writeln!(
                text,
                "| `{}`{} | {kind} | {about} |",
                field.name,
                needed(field)
            );
        }
    }
    text.push_str("\n## Other addresses\n\n");
    for (address, needs, about) in OTHERS {
        let _ = writeln!(text, "- `{address}` needs {needs}: {about}");
    }
    text.push_str("\n## Errors\n\n| code | status |\n|---|---|\n");
    for code in Code::ALL {
        let _ = writeln!(text, "| `{}` | {} |", code.name(), code.http_status());
    }
    text
}

/// How files come with a request.
fn uploads(spec: &Spec) -> String {
    match spec.uploads {
        None => String::new(),
        Some([]) => " Takes files as `multipart/form-data`.".to_owned(),
        Some(fields) => format!(
            " Takes files as `multipart/form-data`, in `{}`.",
            fields.join("`, `")
        ),
    }
}

fn needed(field: &Field) -> &'static str {
    if field.required { " (needed)" } else { "" }
}

fn sets(route: &Route) -> String {
    let sets: Vec<String> = route
        .sets
        .iter()
        .map(|(name, value)| format!("`{name}` is `{value}`"))
        .collect();
    match sets.as_slice() {
        [] => String::new(),
        sets => format!(": {}", sets.join(", ")),
    }
}

fn page() -> String {
    let mut html = String::from(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>szk over HTTP</title><h1>szk over HTTP</h1>\
         <p>Every request under <code>/v1</code> needs <code>Authorization: Bearer TOKEN</code>. <code>GET</code> and <code>DELETE</code> take \
         fields from the query, <code>POST</code> from a JSON body. <code>Accept: text/event-stream</code> adds progress, \
         <code>Accept: text/plain</code> answers with the summary. The same as data: <a href=\"/openapi.json\">/openapi.json</a>.</p>",
    );
    for spec in specs() {
        section(&mut html, spec);
    }
    html.push_str("<h2>Other addresses</h2><ul>");
    for (address, needs, about) in OTHERS {
        let (needs, about) = (needs.replace('`', ""), about.replace('`', ""));
        let _ = write!(
            html,
            "<li><code>{address}</code> needs {needs}: {about}</li>"
        );
    }
    html.push_str("</ul></html>");
    html
}

fn section(html: &mut String, spec: &Spec) {
    // Writing to a string cannot fail.
    let _ = write!(
        html,
        "<h2 id=\"{0}\"><code>{0}</code></h2><p>{1}</p><ul>",
        spec.name,
        escaped(spec.summary)
    );
    for route in spec.routes {
        let _ = write!(
            html,
            "<li><code>{} {}</code>{}</li>",
            route.method.name(),
            escaped(route.path),
            escaped(&sets(route)).replace('`', "")
        );
    }
    let _ = write!(
        html,
        "</ul><p>Needs <code>{}</code>.{}</p><dl>",
        spec.needs.name(),
        escaped(&uploads(spec)).replace('`', "")
    );
    for field in (spec.fields)() {
        let _ = write!(
            html,
            "<dt><code>{}</code>{}: {}</dt><dd>{}</dd>",
            escaped(&field.name),
            needed(&field),
            escaped(&field.kind.to_string()),
            escaped(&field.about)
        );
    }
    html.push_str("</dl>");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
