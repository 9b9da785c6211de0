//! Makes hosts that the policy forbids unresolvable: the only limit that also covers WebSockets.

use szk_config::{OriginPattern, Policy, Proxy};

/// The value of `--host-resolver-rules`, if the policy needs it.
pub(super) fn rules(policy: &Policy, proxy: Option<&Proxy>) -> Option<String> {
    let mut rules = Vec::new();
    for pattern in &policy.denied_origins {
        if let Some(host) = host(pattern) {
            let port = pattern.port().map(|port| format!(":{port}"));
            rules.push(format!("MAP {host}{} ~NOTFOUND", port.unwrap_or_default()));
        }
    }
    if let Some(allowed) = &policy.allowed_origins
        && !allowed.iter().any(|pattern| pattern.host() == "*")
    {
        rules.push("MAP * ~NOTFOUND".to_owned());
        let own = allowed.iter().filter_map(host).map(str::to_owned);
        for host in own.chain(proxy.map(|proxy| proxy.host().to_owned())) {
            rules.push(format!("EXCLUDE {host}"));
        }
    }
    (!rules.is_empty()).then(|| rules.join(" , "))
}

/// The host as Chromium writes it: IPv6 without brackets.
fn host(pattern: &OriginPattern) -> Option<&str> {
    let host = pattern.host().trim_start_matches('[').trim_end_matches(']');
    (!host.is_empty()).then_some(host)
}
