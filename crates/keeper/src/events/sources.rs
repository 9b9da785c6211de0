//! What the feed hears of by watching: tabs, dialogs, downloads, logins, and the browser itself.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use szk_page::Redactor;
use szk_page::event_log::{Entry, EventLog, Kind, Query, What};
use szk_runtime::session::{Lifecycle, Session};
use szk_runtime::supervisor::Tab;
use szk_store::{Ended, Health};
use szk_wire::events::Happening;

use super::Feed;
use crate::browser::page_text;
use crate::context::Keeper;

/// How often logins are judged.
const LOGINS: Duration = Duration::from_secs(15);
/// Dialogs and downloads whose state is remembered: as many as the event log keeps.
const REMEMBERED: usize = 700;

/// Watches everything until the session ends.
pub(crate) fn keep(keeper: &Arc<Keeper>) {
    let (session, feed) = (keeper.session.clone(), keeper.events.clone());
    let log = keeper.event_log.clone();
    tokio::spawn(async move {
        tokio::select! {
            () = tabs(&session, &feed, log.redactor()) => {}
            () = prompts(&log, &feed) => {}
            () = logins(&session, &feed) => {}
            () = life(&session, &feed) => {}
            _ = session.closed() => {}
        }
    });
}

/// Tabs that open, close and navigate. A restarted browser has the same tabs.
async fn tabs(session: &Session, feed: &Feed, redactor: &Redactor) {
    let mut known = BTreeMap::new();
    let mut browsers = session.watch_running();
    loop {
        let running = browsers.borrow_and_update().clone();
        let supervisor = running.map(|running| running.supervisor);
        if let Some(supervisor) = supervisor {
            let mut changes = supervisor.changes();
            loop {
                changes.borrow_and_update();
                for what in differences(&mut known, &supervisor.tabs(), redactor) {
                    feed.tell(what);
                }
                // Ends when this browser does.
                tokio::select! {
                    changed = changes.changed() => if changed.is_err() { break },
                    changed = browsers.changed() => match changed {
                        Ok(()) => break,
                        Err(_) => return,
                    },
                }
            }
        } else if browsers.changed().await.is_err() {
            return;
        }
    }
}

/// What has changed since the last time.
fn differences(
    known: &mut BTreeMap<String, String>,
    open: &[Tab],
    redactor: &Redactor,
) -> Vec<Happening> {
    let mut what = Vec::new();
    known.retain(|id, _| {
        let stays = open.iter().any(|tab| tab.id == *id);
        if !stays {
            what.push(Happening::TabClosed { tab: id.clone() });
        }
        stays
    });
    for tab in open {
        let url = page_text::address(&tab.page.url);
        let before = known.insert(tab.id.clone(), url.clone());
        let (tab, shown) = (tab.id.clone(), redactor.text(&url).into_owned());
        match before {
            None => what.push(Happening::TabOpened { tab, url: shown }),
            Some(before) if before != url => {
                what.push(Happening::Navigated { tab, url: shown });
            }
            Some(_) => {}
        }
    }
    what
}

/// Dialogs and downloads, from the event log, which has removed secrets.
async fn prompts(log: &EventLog, feed: &Feed) {
    let mut changes = log.changes();
    let mut since = log.now();
    let mut states = BTreeMap::new();
    loop {
        changes.borrow_and_update();
        // Read first: what comes meanwhile is looked at twice, and told once.
        let now = log.now();
        let mut entries = Vec::new();
        for kind in [Kind::Dialogs, Kind::Downloads] {
            let query = Query {
                kind: Some(kind),
                since: Some(since),
                ..Query::default()
            };
            entries.extend(log.read(&query).entries);
        }
        entries.sort_unstable_by_key(|entry| entry.seq);
        for what in entries.iter().filter_map(|entry| news(&mut states, entry)) {
            feed.tell(what);
        }
        since = now;
        if changes.changed().await.is_err() {
            return;
        }
    }
}

/// What an entry has to tell that it had not told before.
fn news(states: &mut BTreeMap<u64, String>, entry: &Entry) -> Option<Happening> {
    let tab = entry.tab.clone();
    let (state, what) = match &entry.what {
        What::Dialog(dialog) => match dialog.accepted {
            None => (
                "open".to_owned(),
                Happening::DialogOpened {
                    tab,
                    kind: dialog.r#type.clone(),
                    message: page_text::message(&dialog.message),
                },
            ),
            Some(accepted) => (
                "closed".to_owned(),
                Happening::DialogClosed { tab, accepted },
            ),
        },
        What::Download(download) => (
            download.state.clone(),
            Happening::Download {
                tab,
                name: page_text::title(&download.name),
                state: download.state.clone(),
                path: download.path.clone(),
            },
        ),
        What::Console(_) | What::Network(_) | What::Error(_) | What::Act(_) => return None,
    };
    let before = states.insert(entry.id, state.clone());
    while states.len() > REMEMBERED {
        states.pop_first();
    }
    (before != Some(state)).then_some(what)
}

