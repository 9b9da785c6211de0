//! A keeper on a scripted browser: handlers without Chromium.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use szk_cdp::testing::{Answer, Peer, Script};
use szk_config::Origin;
use szk_page::event_log::Prompt;
use szk_runtime::session::Session;
use szk_runtime::testing;
use szk_secrets::Secrets;
use szk_store::Store;
use tempfile::TempDir;

use crate::clients::Clients;
use crate::context::Keeper;
use crate::{dialogs, event_log};

/// CDP session of the first tab's page.
pub(crate) const PAGE: &str = "page";
/// Target, and main frame, of the first tab's page.
pub(crate) const TARGET: &str = "T-page";

/// A keeper, and the browser's end of its pipe.
pub(crate) struct Scripted {
    pub(crate) keeper: Arc<Keeper>,
    pub(crate) peer: Peer,
    _folder: TempDir,
}

impl Scripted {
    /// With the default configuration.
    pub(crate) async fn on(script: Script) -> Self {
        Self::configured(script, "").await
    }

    /// With a configuration file.
    pub(crate) async fn configured(script: Script, config: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("szk.config.toml"), config).unwrap();
        let opened = Session::scripted(folder.path(), script).await;
        let (session, peer) = opened.unwrap();
        let store = Store::at(folder.path().join("store"));
        let secrets = Secrets::of(&store, &Origin::default());
        let hold = Duration::from_secs(session.resolved().settings.session.hold_seconds);
        let keeper = Keeper::new(session, Clients::new(None, hold), secrets);
        event_log::keep(&keeper);
        Self {
            keeper,
            peer,
            _folder: folder,
        }
    }

    /// The page opens a dialog.
    pub(crate) fn opens_dialog(&self, kind: &str) {
        self.asks(kind, "");
    }

    /// The page opens a prompt whose field holds a text.
    pub(crate) fn opens_prompt(&self, text: &str) {
        self.asks("prompt", text);
    }

    fn asks(&self, kind: &str, text: &str) {
        let params = json!({"url": "http://a/", "frameId": TARGET, "message": "sure?", "type": kind,
            "hasBrowserHandler": false, "defaultPrompt": text});
        self.peer
            .event(Some(PAGE), "Page.javascriptDialogOpening", params);
    }

    /// Waits until the event log knows of an open dialog.
    pub(crate) async fn open_dialog(&self) -> Prompt {
        let mut changes = self.keeper.event_log.changes();
        loop {
            changes.borrow_and_update();
            match dialogs::open(&self.keeper.event_log, TARGET) {
                Some(prompt) => return prompt,
                None => changes.changed().await.unwrap(),
            }
        }
    }

    /// The calls of a method in the order in which they came.
    pub(crate) fn calls(&self, method: &str) -> Vec<Value> {
        let calls = self.peer.calls().into_iter();
        let calls = calls.filter(|call| call.method == method);
        calls.map(|call| call.params).collect()
    }
}

/// A browser whose documents say this about themselves, and rest at once. It closes dialogs when it is
/// told to.
pub(crate) fn browser(document: Value) -> Script {
    let said = json!({"result": {"type": "object", "objectId": "world", "value": document}});
    testing::browser()
        .answer("Page.createIsolatedWorld", json!({"executionContextId": 7}))
        .answer("Runtime.evaluate", said.clone())
        .answer("Runtime.callFunctionOn", said)
        .answer_with(|call| {
            let closes = call.method == "Page.handleJavaScriptDialog";
            let accept = call.params["accept"].clone();
            closes.then(|| closed_dialog(call.session.as_deref(), &accept))
        })
}

fn closed_dialog(session: Option<&str>, accept: &Value) -> Answer {
    let params = json!({"frameId": TARGET, "result": accept, "userInput": ""});
    let closed = Answer::silence().event(session, "Page.javascriptDialogClosed", params);
    closed.and(Answer::ok(json!({})))
}

/// What follows a `Page.navigate` that brings a document: its commit and its `load`.
pub(crate) fn loads(session: &str, loader: &str) -> Answer {
    let target = format!("T-{session}");
    let frame = json!({"id": target, "loaderId": loader, "url": "http://a/"});
    let load = json!({"frameId": target, "loaderId": loader, "name": "load"});
    Answer::ok(json!({"frameId": target, "loaderId": loader}))
        .event(
            Some(session),
            "Page.frameNavigated",
            json!({"frame": frame, "type": "Navigation"}),
        )
        .event(Some(session), "Page.lifecycleEvent", load)
}
