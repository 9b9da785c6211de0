//! WebRTC and WebTransport use UDP, which nothing intercepts: no packet leaves if origins are limited.

use std::io::ErrorKind;
use std::net::{TcpListener, UdpSocket};

use serde_json::json;

use crate::harness::{Site, TestEnv};

/// How many packets have come, without waiting.
fn heard(socket: &UdpSocket) -> usize {
    socket.set_nonblocking(true).unwrap();
    let mut buffer = [0; 2048];
    let mut count = 0;
    loop {
        match socket.recv_from(&mut buffer) {
            Ok(_) => count += 1,
            Err(error) if error.kind() == ErrorKind::WouldBlock => return count,
            Err(error) => panic!("{error}"),
        }
    }
}

/// Asks a STUN server and a TURN server over UDP and TCP, sends to a peer over UDP and TCP, and opens
/// a WebTransport; ends when all of them have given up.
fn page(udp: u16, tcp: u16) -> String {
    format!(
        "(async () => {{
          const servers = [{{urls: 'stun:127.0.0.2:{udp}'}},
            {{urls: ['turn:127.0.0.2:{udp}', 'turn:127.0.0.2:{tcp}?transport=tcp'], username: 'a', credential: 'b'}}];
          const one = new RTCPeerConnection({{iceServers: servers}}), two = new RTCPeerConnection();
          one.createDataChannel('x');
          const found = [];
          const gathered = new Promise(done => one.onicecandidate = event => event.candidate ? found.push(event.candidate.candidate) : done());
          await one.setLocalDescription(await one.createOffer());
          await two.setRemoteDescription(one.localDescription);
          await two.setLocalDescription(await two.createAnswer());
          await one.setRemoteDescription(two.localDescription);
          const add = (kind, port) => one.addIceCandidate({{sdpMid: '0', candidate: 'candidate:1 1 ' + kind}}).catch(() => {{}});
          await add('udp 2122260223 127.0.0.2 {udp} typ host');
          await add('tcp 1518280447 127.0.0.2 {tcp} typ host tcptype passive');
          const over = new Promise(done => {{ one.oniceconnectionstatechange = () => ['failed', 'disconnected'].includes(one.iceConnectionState) && done(); setTimeout(done, 4000); }});
          try {{ const session = new WebTransport('https://127.0.0.2:{udp}/'); await session.ready.catch(() => {{}}); }} catch {{}}
          await Promise.race([gathered, over]);
          await over;
          return found.join('\\n');
        }})()"
    )
}

fn run(limited: bool) -> (usize, usize) {
    let env = TestEnv::new();
    let udp = UdpSocket::bind("127.0.0.2:0").unwrap();
    let tcp = TcpListener::bind("127.0.0.2:0").unwrap();
    tcp.set_nonblocking(true).unwrap();
    let site = Site::of("<title>in</title>");
    if limited {
        env.config(&format!(
            "[policy]\nallowed_origins = [\"{}\"]\n",
            site.origin()
        ));
    }
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    let ports = (
        udp.local_addr().unwrap().port(),
        tcp.local_addr().unwrap().port(),
    );
    let code = page(ports.0, ports.1);
    let found = mcp.ok("browser_run_code", json!({"world": "main", "code": code}))["value"].clone();
    let connections = std::iter::from_fn(|| tcp.accept().ok()).count();
    let packets = heard(&udp);
    if limited {
        assert!(
            !found.as_str().unwrap().contains("udp"),
            "no candidate over UDP: {found}"
        );
    }
    (packets, connections)
}

#[test]
fn nothing_leaves_past_limited_origins() {
    assert_eq!(run(true), (0, 0), "packets over UDP, connections over TCP");
}

/// Proof that the test above would notice something.
#[test]
fn without_limits_webrtc_is_untouched() {
    let (packets, _) = run(false);
    assert!(packets > 0);
}
