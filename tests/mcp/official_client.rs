//! The official TypeScript SDK as the client.

use serde_json::json;

use crate::harness::{Site, TestEnv, node};

#[test]
fn it_opens_goes_somewhere_and_reads() {
    let env = TestEnv::new();
    let site = Site::of("<title>seen by the SDK</title>");
    let said = node::script(
        &env,
        "mcp-sdk.mjs",
        &[env!("CARGO_BIN_EXE_szk"), &site.url("/")],
    );
    assert_eq!(said["server"], "szk");
    assert_eq!(said["tools"], 14);
    assert_eq!(said["title"], json!("seen by the SDK"));
    assert_eq!(
        said["failed"],
        json!(true),
        "a failure passes the SDK's checks of schemas"
    );
    assert!(said["progress"].as_u64().unwrap() > 0);
    // The client is gone, the browser is not.
    assert_eq!(env.eval("work", "document.title"), "seen by the SDK");
}
