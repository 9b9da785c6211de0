//! Tells a client what has changed in what it subscribed to.
//!
//! One [`run`] serves one subscription. It hears the events of the sessions that the client reads, and
//! looks now and then at which sessions are open, for a session that opens has nobody to tell it.
//! Changes that come close together are told once.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use szk_client::{EventLine, Happening};
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};
use tokio_util::task::AbortOnDropHandle;

use crate::{Caller, resources};

/// How often to look which sessions are open.
const LOOK: Duration = Duration::from_secs(2);

/// How long changes are gathered before they are told.
const GATHER: Duration = Duration::from_millis(150);

/// What a client subscribed to.
pub(crate) type Uris = BTreeSet<String>;

/// Who is told.
pub(crate) trait Reader: Send {
    /// A resource has changed. `false` once nobody listens.
    fn updated(&mut self, uri: String) -> impl Future<Output = bool> + Send;
    /// The list of resources has changed. `false` once nobody listens.
    fn list_changed(&mut self) -> impl Future<Output = bool> + Send;
}

/// What the streams have told since we took it last. It cannot grow: there are only so many kinds.
#[derive(Debug, Default)]
struct News {
    /// The kinds of resources that have changed, by session.
    changed: BTreeMap<String, BTreeSet<&'static str>>,
    /// Sessions whose streams have ended.
    closed: BTreeSet<String>,
}

/// Follows `uris`, which may change meanwhile, until nobody listens or may listen, or the sender of `uris` is
/// gone.
pub(crate) async fn run<C: Caller>(
    caller: Arc<C>,
    mut uris: watch::Receiver<Uris>,
    mut reader: impl Reader,
) {
    let news = Arc::new(watch::Sender::new(News::default()));
    let mut heard = news.subscribe();
    let client = Arc::clone(&caller);
    let mut ended = pin!(client.ended());
    let mut follower = Follower {
        caller,
        news: Arc::clone(&news),
        open: None,
        streams: BTreeMap::new(),
    };
    let mut look = interval(LOOK);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut changed = Uris::new();
    let mut due: Option<Instant> = None;
    loop {
        let tell = async {
            match due {
                Some(due) => sleep_until(due).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = &mut ended => return,
            () = tell => {
                due = None;
                for uri in std::mem::take(&mut changed) {
                    if !reader.updated(uri).await {
                        return;
                    }
                }
            }
            // We hold the other end.
            _ = heard.changed() => {
                let mut taken = News::default();
                news.send_if_modified(|news| {
                    taken = std::mem::take(news);
                    false
                });
                for session in taken.closed {
                    follower.streams.remove(&session);
                    look.reset_immediately();
                }
                let now = uris.borrow();
                for (session, kinds) in &taken.changed {
                    let touched = |uri: &&String| resources::touches(uri, session, kinds);
                    changed.extend(now.iter().filter(touched).cloned());
                }
            }
            // New ones want their sessions followed.
            more = uris.changed() => match more {
                Ok(()) => look.reset_immediately(),
                Err(_) => return,
            },
            _ = look.tick() => {
                let now = uris.borrow().clone();
                if follower.look(&now).await {
                    if !reader.list_changed().await {
                        return;
                    }
                    changed.extend(now.get(resources::SESSIONS).cloned());
                }
            }
        }
        if due.is_none() && !changed.is_empty() {
            due = Some(Instant::now() + GATHER);
        }
    }
}

/// The sessions that one subscription follows.
struct Follower<C> {
    caller: Arc<C>,
    news: Arc<watch::Sender<News>>,
    /// The sessions that were open when we looked last.
    open: Option<BTreeSet<String>>,
    streams: BTreeMap<String, AbortOnDropHandle<()>>,
}

impl<C: Caller> Follower<C> {
    /// Looks which sessions are open and follows those in `uris`; whether they are others than before.
    async fn look(&mut self, uris: &Uris) -> bool {
        let Ok(open) = self.caller.open_sessions().await else {
            // Next time; a store that cannot be read now is no reason to stop.
            return false;
        };
        let open: BTreeSet<String> = open.into_iter().collect();
        let wanted = |session: &str| {
            let reads = |uri: &String| resources::touches(uri, session, &resources::ALL.into());
            uris.contains(resources::SESSIONS) || uris.iter().any(reads)
        };
        self.streams
            .retain(|session, _| open.contains(session) && wanted(session));
        for session in open.iter().filter(|session| wanted(session)) {
            if !self.streams.contains_key(session) {
                let stream = self.stream(session.clone());
                self.streams.insert(session.clone(), stream);
            }
        }
        let before = self.open.replace(open);
        before.is_some() && before != self.open
    }

    fn stream(&self, session: String) -> AbortOnDropHandle<()> {
        let (caller, news) = (Arc::clone(&self.caller), Arc::clone(&self.news));
        AbortOnDropHandle::new(tokio::spawn(async move {
            let tell = |told: EventLine| {
                let kinds = match &told {
                    EventLine::Event(event) => changed_by(&event.what),
                    // Whatever it was. A client is told so too when its subscription begins: what has
                    // changed since it read the resource was told to nobody.
                    EventLine::Missed(_) => &resources::ALL,
                };
                if !kinds.is_empty() {
                    news.send_modify(|news| {
                        news.changed
                            .entry(session.clone())
                            .or_default()
                            .extend(kinds);
                    });
                }
            };
            caller.follow(&session, &tell).await;
            news.send_modify(|news| {
                news.closed.insert(session.clone());
            });
        }))
    }
}

/// The kinds of resources that an event changes.
fn changed_by(what: &Happening) -> &'static [&'static str] {
    match what {
        Happening::TabOpened { .. } | Happening::TabClosed { .. } | Happening::TabTaken { .. } => {
            &["tabs"]
        }
        Happening::Navigated { .. } => &["tabs", "page", "logs"],
        Happening::PageChanged { .. } => &["page"],
        Happening::SnapshotTaken { .. } => &["snapshots"],
        Happening::DialogOpened { .. } | Happening::DialogClosed { .. } => &["page", "logs"],
        Happening::Download { .. } => &["downloads", "logs"],
        Happening::StateImported { .. } | Happening::BrowserRestarted => &["tabs", "page"],
        Happening::BrowserExited { .. } => &["logs"],
        // Of these only the list of sessions tells, which is looked at anyway.
        Happening::LoginEnded { .. }
        | Happening::HandoffBegan { .. }
        | Happening::HandoffEnded { .. }
        | Happening::ApprovalAsked { .. }
        | Happening::CallProgress { .. }
        | Happening::ClientCame { .. }
        | Happening::ClientLeft { .. }
        | Happening::Closing { .. }
        | Happening::Unknown => &[],
    }
}

