//! Who is at the other end of a viewer's connection.
//!
//! A model knows the link of a hand-off, and drives browsers: it could open the live view in one of them
//! and approve its own calls. So a viewer approves nothing if it runs below an szk, as every browser that
//! szk drives does, and every program that it runs. Where the system does not say who it is, it approves
//! nothing either.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::Path;

use szk_store::process;

/// Most ancestors to look at.
const ANCESTORS: usize = 64;

/// Whether the program at the other end of a connection on this machine is a person's own. Reads `/proc`,
/// so not for async code.
pub(super) fn is_a_persons(peer: SocketAddr) -> bool {
    let Some(inode) = socket(peer) else {
        return false;
    };
    let (Some(owner), Some(szk)) = (owner(&inode), program(std::process::id())) else {
        return false;
    };
    let mut above = std::iter::successors(Some(owner), |pid| process::parent(*pid));
    !above
        .by_ref()
        .take(ANCESTORS)
        .any(|pid| program(pid).is_some_and(|program| program == szk))
}

/// The inode of the socket with this address.
fn socket(peer: SocketAddr) -> Option<String> {
    let SocketAddr::V4(peer) = peer else {
        return None;
    };
    let address = u32::from_ne_bytes(peer.ip().octets());
    let local = format!("{address:08X}:{:04X}", peer.port());
    // A socket of either kind may speak to us.
    let mapped = format!("0000000000000000FFFF0000{local}");
    ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .find_map(|table| {
            let table = std::fs::read_to_string(table).ok()?;
            table.lines().find_map(|line| {
                let fields: Vec<&str> = line.split_ascii_whitespace().collect();
                let here = fields.get(1)?;
                let own = *here == local || *here == mapped;
                own.then(|| fields.get(9).map(|inode| (*inode).to_owned()))?
            })
        })
}

/// A process that has this socket open.
fn owner(inode: &str) -> Option<u32> {
    let link = format!("socket:[{inode}]");
    let has = |pid: &u32| {
        let files = std::fs::read_dir(format!("/proc/{pid}/fd"));
        files.is_ok_and(|files| {
            let mut files = files.flatten();
            files.any(|file| std::fs::read_link(file.path()).is_ok_and(|to| to == Path::new(&link)))
        })
    };
    let all = std::fs::read_dir("/proc").ok()?.flatten();
    let mut pids = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.find(has)
}

/// The name of a process's program; one that was replaced by a newer version keeps its name.
fn program(pid: u32) -> Option<OsString> {
    let path = std::fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    let name = path.file_name()?.to_str()?;
    Some(name.trim_end_matches(" (deleted)").into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn a_connection_leads_to_its_process() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let peer = stream.local_addr().unwrap();
        let inode = socket(peer).expect("a socket");
        assert_eq!(owner(&inode), Some(std::process::id()));
        // It runs below this program, whose part a keeper plays.
        assert!(!is_a_persons(peer));
        drop(stream);
        let closed = TcpListener::bind("127.0.0.1:0").unwrap();
        let nobody = closed.local_addr().unwrap();
        drop(closed);
        assert!(!is_a_persons(nobody));
    }
}
