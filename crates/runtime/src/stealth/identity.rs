//! What an identity asks for that no flag can do, as emulation commands.
//!
//! An ordinary identity (the host's own) needs none of these. They are set on every session that the
//! supervisor has, because each of them reaches only the realms of its own session.

use serde_json::{Value, json};
use szk_config::{Identity, Orientation};

use super::hints;
use super::{Engine, Order};

/// Commands for pages.
pub(super) fn for_pages(identity: &Identity, engine: &Engine<'_>) -> Vec<Order> {
    let mut orders = for_frames(identity, engine);
    if identity.mobile == Some(true) {
        orders.push(Order::vital(
            "Emulation.setDeviceMetricsOverride",
            &metrics(identity),
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

/// Commands for frames in processes of their own: a screen and a position are the page's.
pub(super) fn for_frames(identity: &Identity, engine: &Engine<'_>) -> Vec<Order> {
    for_workers(identity, engine)
}

/// Commands for workers.
pub(super) fn for_workers(identity: &Identity, engine: &Engine<'_>) -> Vec<Order> {
    let mut orders = Vec::new();
    if let Some(user_agent) = identity.user_agent_for(engine.version) {
        let metadata = hints::metadata(&user_agent, engine);
        // Languages are left to the command line, which reaches every realm.
        let params = json!({"userAgent": user_agent, "userAgentMetadata": metadata});
        orders.push(Order::vital(USER_AGENT, &params));
    }
    orders.extend(locale(identity));
    orders
}

/// `Intl` of the locale where Chromium has no locale pack for it (with one it is a flag's affair). It
/// is per process: the second target of a process is told that it is set already, so it is not vital.
pub(super) fn locale(identity: &Identity) -> Option<Order> {
    let locale = identity.locale.as_ref()?;
    Some(Order::wished(
        LOCALE,
        &json!({"locale": locale.replace('-', "_")}),
    ))
}

/// The command that takes an emulation back.
pub(super) fn undo(method: &str) -> Option<Order> {
    let nothing = json!({});
    Some(match method {
        USER_AGENT => Order::wished(USER_AGENT, &json!({"userAgent": ""})),
        "Emulation.setDeviceMetricsOverride" => {
            Order::wished("Emulation.clearDeviceMetricsOverride", &nothing)
        }
        "Emulation.setGeolocationOverride" => {
            Order::wished("Emulation.clearGeolocationOverride", &nothing)
        }
        LOCALE => Order::wished(LOCALE, &nothing),
        _ => return None,
    })
}

const USER_AGENT: &str = "Emulation.setUserAgentOverride";

/// The one command whose effect is a whole process's, and ends with the session that gave it.
pub(super) const LOCALE: &str = "Emulation.setLocaleOverride";

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

    const ENGINE: Engine<'_> = Engine {
        version: "156.0.1.2",
        brand: None,
    };

    #[test]
    fn the_hosts_own_identity_needs_nothing() {
        assert!(for_pages(&Identity::default(), &ENGINE).is_empty());
        assert!(for_workers(&Identity::default(), &ENGINE).is_empty());
    }

    #[test]
    fn every_emulation_can_be_taken_back() {
        let identity = Identity {
            user_agent: Some("Mozilla/5.0 (Linux; Android 10; K) Mobile".into()),
            locale: Some("de-AT".into()),
            mobile: Some(true),
            geolocation: Some(szk_config::Geolocation {
                latitude: 48.2,
                longitude: 16.4,
                accuracy: 50.0,
            }),
            ..Identity::default()
        };
        let orders = for_pages(&identity, &ENGINE);
        assert_eq!(orders.len(), 4);
        for order in orders {
            assert!(undo(order.method).is_some(), "{}", order.method);
        }
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
        let orders = for_workers(&identity, &ENGINE);
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
