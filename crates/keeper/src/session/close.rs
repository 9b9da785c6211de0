//! `session_close`.

use std::sync::Arc;

use szk_runtime::session::Why;
use szk_tools::session::{Close, CloseInput, CloseOutput};
use szk_tools::{Done, Failure, Response};

use crate::context::Keeper;

/// Saves and closes; answers after Chromium is gone and the profile is free.
pub(crate) async fn close(keeper: &Arc<Keeper>, input: &CloseInput) -> Result<Response, Failure> {
    let session = &keeper.session;
    let save = input.save.unwrap_or(true);
    let ephemeral = session.meta().ephemeral;
    if !save && !ephemeral {
        return Err(Failure::invalid(
            "`save` can be false only for a clone: a profile keeps what happened in it",
        )
        .hint("leave `save` out, or open the profile with `clone` next time"));
    }
    let session = session.clone();
    let name = session.name().to_string();
    // In a task of its own: a caller who goes away does not stop half way.
    let closed = tokio::spawn(async move { session.close(save, Why::Asked).await })
        .await
        .map_err(|error| {
            Failure::internal(format!("closing failed: {error}")).effect(Done::Unknown)
        })?;
    let output = CloseOutput {
        session: name,
        saved: closed.saved && !ephemeral,
        warnings: closed.warnings.clone(),
    };
    let mut summary = match (ephemeral, output.saved) {
        (true, _) => format!("closed `{}`; the copy is gone", output.session),
        (false, true) => format!("saved and closed `{}`", output.session),
        (false, false) => format!("closed `{}`", output.session),
    };
    for warning in &output.warnings {
        summary.push_str(&format!("\nnote: {warning}"));
    }
    Response::of::<Close>(summary, &output)
}
