//! Uncaught errors, as `Runtime` would report them; [`szk_cdp::uncaught`] captures them.

use serde_json::{Value, json};
use szk_cdp::protocol::page::AddScriptToEvaluateOnNewDocumentParams;
use szk_cdp::protocol::runtime::EventExceptionThrown;
use szk_cdp::uncaught::Thrown;
use szk_cdp::{Event, SessionId};

use super::Shield;
use super::act::{Act, Ask, Step};
use super::console::now;
use super::realm::World;

impl Shield {
    /// Adds the listener to future documents, once.
    pub(super) fn listen(&mut self, session: &SessionId) -> Vec<Act> {
        let Some(realm) = self.realms.get_mut(session) else {
            return Vec::new();
        };
        if std::mem::replace(&mut realm.listens, true) {
            return Vec::new();
        }
        realm.worlds.push(World {
            name: self.names.world.clone(),
            script: None,
        });
        let relay = AddScriptToEvaluateOnNewDocumentParams {
            run_immediately: Some(true),
            ..self.names.relay_script()
        };
        let scripts = [relay, self.names.listener_script()];
        scripts
            .map(|script| Ask::act(session, &script, Step::Nothing))
            .into()
    }

    /// The shield's world of a document is known: opens the way out of it.
    pub(super) fn listen_in(&self, session: &SessionId, context: i64) -> Vec<Act> {
        let requests = self.names.opening(context);
        requests
            .map(|request| Ask::act(session, &request, Step::Nothing))
            .into()
    }

    /// A binding was called. Calls of the shield's own are not passed on.
    pub(super) fn called(&mut self, session: &SessionId, event: &Event) -> Option<Vec<Act>> {
        let payload = self.names.payload(event)?;
        let number = self.next();
        let realm = self.realms.get(session).filter(|realm| realm.enabled);
        let thrown = Thrown::read(&payload);
        let told = realm.zip(thrown).map(|(realm, thrown)| {
            let mut details = details(&thrown, number);
            if let Some(main) = realm.main() {
                details["executionContextId"] = main.id.into();
            }
            let params = json!({"timestamp": now(), "exceptionDetails": details});
            Act::tell(session, EventExceptionThrown::IDENTIFIER, &params)
        });
        Some(told.into_iter().collect())
    }
}

fn details(thrown: &Thrown, number: u64) -> Value {
    let Thrown {
        promise,
        text,
        kind,
        name,
        url,
        line,
        column,
        ..
    } = thrown;
    let (line, column) = ((*line).max(1) - 1, (*column).max(1) - 1);
    let place = json!({"functionName": "", "scriptId": "0", "url": url, "lineNumber": line, "columnNumber": column});
    let mut details = json!({
        "exceptionId": number,
        "text": if *promise { "Uncaught (in promise)" } else { "Uncaught" },
        "lineNumber": line,
        "columnNumber": column,
        "url": url,
    });
    if !url.is_empty() {
        details["stackTrace"] = json!({"callFrames": [place]});
    }
    let plain = text.strip_prefix("Uncaught ").unwrap_or(text);
    details["exception"] = match &**kind {
        "error" => {
            let said = if name.is_empty() {
                plain.to_owned()
            } else {
                format!("{name}: {plain}")
            };
            let class = said
                .split(':')
                .next()
                .filter(|class| is_class(class))
                .unwrap_or("Error");
            let at = match url.is_empty() {
                true => String::new(),
                false => format!("\n    at {url}:{}:{}", line + 1, column + 1),
            };
            json!({"type": "object", "subtype": "error", "className": class, "description": format!("{said}{at}")})
        }
        "string" => json!({"type": "string", "value": plain}),
        "undefined" => json!({"type": "undefined"}),
        "number" | "boolean" => {
            let value = serde_json::from_str(plain).unwrap_or(Value::Null);
            json!({"type": kind, "value": value, "description": plain})
        }
        _ => json!({"type": kind, "className": "Object", "description": plain}),
    };
    details
}

fn is_class(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exception(thrown: Value) -> Value {
        details(&serde_json::from_value(thrown).unwrap(), 1)["exception"].clone()
    }

    #[test]
    fn an_error_has_its_class_and_its_place() {
        let thrown = json!({"promise": false, "kind": "error", "text": "Uncaught TypeError: boom",
            "url": "http://a/", "line": 3, "column": 7});
        let exception = exception(thrown);
        assert_eq!(exception["className"], "TypeError");
        assert_eq!(
            exception["description"],
            "TypeError: boom\n    at http://a/:3:7"
        );
    }

    #[test]
    fn a_rejection_is_reported_with_its_message() {
        let thrown = json!({"promise": true, "kind": "error", "name": "RangeError", "text": "far"});
        assert_eq!(exception(thrown)["description"], "RangeError: far");
    }

    #[test]
    fn anything_may_be_thrown() {
        let thrown = |kind: &str, text: &str| {
            exception(json!({"promise": false, "kind": kind, "text": text}))
        };
        assert_eq!(thrown("string", "Uncaught no")["value"], "no");
        assert_eq!(thrown("number", "Uncaught 5")["value"], 5);
        assert_eq!(thrown("undefined", "")["type"], "undefined");
        assert_eq!(
            thrown("object", "Uncaught #<Object>")["description"],
            "#<Object>"
        );
    }
}
