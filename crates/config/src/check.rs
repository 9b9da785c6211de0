//! Values that can be checked without a browser. Locales and time zones have files of their own.

use std::path::{Path, PathBuf};

use url::{Origin, Url};

use crate::Viewport;
use crate::identity::Geolocation;
use crate::nearest::nearest;
use crate::settings::Hidden;

/// An unusable value; the message names it and says what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct InvalidValue {
    message: String,
    hint: Option<String>,
}

impl InvalidValue {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
        }
    }

    /// Adds the value that was probably meant.
    pub(crate) fn meant(mut self, near: Option<impl std::fmt::Display>) -> Self {
        self.hint = near.map(|near| format!("did you mean `{near}`?"));
        self
    }

    /// What to write instead.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

/// What every check returns.
pub(crate) type Checked = Result<(), InvalidValue>;

fn ensure(holds: bool, message: impl FnOnce() -> String) -> Checked {
    if holds {
        return Ok(());
    }
    Err(InvalidValue::new(message()))
}

/// Longest user agent: real ones have 150 characters, and servers refuse long headers.
const LONGEST_USER_AGENT: usize = 1000;

/// A header value whose placeholders are known ones.
pub(crate) fn user_agent(text: &str) -> Checked {
    ensure(!text.trim().is_empty(), || {
        "a user agent cannot be empty".to_owned()
    })?;
    ensure(text.len() <= LONGEST_USER_AGENT, || {
        format!(
            "a user agent has at most {LONGEST_USER_AGENT} characters, this one has {}",
            text.len()
        )
    })?;
    let printable = text.bytes().all(|b| (0x20..0x7f).contains(&b));
    ensure(printable, || {
        "a user agent is printable ASCII on one line".to_owned()
    })?;
    ensure(text.trim() == text, || {
        "a user agent neither begins nor ends with a space".to_owned()
    })?;
    placeholders(text)
}

fn placeholders(text: &str) -> Checked {
    const KNOWN: [&str; 2] = ["major", "version"];
    let rest = text.replace("{major}", "").replace("{version}", "");
    let Some((_, from)) = rest.split_once(['{', '}']) else {
        return Ok(());
    };
    let word = from.split('}').next().unwrap_or_default();
    let near = nearest(word, KNOWN).map(|near| format!("{{{near}}}"));
    Err(InvalidValue::new(format!(
        "`{text}` has an unknown placeholder: there are `{{major}}` and `{{version}}`"
    ))
    .meant(near))
}

/// Whether a user agent names a version of its own, which soon disagrees with the client hints.
pub(crate) fn pins_version(user_agent: &str) -> bool {
    let digit_after = |(at, mark): (usize, &str)| {
        let next = user_agent[at + mark.len()..].chars().next();
        next.is_some_and(|c| c.is_ascii_digit())
    };
    user_agent.match_indices("Chrome/").any(digit_after)
}

/// A page size that sites are made for. [`Viewport`] itself reads every size, because profiles may
/// have saved one.
pub(crate) fn viewport(size: &Viewport) -> Checked {
    if size.width >= Viewport::NARROWEST && size.height >= Viewport::LOWEST {
        return Ok(());
    }
    // Anyone who asks for one that small wants a small window, not a phone.
    let near = Viewport {
        width: size.width.max(Viewport::NARROWEST_WINDOW),
        height: size.height.max(Viewport::LOWEST),
    };
    Err(InvalidValue::new(format!(
        "`{size}` is too small: the page of a window is at least {}x{lowest}, and that of a phone {}x{lowest}",
        Viewport::NARROWEST_WINDOW,
        Viewport::NARROWEST,
        lowest = Viewport::LOWEST
    ))
    .meant(Some(near)))
}

