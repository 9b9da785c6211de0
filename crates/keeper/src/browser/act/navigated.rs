//! Where an act led: as data, and in words.

use szk_page::act::{Journey, Navigation};
use szk_tools::browser::ActNavigation;

use crate::browser::{shown, told};

/// The first status that is an error.
const ERROR: u16 = 400;

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
        url: told::address(&navigation.url),
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
        _ => format!("{url} was requested but loaded no document"),
    }
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
}
