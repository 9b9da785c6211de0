//! `/mcp`: MCP over HTTP. The protocol is the business of whoever wires this server up; what a token allows
//! is checked here, as for every other call.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::Method;
use axum::response::{IntoResponse, Response};
use hyper::body::{Frame, SizeHint};
use szk_client::EventLine;
use szk_tools::{Call, Failure, Progress};
use tokio_util::sync::CancellationToken;

use crate::app::{App, LOOK, Who};
use crate::error::ErrorReply;

/// How much longer than its call an answer may take to say how the call ended.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// Answers an MCP request of a client.
pub type McpHandler = Arc<
    dyn Fn(TokenCaller, Request) -> Pin<Box<dyn Future<Output = Response> + Send>> + Send + Sync,
>;

/// Makes a handler that ends all it does when the token is cancelled. Calls have ended by then.
pub type McpMaker = Box<dyn FnOnce(CancellationToken) -> Result<McpHandler, Failure> + Send>;

/// Makes the calls of a client, as far as its token allows them.
#[derive(Clone)]
pub struct TokenCaller {
    app: Arc<App>,
    who: Who,
}

impl TokenCaller {
    /// What tells this client apart from all others. A token that is made anew under the same name is
    /// another one.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{:?} {:?}", self.who.key, self.who.token)
    }

    /// The name of its token.
    #[must_use]
    pub fn token(&self) -> &str {
        &self.who.token.name
    }

    /// Completes once its token is revoked or has expired, or the server was asked to stop: nothing is told
    /// any more then.
    pub async fn ended(&self) {
        tokio::select! {
            () = self.app.locked_out(&self.who) => {}
            () = self.app.stop.cancelled() => {}
        }
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
    let caller = TokenCaller { app, who };
    let stream = request.method() == Method::GET;
    let end = until(caller.clone(), stream);
    let response = handler(caller, request).await;
    response.map(|body| {
        Body::new(Ending {
            body,
            end: Some(Box::pin(end)),
        })
    })
}

/// Completes when an answer has to end. A stream that only tells something ends at once. One that answers a
/// call lives until the call has ended, which is soon after its token, and some time after the server was
/// asked to stop.
async fn until(caller: TokenCaller, stream: bool) {
    if stream {
        return caller.ended().await;
    }
    caller.app.locked_out(&caller.who).await;
    tokio::time::sleep(LOOK + LAST_WORDS).await;
}

/// An answer that may end early.
struct Ending {
    body: Body,
    /// Absent once it has ended.
    end: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl hyper::body::Body for Ending {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Some(end) = &mut self.end else {
            return Poll::Ready(None);
        };
        let ended = end.as_mut().poll(context).is_ready();
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if !ended {
            return frame;
        }
        // What it has to say now is the last that it says.
        self.end = None;
        match frame {
            Poll::Pending => Poll::Ready(None),
            frame => frame,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.end.is_none() || self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures_util::{StreamExt as _, stream};
    use http_body_util::BodyExt as _;

    use super::*;

    fn ending(body: Body, end: &CancellationToken) -> Ending {
        let end = end.clone().cancelled_owned();
        Ending {
            body,
            end: Some(Box::pin(end)),
        }
    }

    #[tokio::test]
    async fn a_stream_ends_with_its_token() {
        let first = stream::iter([Ok::<_, Infallible>("first")]);
        let end = CancellationToken::new();
        let mut body = ending(Body::from_stream(first.chain(stream::pending())), &end);
        let frame = body.frame().await.unwrap().unwrap();
        assert_eq!(frame.into_data().unwrap(), "first");
        end.cancel();
        assert!(body.frame().await.is_none());
    }

    #[tokio::test]
    async fn what_is_said_already_is_still_told() {
        let end = CancellationToken::new();
        end.cancel();
        let body = ending(Body::from("answer"), &end);
        assert_eq!(body.collect().await.unwrap().to_bytes(), "answer");
        let always = stream::repeat(Ok::<_, Infallible>("x"));
        let body = ending(Body::from_stream(always), &end);
        assert_eq!(body.collect().await.unwrap().to_bytes(), "x");
    }
}
