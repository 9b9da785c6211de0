//! What each address serves: `/<visit>/<name>`.
//!
//! | name | what |
//! |---|---|
//! | a file of `pages` | that |
//! | `bundle.js?realm=…&kind=…` | all probes, to run in that realm |
//! | `report/<realm>` | takes what a realm saw; gives it to those that compare themselves |
//! | `suite` | `full` or `short` |
//! | `wait/<realm>` | answers when it has reported |
//! | `echo/<kind>` | something of that kind; a fetch gets the headers that it sent |
//! | `done` | takes the names of realms that did not report, and ends the visit |

use std::time::Duration;

use super::connection::{Request, Response};
use super::runs::Runs;
use crate::pages::{self, HTML, JS};

/// A realm that takes longer counts as missing. Pages on a busy machine take a while.
const REALM_LIMIT: Duration = Duration::from_secs(45);

const JSON: &str = "application/json";
/// A transparent image of one pixel.
const PIXEL: &[u8] = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x01D\x00;";

pub(super) fn answer(request: &Request, runs: &Runs) -> Response {
    let (path, _) = request.parts();
    let Some((id, name)) = path.trim_start_matches('/').split_once('/') else {
        return Response::of("404 Not Found");
    };
    let Some(suite) = runs.suite(id) else {
        return Response::of("404 Not Found");
    };
    if let Some(what) = noted(request, name) {
        runs.asked(id, &what, &comparable(request, id, name));
    }
    if let Some((kind, text)) = pages::file(name) {
        // Only a page's own document may ask for hints; its later requests then carry them.
        return Response::ok(kind, text).with("Accept-CH", HINTS.join(", "));
    }
    match name.split_once('/').unwrap_or((name, "")) {
        ("bundle.js", _) => {
            let base = format!("http://{}/{id}/", request.header("host"));
            let [realm, kind] = ["realm", "kind"].map(|name| request.query(name));
            Response::ok(JS, pages::bundle(suite, realm, kind, &base))
        }
        ("echo", what) => echo(request, what),
        ("wait", realm) if runs.wait(id, realm, REALM_LIMIT) => Response::of("200 OK"),
        ("wait", _) => Response::of("504 Gateway Timeout"),
        ("suite", _) => Response::ok("text/plain", suite.name()),
        ("report", realm) if request.method == "GET" => match runs.checks(id, realm) {
            Some(checks) => Response::ok(JSON, serde_json::json!(checks).to_string()),
            None => Response::of("404 Not Found"),
        },
        ("report", realm) => match serde_json::from_slice(&request.body) {
            Ok(checks) => {
                runs.reported(id, realm, checks);
                Response::of("204 No Content")
            }
            Err(_) => Response::of("400 Bad Request"),
        },
        ("done", _) => {
            runs.done(
                id,
                serde_json::from_slice(&request.body).unwrap_or_default(),
            );
            Response::of("204 No Content")
        }
        _ => Response::of("404 Not Found"),
    }
}

/// The kind of request, if its headers are compared.
fn noted(request: &Request, name: &str) -> Option<String> {
    let realm = request.query("realm");
    match name.split_once('/').unwrap_or((name, "")) {
        ("", _) => Some("the document".to_owned()),
        ("bundle.js", _) => Some(format!("the script of {realm}")),
        ("prerender.html", _) => Some("the prerendered page".to_owned()),
        ("page.html", _) => Some(format!("the page of {realm}")),
        ("echo", what) => Some(format!("{} {what}", request.method)),
        _ => None,
    }
}

/// Headers without anything specific to this visit.
fn comparable(request: &Request, id: &str, file: &str) -> Vec<(String, String)> {
    let host = request.header("host");
    let port = host.rsplit_once(':').map_or("", |(_, port)| port);
    let mask = |(name, value): &(String, String)| {
        let value = match name.to_ascii_lowercase().as_str() {
            "sec-websocket-key" => "KEY".to_owned(),
            // The browser may request a script before or after its frame has a size.
            "sec-ch-viewport-width" | "sec-ch-viewport-height" if file == "bundle.js" => {
                "SIZE".to_owned()
            }
            _ => value
                .replace(&format!(":{port}"), ":PORT")
                .replace(&format!("/{id}/"), "/VISIT/"),
        };
        (name.clone(), value)
    };
    request.headers.iter().map(mask).collect()
}

fn echo(request: &Request, what: &str) -> Response {
    match what {
        "fetch" | "worker-fetch" => {
            let headers = request
                .headers
                .iter()
                .map(|(name, value)| (name.to_ascii_lowercase(), value.clone()));
            let headers: std::collections::BTreeMap<_, _> = headers.collect();
            Response::ok(JSON, serde_json::json!(headers).to_string())
        }
        "script" | "module" | "preload" => Response::ok(JS, ""),
        "style" => Response::ok("text/css", ""),
        "image" => Response::ok("image/gif", PIXEL),
        "frame" => Response::ok(HTML, ""),
        "redirect" => Response::of("302 Found").with("Location", "redirected"),
        // A WebSocket, a font, a track: only the request matters.
        _ => Response::of("404 Not Found"),
    }
}

/// Client hints that a server may ask for.
const HINTS: [&str; 14] = [
    "Sec-CH-UA-Arch",
    "Sec-CH-UA-Bitness",
    "Sec-CH-UA-Full-Version-List",
    "Sec-CH-UA-Model",
    "Sec-CH-UA-Platform-Version",
    "Sec-CH-UA-WoW64",
    "Sec-CH-UA-Form-Factors",
    "Sec-CH-Prefers-Color-Scheme",
    "Sec-CH-Prefers-Reduced-Motion",
    "Sec-CH-DPR",
    "Sec-CH-Viewport-Width",
    "Sec-CH-Viewport-Height",
    "Device-Memory",
    "ECT",
];
