//! Logins that a server asks for over HTTP.
//!
//! Only interception hears of them, and a server could notice that by the order of headers; so it is on
//! while an answer is armed, and not longer.

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use szk_cdp::{Connection, SessionId, Subscription};
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_tools::Failure;
use szk_tools::browser::ArmInput;

use super::order;

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Paused {
    request_id: String,
}

pub(super) async fn arm(
    running: &Running,
    tab: &Tab,
    input: &ArmInput,
    holds: Duration,
) -> Result<(), Failure> {
    let connection = running.supervisor.connection().clone();
    let session = tab.page.session.clone();
    let events = connection.subscribe();
    let params = json!({"handleAuthRequests": true, "patterns": [{"urlPattern": "*"}]});
    order(running, &session, "Fetch.enable", params).await?;
    let login = if input.accept.unwrap_or(true) {
        json!({"response": "ProvideCredentials", "username": input.username, "password": input.password})
    } else {
        json!({"response": "CancelAuth"})
    };
    tokio::spawn(async move {
        let answering = answer(&connection, &session, events, &login);
        // Err: nobody asked in time.
        let _ = tokio::time::timeout(holds, answering).await;
        drop(connection.post_raw(Some(&session), "Fetch.disable", None));
    });
    Ok(())
}

/// Lets requests go on, and gives the login once; asked again, it was wrong, and the page is told.
async fn answer(
    connection: &Connection,
    session: &SessionId,
    mut events: Subscription,
    login: &serde_json::Value,
) {
    let mut given: Option<String> = None;
    let post = |method: &str, params: serde_json::Value| {
        drop(connection.post_raw(
            Some(session),
            method,
            serde_json::value::to_raw_value(&params).ok(),
        ));
    };
    loop {
        let event = match events.recv().await {
            Ok(event) if event.session.as_ref() == Some(session) => event,
            Ok(_) | Err(szk_cdp::SubscriptionError::Lagged(_)) => continue,
            Err(szk_cdp::SubscriptionError::Closed) => return,
        };
        let Ok(Paused { request_id }) = event.read() else {
            continue;
        };
        match event.method.as_str() {
            "Fetch.requestPaused" => {
                post("Fetch.continueRequest", json!({"requestId": request_id}))
            }
            "Fetch.authRequired" => {
                let again = given.as_ref() == Some(&request_id);
                let answer = if again {
                    json!({"response": "CancelAuth"})
                } else {
                    login.clone()
                };
                given = Some(request_id.clone());
                post(
                    "Fetch.continueWithAuth",
                    json!({"requestId": request_id, "authChallengeResponse": answer}),
                );
                if again {
                    return;
                }
            }
            // The page has its answer: the login was right, or was refused.
            "Network.responseReceived" if given.is_some() => return,
            _ => {}
        }
    }
}
