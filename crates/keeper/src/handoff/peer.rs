//! Who is at the other end of a viewer's connection.
//!
//! A model knows the link of a hand-off, and drives browsers: it could open the live view in one of them
//! and approve its own calls. So a viewer approves nothing if it runs below an szk, as every browser that
//! szk drives does, and every program that it runs. Where the system does not say who it is, it approves
//! nothing either.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::os::unix::fs::MetadataExt;
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
    let (Some(owner), Some(szk)) = (owner(&inode), Program::of(std::process::id())) else {
        return false;
    };
    let mut above = std::iter::successors(Some(owner), |pid| process::parent(*pid));
    !above.by_ref().take(ANCESTORS).any(|pid| is_szk(pid, &szk))
}

/// Whether a process is one of szk's. Another one may have been started by another name, or of another version
/// than this one.
fn is_szk(pid: u32, szk: &Program) -> bool {
    let program = Program::of(pid);
    program.is_some_and(|program| program.is(szk)) || process::is_marked_as_ours(pid)
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

/// The program of a process.
struct Program {
    /// Of its file; one that was replaced by a newer version keeps its name.
    name: OsString,
    /// Device and inode of its file.
    file: Option<(u64, u64)>,
}

impl Program {
    fn of(pid: u32) -> Option<Self> {
        let link = format!("/proc/{pid}/exe");
        let path = std::fs::read_link(&link).ok()?;
        let name = path.file_name()?.to_str()?;
        let file = std::fs::metadata(link).ok();
        Some(Self {
            name: name.trim_end_matches(" (deleted)").into(),
            file: file.map(|file| (file.dev(), file.ino())),
        })
    }

    fn is(&self, other: &Self) -> bool {
        self.name == other.name || (self.file.is_some() && self.file == other.file)
    }
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

    #[test]
    fn szk_is_known_by_name_by_file_and_by_its_mark() {
        let me = std::process::id();
        let program = |name: &str, file| Program {
            name: name.into(),
            file,
        };
        let own = Program::of(me).unwrap();
        assert!(is_szk(me, &program("szk", own.file)), "another link to it");
        let name = own.name.to_str().unwrap();
        assert!(is_szk(me, &program(name, None)), "a newer version");
        assert!(!is_szk(me, &program("szk-1.2", Some((0, 0)))));
        process::mark_as_ours();
        assert!(is_szk(me, &program("szk-1.2", Some((0, 0)))), "a copy");
    }
}
