//! A caller that answers by the name of the operation.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use szk_client::{Approver, EventLine};
use szk_mcp::Caller;
use szk_tools::failure::{Approval, Done};
use szk_tools::session::{HandoffEnd, HandoffInput, HandoffState};
use szk_tools::{Call, Code, Failure, Image, Progress, Response};
use tokio::sync::{Notify, broadcast, watch};

/// What each operation does: `session_handoff` and `workflow_login` behave as with a person who is
/// needed once; `session_list` returns its input; `session_open` reports progress and
/// answers; `session_close` never ends; `session_endpoint` waits for [`Fake::release`];
/// `browser_navigate` fails; `browser_pdf` needs an approval; `browser_screenshot` returns a picture; `browser_run_code` panics.
#[derive(Debug, Default)]
pub(crate) struct Fake {
    /// Calls made so far.
    pub(crate) calls: AtomicUsize,
    /// Calls of `session_close` now running.
    pub(crate) running: watch::Sender<usize>,
    /// Lets one `session_endpoint` answer.
    pub(crate) release: Notify,
    /// What became of the person, once a call waits for them.
    person: watch::Sender<Option<HandoffState>>,
    /// Calls of `session_handoff` and `workflow_login`, in order.
    heard: Mutex<Vec<(&'static str, Value)>>,
    /// Who could approve each call of `browser_pdf`, which a person has to: `one-time` is their token.
    pub(crate) approvers: Mutex<Vec<String>>,
    /// Whether a person's time to approve is over at once.
    pub(crate) hurries: AtomicBool,
    /// What happens in the session `work`.
    pub(crate) happens: Happens,
    /// How often that session was followed.
    pub(crate) following: watch::Sender<usize>,
    /// Whether that session is open.
    pub(crate) open: AtomicBool,
    /// Calls that wait for the person.
    waiting: watch::Sender<usize>,
}

impl Fake {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    /// What became of the person.
    pub(crate) fn person(&self, state: HandoffState) {
        self.person.send_replace(Some(state));
    }

    /// The calls of `session_handoff` and `workflow_login` so far.
    pub(crate) fn heard(&self) -> Vec<(&'static str, Value)> {
        self.heard.lock().unwrap().clone()
    }

    /// Calls that wait for the person now.
    pub(crate) fn waiting(&self) -> usize {
        *self.waiting.borrow()
    }

    async fn handoff(&self, input: &HandoffInput) -> Value {
        let state = match (input.end, input.wait) {
            (Some(HandoffEnd::Done), _) => HandoffState::Done,
            (Some(HandoffEnd::GivenUp), _) => HandoffState::GivenUp,
            // Its time is up.
            (None, Some(true)) if input.timeout_ms.is_some() => {
                let state = *self.person.borrow();
                state.unwrap_or(HandoffState::Waiting)
            }
            (None, Some(true)) => {
                let _waiting = Running::new(&self.waiting);
                let mut person = self.person.subscribe();
                let state = *person.wait_for(Option::is_some).await.unwrap();
                state.unwrap()
            }
            (None, _) => HandoffState::Waiting,
        };
        let url = (state == HandoffState::Waiting).then_some("http://127.0.0.1:9/");
        json!({"session": "work", "state": state, "url": url, "window": false})
    }

    fn hear(&self, call: &Call, name: &'static str) {
        let input = call.encode().unwrap();
        self.heard.lock().unwrap().push((name, input));
    }

    /// Waits until `count` calls of `session_close` are running.
    pub(crate) async fn until_running(&self, count: usize) {
        let mut running = self.running.subscribe();
        super::peer::soon(running.wait_for(|now| *now == count))
            .await
            .unwrap();
    }
}

/// Lines of the event stream.
#[derive(Debug)]
pub(crate) struct Happens(broadcast::Sender<Value>);

impl Default for Happens {
    fn default() -> Self {
        Self(broadcast::Sender::new(16))
    }
}

impl std::ops::Deref for Happens {
    type Target = broadcast::Sender<Value>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

/// Counts a call as running until it ends or is dropped.
struct Running<'a>(&'a watch::Sender<usize>);

impl<'a> Running<'a> {
    fn new(count: &'a watch::Sender<usize>) -> Self {
        count.send_modify(|count| *count += 1);
        Self(count)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

impl Caller for Fake {
    async fn follow(&self, session: &str, tell: &(dyn Fn(EventLine) + Send + Sync)) {
        assert_eq!(session, "work");
        let mut happens = self.happens.subscribe();
        self.following.send_modify(|count| *count += 1);
        while let Ok(line) = happens.recv().await {
            tell(serde_json::from_value(line).unwrap());
        }
    }

    async fn open_sessions(&self) -> Result<Vec<String>, Failure> {
        let open = self.open.load(Ordering::SeqCst);
        Ok(open.then(|| "work".to_owned()).into_iter().collect())
    }

    async fn call_approved(
        &self,
        call: Call,
        approver: Approver<'_>,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        // One page is to be printed only if a person agrees.
        if let Call::BrowserPdf(_) = &call {
            self.approvers.lock().unwrap().push(match approver {
                Approver::Nobody => "nobody".to_owned(),
                Approver::Person => "person".to_owned(),
                Approver::Agreed(token) => token.to_owned(),
            });
            if approver != Approver::Agreed("one-time") {
                return Err(Failure {
                    approval: (approver == Approver::Person).then(|| {
                        Box::new(Approval {
                            token: "one-time".into(),
                            seconds: match self.hurries.load(Ordering::SeqCst) {
                                true => 0,
                                false => 60,
                            },
                        })
                    }),
                    ..Failure::new(Code::NeedsApproval, "print this page")
                });
            }
        }
        self.call(call, progress).await
    }

    async fn call(
        &self,
        call: Call,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let name = call.spec().name;
        let mut response = Response {
            summary: format!("`{name}` is done"),
            data: json!({"input": call.encode()?}),
            ..Response::default()
        };
        match &call {
            Call::SessionHandoff(input) => {
                self.hear(&call, name);
                response.data = self.handoff(input).await;
                response.summary = match response.data["state"].as_str() {
                    Some("given_up") => "the person gave up".into(),
                    _ => response.summary,
                };
            }
            Call::WorkflowLogin(input) => {
                self.hear(&call, name);
                let person = input.url.is_some();
                let outcome = if person { "needs_person" } else { "logged_in" };
                response.data = json!({"session": "work", "tab": "t1", "outcome": outcome, "url": "https://shop.example/", "steps": []});
                if person {
                    response.data["handoff_url"] = "http://127.0.0.1:9/".into();
                }
            }
            _ => {}
        }
        match name {
            "session_open" => {
                for (done, message) in [(1, "starting"), (1, "again"), (2, "started")] {
                    progress(Progress {
                        message: message.into(),
                        done,
                        total: 2,
                        ..Progress::default()
                    });
                }
            }
            "session_close" => {
                let _running = Running::new(&self.running);
                std::future::pending::<()>().await;
            }
            "session_endpoint" => self.release.notified().await,
            "browser_navigate" => {
                return Err(Failure::new(Code::NavigationFailed, "`x` does not load")
                    .hint("check the URL")
                    .effect(Done::Done));
            }
            "browser_screenshot" => response.images.push(Image {
                mime: "image/png".into(),
                base64: "iVBORw0=".into(),
            }),
            "browser_run_code" => panic!("on purpose"),
            _ => {}
        }
        Ok(response)
    }
}
