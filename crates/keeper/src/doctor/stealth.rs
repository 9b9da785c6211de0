//! `szk doctor --stealth`: compares what a page sees in a profile with the user's own configuration and
//! in the same browser started by hand.

use std::path::Path;
use std::time::Duration;

use szk_config::Origin;
use szk_detectors::{Allowed, Report, Run, Server, Suite, Table};
use szk_runtime::launch::{ByHand, Mode, Plan};
use szk_runtime::session::{Opening, Session};
use szk_store::{Name, Store};
use szk_tools::doctor::Check;

use super::explain;

/// How long a browser may take for its visit: enough for the slowest usable machine.
const VISIT: Duration = Duration::from_secs(120);

/// Why the comparison could not be made.
type Trouble = Check;

pub(super) async fn checks(origin: &Origin, report: Option<&Path>) -> Vec<Check> {
    match compared(origin, report).await {
        Ok(checks) => checks,
        Err(trouble) => vec![trouble],
    }
}

async fn compared(origin: &Origin, report: Option<&Path>) -> Result<Vec<Check>, Trouble> {
    let trouble = |what: String| Check::fail("stealth", what).fix("szk doctor");
    let folder = tempfile::Builder::new()
        .prefix("szk-doctor-")
        .tempdir()
        .map_err(|error| trouble(format!("cannot create a temporary folder: {error}")))?;
    let server = Server::start().map_err(|error| trouble(error.to_string()))?;
    let opening = Opening {
        store: Store::at(folder.path().join("store")),
        name: Name::parse("doctor").map_err(|error| trouble(error.to_string()))?,
        clone_of: None,
        live_state: None,
        share: false,
        page_first: false,
        origin: origin.clone(),
        options: szk_config::CallOptions::default(),
    };
    let session = Session::open(opening, &|_, _, _| {})
        .await
        .map_err(|error| trouble(format!("cannot open a profile: {error}")))?;
    let mode = match session.mode() {
        Mode::Headless => "szk",
        Mode::Window => "szk-window",
    };
    let ours = visited(&session, server.expect(mode, Suite::Short)).await;
    let plan = Plan {
        user_data_dir: folder.path().join("by-hand"),
        ..session.plan().clone()
    };
    let resolved = session.resolved().clone();
    session.close(false, szk_runtime::session::Why::Asked).await;
    let ours = ours.map_err(trouble)?;
    let gold = started_by_hand(&plan, server.expect("by hand", Suite::Short))
        .await
        .map_err(trouble)?;
    let known = Allowed::known().map_err(|error| trouble(error.to_string()))?;
    let mut table = Table::new(gold.clone(), known.clone());
    let differences = table.add(ours).to_vec();
    let mut checks = explain::differences(&gold, &differences, &known, &resolved);
    checks.extend(explain::limits(&gold));
    if let Some(path) = report {
        checks.push(match std::fs::write(path, table.html()) {
            Ok(()) => Check::ok("report", path.display().to_string()),
            Err(error) => Check::fail("report", format!("`{}`: {error}", path.display()))
                .fix("szk doctor --stealth --report /tmp/stealth.html"),
        });
    }
    Ok(checks)
}

/// Navigates the session's tab to the detectors.
async fn visited(session: &Session, run: Run) -> Result<Report, String> {
    let running = session.running().await.map_err(|error| error.to_string())?;
    let tab = running
        .supervisor
        .current_tab()
        .ok_or("the profile has no tab")?;
    running
        .supervisor
        .send_to(&tab.page.session, &run.url())
        .await
        .map_err(|error| error.to_string())?;
    finished(run).await
}

async fn started_by_hand(plan: &Plan, run: Run) -> Result<Report, String> {
    let browser = ByHand::start(plan, &run.url()).map_err(|error| error.to_string())?;
    let report = finished(run).await;
    browser.end().await;
    report
}

async fn finished(run: Run) -> Result<Report, String> {
    tokio::task::spawn_blocking(move || run.report(VISIT))
        .await
        .map_err(|error| error.to_string())?
        .map_err(|error| error.to_string())
}
