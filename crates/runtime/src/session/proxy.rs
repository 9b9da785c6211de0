//! Logs in to a proxy, once per start of the browser.
//!
//! Chromium takes no proxy password on its command line (where everyone could read it), and asks the
//! person for it instead. Answering in the person's place needs request interception, which pages can
//! detect. So szk does it once, in a hidden tab, with a request for a host that does not exist; Chromium
//! then remembers the login for the whole browser.

use std::time::Duration;

use serde::Deserialize;
use szk_cdp::protocol::fetch::{
    AuthChallengeResponse, AuthChallengeResponseResponse, ContinueRequestParams,
    ContinueWithAuthParams, EnableParams, EventAuthRequired, EventRequestPaused,
};
use szk_cdp::protocol::page::NavigateParams;
use szk_cdp::protocol::target::{AttachToTargetParams, CreateTargetParams};
use szk_cdp::{Command, Connection, Event, Inbound, Inbox, Member, SessionId, raw};

use crate::supervisor::{NewTarget, every_request};

/// A host that no name server knows (RFC 6761), so that only the proxy sees the request.
const NOWHERE: &str = "http://login.invalid/";
/// How long the proxy may take.
const LIMIT: Duration = Duration::from_secs(10);
/// Capacity for unread messages; one request makes a handful.
const INBOX: usize = 256;
/// Id of the navigation among this member's calls.
const NAVIGATION: u64 = 1;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attached {
    session_id: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Navigated {
    error_text: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Paused {
    request_id: String,
}

/// Logs in. The error says what the proxy or the browser did, but never contains the password.
pub(super) async fn log_in(
    connection: &Connection,
    user: &str,
    password: &str,
) -> Result<(), String> {
    let create = CreateTargetParams {
        hidden: Some(true),
        ..CreateTargetParams::new("about:blank")
    };
    let target = NewTarget::create(connection, &create)
        .await
        .map_err(|error| error.to_string())?;
    let result = tokio::time::timeout(LIMIT, in_tab(connection, target.id(), user, password)).await;
    drop(target);
    result.unwrap_or_else(|_| {
        Err(format!(
            "the proxy did not answer within {} s",
            LIMIT.as_secs()
        ))
    })
}

async fn in_tab(
    connection: &Connection,
    target: &str,
    user: &str,
    password: &str,
) -> Result<(), String> {
    let attach = AttachToTargetParams {
        flatten: Some(true),
        ..AttachToTargetParams::new(target.to_owned())
    };
    let attached: Attached = ask(connection, &attach).await?;
    let session = SessionId::from(attached.session_id);
    let (member, mut inbox) = connection.join(INBOX);
    member.own(session.clone());
    let tab = Tab { member, session };
    let intercept = EnableParams {
        handle_auth_requests: Some(true),
        ..every_request()
    };
    tab.send(0, &intercept)?;
    tab.send(NAVIGATION, &NavigateParams::new(NOWHERE))?;
    tab.answer(&mut inbox, user, password).await
}

/// A hidden tab of our own.
struct Tab {
    member: Member,
    session: SessionId,
}

impl Tab {
    async fn answer(&self, inbox: &mut Inbox, user: &str, password: &str) -> Result<(), String> {
        let mut offered = false;
        while let Some(message) = inbox.recv().await {
            match message {
                Inbound::Event(event) if event.method == EventRequestPaused::IDENTIFIER => {
                    self.send(0, &ContinueRequestParams::new(id(&event)?))?;
                }
                Inbound::Event(event) if event.method == EventAuthRequired::IDENTIFIER => {
                    if offered {
                        return Err("the proxy rejected this user name and password".to_owned());
                    }
                    offered = true;
                    let provided = AuthChallengeResponseResponse::ProvideCredentials;
                    let login = AuthChallengeResponse {
                        username: Some(user.to_owned()),
                        password: Some(password.to_owned()),
                        ..AuthChallengeResponse::new(provided)
                    };
                    self.send(0, &ContinueWithAuthParams::new(id(&event)?, login))?;
                }
                Inbound::Reply {
                    id: NAVIGATION,
                    result,
                    ..
                } => return arrived(result.map_err(|error| error.message)?.get()),
                Inbound::Overflow => break,
                Inbound::Event(_) | Inbound::Reply { .. } => {}
            }
        }
        Err("the browser exited".to_owned())
    }

    fn send(&self, id: u64, command: &impl Command) -> Result<(), String> {
        let method = command.identifier();
        self.member
            .send(id, Some(self.session.clone()), &method, Some(raw(command)))
            .map_err(|error| error.to_string())
    }
}

/// Accepts whatever the proxy says about a host that does not exist, but not a failure to reach the
/// proxy.
fn arrived(reply: &str) -> Result<(), String> {
    let navigated: Navigated = serde_json::from_str(reply).unwrap_or_default();
    match navigated.error_text {
        Some(text) if text.contains("PROXY") => Err(format!("cannot use the proxy ({text})")),
        _ => Ok(()),
    }
}

fn id(event: &Event) -> Result<String, String> {
    serde_json::from_str::<Paused>(event.params.get())
        .map(|paused| paused.request_id)
        .map_err(|error| error.to_string())
}

async fn ask<T: for<'de> Deserialize<'de>>(
    connection: &Connection,
    command: &impl Command,
) -> Result<T, String> {
    let asked = connection.ask(None, command).await;
    asked.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use szk_cdp::testing::{Answer, Script};

    use super::*;

    async fn logged_in(asked: usize, error: Option<&str>) -> Result<(), String> {
        let mut navigation = Answer::from(match error {
            Some(text) => json!({"frameId": "F", "errorText": text}),
            None => json!({"frameId": "F"}),
        });
        for _ in 0..asked {
            navigation = Answer::silence()
                .event(Some("S"), "Fetch.authRequired", json!({"requestId": "1"}))
                .and(navigation);
        }
        let (connection, _events, _peer) = Script::new()
            .answer("Target.createTarget", json!({"targetId": "T"}))
            .answer("Target.attachToTarget", json!({"sessionId": "S"}))
            .answer("Page.navigate", navigation)
            .start();
        log_in(&connection, "u", "secret").await
    }

    #[tokio::test]
    async fn one_login_satisfies_the_proxy() {
        assert_eq!(logged_in(1, None).await, Ok(()));
        assert_eq!(
            logged_in(0, Some("net::ERR_NAME_NOT_RESOLVED")).await,
            Ok(())
        );
    }

    #[tokio::test]
    async fn a_rejected_login_is_reported_without_the_password() {
        let error = logged_in(2, None).await.unwrap_err();
        assert!(
            error.contains("rejected") && !error.contains("secret"),
            "{error}"
        );
    }

    #[tokio::test]
    async fn an_unreachable_proxy_is_an_error() {
        assert!(
            logged_in(0, Some("net::ERR_PROXY_CONNECTION_FAILED"))
                .await
                .is_err()
        );
    }
}
