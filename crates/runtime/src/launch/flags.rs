//! The fewest flags that make Chromium an ordinary browser, driven over a pipe.
//!
//! Each was measured against the same browser started by hand; `docs/stealth.md` has the table.
//! Deliberately absent: `--headless`, `--enable-automation`, any debugging port, `--disable-extensions`,
//! `--mute-audio`, `--hide-scrollbars`, `--lang` unless the identity has a locale.

use std::ffi::OsString;
use std::path::Path;

use szk_config::Identity;

use super::{Mode, Plan, features, hosts};

/// The flags of every start.
const ALWAYS: &[&str] = &[
    "--remote-debugging-pipe",
    // The pipe alone would make `navigator.webdriver` true.
    "--disable-blink-features=AutomationControlled",
    // Without it the flag above shows an info bar, which pages see as 56 px less height.
    "--test-type",
    "--no-first-run",
    "--no-default-browser-check",
    // szk restores tabs itself.
    "--hide-crash-restore-bubble",
    // The key of the cookie store must not depend on whether a desktop keyring runs: otherwise a profile
    // used from both a desktop and a service would lose its logins each time.
    "--password-store=basic",
    // A client that closes the last tab must not end the browser for all others; the session decides
    // when a window closed by a person ends it.
    "--keep-alive-for-test",
    // Chromium drops keys and clicks that come before a page's first frame. Only programs are that fast,
    // and their input would be lost silently.
    "--allow-pre-commit-input",
    // Chromium starts a process early on that its graphics and network processes are forked from. Each of them
    // is started by itself instead: a start takes 7 % less time, and no more memory.
    "--no-unsandboxed-zygote",
    // Agents may keep hundreds of profiles, which must not fetch components and sync in the background.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/// The same renderer in pages and in workers. With a graphics card, a browser in a window has that by
/// itself, and needs no flag that a browser started by hand does not have.
const SAME_RENDERER: [&str; 2] = ["--use-angle=gl-egl", "--ignore-gpu-blocklist"];

/// Without a graphics card, the two WebGL flags would also make Mesa draw whole pages in software. That
/// adds a third to the cost of a short session, and canvases differ from those of an ordinary browser
/// on such a machine. This flag makes Chromium draw pages and canvases itself, as it does by default.
const NO_GPU: &str = "--disable-gpu-compositing";

/// The headed browser without a display, with an ordinary screen, pointer and window.
const HEADLESS: &str = "--ozone-platform=headless";

/// `print()` shows the dialog of the platform, which has none: it is cancelled at once. Chromium's own preview
/// would hold the page up for ever, as nobody sees it.
const NO_PREVIEW: &str = "--disable-print-preview";

/// The platform of an X server.
const X11: &str = "--ozone-platform=x11";

/// A mouse, which a machine without a display may lack.
const MOUSE: &str = "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4";

/// Touch only. These settings come from the device on real hardware, so every realm and every media
/// query agrees.
const FINGER: &[&str] = &[
    "--blink-settings=primaryHoverType=1,availableHoverTypes=1,primaryPointerType=2,availablePointerTypes=2,maxTouchPoints=5",
    "--touch-events=enabled",
];

/// With a proxy, no packet may bypass it: WebRTC would send its own past the proxy, and reveal the
/// host's address. Host names need nothing more: the proxy resolves them, prefetched ones too. The same
/// applies if origins are limited: WebRTC talks to any address over UDP, which nothing else checks.
const NO_UDP: &str = "--webrtc-ip-handling-policy=disable_non_proxied_udp";

/// Screen of a headless browser, if the identity has none.
const SCREEN: (u32, u32) = (1920, 1080);
/// Window of a headless browser, if the identity has none.
const WINDOW: (u32, u32) = (1480, 940);
/// Where that window is on the screen.
const WINDOW_AT: (u32, u32) = (70, 50);
/// Height of a desktop's bar at the top of the screen.
const BAR: u32 = 28;
/// Height of tab strip and toolbar: window height minus page height, measured on Chromium 156.
const FRAME_HEIGHT: u32 = 87;

/// The command line of a start, without the executable.
#[must_use]
pub fn flags(plan: &Plan) -> Vec<OsString> {
    let mut flags: Vec<OsString> = ALWAYS.iter().map(OsString::from).collect();
    flags.push(joined("--user-data-dir=", &plan.user_data_dir));
    if plan.root {
        flags.push("--no-sandbox".into());
    }
    if !plan.gpu || plan.mode == Mode::Headless {
        flags.extend(SAME_RENDERER.iter().map(OsString::from));
    }
    if !plan.gpu {
        flags.push(NO_GPU.into());
    }
    let identity = &plan.identity;
    if identity.touch == Some(true) {
        flags.extend(FINGER.iter().map(OsString::from));
    } else if plan.mode == Mode::Headless && !plan.xvfb {
        flags.push(MOUSE.into());
    }
    if plan.mode == Mode::Headless {
        if plan.xvfb {
            // Otherwise Chromium would take a Wayland display that is in the environment.
            flags.push(X11.into());
            flags.extend(identity.device_scale_factor.map(scale_factor));
        } else {
            flags.push(HEADLESS.into());
            flags.push(NO_PREVIEW.into());
            flags.push(screen_info(identity));
        }
        let window = identity
            .viewport
            .map_or(WINDOW, |page| (page.width, page.height + FRAME_HEIGHT));
        flags.push(window_position(identity, window));
        flags.push(window_size(window));
    } else {
        if let Some(factor) = identity.device_scale_factor {
            flags.push(scale_factor(factor));
        }
        if let Some(page) = identity.viewport {
            flags.push(window_size((page.width, page.height + FRAME_HEIGHT)));
        }
    }
    if let Some(locale) = &identity.locale {
        flags.push(format!("--lang={locale}").into());
        flags.push(format!("--accept-lang={}", languages(locale)).into());
    }
    if let Some(proxy) = &identity.proxy {
        flags.push(format!("--proxy-server={}", proxy.server()).into());
    }
    if identity.proxy.is_some() || plan.bounds.policy().limits_origins() {
        flags.push(NO_UDP.into());
    }
    if let Some(rules) = hosts::rules(plan.bounds.policy(), identity.proxy.as_ref()) {
        flags.push(format!("--host-resolver-rules={rules}").into());
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
    }
    let mut off = Vec::new();
    if plan.mode == Mode::Headless {
        off.extend(features::UNSEEN);
    }
    if !plan.extensions.is_empty() {
        off.push(features::NO_EXTENSIONS);
    }
    flags.extend(features::turned_off(&off, &plan.extra_args));
    flags.push("about:blank".into());
    flags
}

/// The flag that opens Chromium's own debugging port beside the pipe. The port must be a given one:
/// pages can detect a port that Chromium chose.
pub(crate) fn raw_port(port: u16) -> String {
    format!("--remote-debugging-port={port}")
}

/// Environment variables for Chromium: the time zone, which is native in every realm this way.
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

/// Somewhere on the screen; a window that would leave it there is maximised, below the bar.
fn window_position(identity: &Identity, (width, height): (u32, u32)) -> OsString {
    let screen = screen(identity);
    let (x, y) = match WINDOW_AT.0 + width <= screen.0 && WINDOW_AT.1 + height <= screen.1 {
        true => WINDOW_AT,
        false => (0, bar(identity)),
    };
    format!("--window-position={x},{y}").into()
}

/// What pages of an identity see as the screen, in CSS pixels.
pub(super) fn screen(identity: &Identity) -> (u32, u32) {
    let screen = identity.screen;
    screen.map_or(SCREEN, |screen| (screen.width, screen.height))
}

/// Height of the bar at the top of the screen. A phone has none.
pub(super) fn bar(identity: &Identity) -> u32 {
    match identity.mobile {
        Some(true) => 0,
        _ => BAR,
    }
}

/// The screen of a machine without one, in device pixels.
fn screen_info(identity: &Identity) -> OsString {
    let (width, height) = screen(identity);
    let factor = identity.device_scale_factor.unwrap_or(1.0);
    let device = |css: u32| (f64::from(css) * factor).round();
    let density = match identity.device_scale_factor {
        Some(factor) => format!(" devicePixelRatio={factor}"),
        None => String::new(),
    };
    let bar = match bar(identity) {
        0 => String::new(),
        bar => format!(" workAreaTop={}", device(bar)),
    };
    format!(
        "--screen-info={{{}x{}{bar}{density}}}",
        device(width),
        device(height)
    )
    .into()
}

fn scale_factor(factor: f64) -> OsString {
    format!("--force-device-scale-factor={factor}").into()
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
    use szk_config::{Bounds, OriginPattern, Policy, Viewport};

    use super::*;

    fn plan(mode: Mode) -> Plan {
        Plan {
            binary: "/chromium".into(),
            user_data_dir: "/profile".into(),
            mode,
            xvfb: false,
            identity: Identity::default(),
            extensions: Vec::new(),
            user_agent: None,
            bounds: Bounds::open(),
            extra_args: Vec::new(),
            root: false,
            gpu: true,
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
    fn no_start_has_a_flag_that_pages_can_detect() {
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
    fn a_display_of_its_own_replaces_the_platform_that_has_none() {
        let text = text(&Plan {
            xvfb: true,
            identity: Identity {
                device_scale_factor: Some(2.0),
                ..Identity::default()
            },
            ..plan(Mode::Headless)
        });
        for gone in [HEADLESS, NO_PREVIEW, "--screen-info", MOUSE] {
            assert!(!text.contains(gone), "{gone}\n{text}");
        }
        for there in [
            X11,
            "--window-position=70,50",
            "--window-size=1480,940",
            "--force-device-scale-factor=2",
        ] {
            assert!(text.contains(there), "{there}\n{text}");
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
    fn a_graphics_card_is_used_where_there_is_one() {
        assert!(!text(&plan(Mode::Window)).contains(NO_GPU));
        let plan = Plan {
            gpu: false,
            ..plan(Mode::Window)
        };
        assert!(text(&plan).contains(NO_GPU));
    }

    #[test]
    fn a_window_with_a_graphics_card_has_the_graphics_of_any_browser() {
        let gl = |mode: Mode, gpu: bool| text(&Plan { gpu, ..plan(mode) }).contains("--use-angle");
        assert!(!gl(Mode::Window, true));
        assert!(gl(Mode::Window, false) && gl(Mode::Headless, true) && gl(Mode::Headless, false));
    }

    #[test]
    fn a_window_without_a_display_is_inside_its_screen() {
        let at = |screen: (u32, u32), page: (u32, u32), mobile: bool| {
            let size = |(width, height)| Viewport { width, height };
            let identity = Identity {
                screen: Some(size(screen)),
                viewport: Some(size(page)),
                mobile: Some(mobile),
                ..Identity::default()
            };
            let position = window_position(&identity, (page.0, page.1 + FRAME_HEIGHT));
            position.into_string().unwrap()
        };
        let fills = "--window-position=0,28";
        assert_eq!(at((1440, 900), (1440, 780), false), fills);
        assert_eq!(at((1920, 1080), (1920, 950), false), fills);
        assert_eq!(at((1440, 900), (1200, 780), false), fills);
        assert_eq!(
            at((1920, 1080), (1280, 720), false),
            "--window-position=70,50"
        );
        assert_eq!(at((412, 915), (412, 785), true), "--window-position=0,0");
        assert!(text(&plan(Mode::Headless)).contains("--window-position=70,50"));
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
    fn the_command_line_carries_the_user_agent_for_workers_that_no_command_reaches() {
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
    fn udp_is_closed_only_if_origins_are_limited() {
        let limited = Policy {
            denied_origins: vec![OriginPattern::read("bücher.example").unwrap()],
            ..Policy::open()
        };
        let told = text(&Plan {
            bounds: Bounds::new(limited, Vec::new()),
            ..plan(Mode::Headless)
        });
        assert!(told.contains(NO_UDP), "{told}");
        assert!(
            told.contains("=MAP xn--bcher-kva.example ~NOTFOUND"),
            "{told}"
        );
        assert!(!text(&plan(Mode::Headless)).contains("webrtc"));
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
