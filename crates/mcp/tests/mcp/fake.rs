//! A caller that answers by the name of the operation.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use szk_mcp::Caller;
use szk_tools::failure::Done;
use szk_tools::{Call, Code, Failure, Image, Progress, Response};
use tokio::sync::{Notify, watch};

/// What each operation does: `session_list` returns its input; `session_open` reports progress and
/// answers; `session_close` never ends; `session_endpoint` waits for [`Fake::release`];
/// `browser_navigate` fails; `browser_screenshot` returns a picture; `browser_run_code` panics.
#[derive(Debug, Default)]
pub(crate) struct Fake {
    /// Calls made so far.
    pub(crate) calls: AtomicUsize,
    /// Calls of `session_close` now running.
    pub(crate) running: watch::Sender<usize>,
    /// Lets one `session_endpoint` answer.
    pub(crate) release: Notify,
}

impl Fake {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Waits until `count` calls of `session_close` are running.
    pub(crate) async fn until_running(&self, count: usize) {
        let mut running = self.running.subscribe();
        super::peer::soon(running.wait_for(|now| *now == count))
            .await
            .unwrap();
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
            images: Vec::new(),
            files: Vec::new(),
            whole: None,
            unmet: false,
        };
        match name {
            "session_open" => {
                for (done, message) in [(1, "starting"), (1, "again"), (2, "started")] {
                    progress(Progress {
                        message: message.into(),
                        done,
                        total: 2,
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
