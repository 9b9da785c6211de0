//! Parts of an identity that contradict each other, as far as that is knowable without a browser.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::preset::PresetInfo;
use crate::{Identity, Orientation};

/// Largest difference in hours between solar time at a place and its zone's clock that occurs in any
/// country.
const FAR: f64 = 4.0;

/// The first of January and of July 2026.
const JANUARY: i64 = 1_767_225_600;
const JULY: i64 = 1_782_864_000;

/// What contradicts what. A preset that admits what gives it away needs no repetition.
pub(super) fn of(identity: &Identity, preset: Option<&PresetInfo>) -> Vec<String> {
    let own = preset.and_then(|preset| preset.identity.user_agent.as_deref());
    let told = own.is_some() && own == identity.user_agent.as_deref();
    let platform = if told { None } else { platform(identity) };
    [
        platform,
        device(identity),
        held(identity),
        position(identity),
        names(identity),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// This machine's system, as user agents name it.
const HERE: &str = if cfg!(windows) {
    "Windows"
} else if cfg!(target_os = "macos") {
    "Mac OS X"
} else {
    "Linux"
};

fn platform(identity: &Identity) -> Option<String> {
    let user_agent = identity.user_agent.as_deref()?;
    let all = [
        "Android", "iPhone", "iPad", "Windows", "Mac OS X", "CrOS", "Linux",
    ];
    let claimed = all.into_iter().find(|name| user_agent.contains(name))?;
    (claimed != HERE).then(|| {
        format!("`identity.user_agent` claims {claimed} and this is {HERE}: every realm reports the host's own `navigator.platform`, and graphics, fonts and codecs remain those of the host")
    })
}

/// A phone has a touch screen, and its user agent says so.
fn device(identity: &Identity) -> Option<String> {
    let (mobile, touch) = (identity.mobile == Some(true), identity.touch == Some(true));
    let android = identity
        .user_agent
        .as_deref()
        .is_some_and(|agent| agent.contains("Android"));
    match (mobile, touch, android) {
        (true, false, _) => Some("`identity.mobile` without `identity.touch`: no phone has a mouse as its pointer".to_owned()),
        (true, _, false) => Some("`identity.mobile` without a user agent of Android: pages are laid out as on a phone, but the client hints say it is not one".to_owned()),
        (false, _, true) => Some("`identity.user_agent` claims Android without `identity.mobile`: pages are laid out as on a desktop".to_owned()),
        _ => None,
    }
}

fn held(identity: &Identity) -> Option<String> {
    let (screen, orientation) = (identity.screen?, identity.orientation?);
    let fits = match orientation {
        Orientation::Portrait => screen.height >= screen.width,
        Orientation::Landscape => screen.width >= screen.height,
    };
    (!fits).then(|| format!("the screen {screen} does not match `identity.orientation`"))
}

/// Whether sun and clock roughly agree.
fn position(identity: &Identity) -> Option<String> {
    let (place, zone) = (identity.geolocation?, identity.timezone.as_deref()?);
    let zone_of = TimeZone::get(zone).ok()?;
    let offset = |second| {
        let at = Timestamp::from_second(second).ok()?;
        Some(zone_of.to_offset(at).seconds())
    };
    // Summer time runs ahead of the sun, in either hemisphere.
    let ahead = f64::from(offset(JANUARY)?.min(offset(JULY)?)) / 3600.0;
    let sun = place.longitude / 15.0;
    // The date line can lie between two neighbours.
    let apart = (ahead - sun).rem_euclid(24.0);
    let apart = apart.min(24.0 - apart);
    (apart > FAR).then(|| {
        format!("`identity.geolocation` does not fit the time zone `{zone}`: local solar time there is {apart:.0} hours off")
    })
}

/// A proxy that cannot resolve names leaves that to the host, and the host's own network then sees
/// them.
///
fn names(identity: &Identity) -> Option<String> {
    let proxy = identity.proxy.as_ref()?;
    proxy.server().starts_with("socks4://").then(|| {
        "`identity.proxy` is socks4, which cannot resolve names: this machine's own name servers are asked for every host; use socks5".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Geolocation;

    #[track_caller]
    fn check(change: impl FnOnce(&mut Identity), expected: &[&str]) {
        let mut identity = Identity::default();
        change(&mut identity);
        let told = of(&identity, None);
        assert_eq!(told.len(), expected.len(), "{told:?}");
        for (told, part) in told.iter().zip(expected) {
            assert!(told.contains(part), "{told}");
        }
    }

    #[test]
    fn what_goes_together_is_not_mentioned() {
        check(|_| {}, &[]);
        check(
            |identity| {
                identity.user_agent = Some(format!("Mozilla/5.0 ({HERE}) Chrome/{{major}}"));
                identity.locale = Some("de-AT".into());
                identity.proxy = Some("socks5://proxy:1".parse().unwrap());
            },
            &[],
        );
    }

    fn at(identity: &mut Identity, latitude: f64, longitude: f64, zone: &str) {
        identity.timezone = Some(zone.into());
        identity.geolocation = Some(Geolocation {
            latitude,
            longitude,
            accuracy: 50.0,
        });
    }

    #[test]
    fn a_place_and_its_clock() {
        let far = &["does not fit the time zone"][..];
        check(|identity| at(identity, 48.2, 16.4, "Europe/Vienna"), &[]);
        check(|identity| at(identity, 39.5, 76.0, "Asia/Shanghai"), &[]);
        check(
            |identity| at(identity, -21.1, -175.2, "Pacific/Tongatapu"),
            &[],
        );
        check(|identity| at(identity, 48.2, 16.4, "Asia/Tokyo"), far);
        check(|identity| at(identity, 40.7, -74.0, "Europe/Vienna"), far);
    }

    #[test]
    fn a_device_is_one_of_a_kind() {
        check(
            |identity| identity.mobile = Some(true),
            &["without `identity.touch`"],
        );
        check(
            |identity| {
                identity.mobile = Some(true);
                identity.touch = Some(true);
            },
            &["without a user agent of Android"],
        );
        check(
            |identity| identity.user_agent = Some("Mozilla/5.0 (Linux; Android 10; K)".into()),
            &["claims Android and this is", "without `identity.mobile`"],
        );
        check(
            |identity| {
                identity.screen = Some("412x915".parse().unwrap());
                identity.orientation = Some(Orientation::Landscape);
            },
            &["does not match `identity.orientation`"],
        );
    }

    #[test]
    fn a_proxy_that_does_not_resolve_names() {
        check(
            |identity| identity.proxy = Some("socks4://proxy:1".parse().unwrap()),
            &["cannot resolve names"],
        );
    }
}
