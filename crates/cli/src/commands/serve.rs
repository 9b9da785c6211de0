//! `szk serve`

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::Args;
use serde_json::json;
use szk_client::{Announced, Identity, RunningServer, ServerSettings};
use szk_tools::{Code, Failure};

use crate::command::{ByHand, Called};
use crate::context::{self, Context, Presence};
use crate::error::Outcome;
use crate::exit::Exit;
use crate::host::ServeAsk;

/// The port unless one is named.
const PORT: u16 = 7755;

/// How often to look whether a server has ended.
const LOOK: Duration = Duration::from_millis(100);

/// Serve programs in any language over HTTP
///
/// Every operation has an address under /v1; /docs lists them, and /openapi.json describes them for
/// programs. Each request under /v1 needs a token, from `szk token create`. Sessions stay open when the
/// server ends.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk token create ci --scope read,write\n  szk serve\n  szk serve --listen :0 --json\n  szk serve --listen 0.0.0.0:443 --tls-cert chain.pem --tls-key key.pem\n  szk serve --drain"
)]
pub(crate) struct ServeArgs {
    /// Address and port, or only `:PORT`; port 0 takes a free one [default: 127.0.0.1:7755]
    #[arg(long, value_name = "ADDR", value_parser = address)]
    listen: Option<SocketAddr>,
    /// Another name that requests may use for this server, such as `szk.example.org`; can be repeated
    #[arg(long = "host", value_name = "NAME", value_parser = host)]
    hosts: Vec<String>,
    /// Also answer web pages of this origin, such as `https://app.example`, which must send a token; can be repeated
    #[arg(long = "origin", value_name = "ORIGIN", value_parser = origin)]
    origins: Vec<String>,
    /// Listen beyond this machine, because a proxy that encrypts stands before this address
    #[arg(long)]
    behind_proxy: bool,
    /// Encrypt with the certificate in this PEM file, which has its chain too; SIGHUP reads it again
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The private key of `--tls-cert`, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Ask the running servers of the store, or the one at `--listen`, to open no more sessions and to end
    /// once nothing goes on; waits for that. The signal SIGUSR1 does the same
    #[arg(long, conflicts_with_all = ["hosts", "origins", "behind_proxy", "tls_cert", "tls_key"])]
    drain: bool,
}

impl ByHand for ServeArgs {
    const NAME: &'static str = "serve";

    async fn run(self, called: Called) -> Outcome {
        let context = called.context()?;
        let ui = context.ui;
        if self.drain {
            return drain(&context, self.listen.map(|address| address.port())).await;
        }
        if context.client.tokens()?.is_empty() {
            ui.warn("no token exists yet, so the server will refuse every call: `szk token create NAME` makes one");
        }
        let tls = match self.tls_cert.zip(self.tls_key) {
            Some(named) => Some(named),
            None => configured(context.client.server_settings()?)?,
        };
        let mut global = called.global.clone();
        // Each token is a client of its own, whatever SZK_CLIENT says.
        global.client_name = None;
        let ask = ServeAsk {
            clients: Box::new(move |token, name| {
                let who = Identity::of_token(token, name);
                let client = context::client(&global, who, Presence::Stay)?;
                Ok(client.with_tasks(szk_agent::over_http))
            }),
            address: self.listen.unwrap_or_else(|| loopback(PORT)),
            hosts: self.hosts,
            origins: self.origins,
            behind_proxy: self.behind_proxy,
            tls,
        };
        let announced = Arc::new(Mutex::new(None));
        let mine = Arc::clone(&announced);
        let on_ready = Box::new(move |url: &str| {
            let mut announced = mine.lock().unwrap_or_else(PoisonError::into_inner);
            told(&context, url, &mut announced)
        });
        let served = (called.host.serve)(ask, on_ready).await;
        drop(announced);
        served?;
        Ok(Exit::OK)
    }
}

/// Drains servers, and waits until they have ended.
async fn drain(context: &Context, port: Option<u16>) -> Outcome {
    let servers = context.client.drain_servers(port)?;
    for server in &servers {
        context.ui.talk(&format!(
            "{} opens no more sessions and ends once nothing goes on",
            server.url
        ));
    }
    while servers.iter().any(RunningServer::is_running) {
        tokio::time::sleep(LOOK).await;
    }
    let urls: Vec<&str> = servers.iter().map(|server| server.url.as_str()).collect();
    match context.ui.is_json() {
        true => context.ui.json(&json!({ "drained": urls }))?,
        false => context.ui.data(&format!("drained {}", urls.join(", ")))?,
    }
    Ok(Exit::OK)
}

