//! `browser_emulate`.

mod device;
mod state;

use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;
use szk_cdp::protocol::browser::{GetWindowForTargetParams, SetContentsSizeParams, WindowId};
use szk_cdp::protocol::target::TargetId;
use szk_cdp::{CallError, Command, Connection};
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_tools::browser::{ColorScheme, Emulate, EmulateInput, EmulateOutput, Setting};
use szk_tools::{Code, Done, Failure, Response};

pub(crate) use state::Emulations;
pub(super) use state::permission;
use state::{Emulation, Place, Size};

use crate::context::Keeper;
use crate::failure;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WindowOf {
    window_id: i64,
}

/// The page's inner size, read in our world.
const PAGE: &str = "function () { return { width: innerWidth, height: innerHeight } }";

/// Waits until the page has this size, which comes a little after the window has it: on a busy machine
/// seconds. A page that is hidden gets it when it is shown.
const SETTLED: &str = "function (width, height) {
  return new Promise(done => {
    const look = () => { if (innerWidth === width && innerHeight === height) end(true); };
    const end = result => { removeEventListener('resize', look); clearTimeout(limit); done(result); };
    const limit = setTimeout(() => end(false), document.hidden ? 500 : 5000);
    addEventListener('resize', look);
    look();
  });
}";

#[derive(Deserialize)]
struct PageNow {
    width: u32,
    height: u32,
}

pub(crate) async fn emulate(
    keeper: &Arc<Keeper>,
    input: &EmulateInput,
) -> Result<Response, Failure> {
    let size = input.viewport.as_deref().map(Size::read).transpose()?;
    let place = input.geolocation.as_deref().map(Place::read).transpose()?;
    let (running, tab) = keeper.tab(input.tab.as_deref()).await?;
    let changer = Changer {
        keeper,
        running: &running,
        tab: &tab,
    };
    let mut now = keeper.emulations.of(&tab);
    if input.reset == Some(true) {
        changer.undo(&now).await?;
        now = Emulation::default();
        keeper.emulations.set(&tab, &now);
    }
    // One after the other, each noted at once: what was done before a refusal can be undone.
    if let Some(size) = size {
        changer.resize(&mut now, size).await?;
    }
    let before = now.clone();
    if let Some(device) = input.device {
        changer.remember_size(&mut now).await?;
        now.device = Some(device);
    }
    now.place = place.or(now.place);
    now.scheme = input.color_scheme.or(now.scheme);
    now.offline = input.offline.unwrap_or(now.offline);
    if let Some(headers) = &input.headers {
        now.headers.clone_from(headers);
    }
    let stands = input.device.is_some()
        || place.is_some()
        || input.color_scheme.is_some()
        || input.offline.is_some()
        || input.headers.is_some();
    if stands {
        if let Err(refused) = changer.stand(&now).await {
            // Err: the first refusal is the one that is told.
            let _ = changer.stand(&before).await;
            return Err(refused);
        }
        keeper.emulations.set(&tab, &now);
    }
    for (name, setting) in input.permissions.iter().flatten() {
        changer.permit(&mut now, name, *setting).await?;
    }
    let output = EmulateOutput {
        session: keeper.session.name().to_string(),
        tab: tab.id.clone(),
        active: now.shown(),
    };
    let mut summary = if output.active.is_empty() {
        format!("{} has no overrides", tab.id)
    } else {
        format!("overrides of {}:", tab.id)
    };
    for one in &output.active {
        let noticed = one
            .noticed
            .as_ref()
            .map(|how| format!("; a page can detect it: {how}"));
        summary.push_str(&format!(
            "\n- {} {}{}",
            one.name,
            one.value,
            noticed.unwrap_or_default()
        ));
    }
    Response::of::<Emulate>(summary, &output)
}

/// Changes one tab.
struct Changer<'a> {
    keeper: &'a Keeper,
    running: &'a Running,
    tab: &'a Tab,
}

