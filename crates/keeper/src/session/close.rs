//! `session_close`.

use std::sync::Arc;

use szk_runtime::session::Why;
use szk_tools::session::{Close, CloseInput, CloseOutput};
use szk_tools::{Code, Done, Failure, Response};
use szk_wire::events::Happening;
use szk_wire::{failure, names};

use crate::context::Keeper;
use crate::sharing::tabs;

/// Refuses to close beneath other clients. Single calls of a terminal are no clients: they have ended.
async fn alone(keeper: &Keeper) -> Result<(), Failure> {
    let own = keeper.visit.client().map(|client| client.id.as_str());
    let present = keeper.sharing.present().into_iter();
    let others = present.filter(|(id, _)| Some(id.as_str()) != own);
    let mut others: Vec<String> = others.map(|(_, name)| name).collect();
    if *keeper.visitors.borrow() > 0 {
        let endpoint = keeper.session.endpoint().await;
        let programs = endpoint.iter().flat_map(|open| &open.clients);
        others.extend(programs.map(tabs::program));
    }
    if others.is_empty() {
        return Ok(());
    }
    let session = keeper.session.name();
    Err(Failure::new(
        Code::SessionBusy,
        format!("`{session}` is in use by {}", others.join(", ")),
    )
    .hint(format!(
        "leave it open for them: it closes by itself once nobody uses it; or close it for everybody with `force` true (`szk close {session} --force`)"
    )))
}

/// Saves and closes; answers once Chromium is gone and the profile is free.
pub(crate) async fn close(keeper: &Arc<Keeper>, input: &CloseInput) -> Result<Response, Failure> {
    let session = &keeper.session;
    let save = input.save.unwrap_or(true);
    let ephemeral = session.meta().ephemeral;
    if !save && !ephemeral {
        return Err(Failure::invalid(
            "`save` false is only for a clone: a profile keeps its changes",
        )
        .about(["save"])
        .hint("leave out `save`, or open a clone of the profile next time"));
    }
    let keep_as = match &input.keep_as {
        None => None,
        Some(_) if !ephemeral => {
            return Err(
                Failure::invalid("`keep_as` is for a clone: this profile stays as it is")
                    .about(["keep_as"])
                    .hint("leave out `keep_as`"),
            );
        }
        Some(_) if !save => {
            return Err(Failure::invalid("`keep_as` does not go with `save` false")
                .about(["keep_as", "save"])
                .hint("leave out `save`"));
        }
        Some(to) => Some(names::free_profile(session.profile().store(), to)?),
    };
    if keep_as.is_some() {
        // What was copied for the clone may not be on disk yet.
        let profile = session.profile().clone();
        let synced = tokio::task::spawn_blocking(move || profile.sync()).await;
        synced
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
            .map_err(|error| failure::store(&error))?;
    }
    if input.force != Some(true) {
        alone(keeper).await?;
    }
    if keep_as.is_some() {
        session.stay().map_err(|error| failure::store(&error))?;
    }
    let ephemeral = ephemeral && keep_as.is_none();
    let profile = session.profile().clone();
    let session = session.clone();
    let name = session.name().to_string();
    let client = keeper.visit.client().map(|client| client.name.clone());
    keeper.events.tell(Happening::Closing { client });
    // In a task of its own, so that a caller who goes away does not interrupt it.
    let closed = tokio::spawn(async move { session.close(save, Why::Asked).await })
        .await
        .map_err(|error| {
            Failure::internal(format!("closing failed: {error}")).effect(Done::Unknown)
        })?;
    keeper.audit.ended(&closed.why).await;
    if let Some(to) = &keep_as {
        let lock = profile.lock().map_err(|error| failure::lock(&error))?;
        profile.promote(lock, to).map_err(|error| {
            let failure = failure::lock(&error).effect(Done::Done);
            failure.hint(format!("the clone is kept as the profile `{name}`"))
        })?;
    }
    let output = CloseOutput {
        session: name,
        saved: closed.saved && !ephemeral,
        kept_as: keep_as.map(|to| to.name().to_string()),
        warnings: closed.warnings.clone(),
    };
    let mut summary = match (ephemeral, output.saved) {
        _ if output.kept_as.is_some() => format!(
            "closed `{}`; it is now the profile `{}`",
            output.session,
            output.kept_as.as_deref().unwrap_or_default()
        ),
        (true, _) => format!("closed `{}` and deleted the copy", output.session),
        (false, true) => format!("saved and closed `{}`", output.session),
        (false, false) => format!("closed `{}`", output.session),
    };
    for warning in &output.warnings {
        summary.push_str(&format!("\nnote: {warning}"));
    }
    Response::of::<Close>(summary, &output)
}
