//! What every page, frame, popup and worker gets before its first script.
//!
//! With the native recipe of [`crate::launch`] the answer for an ordinary profile is: nothing at all.
//! What an identity asks for is done by emulation commands, and init scripts exist for what neither a
//! flag nor a command can do on some platform; each one carries its measurement.

mod hints;
mod identity;
mod kind;
mod script;

use std::path::{Path, PathBuf};

use szk_cdp::protocol::page::EnableParams;
use szk_cdp::{Command, Request};
use szk_config::Identity;

pub use kind::Kind;
pub use script::{Realm, Script, ScriptError, World};

/// A command for one target.
#[derive(Debug, Clone)]
pub struct TargetCommand {
    /// What is sent.
    pub command: Request,
    /// Whether stealth is incomplete when it is refused.
    pub vital: bool,
}

/// The orders per kind of target; made once per launch and never changed.
#[derive(Debug, Clone, Default)]
pub struct Stealth {
    page: Vec<TargetCommand>,
    frame: Vec<TargetCommand>,
    worker: Vec<TargetCommand>,
    worklet: Vec<TargetCommand>,
    locale: Option<TargetCommand>,
}

/// The browser that is to be started, as far as an identity has to agree with it.
#[derive(Debug, Clone, Copy)]
pub struct Engine<'a> {
    /// Its whole version, e.g. `156.0.8078.79`.
    pub version: &'a str,
    /// The vendor's brand beside Chromium's, if it has one.
    pub brand: Option<&'a str>,
}

impl<'a> Engine<'a> {
    /// The Chromium of this executable.
    #[must_use]
    pub fn of(binary: &Path, version: &'a str) -> Self {
        let name = binary.file_name().unwrap_or_default().to_string_lossy();
        let brand = name.starts_with("google-chrome").then_some("Google Chrome");
        Self { version, brand }
    }
}

impl Stealth {
    /// The orders for an identity on this Chromium, with the built-in scripts and those
    /// of the user.
    ///
    /// # Errors
    /// [`ScriptError`] when a script of the user cannot be read: half a stealth layer is none.
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
            locale: identity::locale(identity),
        };
        for documents in [&mut stealth.page, &mut stealth.frame] {
            documents.insert(0, TargetCommand::vital(&EnableParams::default()));
        }
        for script in script::built_in()
            .into_iter()
            .map(Ok)
            .chain(scripts.iter().map(|path| Script::read(path)))
        {
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

    /// What a target of this kind gets before its first script.
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

    /// Whether this is ordered for such a target.
    #[must_use]
    pub fn has(&self, kind: Kind, method: &str) -> bool {
        let mut orders = self.orders(kind).iter();
        orders.any(|order| order.method() == method)
    }

    /// What takes an emulation back that is ordered for pages; `None` for what is not.
    #[must_use]
    pub fn undo(&self, method: &str) -> Option<TargetCommand> {
        self.has(Kind::Page, method)
            .then(|| identity::undo(method))?
    }

    /// What has to be said again to the others of a process when a target of it is gone.
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