/// A level, or comma-separated `target=level` directives.
pub(crate) fn log_level(text: &str) -> Checked {
    const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
    let known = |directive: &str| {
        let level = directive
            .rsplit_once('=')
            .map_or(directive, |(_, level)| level);
        LEVELS.contains(&level.trim())
    };
    ensure(text.split(',').all(known), || {
        format!(
            "`{text}` is not a log level: expected `{}`, or directives such as `info,szk_cdp=debug`",
            LEVELS.join("`, `")
        )
    })
}

/// Minutes of idleness.
pub(crate) fn linger(minutes: &f64) -> Checked {
    // A year is as good as never, and keeps sums of times from overflowing.
    ensure((0.0..=525_600.0).contains(minutes), || {
        "must be 0 (never) to 525600 minutes".to_owned()
    })
}

/// The default time budget of a call.
pub(crate) fn timeout_seconds(seconds: &u64) -> Checked {
    ensure((1..=3600).contains(seconds), || {
        format!("`{seconds}` is out of range: 1 to 3600 seconds")
    })
}

/// Seconds within which a change is saved; more than five would lose more than promised.
pub(crate) fn save_seconds(seconds: &u64) -> Checked {
    ensure((1..=5).contains(seconds), || {
        format!("`{seconds}` is out of range: 1 to 5 seconds")
    })
}

/// Seconds that a tab is held after a write.
pub(crate) fn hold_seconds(seconds: &u64) -> Checked {
    ensure((0..=3600).contains(seconds), || {
        format!("`{seconds}` is out of range: 0 to 3600 seconds")
    })
}

/// Seconds that a page may be blocked by an unanswered dialog.
pub(crate) fn dialog_seconds(seconds: &u64) -> Checked {
    ensure((1..=600).contains(seconds), || {
        format!("`{seconds}` is out of range: 1 to 600 seconds")
    })
}

/// Device pixels per CSS pixel.
pub(crate) fn scale(factor: &f64) -> Checked {
    ensure((0.25..=8.0).contains(factor), || {
        format!("`{factor}` is out of range: 0.25 to 8 device pixels per CSS pixel")
    })
}

/// A position on Earth.
pub(crate) fn geolocation(place: &Geolocation) -> Checked {
    let on_earth =
        (-90.0..=90.0).contains(&place.latitude) && (-180.0..=180.0).contains(&place.longitude);
    ensure(on_earth, || {
        "a position has a latitude of -90 to 90 and a longitude of -180 to 180".to_owned()
    })?;
    ensure(place.accuracy.is_finite() && place.accuracy >= 0.0, || {
        format!("`{}` is not an accuracy in metres", place.accuracy)
    })
}

/// Values of an `Origin` header: scheme and host, no path.
pub(crate) fn origins(origins: &[String]) -> Checked {
    origins.iter().try_for_each(|origin| {
        let sent = Url::parse(origin).ok().map(|url| match url.origin() {
            Origin::Tuple(..) => url.origin().ascii_serialization(),
            // Extension origins have a scheme that is not the web's.
            Origin::Opaque(_) => {
                format!("{}://{}", url.scheme(), url.host_str().unwrap_or_default())
            }
        });
        // Browsers send an origin in exactly one form; any other would never match.
        let good = sent.is_some_and(|sent| sent == *origin && !sent.ends_with("://"));
        ensure(good && !origin.contains('*'), || {
            format!("`{origin}` is not an origin such as `https://app.example`")
        })
    })
}

/// Names of DevTools methods or domains, spelled as in the protocol.
pub(crate) fn methods(names: &[String]) -> Checked {
    let word = |text: &str, first: fn(&char) -> bool| {
        text.chars().next().as_ref().is_some_and(first)
            && text.bytes().all(|b| b.is_ascii_alphanumeric())
    };
    names.iter().try_for_each(|name| {
        let (domain, method) = name.split_once('.').unwrap_or((name, "m"));
        let good = word(domain, char::is_ascii_uppercase) && word(method, char::is_ascii_lowercase);
        ensure(good, || {
            format!(
                "`{name}` is not a DevTools method or domain such as `Network.getCookies` or `Storage`"
            )
        })
    })
}

