//! The parts of an identity that need emulation commands, because no flag can set them.
//!
//! An ordinary identity (the host's own) needs none of these. They are set on every session of the
//! supervisor, because each reaches only the realms of its own session.

use szk_cdp::own;
use szk_cdp::protocol::emulation::{
    ClearDeviceMetricsOverrideParams, ClearGeolocationOverrideParams, ScreenOrientation,
    ScreenOrientationType, SetDeviceMetricsOverrideParams, SetGeolocationOverrideParams,
    SetLocaleOverrideParams, SetUserAgentOverrideParams,
};
use szk_config::{Identity, Orientation};

use super::hints;
use super::{Engine, TargetCommand};

/// Commands for pages.
pub(super) fn for_pages(identity: &Identity, engine: &Engine<'_>) -> Vec<TargetCommand> {
    let mut orders = for_frames(identity, engine);
    if identity.mobile == Some(true) {
        orders.push(TargetCommand::vital(&metrics(identity)));
    }
    if let Some(place) = &identity.geolocation {
        orders.push(TargetCommand::vital(&SetGeolocationOverrideParams {
            latitude: Some(place.latitude),
            longitude: Some(place.longitude),
            accuracy: Some(place.accuracy),
            ..SetGeolocationOverrideParams::default()
        }));
    }
    orders
}

/// Commands for frames in processes of their own: screen and position belong to the page.
pub(super) fn for_frames(identity: &Identity, engine: &Engine<'_>) -> Vec<TargetCommand> {
    for_workers(identity, engine)
}

/// Commands for workers.
pub(super) fn for_workers(identity: &Identity, engine: &Engine<'_>) -> Vec<TargetCommand> {
    let mut orders = Vec::new();
    if let Some(user_agent) = identity.user_agent_for(engine.version) {
        // The command line sets languages, for every realm.
        orders.push(TargetCommand::vital(&own::SetUserAgentOverrideParams {
            user_agent_metadata: hints::metadata(&user_agent, engine),
            user_agent,
        }));
    }
    orders.extend(locale(identity));
    orders
}

/// `Intl` of a locale for which Chromium has no locale pack (otherwise a flag sets it). It applies to a
/// process: a second target in the same process is refused because it is already set, so the command is
/// not vital.
pub(super) fn locale(identity: &Identity) -> Option<TargetCommand> {
    let locale = identity.locale.as_ref()?;
    Some(TargetCommand::wished(&SetLocaleOverrideParams {
        locale: Some(locale.replace('-', "_")),
    }))
}

/// The command that withdraws an emulation.
pub(super) fn undo(method: &str) -> Option<TargetCommand> {
    Some(match method {
        SetUserAgentOverrideParams::IDENTIFIER => {
            TargetCommand::wished(&SetUserAgentOverrideParams::new(""))
        }
        SetDeviceMetricsOverrideParams::IDENTIFIER => {
            TargetCommand::wished(&ClearDeviceMetricsOverrideParams::default())
        }
        SetGeolocationOverrideParams::IDENTIFIER => {
            TargetCommand::wished(&ClearGeolocationOverrideParams::default())
        }
        LOCALE => TargetCommand::wished(&SetLocaleOverrideParams::default()),
        _ => return None,
    })
}

/// The only command that affects a whole process and ends with the session that sent it.
pub(super) const LOCALE: &str = SetLocaleOverrideParams::IDENTIFIER;

fn metrics(identity: &Identity) -> SetDeviceMetricsOverrideParams {
    let size = identity.viewport.or(identity.screen);
    let (width, height) = size.map_or((0, 0), |size| (size.width, size.height));
    let screen = identity.screen.or(identity.viewport);
    let (kind, angle) = match identity.orientation {
        Some(Orientation::Landscape) => (ScreenOrientationType::LandscapePrimary, 90),
        _ => (ScreenOrientationType::PortraitPrimary, 0),
    };
    let density = identity.device_scale_factor.unwrap_or(0.0);
    SetDeviceMetricsOverrideParams {
        screen_width: screen.map(|screen| screen.width.into()),
        screen_height: screen.map(|screen| screen.height.into()),
        screen_orientation: Some(ScreenOrientation::new(kind, angle)),
        ..SetDeviceMetricsOverrideParams::new(width, height, density, true)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

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
    fn every_emulation_can_be_withdrawn() {
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
            assert!(undo(order.method()).is_some(), "{}", order.method());
        }
    }

    #[test]
    fn a_phone_gets_only_the_emulation_it_needs() {
        let size = |width, height| szk_config::Viewport { width, height };
        let identity = Identity {
            mobile: Some(true),
            viewport: Some(size(412, 800)),
            screen: Some(size(412, 915)),
            device_scale_factor: Some(2.5),
            orientation: Some(Orientation::Landscape),
            locale: Some("de-AT".into()),
            ..Identity::default()
        };
        let orders = for_pages(&identity, &ENGINE);
        let said = |order: &TargetCommand| -> Value {
            serde_json::from_str(order.command.params().get()).unwrap()
        };
        assert_eq!(said(&orders[0]), json!({"locale": "de_AT"}));
        assert_eq!(
            said(&orders[1]),
            json!({"width": 412, "height": 800, "deviceScaleFactor": 2.5, "mobile": true,
                "screenWidth": 412, "screenHeight": 915,
                "screenOrientation": {"type": "landscapePrimary", "angle": 90}})
        );
        assert_eq!(said(&undo(LOCALE).unwrap()), json!({}));
        let agent = undo(SetUserAgentOverrideParams::IDENTIFIER).unwrap();
        assert_eq!(said(&agent), json!({"userAgent": ""}));
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
        let params: Value = serde_json::from_str(orders[0].command.params().get()).unwrap();
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