/// Logins that end while the session is open, judged by the saved state.
async fn logins(session: &Session, feed: &Feed) {
    let mut ended: Option<HashSet<String>> = None;
    loop {
        let profile = session.profile().clone();
        let judged = tokio::task::spawn_blocking(move || profile.login_health(Timestamp::now()));
        if let Ok(Ok(health)) = judged.await {
            for what in newly_ended(&mut ended, health) {
                feed.tell(what);
            }
        }
        tokio::time::sleep(LOGINS).await;
    }
}

/// The first time, only remembers: those ended before the session opened.
fn newly_ended(known: &mut Option<HashSet<String>>, health: Vec<Health>) -> Vec<Happening> {
    let first = known.is_none();
    let known = known.get_or_insert_default();
    let mut what = Vec::new();
    for Health { site, ended, .. } in health {
        match ended {
            None => {
                known.remove(&site);
            }
            Some(Ended::Expired { cookie, .. } | Ended::Gone { cookie }) => {
                if known.insert(site.clone()) && !first {
                    what.push(Happening::LoginEnded { site, cookie });
                }
            }
        }
    }
    what
}

/// Crashes and restarts of the browser, and the end of the session.
async fn life(session: &Session, feed: &Feed) {
    let mut life = session.watch_life();
    let mut exited = false;
    while life.changed().await.is_ok() {
        let now = life.borrow_and_update().clone();
        match now {
            Lifecycle::Restarting { why } => {
                exited = true;
                feed.tell(Happening::BrowserExited { why });
            }
            Lifecycle::Running if std::mem::take(&mut exited) => {
                feed.tell(Happening::BrowserRestarted);
            }
            Lifecycle::Running => {}
            Lifecycle::Closing | Lifecycle::Closed(_) => {
                feed.tell(Happening::Closing { client: None });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use szk_page::event_log::{Dialog, Download};
    use szk_wire::events::EventLine;

    use super::*;
    use crate::testing::{Scripted, TARGET, browser};

    fn entry(id: u64, what: What) -> Entry {
        Entry {
            id,
            seq: id,
            at: 0,
            tab: Some("t1".to_owned()),
            what,
        }
    }

    #[test]
    fn an_entry_tells_each_of_its_states_once() {
        let mut states = BTreeMap::new();
        let mut told = |what: What| news(&mut states, &entry(1, what)).is_some();
        let dialog = |accepted| {
            What::Dialog(Dialog {
                r#type: "alert".to_owned(),
                message: "hi".to_owned(),
                accepted,
                unanswered: false,
            })
        };
        assert!(told(dialog(None)));
        assert!(!told(dialog(None)));
        assert!(told(dialog(Some(true))));
        let download = |state: &str, bytes| {
            What::Download(Download {
                guid: "g".to_owned(),
                url: "http://a/".to_owned(),
                name: "a.pdf".to_owned(),
                state: state.to_owned(),
                bytes,
                path: None,
            })
        };
        assert!(told(download("in_progress", 1)));
        assert!(!told(download("in_progress", 2)));
        assert!(told(download("completed", 3)));
    }

    #[test]
    fn a_login_that_ended_is_told_once_and_not_if_it_was_over_before() {
        let health = |ended: bool| {
            let cookie = "sid".to_owned();
            vec![Health {
                site: "x.test".to_owned(),
                since: Timestamp::UNIX_EPOCH,
                ended: ended.then_some(Ended::Gone { cookie }),
            }]
        };
        let mut known = None;
        let mut count = |ended| newly_ended(&mut known, health(ended)).len();
        assert_eq!(count(true), 0);
        assert_eq!(count(false), 0);
        assert_eq!(count(true), 1);
        assert_eq!(count(true), 0);
    }

    #[tokio::test]
    async fn tabs_and_dialogs_are_told() {
        let scripted = Scripted::on(browser(serde_json::json!({}))).await;
        let keeper = &scripted.keeper;
        let mut reader = keeper.events.reader(Some(0));
        keep(keeper);
        let mut told = Vec::new();
        let mut until = async |last: &str| {
            while !told.iter().any(|line: &String| line.contains(last)) {
                for one in reader.next().await {
                    let EventLine::Event(event) = one else {
                        continue;
                    };
                    told.push(serde_json::to_string(&event.what).unwrap());
                }
            }
        };
        until(r#"{"event":"tab_opened","tab":"t1""#).await;
        scripted.opens_dialog("confirm");
        until(r#"{"event":"dialog_opened","tab":"t1","kind":"confirm","message":"sure?"}"#).await;
        let info = serde_json::json!({"targetId": TARGET, "type": "page", "title": "",
            "url": "http://b/", "attached": true, "canAccessOpener": false});
        let params = serde_json::json!({ "targetInfo": info });
        scripted
            .peer
            .event(None, "Target.targetInfoChanged", params);
        until(r#"{"event":"navigated","tab":"t1","url":"http://b/"}"#).await;
    }
}
