//! The task of one client.

use std::future::pending;
use std::pin::pin;
use std::time::Duration;

use futures_util::{FutureExt, Stream, StreamExt};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use szk_cdp::{Inbound, Inbox};
use tokio::time::{sleep_until, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_util::sync::CancellationToken;

use super::attach::Attached;
use super::client::{Client, ClientOptions};
use super::end::End;
use super::outbox::outbox;
use crate::clients::ClientSlot;
use crate::limits::Limits;

/// How long writing the last messages may take, and waiting for answers that matter.
const FAREWELL: Duration = Duration::from_secs(2);

/// How many waiting messages to handle before checking anything else.
const TOGETHER: usize = 32;

/// A message from the socket; `None` at its end.
type Received = Option<Result<Message, Error>>;

/// Serves a client until it leaves or is disconnected.
pub(crate) async fn run(
    socket: WebSocketStream<TokioIo<Upgraded>>,
    attached: Attached,
    terms: ClientOptions,
    slot: &ClientSlot,
    limits: &Limits,
    closing: &CancellationToken,
) {
    let (sink, mut frames) = socket.split();
    let (outbox, outgoing) = outbox(limits);
    let mut writer = tokio::spawn(outgoing.write(sink));
    let ended = attached.live.ended.clone();
    let (mut client, mut inbox) = Client::new(attached, terms, outbox);
    tracing::debug!(client = slot.id, scope = ?client.scope, "a client joined");

    let (mut ended, mut leaving, mut closing) = (
        pin!(ended.cancelled()),
        pin!(slot.leaving.cancelled()),
        pin!(closing.cancelled()),
    );
    let end = loop {
        let room = has_room(&client, limits);
        let overdue = client.targets.next_overdue();
        // In this order: what the browser sent first leaves first, and the inbox is emptied before the
        // answer about a new page, whose events are in it.
        let step = tokio::select! {
            biased;
            // The browser was replaced or went away: the sessions are dead.
            () = &mut ended => Err(End::BrowserGone),
            // Someone disconnected it.
            () = &mut leaving => Err(End::Disconnected),
            // The endpoint closes.
            () = &mut closing => Err(End::ListenerClosed),
            // The socket can no longer be written.
            _ = &mut writer => Err(End::Left),
            inbound = inbox.recv() => hear(&mut client, inbound, &mut inbox),
            Some(settled) = client.settling.next() => client.settled(settled),
            Some(session) = client.leaving.next() => client.let_go(&session),
            // A page that the client works in may be hidden.
            Some(step) = client.foreground.steps.next() => client.watch(step),
            // What the held command waited for has come; the client is read again.
            hidden = async { match &mut client.held { Some(held) => (&mut held.wait).await, None => pending().await } } => client.release(hidden),
            () = async { match overdue { Some(at) => sleep_until(at).await, None => pending().await } } => client.resume_overdue(),
            frame = frames.next(), if room => listen_on(&mut client, frame, &mut frames, limits),
        };
        if let Some(name) = client.called.take() {
            slot.set_name(name);
        }
        for page in client.made.drain(..) {
            slot.made(page);
        }
        if let Err(end) = step {
            break end;
        }
    };

    match end {
        End::Slow => tracing::warn!(client = slot.id, "a client does not read; dropping it"),
        End::TooBig | End::NotWebSocket => {
            tracing::warn!(client = slot.id, ?end, "dropping a client");
        }
        _ => tracing::debug!(client = slot.id, ?end, "a client leaves"),
    }
    // The writer finishes on its own.
    client.outbox.close(end.frame());
    finish_contexts(&mut client, &mut inbox).await;
    // Detach before the socket is done, so that the other clients need not wait for it.
    drop(client);
    if end == End::Slow || (!writer.is_finished() && timeout(FAREWELL, &mut writer).await.is_err())
    {
        writer.abort();
    }
    drop(frames);
}

fn has_room(client: &Client, limits: &Limits) -> bool {
    client.held.is_none() && client.pending.len() + client.settling.len() < limits.in_flight
}

/// Passes on a message of the browser, and those that came with it.
fn hear(client: &mut Client, first: Option<Inbound>, inbox: &mut Inbox) -> Result<(), End> {
    client.hear(first)?;
    for _ in 1..TOGETHER {
        match inbox.recv().now_or_never() {
            Some(inbound) => client.hear(inbound)?,
            None => break,
        }
    }
    Ok(())
}

/// Handles a message of the client, and those that came with it.
fn listen_on(
    client: &mut Client,
    first: Received,
    frames: &mut (impl Stream<Item = Result<Message, Error>> + Unpin),
    limits: &Limits,
) -> Result<(), End> {
    listen(client, first)?;
    for _ in 1..TOGETHER {
        if !has_room(client, limits) {
            break;
        }
        match frames.next().now_or_never() {
            Some(frame) => listen(client, frame)?,
            None => break,
        }
    }
    Ok(())
}

fn listen(client: &mut Client, frame: Received) -> Result<(), End> {
    match frame {
        Some(Ok(Message::Text(text))) => client.listen(&text),
        // Chromium ignores the type of a frame. Invalid text is invalid JSON anyway.
        Some(Ok(Message::Binary(bytes))) => client.listen(&String::from_utf8_lossy(&bytes)),
        Some(
            Ok(Message::Close(_))
            | Err(
                Error::ConnectionClosed
                | Error::AlreadyClosed
                | Error::Io(_)
                // A process that just exited.
                | Error::Protocol(ProtocolError::ResetWithoutClosingHandshake),
            ),
        )
        | None => Err(End::Left),
        Some(Ok(_)) => Ok(()),
        Some(Err(Error::Capacity(_))) => Err(End::TooBig),
        Some(Err(error)) => {
            tracing::debug!(%error, "a client does not speak WebSocket");
            Err(End::NotWebSocket)
        }
    }
}

/// Waits for the id of a browser context that is being created, which would be left behind otherwise.
async fn finish_contexts(client: &mut Client, inbox: &mut Inbox) {
    let finished = timeout(FAREWELL, async {
        while client.pending.makes_context()
            && let Some(inbound) = inbox.recv().await
        {
            if let Inbound::Reply {
                id,
                result: Ok(result),
                ..
            } = inbound
                && let Some(command) = client.pending.take(id)
                && command.makes_context()
            {
                client.note_context(&result);
            }
        }
    });
    if finished.await.is_err() {
        tracing::warn!("a browser context that a client was creating may be left behind");
    }
}
