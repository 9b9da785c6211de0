//! What each event says about an act.

use std::sync::atomic::Ordering;

use szk_cdp::Event;
use szk_cdp::net_error::NO_CONTENT;
use szk_cdp::own::{EventFrameScheduledNavigation, EventPageDownloadWillBegin};
use szk_cdp::protocol::network::{
    EventLoadingFailed, EventLoadingFinished, EventRequestWillBeSent, EventResponseReceived,
};
use szk_cdp::protocol::page::{
    EventDomContentEventFired, EventFileChooserOpened, EventFrameDetached, EventFrameNavigated,
    EventFrameRequestedNavigation, EventFrameStartedNavigating, EventFrameStoppedLoading,
    EventJavascriptDialogClosed, EventJavascriptDialogOpening, EventNavigatedWithinDocument,
};
use szk_cdp::protocol::target::{EventAttachedToTarget, EventDetachedFromTarget};

use super::Watch;
use crate::act::events::{Frame, NetworkEvent, PageEvent, TargetEvent};
use crate::act::outcome::{Dialog, Download, Journey, Navigation};
use crate::document::{RESTORED, UNKNOWN_ERROR};

impl Watch<'_> {
    /// Takes in an event of the tab, and counts it for the act once that has started.
    pub(super) fn absorb(&mut self, event: &Event) {
        match (&event.session, event.method.as_str()) {
            (_, EventDetachedFromTarget::IDENTIFIER) => {
                let gone: TargetEvent = event.read().unwrap_or_default();
                self.outcome.closed |= gone.session_id == self.sessions[0].as_str();
            }
            (_, EventAttachedToTarget::IDENTIFIER) => self.attached(event),
            (Some(session), method) if self.sessions.contains(session) => {
                if method == EventJavascriptDialogOpening::IDENTIFIER {
                    self.dialog_opens(event);
                } else if method == EventJavascriptDialogClosed::IDENTIFIER {
                    self.dialog_closed(event);
                } else if !self.begun.load(Ordering::Relaxed) {
                    // Not ours.
                } else if method.starts_with("Page.") {
                    self.page(event, method);
                } else if method.starts_with("Network.") {
                    self.network(event, method);
                }
            }
            _ => {}
        }
    }

    fn attached(&mut self, event: &Event) {
        let Ok(attached) = event.read::<TargetEvent>() else {
            return;
        };
        let info = attached.target_info;
        let opener = info.opener_id.as_deref();
        let ours = opener == Some(&self.target_id) || (opener.is_none() && self.expects_tab);
        // A prerendered page is not a tab, and may never be shown.
        let shown = info.r#type == "page" && info.subtype.is_none();
        if shown && ours && self.begun.load(Ordering::Relaxed) {
            self.outcome.tabs.push(info.target_id);
        }
    }

    fn page(&mut self, event: &Event, method: &str) {
        let told: PageEvent = event.read().unwrap_or_default();
        let in_frame = told.frame_id != self.target_id;
        match method {
            EventFrameRequestedNavigation::IDENTIFIER if !told.url.starts_with("javascript:") => {
                match told.disposition.as_str() {
                    "newTab" | "newWindow" => self.expects_tab = true,
                    "download" => {}
                    _ => drop(self.leaving.insert(told.frame_id, told.url)),
                }
            }
            EventFrameScheduledNavigation::IDENTIFIER => {
                self.ran_address |= told.url.starts_with("javascript:");
            }
            EventFrameStartedNavigating::IDENTIFIER
                if !told.navigation_type.ends_with("ameDocument") =>
            {
                self.answers.remove(&told.frame_id);
                self.leaving.insert(told.frame_id, told.url);
            }
            EventFrameNavigated::IDENTIFIER => {
                let frame = told.frame.unwrap_or_default();
                let status = self.answers.get(&frame.id).copied();
                let failed = frame.unreachable_url.is_some().then(|| self.why(&frame));
                let url = frame.unreachable_url.unwrap_or(frame.url);
                if frame.id == self.target_id {
                    // The frames of the old document are gone, wherever they were going.
                    self.leaving.clear();
                    self.requests.clear();
                    self.parsing = told.r#type != RESTORED;
                    self.document = frame.loader_id;
                } else {
                    self.leaving.remove(&frame.id);
                }
                let counts = self.went(url, Journey::Arrived, frame.id != self.target_id);
                if counts && let Some(navigation) = &mut self.outcome.navigation {
                    navigation.status = status;
                    navigation.failed = failed;
                }
            }
            EventNavigatedWithinDocument::IDENTIFIER => {
                self.leaving.remove(&told.frame_id);
                self.went(told.url, Journey::Within, in_frame);
            }
            EventFrameDetached::IDENTIFIER => {
                let url = self.leaving.remove(&told.frame_id);
                // One that moves to another process stays where it is.
                self.outcome.frames_removed += usize::from(told.reason == "remove");
                // It has arrived, in a process of its own, unless the page took it out.
                if let (Some(url), "swap") = (url, told.reason.as_str()) {
                    self.went(url, Journey::Arrived, in_frame);
                }
            }
            EventFileChooserOpened::IDENTIFIER => {
                self.outcome.chooser |= told.backend_node_id != 0;
                self.outcome.picker |= told.backend_node_id == 0;
            }
            EventDomContentEventFired::IDENTIFIER => self.parsing = false,
            EventFrameStoppedLoading::IDENTIFIER => {
                if let Some(url) = self.leaving.remove(&told.frame_id)
                    && !self.retried(&url, in_frame)
                    && self.went(url, Journey::Ended, in_frame)
                {
                    self.answered = self.answers.get(&told.frame_id).copied();
                }
            }
            EventPageDownloadWillBegin::IDENTIFIER => {
                self.leaving.remove(&told.frame_id);
                self.outcome.downloads.push(Download {
                    url: told.url,
                    filename: told.suggested_filename,
                });
            }
            _ => {}
        }
    }

    /// What the page itself does outweighs what its frames do; returns whether this counts.
    fn went(&mut self, url: String, journey: Journey, in_frame: bool) -> bool {
        let known = self.outcome.navigation.as_ref();
        let counts = known.is_none_or(|known| known.in_frame || !in_frame);
        if counts {
            self.outcome.navigation = Some(Navigation {
                url,
                journey,
                in_frame,
                status: None,
                failed: None,
            });
        }
        counts
    }

    /// Whether the browser only tried again what its error page is about: it does so by itself, first after a second,
    /// and keeps the page if that fails, too.
    fn retried(&self, url: &str, in_frame: bool) -> bool {
        let known = self.outcome.navigation.as_ref();
        known.is_some_and(|known| {
            known.failed.is_some() && known.in_frame == in_frame && known.url == url
        })
    }

    /// Why a document could not be loaded. Of a response with an error and nothing else, its status says it.
    fn why(&mut self, frame: &Frame) -> String {
        let text = self.failures.remove(&frame.loader_id);
        match (text, self.answers.get(&frame.id)) {
            (Some(text), Some(status)) if text == NO_CONTENT => format!("HTTP ERROR {status}"),
            (Some(text), _) => text,
            (None, Some(status)) if *status >= 400 => format!("HTTP ERROR {status}"),
            (None, _) => UNKNOWN_ERROR.to_owned(),
        }
    }

    fn network(&mut self, event: &Event, method: &str) {
        let told: NetworkEvent = event.read().unwrap_or_default();
        match method {
            EventRequestWillBeSent::IDENTIFIER => {
                // What pictures and the like need is no sign of work that goes on.
                let counts = matches!(told.r#type.as_str(), "XHR" | "Fetch" | "Script");
                if counts && self.requests.insert(told.request_id) {
                    self.outcome.requests += 1;
                }
            }
            EventResponseReceived::IDENTIFIER if told.r#type == "Document" => {
                self.answers.insert(told.frame_id, told.response.status);
            }
            EventLoadingFinished::IDENTIFIER | EventLoadingFailed::IDENTIFIER => {
                if told.r#type == "Document" && !told.error_text.is_empty() {
                    let id = told.request_id.clone();
                    self.failures.insert(id, told.error_text.clone());
                }
                // A document that breaks off is never parsed to its end.
                self.parsing &=
                    method == EventLoadingFinished::IDENTIFIER || told.request_id != self.document;
                self.requests.remove(&told.request_id);
            }
            _ => {}
        }
    }

    /// The task that answers all the browser's dialogs answers this one too, or says that it stays
    /// open.
    fn dialog_opens(&mut self, event: &Event) {
        let told: PageEvent = event.read().unwrap_or_default();
        self.outcome.dialogs.push(Dialog {
            kind: told.r#type,
            message: told.message,
            accepted: None,
        });
    }

    fn dialog_closed(&mut self, event: &Event) {
        let told: PageEvent = event.read().unwrap_or_default();
        let Some(dialog) = self.outcome.dialogs.last_mut() else {
            return;
        };
        dialog.accepted = Some(told.result);
        if dialog.kind == "beforeunload" && !told.result {
            // The page stays, and nothing else says so.
            self.leaving.clear();
        }
    }
}
