//! Logins that a server asks for over HTTP.
//!
//! Only interception hears of them, and a server could notice that by the order of headers; so it is on
//! while an answer is armed, and not longer.

use std::time::Duration;

use serde::Deserialize;
use szk_cdp::protocol::fetch::{
    AuthChallengeResponse, AuthChallengeResponseResponse, ContinueRequestParams,
    ContinueWithAuthParams, DisableParams, EnableParams, EventAuthRequired, EventRequestPaused,
    RequestPattern,
};
use szk_cdp::protocol::network::EventResponseReceived;
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
    let every = RequestPattern {
        url_pattern: Some("*".to_owned()),
        ..RequestPattern::default()
    };
    let intercept = EnableParams {
        handle_auth_requests: Some(true),
        patterns: Some(vec![every]),
    };
    order(running, &session, &intercept).await?;
    let login = if input.accept.unwrap_or(true) {
        AuthChallengeResponse {
            username: input.username.clone(),
            password: input.password.clone(),
            ..AuthChallengeResponse::new(AuthChallengeResponseResponse::ProvideCredentials)
        }
    } else {
        cancelled()
    };
    tokio::spawn(async move {
        let answering = answer(&connection, &session, events, &login);
        // Err: nobody asked in time.
        let _ = tokio::time::timeout(holds, answering).await;
        connection.tell(Some(&session), &DisableParams::default());
    });
    Ok(())
}

/// No login.
fn cancelled() -> AuthChallengeResponse {
    AuthChallengeResponse::new(AuthChallengeResponseResponse::CancelAuth)
}

/// Lets requests go on, and gives the login once; asked again, it was wrong, and the page is told.
async fn answer(
    connection: &Connection,
    session: &SessionId,
    mut events: Subscription,
    login: &AuthChallengeResponse,
) {
    let mut given: Option<String> = None;
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
