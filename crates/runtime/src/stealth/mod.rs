//! What every page, frame, popup and worker gets before its first script.
//!
//! With the native recipe of [`crate::launch`] an ordinary profile needs nothing at all. Emulation
//! commands apply what an identity asks for. Init scripts are for what neither a flag nor a command can
//! do on some platform; each one documents its measurement.

mod hints;
mod identity;
mod kind;
mod script;

use std::path::{Path, PathBuf};

use szk_cdp::protocol::page::{EnableParams, SetInterceptFileChooserDialogParams};
use szk_cdp::{Command, Request};
use szk_config::Identity;

use crate::find;

pub use kind::Kind;
pub use script::{Realm, Script, ScriptError, World};

/// A command for one target.
#[derive(Debug, Clone)]
pub struct TargetCommand {
    /// The command.
    pub command: Request,
    /// Whether stealth is incomplete if the target refuses it.
    pub vital: bool,
}

/// The commands per kind of target, made once per launch and never changed.
#[derive(Debug, Clone, Default)]
pub struct Stealth {
    page: Vec<TargetCommand>,
    frame: Vec<TargetCommand>,
    worker: Vec<TargetCommand>,
    worklet: Vec<TargetCommand>,
    /// What documents are sent before they run, without waiting for the answer.
    running: Vec<TargetCommand>,
    locale: Option<TargetCommand>,
}

/// The browser about to start, as far as an identity has to agree with it.
#[derive(Debug, Clone, Copy)]
pub struct Engine<'a> {
    /// Its full version, e.g. `156.0.8078.79`.
    pub version: &'a str,
    /// The vendor's brand beside Chromium's, if it has one.
    pub brand: Option<&'a str>,
}

impl<'a> Engine<'a> {
    /// The Chromium of this executable.
    #[must_use]
    pub fn of(binary: &Path, version: &'a str) -> Self {
        let brand = find::is_google_chrome(binary).then_some("Google Chrome");
        Self { version, brand }
    }
}

impl Stealth {
    /// The commands for an identity on this Chromium, with the built-in scripts and the user's.
    ///
    /// # Errors
    /// [`ScriptError`] if a script of the user is unreadable: a partly applied stealth layer is
    /// as visible as none.
    pub fn new(
        identity: &Identity,
        engine: &Engine<'_>,
        scripts: &[PathBuf],
    ) -> Result<Self, ScriptError> {
        let mut stealth = Self {
            page: identity::for_pages(identity, engine),
            frame: identity::for_frames(identity, engine),
            worker: identity::for_workers(identity, engine),
            worklet: Vec::new(),
            running: Vec::new(),
            locale: identity::locale(identity),
        };
        for documents in [&mut stealth.page, &mut stealth.frame] {
            documents.insert(0, TargetCommand::vital(&EnableParams::default()));
        }
        // Pages do not wait for the answers to these: a popup would keep its opener waiting.
        let built_in = script::built_in().into_iter();
        stealth.running = built_in.map(|script| script.for_next_documents()).collect();
        for script in scripts.iter().map(|path| Script::read(path)) {
            let script = script?;
            if script.realms.contains(&Realm::Page) {
                stealth.page.push(script.for_page());
                stealth.frame.push(script.for_page());
            }
            if script.realms.contains(&Realm::Worker) {
                stealth.worker.push(script.for_worker());
                stealth.worklet.push(script.for_worker());
            }
        }
        Ok(stealth)
    }

    /// The commands for a target of this kind, before its first script.
    #[must_use]
    pub fn orders(&self, kind: Kind) -> &[TargetCommand] {
        match kind {
            Kind::Page => &self.page,
            Kind::Frame => &self.frame,
            Kind::Worker => &self.worker,
            Kind::Worklet => &self.worklet,
            Kind::Tab => &[],
        }
    }

    /// For a browser without a display, which cancels a file chooser 2 ms after it opens. An intercepted one
    /// stays open, as in front of a person who has not chosen yet.
    #[must_use]
    pub fn without_display(mut self) -> Self {
        let kept_open = SetInterceptFileChooserDialogParams::new(true);
        self.running.push(TargetCommand::wished(&kept_open));
        self
    }

    /// The commands for a target of this kind whose answers it need not wait for.
    #[must_use]
    pub fn orders_once_running(&self, kind: Kind) -> &[TargetCommand] {
        match kind {
            Kind::Page | Kind::Frame => &self.running,
            Kind::Worker | Kind::Worklet | Kind::Tab => &[],
        }
    }

    /// Whether targets of this kind get this command.
    #[must_use]
    pub fn has(&self, kind: Kind, method: &str) -> bool {
        let mut orders = self.orders(kind).iter();
        orders.any(|order| order.method() == method)
    }

    /// The command that withdraws an emulation that pages get; `None` if they do not get it.
    #[must_use]
    pub fn undo(&self, method: &str) -> Option<TargetCommand> {
        self.has(Kind::Page, method)
            .then(|| identity::undo(method))?
    }

    /// The commands to repeat to the other targets of a process when one of its targets is gone.
    #[must_use]
    pub fn renewed(&self) -> Option<&TargetCommand> {
        self.locale.as_ref()
    }
}

impl TargetCommand {
    pub(crate) fn vital(command: &impl Command) -> Self {
        Self {
            command: Request::of(command),
            vital: true,
        }
    }

    pub(crate) fn wished(command: &impl Command) -> Self {
        Self {
            command: Request::of(command),
            vital: false,
        }
    }

    /// CDP method.
    #[must_use]
    pub fn method(&self) -> &str {
        self.command.method()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn google_chrome_has_a_brand_of_its_own() {
        let brand = |path: &str| Engine::of(Path::new(path), "156.0.0.0").brand;
        assert_eq!(brand("/opt/google/chrome/chrome"), Some("Google Chrome"));
        assert_eq!(brand("/usr/bin/chromium"), None);
    }

    #[test]
    fn only_a_browser_without_a_display_keeps_choosers_open() {
        let engine = Engine::of(Path::new("/usr/bin/chromium"), "156.0.0.0");
        let stealth = Stealth::new(&Identity::default(), &engine, &[]).unwrap();
        let script = "Page.addScriptToEvaluateOnNewDocument";
        let methods = |stealth: &Stealth, kind| -> Vec<String> {
            let orders = stealth.orders_once_running(kind).iter();
            orders.map(|order| order.method().to_owned()).collect()
        };
        assert_eq!(methods(&stealth, Kind::Page), [script]);
        let stealth = stealth.without_display();
        for kind in [Kind::Page, Kind::Frame] {
            let kept_open = "Page.setInterceptFileChooserDialog";
            assert_eq!(methods(&stealth, kind), [script, kept_open]);
        }
        assert!(stealth.orders_once_running(Kind::Worker).is_empty());
    }
}
