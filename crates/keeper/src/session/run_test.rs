//! `session_run_test`: navigates, tests, and then closes or keeps the session whatever happened.

use std::sync::Arc;
use std::time::Duration;

use szk_runtime::session::Why;
use szk_tools::browser::NavigateInput;
use szk_tools::session::{
    Afterwards, Close, CloseInput, CloseOutput, RunTestIn, RunTestInInput, RunTestInOutput,
};
use szk_tools::{Failure, Progress, Response};

use crate::browser;
use crate::context::Keeper;

/// How much of the budget loading the page may use.
const LOADING: Duration = Duration::from_secs(30);

/// The session is open by now, and `then` is set.
pub(crate) async fn run_test(
    keeper: &Arc<Keeper>,
    input: &RunTestInInput,
    limit: Duration,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Response, Failure> {
    let meta = keeper.session.meta();
    let then = input.then.unwrap_or(Afterwards::Keep);
    // A caller who goes away during the run can no longer close the session.
    let mut unfinished = Unfinished(Some((Arc::clone(keeper), then)));
    let tested = tested(keeper, input, limit, progress).await;
    unfinished.0 = None;
    let closed = afterwards(keeper, then).await;
    let (tested, warnings) = match (tested, closed) {
        (Ok(tested), Ok(closed)) => (tested, closed.map_or(Vec::new(), |closed| closed.warnings)),
        // Do not lose the results because of a later problem.
        (Ok(tested), Err(failure)) => (tested, vec![failure.message]),
        (Err(failure), Ok(_)) => return Err(with_end(failure, keeper, then)),
        (Err(mut failure), Err(second)) => {
            failure
                .message
                .push_str(&format!("\nand then: {}", second.message));
            return Err(failure);
        }
    };
    let mut summary = tested.summary;
    summary.push_str(&format!("\n{}", word(keeper, then)));
    for warning in &warnings {
        summary.push_str(&format!("\nnote: {warning}"));
    }
    let unmet = !tested.output.ok;
    let output = RunTestInOutput {
        tests: tested.output,
        clone_of: meta.clone_of.map(|name| name.to_string()),
        then,
        warnings,
    };
    let mut response = Response::of::<RunTestIn>(summary, &output)?;
    response.unmet = unmet;
    response.images = tested.images;
    response.files = tested.files;
    Ok(response)
}

async fn tested(
    keeper: &Arc<Keeper>,
    input: &RunTestInInput,
    limit: Duration,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<browser::Tested, Failure> {
    if let Some(url) = &input.url {
        let go = NavigateInput {
            url: Some(url.clone()),
            ..NavigateInput::default()
        };
        let loaded = tokio::time::timeout(LOADING.min(limit), browser::navigate(keeper, &go)).await;
        loaded.unwrap_or_else(|_| {
            Err(Failure::new(
                szk_tools::Code::Timeout,
                format!("`{}` did not load", browser::shown(url)),
            ))
        })?;
    }
    browser::test(keeper, &input.tests, limit, progress).await
}

async fn afterwards(
    keeper: &Arc<Keeper>,
    then: Afterwards,
) -> Result<Option<CloseOutput>, Failure> {
    let save = match then {
        Afterwards::Keep => return Ok(None),
        Afterwards::Save => None,
        Afterwards::Destroy => Some(false),
    };
    let input = CloseInput {
        save,
        // It was said how it ends when the run began; its own programs may still be leaving.
        force: Some(true),
        ..CloseInput::default()
    };
    super::close(keeper, &input)
        .await?
        .read::<Close>()
        .map(Some)
}

fn word(keeper: &Keeper, then: Afterwards) -> String {
    let name = keeper.session.name();
    match then {
        Afterwards::Keep => format!("`{name}` stays open"),
        Afterwards::Save => format!("`{name}` is saved and closed"),
        Afterwards::Destroy => format!("the clone `{name}` is deleted"),
    }
}

fn with_end(mut failure: Failure, keeper: &Keeper, then: Afterwards) -> Failure {
    failure
        .message
        .push_str(&format!("\n{}", word(keeper, then)));
    failure
}

/// What still has to be done with the session if the call is dropped.
struct Unfinished(Option<(Arc<Keeper>, Afterwards)>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        let Some((keeper, then)) = self.0.take() else {
            return;
        };
        if then != Afterwards::Keep {
            let save = then == Afterwards::Save;
            tokio::spawn(async move { keeper.session.close(save, Why::Asked).await });
        }
    }
}
