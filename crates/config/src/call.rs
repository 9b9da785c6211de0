//! What one call may ask for: the strongest layer.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{Headless, Proxy, Viewport};

/// The options of opening a session; what is left out comes from the weaker layers.
///
/// `preset` excludes `viewport`, `locale`, `timezone` and `user_agent`: half a preset is an
/// identity nobody has checked. Relative paths are taken from [`crate::Origin::cwd`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CallOptions {
    /// Name of a preset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// With a window or without.
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
    /// Where all traffic goes through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proxy: Option<Proxy>,
    /// Folders of unpacked extensions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Vec<PathBuf>>,
    /// The browser's executable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chromium: Option<PathBuf>,
    /// Chromium's own debugging port, open beside the endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_port: Option<u16>,
    /// The folder of the profiles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<PathBuf>,
}

impl CallOptions {
    /// The single identity fields that were given beside each other, by name.
    pub(crate) fn identity_fields(&self) -> Vec<&'static str> {
        let given = [
            ("viewport", self.viewport.is_some()),
            ("locale", self.locale.is_some()),
            ("timezone", self.timezone.is_some()),
            ("user_agent", self.user_agent.is_some()),
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
