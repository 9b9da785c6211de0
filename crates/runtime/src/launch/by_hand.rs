//! The same browser as a person would start it: no client is connected, and its command line lacks the
//! flags that szk needs for itself. Detectors compare our browser with it.

use std::ffi::OsString;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::Child;

use super::{LaunchError, Plan, environment, features, flags, spawn};

/// Flags that only szk needs.
const OURS: [&str; 6] = [
    "--remote-debugging-pipe",
    "--disable-blink-features=AutomationControlled",
    "--keep-alive-for-test",
    "--allow-pre-commit-input",
    "--no-unsandboxed-zygote",
    "about:blank",
];

/// A browser without a client. Dropping this ends it.
pub struct ByHand {
    child: Child,
}

impl ByHand {
    /// Starts it at a page, with the window, language and graphics of `plan` and nothing else from it:
    /// no user agent, no additional flags, no extensions.
    ///
    /// # Errors
    /// [`LaunchError::Spawn`].
    pub fn start(plan: &Plan, url: &str) -> Result<Self, LaunchError> {
        let child = spawn::by_hand(&plan.binary, &command_line(plan, url), &environment(plan))
            .map_err(|source| LaunchError::Spawn {
                path: plan.binary.clone(),
                source,
            })?;
        Ok(Self { child })
    }

    /// How it exited, if it has.
    pub fn exit(&mut self) -> Option<String> {
        let status = self.child.try_wait().ok().flatten()?;
        Some(status.to_string())
    }

    /// Kills it and waits until it is gone. Its profile need not be saved.
    pub async fn end(mut self) {
        self.kill();
        // Err: it was reaped already.
        let _ = self.child.wait().await;
    }

    fn kill(&self) {
        let pid = self.child.id().and_then(|id| i32::try_from(id).ok());
        if let Some(group) = pid.and_then(Pid::from_raw) {
            // Err: it has just exited by itself.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Drop for ByHand {
    fn drop(&mut self) {
        self.kill();
    }
}

fn command_line(plan: &Plan, url: &str) -> Vec<OsString> {
    let plain = Plan {
        user_agent: None,
        xvfb: false,
        extensions: Vec::new(),
        extra_args: Vec::new(),
        ..plan.clone()
    };
    let mut line: Vec<OsString> = flags(&plain)
        .into_iter()
        .filter(|flag| !OURS.iter().any(|ours| flag == ours))
        .filter(|flag| !flag.to_string_lossy().starts_with(features::FLAG))
        // Without this flag root's browser shows a bar about its missing sandbox.
        .filter(|flag| plan.root || flag != "--test-type")
        .collect();
    line.push(url.into());
    line
}

#[cfg(test)]
mod tests {
    use szk_config::Identity;

    use super::*;
    use crate::launch::Mode;

    #[test]
    fn its_command_line_has_none_of_our_flags() {
        let plan = Plan {
            binary: "/chromium".into(),
            user_data_dir: "/profile".into(),
            mode: Mode::Headless,
            xvfb: false,
            identity: Identity::default(),
            extensions: vec!["/extension".into()],
            user_agent: Some("Mozilla/5.0 X".into()),
            bounds: szk_config::Bounds::open(),
            extra_args: vec!["--extra".into()],
            root: false,
            gpu: true,
        };
        let line: Vec<String> = command_line(&plan, "http://127.0.0.1/")
            .iter()
            .map(|flag| flag.to_string_lossy().into_owned())
            .collect();
        for flag in [
            "--remote-debugging",
            "--disable-blink",
            "--disable-features",
            "--test-type",
            "--no-unsandboxed-zygote",
            "--extra",
            "--load-ext",
            "--user-agent",
            "about:",
        ] {
            assert!(
                !line.iter().any(|given| given.starts_with(flag)),
                "{line:?}"
            );
        }
        assert!(
            line.contains(&"--ozone-platform=headless".to_owned()),
            "{line:?}"
        );
        assert_eq!(line.last().unwrap(), "http://127.0.0.1/");
    }
}
