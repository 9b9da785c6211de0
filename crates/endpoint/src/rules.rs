//! The rules for one client: the endpoint's settings, and the choices in its address.

use std::collections::BTreeSet;

use szk_config::{Bounds, EndpointContexts, EndpointIdentity, EndpointSettings, EndpointTabs};

/// The rules of a listener or of one client.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// Whether pages are shielded from `Runtime.enable`.
    pub shield: bool,
    /// Whose identity pages see.
    pub identity: EndpointIdentity,
    /// Whose rules apply in a browser context that a client created.
    pub contexts: EndpointContexts,
    /// Which tabs a client sees.
    pub tabs: EndpointTabs,
    /// Methods and domains to refuse.
    pub deny: BTreeSet<String>,
    /// The limits of `[policy]`.
    pub bounds: Bounds,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            shield: true,
            identity: EndpointIdentity::Profile,
            contexts: EndpointContexts::Client,
            tabs: EndpointTabs::All,
            deny: BTreeSet::new(),
            bounds: Bounds::open(),
        }
    }
}

impl Rules {
    /// The rules of a session.
    #[must_use]
    pub fn of(settings: &EndpointSettings, bounds: Bounds) -> Self {
        Self {
            bounds,
            shield: settings.shield,
            identity: settings.identity,
            contexts: settings.contexts,
            tabs: settings.tabs,
            deny: settings.deny.iter().cloned().collect(),
        }
    }

    /// Whether the configuration refuses a method.
    pub(super) fn denies(&self, method: &str) -> bool {
        let domain = method.split_once('.').map_or(method, |(domain, _)| domain);
        self.deny.contains(method) || self.deny.contains(domain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_or_its_domain_is_refused() {
        let deny = ["Network.getCookies", "Storage"].map(str::to_owned).into();
        let rules = Rules {
            deny,
            ..Rules::default()
        };
        assert!(rules.denies("Network.getCookies") && rules.denies("Storage.getCookies"));
        assert!(!rules.denies("Network.enable") && !rules.denies("StorageX.get"));
    }
}
