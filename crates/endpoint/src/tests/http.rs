//! Who is let in over HTTP, and what is answered.

use std::time::Duration;

use serde_json::json;
use szk_cdp::testing::{Answer, Script};
use szk_config::EndpointAuth;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::rig::{Client, Rig, Setup, ask, within};
use crate::limits::Limits;

fn script() -> Script {
    let info = |id: &str, kind: &str| json!({"targetId": id, "type": kind, "title": "A title", "url": "http://a.test/"});
    Script::new()
        .answer(
            "Browser.getVersion",
            json!({"protocolVersion": "1.3", "product": "Chrome/156.0.0.0", "revision": "@abc", "userAgent": "UA", "jsVersion": "15.6"}),
        )
        .answer(
            "Target.getTargets",
            json!({"targetInfos": [info("p", "page"), info("b", "browser"), info("t", "tab"), info("u", "browser_ui"), info("w", "worker")]}),
        )
        .answer("Target.createTarget", json!({"targetId": "new"}))
        .answer("Target.getTargetInfo", json!({"targetInfo": info("new", "page")}))
        .answer_with(|call| {
            let known = matches!(call.params["targetId"].as_str(), Some("p" | "new"));
            let closes = matches!(&*call.method, "Target.closeTarget" | "Target.activateTarget");
            (closes && !known).then(|| Answer::error(-32602, "No target with given id found"))
        })
}

#[tokio::test]
async fn a_stranger_is_told_the_same_whatever_is_asked() {
    let rig = Rig::scripted(script()).await;
    let wrong = "0".repeat(64);
    let short = &rig.token[..63];
    let plain = rig.ask("GET", "/", &[]).await;
    assert_eq!(plain.status, 404);
    for (method, path) in [
        ("GET", "/json/version".to_owned()),
        ("GET", format!("/{wrong}/json/version")),
        ("GET", format!("/{short}/json/version")),
        ("GET", format!("//{}/json/version", rig.token)),
        ("PUT", "/json/new".to_owned()),
        ("POST", "/anything".to_owned()),
        (
            "GET",
            rig.listener
                .ws_url()
                .split_once(&rig.token)
                .unwrap()
                .1
                .to_owned(),
        ),
    ] {
        assert_eq!(rig.ask(method, &path, &[]).await, plain, "{method} {path}");
    }
    let headers = [
        ("Host", "evil.test"),
        ("Origin", "http://evil.test"),
        ("Authorization", "Bearer x"),
    ];
    assert_eq!(
        ask(rig.listener.port(), "GET", "/json/version", &headers).await,
        plain
    );
    assert_eq!(rig.get("/nothing/here").await, plain);
    assert!(rig.browser.peer.calls().is_empty());
}

