//! What runs the calls.

use szk_client::{Approver, EventLine};
use szk_tools::{Call, Failure, Progress, Response};

/// Runs operations of the catalogue; [`szk_client::Client`] outside tests.
pub trait Caller: Send + Sync + 'static {
    /// The connected program has this name.
    fn called(&self, _name: &str) {}

    /// Carries out a call; dropping the future cancels it.
    fn call(
        &self,
        call: Call,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> impl Future<Output = Result<Response, Failure>> + Send;

    /// The same for a call that a person may have to approve.
    fn call_approved(
        &self,
        call: Call,
        approver: Approver<'_>,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> impl Future<Output = Result<Response, Failure>> + Send;

    /// Names of the open sessions.
    fn open_sessions(&self) -> impl Future<Output = Result<Vec<String>, Failure>> + Send;

    /// Tells what happens in an open session, until it closes or cannot be followed. Begins with
    /// `Missed(0)`: nobody was listening before.
    fn follow(
        &self,
        session: &str,
        tell: &(dyn Fn(EventLine) + Send + Sync),
    ) -> impl Future<Output = ()> + Send;

    /// Completes once nothing is told any more, because the client may no longer hear it.
    fn ended(&self) -> impl Future<Output = ()> + Send {
        std::future::pending()
    }
}

impl Caller for szk_client::Client {
    fn called(&self, name: &str) {
        Self::called(self, name);
    }

    async fn call(
        &self,
        call: Call,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        Self::call(self, call, progress).await
    }

    async fn call_approved(
        &self,
        call: Call,
        approver: Approver<'_>,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        Self::call_approved(self, call, approver, progress).await
    }

    async fn open_sessions(&self) -> Result<Vec<String>, Failure> {
        Self::open_sessions(self).await
    }

    async fn follow(&self, session: &str, tell: &(dyn Fn(EventLine) + Send + Sync)) {
        match self.events(Some(session), None).await {
            Ok(mut events) => {
                tell(EventLine::Missed(0));
                while let Some(told) = events.next().await {
                    tell(told);
                }
            }
            Err(error) => tracing::debug!(%error, session, "cannot follow a session"),
        }
    }
}
