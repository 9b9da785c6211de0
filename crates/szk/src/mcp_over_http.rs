//! MCP behind the tokens of `szk serve`: what neither front end may know of the other.

use std::sync::Arc;

use szk_client::{Approver, EventLine};
use szk_mcp::{Caller, Http, Tools};
use szk_server::{McpHandler, TokenCaller};
use szk_tools::{Call, Failure, Progress, Response};
use tokio_util::sync::CancellationToken;

/// The calls of one token.
struct OfToken(TokenCaller);

impl Caller for OfToken {
    async fn call(
        &self,
        call: Call,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        self.0.call(call, progress).await
    }

    /// Nobody approves over HTTP: whoever has a token may be a program.
    async fn call_approved(
        &self,
        call: Call,
        _: Approver<'_>,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        self.0.call(call, progress).await
    }

    async fn open_sessions(&self) -> Result<Vec<String>, Failure> {
        self.0.open_sessions().await
    }

    async fn follow(&self, session: &str, tell: &(dyn Fn(EventLine) + Send + Sync)) {
        self.0.follow(session, tell).await;
    }

    async fn ended(&self) {
        self.0.ended().await;
    }
}

/// Answers MCP requests with the usual tools until the token is cancelled.
///
/// # Errors
/// `INVALID_INPUT` if a set of tools is unknown.
pub(crate) fn handler(stop: CancellationToken) -> Result<McpHandler, Failure> {
    let http = Arc::new(Http::new(Tools::usual()?, stop));
    Ok(Arc::new(move |caller, request| {
        let http = Arc::clone(&http);
        Box::pin(async move {
            let (token, client) = (caller.token().to_owned(), caller.key());
            let response = http.answer(&token, &client, OfToken(caller), request).await;
            response.map(axum::body::Body::new)
        })
    }))
}
