//! Who the browser is to web sites, as far as that is configurable.

use serde::{Deserialize, Serialize};

use crate::{Proxy, Viewport};

/// What a profile shows to web sites; a field left out means "same as the host".
///
/// A profile saves its identity on first use and keeps it for life, because a browser whose time zone
/// or screen changes between two visits stands out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Identity {
    /// Name of the preset that the identity came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// A display name for people; web sites never see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// User agent template; see [`Identity::user_agent_for`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<String>,
    /// BCP 47 tag such as `de-AT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// IANA time zone such as `Europe/Warsaw`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// Size of the page area, without the window's frame and toolbars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub viewport: Option<Viewport>,
    /// Size of the whole screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screen: Option<Viewport>,
    /// Device pixels per CSS pixel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_scale_factor: Option<f64>,
    /// Lay pages out as a phone does (viewport meta tag, overlay scrollbars).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mobile: Option<bool>,
    /// A finger as the primary pointer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub touch: Option<bool>,
    /// How a phone or tablet is held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orientation: Option<Orientation>,
    /// Proxy for all traffic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proxy: Option<Proxy>,
    /// The position reported to sites that are allowed to ask for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub geolocation: Option<Geolocation>,
}

impl Identity {
    /// The user agent for a running Chromium of `version` (for example `156.0.7000.12`).
    ///
    /// `{version}` becomes the whole version and `{major}` its first number. Configuration never
    /// pins a version: it would disagree with the client hints after the next upgrade.
    pub fn user_agent_for(&self, version: &str) -> Option<String> {
        let major = version.split('.').next().unwrap_or(version);
        let template = self.user_agent.as_deref()?;
        Some(
            template
                .replace("{major}", major)
                .replace("{version}", version),
        )
    }

    /// Each field of `self`, or that of `weaker` if `self` leaves it out.
    pub fn or(self, weaker: Self) -> Self {
        Self {
            preset: self.preset.or(weaker.preset),
            label: self.label.or(weaker.label),
            user_agent: self.user_agent.or(weaker.user_agent),
            locale: self.locale.or(weaker.locale),
            timezone: self.timezone.or(weaker.timezone),
            viewport: self.viewport.or(weaker.viewport),
            screen: self.screen.or(weaker.screen),
            device_scale_factor: self.device_scale_factor.or(weaker.device_scale_factor),
            mobile: self.mobile.or(weaker.mobile),
            touch: self.touch.or(weaker.touch),
            orientation: self.orientation.or(weaker.orientation),
            proxy: self.proxy.or(weaker.proxy),
            geolocation: self.geolocation.or(weaker.geolocation),
        }
    }
}

/// How a phone or tablet is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Orientation {
    /// Taller than wide.
    Portrait,
    /// Wider than tall.
    Landscape,
}

/// A position on Earth (WGS 84).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Geolocation {
    /// Degrees, -90 to 90.
    pub latitude: f64,
    /// Degrees, -180 to 180.
    pub longitude: f64,
    /// Radius of uncertainty in metres.
    #[serde(default = "Geolocation::default_accuracy")]
    pub accuracy: f64,
}

impl Geolocation {
    /// The accuracy that Wi-Fi positioning typically reports.
    fn default_accuracy() -> f64 {
        50.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_agent_follows_the_running_version() {
        let user_agent = Some("Chrome/{major}.0.0.0 ({version})".to_owned());
        let identity = Identity {
            user_agent,
            ..Identity::default()
        };
        let shown = identity.user_agent_for("156.0.7000.12");
        assert_eq!(shown.as_deref(), Some("Chrome/156.0.0.0 (156.0.7000.12)"));
        assert_eq!(Identity::default().user_agent_for("156.0"), None);
    }

    #[test]
    fn survives_json_and_leaves_out_what_is_not_set() {
        assert_eq!(serde_json::to_string(&Identity::default()).unwrap(), "{}");
        let identity = Identity {
            viewport: Some(Viewport {
                width: 1280,
                height: 800,
            }),
            proxy: Some("http://a:b@proxy:1".parse().unwrap()),
            device_scale_factor: Some(2.0),
            orientation: Some(Orientation::Portrait),
            geolocation: Some(Geolocation {
                latitude: 1.0,
                longitude: 2.0,
                accuracy: 3.0,
            }),
            ..Identity::default()
        };
        let json = serde_json::to_string(&identity).unwrap();
        assert!(
            json.contains("http://a:b@proxy:1") && json.contains("1280x800"),
            "{json}"
        );
        assert_eq!(serde_json::from_str::<Identity>(&json).unwrap(), identity);
    }
}
