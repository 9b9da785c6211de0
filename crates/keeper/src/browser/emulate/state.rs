//! What is emulated in which tab.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use szk_page::emulation::viewport::Size;
use szk_page::emulation::{Emulated, Geolocation, Scheme};
use szk_runtime::supervisor::Tab;
use szk_tools::browser::{Device, Emulated as Shown, Setting};

use super::device;

/// Most tabs to remember.
const KNOWN: usize = 512;

/// What is emulated, by the tab's id: it stays whatever page the tab shows, and in the next browser.
#[derive(Default)]
pub(crate) struct Emulations {
    // A std mutex: nothing awaits under it.
    by_tab: Mutex<HashMap<String, TabEmulation>>,
}

impl Emulations {
    pub(super) fn of(&self, tab: &Tab) -> TabEmulation {
        self.lock().get(&tab.id).cloned().unwrap_or_default()
    }

    pub(super) fn set(&self, tab: &Tab, emulation: &TabEmulation) {
        let mut by_tab = self.lock();
        if by_tab.len() >= KNOWN {
            // Nearly all belong to tabs that were closed long ago.
            by_tab.clear();
        }
        by_tab.insert(tab.id.clone(), emulation.clone());
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, TabEmulation>> {
        self.by_tab.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is emulated in one tab.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct TabEmulation {
    pub(super) size: Option<Size>,
    /// The page's size before the first change.
    pub(super) size_before: Option<Size>,
    pub(super) device: Option<Device>,
    pub(super) scheme: Option<Scheme>,
    pub(super) geolocation: Option<Geolocation>,
    pub(super) offline: bool,
    pub(super) headers: BTreeMap<String, String>,
    /// By origin and name.
    pub(super) permissions: BTreeMap<(String, String), Setting>,
}

impl TabEmulation {
    /// The part of it that is sent to every page of the tab.
    pub(super) fn emulated(&self) -> Emulated {
        Emulated {
            screen: self.device.map(device::screen),
            scheme: self.scheme,
            geolocation: self.geolocation,
            offline: self.offline,
            headers: self.headers.clone(),
        }
    }

    /// For the answer; header values may be secrets and are left out.
    pub(super) fn shown(&self) -> Vec<Shown> {
        let mut shown = Vec::new();
        let mut add = |name: &str, value: String, noticed: Option<&str>| {
            shown.push(Shown {
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
            add("color_scheme", scheme.css().to_owned(), None);
        }
        if let Some(position) = self.geolocation {
            let value = format!("{},{}", position.latitude, position.longitude);
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
