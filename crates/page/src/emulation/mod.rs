//! Emulation: what a tab shows its pages instead of the truth.
//!
//! [`Emulated`] holds for the tab, whatever page it shows: it becomes commands that the owner of the tab
//! sends to every page. [`viewport`] changes the window, as a person would; [`permission`] sets what a page
//! may do without asking.

pub mod permission;
pub mod viewport;

use std::collections::BTreeMap;

use serde_json::json;
use szk_cdp::Request;
use szk_cdp::own::EmulateNetworkConditionsParams;
use szk_cdp::protocol::emulation::{
    MediaFeature, ScreenOrientation, ScreenOrientationType, SetDeviceMetricsOverrideParams,
    SetEmulatedMediaParams, SetGeolocationOverrideParams, SetTouchEmulationEnabledParams,
};
use szk_cdp::protocol::network::{Headers, SetExtraHttpHeadersParams};

/// The screen of a device: size in CSS pixels, and device pixels per CSS pixel.
///
/// The user agent stays the true one: claiming another system is a matter of the whole identity (a preset),
/// because workers and client hints would disagree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Screen {
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
    /// Device pixels per CSS pixel.
    pub density: f64,
}

/// The colour scheme that the user prefers, as pages see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// A position on Earth, in degrees, and its accuracy in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Geolocation {
    /// North is positive.
    pub latitude: f64,
    /// East is positive.
    pub longitude: f64,
    /// In metres.
    pub accuracy: f64,
}

/// What is emulated in one tab.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Emulated {
    /// A phone's or tablet's screen, with touch.
    pub screen: Option<Screen>,
    /// A colour scheme.
    pub scheme: Option<Scheme>,
    /// A position.
    pub geolocation: Option<Geolocation>,
    /// Whether there is no network.
    pub offline: bool,
    /// Headers added to every request.
    pub headers: BTreeMap<String, String>,
}

impl Scheme {
    /// CSS's name for it.
    #[must_use]
    pub fn css(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

impl Emulated {
    /// Commands for the page and for everything below it: frames of other processes, and workers. They
    /// also end what an earlier `Emulated` began.
    #[must_use]
    pub fn everywhere(&self) -> Vec<Request> {
        let scheme = self.scheme.map_or("", Scheme::css);
        vec![
            Request::of(&SetEmulatedMediaParams {
                features: Some(vec![MediaFeature::new("prefers-color-scheme", scheme)]),
                ..SetEmulatedMediaParams::default()
            }),
            Request::of(&EmulateNetworkConditionsParams {
                offline: self.offline,
                latency: 0,
                download_throughput: -1,
                upload_throughput: -1,
            }),
            Request::of(&SetExtraHttpHeadersParams::new(Headers::new(json!(
                self.headers
            )))),
        ]
    }

    /// Commands for the page alone.
    #[must_use]
    pub fn page(&self) -> Vec<Request> {
        let mut commands = Vec::new();
        if let Some(screen) = self.screen {
            commands.extend(screen.commands());
        }
        if let Some(position) = self.geolocation {
            commands.push(Request::of(&SetGeolocationOverrideParams {
                latitude: Some(position.latitude),
                longitude: Some(position.longitude),
                accuracy: Some(position.accuracy),
                ..SetGeolocationOverrideParams::default()
            }));
        }
        commands
    }
}

impl Screen {
    fn commands(self) -> [Request; 2] {
        let Self {
            width,
            height,
            density,
        } = self;
        let upright = ScreenOrientation::new(ScreenOrientationType::PortraitPrimary, 0);
        [
            Request::of(&SetDeviceMetricsOverrideParams {
                screen_width: Some(width.into()),
                screen_height: Some(height.into()),
                screen_orientation: Some(upright),
                ..SetDeviceMetricsOverrideParams::new(width, height, density, true)
            }),
            Request::of(&SetTouchEmulationEnabledParams {
                max_touch_points: Some(5),
                ..SetTouchEmulationEnabledParams::new(true)
            }),
        ]
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn params(requests: &[Request]) -> Vec<Value> {
        let params = requests.iter().map(|request| request.params().get());
        params
            .map(|text| serde_json::from_str(text).unwrap())
            .collect()
    }

    #[test]
    fn commands_say_no_more_than_what_is_emulated() {
        let emulated = Emulated {
            screen: Some(Screen {
                width: 393,
                height: 852,
                density: 3.0,
            }),
            scheme: Some(Scheme::Dark),
            offline: true,
            headers: [("X-A".to_owned(), "1".to_owned())].into(),
            geolocation: Some(Geolocation {
                latitude: 52.5,
                longitude: 21.0,
                accuracy: 50.0,
            }),
        };
        assert_eq!(
            params(&emulated.everywhere()),
            [
                json!({"features": [{"name": "prefers-color-scheme", "value": "dark"}]}),
                json!({"offline": true, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}),
                json!({"headers": {"X-A": "1"}}),
            ]
        );
        assert_eq!(
            params(&emulated.page()),
            [
                json!({"width": 393, "height": 852, "deviceScaleFactor": 3.0, "mobile": true,
                    "screenWidth": 393, "screenHeight": 852,
                    "screenOrientation": {"type": "portraitPrimary", "angle": 0}}),
                json!({"enabled": true, "maxTouchPoints": 5}),
                json!({"latitude": 52.5, "longitude": 21.0, "accuracy": 50.0}),
            ]
        );
    }

    #[test]
    fn nothing_emulated_ends_what_was() {
        let nothing = Emulated::default();
        assert_eq!(nothing.page(), []);
        assert_eq!(
            params(&nothing.everywhere())[0],
            json!({"features": [{"name": "prefers-color-scheme", "value": ""}]})
        );
    }
}
