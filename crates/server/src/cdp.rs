//! The DevTools endpoint of a session, through this server: what its HTTP addresses answer, and a tunnel for
//! WebSockets.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use hyper_util::rt::TokioIo;
use szk_tools::session::{Endpoint, EndpointInput};
use szk_tools::{Call, Code, Failure};
use tokio::io::copy_bidirectional;
use url::Url;

use crate::app::{App, Who};
use crate::error::ErrorReply;
use crate::proxy;
use crate::read_tap::ReadTap;

/// Longest answer of an HTTP address of the endpoint; the protocol's description has 1.6 MB.
const LONGEST: usize = 16 << 20;

/// `…/cdp`: the browser itself.
pub(crate) async fn root(
    State(app): State<Arc<App>>,
    Path(session): Path<String>,
    request: Request,
) -> Result<Response, ErrorReply> {
    forward(&app, session, "", request).await
}

/// `…/cdp/json/version` and the like, and targets below `…/cdp/devtools`.
pub(crate) async fn below(
    State(app): State<Arc<App>>,
    Path((session, path)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ErrorReply> {
    forward(&app, session, &path, request).await
}

/// Where the endpoint of a session is.
struct Target {
    /// `127.0.0.1:PORT`.
    authority: String,
    /// The path with its token, without a slash at the end.
    prefix: String,
    /// The path of the browser's WebSocket.
    browser: String,
}

async fn forward(
    app: &Arc<App>,
    session: String,
    path: &str,
    request: Request,
) -> Result<Response, ErrorReply> {
    let Some(who) = request.extensions().get::<Who>().cloned() else {
        return Err(Failure::internal("a request came past the check of its token").into());
    };
    let target = target(app, &who, &session).await?;
    let path = match path {
        "" => target.browser.clone(),
        path => format!("{}/{path}", target.prefix),
    };
    let socket = request.headers().contains_key(header::UPGRADE);
    let own = own_address(request.headers(), &who, &session);
    if socket {
        tunnel(app, who, &session, &target, &path, request).await
    } else {
        describe(&target, &path, &own, app.options.tls.is_some(), request).await
    }
}

async fn target(app: &App, who: &Who, session: &str) -> Result<Target, Failure> {
    let input = EndpointInput {
        session: Some(session.to_owned()),
        ..EndpointInput::default()
    };
    let response = app.run(who, Call::from(input), &|_| {}).await?;
    let endpoint = response.read::<Endpoint>()?;
    let unusable = || Failure::internal("the session's endpoint has no usable address");
    let http = Url::parse(&endpoint.http_url).map_err(|_| unusable())?;
    let ws = Url::parse(&endpoint.ws_url).map_err(|_| unusable())?;
    let host = http.host_str().ok_or_else(unusable)?;
    Ok(Target {
        authority: format!("{host}:{}", endpoint.port),
        prefix: http.path().trim_end_matches('/').to_owned(),
        browser: ws.path().to_owned(),
    })
}

/// This server's address of the session's endpoint, as the client reached it.
fn own_address(headers: &HeaderMap, who: &Who, session: &str) -> String {
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let prefix = &who.prefix;
    format!(
        "{}{prefix}/v1/sessions/{session}/cdp",
        host.unwrap_or_default()
    )
}

/// Passes on an HTTP request; addresses in the answer become this server's.
async fn describe(
    target: &Target,
    path: &str,
    own: &str,
    encrypted: bool,
    request: Request,
) -> Result<Response, ErrorReply> {
    let (parts, _) = request.into_parts();
    let query = parts
        .uri
        .query()
        .map(|query| format!("?{query}"))
        .unwrap_or_default();
    let asked = hyper::Request::builder()
        .method(parts.method)
        .uri(format!("{path}{query}"))
        .header(header::HOST, &target.authority)
        .body(Body::empty())
        .map_err(|error| Failure::invalid(format!("the address cannot be passed on: {error}")))?;
    let mut sender = proxy::connect(&target.authority).await?;
    let answer = sender.send_request(asked).await.map_err(proxy::gone)?;
    let (answered, body) = answer.into_parts();
    let bytes = to_bytes(Body::new(body), LONGEST).await.map_err(|error| {
        Failure::new(
            Code::BrowserCrashed,
            format!("the endpoint's answer broke off: {error}"),
        )
        .retryable()
    })?;
    let theirs = format!("{}{}", target.authority, target.prefix);
    let body = match String::from_utf8(bytes.to_vec()) {
        Ok(text) if encrypted => {
            let text = text.replace(&format!("://{theirs}"), &format!("s://{own}"));
            Body::from(text.replace(&format!("ws={theirs}"), &format!("wss={own}")))
        }
        Ok(text) => Body::from(text.replace(&theirs, own)),
        Err(_) => Body::from(bytes),
    };
    let mut response = (answered.status, body).into_response();
    if let Some(kind) = answered.headers.get(header::CONTENT_TYPE) {
        response
            .headers_mut()
            .insert(header::CONTENT_TYPE, kind.clone());
    }
    Ok(response)
}

/// Connects the client's WebSocket with the endpoint's; from then on bytes pass as they are.
/// It ends with the token.
async fn tunnel(
    app: &Arc<App>,
    who: Who,
    session: &str,
    target: &Target,
    path: &str,
    request: Request,
) -> Result<Response, ErrorReply> {
    let (response, theirs, ours) = proxy::handshake(&target.authority, path, request).await?;
    let app = Arc::clone(app);
    let program = app.activity.program(session);
    let used = (app.presence.of(&who), app.drain.work_on());
    tokio::spawn(async move {
        let _used = used;
        let (Ok(theirs), Ok(ours)) = tokio::join!(theirs, ours) else {
            return;
        };
        let mut theirs = TokioIo::new(theirs);
        let mut ours = ReadTap {
            stream: TokioIo::new(ours),
            on_read: || program.sent(),
        };
        tokio::select! {
            // Either side may end it at any time.
            _ = copy_bidirectional(&mut theirs, &mut ours) => {}
            () = program.given_up() => {}
            () = app.locked_out(&who) => {}
            () = app.stop.cancelled() => {}
        }
    });
    Ok(response)
}
