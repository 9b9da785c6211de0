//! `session_list`: reads the store, and asks each live keeper.

use futures_util::future::join_all;
use jiff::Timestamp;
use szk_store::{Ended, Health, KeeperInfo, Profile};
use szk_tools::session::{
    Holds, Kind, List, ListInput, ListOutput, LoginRow, SessionRow, SessionStatus, SiteRow, Tab,
    WaitingRow,
};
use szk_tools::{Failure, Response};
use szk_wire::{Info, Lifecycle, Waiting, failure};

use crate::{Client, holds, names, sizes};

impl Client {
    /// Lists sessions by name, and removes leftovers of dead clones on the way.
    pub(crate) async fn list(&self, input: &ListInput) -> Result<Response, Failure> {
        let open_only = input.open_only.unwrap_or(false);
        let named = input.session.is_some();
        let profiles = match &input.session {
            // Servers ask for one again and again: nothing else is looked at.
            Some(name) => {
                let name = names::parse(name)?;
                names::must_exist(self.store(), &name)?;
                vec![self.store().profile(&name)]
            }
            None => {
                let store = self.store().clone();
                off_thread(move || {
                    szk_store::collect_leftovers(&store);
                    store.list()
                })
                .await?
                .map_err(|error| failure::store(&error))?
            }
        };
        let rows = join_all(profiles.into_iter().map(|profile| self.row(profile, named))).await;
        let mut rows = rows.into_iter().collect::<Result<Vec<_>, _>>()?;
        measure(&mut rows).await?;
        let sessions: Vec<SessionRow> = rows
            .into_iter()
            .filter(|row| !open_only || row.status != SessionStatus::Stored)
            .collect();
        let open = sessions
            .iter()
            .filter(|row| row.status == SessionStatus::Open)
            .count();
        let mut summary = match sessions.len() {
            1 => format!("1 session, {open} open"),
            all => format!("{all} sessions, {open} open"),
        };
        for row in &sessions {
            summary.push_str(&line(row));
        }
        let output = ListOutput {
            store: self.store().root().display().to_string(),
            sessions,
        };
        Response::of::<List>(summary, &output)
    }

    /// Names of the open sessions, from their locks alone.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn open_sessions(&self) -> Result<Vec<String>, Failure> {
        let store = self.store().clone();
        let open = off_thread(move || {
            let mut profiles = store.list()?;
            profiles.retain(|profile| profile.is_live() && profile.keeper().is_some());
            Ok(profiles)
        });
        let open = open.await?.map_err(|error| failure::store(&error))?;
        Ok(open
            .iter()
            .map(|profile| profile.name().to_string())
            .collect())
    }

    async fn row(&self, profile: Profile, named: bool) -> Result<SessionRow, Failure> {
        let session = profile.name().to_string();
        let disk = off_thread(move || OnDisk::read(&profile, named)).await?;
        let since = disk.keeper.as_ref().map(|keeper| keeper.started);
        let info = match &disk.keeper {
            Some(keeper) => self.http.info(&keeper.socket).await,
            None => None,
        };
        let version = env!("CARGO_PKG_VERSION");
        let other = info.as_ref().filter(|info| info.version != version).map(|info| {
            format!("its keeper runs szk {}, and this is {version}: close it and open it again to update the keeper", info.version)
        });
        Ok(SessionRow {
            session,
            status: status(disk.live, info.as_ref()),
            kind: disk.kind,
            preset: disk.preset,
            last_used: disk.last_used,
            size_bytes: disk.size_bytes,
            keeper_pid: info.as_ref().map(|info| info.pid),
            clients: info
                .as_ref()
                .map(|info| info.clients.clone())
                .unwrap_or_default(),
            since,
            memory_bytes: None,
            handoff: info
                .as_ref()
                .and_then(|info| info.handoff.as_ref())
                .map(waiting),
            logins: disk.logins,
            endpoint_open: info.as_ref().is_some_and(|info| info.endpoint_open),
            tabs: info.map(|info| info.tabs).unwrap_or_default(),
            holds: disk.holds,
            note: disk.note.or(other).or(disk.unread),
        })
    }
}

/// What the store says of a profile.
struct OnDisk {
    live: bool,
    /// Of an open one.
    keeper: Option<KeeperInfo>,
    kind: Kind,
    preset: Option<String>,
    last_used: Option<Timestamp>,
    size_bytes: u64,
    logins: Vec<LoginRow>,
    holds: Option<Holds>,
    /// What is wrong with the profile.
    note: Option<String>,
    /// Why it cannot be told what it holds.
    unread: Option<String>,
}

