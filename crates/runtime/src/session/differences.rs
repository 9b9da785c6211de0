//! Whether an open session is what another call wants to open.

use szk_config::{CallOptions, Headless};

use super::Session;
use crate::launch::Mode;

impl Session {
    /// The options of a call that the open session does not have. Destructured without `..`, so that a new
    /// option does not compile until it is compared here.
    #[must_use]
    pub fn differences(&self, asked: &CallOptions) -> Vec<String> {
        let CallOptions {
            preset,
            headless,
            viewport,
            locale,
            timezone,
            user_agent,
            proxy,
            extensions,
            raw_port,
            // Who opens a session says where its browser and its store are, not who joins it.
            chromium: _,
            store: _,
        } = asked;
        let have = self.identity();
        let settings = &self.resolved().settings;
        let mut differ = Vec::new();
        let mut compare = |name: &str, have: Option<String>, asked: Option<String>| {
            if let Some(asked) = asked
                && have.as_deref() != Some(&*asked)
            {
                differ.push(format!(
                    "`{name}` is {}, not `{asked}`",
                    have.map_or("the host's".to_owned(), |have| format!("`{have}`"))
                ));
            }
        };
        compare("preset", have.preset.clone(), preset.clone());
        compare("locale", have.locale.clone(), locale.clone());
        compare("timezone", have.timezone.clone(), timezone.clone());
        compare("user_agent", have.user_agent.clone(), user_agent.clone());
        compare(
            "viewport",
            have.viewport.map(|v| v.to_string()),
            viewport.map(|v| v.to_string()),
        );
        // Displayed without the password; two that differ only in it are compared below.
        compare(
            "proxy",
            have.proxy.as_ref().map(ToString::to_string),
            proxy.as_ref().map(ToString::to_string),
        );
        if proxy.is_some()
            && *proxy != have.proxy
            && !differ.iter().any(|line| line.starts_with("`proxy`"))
        {
            differ.push("`proxy` has a different login".to_owned());
        }
        if raw_port.is_some() && *raw_port != settings.endpoint.raw_port {
            differ.push("`raw_port` differs or is not set".to_owned());
        }
        match (headless, self.mode()) {
            (Some(Headless::On), Mode::Window) => {
                differ.push("`headless` is false, not `true`".to_owned())
            }
            (Some(Headless::Off), Mode::Headless) => {
                differ.push("`headless` is true, not `false`".to_owned())
            }
            _ => {}
        }
        let others = |asked: &Vec<_>| *asked != settings.browser.extensions;
        if extensions.as_ref().is_some_and(others) {
            differ.push("`extensions` differ".to_owned());
        }
        differ
    }
}
