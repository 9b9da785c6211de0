//! The servers that run on a store.

use szk_store::{Announced, RunningServer};
use szk_tools::{Code, Failure};
use szk_wire::failure;

use crate::Client;

impl Client {
    /// Says that this process is a server, for as long as what this returns lives.
    ///
    /// # Errors
    /// `STORAGE`.
    pub fn announce_server(&self, url: &str) -> Result<Announced, Failure> {
        let announced = self.store().announce_server(url);
        announced.map_err(|error| failure::store(&error))
    }

    /// Asks the servers of this store to end once their work is done; only the one on this port, if one is
    /// named.
    ///
    /// # Errors
    /// `NOT_FOUND` if there is none, `STORAGE` if it does not belong to this user.
    pub fn drain_servers(&self, port: Option<u16>) -> Result<Vec<RunningServer>, Failure> {
        let mut servers = self.store().servers();
        let ending = port.map(|port| format!(":{port}"));
        servers.retain(|server| ending.iter().all(|ending| server.url.ends_with(ending)));
        if servers.is_empty() {
            let failure = Failure::new(Code::NotFound, "no such server runs on this store");
            return Err(failure.hint("name the store with `--store`, and the port with `--listen`"));
        }
        for server in &servers {
            server.drain().map_err(|error| {
                let why = format!("cannot signal the server at {}: {error}", server.url);
                Failure::new(Code::Storage, why)
                    .hint(format!("as its user, run `kill -USR1 {}`", server.pid))
            })?;
        }
        Ok(servers)
    }
}
