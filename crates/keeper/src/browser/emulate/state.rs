//! What is changed in which tab.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use serde_json::json;
use szk_cdp::Request;
use szk_cdp::own::EmulateNetworkConditionsParams;
use szk_cdp::protocol::browser::{PermissionDescriptor, PermissionSetting, SetPermissionParams};
use szk_cdp::protocol::emulation::{
    MediaFeature, SetEmulatedMediaParams, SetGeolocationOverrideParams,
};
use szk_cdp::protocol::network::{Headers, SetExtraHttpHeadersParams};
use szk_runtime::supervisor::{Tab, TabOverrides};
use szk_tools::Failure;
use szk_tools::browser::{ColorScheme, Device, Emulated, Setting};

use super::{css, device};

/// Tabs kept in mind.
const KNOWN: usize = 512;

/// What is changed, by the tab's id: it stays so whatever page the tab shows, and in the next browser.
#[derive(Default)]
pub(crate) struct Emulations {
    // A std mutex: nothing awaits under it.
    by_tab: Mutex<HashMap<String, Emulation>>,
}

impl Emulations {
    pub(super) fn of(&self, tab: &Tab) -> Emulation {
        let by_tab = self.by_tab.lock().unwrap_or_else(PoisonError::into_inner);
        by_tab.get(&tab.id).cloned().unwrap_or_default()
    }

    pub(super) fn set(&self, tab: &Tab, emulation: &Emulation) {
        let mut by_tab = self.by_tab.lock().unwrap_or_else(PoisonError::into_inner);
        if by_tab.len() >= KNOWN {
            // Of tabs that were closed long ago, nearly all.
            by_tab.clear();
        }
        by_tab.insert(tab.id.clone(), emulation.clone());
    }
}

/// What is changed in one tab.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Emulation {
    pub(super) size: Option<Size>,
    /// The page's size before the first change.
    pub(super) size_before: Option<Size>,
    pub(super) device: Option<Device>,
    pub(super) scheme: Option<ColorScheme>,
    pub(super) place: Option<Place>,
    pub(super) offline: bool,
    pub(super) headers: BTreeMap<String, String>,
    /// By origin and name.
    pub(super) permissions: BTreeMap<(String, String), Setting>,
}

impl Emulation {
    /// Commands for the page, and for everything below it.
    pub(super) fn standing(&self) -> TabOverrides {
        let scheme = self.scheme.map_or("", css);
        let everywhere = vec![
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
        ];
        let mut page: Vec<_> = self.device.into_iter().flat_map(device::commands).collect();
        if let Some(place) = self.place {
            page.push(Request::of(&SetGeolocationOverrideParams {
                latitude: Some(place.latitude),
                longitude: Some(place.longitude),
                accuracy: Some(place.accuracy),
                ..SetGeolocationOverrideParams::default()
            }));
        }
        TabOverrides { everywhere, page }
    }

    /// For the answer; header values may be secrets and are left out.
    pub(super) fn shown(&self) -> Vec<Emulated> {
        let mut shown = Vec::new();
        let mut add = |name: &str, value: String, noticed: Option<&str>| {
            shown.push(Emulated {
                name: name.to_owned(),
                value,
                noticed: noticed.map(str::to_owned),
            });
        };
        if let Some(size) = self.size {
            add("viewport", format!("{}x{}", size.width, size.height), None);
        }
        if let Some(device) = self.device {
            let noticed = "inner and outer sizes disagree, and the user agent is not the device's";
            add("device", device::shown(device), Some(noticed));
        }
        if let Some(scheme) = self.scheme {
            add("color_scheme", css(scheme).to_owned(), None);
        }
        if let Some(place) = self.place {
            let value = format!("{},{}", place.latitude, place.longitude);
            add("geolocation", value, None);
        }
        if self.offline {
            add("offline", "true".to_owned(), None);
        }
        if !self.headers.is_empty() {
            let names: Vec<&str> = self.headers.keys().map(String::as_str).collect();
            add(
                "headers",
                names.join(", "),
                Some("a server sees them and their order among the other headers"),
            );
        }
        for ((origin, name), setting) in &self.permissions {
            let setting = match setting {
                Setting::Granted => "granted",
                Setting::Denied => "denied",
                Setting::Prompt => "prompt",
            };
            add(
                "permissions",
                format!("{name}: {setting} for {origin}"),
                None,
            );
        }
        shown
    }
}

