//! With a proxy nothing goes past it.

use serde_json::json;

use crate::harness::{Site, TestEnv};

/// Addresses that WebRTC would tell a page; those that are found last come with `null`.
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
    // Nobody listens there; what is on this machine is not asked of it.
    assert_eq!(candidates(&["--proxy", "socks5://127.0.0.1:9"]), json!([]));
}