impl OnDisk {
    /// Reads files; for a session that was `named` also what it holds.
    fn read(profile: &Profile, named: bool) -> Self {
        let live = profile.is_live();
        let (meta, note) = match profile.meta() {
            Ok(meta) => (meta, None),
            Err(error) => (None, Some(error.to_string())),
        };
        // Read once: servers ask again and again.
        let used_until = profile.used_until(meta.as_ref());
        let (holds, unread) = match named {
            true => holds::of(profile),
            false => (None, None),
        };
        Self {
            live,
            keeper: profile.keeper().filter(|_| live),
            kind: match meta.as_ref().is_some_and(|meta| meta.ephemeral) {
                true => Kind::Clone,
                false => Kind::Profile,
            },
            preset: meta.and_then(|meta| meta.preset),
            last_used: if live {
                Some(Timestamp::now())
            } else {
                used_until
            },
            size_bytes: sizes::of(profile, live, used_until),
            logins: logins(profile),
            holds,
            note,
            unread,
        }
    }
}

/// Fills in what the browsers of open sessions have in memory.
async fn measure(rows: &mut [SessionRow]) -> Result<(), Failure> {
    let pids: Vec<u32> = rows.iter().filter_map(|row| row.keeper_pid).collect();
    if pids.is_empty() {
        return Ok(());
    }
    let measured = off_thread(move || szk_store::process::memory_below(&pids)).await?;
    let open = rows.iter_mut().filter(|row| row.keeper_pid.is_some());
    for (row, bytes) in open.zip(measured) {
        row.memory_bytes = (bytes > 0).then_some(bytes);
    }
    Ok(())
}

fn waiting(waiting: &Waiting) -> WaitingRow {
    WaitingRow {
        tab: waiting.tab.clone(),
        reason: waiting.reason.clone(),
        since: waiting.since,
    }
}

/// An unreadable list of logins does not keep a session off the list.
fn logins(profile: &Profile) -> Vec<LoginRow> {
    let health = profile.login_health(Timestamp::now()).unwrap_or_default();
    let row = |health: Health| LoginRow {
        site: health.site,
        signed_in: health.ended.is_none(),
        since: health.since,
        ended: health.ended.map(|ended| match ended {
            Ended::Expired { cookie, at } => format!("cookie `{cookie}` expired at {at}"),
            Ended::Gone { cookie } => format!("cookie `{cookie}` is gone"),
        }),
    };
    health.into_iter().map(row).collect()
}

/// Runs off the front end's only thread: this looks at or removes thousands of files.
async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| Failure::internal(format!("cannot read the store: {error}")))
}

fn status(live: bool, info: Option<&Info>) -> SessionStatus {
    match (live, info.map(|info| info.life)) {
        (false, _) => SessionStatus::Stored,
        (true, Some(Lifecycle::Running)) => SessionStatus::Open,
        (true, _) => SessionStatus::Busy,
    }
}

fn line(row: &SessionRow) -> String {
    let status = match row.status {
        SessionStatus::Open => "open",
        SessionStatus::Stored => "stored",
        SessionStatus::Busy => "busy",
    };
    let tabs = match row.tabs.len() {
        0 => String::new(),
        1 => ", 1 tab".to_owned(),
        many => format!(", {many} tabs"),
    };
    let mut text = format!("\n- {} ({status}{tabs})", row.session);
    for login in &row.logins {
        match &login.ended {
            None => text.push_str(&format!("; signed in to {}", login.site)),
            Some(why) => text.push_str(&format!("; no longer signed in to {}: {why}", login.site)),
        }
    }
    let users: Vec<String> = row.clients.iter().map(|name| user(name, row)).collect();
    if !users.is_empty() {
        text.push_str(&format!("; used by {}", users.join(", ")));
    }
    if let Some(handoff) = &row.handoff {
        text.push_str(&format!("; {} waits for a person", handoff.tab));
    }
    for site in row.holds.iter().flat_map(|holds| &holds.sites) {
        text.push_str(&held(site));
    }
    text
}

/// A client with the tabs it has.
fn user(name: &str, row: &SessionRow) -> String {
    let its = |tab: &&Tab| tab.client.as_deref() == Some(name);
    let tabs: Vec<&str> = row.tabs.iter().filter(its).map(|tab| &*tab.id).collect();
    match tabs[..] {
        [] => name.to_owned(),
        _ => format!("{name} ({})", tabs.join(", ")),
    }
}

/// What one site has stored, in counts.
fn held(site: &SiteRow) -> String {
    let counts = [
        (site.cookies, "cookies"),
        (site.local_storage, "localStorage entries"),
        (site.session_storage, "sessionStorage entries"),
        (
            u32::try_from(site.databases.len()).unwrap_or(u32::MAX),
            "databases",
        ),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    let until = match site.last_expiry {
        Some(at) => format!(", the last cookie expires at {at}"),
        None => String::new(),
    };
    format!("\n  - {}: {}{until}", site.site, counts.join(", "))
}
