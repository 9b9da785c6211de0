//! Refills the sessionStorage of a restored tab once, before the page's first script.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use szk_cdp::frames::{FrameTree, random_name};
use szk_cdp::protocol::page::{
    AddScriptToEvaluateOnNewDocumentParams, EnableParams, RemoveScriptToEvaluateOnNewDocumentParams,
};
use szk_cdp::{CallError, Connection, SessionId, world};

use super::schema::{Item, SessionStorage};

const FUNCTION: &str = include_str!("session_storage.js");

/// How long a script that is not removed stays active, in ms: a page may return to the origin only after
/// going to another one to log in.
const DEADLINE_MS: i64 = 60_000;

/// Scripts that wait for a tab to reach their origins.
pub struct Refill {
    connection: Connection,
    session: SessionId,
    scripts: Vec<Script>,
}

/// Prepares a tab that is set up and blank: at each of these origins it finds its earlier sessionStorage
/// before the first script runs. Navigate it once this has returned.
///
/// # Errors
/// [`CallError`] if the tab is gone.
pub async fn refill_session_storage(
    connection: &Connection,
    session: &SessionId,
    storage: &[&SessionStorage],
) -> Result<Refill, CallError> {
    // Scripts for new documents need `Page.enable`. Anyone may send it, any number of times.
    connection
        .run(Some(session), &EnableParams::default())
        .await?;
    let mut scripts = Vec::new();
    for area in storage {
        let (source, mark) = script(&area.origin, &area.items, Timestamp::now());
        let script = AddScriptToEvaluateOnNewDocumentParams {
            world_name: Some(world::name().to_owned()),
            ..AddScriptToEvaluateOnNewDocumentParams::new(source)
        };
        let added: Added = connection.ask(Some(session), &script).await?;
        scripts.push(Script {
            identifier: added.identifier,
            mark,
        });
    }
    Ok(Refill {
        connection: connection.clone(),
        session: session.clone(),
        scripts,
    })
}

impl Refill {
    /// Removes the scripts that have done their work in the current document. Call it once the
    /// navigation is committed. A script that has not run yet stays for a minute: the page may be on its
    /// way through a login elsewhere.
    pub async fn remove(self) {
        let Self {
            connection,
            session,
            scripts,
        } = self;
        let tree = FrameTree::of(&connection, &session).await;
        // The tab is gone, and its scripts with it.
        let Ok(tree) = tree else { return };
        for Script { identifier, mark } in scripts {
            let ran: Result<bool, _> =
                world::run(&connection, &session, &tree.outermost().id, RAN, &mark).await;
            if let Ok(true) = ran {
                let remove = RemoveScriptToEvaluateOnNewDocumentParams::new(identifier);
                drop(connection.run(Some(&session), &remove).await);
            }
        }
    }
}

struct Script {
    identifier: String,
    /// The global in our world that says that it ran.
    mark: String,
}

/// The source of a script, and its mark.
fn script(origin: &str, items: &[Item], now: Timestamp) -> (String, String) {
    let mark = random_name();
    let deadline = now.as_millisecond().saturating_add(DEADLINE_MS);
    // JSON is JavaScript, so each argument is a literal. The items are JSON inside a string: they are
    // parsed, never executed.
    let (place, items, name) = (literal(origin), literal(&literal(items)), literal(&mark));
    (
        format!("({FUNCTION})({place}, {items}, {name}, {deadline});"),
        mark,
    )
}

const RAN: &str = "async function (text) { return String(globalThis[JSON.parse(text)] === true); }";

fn literal<T: Serialize + ?Sized>(value: &T) -> String {
    // Strings and lists of strings always have a JSON form.
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}

#[derive(Deserialize)]
struct Added {
    identifier: String,
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use szk_cdp::testing::{Peer, Script as Browser};

    use super::*;

    fn area() -> SessionStorage {
        serde_json::from_str(
            r#"{"tab":0,"origin":"https://x.test","items":[{"name":"a","value":"1"}]}"#,
        )
        .unwrap()
    }

    async fn refilled(ran: &'static str) -> Peer {
        let (connection, _events, peer) = Browser::new()
            .answer(
                "Page.addScriptToEvaluateOnNewDocument",
                json!({"identifier": "9"}),
            )
            .answer(
                "Page.getFrameTree",
                json!({"frameTree": {"frame": {"id": "F"}}}),
            )
            .answer("Page.createIsolatedWorld", json!({"executionContextId": 1}))
            .answer("Runtime.callFunctionOn", json!({"result": {"value": ran}}))
            .start();
        let refill = refill_session_storage(&connection, &"S".into(), &[&area()])
            .await
            .unwrap();
        refill.remove().await;
        peer
    }

    #[tokio::test]
    async fn a_script_that_ran_is_removed() {
        let peer = refilled("true").await;
        assert_eq!(peer.calls()[1].params["worldName"], world::name());
        assert_eq!(
            peer.calls().last().unwrap().params,
            json!({"identifier": "9"})
        );
    }

    #[tokio::test]
    async fn a_script_that_has_not_run_stays() {
        assert_eq!(
            refilled("false").await.methods().last().unwrap(),
            "Runtime.callFunctionOn"
        );
    }

    #[test]
    fn stored_values_cannot_escape_from_the_script() {
        let evil = "\"]}')`);alert(1)//</script>\u{2028}\\";
        let items = [Item {
            name: evil.into(),
            value: evil.into(),
        }];
        let (source, _) = script("https://x.test", &items, Timestamp::UNIX_EPOCH);
        let call = source
            .strip_prefix(&format!("({FUNCTION})("))
            .unwrap()
            .strip_suffix(");")
            .unwrap();
        let (_, text, _, deadline): (String, String, String, i64) =
            serde_json::from_str(&format!("[{call}]")).unwrap();
        assert_eq!(serde_json::from_str::<Vec<Item>>(&text).unwrap(), items);
        assert_eq!(deadline, 60_000);
    }
}
