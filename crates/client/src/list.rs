//! `session_list`: reads the store, and asks each live keeper.

use futures_util::future::join_all;
use jiff::Timestamp;
use szk_store::{Ended, Health, Profile};
use szk_tools::session::{
    Kind, List, ListInput, ListOutput, LoginRow, SessionRow, SessionStatus, SiteRow, Tab,
};
use szk_tools::{Failure, Response};
use szk_wire::{Info, Lifecycle, failure};

use crate::{Client, holds, names, sizes};

impl Client {
    /// Lists sessions by name, and removes leftovers of dead clones on the way.
    pub(crate) async fn list(&self, input: &ListInput) -> Result<Response, Failure> {
        let store = self.store().clone();
        let profiles = off_thread(move || {
            szk_store::collect_leftovers(&store);
            store.list()
        })
        .await?
        .map_err(|error| failure::store(&error))?;
        let open_only = input.open_only.unwrap_or(false);
        let profiles = match &input.session {
            Some(name) => {
                let name = names::parse(name)?;
                names::must_exist(self.store(), &name)?;
                vec![self.store().profile(&name)]
            }
            None => profiles,
        };
        let rows = join_all(profiles.iter().map(|profile| self.row(profile))).await;
        let mut rows = rows.into_iter().collect::<Result<Vec<_>, _>>()?;
        if let (Some(_), [row]) = (&input.session, rows.as_mut_slice()) {
            let profile = profiles[0].clone();
            let (holds, why) = off_thread(move || holds::of(&profile)).await?;
            row.holds = holds;
            row.note = row.note.take().or(why);
        }
        let sessions: Vec<SessionRow> = rows
            .into_iter()
            .filter(|row| !open_only || row.status != SessionStatus::Stored)
            .collect();
        let open = sessions
            .iter()
            .filter(|row| row.status == SessionStatus::Open)
            .count();
        let mut summary = format!("{} sessions, {open} open", sessions.len());
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

    async fn row(&self, profile: &Profile) -> Result<SessionRow, Failure> {
        let live = profile.is_live();
        let info = match profile.keeper() {
            Some(keeper) if live => self.http.info(&keeper.socket).await,
            _ => None,
        };
        let (meta, note) = match profile.meta() {
            Ok(meta) => (meta, None),
            Err(error) => (None, Some(error.to_string())),
        };
        let counted = profile.clone();
        let size_bytes = off_thread(move || sizes::of(&counted, live)).await?;
        let version = env!("CARGO_PKG_VERSION");
        let other = info.as_ref().filter(|info| info.version != version).map(|info| {
            format!("its keeper runs szk {}, and this is {version}: close it and open it again to update the keeper", info.version)
        });
        Ok(SessionRow {
            session: profile.name().to_string(),
            status: status(live, info.as_ref()),
            kind: if meta.as_ref().is_some_and(|meta| meta.ephemeral) {
                Kind::Clone
            } else {
                Kind::Profile
            },
            preset: meta.as_ref().and_then(|meta| meta.preset.clone()),
            last_used: profile.last_used(),
            size_bytes,
            keeper_pid: info.as_ref().map(|info| info.pid),
            clients: info
                .as_ref()
                .map(|info| info.clients.clone())
                .unwrap_or_default(),
            logins: logins(profile),
            endpoint_open: info.as_ref().is_some_and(|info| info.endpoint_open),
            tabs: info.map(|info| info.tabs).unwrap_or_default(),
            holds: None,
            note: note.or(other),
        })
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
