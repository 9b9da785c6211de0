//! Whatever is thrown at the listener: nothing breaks, nobody else notices, and no page is told.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::rig::{Rig, within};

const METHODS: [&str; 20] = [
    "Runtime.enable",
    "Runtime.disable",
    "Runtime.addBinding",
    "Runtime.removeBinding",
    "Runtime.evaluate",
    "Runtime.runIfWaitingForDebugger",
    "Console.enable",
    "Console.disable",
    "Page.enable",
    "Page.disable",
    "Page.createIsolatedWorld",
    "Page.addScriptToEvaluateOnNewDocument",
    "Page.removeScriptToEvaluateOnNewDocument",
    "Target.createTarget",
    "Target.setAutoAttach",
    "Target.detachFromTarget",
    "Target.disposeBrowserContext",
    "Browser.setDownloadBehavior",
    "Emulation.setEmulatedMedia",
    "Test.echo",
];

const EVENTS: [&str; 8] = [
    "Page.frameNavigated",
    "Page.frameAttached",
    "Page.frameDetached",
    "Page.documentOpened",
    "Console.messageAdded",
    "Runtime.bindingCalled",
    "Target.attachedToTarget",
    "Browser.downloadProgress",
];

/// Something that happens.
#[derive(Debug, Clone)]
enum Step {
    /// The client says this.
    Say(String),
    /// A command with these parameters, on a session of its own or of nobody.
    Command(&'static str, usize, Value),
    /// The browser says this on the page.
    Event(&'static str, Value),
}

fn params() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        Just("t".to_owned()),
        Just("F".to_owned()),
        "[a-z/\\n#=]{0,12}"
    ];
    let value = prop_oneof![
        text.clone().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        Just(Value::Null),
        Just(json!({"id": "t", "frameId": "F", "parentId": "t"})),
        Just(json!({"source": "console-api", "level": "log", "text": "x"})),
        Just(json!({"targetId": "T", "type": "page"})),
    ];
    let key = prop_oneof![
        Just("frameId"),
        Just("frame"),
        Just("message"),
        Just("worldName"),
        Just("name"),
        Just("payload"),
        Just("source"),
        Just("expression"),
        Just("uniqueContextId"),
        Just("url"),
        Just("sessionId"),
        Just("targetInfo"),
        Just("identifier"),
        Just("flatten"),
    ];
    vec((key, value), 0..5).prop_map(|fields| {
        let fields = fields
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value));
        Value::Object(fields.collect())
    })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        1 => ".{0,40}".prop_map(Step::Say),
        6 => (prop::sample::select(METHODS.to_vec()), 0_usize..4, params())
            .prop_map(|(method, session, params)| Step::Command(method, session, params)),
        3 => (prop::sample::select(EVENTS.to_vec()), params())
            .prop_map(|(method, params)| Step::Event(method, params)),
    ]
}

fn block_on(work: impl Future<Output = ()>) {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(work);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_client_may_say_anything(steps in vec(step(), 0..60)) {
        block_on(async {
            let rig = Rig::new().await;
            let mut witness = rig.client().await;
            let mut client = rig.client().await;
            rig.browser.written("t");
            rig.browser.acked("t", "super");
            rig.browser.acked("T", "super");
            let page = client.attach("t").await;
            let sessions = [None, Some(page.as_str()), Some("B1"), Some("none")];
            for (id, step) in steps.into_iter().enumerate() {
                match step {
                    Step::Say(text) => client.say(&text).await,
                    Step::Event(method, params) => rig.browser.peer.event(Some(&page), method, params),
                    Step::Command(method, session, params) => {
                        let mut command = json!({"id": id, "method": method, "params": params});
                        if let Some(session) = sessions[session] {
                            command["sessionId"] = session.into();
                        }
                        client.send(command).await;
                    }
                }
            }
            // It is still served: an answer comes, under its own id.
            client.send(json!({"id": 9999, "method": "Test.echo", "params": {}})).await;
            while client.next().await["id"] != 9999 {}
            // And the other one heard nothing of it.
            let said = witness.call(json!({"id": 1, "method": "Test.echo", "params": {"a": 1}})).await;
            assert_eq!(said, json!({"method": "Test.said", "params": {"a": 1}}));
            let enabled = |call: &szk_cdp::testing::Call| call.method == "Runtime.enable" && call.session.as_deref() == Some(&*page);
            assert!(!rig.browser.peer.calls().iter().any(enabled));
        });
    }

    #[test]
    fn the_endpoint_may_be_asked_anything(requests in vec(vec(any::<u8>(), 0..200), 1..8), paths in vec("[/a-z0-9?%.-]{0,60}", 1..8)) {
        block_on(async {
            let rig = Rig::new().await;
            let port = rig.listener.port();
            for bytes in requests {
                let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
                stream.write_all(&bytes).await.unwrap();
                stream.shutdown().await.unwrap();
                let mut answer = Vec::new();
                // A reset is an answer, too.
                drop(within(stream.read_to_end(&mut answer)).await);
                let answer = String::from_utf8_lossy(&answer);
                assert!(!answer.contains(&rig.token) && !answer.starts_with("HTTP/1.1 200"), "{answer}");
            }
            for path in paths {
                let answer = rig.ask("GET", &format!("/{path}"), &[]).await;
                assert!(answer.status == 404 || answer.status == 400, "{path}: {answer:?}");
            }
            assert_eq!(rig.get("/json/version").await.status, 200);
        });
    }
}
