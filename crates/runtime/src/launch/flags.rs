//! The fewest flags with which Chromium is an ordinary browser that can be driven over a pipe.
//!
//! Each was measured against the same browser started by hand; `docs/stealth.md` has the table. Not
//! here, on purpose: `--headless`, `--enable-automation`, any debugging port, `--disable-extensions`,
//! `--mute-audio`, `--hide-scrollbars`, `--lang` without a locale of its own.

use std::ffi::OsString;
use std::path::Path;

use super::{Mode, Plan};

/// What every start has.
const ALWAYS: &[&str] = &[
    "--remote-debugging-pipe",
    // The pipe alone makes `navigator.webdriver` true.
    "--disable-blink-features=AutomationControlled",
    // Without it the flag above shows an info bar, which pages see as 56 px of height.
    "--test-type",
    "--no-first-run",
    "--no-default-browser-check",
    // szk restores tabs itself.
    "--hide-crash-restore-bubble",
    // The key of the cookie store must not depend on whether a desktop keyring runs: a profile used
    // from a desktop and from a service would be logged out by the other.
    "--password-store=basic",
    // The last tab closed by a client must not end the browser under everybody else; the session
    // decides when a window closed by a person ends it.
    "--keep-alive-for-test",
    // A profile that agents keep by the hundred must not fetch components and sync by itself.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    // The same renderer in pages and in workers, also without a GPU.
    "--use-angle=gl-egl",
    "--ignore-gpu-blocklist",
];

/// The headed browser without a display: a screen, a pointer and a window like anybody's.
const HEADLESS: &[&str] = &[
    "--ozone-platform=headless",
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
    "--window-position=70,50",
];

/// Screen of a headless browser when the identity does not say.
const SCREEN: (u32, u32) = (1920, 1080);
/// Window of a headless browser when the identity does not say.
const WINDOW: (u32, u32) = (1480, 940);
/// Height of tab strip and toolbar: window height minus page height, measured on 156.
const FRAME_HEIGHT: u32 = 87;

/// The command line of a start, without the executable.
#[must_use]
pub fn flags(plan: &Plan) -> Vec<OsString> {
    let mut flags: Vec<OsString> = ALWAYS.iter().map(OsString::from).collect();
    flags.push(joined("--user-data-dir=", &plan.user_data_dir));
    if plan.root {
        flags.push("--no-sandbox".into());
    }
    let identity = &plan.identity;
    if plan.mode == Mode::Headless {
        flags.extend(HEADLESS.iter().map(OsString::from));
        let (width, height) = identity
            .screen
            .map_or(SCREEN, |screen| (screen.width, screen.height));
        let density = identity
            .device_scale_factor
            .map(|factor| format!(" devicePixelRatio={factor}"))
            .unwrap_or_default();
        flags.push(format!("--screen-info={{{width}x{height} workAreaTop=28{density}}}").into());
        flags.push(window_size(
            identity
                .viewport
                .map_or(WINDOW, |page| (page.width, page.height + FRAME_HEIGHT)),
        ));
    } else if let Some(page) = identity.viewport {
        flags.push(window_size((page.width, page.height + FRAME_HEIGHT)));
    }
    if let Some(locale) = &identity.locale {
        flags.push(format!("--lang={locale}").into());
        flags.push(format!("--accept-lang={}", languages(locale)).into());
    }
    if let Some(proxy) = &identity.proxy {
        flags.push(format!("--proxy-server={}", proxy.server()).into());
    }
    if let Some(user_agent) = &plan.user_agent {
        flags.push(format!("--user-agent={user_agent}").into());
    }
    if !plan.extensions.is_empty() {
        let mut list = OsString::from("--load-extension=");
        for (index, folder) in plan.extensions.iter().enumerate() {
            if index > 0 {
                list.push(",");
            }
            list.push(folder);
        }
        flags.push(list);
        // Chromium ignores --load-extension by default since 137.
        flags.push("--disable-features=DisableLoadExtensionCommandLineSwitch".into());
    }
    flags.extend(plan.extra_args.iter().map(OsString::from));
    flags.push("about:blank".into());
    flags
}

/// What opens Chromium's own debugging port beside the pipe, for who asks for it. A fixed one: pages
/// notice a port that Chromium chose.
pub(crate) fn raw_port(port: u16) -> String {
    format!("--remote-debugging-port={port}")
}

