//! What runs the calls.

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
}
