//! `/mcp`: MCP over HTTP. The protocol is the business of whoever wires this server up; what a token allows
//! is checked here, as for every other call.

use std::pin::Pin;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use szk_client::EventLine;
use szk_tools::{Call, Failure, Progress};

use crate::app::{App, Who};
use crate::error::ErrorReply;

/// Answers an MCP request of a client.
pub type McpHandler = Arc<
    dyn Fn(TokenCaller, Request) -> Pin<Box<dyn Future<Output = Response> + Send>> + Send + Sync,
>;

/// Makes the calls of a client, as far as its token allows them.
#[derive(Clone)]
pub struct TokenCaller {
    app: Arc<App>,
    who: Who,
}

impl TokenCaller {
    /// What tells this client apart from all others.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{:?}", self.who.key)
    }

    /// Carries out a call; dropping the future cancels it.
    ///
    /// # Errors
    /// `POLICY_DENIED` if the token does not allow it; the operation's own failures.
    pub async fn call(
        &self,
        call: Call,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<szk_tools::Response, Failure> {
        self.app.run(&self.who, call, progress).await
    }

    /// Names of the open sessions that exist for it.
    ///
    /// # Errors
    /// `STORAGE` if the store cannot be read.
    pub async fn open_sessions(&self) -> Result<Vec<String>, Failure> {
        self.who.client.open_sessions().await
    }

    /// Tells what happens in an open session, until it closes or cannot be followed. Begins with
    /// `Missed(0)`: nobody was listening before.
    pub async fn follow(&self, session: &str, tell: &(dyn Fn(EventLine) + Send + Sync)) {
        match self.who.client.events(Some(session), None).await {
            Ok(mut events) => {
                tell(EventLine::Missed(0));
                while let Some(told) = events.next().await {
                    if let EventLine::Missed(count) = told {
                        self.app.metrics.lost(count);
                    }
                    tell(told);
                }
            }
            Err(error) => tracing::debug!(%error, session, "cannot follow a session"),
        }
    }
}

pub(crate) async fn serve(State(app): State<Arc<App>>, request: Request) -> Response {
    let who = request.extensions().get::<Who>().cloned();
    let (Some(handler), Some(who)) = (app.mcp.clone(), who) else {
        return ErrorReply::no_route("/mcp").into_response();
    };
    handler(TokenCaller { app, who }, request).await
}