/// One permission of one origin, in CDP's words. Clipboard access needs its gesture-free form named.
pub(in crate::browser) fn permission(
    name: &str,
    setting: Setting,
    origin: &str,
) -> SetPermissionParams {
    let setting = match setting {
        Setting::Granted => PermissionSetting::Granted,
        Setting::Denied => PermissionSetting::Denied,
        Setting::Prompt => PermissionSetting::Prompt,
    };
    SetPermissionParams {
        origin: Some(origin.to_owned()),
        ..SetPermissionParams::new(PermissionDescriptor::new(name), setting)
    }
}

/// A size in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) width: u32,
    pub(super) height: u32,
}

impl Size {
    pub(super) fn read(text: &str) -> Result<Self, Failure> {
        let side = |side: &str| {
            side.trim()
                .parse()
                .ok()
                .filter(|side| (100..=10_000).contains(side))
        };
        let read = text.split_once('x').and_then(|(width, height)| {
            Some(Self {
                width: side(width)?,
                height: side(height)?,
            })
        });
        read.ok_or_else(|| {
            Failure::invalid(format!(
                "`{text}` is not a size such as `1280x800` (100 to 10000 pixels a side)"
            ))
        })
    }
}

/// A place on Earth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    pub(super) latitude: f64,
    pub(super) longitude: f64,
    pub(super) accuracy: f64,
}

impl Place {
    pub(super) fn read(text: &str) -> Result<Self, Failure> {
        let numbers: Vec<f64> = text
            .split(',')
            .map_while(|part| part.trim().parse().ok())
            .collect();
        let place = match numbers[..] {
            [latitude, longitude] => Self {
                latitude,
                longitude,
                accuracy: 50.0,
            },
            [latitude, longitude, accuracy] => Self {
                latitude,
                longitude,
                accuracy,
            },
            _ => Self {
                latitude: f64::NAN,
                longitude: 0.0,
                accuracy: 0.0,
            },
        };
        let good = numbers.len() == text.split(',').count()
            && (-90.0..=90.0).contains(&place.latitude)
            && (-180.0..=180.0).contains(&place.longitude)
            && (0.0..1e7).contains(&place.accuracy);
        good.then_some(place).ok_or_else(|| {
            Failure::invalid(format!(
                "`{text}` is not a position such as `52.23,21.01` or `52.23,21.01,50`"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(request: &Request) -> serde_json::Value {
        serde_json::from_str(request.params().get()).unwrap()
    }

    #[test]
    fn commands_say_no_more_than_what_is_asked_for() {
        let emulation = Emulation {
            device: Some(Device::Iphone),
            scheme: Some(ColorScheme::Dark),
            offline: true,
            headers: [("X-A".to_owned(), "1".to_owned())].into(),
            place: Some(Place::read("52.5,21").unwrap()),
            ..Emulation::default()
        };
        let TabOverrides { everywhere, page } = emulation.standing();
        let everywhere: Vec<_> = everywhere.iter().map(said).collect();
        assert_eq!(
            everywhere,
            [
                json!({"features": [{"name": "prefers-color-scheme", "value": "dark"}]}),
                json!({"offline": true, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}),
                json!({"headers": {"X-A": "1"}}),
            ]
        );
        let page: Vec<_> = page.iter().map(said).collect();
        assert_eq!(
            page,
            [
                json!({"width": 393, "height": 852, "deviceScaleFactor": 3.0, "mobile": true,
                    "screenWidth": 393, "screenHeight": 852,
                    "screenOrientation": {"type": "portraitPrimary", "angle": 0}}),
                json!({"enabled": true, "maxTouchPoints": 5}),
                json!({"latitude": 52.5, "longitude": 21.0, "accuracy": 50.0}),
            ]
        );
        let permission = permission("geolocation", Setting::Granted, "https://a.test");
        assert_eq!(
            json!(permission),
            json!({"permission": {"name": "geolocation"}, "setting": "granted", "origin": "https://a.test"})
        );
    }

    #[test]
    fn sizes_and_places() {
        assert_eq!(
            Size::read("1280x800").unwrap(),
            Size {
                width: 1280,
                height: 800
            }
        );
        assert_eq!(Place::read("52.2, 21,7").unwrap().accuracy, 7.0);
        for wrong in ["", "1280", "1x2", "99999x800", "axb"] {
            assert!(Size::read(wrong).is_err(), "{wrong}");
        }
        for wrong in [
            "", "1", "91,0", "0,181", "1,2,3,4", "a,b", "1,2,-1", "1,2,x",
        ] {
            assert!(Place::read(wrong).is_err(), "{wrong}");
        }
    }
}
