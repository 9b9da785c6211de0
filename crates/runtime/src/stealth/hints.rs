//! Client hints that agree with a user agent and with the running browser.
//!
//! If the user agent is overridden, Chromium leaves out the versions, and in workers all brands
//! (measured on 156). So everything is set here, with the brands that the browser itself would send.

use szk_cdp::own::FullUserAgentMetadata;
use szk_cdp::protocol::emulation::{UserAgentBrandVersion, UserAgentMetadata};

use super::Engine;

/// What browsers of a platform report besides its name.
struct Platform {
    /// The part of the user agent that identifies it.
    mark: &'static str,
    name: &'static str,
    version: &'static str,
    architecture: &'static str,
    bitness: &'static str,
}

const fn platform(
    mark: &'static str,
    name: &'static str,
    version: &'static str,
    (architecture, bitness): (&'static str, &'static str),
) -> Platform {
    Platform {
        mark,
        name,
        version,
        architecture,
        bitness,
    }
}

/// The first match counts: an Android user agent contains Linux too.
const PLATFORMS: [Platform; 6] = [
    platform("Android", "Android", "15.0.0", ("", "")),
    platform("Windows", "Windows", "10.0.0", ("x86", "64")),
    platform("Mac OS X", "macOS", "15.5.0", ("arm", "64")),
    platform("CrOS", "Chrome OS", "16181.61.0", ("x86", "64")),
    platform("Linux", "Linux", "", (HOST, "64")),
    platform("", "Unknown", "", ("", "")),
];

/// The architecture of this machine.
const HOST: &str = if cfg!(target_arch = "aarch64") {
    "arm"
} else {
    "x86"
};

/// What Chromium puts between the letters of the GREASE brand, and its versions.
const SIGNS: [&str; 11] = [" ", "(", ":", "-", ".", "/", ")", ";", "=", "?", "_"];
const VERSIONS: [&str; 3] = ["8", "99", "24"];
/// Positions of the GREASE brand, of Chromium, and of the vendor's own.
const ORDERS: [[usize; 3]; 6] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
];

/// The `userAgentMetadata` for a user agent.
pub(super) fn metadata(user_agent: &str, engine: &Engine<'_>) -> FullUserAgentMetadata {
    let platform = PLATFORMS
        .iter()
        .find(|platform| user_agent.contains(platform.mark))
        .unwrap_or(&PLATFORMS[5]);
    let android = platform.name == "Android";
    let mobile = android && user_agent.contains("Mobile");
    let (form, model) = match (android, mobile) {
        (_, true) => ("Mobile", "Pixel 8"),
        (true, _) => ("Tablet", "Pixel Tablet"),
        _ => ("Desktop", ""),
    };
    let hints = UserAgentMetadata {
        brands: Some(brands(engine, true)),
        full_version_list: Some(brands(engine, false)),
        platform: platform.name.to_owned(),
        platform_version: platform.version.to_owned(),
        architecture: platform.architecture.to_owned(),
        model: model.to_owned(),
        mobile,
        bitness: Some(platform.bitness.to_owned()),
        wow64: Some(false),
        form_factors: Some(vec![form.to_owned()]),
    };
    FullUserAgentMetadata {
        hints,
        full_version: engine.version.to_owned(),
    }
}

/// Like Chromium's `GenerateBrandVersionList`: the GREASE brand and the real ones, in an order that
/// changes with the version.
fn brands(engine: &Engine<'_>, short: bool) -> Vec<UserAgentBrandVersion> {
    let major = engine.version.split('.').next().unwrap_or_default();
    let seed: usize = major.parse().unwrap_or_default();
    let none = format!("Not{}A{}Brand", SIGNS[seed % 11], SIGNS[(seed + 1) % 11]);
    let none_version = VERSIONS[seed % 3];
    let (version, none_version) = if short {
        (major.to_owned(), none_version.to_owned())
    } else {
        (engine.version.to_owned(), format!("{none_version}.0.0.0"))
    };
    let brand = |brand: &str, version: &str| UserAgentBrandVersion::new(brand, version);
    let mut given = vec![brand(&none, &none_version), brand("Chromium", &version)];
    given.extend(engine.brand.map(|own| brand(own, &version)));
    let order = &ORDERS[seed % 6];
    let mut places: Vec<(usize, UserAgentBrandVersion)> = match given.len() {
        3 => order.iter().copied().zip(given).collect(),
        _ => [seed % 2, (seed + 1) % 2].into_iter().zip(given).collect(),
    };
    places.sort_by_key(|(place, _)| *place);
    places.into_iter().map(|(_, brand)| brand).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn engine(version: &str) -> Engine<'_> {
        Engine {
            version,
            brand: None,
        }
    }

    #[test]
    fn brands_match_chromiums_own() {
        // As Chromium 156.0.8078.79 reports them itself.
        assert_eq!(
            json!(brands(&engine("156.0.8078.79"), false)),
            json!([{"brand": "Not:A-Brand", "version": "8.0.0.0"}, {"brand": "Chromium", "version": "156.0.8078.79"}])
        );
        // As Google Chrome 120 did.
        let chrome = Engine {
            version: "120.0.6099.109",
            brand: Some("Google Chrome"),
        };
        assert_eq!(
            json!(brands(&chrome, true)),
            json!([{"brand": "Not_A Brand", "version": "8"}, {"brand": "Chromium", "version": "120"},
                {"brand": "Google Chrome", "version": "120"}])
        );
    }

    #[test]
    fn platform_and_form_follow_the_user_agent() {
        let check = |user_agent: &str, platform: &str, form: &str, model: &str| {
            let hints = json!(metadata(user_agent, &engine("156.0.1.2")));
            assert_eq!(hints["fullVersion"], "156.0.1.2");
            assert_eq!(hints["platform"], platform, "{user_agent}");
            assert_eq!(hints["formFactors"], json!([form]), "{user_agent}");
            assert_eq!(hints["model"], model, "{user_agent}");
            assert_eq!(hints["mobile"], form == "Mobile", "{user_agent}");
        };
        check(
            "(Linux; Android 10; K) Mobile Safari",
            "Android",
            "Mobile",
            "Pixel 8",
        );
        check(
            "(Linux; Android 10; K) Safari",
            "Android",
            "Tablet",
            "Pixel Tablet",
        );
        check("(Windows NT 10.0; Win64; x64)", "Windows", "Desktop", "");
        check(
            "(Macintosh; Intel Mac OS X 10_15_7)",
            "macOS",
            "Desktop",
            "",
        );
        check("(X11; Linux x86_64)", "Linux", "Desktop", "");
    }
}
