//! `session_run_test`: opens the session here; its keeper does the rest.

use szk_tools::session::{Afterwards, CloseInput, Open, OpenInput, RunTestInInput, Started};
use szk_tools::{Code, Failure, Progress, Response};

use crate::client::failed;
use crate::{Client, names};

impl Client {
    /// Opens the session and has its keeper run the tests.
    pub(crate) async fn run_test(
        &self,
        mut run: RunTestInInput,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        let clone = run.clone.unwrap_or(false);
        match (run.then, clone) {
            (Some(Afterwards::Save), true) => {
                return Err(
                    Failure::invalid("a clone cannot be saved: `then` is `save`")
                        .about(["then"])
                        .hint("use `keep`, then close it with `session_close` and `keep_as`"),
                );
            }
            (Some(Afterwards::Destroy), false) => {
                return Err(
                    Failure::invalid("only a clone can be destroyed: `then` is `destroy`")
                        .about(["then"])
                        .hint("test in a `clone`, or delete the profile with `session_delete`"),
                );
            }
            _ => {}
        }
        // The keeper would refuse it too, but only once it runs.
        self.may_run_programs()?;
        let name = names::or_default(self, run.session.as_deref()).await?;
        if run.session.is_some() {
            names::must_exist(self.store(), &name)?;
        }
        let ask = OpenInput {
            session: Some(name.to_string()),
            clone: clone.then_some(true),
            ..OpenInput::default()
        };
        // Boxed, because it is a call within a call.
        let opened = Box::pin(self.run::<Open>(ask, progress)).await?;
        let opened = opened.read::<Open>()?;
        let otherwise = match (clone, opened.started) {
            (true, _) => Afterwards::Destroy,
            (false, Started::Joined) => Afterwards::Keep,
            (false, Started::Started) => Afterwards::Save,
        };
        run.then = run.then.or(Some(otherwise));
        run.session = Some(opened.session.clone());
        let session = names::parse(&opened.session)?;
        let then = run.then;
        let ended = self.on_open(&session, &run.into(), progress).await;
        match ended {
            // The approval would be for this clone, and the next call makes another one.
            Err(failure) if clone && failure.code == Code::NeedsApproval => {
                let close = CloseInput {
                    session: Some(opened.session),
                    ..CloseInput::default()
                };
                self.on_open(&session, &close.into(), progress).await?;
                Err(Failure {
                    approval: None,
                    ..failure
                }
                .hint("open the clone with `session_open`, and run the tests there with `browser_run_test`"))
            }
            Err(failure) => {
                // Refused, it has ended nothing.
                let stays = then == Some(Afterwards::Keep) || failure.code == Code::NeedsApproval;
                let started = opened.started == Started::Started;
                Err(failed(failure, &session, started && stays))
            }
            ended => ended,
        }
    }
}