impl Changer<'_> {
    fn connection(&self) -> &Connection {
        self.running.supervisor.connection()
    }

    /// What holds for the tab, whatever page it shows; frames of other processes and workers need most of
    /// it too, now and when they come.
    async fn stand(&self, now: &Emulation) -> Result<(), Failure> {
        let supervisor = &self.running.supervisor;
        let stood = supervisor.set_tab_overrides(&self.tab.page.session, "emulate", now.standing());
        stood.await.map_err(refused)
    }

    /// By the window, which a page cannot tell from a person's doing. Every tab of the window changes.
    async fn resize(&self, now: &mut Emulation, size: Size) -> Result<(), Failure> {
        self.remember_size(now).await?;
        let window: WindowOf = self
            .connection()
            .ask(
                None,
                &GetWindowForTargetParams {
                    target_id: Some(TargetId::new(self.tab.page.target_id.as_str())),
                },
            )
            .await
            .map_err(refused)?;
        let params = SetContentsSizeParams {
            width: Some(size.width.into()),
            height: Some(size.height.into()),
            ..SetContentsSizeParams::new(WindowId::new(window.window_id))
        };
        self.root(&params).await?;
        self.settled(size).await?;
        now.size = Some(size);
        self.keeper.emulations.set(self.tab, now);
        Ok(())
    }

    /// One permission; the others stay as they are, which `Browser.grantPermissions` would not do.
    async fn permit(
        &self,
        now: &mut Emulation,
        name: &str,
        setting: Setting,
    ) -> Result<(), Failure> {
        let origin = super::origin(self.keeper, self.running, self.tab).await?;
        self.root(&permission(name, setting, &origin))
            .await
            .map_err(|failure| {
                if failure.code == Code::InvalidInput {
                    failure.hint("use the names of `navigator.permissions`: `geolocation`, `notifications`, `camera`, `microphone`, `clipboard-read`, …")
                } else {
                    failure
                }
            })?;
        now.permissions.insert((origin, name.to_owned()), setting);
        self.keeper.emulations.set(self.tab, now);
        Ok(())
    }

    async fn again(&self, now: &mut Emulation) -> Result<(), Failure> {
        for ((origin, name), setting) in &now.permissions {
            let params = permission(name, *setting, origin);
            self.root(&params).await?;
        }
        match now.size {
            Some(size) => self.resize(now, size).await,
            None => Ok(()),
        }
    }

    async fn undo(&self, now: &Emulation) -> Result<(), Failure> {
        self.running
            .supervisor
            .as_ordered(&self.tab.page.session)
            .await
            .map_err(refused)?;
        self.stand(&Emulation::default()).await?;
        if let Some(before) = now.size_before {
            // Without a device the page is as large as its window again.
            self.settled(now.size.unwrap_or(before)).await?;
            if now.size.is_some() {
                self.resize(&mut now.clone(), before).await?;
                let PageNow { width, height } = self.page().await?;
                if (width, height) != (before.width, before.height) {
                    return Err(Failure::new(
                        Code::NotActionable,
                        format!(
                            "the viewport is {width}x{height} instead of the original {}x{}",
                            before.width, before.height
                        ),
                    )
                    .hint("the window may not get that large; everything else is reset")
                    .effect(Done::Done));
                }
            }
        }
        for (origin, name) in now.permissions.keys() {
            let params = permission(name, Setting::Prompt, origin);
            self.root(&params).await?;
        }
        Ok(())
    }

    async fn remember_size(&self, now: &mut Emulation) -> Result<(), Failure> {
        if now.size_before.is_none() {
            let PageNow { width, height } = self.page().await?;
            now.size_before = Some(Size { width, height });
        }
        Ok(())
    }

    /// A page that is hidden, or a window that cannot be so large, is left as it is.
    async fn settled(&self, size: Size) -> Result<(), Failure> {
        let args = [json!(size.width), json!(size.height)];
        let worlds = &self.keeper.worlds;
        worlds
            .call(self.connection(), self.tab, SETTLED, &args)
            .await
            .map_err(refused)?;
        Ok(())
    }

    async fn page(&self) -> Result<PageNow, Failure> {
        let worlds = &self.keeper.worlds;
        let evaluated = worlds
            .call(self.connection(), self.tab, PAGE, &[])
            .await
            .map_err(refused)?;
        evaluated
            .result
            .read()
            .map_err(|error| Failure::internal(format!("the page's size is unknown: {error}")))
    }

    async fn root(&self, command: &impl Command) -> Result<(), Failure> {
        let done = self.connection().run(None, command).await;
        done.map_err(refused)
    }
}

/// An act has made a tab this large: a reset gives it its size back.
pub(crate) fn resized(keeper: &Keeper, tab: &Tab, before: (u32, u32), now: (u32, u32)) {
    let mut known = keeper.emulations.of(tab);
    known.size_before.get_or_insert(Size {
        width: before.0,
        height: before.1,
    });
    known.size = Some(Size {
        width: now.0,
        height: now.1,
    });
    keeper.emulations.set(tab, &known);
}

/// A browser that was started again has what stands in its tabs; the size of windows and permissions
/// are given to it here.
pub(crate) async fn again(keeper: &Keeper, running: &Running) {
    for tab in running.supervisor.tabs() {
        let mut now = keeper.emulations.of(&tab);
        let changer = Changer {
            keeper,
            running,
            tab: &tab,
        };
        if let Err(failure) = changer.again(&mut now).await {
            tracing::warn!(tab = tab.id, %failure, "cannot reset all overrides");
        }
    }
}

/// Chromium's own words where it refuses a value.
fn refused(error: CallError) -> Failure {
    match &error {
        CallError::Remote { message, .. } => {
            Failure::invalid(format!("Chromium refuses: {message}")).effect(Done::Unknown)
        }
        _ => failure::cdp("cannot override the environment", &error, Done::Unknown),
    }
}

/// A colour scheme in CSS's words.
fn css(scheme: ColorScheme) -> &'static str {
    match scheme {
        ColorScheme::Light => "light",
        ColorScheme::Dark => "dark",
    }
}
