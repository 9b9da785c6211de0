//! `[policy]`, asked before anything is done. Requests of pages are the supervisor's.

use std::path::{Path, PathBuf};

use szk_config::Policy;
use szk_tools::browser::{RunTestInput, Runner, World};
use szk_tools::session::{RunTestInInput, StateAction};
use szk_tools::{Call, Code, Failure};

use crate::browser::shown;
use crate::context::Keeper;

/// Whether a call may be carried out at all.
pub(crate) fn check(keeper: &Keeper, call: &Call) -> Result<(), Failure> {
    let policy = keeper.policy();
    let own = || {
        let profile = keeper.session.profile();
        [profile.downloads_dir(), profile.artifacts_dir()]
    };
    let write = |path: &Option<PathBuf>| match path {
        Some(path) => may(path, policy.write.as_deref(), &own(), "write"),
        None => Ok(()),
    };
    let read = |path: &Path| may(path, policy.read.as_deref(), &own(), "read");
    match call {
        Call::BrowserRunCode(input) => {
            switch(policy.run_code, "run_code", "JavaScript of callers")?;
            if input.world == Some(World::Main) {
                switch(
                    policy.main_world,
                    "main_world",
                    "JavaScript in the page's own world",
                )?;
            }
            match input.runner {
                Some(Runner::Playwright) => programs(policy),
                _ => Ok(()),
            }
        }
        Call::BrowserRunFile(input) => {
            programs(policy)?;
            read(&input.path)
        }
        Call::BrowserRunTest(RunTestInput { tests, .. })
        | Call::SessionRunTest(RunTestInInput { tests, .. }) => {
            programs(policy)?;
            tests.dir.as_deref().map_or(Ok(()), read)
        }
        Call::SessionState(input) => match input.action {
            StateAction::Export => {
                switch(
                    policy.export_cookies,
                    "export_cookies",
                    "the export of cookies",
                )?;
                write(&input.path)
            }
            StateAction::Import => input.path.as_deref().map_or(Ok(()), read),
        },
        Call::BrowserSnapshot(input) => write(&input.path),
        Call::BrowserScreenshot(input) => write(&input.path),
        Call::BrowserPdf(input) => write(&input.path),
        Call::BrowserLogs(input) => write(&input.path),
        Call::BrowserAct(input) => input.paths.iter().flatten().try_for_each(|path| read(path)),
        Call::WorkflowFillForm(input) => {
            let paths = input.fields.iter().flat_map(|field| &field.paths);
            paths.flatten().try_for_each(|path| read(path))
        }
        Call::BrowserArm(input) => {
            write(&input.path)?;
            input.paths.iter().flatten().try_for_each(|path| read(path))
        }
        // Named one by one, so that whoever adds an operation decides. Each step of a batch comes here.
        Call::SessionOpen(_)
        | Call::SessionClose(_)
        | Call::SessionList(_)
        | Call::SessionDelete(_)
        | Call::SessionEndpoint(_)
        | Call::SessionHandoff(_)
        | Call::WorkflowLogin(_)
        | Call::WorkflowScrape(_)
        | Call::BrowserNavigate(_)
        | Call::BrowserFind(_)
        | Call::BrowserExtract(_)
        | Call::BrowserTabs(_)
        | Call::BrowserEmulate(_)
        | Call::BrowserBatch(_) => Ok(()),
    }
}

/// Whether a page may be at this address.
pub(crate) fn page(policy: &Policy, url: &str) -> Result<(), Failure> {
    if policy.allows(url) {
        return Ok(());
    }
    Err(denied(format!("`{}` is not among the allowed origins", shown(url)))
        .hint("`[policy]` of the configuration limits the origins; only the person who wrote it can change that"))
}

/// Programs have the rights of the user: beside them, limits on files and exports would mean nothing.
fn programs(policy: &Policy) -> Result<(), Failure> {
    switch(policy.run_code, "run_code", "JavaScript of callers")?;
    let limited = policy.read.is_some() || policy.write.is_some() || !policy.export_cookies;
    match policy.programs {
        Some(on) => switch(on, "programs", "running programs"),
        None if limited => Err(denied(
            "running programs is off, because `[policy]` limits files or exports, which a program could get around".to_owned(),
        )
        .hint("do it another way, or ask the person who wrote the configuration to set `[policy] programs = true`")),
        None => Ok(()),
    }
}

fn switch(on: bool, key: &str, what: &str) -> Result<(), Failure> {
    if on {
        return Ok(());
    }
    Err(denied(format!("{what} is off: `[policy] {key}` is false"))
        .hint("do it another way, or ask the person who wrote the configuration"))
}

/// Real paths: a link that leads elsewhere is what it leads to.
fn may(
    path: &Path,
    allowed: Option<&[PathBuf]>,
    own: &[PathBuf],
    what: &str,
) -> Result<(), Failure> {
    let Some(allowed) = allowed else {
        return Ok(());
    };
    let real = real(path);
    let within = |root: &PathBuf| {
        real.as_ref().is_some_and(|real| {
            std::fs::canonicalize(root).is_ok_and(|root| real.starts_with(root))
        })
    };
    if allowed.iter().any(within) || own.iter().any(within) {
        return Ok(());
    }
    Err(denied(format!(
        "`[policy] {what}` does not allow `{}`",
        path.display()
    ))
    .hint("the profile's own `artifacts` and `downloads` folders are always allowed"))
}

/// Where a path really is; of a file that is not there yet, where it will be.
fn real(path: &Path) -> Option<PathBuf> {
    if let Ok(real) = std::fs::canonicalize(path) {
        return Some(real);
    }
    // A link that leads nowhere would be written through.
    if path.is_symlink() {
        return None;
    }
    let folder = std::fs::canonicalize(path.parent()?).ok()?;
    Some(folder.join(path.file_name()?))
}

fn denied(message: String) -> Failure {
    Failure::new(Code::PolicyDenied, message)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_what_they_lead_to() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir_all(at("in/deep")).unwrap();
        fs::create_dir(at("out")).unwrap();
        fs::write(at("out/secret"), "").unwrap();
        symlink(at("out"), at("in/link")).unwrap();
        symlink(at("out/secret"), at("in/file")).unwrap();
        symlink(at("out/not-there"), at("in/dangling")).unwrap();
        let allowed = [at("in")];
        let may = |name: &str| may(&at(name), Some(&allowed), &[], "read").is_ok();
        for good in ["in/a", "in/deep/a", "in/deep/../a", "in"] {
            assert!(may(good), "{good}");
        }
        for wrong in [
            "out/secret",
            "in/link/secret",
            "in/file",
            "in/dangling",
            "in/../out/secret",
            "inner",
            "in/nowhere/a",
        ] {
            assert!(!may(wrong), "{wrong}");
        }
    }
}
