//! Which headers a tab cannot send. DevTools takes any of them, and Chromium's network service then refuses every
//! request of the tab (`net::ERR_INVALID_ARGUMENT`), so that no page loads any more.

use std::collections::BTreeMap;

use szk_tools::Failure;

/// Headers that Chromium alone sets, in lower case, and why.
const OWN: [(&[&str], &str); 4] = [
    (&["host"], "it follows from the address"),
    (
        &["content-length", "transfer-encoding"],
        "it follows from the body of a request",
    ),
    (
        &["te", "trailer", "upgrade", "keep-alive"],
        "it is about the connection, which Chromium manages",
    ),
    (
        &["cookie2", "set-cookie"],
        "no browser sends it: cookies come from the profile",
    ),
];

/// What Chromium takes as the value of `Connection`.
const CONNECTION: [&str; 2] = ["close", "keep-alive"];

/// Refuses headers with which no request would be sent.
pub(super) fn check(headers: &BTreeMap<String, String>) -> Result<(), Failure> {
    for (name, value) in headers {
        if let Some(why) = refused(name, value) {
            let name = szk_text::line(name, 60);
            let message = format!("the header `{name}` cannot be set: {why}");
            return Err(Failure::invalid(message).hint("leave it out: with it no page would load"));
        }
    }
    Ok(())
}

fn refused(name: &str, value: &str) -> Option<&'static str> {
    let name = name.trim().to_ascii_lowercase();
    if let Some((_, why)) = OWN.iter().find(|(names, _)| names.contains(&&*name)) {
        return Some(*why);
    }
    if name.starts_with("proxy-") {
        return Some("it is for a proxy, whose login belongs to `proxy` of the session");
    }
    let fits = |token: &str| {
        let token = token.trim();
        CONNECTION.iter().any(|own| token.eq_ignore_ascii_case(own))
    };
    let connection = name == "connection" && !value.split(',').all(fits);
    connection.then_some("its value is `close` or `keep-alive`, as Chromium manages connections")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(name: &str, value: &str) -> Result<(), Failure> {
        check(&[(name.to_owned(), value.to_owned())].into())
    }

    #[test]
    fn what_chromium_sets_itself_is_refused_by_name() {
        for name in [
            "Host",
            "content-length",
            "Transfer-Encoding",
            "TE",
            "Trailer",
            "Upgrade",
            "Keep-Alive",
            "Cookie2",
            "Set-Cookie",
            "Proxy-Authorization",
        ] {
            let failure = set(name, "x").unwrap_err();
            assert!(failure.message.contains(&format!("`{name}`")), "{failure}");
            assert!(failure.hint.is_some(), "{failure}");
        }
        assert!(set("Connection", "X-Team").is_err());
    }

    #[test]
    fn what_it_sends_is_not() {
        for name in ["X-Team", "Authorization", "Cookie", "Referer", "User-Agent"] {
            assert_eq!(set(name, "x"), Ok(()), "{name}");
        }
        assert_eq!(set("Connection", "close"), Ok(()));
        assert_eq!(set("Connection", "Keep-Alive"), Ok(()));
    }
}
