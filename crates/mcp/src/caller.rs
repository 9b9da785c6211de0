//! What runs the calls.

use serde_json::Value;
use szk_tools::{Failure, Progress, Response};

/// Runs operations of the catalogue; [`szk_client::Client`] outside tests.
pub trait Caller: Send + Sync + 'static {
    /// Calls the operation `name`; dropping the future cancels it.
    fn call(
        &self,
        name: &str,
        input: Value,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> impl Future<Output = Result<Response, Failure>> + Send;
}

impl Caller for szk_client::Client {
    async fn call(
        &self,
        name: &str,
        input: Value,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        Self::call(self, name, input, progress).await
    }
}
