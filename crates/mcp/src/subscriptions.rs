//! What a client subscribed to, in either way of the protocol.
//!
//! Up to 2025-11-25 a client subscribes to one address after the other, and the connection tells it about
//! them and about the list. From 2026-07-28 on, it sends a request that lasts as long as the subscription.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::model::{
    ErrorData, ProtocolVersion, ResourceUpdatedNotificationParam, SubscriptionFilter,
};
use rmcp::service::{RequestContext, SubscriptionContext, SubscriptionSink};
use rmcp::{Peer, RoleServer};
use tokio::sync::watch;

use crate::follow::{self, Reader, Uris};
use crate::{Caller, resources};

/// Addresses that one client may subscribe to.
const MOST: usize = 256;

/// The subscriptions of one connection.
#[derive(Debug, Default)]
pub(crate) struct Subscriptions {
    uris: watch::Sender<Uris>,
    /// Whether somebody follows them.
    followed: AtomicBool,
}

impl Subscriptions {
    /// Adds an address.
    ///
    /// # Errors
    /// There cannot be a resource, or there are too many.
    pub(crate) fn add(&self, uri: String) -> Result<(), ErrorData> {
        if !resources::names_one(&uri) {
            let text = format!("there is no resource `{uri}`");
            return Err(ErrorData::resource_not_found(text, None));
        }
        let mut full = false;
        self.uris.send_if_modified(|uris| {
            full = uris.len() >= MOST && !uris.contains(&uri);
            !full && uris.insert(uri)
        });
        match full {
            true => {
                let text = format!("more than {MOST} subscriptions: `resources/unsubscribe` some");
                Err(ErrorData::invalid_params(text, None))
            }
            false => Ok(()),
        }
    }

    /// Removes an address.
    pub(crate) fn remove(&self, uri: &str) {
        self.uris.send_if_modified(|uris| uris.remove(uri));
    }

    /// Tells the client what changes, from now until it leaves. A client of 2026-07-28 asks for that by
    /// itself.
    pub(crate) fn follow<C: Caller>(&self, caller: &Arc<C>, context: &RequestContext<RoleServer>) {
        let version = context.protocol_version();
        let older = version.is_some_and(|version| version < ProtocolVersion::V_2026_07_28);
        if older && !self.followed.swap(true, Ordering::Relaxed) {
            let (caller, uris) = (Arc::clone(caller), self.uris.subscribe());
            // It ends when the server, which holds the sender, does.
            tokio::spawn(follow::run(caller, uris, Client(context.peer.clone())));
        }
    }
}

/// What of a requested subscription can ever be told.
pub(crate) fn accepted(requested: &SubscriptionFilter) -> SubscriptionFilter {
    let mut filter = SubscriptionFilter::builder();
    if requested.resources_list_changed == Some(true) {
        filter = filter.resources_list_changed();
    }
    if let Some(uris) = &requested.resource_subscriptions {
        let known = uris.iter().filter(|uri| resources::names_one(uri));
        filter = filter.resource_subscriptions(known.take(MOST));
    }
    filter.build()
}

/// Tells a subscription what changes.
pub(crate) async fn listen<C: Caller>(caller: &Arc<C>, subscription: &SubscriptionContext) {
    let accepted = subscription.accepted();
    let uris = accepted.resource_subscriptions.iter().flatten().cloned();
    let (_open, uris) = watch::channel(uris.collect());
    let sink = Sink {
        sink: subscription.sink().clone(),
        lists: accepted.resources_list_changed == Some(true),
    };
    follow::run(Arc::clone(caller), uris, sink).await;
}

/// A client up to 2025-11-25.
struct Client(Peer<RoleServer>);

impl Reader for Client {
    async fn updated(&mut self, uri: String) -> bool {
        let note = ResourceUpdatedNotificationParam::new(uri);
        self.0.notify_resource_updated(note).await.is_ok()
    }

    async fn list_changed(&mut self) -> bool {
        self.0.notify_resource_list_changed().await.is_ok()
    }
}

/// A subscription from 2026-07-28 on.
struct Sink {
    sink: SubscriptionSink,
    lists: bool,
}

impl Reader for Sink {
    async fn updated(&mut self, uri: String) -> bool {
        self.sink.notify_resource_updated(uri).await.is_ok()
    }

    async fn list_changed(&mut self) -> bool {
        !self.lists || self.sink.notify_resource_list_changed().await.is_ok()
    }
}
