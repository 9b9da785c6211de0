//! What an identity asks for that no flag can do, as emulation commands.
//!
//! An ordinary identity (the host's own) needs none of these. They are set on every session that the
//! supervisor has, because each of them reaches only the realms of its own session.

use serde_json::{Value, json};
use szk_config::{Identity, Orientation};

use super::Order;

/// Commands for pages and frames.
pub(super) fn for_pages(identity: &Identity, version: &str) -> Vec<Order> {
    let mut orders = for_workers(identity, version);
    if let Some(locale) = &identity.locale {
        // Native with a locale pack; this covers Intl where there is none. It is per process, so the
        // second page of a process is told that it is set already: not vital.
        orders.push(Order::wished(
            "Emulation.setLocaleOverride",
            &json!({"locale": locale.replace('-', "_")}),
        ));
    }
    if identity.mobile == Some(true) {
        orders.push(Order::vital(
            "Emulation.setDeviceMetricsOverride",
            &metrics(identity),
        ));
    }
    if identity.touch == Some(true) {
        orders.push(Order::vital(
            "Emulation.setTouchEmulationEnabled",
            &json!({"enabled": true, "maxTouchPoints": 5}),
        ));
    }
    if let Some(place) = &identity.geolocation {
        orders.push(Order::vital(
            "Emulation.setGeolocationOverride",
            &json!({"latitude": place.latitude, "longitude": place.longitude, "accuracy": place.accuracy}),
        ));
    }
    orders
}

/// Commands for workers: only the user agent is theirs.
pub(super) fn for_workers(identity: &Identity, version: &str) -> Vec<Order> {
    let Some(user_agent) = identity.user_agent_for(version) else {
        return Vec::new();
    };
    let mut params =
        json!({"userAgent": user_agent, "userAgentMetadata": metadata(identity, &user_agent)});
    if let Some(locale) = &identity.locale {
        params["acceptLanguage"] = json!(locale);
    }
    vec![Order::wished("Emulation.setUserAgentOverride", &params)]
}

/// Client hints that agree with the user agent. Brands and versions are left out: Chromium then
/// fills in its own, which are the true ones.
fn metadata(identity: &Identity, user_agent: &str) -> Value {
    let platforms = [
        ("Android", "Android"),
        ("iPhone", "iOS"),
        ("iPad", "iOS"),
        ("Windows", "Windows"),
        ("Mac OS X", "macOS"),
        ("CrOS", "Chrome OS"),
    ];
    let platform = platforms
        .iter()
        .find(|(mark, _)| user_agent.contains(mark))
        .map_or("Linux", |(_, name)| *name);
    let mobile = identity.mobile.unwrap_or(false);
    let desktop = !mobile && platform != "Android";
    json!({
        "platform": platform,
        "platformVersion": if platform == "Windows" { "10.0.0" } else { "" },
        "architecture": if desktop { "x86" } else { "" },
        "bitness": if desktop { "64" } else { "" },
        "model": "",
        "mobile": mobile,
        "wow64": false,
    })
}

fn metrics(identity: &Identity) -> Value {
    let size = identity.viewport.or(identity.screen);
    let (width, height) = size.map_or((0, 0), |size| (size.width, size.height));
    let mut metrics = json!({
        "width": width,
        "height": height,
        "deviceScaleFactor": identity.device_scale_factor.unwrap_or(0.0),
        "mobile": true,
    });
    if let Some(screen) = identity.screen.or(identity.viewport) {
        metrics["screenWidth"] = json!(screen.width);
        metrics["screenHeight"] = json!(screen.height);
    }
    metrics["screenOrientation"] = match identity.orientation {
        Some(Orientation::Landscape) => json!({"type": "landscapePrimary", "angle": 90}),
        _ => json!({"type": "portraitPrimary", "angle": 0}),
    };
    metrics
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hosts_own_identity_needs_nothing() {
        assert!(for_pages(&Identity::default(), "156.0.1.2").is_empty());
        assert!(for_workers(&Identity::default(), "156.0.1.2").is_empty());
    }

    #[test]
    fn client_hints_agree_with_the_user_agent() {
        let identity = Identity {
            user_agent: Some(
                "Mozilla/5.0 (Linux; Android 10; K) Chrome/{major}.0.0.0 Mobile".into(),
            ),
            mobile: Some(true),
            ..Identity::default()
        };
        let orders = for_workers(&identity, "156.0.1.2");
        let params: Value = serde_json::from_str(orders[0].params.get()).unwrap();
        assert_eq!(params["userAgentMetadata"]["platform"], "Android");
        assert_eq!(params["userAgentMetadata"]["mobile"], true);
        assert!(
            params["userAgent"]
                .as_str()
                .unwrap()
                .contains("Chrome/156.0.0.0")
        );
    }
}
