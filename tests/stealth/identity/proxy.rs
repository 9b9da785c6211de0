//! With a proxy, nothing bypasses it.

use serde_json::json;

use crate::harness::{Site, TestEnv};

/// Addresses that WebRTC would reveal to a page; candidates found last come with `null`.
const CANDIDATES: &str = "new Promise(async done => {
  const found = [], peer = new RTCPeerConnection();
  peer.createDataChannel('x');
  peer.onicecandidate = ({candidate}) => candidate ? found.push(candidate.candidate) : done(found);
  await peer.setLocalDescription(await peer.createOffer());
})";

#[test]
fn web_rtc_tells_no_address_of_the_host() {
    let site = Site::of("<title>page</title>");
    let candidates = |wanted: &[&str]| {
        let env = TestEnv::new();
        env.szk(
            ["open", "work", "--detach"]
                .into_iter()
                .chain(wanted.iter().copied()),
        )
        .ok();
        env.navigate("work", &site.url("/"));
        env.eval_main("work", CANDIDATES)
    };
    assert_ne!(
        candidates(&[]),
        json!([]),
        "without a proxy it is as it always is"
    );
    // Nothing listens there; local addresses are not requested through it.
    assert_eq!(candidates(&["--proxy", "socks5://127.0.0.1:9"]), json!([]));
}
