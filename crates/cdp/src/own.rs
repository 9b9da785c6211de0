//! Commands and events that the protocol crate lacks, or has with fewer fields than we send. The crate
//! leaves out what is deprecated, and accepts only enum values that it knows. Only this file and the
//! endpoint's policy table name methods in text; a test enforces that.

use chromiumoxide_types::{Command, Method, MethodId};
use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::protocol::emulation::UserAgentMetadata;
use crate::protocol::input::DispatchDragEventType;
use crate::protocol::network::CookiePartitionKey;

/// Declares a command: its name in the protocol, and its parameters in wire order.
macro_rules! command {
    ($(#[$doc:meta])* $name:ident = $method:literal {
        $($(#[$field_doc:meta])* $field:ident: $type:ty),* $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Clone, Serialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl $name {
            /// `Domain.command`.
            pub const IDENTIFIER: &'static str = $method;
        }

        impl Method for $name {
            fn identifier(&self) -> MethodId {
                Self::IDENTIFIER.into()
            }
        }

        impl Command for $name {
            type Response = IgnoredAny;
        }
    };
}

command!(
    /// Reports what pages write to their console, without `Runtime`, which pages can detect when it is
    /// enabled.
    EnableConsoleParams = "Console.enable" {}
);
command!(
    /// Stops that.
    DisableConsoleParams = "Console.disable" {}
);
command!(
    /// Adds a function of ours to one world by its id; the protocol crate knows worlds only by name.
    AddBindingParams = "Runtime.addBinding" {
        /// Name of the function.
        name: String,
        /// Id of the world.
        execution_context_id: i64,
    }
);
command!(
    /// Drags data over the page. The protocol crate would parse the data, which has to go back
    /// unchanged.
    DispatchDragEventParams = "Input.dispatchDragEvent" {
        /// The kind of event.
        r#type: DispatchDragEventType,
        /// Where, in CSS pixels of the viewport.
        x: i32,
        /// Where, in CSS pixels of the viewport.
        y: i32,
        /// The data from `Input.dragIntercepted`.
        data: Value,
    }
);
command!(
    /// Sets cookies; the crate lacks the priorities and schemes of newer versions.
    SetCookiesParams = "Storage.setCookies" {
        /// All of them are set or, if one is refused, none.
        cookies: Vec<CookieParam>,
    }
);
command!(
    /// Sets the user agent and its client hints; the crate lacks the deprecated full version.
    SetUserAgentOverrideParams = "Emulation.setUserAgentOverride" {
        /// For `navigator.userAgent` and the header.
        user_agent: String,
        /// For `navigator.userAgentData` and the `Sec-CH-UA` headers.
        user_agent_metadata: FullUserAgentMetadata,
    }
);

command!(
    /// Takes a target offline, or back online; deprecated in the protocol crate.
    EmulateNetworkConditionsParams = "Network.emulateNetworkConditions" {
        /// Whether it is offline.
        offline: bool,
        /// Minimum latency in milliseconds.
        latency: i32,
        /// Bytes per second; -1 for no limit.
        download_throughput: i32,
        /// Bytes per second; -1 for no limit.
        upload_throughput: i32,
    }
);

/// Client hints, including a deprecated one.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FullUserAgentMetadata {
    /// The others.
    #[serde(flatten)]
    pub hints: UserAgentMetadata,
    /// `Sec-CH-UA-Full-Version`.
    pub full_version: String,
}

/// A cookie to set. A domain without a leading dot is host-only. Enums are text, so that values of a
/// newer Chromium can be set again. `Debug` does not show it.
#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CookieParam {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The host, or with a leading dot a host and all its subdomains.
    pub domain: String,
    /// The path it is sent to.
    pub path: String,
    /// Expiry in seconds since 1970; a session cookie has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<f64>,
    /// Whether it is hidden from scripts.
    pub http_only: bool,
    /// Whether it is sent only over TLS.
    pub secure: bool,
    /// `Strict`, `Lax`, `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_site: Option<&'static str>,
    /// `Low`, `Medium`, `High`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
    /// `Unset`, `NonSecure`, `Secure`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_scheme: Option<String>,
    /// The port of the server that set it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_port: Option<i64>,
    /// The site of its partition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition_key: Option<CookiePartitionKey>,
}

/// A page has written to its console.
#[derive(Debug, Clone, Copy)]
pub struct EventConsoleMessageAdded;

impl EventConsoleMessageAdded {
    /// `Domain.event`.
    pub const IDENTIFIER: &'static str = "Console.messageAdded";
}

/// A page has started a download; `Browser` reports the same, without the page's session.
#[derive(Debug, Clone, Copy)]
pub struct EventPageDownloadWillBegin;

impl EventPageDownloadWillBegin {
    /// `Domain.event`.
    pub const IDENTIFIER: &'static str = "Page.downloadWillBegin";
}

/// A page is about to load an address, or to run a `javascript:` one, for which no other event comes first.
#[derive(Debug, Clone, Copy)]
pub struct EventFrameScheduledNavigation;

impl EventFrameScheduledNavigation {
    /// `Domain.event`.
    pub const IDENTIFIER: &'static str = "Page.frameScheduledNavigation";
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn own_commands_are_written_like_the_crates() {
        let bind = AddBindingParams {
            name: "b".to_owned(),
            execution_context_id: 7,
        };
        assert_eq!(bind.identifier(), "Runtime.addBinding");
        assert_eq!(
            serde_json::to_value(&bind).unwrap(),
            json!({"name": "b", "executionContextId": 7})
        );
        assert_eq!(
            serde_json::to_value(EnableConsoleParams {}).unwrap(),
            json!({})
        );
    }
}
