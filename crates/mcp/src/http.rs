//! MCP over Streamable HTTP, behind a server that has checked who asks.
//!
//! Every protocol version is served: those up to 2025-11-25 with sessions, 2026-07-28 request by request.
//! Clients share nothing: the sessions, tasks and signed states of one are unknown to the others. Of a client
//! nothing else is kept between its requests: each has its own [`Caller`], so none makes calls with what an
//! earlier one was allowed. Only a session's requests share the caller of the first.

mod clients;
mod errors;
mod post;

use std::convert::Infallible;
use std::fmt::Display;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body, Frame, SizeHint};
use hyper::{Method, Request, Response};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use self::clients::{Clients, Known};
use crate::server::Server;
use crate::{Caller, Tools};

type Service<H> = StreamableHttpService<H, LocalSessionManager>;

/// Serves MCP to the clients of an HTTP server.
pub struct Http<C: Caller, H: ServerHandler = Server<C>> {
    tools: Tools,
    stop: CancellationToken,
    /// What answers in place of a connection's server.
    wrap: fn(Server<C>) -> H,
    /// A std mutex: nothing awaits under it.
    clients: Mutex<Clients>,
}

impl<C: Caller> Http<C> {
    /// Serves these tools until `stop` is cancelled.
    #[must_use]
    pub fn new(tools: Tools, stop: CancellationToken) -> Self {
        Self::wrapped(tools, stop, |server| server)
    }
}

impl<C: Caller, H: ServerHandler> Http<C, H> {
    /// The same, with more than the catalogue has: `wrap` puts a server of its own around each
    /// connection's. Tests add what a suite demands that way.
    #[must_use]
    pub fn wrapped(tools: Tools, stop: CancellationToken, wrap: fn(Server<C>) -> H) -> Self {
        Self {
            tools,
            stop,
            wrap,
            clients: Mutex::default(),
        }
    }

    /// Answers one request of `client`, one of those of `owner`; `caller` makes its calls. What is kept for
    /// an owner's clients has a bound.
    pub async fn answer<B>(
        &self,
        owner: &str,
        client: &str,
        caller: C,
        request: Request<B>,
    ) -> Response<BoxBody<Bytes, Infallible>>
    where
        B: Body + Send + 'static,
        B::Error: Display,
    {
        let known = {
            let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
            clients.get(owner, client, &self.stop)
        };
        let known = match known {
            Ok(known) => known,
            Err(refused) => return refused.answer(),
        };
        let service = self.service(&known, caller);
        let response = if request.method() == Method::POST {
            let (parts, body) = request.into_parts();
            match post::read(&parts.headers, body).await {
                Ok(message) => {
                    let request = Request::from_parts(parts, Full::new(message.bytes));
                    errors::explained(service.handle(request).await, message.id).await
                }
                Err(refused) => refused.answer(),
            }
        } else {
            errors::explained(service.handle(request).await, None).await
        };
        response.map(|body| Working { body, _of: known }.boxed())
    }

    fn service(&self, known: &Known, caller: C) -> Service<H> {
        let (tools, wrap, caller) = (self.tools.clone(), self.wrap, Arc::new(caller));
        let (shared, stop) = (known.shared.clone(), known.stop.clone());
        let server = move || {
            Ok(wrap(Server::new(
                Arc::clone(&caller),
                tools.clone(),
                shared.clone(),
                stop.clone(),
            )))
        };
        let config = StreamableHttpServerConfig::default()
            // The server in front has looked at both.
            .disable_allowed_hosts()
            .disable_allowed_origins()
            // `post` has read the message.
            .with_max_request_body_bytes(usize::MAX)
            .with_cancellation_token(known.stop.child_token());
        StreamableHttpService::new(server, Arc::clone(&known.sessions), config)
    }
}

/// An answer to a client, which is at work for as long.
struct Working {
    body: BoxBody<Bytes, Infallible>,
    _of: Known,
}

impl Body for Working {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests;
