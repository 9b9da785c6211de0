//! `browser_emulate`.

mod device;
mod geolocation;
mod headers;
mod state;

use std::sync::Arc;

use szk_cdp::CallError;
use szk_page::Page;
use szk_page::emulation::{Scheme, permission, viewport, viewport::Size};
use szk_runtime::launch::Mode;
use szk_runtime::session::Running;
use szk_runtime::supervisor::{Tab, TabOverrides};
use szk_tools::browser::{ColorScheme, Emulate, EmulateInput, EmulateOutput, Setting};
use szk_tools::{Code, Done, Failure, Response};

pub(crate) use state::Emulations;
use state::TabEmulation;

use super::view;
use crate::context::Keeper;
use crate::failure;

pub(crate) async fn emulate(
    keeper: &Arc<Keeper>,
    input: &EmulateInput,
) -> Result<Response, Failure> {
    let in_window = keeper.session.mode() == Mode::Window;
    let size = input
        .viewport
        .as_deref()
        .map(|given| size(given, in_window));
    let size = size.transpose()?;
    let position = input.geolocation.as_deref().map(geolocation::read);
    let position = position.transpose()?;
    if let Some(wanted) = &input.headers {
        headers::check(wanted)?;
    }
    let (running, tab) = keeper.tab(input.tab.as_deref()).await?;
    let changer = Changer::new(keeper, &running, &tab);
    let mut now = keeper.emulations.of(&tab);
    if input.reset == Some(true) {
        changer.undo(&now).await?;
        now = TabEmulation::default();
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
    now.geolocation = position.or(now.geolocation);
    now.scheme = input.color_scheme.map(scheme).or(now.scheme);
    now.offline = input.offline.unwrap_or(now.offline);
    if let Some(headers) = &input.headers {
        now.headers.clone_from(headers);
    }
    let overrides = input.device.is_some()
        || input.geolocation.is_some()
        || input.color_scheme.is_some()
        || input.offline.is_some()
        || input.headers.is_some();
    if overrides {
        if let Err(refused) = changer.override_tab(&now).await {
            // Err: only the first refusal is reported.
            let _ = changer.override_tab(&before).await;
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
    Response::of::<Emulate>(summary(&output), &output)
}

fn summary(output: &EmulateOutput) -> String {
    if output.active.is_empty() {
        return format!("nothing is emulated in {}", output.tab);
    }
    let mut summary = format!("emulated in {}:", output.tab);
    for one in &output.active {
        let noticed = one.noticed.as_ref();
        let noticed = noticed.map(|how| format!("; a page can notice: {how}"));
        let noticed = noticed.unwrap_or_default();
        summary.push_str(&format!("\n- {} {}{noticed}", one.name, one.value));
    }
    summary
}

/// Changes one tab.
struct Changer<'a> {
    keeper: &'a Keeper,
    running: &'a Running,
    tab: &'a Tab,
    page: Page,
}

impl<'a> Changer<'a> {
    fn new(keeper: &'a Keeper, running: &'a Running, tab: &'a Tab) -> Self {
        Self {
            keeper,
            running,
            tab,
            page: view::page(running, tab),
        }
    }

    /// Sets what holds for the tab, whatever page it shows. Frames of other processes and workers get it
    /// too, now and when they come.
    async fn override_tab(&self, now: &TabEmulation) -> Result<(), Failure> {
        let emulated = now.emulated();
        let overrides = TabOverrides {
            everywhere: emulated.everywhere(),
            page: emulated.page(),
        };
        let supervisor = &self.running.supervisor;
        let set = supervisor.set_tab_overrides(&self.tab.page.session, "emulate", overrides);
        set.await.map_err(refused)
    }

    async fn resize(&self, now: &mut TabEmulation, size: Size) -> Result<(), Failure> {
        if self.fit(now, size).await? || self.is_of_a_device(now) {
            return Ok(());
        }
        let reached = self.size().await?;
        // With fractions of device pixels to a CSS pixel, a window has not every size.
        let near = |is: u32, asked: u32| is.abs_diff(asked) <= 1;
        if near(reached.width, size.width) && near(reached.height, size.height) {
            return Ok(());
        }
        // This size is reported, and undone later.
        now.size = Some(reached);
        self.keeper.emulations.set(self.tab, now);
        let (asked, has) = (text(size), text(reached));
        let message = format!("the viewport does not become `{asked}`: it is {has} now");
        Err(Failure::new(Code::NotActionable, message)
            .hint(
                "the browser has a smallest size, and is not larger than its screen: give a `viewport` between \
                 them, or imitate a small screen with `device`",
            )
            .effect(Done::Done))
    }

    /// Whether pages are laid out for the screen of a device, whatever the size of their window.
    fn is_of_a_device(&self, now: &TabEmulation) -> bool {
        now.device.is_some() || self.keeper.session.identity().mobile == Some(true)
    }

    /// Resizes the window; whether it took the size.
    async fn fit(&self, now: &mut TabEmulation, size: Size) -> Result<bool, Failure> {
        self.remember_size(now).await?;
        let resized = viewport::resize(&self.keeper.worlds, &self.page, size).await;
        let took = resized.map_err(refused)?;
        now.size = Some(size);
        self.keeper.emulations.set(self.tab, now);
        Ok(took)
    }

    async fn permit(
        &self,
        now: &mut TabEmulation,
        name: &str,
        setting: Setting,
    ) -> Result<(), Failure> {
        let origin = super::origin(self.keeper, self.running, self.tab).await?;
        self.set_permission(name, setting, &origin)
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

    async fn set_permission(
        &self,
        name: &str,
        value: Setting,
        origin: &str,
    ) -> Result<(), Failure> {
        let set = permission::set(&self.page.connection, name, setting(value), origin);
        set.await.map(drop).map_err(refused)
    }

    async fn again(&self, now: &mut TabEmulation) -> Result<(), Failure> {
        for ((origin, name), setting) in &now.permissions {
            self.set_permission(name, *setting, origin).await?;
        }
        match now.size {
            Some(size) => self.resize(now, size).await,
            None => Ok(()),
        }
    }

    async fn undo(&self, now: &TabEmulation) -> Result<(), Failure> {
        self.running
            .supervisor
            .as_ordered(&self.tab.page.session)
            .await
            .map_err(refused)?;
        self.override_tab(&TabEmulation::default()).await?;
        if let Some(before) = now.size_before {
            self.undo_size(now, before).await?;
        }
        for (origin, name) in now.permissions.keys() {
            self.set_permission(name, Setting::Prompt, origin).await?;
        }
        Ok(())
    }

    async fn undo_size(&self, now: &TabEmulation, before: Size) -> Result<(), Failure> {
        // Without a device the page is as large as its window again.
        let window = now.size.unwrap_or(before);
        let reached = viewport::reached(&self.keeper.worlds, &self.page, window).await;
        reached.map_err(refused)?;
        if self.size().await? == before {
            return Ok(());
        }
        self.fit(&mut now.clone(), before).await?;
        let Size { width, height } = self.size().await?;
        if (width, height) == (before.width, before.height) {
            return Ok(());
        }
        let message = format!(
            "the viewport is {width}x{height}, not {}x{} as before",
            before.width, before.height
        );
        Err(Failure::new(Code::NotActionable, message)
            .hint("it may be more than the screen allows; everything else is reset")
            .effect(Done::Done))
    }

    async fn remember_size(&self, now: &mut TabEmulation) -> Result<(), Failure> {
        if now.size_before.is_none() {
            now.size_before = Some(self.size().await?);
        }
        Ok(())
    }

    async fn size(&self) -> Result<Size, Failure> {
        let read = viewport::read(&self.keeper.worlds, &self.page).await;
        let size = read.map_err(refused)?;
        size.ok_or_else(|| Failure::internal("the page's size is unknown"))
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

/// Emulates in a browser that was started again what the supervisor does not: window sizes and permissions.
pub(crate) async fn again(keeper: &Keeper, running: &Running) {
    for tab in running.supervisor.tabs() {
        let mut now = keeper.emulations.of(&tab);
        let changer = Changer::new(keeper, running, &tab);
        if let Err(failure) = changer.again(&mut now).await {
            tracing::warn!(tab = tab.id, %failure, "not everything is emulated again");
        }
    }
}

/// Chromium's own words where it refuses a value.
fn refused(error: CallError) -> Failure {
    match &error {
        CallError::Remote { message, .. } => {
            Failure::invalid(format!("Chromium refuses: {message}")).effect(Done::Unknown)
        }
        _ => failure::cdp("the emulation was not changed", &error, Done::Unknown),
    }
}

/// `1280x800`, for a page that is in a window or in none.
fn size(text: &str, in_window: bool) -> Result<Size, Failure> {
    let side = |side: &str| side.trim().parse::<u32>().ok();
    let read = text.split_once('x').and_then(|(width, height)| {
        let (width, height) = (side(width)?, side(height)?);
        Some(Size { width, height })
    });
    let Some(read) = read else {
        let message = format!("`{text}` is not a size such as `1280x800`");
        return Err(Failure::invalid(message));
    };
    if [read.width, read.height]
        .iter()
        .all(|side| SIDES.contains(side))
    {
        return Ok(read);
    }
    let (least, most) = (SIDES.start(), SIDES.end());
    let small = read.width.min(read.height) < *least;
    Err(Failure::invalid(format!(
        "`{text}` is out of range: a side of a viewport is {least} to {most} pixels"
    ))
    .hint(match (small, in_window) {
        (true, true) => {
            "the page of a window is at least 500x150: imitate a smaller screen with `device`"
        }
        (true, false) => "imitate a small screen with `device`",
        (false, _) => "give a size that screens have, such as `1280x800`",
    }))
}

/// The sides that a viewport can be asked to have.
const SIDES: std::ops::RangeInclusive<u32> = 100..=10_000;

/// `1280x800`.
fn text(size: Size) -> String {
    format!("{}x{}", size.width, size.height)
}

fn scheme(scheme: ColorScheme) -> Scheme {
    match scheme {
        ColorScheme::Light => Scheme::Light,
        ColorScheme::Dark => Scheme::Dark,
    }
}

/// A permission's setting for the browser.
pub(super) fn setting(setting: Setting) -> permission::Setting {
    match setting {
        Setting::Granted => permission::Setting::Granted,
        Setting::Denied => permission::Setting::Denied,
        Setting::Prompt => permission::Setting::Prompt,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use szk_cdp::testing::{Answer, Script};

    use super::*;
    use crate::testing::{Scripted, browser};

    #[tokio::test]
    async fn a_viewport_that_does_not_become_so_small_is_told_with_the_one_that_there_is() {
        let page = Script::new().answer_with(|call| {
            let function = call.params["functionDeclaration"].as_str()?;
            let reads = function.contains("innerWidth");
            let value = match function.contains("setTimeout") {
                true => json!(false),
                false => json!({"width": 500, "height": 400}),
            };
            let said = json!({"result": {"type": "object", "value": value}});
            reads.then(|| Answer::ok(said))
        });
        let script = page
            .then(browser(json!({"url": "http://a/", "title": "A"})))
            .answer("Browser.getWindowForTarget", json!({"windowId": 3}));
        let scripted = Scripted::on(script).await;
        let input = EmulateInput {
            viewport: Some("120x130".to_owned()),
            ..EmulateInput::default()
        };
        let failure = emulate(&scripted.keeper, &input).await.unwrap_err();
        assert_eq!(
            (failure.code, failure.effect),
            (Code::NotActionable, Done::Done)
        );
        for size in ["`120x130`", "500x400"] {
            assert!(failure.message.contains(size), "{failure}");
        }
        assert!(!failure.to_string().contains("window"), "{failure}");
        // What it became is undone by a reset.
        let now = emulate(&scripted.keeper, &EmulateInput::default()).await;
        let now = now.unwrap().summary;
        assert!(now.contains("viewport 500x400"), "{now}");
    }

    #[test]
    fn a_size_that_is_too_small_is_refused_in_words_for_the_browser_that_there_is() {
        let hint = |in_window| size("1x1", in_window).unwrap_err().hint.unwrap();
        assert!(hint(true).contains("window"));
        assert!(!hint(false).contains("window"));
    }

    #[test]
    fn sizes() {
        let expected = Size {
            width: 1280,
            height: 800,
        };
        assert_eq!(size("1280x800", true).unwrap(), expected);
        for wrong in ["", "1280", "1x2", "99999x800", "axb"] {
            assert!(size(wrong, true).is_err(), "{wrong}");
        }
    }
}