/// The certificate and key of `[server]`, which come together.
fn configured(settings: ServerSettings) -> Result<Option<(PathBuf, PathBuf)>, Failure> {
    let half = |named: &str, missing: &str| {
        Failure::new(
            Code::InvalidConfig,
            format!("`[server] {named}` is set, and `{missing}` is not"),
        )
        .hint("set both, or neither: a certificate is of no use without its key")
    };
    match (settings.tls_cert, settings.tls_key) {
        (Some(cert), Some(key)) => Ok(Some((cert, key))),
        (Some(_), None) => Err(half("tls_cert", "tls_key")),
        (None, Some(_)) => Err(half("tls_key", "tls_cert")),
        (None, None) => Ok(None),
    }
}

/// Says where the server is, before the first request can come.
fn told(context: &Context, url: &str, announced: &mut Option<Announced>) -> Result<(), Failure> {
    let ui = context.ui;
    // Servers are found by it only to be drained.
    match context.client.announce_server(url) {
        Ok(told) => *announced = Some(told),
        Err(failure) => ui.warn(&format!(
            "`szk serve --drain` will not find this server: {}",
            failure.message
        )),
    }
    let written = match ui.is_json() {
        true => ui.json(&json!({ "url": url })),
        false => ui.data(url),
    };
    written.map_err(|_| Failure::internal("stdout is closed"))?;
    ui.talk(&format!(
        "addresses and fields: {url}/docs\nCtrl-C ends the server, not the sessions"
    ));
    Ok(())
}

fn loopback(port: u16) -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port)
}

fn address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(port) = text.strip_prefix(':').unwrap_or(text).parse() {
        return Ok(loopback(port));
    }
    if let Some(Ok(port)) = text.strip_prefix("localhost:").map(str::parse) {
        return Ok(loopback(port));
    }
    text.parse()
        .map_err(|_| "expected an address and port such as `127.0.0.1:7755`, or `:7755`".to_owned())
}

/// A name as a `Host` header has it.
fn host(text: &str) -> Result<String, String> {
    let name = text.to_ascii_lowercase();
    match is_host(&name) {
        true => Ok(name),
        false => Err(
            "expected a name such as `szk.example.org`, as it is in an address: without `https://` and path"
                .to_owned(),
        ),
    }
}

/// A name in lower case, with a port or without.
fn is_host(text: &str) -> bool {
    let fits = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '.' | '-' | ':' | '[' | ']');
    !text.is_empty() && text.chars().all(fits)
}

/// An origin as browsers send it.
fn origin(text: &str) -> Result<String, String> {
    let host = ["https://", "http://"]
        .iter()
        .find_map(|scheme| text.strip_prefix(scheme));
    match host.is_some_and(is_host) {
        true => Ok(text.to_owned()),
        false => Err("expected an origin such as `https://app.example`, as a browser sends it: without a path, in lower case".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_written_as_browsers_send_it() {
        for text in [
            "https://app.example",
            "http://localhost:3000",
            "http://[::1]:80",
        ] {
            assert_eq!(origin(text).as_deref(), Ok(text));
        }
        for text in [
            "",
            "*",
            "app.example",
            "https://",
            "https://a.example/",
            "https://A.example",
        ] {
            assert!(origin(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_host_is_a_name_and_no_address() {
        for text in ["szk.example.org", "szk.example.org:8443", "[::1]"] {
            assert_eq!(host(text).as_deref(), Ok(text));
        }
        assert_eq!(host("SZK.example").as_deref(), Ok("szk.example"));
        for text in ["", "*", "http://a.example", "a.example/x", "a b"] {
            assert!(host(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_port_alone_is_on_loopback() {
        let check = |text: &str, expected: &str| {
            assert_eq!(
                address(text).map(|found| found.to_string()),
                Ok(expected.to_owned())
            );
        };
        check(":0", "127.0.0.1:0");
        check("8080", "127.0.0.1:8080");
        check("localhost:8080", "127.0.0.1:8080");
        check("0.0.0.0:80", "0.0.0.0:80");
        check("[::1]:80", "[::1]:80");
        for wrong in ["", "host", "example.org:80", "127.0.0.1", ":x"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }
}
