//! Where an act led: as data, and in words.

use szk_page::act::{Journey, Navigation};
use szk_tools::browser::ActNavigation;

use crate::browser::{page_text, shown};

/// The first status that is an error.
const ERROR: u16 = 400;

/// Schemes that a browser loads by itself, beside its own.
const LOADS: [&str; 10] = [
    "http",
    "https",
    "ws",
    "wss",
    "file",
    "data",
    "blob",
    "about",
    "filesystem",
    "javascript",
];

/// The data of a navigation.
pub(crate) fn navigated(navigation: &Navigation) -> ActNavigation {
    let state = match (navigation.journey, &navigation.failed) {
        (_, Some(_)) => "failed",
        (Journey::Started, None) => "started",
        (Journey::Arrived, None) => "arrived",
        (Journey::Within, None) => "within",
        (Journey::Ended, None) => "ended",
    };
    ActNavigation {
        url: page_text::address(&navigation.url),
        state: state.to_owned(),
        in_frame: navigation.in_frame,
        status: navigation.status.filter(|status| *status >= ERROR),
        error: navigation.failed.clone(),
    }
}

/// The same in a line.
pub(crate) fn led_to(tab: &str, navigation: &ActNavigation) -> String {
    let who = if navigation.in_frame { "a frame" } else { tab };
    let url = shown(&navigation.url);
    match navigation.state.as_str() {
        "arrived" => {
            let status = navigation.status;
            let status = status.map_or_else(String::new, |status| format!(" (status {status})"));
            format!("{who} is at {url}{status}")
        }
        "within" => format!("{who} is at {url}, in the same document"),
        "started" => format!("{who} is on its way to {url}"),
        "failed" => format!(
            "{who} went to {url}, which did not load: {}",
            navigation.error.as_deref().unwrap_or_default()
        ),
        _ if is_for_a_program(&navigation.url) => {
            format!("{url} is for another program, and szk opens none: the page stays as it is")
        }
        _ => format!("{url} was requested but loaded no document"),
    }
}

/// Whether a browser hands an address to another program, as it loads none of its scheme itself.
fn is_for_a_program(url: &str) -> bool {
    let scheme = url.split_once(':').map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        let scheme = scheme.to_ascii_lowercase();
        !LOADS.contains(&scheme.as_str()) && !scheme.starts_with("chrome")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_status_that_is_an_error_is_told() {
        let arrived = |status| {
            let navigation = Navigation {
                url: "https://a.test/x".to_owned(),
                journey: Journey::Arrived,
                in_frame: false,
                status: Some(status),
                failed: None,
            };
            led_to("t1", &navigated(&navigation))
        };
        assert_eq!(arrived(200), "t1 is at https://a.test/x");
        assert_eq!(arrived(404), "t1 is at https://a.test/x (status 404)");
    }

    #[test]
    fn what_is_for_another_program_is_told() {
        let ended = |url: &str| {
            let navigation = Navigation {
                url: url.to_owned(),
                journey: Journey::Ended,
                in_frame: false,
                status: None,
                failed: None,
            };
            led_to("t1", &navigated(&navigation))
        };
        for url in ["tel:+123", "slack://x/y", "mailto:a@b.test"] {
            let told = ended(url);
            assert!(told.contains("is for another program"), "{told}");
        }
        for url in ["https://a.test/x", "about:blank", "chrome://x"] {
            let told = ended(url);
            assert!(told.contains("loaded no document"), "{told}");
        }
    }
}
