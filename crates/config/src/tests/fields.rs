//! Every field of an identity and of a call is a key, and the key reads it.
//!
//! The values here name every field, with no `..`: a new one does not compile until it is given a value,
//! and then fails until it stands in the list of keys.

use std::path::Path;

use toml::Value;

use crate::layer::{Entry, from_call, from_saved};
use crate::{
    CallOptions, Geolocation, Headless, Identity, Orientation, Settings, Source, Viewport,
};

const SIZE: Viewport = Viewport {
    width: 1280,
    height: 800,
};

fn identity() -> Identity {
    Identity {
        preset: Some("native".to_owned()),
        label: Some("Work".to_owned()),
        user_agent: Some("Mozilla/5.0 Chrome/{major}.0.0.0".to_owned()),
        locale: Some("de-AT".to_owned()),
        timezone: Some("Europe/Vienna".to_owned()),
        viewport: Some(SIZE),
        screen: Some(SIZE),
        device_scale_factor: Some(2.0),
        mobile: Some(true),
        touch: Some(true),
        orientation: Some(Orientation::Portrait),
        proxy: Some("http://a:b@proxy:1".parse().unwrap()),
        geolocation: Some(Geolocation {
            latitude: 1.0,
            longitude: 2.0,
            accuracy: 3.0,
        }),
    }
}

fn applied(entries: &[Entry]) -> Settings {
    let mut settings = Settings::default();
    for entry in entries {
        entry.apply(&mut settings).unwrap();
    }
    settings
}

#[test]
fn an_identity_that_was_saved_is_read_again_field_by_field() {
    let saved = identity();
    let mut settings = applied(&from_saved(&saved).unwrap());
    // The preset chooses a layer rather than being in this one.
    assert_eq!(settings.identity.preset, None);
    settings.identity.preset = saved.preset.clone();
    assert_eq!(settings.identity, saved);
}

#[test]
fn every_option_of_a_call_is_read() {
    let call = CallOptions {
        preset: None,
        headless: Some(Headless::On),
        viewport: identity().viewport,
        locale: identity().locale,
        timezone: identity().timezone,
        user_agent: identity().user_agent,
        proxy: identity().proxy,
        extensions: Some(vec!["/extension".into()]),
        chromium: Some("/chromium".into()),
        raw_port: Some(9222),
        store: Some("/store".into()),
    };
    let settings = applied(&from_call(&call, Path::new("/")).unwrap());
    let read = CallOptions {
        preset: None,
        headless: Some(settings.browser.headless),
        viewport: settings.identity.viewport,
        locale: settings.identity.locale,
        timezone: settings.identity.timezone,
        user_agent: settings.identity.user_agent,
        proxy: settings.identity.proxy,
        extensions: Some(settings.browser.extensions),
        chromium: settings.browser.chromium,
        raw_port: settings.endpoint.raw_port,
        store: settings.store.path,
    };
    assert_eq!(read, call);
}

#[test]
fn a_name_that_is_no_key_is_an_error() {
    let entry = Entry::new("identity.shoe_size", Value::Integer(42), Source::Profile);
    assert_eq!(
        entry.unwrap_err().message(),
        "`identity.shoe_size` (profile): there is no such key"
    );
}
