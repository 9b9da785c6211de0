//! `szk doctor`: reports what is wrong on this machine, and the command that fixes it.
//!
//! It lives here because it needs what a keeper needs: the configuration, the store and a real start of
//! Chromium. It changes nothing.

mod browser;
mod explain;
mod profiles;
mod stealth;
mod system;

use szk_config::{Config, Origin};
use szk_store::Store;
use szk_tools::doctor::{Check, DoctorAsk, DoctorReport};

/// Runs all checks, in the order in which they build on each other.
pub async fn doctor(ask: DoctorAsk) -> DoctorReport {
    let mut checks = vec![Check::ok(
        "szk",
        format!("version {}", env!("CARGO_PKG_VERSION")),
    )];
    let origin = Origin::from_process();
    let config = match Config::load(&origin) {
        Ok(config) => config,
        Err(errors) => {
            checks.push(
                Check::fail("configuration", errors.to_string().trim_end())
                    .fix("szk doctor    # again, once that is corrected"),
            );
            return DoctorReport { checks };
        }
    };
    checks.push(files(&config));
    if ask.stealth {
        checks.extend(stealth::checks(&origin, ask.report.as_deref()).await);
        return DoctorReport { checks };
    }
    checks.extend(system::checks());
    checks.extend(browser::checks(&config).await);
    let root = ask.store.unwrap_or_else(|| config.store_root());
    let store = Store::at(root);
    // Measuring big profiles takes a while, and nothing else waits here.
    checks.extend(
        tokio::task::spawn_blocking(move || profiles::checks(&store))
            .await
            .unwrap_or_default(),
    );
    DoctorReport { checks }
}

fn files(config: &Config) -> Check {
    let files: Vec<String> = config
        .files()
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let detail = if files.is_empty() {
        "compiled-in defaults only".to_owned()
    } else {
        files.join(", ")
    };
    Check::ok("configuration", detail)
}
