//! What pages of an origin may do without asking.

use szk_cdp::protocol::browser::{PermissionDescriptor, PermissionSetting, SetPermissionParams};
use szk_cdp::{Connection, Done, Reply};

/// The answer to a permission's prompt, given beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// Without asking.
    Granted,
    /// Refused without asking.
    Denied,
    /// The page asks, as usual.
    Prompt,
}

/// Sets one permission of one origin, by its name in `navigator.permissions`. The others stay as they are,
/// which `Browser.grantPermissions` does not do.
pub fn set(connection: &Connection, name: &str, setting: Setting, origin: &str) -> Reply<Done> {
    let setting = match setting {
        Setting::Granted => PermissionSetting::Granted,
        Setting::Denied => PermissionSetting::Denied,
        Setting::Prompt => PermissionSetting::Prompt,
    };
    let params = SetPermissionParams {
        origin: Some(origin.to_owned()),
        ..SetPermissionParams::new(PermissionDescriptor::new(name), setting)
    };
    connection.post(None, &params)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use szk_cdp::testing::Script;

    use super::*;

    #[tokio::test]
    async fn one_permission_of_one_origin_is_set() {
        let (connection, _events, peer) = Script::new().start();
        let set = set(
            &connection,
            "geolocation",
            Setting::Granted,
            "https://a.test",
        );
        set.await.unwrap();
        assert_eq!(
            peer.calls()[0].params,
            json!({"permission": {"name": "geolocation"}, "setting": "granted", "origin": "https://a.test"})
        );
    }
}
