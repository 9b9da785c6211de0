//! Commands and events that the protocol crate lacks, or has with less than we send. It leaves out what is
//! deprecated, and takes only the values of enumerations that it knows. This is the one place that names
//! methods in text; a test holds that.

use chromiumoxide_types::{Command, Method, MethodId};
use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::protocol::emulation::UserAgentMetadata;
use crate::protocol::input::DispatchDragEventType;
use crate::protocol::network::CookiePartitionKey;

/// Declares a command: its name in the protocol, and its parameters in the order of the wire.
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
    /// Has what pages write to their console told, without `Runtime`, whose being enabled pages can see.
    EnableConsoleParams = "Console.enable" {}
);
command!(
    /// Ends that.
    DisableConsoleParams = "Console.disable" {}
);
command!(
    /// Puts a function of ours into one world by its number; the crate knows worlds by their names only.
    AddBindingParams = "Runtime.addBinding" {
        /// The function's.
        name: String,
        /// The world's.
        execution_context_id: i64,
    }
);
command!(
    /// Moves what is dragged; the crate reads what is dragged, which goes back as it came.
    DispatchDragEventParams = "Input.dispatchDragEvent" {
        /// What happens.
        r#type: DispatchDragEventType,
        /// Where, in CSS pixels of the viewport.
        x: i32,
        /// Where, in CSS pixels of the viewport.
        y: i32,
        /// What `Input.dragIntercepted` told.
        data: Value,
    }
);
command!(
    /// Sets cookies; the crate lacks the priorities and schemes of newer versions.
    SetCookiesParams = "Storage.setCookies" {
        /// All or, if one of them is refused, none.
        cookies: Vec<CookieParam>,
    }
);
command!(
    /// Sets the user agent and its client hints; the crate lacks the deprecated full version.
    SetUserAgentOverrideParams = "Emulation.setUserAgentOverride" {
        /// Of `navigator.userAgent` and the header.
        user_agent: String,
        /// Of `navigator.userAgentData` and the `Sec-CH-UA` headers.
        user_agent_metadata: FullUserAgentMetadata,
    }
);

command!(
    /// Takes a target off the network, or puts it back; the crate has it as deprecated.
    EmulateNetworkConditionsParams = "Network.emulateNetworkConditions" {
        /// Whether nothing gets through.
        offline: bool,
        /// Milliseconds that each answer takes at least.
        latency: i32,
        /// Bytes a second; -1 for as many as there are.
        download_throughput: i32,
        /// Bytes a second; -1 for as many as there are.
        upload_throughput: i32,
    }
);

/// Client hints with the one that is deprecated.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FullUserAgentMetadata {
    /// The others.
    #[serde(flatten)]
    pub hints: UserAgentMetadata,
    /// `Sec-CH-UA-Full-Version`.
    pub full_version: String,
}

/// A cookie as Chromium wants it. A domain without a dot makes it the host's alone. Enumerations are
/// text: what a newer Chromium told of a cookie goes back to it. It shows itself to nobody.
#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CookieParam {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The host, or with a dot before it all hosts below.
    pub domain: String,
    /// The path that it is sent to.
    pub path: String,
    /// When it ends, in seconds since 1970; with the session if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<f64>,
    /// Whether scripts cannot see it.
    pub http_only: bool,
    /// Whether it is only sent over TLS.
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
    /// The port that set it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_port: Option<i64>,
    /// The site that it is kept apart for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition_key: Option<CookiePartitionKey>,
}

/// A page wrote to its console.
#[derive(Debug, Clone, Copy)]
pub struct EventConsoleMessageAdded;

impl EventConsoleMessageAdded {
    /// `Domain.event`.
    pub const IDENTIFIER: &'static str = "Console.messageAdded";
}

/// A page's download begins; `Browser` tells the same without naming the page's session.
#[derive(Debug, Clone, Copy)]
pub struct EventPageDownloadWillBegin;

impl EventPageDownloadWillBegin {
    /// `Domain.event`.
    pub const IDENTIFIER: &'static str = "Page.downloadWillBegin";
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
