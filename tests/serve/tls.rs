//! TLS of the server's own: HTTP, WebSockets and MCP over it, and a certificate that is renewed.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Server, token};
use crate::harness::{PATIENTLY, Signal, TestEnv, wait_until};

/// Two certificates for 127.0.0.1, each signed by itself, with their keys.
const FILES: &str = "tests/serve/tls";

/// Joins a session with the token in a header and in the path.
const JOIN: &str = "const { SZK_URL, SZK_TOKEN } = process.env;
    const playwright = require('playwright-core').chromium, puppeteer = require('puppeteer-core');
    const headers = { Authorization: `Bearer ${SZK_TOKEN}` }, cdp = '/v1/sessions/work/cdp';
    const sockets = SZK_URL.replace('https', 'wss'), token = `/token/${SZK_TOKEN}`;
    (async () => {
      const joined = [];
      for (const join of [
        () => playwright.connectOverCDP(SZK_URL + cdp, { headers }),
        () => playwright.connectOverCDP(SZK_URL + token + cdp),
        () => puppeteer.connect({ browserWSEndpoint: sockets + cdp, headers }),
        () => puppeteer.connect({ browserWSEndpoint: sockets + token + cdp }),
      ]) {
        const browser = await join();
        const page = await (browser.contexts ? browser.contexts()[0] : browser).newPage();
        await page.goto('data:text/html,<title>joined</title>');
        joined.push(await page.title());
        await page.close();
        await (browser.disconnect ? browser.disconnect() : browser.close());
      }
      console.log(joined.join(' '));
    })();";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn fixture(name: &str) -> String {
    root().join(FILES).join(name).display().to_string()
}

#[test]
fn everything_goes_over_tls_and_the_certificate_can_be_renewed() {
    let env = TestEnv::new();
    let serve = ["serve", "--listen", "0.0.0.0:0"];
    // Other machines can reach this address.
    env.szk(serve).fails("INVALID_INPUT");
    let with = |cert: &str, key: &str| {
        env.szk(serve)
            .arg("--tls-cert")
            .arg(cert)
            .arg("--tls-key")
            .arg(key)
    };
    let first = fixture("first.pem");
    for (cert, key) in [
        (first.as_str(), fixture("second.key")),
        (first.as_str(), first.clone()),
        ("/nowhere.pem", fixture("first.key")),
    ] {
        with(cert, &key).fails("INVALID_INPUT");
    }

    let write_config = |text: &str| fs::write(env.work().join("szk.config.toml"), text).unwrap();
    write_config("[server]\ntls_cert = \"cert.pem\"\n");
    env.szk(serve).fails("INVALID_CONFIG");
    write_config("[server]\ntls_cert = \"nowhere.pem\"\ntls_key = \"key.pem\"\n");
    env.szk(serve).fails("INVALID_INPUT");

    let in_work = |name: &str| env.work().join(name).display().to_string();
    let (cert, key) = (in_work("cert.pem"), in_work("key.pem"));
    let install = |name: &str| {
        fs::copy(fixture(&format!("{name}.pem")), &cert).unwrap();
        fs::copy(fixture(&format!("{name}.key")), &key).unwrap();
    };
    install("first");
    // Flags win over the configuration, which is relative to its file.
    let named = Server::of(with(&cert, &key).arg("--json").start());
    assert!(named.url.starts_with("https://"), "{}", named.url);
    named.running.signal(Signal::TERM);
    named.running.end();
    write_config("[server]\ntls_cert = \"cert.pem\"\ntls_key = \"key.pem\"\n");
    let server = Server::of(env.szk(serve).arg("--json").start());
    assert!(server.url.starts_with("https://"), "{}", server.url);
    let all = token(&env, "all", &["--scope", "all"]);
    env.open("work");
    let python = root().join("target/python/bin/python");
    let script = root().join("tests/python/tls.py").display().to_string();
    let uses = |trusted: &str| {
        let args = [script.as_str(), &server.url, &all, trusted];
        env.program(&python, args)
    };
    let seen: Value = serde_json::from_str(&uses(&first).ok().stdout).unwrap();
    assert_eq!(seen["health"], 200, "{seen}");
    assert_eq!(seen["no_token"], 401, "{seen}");
    assert_eq!(seen["plain_origin"], 403, "{seen}");
    assert_eq!(seen["mcp"], true, "{seen}");
    let says = |what: &str, part: &str| {
        let text = seen[what].as_str().unwrap();
        assert!(text.contains(part), "{what} without `{part}`: {seen}");
    };
    says("cookie", "; Secure");
    says("cookie", "; HttpOnly; SameSite=Strict");
    says("socket", "wss://127.0.0.1:");
    says("browser", "Chrome");

    // Programs that know nothing of szk trust the certificate as Node.js does.
    let packages = root().join("tests/node/node_modules").display().to_string();
    let joined = env
        .program("node", ["-e", JOIN])
        .env("NODE_PATH", &packages)
        .env("NODE_EXTRA_CA_CERTS", &first)
        .env("SZK_URL", &server.url.replace("0.0.0.0", "127.0.0.1"))
        .env("SZK_TOKEN", &all)
        .ok();
    assert_eq!(joined.stdout.trim(), "joined joined joined joined");

    // Without encryption nothing is answered.
    let mut plain = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    plain.set_read_timeout(Some(PATIENTLY)).unwrap();
    plain
        .write_all(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        .unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!String::from_utf8_lossy(&answer).contains("HTTP/1.1"));

    let second = fixture("second.pem");
    assert_ne!(uses(&second).run().code, Some(0), "it is not in use yet");
    install("second");
    server.running.signal(Signal::HUP);
    wait_until("the new certificate", PATIENTLY, || {
        uses(&second).run().code == Some(0)
    });
    env.close("work");
}
