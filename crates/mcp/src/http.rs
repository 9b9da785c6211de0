//! MCP over Streamable HTTP, behind a server that has checked who asks.
//!
//! Every protocol version is served: those up to 2025-11-25 with sessions, 2026-07-28 request by request.
//! Clients share nothing: the sessions, tasks and signed states of one are unknown to the others.

mod errors;
mod post;

use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt::Display;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http_body_util::Full;
use http_body_util::combinators::BoxBody;
use hyper::body::Body;
use hyper::{Method, Request, Response};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use crate::server::{Server, Shared};
use crate::{Caller, Tools};

/// Clients that are remembered; beyond that all are forgotten, and begin new sessions.
const MOST_CLIENTS: usize = 1000;

type Service<H> = StreamableHttpService<H, LocalSessionManager>;

/// Serves MCP to the clients of an HTTP server.
pub struct Http<C: Caller, H: ServerHandler = Server<C>> {
    tools: Tools,
    stop: CancellationToken,
    /// What answers in place of a connection's server.
    wrap: fn(Server<C>) -> H,
    /// By what the server tells clients apart by. A std mutex: nothing awaits under it.
    services: Mutex<HashMap<String, Service<H>>>,
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
            services: Mutex::default(),
        }
    }

    /// Answers one request of `client`, whose calls `caller` makes.
    pub async fn answer<B>(
        &self,
        client: &str,
        caller: C,
        request: Request<B>,
    ) -> Response<BoxBody<Bytes, Infallible>>
    where
        B: Body + Send + 'static,
        B::Error: Display,
    {
        let service = self.service(client, caller);
        if request.method() != Method::POST {
            return errors::explained(service.handle(request).await, None).await;
        }
        let (parts, body) = request.into_parts();
        match post::read(&parts.headers, body).await {
            Ok(message) => {
                let request = Request::from_parts(parts, Full::new(message.bytes));
                errors::explained(service.handle(request).await, message.id).await
            }
            Err(refused) => refused.answer(),
        }
    }

    fn service(&self, client: &str, caller: C) -> Service<H> {
        let mut services = self.services.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(service) = services.get(client) {
            return service.clone();
        }
        if services.len() >= MOST_CLIENTS {
            services.clear();
        }
        let service = self.begin(Arc::new(caller));
        services.insert(client.to_owned(), service.clone());
        service
    }

    fn begin(&self, caller: Arc<C>) -> Service<H> {
        let (tools, stop, wrap) = (self.tools.clone(), self.stop.clone(), self.wrap);
        // Once for all requests of this client: a state that it brings back must be known.
        let shared = Shared::new().map_err(io::Error::other);
        let server = move || match &shared {
            Ok(shared) => Ok(wrap(Server::new(
                Arc::clone(&caller),
                tools.clone(),
                shared.clone(),
                stop.clone(),
            ))),
            Err(error) => Err(io::Error::other(error.to_string())),
        };
        let config = StreamableHttpServerConfig::default()
            // The server in front has looked at both.
            .disable_allowed_hosts()
            .disable_allowed_origins()
            // `post` has read the message.
            .with_max_request_body_bytes(usize::MAX)
            .with_cancellation_token(self.stop.child_token());
        StreamableHttpService::new(server, Arc::default(), config)
    }
}