#[tokio::test]
async fn the_token_opens_in_the_path_or_as_bearer() {
    let rig = Rig::scripted(script()).await;
    assert_eq!(rig.get("/json/version").await.status, 200);
    let bearer = format!("Bearer {}", rig.token);
    assert_eq!(
        rig.ask("GET", "/json/version", &[("Authorization", &bearer)])
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn without_authentication_the_token_is_neither_needed_nor_given_away() {
    let rig = Rig::with(Setup {
        script: script(),
        auth: EndpointAuth::None,
        ..Setup::default()
    })
    .await;
    let plain = rig.ask("GET", "/json/version", &[]).await;
    assert_eq!(plain.status, 200);
    assert!(!plain.body.contains(&rig.token));
    assert!(!rig.listener.ws_url().contains(&rig.token));
    assert!(rig.get("/json/version").await.body.contains(&rig.token));
    Client::connect(&rig.listener.ws_url()).await.unwrap();
    assert_eq!(
        ask(
            rig.listener.port(),
            "GET",
            "/json/version",
            &[("Host", "evil.test")]
        )
        .await
        .status,
        403
    );
}

#[tokio::test]
async fn the_host_is_loopback_with_this_port() {
    let rig = Rig::scripted(script()).await;
    let (port, path) = (rig.listener.port(), format!("/{}/json/version", rig.token));
    for (host, status) in [
        (format!("127.0.0.1:{port}"), 200),
        (format!("localhost:{port}"), 200),
        (format!("LOCALHOST:{port}"), 200),
        (format!("[::1]:{port}"), 200),
        (format!("127.0.0.1:{}", port - 1), 403),
        // As chromedriver writes it; the name is what keeps web pages out.
        ("127.0.0.1".to_owned(), 200),
        ("localhost".to_owned(), 200),
        ("[::1]".to_owned(), 200),
        ("evil.test".to_owned(), 403),
        ("127.0.0.1:".to_owned(), 403),
        (format!("127.0.0.1.evil.test:{port}"), 403),
        (format!("evil.test:{port}"), 403),
    ] {
        assert_eq!(
            ask(port, "GET", &path, &[("Host", &host)]).await.status,
            status,
            "{host}"
        );
    }
    assert_eq!(ask(port, "GET", &path, &[]).await.status, 403);
}

#[tokio::test]
async fn addresses_have_the_port_also_where_the_host_has_none() {
    let rig = Rig::scripted(script()).await;
    let path = format!("/{}/json/version", rig.token);
    let version = ask(rig.listener.port(), "GET", &path, &[("Host", "localhost")]).await;
    let socket = version.json()["webSocketDebuggerUrl"].clone();
    let expected = rig.listener.ws_url().replace("127.0.0.1", "localhost");
    assert_eq!(socket, json!(expected));
}

#[tokio::test]
async fn methods_are_read_in_any_case() {
    let rig = Rig::scripted(script()).await;
    let version = format!("/{}/json/version", rig.token);
    for (method, status) in [("get", 200), ("Get", 200), ("put", 405), ("GETS", 405)] {
        let got = rig.ask(method, &version, &[]).await;
        assert_eq!(got.status, status, "{method}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_plain_port_asks_for_no_token_and_keeps_pages_out() {
    let rig = Rig::scripted(script()).await;
    assert_eq!(rig.listener.plain_port(), None, "opened on request only");
    let port = rig.listener.open_plain().await.unwrap();
    assert_eq!(rig.listener.open_plain().await.unwrap(), port);
    assert_ne!(port, rig.listener.port());
    let host = format!("127.0.0.1:{port}");
    let get = async |headers: &[(&str, &str)]| ask(port, "get", "/json/version", headers).await;

    let version = get(&[("Host", "127.0.0.1")]).await;
    assert_eq!(version.status, 200);
    assert!(!version.body.contains(&rig.token));
    let socket = version.json()["webSocketDebuggerUrl"].clone();
    let socket = socket.as_str().unwrap();
    assert!(socket.starts_with(&format!("ws://{host}/devtools/browser/")));
    Client::connect(socket).await.unwrap();

    for headers in [
        &[("Host", "evil.test")][..],
        &[("Host", &rig.listener.address().to_string())],
        &[("Host", &host), ("Origin", "http://evil.test")],
        // A plain `GET` by a page has no Origin.
        &[("Host", &host), ("Sec-Fetch-Site", "cross-site")],
        &[("Host", &host), ("Sec-Fetch-Site", "same-site")],
    ] {
        assert_eq!(get(headers).await.status, 403, "{headers:?}");
    }
    let typed = [("Host", &*host), ("Sec-Fetch-Site", "none")];
    assert_eq!(get(&typed).await.status, 200);
    // The other port still wants it.
    assert_eq!(rig.ask("GET", "/json/version", &[]).await.status, 404);
}

#[tokio::test]
async fn an_origin_is_refused_unless_allowed_by_name() {
    let allowed_origins = vec!["https://tool.test".to_owned()];
    let rig = Rig::with(Setup {
        script: script(),
        allowed_origins,
        ..Setup::default()
    })
    .await;
    let path = format!("/{}/json/version", rig.token);
    for (origin, status) in [
        ("https://tool.test", 200),
        ("https://tool.test.evil.test", 403),
        ("http://tool.test", 403),
        ("null", 403),
        ("", 403),
    ] {
        assert_eq!(
            rig.ask("GET", &path, &[("Origin", origin)]).await.status,
            status,
            "{origin}"
        );
    }
    let url = rig.listener.ws_url();
    assert_eq!(
        Client::connect_with(&url, &[("origin", "https://evil.test")])
            .await
            .unwrap_err(),
        403
    );
    Client::connect_with(&url, &[("origin", "https://tool.test")])
        .await
        .unwrap();
}

#[tokio::test]
async fn version_names_the_socket_as_it_was_asked_for() {
    let rig = Rig::scripted(script()).await;
    let (port, path) = (rig.listener.port(), format!("/{}/json/version/", rig.token));
    let host = format!("localhost:{port}");
    let version = ask(port, "GET", &path, &[("Host", &host)]).await.json();
    assert_eq!(version["Browser"], "Chrome/156.0.0.0");
    assert_eq!(version["WebKit-Version"], "537.36 (@abc)");
    let socket = version["webSocketDebuggerUrl"].as_str().unwrap();
    assert_eq!(
        socket,
        rig.listener.ws_url().replace("127.0.0.1", "localhost")
    );
    Client::connect(socket).await.unwrap();
}

#[tokio::test]
async fn lists_hide_what_is_no_page_of_anybody() {
    let rig = Rig::scripted(script()).await;
    for path in ["/json", "/json/", "/json/list"] {
        let list = rig.get(path).await.json();
        let ids: Vec<_> = list
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["id"].as_str().unwrap())
            .collect();
        assert_eq!(ids, ["p", "w"], "{path}");
        assert_eq!(list[0]["webSocketDebuggerUrl"], rig.page_url("p"));
    }
}

#[tokio::test]
async fn a_page_is_opened_by_put_only_and_after_its_stealth() {
    let rig = Rig::scripted(script()).await;
    let path = format!("/{}/json/new?http%3A%2F%2Fa.test%2F%3Fq=1&r=%zz", rig.token);
    let got = rig.ask("GET", &path, &[]).await;
    assert_eq!(got.status, 405);
    assert!(got.headers.contains(&"allow: PUT".to_owned()), "{got:?}");
    rig.browser.acked("new", "super");
    let put = rig.ask("PUT", &path, &[]).await;
    assert_eq!((put.status, &put.json()["id"]), (200, &json!("new")));
    assert_eq!(
        rig.browser.call("Target.createTarget", 1).await.params,
        json!({"url": "about:blank", "newWindow": true})
    );
    let navigate = rig.browser.call("Page.navigate", 1).await;
    assert_eq!(navigate.session.as_deref(), Some("super"));
    assert_eq!(navigate.params["url"], "http://a.test/?q=1&r=%zz");
}

#[tokio::test]
async fn a_page_without_stealth_is_not_left_open() {
    let rig = Rig::scripted(script()).await;
    rig.browser.gone("new");
    let put = rig
        .ask("PUT", &format!("/{}/json/new", rig.token), &[])
        .await;
    assert_eq!(put.status, 500);
    assert_eq!(
        rig.browser.call("Target.closeTarget", 1).await.params["targetId"],
        "new"
    );
}

#[tokio::test]
async fn targets_are_closed_and_activated_by_id() {
    let rig = Rig::scripted(script()).await;
    assert_eq!(rig.get("/json/close/p").await.status, 200);
    assert_eq!(rig.get("/json/activate/p").await.status, 200);
    for path in ["/json/close/none", "/json/activate/none"] {
        let answer = rig.get(path).await;
        assert_eq!(
            (answer.status, &*answer.body),
            (404, "no such target: none\n"),
            "{path}"
        );
    }
    let protocol = rig.get("/json/protocol").await;
    assert_eq!(protocol.status, 200);
    assert!(protocol.json()["domains"].is_array());
}

#[tokio::test]
async fn sockets_need_the_right_address_and_a_handshake() {
    let rig = Rig::new().await;
    let url = rig.listener.ws_url();
    assert_eq!(Client::connect(&format!("{url}x")).await.unwrap_err(), 404);
    assert_eq!(
        Client::connect(&rig.page_url("missing")).await.unwrap_err(),
        404
    );
    let path = url.split_once(&rig.token).unwrap().1.to_owned();
    assert_eq!(rig.get(&path).await.status, 400);
    assert!(rig.listener.clients().is_empty());
}

#[tokio::test]
async fn the_number_of_clients_is_limited() {
    let rig = Rig::with(Setup {
        max_clients: Some(1),
        ..Setup::default()
    })
    .await;
    let first = rig.client().await;
    assert_eq!(
        Client::connect(&rig.listener.ws_url()).await.unwrap_err(),
        503
    );
    first.leave().await;
    within(rig.listener.client_count().wait_for(|count| *count == 0))
        .await
        .unwrap();
    rig.client().await;
}

#[tokio::test]
async fn a_request_that_never_ends_is_cut_off() {
    let limits = Limits {
        headers: Duration::from_millis(50),
        ..Limits::default()
    };
    let rig = Rig::with(Setup {
        limits,
        ..Setup::default()
    })
    .await;
    let mut stream = TcpStream::connect(rig.listener.address()).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nX: ").await.unwrap();
    let mut rest = Vec::new();
    // Ends: that is all.
    let _ = within(stream.read_to_end(&mut rest)).await;
}