#[cfg(test)]
mod tests {
    use szk_client::Approver;
    use szk_tools::{Call, Code, Failure, Progress, Response};
    use tokio_util::sync::CancellationToken;

    use super::*;

    /// Follows one session until it may not.
    struct Lives {
        token: CancellationToken,
        following: watch::Sender<bool>,
    }

    impl Caller for Lives {
        async fn call(
            &self,
            _: Call,
            _: &(dyn Fn(Progress) + Send + Sync),
        ) -> Result<Response, Failure> {
            Err(Failure::new(Code::Internal, "no calls"))
        }

        async fn call_approved(
            &self,
            call: Call,
            _: Approver<'_>,
            progress: &(dyn Fn(Progress) + Send + Sync),
        ) -> Result<Response, Failure> {
            self.call(call, progress).await
        }

        async fn open_sessions(&self) -> Result<Vec<String>, Failure> {
            Ok(vec!["work".to_owned()])
        }

        async fn follow(&self, _: &str, _: &(dyn Fn(EventLine) + Send + Sync)) {
            self.following.send_replace(true);
            std::future::pending().await
        }

        async fn ended(&self) {
            self.token.cancelled().await;
        }
    }

    struct Nobody;

    impl Reader for Nobody {
        async fn updated(&mut self, _: String) -> bool {
            true
        }

        async fn list_changed(&mut self) -> bool {
            true
        }
    }

    #[tokio::test]
    async fn it_ends_when_the_client_may_hear_nothing_more() {
        let caller = Arc::new(Lives {
            token: CancellationToken::new(),
            following: watch::Sender::new(false),
        });
        let (_open, uris) = watch::channel(Uris::from(["szk://sessions/work/tabs".to_owned()]));
        let followed = tokio::spawn(run(Arc::clone(&caller), uris, Nobody));
        let mut following = caller.following.subscribe();
        following.wait_for(|following| *following).await.unwrap();
        assert!(!followed.is_finished());
        caller.token.cancel();
        followed.await.unwrap();
        // Nor does anything of it go on.
        while Arc::strong_count(&caller) > 1 {
            tokio::task::yield_now().await;
        }
    }

    #[test]
    fn an_event_names_kinds_that_exist() {
        let tab = || "t1".to_owned();
        for what in [
            Happening::TabClosed { tab: tab() },
            Happening::Navigated {
                tab: tab(),
                url: String::new(),
            },
            Happening::PageChanged { tab: tab() },
            Happening::SnapshotTaken { tab: tab() },
            Happening::BrowserRestarted,
        ] {
            let kinds = changed_by(&what);
            assert!(!kinds.is_empty() && kinds.iter().all(|kind| resources::ALL.contains(kind)));
        }
        assert!(changed_by(&Happening::Unknown).is_empty());
    }
}
