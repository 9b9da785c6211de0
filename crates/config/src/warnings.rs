//! What is allowed but detectable.

mod contradictions;

use crate::layer;
use crate::preset::PresetInfo;
use crate::{EndpointSettings, Identity, Settings, Viewport, check, switches};

/// The warnings for the settings in force, for `preset` on a profile that has `saved`.
pub(crate) fn collect(
    settings: &Settings,
    preset: Option<&PresetInfo>,
    saved: Option<&Identity>,
) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Some(preset) = preset {
        warnings.extend(preset.warnings.iter().cloned());
    }
    warnings.extend(kept(settings.identity.preset.as_deref(), saved));
    warnings.extend(pinned(&settings.identity));
    warnings.extend(oversized(&settings.identity));
    warnings.extend(narrow(&settings.identity).map(|size| {
        format!(
            "the viewport {size} comes out {} wide: Chromium's windows are not narrower",
            Viewport::NARROWEST_WINDOW
        )
    }));
    warnings.extend(contradictions::of(&settings.identity, preset));
    warnings.extend(endpoint(&settings.endpoint));
    let switches = switches::visible(&settings.browser.args);
    warnings.extend(switches.map(|name| format!("`browser.args`: pages can notice `{name}`")));
    warnings
}

/// Says that a profile keeps its identity although another preset was chosen, and which one.
fn kept(chosen: Option<&str>, saved: Option<&Identity>) -> Option<String> {
    let saved = saved?;
    let own = saved.preset.as_deref()?;
    let chosen = chosen.filter(|chosen| *chosen != own)?;
    let fields = layer::from_saved(saved).unwrap_or_default();
    let names = fields
        .iter()
        .filter_map(|entry| entry.key.path.split_once('.'));
    let names = names.map(|(_, name)| name).filter(|name| *name != "label");
    let names: Vec<_> = names.collect();
    let kept = match names.as_slice() {
        [] => String::new(),
        names => format!(" and keeps `{}`", names.join("`, `")),
    };
    Some(format!(
        "the profile was made with preset `{own}`{kept}; preset `{chosen}` sets the rest, for this session only"
    ))
}

/// What opens the profile to everyone, or gives it away through programs that join.
fn endpoint(settings: &EndpointSettings) -> impl Iterator<Item = String> {
    let unshielded = (!settings.shield).then(|| {
        "`endpoint.shield` is off: pages can notice every program that sends `Runtime.enable`"
            .to_owned()
    });
    let raw = settings.raw_port.map(|port| {
        format!(
            "`endpoint.raw_port`: Chromium's own port {port} is open; every program on this machine can drive the browser and read what is logged in, without token, shield or policy"
        )
    });
    unshielded.into_iter().chain(raw)
}

fn pinned(identity: &Identity) -> Option<String> {
    let user_agent = identity.user_agent.as_deref()?;
    check::pins_version(user_agent).then(|| {
        "`identity.user_agent` names a version of its own, which disagrees with the browser's client hints: write `{major}` or `{version}`".to_owned()
    })
}

/// A viewport narrower than any window can be.
pub(crate) fn narrow(identity: &Identity) -> Option<Viewport> {
    let size = identity.viewport?;
    let fits = size.width >= Viewport::NARROWEST_WINDOW || identity.mobile == Some(true);
    (!fits).then_some(size)
}

fn oversized(identity: &Identity) -> Option<String> {
    let (viewport, screen) = (identity.viewport?, identity.screen?);
    let fits = viewport.width <= screen.width && viewport.height <= screen.height;
    (!fits).then(|| format!("the viewport {viewport} does not fit the screen {screen}"))
}
