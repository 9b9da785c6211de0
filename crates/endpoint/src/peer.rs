//! Which user's program is at the other end of a local connection.

use std::net::SocketAddr;

use tokio::net::TcpStream;

/// Whether the system can tell.
pub(super) const KNOWN: bool = cfg!(target_os = "linux");

/// Whether a program of this user made the connection. Anything unclear counts as no.
pub(super) async fn is_of_this_user(stream: &TcpStream) -> bool {
    let (Ok(theirs), Ok(ours)) = (stream.peer_addr(), stream.local_addr()) else {
        return false;
    };
    // A kernel file, which may be long.
    let looked = tokio::task::spawn_blocking(move || is_mine(theirs, ours)).await;
    let is_mine = looked.unwrap_or(false);
    if !is_mine {
        tracing::warn!(%theirs, "a program of another user connected to the plain port");
    }
    is_mine
}

#[cfg(target_os = "linux")]
fn is_mine(theirs: SocketAddr, ours: SocketAddr) -> bool {
    let uid = rustix::process::geteuid().as_raw();
    // A dual-stack socket is in the second table, with mapped addresses.
    ["/proc/self/net/tcp", "/proc/self/net/tcp6"]
        .iter()
        .filter_map(|table| std::fs::read_to_string(table).ok())
        .find_map(|table| owner(&table, theirs, ours))
        == Some(uid)
}

#[cfg(not(target_os = "linux"))]
fn is_mine(_: SocketAddr, _: SocketAddr) -> bool {
    false
}

/// The user who owns the socket with these two ends, from a kernel table. A socket that no process holds
/// any more has no owner: the table then says 0, which would be root.
#[cfg(any(test, target_os = "linux"))]
fn owner(table: &str, local: SocketAddr, remote: SocketAddr) -> Option<u32> {
    const ESTABLISHED: &str = "01";
    table.lines().skip(1).find_map(|line| {
        // sl, local, remote, state, queues, timer, retransmits, uid, timeout, inode
        let mut words = line.split_whitespace().skip(1);
        let ends = (address(words.next()?)?, address(words.next()?)?);
        let state = words.next()?;
        let uid = words.nth(3)?.parse().ok()?;
        let inode = words.nth(1)?;
        (ends == (local, remote) && state == ESTABLISHED && inode != "0").then_some(uid)
    })
}

/// `0100007F:2710` → 127.0.0.1:10000; words of 32 bits in the machine's own byte order.
#[cfg(any(test, target_os = "linux"))]
fn address(text: &str) -> Option<SocketAddr> {
    use std::net::{Ipv4Addr, Ipv6Addr};
    let (host, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let word = |at: usize| {
        let word = u32::from_str_radix(host.get(at..at + 8)?, 16).ok()?;
        Some(word.to_ne_bytes())
    };
    let ip = match host.len() {
        8 => Ipv4Addr::from(word(0)?),
        32 => {
            let bytes = [word(0)?, word(8)?, word(16)?, word(24)?].concat();
            Ipv6Addr::from(<[u8; 16]>::try_from(bytes).ok()?).to_ipv4_mapped()?
        }
        _ => return None,
    };
    Some(SocketAddr::from((ip, port)))
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    const TABLE: &str = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:2710 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 11 1 0
   1: 0100007F:C001 0100007F:2710 01 00000000:00000000 00:00000000 00000000  1000        0 12 1 0
   2: 0100007F:C002 0100007F:2710 01 00000000:00000000 00:00000000 00000000  1001        0 13 1 0
   3: 0100007F:C003 0100007F:2710 04 00000000:00000000 00:00000000 00000000     0        0 0 1 0
   4: 0100007F:C004 0100007F:2710 01 00000000:00000000 00:00000000 00000000     0        0 0 1 0
   5: 0000000000000000FFFF00000100007F:C005 0000000000000000FFFF00000100007F:2710 01 00000000:00000000 00:00000000 00000000  1000        0 14 1 0
   6: 0000000000000000FFFF00000100007F:C006 nonsense
";

    #[cfg(target_endian = "little")]
    #[test]
    fn the_owner_is_in_the_line_with_both_ends() {
        let at = |port: u16| SocketAddr::from(([127, 0, 0, 1], port));
        let owner = |port| owner(TABLE, at(port), at(10_000));
        assert_eq!(owner(0xc001), Some(1000));
        assert_eq!(owner(0xc002), Some(1001));
        assert_eq!(owner(0xc003), None, "closed already");
        assert_eq!(owner(0xc004), None, "held by nobody");
        assert_eq!(owner(0xc005), Some(1000), "of both families");
        assert_eq!(owner(0xc006), None);
        assert_eq!(owner(0xc007), None);
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_connection_of_this_process_belongs_to_this_user() {
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap();
        let client = TcpStream::connect(address).await.unwrap();
        let (stream, _) = socket.accept().await.unwrap();
        assert!(is_of_this_user(&stream).await);
        drop(client);
    }
}