/// Variables set for Chromium: the time zone, which is native in every realm this way.
#[must_use]
pub fn environment(plan: &Plan) -> Vec<(&'static str, OsString)> {
    let mut variables = Vec::new();
    if let Some(timezone) = &plan.identity.timezone {
        variables.push(("TZ", timezone.into()));
    }
    if let Some(locale) = &plan.identity.locale {
        variables.push(("LANGUAGE", locale.replace('-', "_").into()));
    }
    variables
}

/// `de-AT` → `de-AT,de`; the browser adds the weights itself.
fn languages(locale: &str) -> String {
    match locale.split_once('-') {
        Some((language, _)) => format!("{locale},{language}"),
        None => locale.to_owned(),
    }
}

fn window_size((width, height): (u32, u32)) -> OsString {
    format!("--window-size={width},{height}").into()
}

fn joined(flag: &str, path: &Path) -> OsString {
    let mut joined = OsString::from(flag);
    joined.push(path);
    joined
}

#[cfg(test)]
mod tests {
    use szk_config::{Identity, Viewport};

    use super::*;

    fn plan(mode: Mode) -> Plan {
        Plan {
            binary: "/chromium".into(),
            user_data_dir: "/profile".into(),
            mode,
            identity: Identity::default(),
            extensions: Vec::new(),
            user_agent: None,
            extra_args: Vec::new(),
            root: false,
        }
    }

    fn text(plan: &Plan) -> String {
        flags(plan)
            .iter()
            .map(|flag| flag.to_string_lossy().into_owned())
            .collect::<Vec<_>>()
            .join("\n")
    }

    #[test]
    fn nothing_that_pages_can_see_is_ever_given() {
        for mode in [Mode::Window, Mode::Headless] {
            let text = text(&plan(mode));
            for forbidden in [
                "--headless",
                "--enable-automation",
                "--remote-debugging-port",
                "--mute-audio",
                "--hide-scrollbars",
                "--no-sandbox",
            ] {
                assert!(!text.contains(forbidden), "{forbidden}\n{text}");
            }
            assert!(text.contains("--disable-blink-features=AutomationControlled"));
        }
    }

    #[test]
    fn only_root_goes_without_the_sandbox() {
        let plan = Plan {
            root: true,
            ..plan(Mode::Window)
        };
        assert!(text(&plan).contains("\n--no-sandbox"));
    }

    #[test]
    fn a_window_takes_screen_and_pointer_from_the_real_display() {
        let text = text(&plan(Mode::Window));
        for flag in [
            "--ozone-platform",
            "--screen-info",
            "--blink-settings",
            "--window-size",
        ] {
            assert!(!text.contains(flag), "{flag}\n{text}");
        }
    }

    #[test]
    fn workers_that_no_command_reaches_take_the_user_agent_from_the_command_line() {
        let user_agent = Some("Mozilla/5.0 X".to_owned());
        let told = Plan {
            user_agent,
            ..plan(Mode::Headless)
        };
        assert!(text(&told).contains("\n--user-agent=Mozilla/5.0 X\n"));
        assert!(!text(&plan(Mode::Headless)).contains("--user-agent"));
    }

    #[test]
    fn identity_becomes_flags_and_environment() {
        let identity = Identity {
            locale: Some("de-AT".into()),
            timezone: Some("Europe/Vienna".into()),
            viewport: Some(Viewport {
                width: 1000,
                height: 700,
            }),
            ..Identity::default()
        };
        let plan = Plan {
            identity,
            ..plan(Mode::Headless)
        };
        let text = text(&plan);
        assert!(
            text.contains("--lang=de-AT\n--accept-lang=de-AT,de"),
            "{text}"
        );
        assert!(text.contains("--window-size=1000,787"), "{text}");
        assert_eq!(environment(&plan)[0], ("TZ", "Europe/Vienna".into()));
    }

    #[test]
    fn a_proxys_password_never_reaches_the_command_line() {
        let identity = Identity {
            proxy: Some("http://user:secret@proxy.example:3128".parse().unwrap()),
            ..Identity::default()
        };
        let text = text(&Plan {
            identity,
            ..plan(Mode::Window)
        });
        assert!(
            text.contains("--proxy-server=http://proxy.example:3128"),
            "{text}"
        );
        assert!(!text.contains("secret"), "{text}");
    }
}
