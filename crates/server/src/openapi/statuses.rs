//! What goes wrong, by status: only what the operation at hand can answer.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use szk_tools::{Code, Method, Spec};

/// What can go wrong with files and archives of profiles.
pub(super) const FILES: &[Code] = &[
    Code::SessionNotFound,
    Code::SessionBusy,
    Code::LimitReached,
    Code::ProfileLocked,
    Code::ProfileUnusable,
    Code::NotFound,
    Code::InvalidInput,
    Code::Storage,
    Code::PolicyDenied,
    Code::Unauthorized,
    Code::Internal,
];

/// What can go wrong with tokens and the audit log.
pub(super) const ADMIN: &[Code] = &[
    Code::LimitReached,
    Code::NotFound,
    Code::InvalidInput,
    Code::Storage,
    Code::PolicyDenied,
    Code::Unauthorized,
    Code::Internal,
];

/// What the server itself says of a body.
const BODIES: [(u16, &str); 3] = [
    (408, "`TIMEOUT`: the body did not arrive in time."),
    (413, "`INVALID_INPUT`: the body is too long."),
    (415, "`INVALID_INPUT`: the body is of another type."),
];

/// What it says of an idempotency key, which only operations take.
const OTHER_REQUEST: &str = "`INVALID_INPUT`: the idempotency key belongs to another request.";

/// The answers of an operation of the catalogue.
pub(super) fn of_operation(spec: &Spec, method: Method) -> Map<String, Value> {
    let mut all = failures(&spec.codes(), method);
    if method == Method::Post {
        all.insert("422".to_owned(), answer(OTHER_REQUEST));
    }
    all
}

/// The answers of an address that fails with these codes, and reads a body if its method is `POST`.
pub(super) fn failures(codes: &[Code], method: Method) -> Map<String, Value> {
    let mut by_status: BTreeMap<u16, Vec<String>> = BTreeMap::new();
    for code in codes {
        let names = by_status.entry(code.http_status()).or_default();
        names.push(format!("`{}`", code.name()));
    }
    let mut said: BTreeMap<u16, String> = by_status
        .into_iter()
        .map(|(status, names)| (status, format!("{}.", names.join(", "))))
        .collect();
    if method == Method::Post {
        said.extend(BODIES.map(|(status, text)| (status, text.to_owned())));
    }
    said.into_iter()
        .map(|(status, text)| (status.to_string(), answer(&text)))
        .collect()
}

fn answer(text: &str) -> Value {
    let schema = json!({"$ref": "#/components/schemas/Error"});
    json!({"description": text, "content": {"application/json": {"schema": schema}}})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_says_which_codes_it_stands_for() {
        let of = |name: &str, method| of_operation(szk_tools::find(name).unwrap(), method);
        let list = of("session_list", Method::Get);
        let statuses: Vec<&str> = list.keys().map(String::as_str).collect();
        let expected = [
            "400", "401", "403", "404", "429", "499", "500", "504", "507",
        ];
        assert_eq!(statuses, expected);
        let act = of("browser_act", Method::Post);
        let conflict = act["409"]["description"].as_str().unwrap();
        assert!(conflict.contains("`REF_STALE`") && !conflict.contains("`RECIPE_STALE`"));
        for status in ["408", "413", "415", "422", "424", "502", "503"] {
            assert!(act.contains_key(status), "{status}");
        }
        let files = failures(FILES, Method::Post);
        assert!(files.contains_key("415") && !files.contains_key("422"));
    }
}
