//! Downloads: the profile's own folder holds them, and a client that wants them elsewhere gets copies.
//!
//! `Browser.setDownloadBehavior` is one setting for the whole profile, and the last one wins. So what
//! a client asks for is only remembered here; when a download is complete it is copied to where the
//! client will look for it, and then the client is told.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use szk_cdp::{Event, raw};
use szk_config::{Bounds, Deed};

/// What a client wants of downloads.
pub(super) struct Downloads {
    /// The profile's folder.
    own: PathBuf,
    bounds: Bounds,
    wanted: Option<Wanted>,
    /// File names of downloads that began.
    names: HashMap<String, String>,
}

struct Wanted {
    folder: PathBuf,
    /// Under the id of the download instead of its name.
    by_guid: bool,
}

/// The parameters of `Browser.setDownloadBehavior`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Behavior {
    behavior: String,
    browser_context_id: Option<String>,
    download_path: Option<PathBuf>,
    #[serde(default)]
    events_enabled: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Begins {
    guid: String,
    suggested_filename: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Progress {
    guid: String,
    state: String,
    file_path: Option<PathBuf>,
}

impl Downloads {
    pub(super) fn to(own: PathBuf, bounds: Bounds) -> Self {
        Self {
            own,
            bounds,
            wanted: None,
            names: HashMap::new(),
        }
    }

    /// The profile's folder.
    pub(super) fn own(&self) -> &Path {
        &self.own
    }

    /// What the browser does with downloads, whatever clients ask for.
    pub(super) fn behavior(&self) -> &'static str {
        match self.bounds.check(Deed::Download) {
            Ok(()) => "allow",
            Err(_) => "deny",
        }
    }

    /// Whether the configuration lets downloads go to a folder.
    fn may_go_to(&self, folder: &Path) -> bool {
        let actions = [Deed::Download, Deed::Write(folder)];
        let denied = actions
            .into_iter()
            .find_map(|deed| self.bounds.check(deed).err());
        if let Some(denied) = &denied {
            tracing::warn!(%denied, "a client gets no copies of downloads");
        }
        denied.is_none()
    }

    /// What the browser is told instead; `None` to tell it what the client said.
    pub(super) fn want(
        &mut self,
        params: Option<&RawValue>,
        owns: impl FnOnce(&str) -> bool,
    ) -> Option<Box<RawValue>> {
        let behavior: Behavior = serde_json::from_str(params?.get()).ok()?;
        let context = behavior.browser_context_id;
        let folder = behavior
            .download_path
            .filter(|folder| self.may_go_to(folder));
        let bound = self.behavior() == "deny" || self.bounds.policy().write.is_some();
        if context.as_deref().is_some_and(owns) && !(bound && folder.is_none()) {
            // In a context that it made the client may do as it likes.
            return None;
        }
        self.wanted = match &*behavior.behavior {
            "allow" | "allowAndName" => folder.map(|folder| Wanted {
                folder,
                by_guid: behavior.behavior == "allowAndName",
            }),
            _ => None,
        };
        let mut params = json!({
            "behavior": self.behavior(),
            "downloadPath": self.own,
            "eventsEnabled": behavior.events_enabled,
        });
        if let Some(context) = context {
            params["browserContextId"] = context.into();
        }
        Some(raw(&params))
    }

    /// The copy to wait for before the client is told of this event.
    pub(super) fn event(&mut self, event: &Event) -> Option<BoxFuture<'static, ()>> {
        match &*event.method {
            "Browser.downloadWillBegin" if self.wanted.is_some() => {
                let begins: Begins = read(event)?;
                self.names.insert(begins.guid, begins.suggested_filename);
                None
            }
            "Browser.downloadProgress" => {
                let Progress {
                    guid,
                    state,
                    file_path,
                } = read(event)?;
                let name = (state != "inProgress").then(|| self.names.remove(&guid))??;
                let wanted = self.wanted.as_ref().filter(|_| state == "completed")?;
                let from = file_path.filter(|from| from.starts_with(&self.own))?;
                // A name is one component, whatever the server suggests.
                let name = if wanted.by_guid {
                    guid
                } else {
                    Path::new(&name).file_name()?.to_str()?.to_owned()
                };
                let to = wanted.folder.join(name);
                Some(Box::pin(copy(from, to)))
            }
            _ => None,
        }
    }
}

async fn copy(from: PathBuf, to: PathBuf) {
    let made = async {
        if let Some(folder) = to.parent() {
            tokio::fs::create_dir_all(folder).await?;
        }
        tokio::fs::copy(&from, &to).await
    };
    if let Err(error) = made.await {
        tracing::warn!(to = %to.display(), %error, "a download could not be copied for a client");
    }
}

fn read<T: for<'a> Deserialize<'a>>(event: &Event) -> Option<T> {
    serde_json::from_str(event.params.get()).ok()
}
