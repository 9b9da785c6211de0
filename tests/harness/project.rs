//! A Playwright test project, as `szk init` creates it, and what runs it.

use std::fs;

use super::env::TestEnv;
use super::process::Process;
use super::wait::{SOON, wait_until};

impl TestEnv {
    /// Turns the working directory into a project with these files in addition to those of `szk init`.
    pub(crate) fn project(&self, files: &[(&str, &str)]) {
        self.szk(["init"]).ok();
        // The harness chooses the store.
        fs::remove_file(self.work().join("szk.config.toml")).unwrap();
        fs::remove_file(self.work().join("tests/example.spec.mjs")).unwrap();
        self.packages();
        for (name, text) in files {
            self.file(name, text);
        }
    }

    /// Writes a file of the working directory.
    pub(crate) fn file(&self, name: &str, text: &str) {
        let path = self.work().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Programs that keepers started for callers, and their descendants.
    pub(crate) fn programs(&self) -> Vec<Process> {
        let own = |process: &Process| {
            process.flags().next() == Some("leash") || !(process.is_szk() || process.is_chromium())
        };
        self.processes().into_iter().filter(own).collect()
    }

    /// Waits until nothing is left of any program.
    #[track_caller]
    pub(crate) fn no_program_is_left(&self) {
        wait_until("no program is left", SOON, || self.programs().is_empty());
    }
}
