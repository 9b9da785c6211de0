//! `session_close`.

use std::sync::Arc;
use std::time::Duration;

use szk_runtime::session::{Closed, Why};
use szk_store::Profile;
use szk_tools::session::{Close, CloseInput, CloseOutput};
use szk_tools::{Code, Done, Failure, Response};
use szk_wire::events::Happening;
use szk_wire::{failure, names};
use tokio::time::Instant;

use crate::clients::Work;
use crate::context::Keeper;
use crate::sharing::tabs;

/// How long a call of another client may take that is about to end, as its caller has just gone.
const ENDING: Duration = Duration::from_millis(500);

/// Refuses to close beneath other clients: those that are connected, and calls of those that are not, such as
/// the commands of another terminal.
async fn alone(keeper: &Keeper) -> Result<(), Failure> {
    let own = keeper.visit.client().map(|client| client.id.as_str());
    let present = keeper.sharing.present().into_iter();
    let present = present.filter(|(id, _)| Some(id.as_str()) != own);
    let present: Vec<(String, String)> = present.collect();
    let work = match present.is_empty() {
        true => unfinished(keeper, own).await,
        false => keeper.clients.work_of_others(own),
    };
    let idle = present
        .into_iter()
        .filter(|(id, _)| !work.iter().any(|one| one.client == *id));
    let mut others: Vec<String> = idle.map(|(_, name)| name).collect();
    for one in &work {
        let busy = format!("{} (runs `{}`)", one.name, one.operation);
        if !others.contains(&busy) {
            others.push(busy);
        }
    }
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
        "leave it open for them: it closes by itself once nobody uses it; or close it for everybody with `force` (`szk close {session} --force`)"
    )))
}

/// Calls of other clients that do not end by themselves in a moment.
async fn unfinished(keeper: &Keeper, own: Option<&str>) -> Vec<Work> {
    let mut changes = keeper.clients.changes();
    let until = Instant::now() + ENDING;
    loop {
        changes.borrow_and_update();
        let work = keeper.clients.work_of_others(own);
        if work.is_empty() {
            return work;
        }
        let changed = tokio::time::timeout_at(until, changes.changed()).await;
        if !matches!(changed, Ok(Ok(()))) {
            return work;
        }
    }
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
    let name = session.name().to_string();
    let client = keeper.visit.client().map(|client| client.name.clone());
    keeper.events.tell(Happening::Closing { client });
    // In a task of its own, so that a caller who goes away does not interrupt it.
    let ending = end(Arc::clone(keeper), save, keep_as.clone());
    let closed = tokio::spawn(ending).await.map_err(|error| {
        Failure::internal(format!("closing failed: {error}")).effect(Done::Unknown)
    })??;
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

/// Closes the session, and gives a clone that is kept its name.
async fn end(
    keeper: Arc<Keeper>,
    save: bool,
    keep_as: Option<Profile>,
) -> Result<Arc<Closed>, Failure> {
    // The process does not end before this has.
    let _working = keeper.clients.begin();
    let closed = keeper.session.close(save, Why::Asked).await;
    keeper.audit.ended(&closed.why).await;
    if let Some(to) = keep_as {
        let profile = keeper.session.profile().clone();
        let name = keeper.session.name();
        let lock = profile.lock().map_err(|error| failure::lock(&error))?;
        profile.promote(lock, &to).map_err(|error| {
            let failure = failure::lock(&error).effect(Done::Done);
            failure.hint(format!("the clone is kept as the profile `{name}`"))
        })?;
    }
    Ok(closed)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use szk_wire::Client;
    use szk_wire::approvals::Approver;
    use szk_wire::events::EventLine;

    use super::*;
    use crate::testing::{Scripted, browser};

    /// Asks to close, and waits until the session closes or why it does not.
    async fn begin(keeper: &Arc<Keeper>, input: CloseInput) -> Result<(), Failure> {
        let mut reader = keeper.events.reader(Some(0));
        let closing = |told: &EventLine| match told {
            EventLine::Event(event) => matches!(event.what, Happening::Closing { .. }),
            EventLine::Missed(_) => false,
        };
        let begins = async { while !reader.next().await.iter().any(closing) {} };
        tokio::select! {
            closed = close(keeper, &input) => closed.map(drop),
            () = begins => Ok(()),
        }
    }

    async fn scripted() -> (Scripted, Arc<Keeper>) {
        let scripted = Scripted::on(browser(json!({}))).await;
        let own = scripted
            .keeper
            .for_client(Client::named("a"), Approver::Nobody);
        (scripted, own)
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_of_another_client_keeps_the_session_open() {
        let (_scripted, keeper) = scripted().await;
        let crawl = keeper.clients.work(&Client::named("b"), "workflow_crawl");
        let refused = begin(&keeper, CloseInput::default()).await.unwrap_err();
        assert_eq!(refused.code, Code::SessionBusy);
        let said = "is in use by b (runs `workflow_crawl`)";
        assert!(refused.message.ends_with(said), "{refused}");
        // It is named once, connected or not.
        let _here = keeper.clients.enter(Client::named("b"));
        let refused = begin(&keeper, CloseInput::default()).await.unwrap_err();
        assert!(refused.message.ends_with(said), "{refused}");
        let force = CloseInput {
            force: Some(true),
            ..CloseInput::default()
        };
        begin(&keeper, force).await.unwrap();
        drop(crawl);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_about_to_end_keeps_no_session_open() {
        let (_scripted, keeper) = scripted().await;
        let work = keeper.clients.work(&Client::named("b"), "browser_navigate");
        tokio::spawn(async move {
            tokio::time::sleep(ENDING / 2).await;
            drop(work);
        });
        begin(&keeper, CloseInput::default()).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_closes_what_it_works_in_itself() {
        let (_scripted, keeper) = scripted().await;
        let _work = keeper.clients.work(&Client::named("a"), "workflow_crawl");
        begin(&keeper, CloseInput::default()).await.unwrap();
    }

    #[tokio::test]
    async fn a_clone_that_is_kept_gets_its_name_without_its_caller() {
        let (_scripted, keeper) = scripted().await;
        let session = &keeper.session;
        session.scripted_as_clone();
        let input = CloseInput {
            keep_as: Some("shop".to_owned()),
            ..CloseInput::default()
        };
        // The caller goes away once it has begun.
        begin(&keeper, input).await.unwrap();
        let mut changes = keeper.clients.changes();
        while keeper.clients.quiet_since().is_some() {
            changes.changed().await.unwrap();
        }
        session.scripted_end();
        while keeper.clients.quiet_since().is_none() {
            changes.changed().await.unwrap();
        }
        let kept = session.profile().store().profile(&"shop".parse().unwrap());
        assert!(kept.exists());
        assert!(!session.profile().exists());
    }
}
