//! `browser_arm`, and what is done when nothing is armed.

mod answer;
mod chooser;
mod dialog;
mod slots;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use szk_cdp::Reply;
use szk_page::emulation::permission;
use szk_page::event_log::{Prompt, Prompted};
use szk_page::prompts::http_login::{self, Login};
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_tools::browser::{Arm, ArmEvent, ArmInput, ArmOutput, Setting};
use szk_tools::{Code, Done, Failure, Response};

pub(crate) use answer::answer_prompts;
pub(crate) use chooser::{Chosen, Intercepting, became, served, waits};
pub(crate) use slots::{Leaving, Slots, Underway};

use super::view;
use crate::context::Keeper;
use crate::failure;

/// Seconds an answer is kept ready, when the call does not say, and at most.
const HOLDS: (u64, u64) = (30, 120);

/// What a page may ask a person for.
const ASKABLE: [&str; 7] = [
    "geolocation",
    "notifications",
    "camera",
    "microphone",
    "clipboard-read",
    "midi",
    "window-management",
];

pub(crate) async fn arm(keeper: &Arc<Keeper>, input: ArmInput) -> Result<Response, Failure> {
    check(&input)?;
    let seconds = input.seconds.unwrap_or(HOLDS.0).clamp(1, HOLDS.1);
    let holds = Duration::from_secs(seconds);
    let (running, tab) = keeper.tab_as_it_is(input.tab.as_deref()).await?;
    let event = input.event;
    let answered = match event {
        ArmEvent::Dialog | ArmEvent::Chooser => match pending(keeper, &tab, event) {
            Some(prompt) => {
                let given = answer::give(keeper, &running, &prompt, &input).await;
                match given {
                    // The browser has no such dialog.
                    Err(failure)
                        if event == ArmEvent::Dialog
                            && failure.code == Code::Internal
                            && dialog::is_closing(keeper, &prompt).await =>
                    {
                        return Err(dialog::too_late(keeper, &prompt, &tab.id));
                    }
                    given => given?,
                }
                true
            }
            None => {
                keeper.slots.arm(&tab, input, holds);
                if event == ArmEvent::Chooser {
                    chooser::intercept(&running, &tab).await?;
                    chooser::release_after(keeper, &running, &tab, holds);
                }
                false
            }
        },
        ArmEvent::Download => {
            keeper.slots.arm(&tab, input, holds);
            false
        }
        ArmEvent::Permission => {
            permit(keeper, &running, &tab, &input, holds).await?;
            false
        }
        ArmEvent::Auth => {
            let login = input.accept.unwrap_or(true).then(|| Login {
                username: input.username.clone(),
                password: input.password.clone(),
            });
            let page = view::page(&running, &tab);
            let armed = http_login::answer_next(&page, login, holds).await;
            armed.map_err(|error| failure::cdp("nothing was armed", &error, Done::Unknown))?;
            false
        }
    };
    let output = ArmOutput {
        session: keeper.session.name().to_string(),
        tab: tab.id,
        answered,
        seconds: if answered { 0 } else { seconds },
    };
    let name = name(event);
    let summary = if answered {
        format!("answered the {name} of {}", output.tab)
    } else {
        format!(
            "armed for the next {name} of {} within {seconds} s",
            output.tab
        )
    };
    Response::of::<Arm>(summary, &output)
}

/// An act has had choosers for itself: those that are armed for still come to us.
pub(super) async fn keep_intercepting(keeper: &Keeper, running: &Running, tab: &Tab) {
    if keeper.slots.holds(&tab.page.target_id, ArmEvent::Chooser) {
        // Err: the tab is gone, and its choosers with it.
        let _ = chooser::intercept(running, tab).await;
    }
}

fn name(event: ArmEvent) -> &'static str {
    match event {
        ArmEvent::Dialog => "dialog",
        ArmEvent::Chooser => "file chooser",
        ArmEvent::Download => "download",
        ArmEvent::Permission => "permission prompt",
        ArmEvent::Auth => "login prompt",
    }
}

