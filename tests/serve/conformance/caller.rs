//! What szk's operations answer while the suite runs.

use std::time::Duration;

use serde_json::json;
use szk_client::{Approver, EventLine};
use szk_mcp::Caller;
use szk_tools::agent::RunInput;
use szk_tools::session::{HandoffEnd, HandoffInput};
use szk_tools::{Call, Code, Failure, Image, Progress, Response};

/// The smallest picture.
pub(super) const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/// No session is open, and nothing has a browser.
pub(super) struct Suite;

impl Caller for Suite {
    async fn call(
        &self,
        call: Call,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        match call {
            Call::SessionList(_) => Ok(done("This is a simple text response for testing.")),
            Call::BrowserScreenshot(_) => Ok(Response {
                images: vec![Image {
                    mime: "image/png".into(),
                    base64: PNG.into(),
                }],
                ..done("a picture")
            }),
            Call::SessionOpen(_) => {
                for done in [0, 50, 100] {
                    progress(Progress {
                        message: format!("{done} of 100"),
                        done,
                        total: 100,
                        ..Progress::default()
                    });
                }
                Ok(done("reported progress"))
            }
            Call::AgentRun(input) => compute(&input).await,
            Call::SessionHandoff(input) => person(&input).await,
            _ => {
                let why = "This tool intentionally returns an error for testing";
                Err(Failure::new(Code::NavigationFailed, why))
            }
        }
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
        Ok(Vec::new())
    }

    async fn follow(&self, _: &str, _: &(dyn Fn(EventLine) + Send + Sync)) {}
}

/// A task in words: how many seconds it takes, or what its answer is about. `fail` fails.
async fn compute(input: &RunInput) -> Result<Response, Failure> {
    if input.task == "fail" {
        return Err(Failure::new(Code::Internal, "the job failed"));
    }
    if let Ok(seconds) = input.task.parse() {
        let time = Duration::from_secs_f64(seconds);
        let _ = tokio::time::timeout(time, std::future::pending::<()>()).await;
    }
    Ok(done(&format!("computed {}", input.task)))
}

/// A person who says in the client when they are done.
async fn person(input: &HandoffInput) -> Result<Response, Failure> {
    let state = match (input.end, input.wait) {
        (Some(HandoffEnd::GivenUp), _) => "given_up",
        (Some(_), _) => "done",
        (None, Some(true)) => std::future::pending().await,
        (None, _) => "waiting",
    };
    let url = (state == "waiting").then_some("http://127.0.0.1:9/");
    Ok(Response {
        data: json!({"session": "work", "state": state, "url": url, "window": false}),
        ..done("handed over")
    })
}

fn done(summary: &str) -> Response {
    Response {
        summary: summary.into(),
        data: json!({}),
        ..Response::default()
    }
}