/// Programs connected at the same time.
pub(crate) fn max_clients(count: &usize) -> Checked {
    ensure((1..=1000).contains(count), || {
        format!("`{count}` is out of range: 1 to 1000 programs")
    })
}

/// Requests that may wait for a session.
pub(crate) fn max_queue(count: &u64) -> Checked {
    ensure(*count <= 10_000, || {
        format!("`{count}` is out of range: 0 to 10000 requests")
    })
}

/// Megabytes that a request to the server may bring.
pub(crate) fn max_upload(megabytes: &u64) -> Checked {
    ensure(*megabytes <= 100_000, || {
        format!("`{megabytes}` is out of range: 0 to 100000 MB")
    })
}

/// Seconds that a call through the server may take.
pub(crate) fn request_timeout(seconds: &u64) -> Checked {
    ensure((1..=86_400).contains(seconds), || {
        format!("`{seconds}` is out of range: 1 to 86400 seconds")
    })
}

/// Seconds that a person has to approve a call.
pub(crate) fn approve_seconds(seconds: &u64) -> Checked {
    ensure((5..=3600).contains(seconds), || {
        format!("`{seconds}` is out of range: 5 to 3600 seconds")
    })
}

/// A port that a user may open. Not 0: when Chromium chooses the port, `navigator.webdriver` is true.
pub(crate) fn raw_port(port: &u16) -> Checked {
    ensure(*port >= 1024, || {
        format!("`{port}` is out of range: 1024 to 65535")
    })
}

/// A path that names something.
pub(crate) fn path(path: &Path) -> Checked {
    ensure(!path.as_os_str().is_empty(), || {
        "a path cannot be empty".to_owned()
    })
}

/// The same for each of several paths.
pub(crate) fn paths(paths: &[PathBuf]) -> Checked {
    paths.iter().try_for_each(|each| path(each))
}

/// A name that needs no quoting on a command line or in a file.
pub(crate) fn preset_name(name: &str) -> Checked {
    let good = name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && name
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_.".contains(&b));
    ensure(good, || {
        format!("`{name}` is not a preset name: lower-case letters, digits, `-`, `_`, `.`")
    })
}

/// Steps of one task.
pub(crate) fn max_steps(count: &u64) -> Checked {
    ensure((1..=1000).contains(count), || {
        format!("`{count}` is out of range: 1 to 1000 steps")
    })
}

/// An amount of money.
pub(crate) fn dollars(amount: &f64) -> Checked {
    ensure((0.0..=100_000.0).contains(amount), || {
        format!("`{amount}` is out of range: 0 to 100000 US dollars")
    })
}

/// Seconds that a model may take for one answer.
pub(crate) fn model_timeout(seconds: &u64) -> Checked {
    ensure((1..=3600).contains(seconds), || {
        format!("`{seconds}` is out of range: 1 to 3600 seconds")
    })
}

/// A name of something.
pub(crate) fn not_empty(text: &str) -> Checked {
    ensure(!text.trim().is_empty(), || "it cannot be empty".to_owned())
}

/// The key of a model's provider, which goes into a header. No message quotes it.
pub(crate) fn agent_key(key: &Hidden) -> Checked {
    let fits = key.reveal().bytes().all(|byte| byte.is_ascii_graphic());
    ensure(fits && !key.reveal().is_empty(), || {
        "a key is printable ASCII without spaces".to_owned()
    })
}