/// Fields that mean nothing for this event are a mistake of the caller.
fn check(input: &ArmInput) -> Result<(), Failure> {
    use ArmEvent::{Auth, Chooser, Dialog, Download, Permission};
    for (field, given, of) in [
        ("text", input.text.is_some(), Dialog),
        ("paths", input.paths.is_some(), Chooser),
        ("path", input.path.is_some(), Download),
        ("permissions", input.permissions.is_some(), Permission),
        ("username", input.username.is_some(), Auth),
        ("password", input.password.is_some(), Auth),
    ] {
        if given && input.event != of {
            return Err(Failure::invalid(format!(
                "`{field}` is for a {}, not for a {}",
                name(of),
                name(input.event)
            ))
            .about([field]));
        }
    }
    let accepts = input.accept.unwrap_or(true);
    if input.event == Chooser && accepts {
        let paths = input.paths.as_deref().unwrap_or_default();
        if paths.is_empty() {
            return Err(Failure::invalid("`paths` is missing").about(["paths"]));
        }
        for path in paths {
            if !path.is_absolute() {
                return Err(Failure::invalid("`paths` must be absolute here").about(["paths"]));
            }
            super::uploads::readable(path)?;
        }
    }
    if input.event == Auth && accepts && (input.username.is_none() || input.password.is_none()) {
        return Err(Failure::invalid("`username` and `password` are missing")
            .about(["username", "password"]));
    }
    match &input.path {
        Some(path) => savable(path),
        None => Ok(()),
    }
}

/// A finished download can become this file.
fn savable(path: &Path) -> Result<(), Failure> {
    if !path.is_absolute() {
        return Err(Failure::invalid("`path` must be absolute here").about(["path"]));
    }
    if path.is_dir() {
        let message = format!("`path` is the folder `{}`", path.display());
        return Err(Failure::invalid(message)
            .about(["path"])
            .hint("add the name of the file to it"));
    }
    match path.parent() {
        Some(folder) if folder.is_dir() => Ok(()),
        folder => {
            let folder = folder.unwrap_or(path).display();
            Err(Failure::invalid(format!("there is no folder `{folder}`"))
                .about(["path"])
                .hint("create it, or name a file in a folder that exists"))
        }
    }
}

fn pending(keeper: &Keeper, tab: &Tab, event: ArmEvent) -> Option<Prompt> {
    let mut pending = keeper.event_log.pending().into_iter();
    pending.find(|prompt| {
        let fits = match prompt.what {
            Prompted::Dialog { .. } => event == ArmEvent::Dialog,
            Prompted::Chooser(_) => event == ArmEvent::Chooser,
            Prompted::Download { .. } => false,
        };
        fits && prompt.target == tab.page.target_id
    })
}

/// The browser does not tell when a page asks, so the answer is there beforehand, and is taken back.
async fn permit(
    keeper: &Arc<Keeper>,
    running: &Running,
    tab: &Tab,
    input: &ArmInput,
    holds: Duration,
) -> Result<(), Failure> {
    let origin = super::origin(keeper, running, tab).await?;
    let names = match &input.permissions {
        Some(names) => names.clone(),
        None => ASKABLE.map(str::to_owned).to_vec(),
    };
    let setting = if input.accept.unwrap_or(true) {
        Setting::Granted
    } else {
        Setting::Denied
    };
    let connection = running.supervisor.connection().clone();
    let set = move |name: &str, setting: Setting, origin: &str| {
        permission::set(&connection, name, super::emulate::setting(setting), origin)
    };
    for name in &names {
        set(name, setting, &origin).await.map_err(|error| {
            Failure::invalid(format!("cannot set the permission `{name}`: {error}"))
                .effect(Done::Unknown)
        })?;
    }
    tokio::spawn(async move {
        tokio::time::sleep(holds).await;
        for name in &names {
            // Err: the browser is gone, and the answer with it.
            let _ = set(name, Setting::Prompt, &origin).await;
        }
    });
    Ok(())
}

/// Waits until an answer has reached the browser.
async fn given(reply: Reply<szk_cdp::Done>) -> Result<(), Failure> {
    let done = reply.await;
    done.map(drop)
        .map_err(|error| failure::cdp("it was not answered", &error, Done::Unknown))
}

#[cfg(test)]
mod tests;
