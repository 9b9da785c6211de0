//! The options a single call may give: the strongest layer.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{Headless, Proxy, Viewport};

/// The options for opening a session; anything left out comes from the weaker layers.
///
/// `preset` excludes `viewport`, `locale`, `timezone` and `user_agent`: a preset mixed with single
/// values is an identity that nobody has checked. Relative paths start at [`crate::Origin::cwd`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CallOptions {
    /// Name of a preset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Whether to show a window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headless: Option<Headless>,
    /// Size of the page's area.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub viewport: Option<Viewport>,
    /// BCP 47 tag such as `de-AT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// IANA time zone such as `Europe/Warsaw`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// User agent template; see [`crate::Identity::user_agent_for`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<String>,
    /// Proxy for all traffic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proxy: Option<Proxy>,
    /// Folders of unpacked extensions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Vec<PathBuf>>,
    /// The browser's executable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chromium: Option<PathBuf>,
    /// Chromium's own debugging port, in addition to the endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_port: Option<u16>,
    /// The folder that holds the profiles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<PathBuf>,
}

impl CallOptions {
    /// Names of the identity fields that the call sets one by one.
    pub(crate) fn identity_fields(&self) -> Vec<&'static str> {
        // A field that is new here is part of an identity, or it is not: decide.
        let Self {
            viewport,
            locale,
            timezone,
            user_agent,
            preset: _,
            headless: _,
            proxy: _,
            extensions: _,
            chromium: _,
            raw_port: _,
            store: _,
        } = self;
        let given = [
            ("viewport", viewport.is_some()),
            ("locale", locale.is_some()),
            ("timezone", timezone.is_some()),
            ("user_agent", user_agent.is_some()),
        ];
        given
            .iter()
            .filter(|(_, is)| *is)
            .map(|(name, _)| *name)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_that_does_not_exist_is_refused() {
        let read = serde_json::from_str::<CallOptions>(r#"{"locale":"de","headles":true}"#);
        assert!(
            read.unwrap_err()
                .to_string()
                .contains("unknown field `headles`")
        );
    }
}