/// An address of a model's provider. Without TLS the key would cross the network in the clear.
pub(crate) fn http_address(text: &str) -> Checked {
    let url = Url::parse(text);
    let local = |url: &Url| match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(url::Host::Ipv4(ip)) => ip.is_loopback() || ip.is_private(),
        Some(url::Host::Ipv6(ip)) => ip.is_loopback() || ip.is_unique_local(),
        None => false,
    };
    let usable = url.is_ok_and(|url| {
        let plain = url.scheme() == "http" && local(&url);
        let login = !url.username().is_empty() || url.password().is_some();
        (plain || url.scheme() == "https") && !login
    });
    ensure(usable, || {
        "an address is `https://…` without a login, or `http://…` of this machine or a private network"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rule: fn(&str) -> Checked, good: &[&str], wrong: &[&str]) {
        for text in good {
            assert_eq!(rule(text), Ok(()));
        }
        for text in wrong {
            assert!(rule(text).is_err(), "{text} was accepted");
        }
    }

    #[test]
    fn user_agents() {
        check(
            user_agent,
            &["Chrome/{major}.0.0.0", "{version}"],
            &[
                "",
                " ",
                "Chrome/{minor}",
                "a\nb",
                "ü",
                "Chrome/1 ",
                &"x".repeat(1001),
            ],
        );
        let slip = user_agent("Chrome/{majr}.0.0.0").unwrap_err();
        assert_eq!(slip.hint(), Some("did you mean `{major}`?"));
        assert!(pins_version("Chrome/120.0.0.0"));
        assert!(!pins_version("Chrome/{major}.0.0.0"));
    }

    #[test]
    fn what_is_meant_by_a_small_page_is_one_that_a_window_has() {
        for (size, near) in [
            ("1x1", "500x150"),
            ("300x100", "500x150"),
            ("900x9", "900x150"),
        ] {
            let slip = viewport(&size.parse().unwrap()).unwrap_err();
            assert_eq!(
                slip.hint(),
                Some(format!("did you mean `{near}`?").as_str())
            );
        }
        assert!(viewport(&"240x150".parse().unwrap()).is_ok());
    }

    #[test]
    fn log_levels() {
        check(
            log_level,
            &["info", "info,szk_cdp=debug"],
            &["", "loud", "info,", "szk_cdp=loud"],
        );
    }

    #[test]
    fn numbers() {
        assert!(save_seconds(&5).is_ok() && save_seconds(&6).is_err() && save_seconds(&0).is_err());
        assert!(dialog_seconds(&600).is_ok() && dialog_seconds(&0).is_err());
        assert!(scale(&2.625).is_ok() && scale(&0.0).is_err() && scale(&f64::NAN).is_err());
        let place = |latitude, accuracy| Geolocation {
            latitude,
            longitude: 0.0,
            accuracy,
        };
        assert!(geolocation(&place(52.0, 1.0)).is_ok());
        assert!(geolocation(&place(91.0, 1.0)).is_err());
        assert!(geolocation(&place(52.0, -1.0)).is_err());
    }

    #[test]
    fn names_and_origins() {
        assert!(preset_name("work-laptop.2").is_ok());
        assert!(preset_name("Work").is_err() && preset_name("").is_err());
        let origins = |text: &str| origins(&[text.to_owned()]);
        assert!(origins("https://app.example:8080").is_ok());
        assert!(origins("chrome-extension://abc").is_ok());
        assert!(origins("*").is_err() && origins("https://app.example/x").is_err());
    }

    #[test]
    fn the_endpoints_rules() {
        let methods = |text: &str| methods(&[text.to_owned()]);
        for good in ["Storage", "Network.getCookies", "DOM.getDocument", "IO"] {
            assert!(methods(good).is_ok(), "{good}");
        }
        for wrong in [
            "",
            "storage",
            "Network.",
            ".getCookies",
            "Network.*",
            "Network.Get",
            "A.b.c",
            "A b",
        ] {
            assert!(methods(wrong).is_err(), "{wrong}");
        }
        assert!(max_clients(&1).is_ok() && max_clients(&0).is_err() && max_clients(&1001).is_err());
        assert!(max_queue(&0).is_ok() && max_queue(&10_001).is_err());
        assert!(request_timeout(&1).is_ok() && request_timeout(&0).is_err());
        assert!(raw_port(&9222).is_ok() && raw_port(&0).is_err() && raw_port(&80).is_err());
    }
}
