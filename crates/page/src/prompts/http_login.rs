//! Logins that a server asks for over HTTP.
//!
//! Chromium reports them only to a session that intercepts requests, and a server could notice that by the
//! order of headers; so interception lasts until the login is answered, and not longer.

use std::time::Duration;

use serde::Deserialize;
use szk_cdp::protocol::fetch::{
    AuthChallengeResponse, AuthChallengeResponseResponse, ContinueRequestParams,
    ContinueWithAuthParams, DisableParams, EnableParams, EventAuthRequired, EventRequestPaused,
    RequestPattern,
};
use szk_cdp::protocol::network::EventResponseReceived;
use szk_cdp::{CallError, Connection, SessionId, Subscription, SubscriptionError};

use crate::Page;

/// A user and a password.
#[derive(Clone)]
pub struct Login {
    /// The user's name.
    pub username: Option<String>,
    /// The user's password.
    pub password: Option<String>,
}

/// Answers the next login that the page's server asks for within a time, or cancels it without a login.
/// Returns once requests are intercepted; a task answers.
///
/// # Errors
/// [`CallError`] when the page is gone.
pub async fn answer_next(
    page: &Page,
    login: Option<Login>,
    within: Duration,
) -> Result<(), CallError> {
    let (connection, session) = (page.connection.clone(), page.session.clone());
    let events = connection.subscribe();
    let every = RequestPattern {
        url_pattern: Some("*".to_owned()),
        ..RequestPattern::default()
    };
    let intercept = EnableParams {
        handle_auth_requests: Some(true),
        patterns: Some(vec![every]),
    };
    connection.run(Some(&session), &intercept).await?;
    let login = login.map_or_else(cancelled, |login| AuthChallengeResponse {
        username: login.username,
        password: login.password,
        ..AuthChallengeResponse::new(AuthChallengeResponseResponse::ProvideCredentials)
    });
    tokio::spawn(async move {
        let answering = answer(&connection, &session, events, &login);
        // Err: no server asked in time.
        let _ = tokio::time::timeout(within, answering).await;
        connection.tell(Some(&session), &DisableParams::default());
    });
    Ok(())
}

fn cancelled() -> AuthChallengeResponse {
    AuthChallengeResponse::new(AuthChallengeResponseResponse::CancelAuth)
}

/// Lets requests go on, and gives the login once. If the server asks again, the login was wrong: it is
/// cancelled, and the page shows what the server sent with its challenge.
async fn answer(
    connection: &Connection,
    session: &SessionId,
    mut events: Subscription,
    login: &AuthChallengeResponse,
) {
    #[derive(Default, Deserialize)]
    #[serde(rename_all = "camelCase", default)]
    struct Paused {
        request_id: String,
    }
    let mut given: Option<String> = None;
    loop {
        let event = match events.recv().await {
            Ok(event) if event.session.as_ref() == Some(session) => event,
            Ok(_) | Err(SubscriptionError::Lagged(_)) => continue,
            Err(SubscriptionError::Closed) => return,
        };
        let Ok(Paused { request_id }) = event.read() else {
            continue;
        };
        match event.method.as_str() {
            EventRequestPaused::IDENTIFIER => {
                connection.tell(Some(session), &ContinueRequestParams::new(request_id));
            }
            EventAuthRequired::IDENTIFIER => {
                let again = given.as_ref() == Some(&request_id);
                let answer = if again { cancelled() } else { login.clone() };
                given = Some(request_id.clone());
                let params = ContinueWithAuthParams::new(request_id, answer);
                connection.tell(Some(session), &params);
                if again {
                    return;
                }
            }
            // The page has its answer: the login was right, or was refused.
            EventResponseReceived::IDENTIFIER if given.is_some() => return,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use szk_cdp::testing::{Peer, Script};

    use super::*;
    use crate::testing;

    const LONG: Duration = Duration::from_secs(30);

    async fn armed() -> Peer {
        let (page, peer) = testing::page(Script::new());
        let login = Login {
            username: Some("u".to_owned()),
            password: Some("p".to_owned()),
        };
        answer_next(&page, Some(login), LONG).await.unwrap();
        peer
    }

    fn asks(peer: &Peer, method: &str) {
        peer.event(Some("S"), method, json!({"requestId": "R"}));
    }

    async fn answered(peer: &Peer, nth: usize) -> String {
        let answer = peer.call("Fetch.continueWithAuth", nth).await.unwrap();
        let response = &answer.params["authChallengeResponse"]["response"];
        response.as_str().unwrap().to_owned()
    }

    #[tokio::test]
    async fn a_login_is_given_once_and_a_wrong_one_cancelled() {
        let peer = armed().await;
        asks(&peer, "Fetch.requestPaused");
        assert!(peer.call("Fetch.continueRequest", 1).await.is_some());
        asks(&peer, "Fetch.authRequired");
        assert_eq!(answered(&peer, 1).await, "ProvideCredentials");
        asks(&peer, "Fetch.authRequired");
        assert_eq!(answered(&peer, 2).await, "CancelAuth");
        assert!(peer.call("Fetch.disable", 1).await.is_some());
    }

    #[tokio::test]
    async fn interception_ends_with_the_answer_of_the_server() {
        let peer = armed().await;
        // Of an earlier request.
        asks(&peer, "Network.responseReceived");
        asks(&peer, "Fetch.authRequired");
        assert_eq!(answered(&peer, 1).await, "ProvideCredentials");
        asks(&peer, "Network.responseReceived");
        assert!(peer.call("Fetch.disable", 1).await.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn interception_ends_when_no_server_asks_in_time() {
        let began = tokio::time::Instant::now();
        let peer = armed().await;
        assert!(peer.call("Fetch.disable", 1).await.is_some());
        assert_eq!(began.elapsed(), LONG);
    }
}
