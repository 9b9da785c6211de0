//! Checks that there is a Chromium, and that it starts.

use szk_config::{CallOptions, Config, Identity, Source};
use szk_runtime::find::{self, FindError, Places};
use szk_runtime::launch::{self, Chromium, Ended, Mode, Plan};
use szk_tools::doctor::Check;

/// Finds the executable and really starts it, in a temporary folder.
pub(super) async fn checks(config: &Config) -> Vec<Check> {
    let resolved = match config.resolve(None, None, &CallOptions::default()) {
        Ok(resolved) => resolved,
        Err(errors) => {
            return vec![
                Check::fail("configuration", errors.to_string().trim_end())
                    .fix("szk doctor    # again, once that is corrected"),
            ];
        }
    };
    let explicit = resolved.settings.browser.chromium.clone();
    let source = match resolved.source("browser.chromium") {
        Source::Default => "the configuration".to_owned(),
        source => source.to_string(),
    };
    let found = find::find(
        explicit.as_deref().map(|path| (path, source.as_str())),
        &Places::of_this_machine(),
    );
    let found = match found {
        Ok(found) => found,
        Err(error @ FindError::Explicit { .. }) => {
            return vec![
                Check::fail("chromium", error.to_string())
                    .fix("unset SZK_CHROMIUM   # or correct browser.chromium"),
            ];
        }
        Err(error @ FindError::Nothing { .. }) => {
            return vec![Check::fail("chromium", error.to_string()).fix(install_command())];
        }
    };
    let version = find::version(&found.path).unwrap_or_else(|| "unknown version".to_owned());
    let detail = format!("{} ({}), {version}", found.path.display(), found.source);
    let mut checks = vec![match find::is_script(&found.path) {
        true => Check::warn(
            "chromium",
            format!("{detail}; it is a wrapper script that adds flags of its own"),
        )
        .fix("export SZK_CHROMIUM=/usr/lib/chromium/chromium"),
        false => Check::ok("chromium", detail),
    }];
    if let Some(locale) = &resolved.settings.identity.locale {
        let lacks = find::lacks_language(&found.path, locale);
        checks.push(match lacks {
            Some(lacks) => Check::warn("language", lacks).fix("sudo apt-get install chromium-l10n"),
            None => Check::ok("language", locale),
        });
    }
    checks.push(start(&found.path, resolved.settings.identity).await);
    checks
}

async fn start(binary: &std::path::Path, identity: Identity) -> Check {
    let Ok(folder) = tempfile::Builder::new().prefix("szk-doctor-").tempdir() else {
        return Check::fail("start", "cannot create a temporary folder")
            .fix("export TMPDIR=/var/tmp");
    };
    let plan = Plan {
        bounds: szk_config::Bounds::open(),
        binary: binary.to_owned(),
        user_data_dir: folder.path().to_owned(),
        mode: Mode::Headless,
        xvfb: false,
        identity,
        extensions: Vec::new(),
        user_agent: None,
        extra_args: Vec::new(),
        root: launch::is_root(),
        gpu: launch::has_gpu(),
    };
    let begun = std::time::Instant::now();
    match Chromium::start(&plan).await {
        Ok((chromium, _events)) => {
            let took = begun.elapsed().as_millis();
            let product = chromium.product().to_owned();
            let ended = chromium.end().await;
            Check::ok(
                "start",
                format!(
                    "{product} answered after {took} ms and {}",
                    match ended {
                        Ended::Asked => "exited when asked",
                        _ => "had to be killed",
                    }
                ),
            )
        }
        Err(error) => {
            let text = error.to_string();
            let check = Check::fail("start", text.clone());
            if text.contains("sandbox") {
                check.fix("sudo sysctl -w kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0")
            } else if text.contains("shared libraries") {
                check.fix(install_command())
            } else {
                check.fix(format!("{} --version", binary.display()))
            }
        }
    }
}

fn install_command() -> &'static str {
    let has = |program: &str| {
        std::env::var_os("PATH")
            .is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(program).exists()))
    };
    if has("apt-get") {
        "sudo apt-get install -y chromium"
    } else if has("dnf") {
        "sudo dnf install -y chromium"
    } else if has("pacman") {
        "sudo pacman -S chromium"
    } else if has("brew") {
        "brew install --cask google-chrome"
    } else {
        "npx playwright install chromium"
    }
}
