//! Downloads: the profile's own folder holds them, and a client that wants them elsewhere gets copies.
//!
//! `Browser.setDownloadBehavior` is one setting for the whole profile, and the last caller wins. So a
//! client's wishes are only recorded here. When a download is complete it is copied to where the client
//! will look for it, and then the client gets the event.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use szk_cdp::protocol::browser::{
    EventDownloadProgress, EventDownloadWillBegin, SetDownloadBehaviorBehavior,
    SetDownloadBehaviorParams,
};
use szk_cdp::{Event, raw};
use szk_config::{Action, Bounds};
use szk_store::DownloadFolder;

/// A client's wishes for downloads.
pub(super) struct Downloads {
    /// The profile's.
    own: DownloadFolder,
    bounds: Bounds,
    wanted: Option<Wanted>,
    /// File names of downloads that have started.
    names: HashMap<String, String>,
}

struct Wanted {
    folder: PathBuf,
    /// Named by the download's id instead of its name.
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
    pub(super) fn to(own: DownloadFolder, bounds: Bounds) -> Self {
        Self {
            own,
            bounds,
            wanted: None,
            names: HashMap::new(),
        }
    }

    /// The command that keeps downloads of a browser context in the profile's own folder, if there may be
    /// any, whatever clients ask for.
    pub(super) fn kept(&self, context: Option<String>, events: bool) -> SetDownloadBehaviorParams {
        SetDownloadBehaviorParams {
            browser_context_id: context.map(Into::into),
            download_path: Some(self.own.incoming().to_string_lossy().into_owned()),
            events_enabled: Some(events),
            ..SetDownloadBehaviorParams::new(match self.may_download() {
                true => SetDownloadBehaviorBehavior::AllowAndName,
                false => SetDownloadBehaviorBehavior::Deny,
            })
        }
    }

    fn may_download(&self) -> bool {
        self.bounds.check(Action::Download).is_ok()
    }

    /// Whether the configuration allows downloads into a folder.
    fn may_go_to(&self, folder: &Path) -> bool {
        let actions = [Action::Download, Action::Write(folder)];
        let denied = actions
            .into_iter()
            .find_map(|action| self.bounds.check(action).err());
        if let Some(denied) = &denied {
            tracing::warn!(%denied, "cannot copy downloads for a client");
        }
        denied.is_none()
    }

    /// What to tell the browser instead; `None` to pass on what the client said.
    pub(super) fn want(
        &mut self,
        params: Option<&RawValue>,
        owns: impl FnOnce(&str) -> bool,
    ) -> Option<Box<RawValue>> {
        let behavior: Behavior = serde_json::from_str(params?.get()).ok()?;
        let context = behavior.browser_context_id;
        let named = behavior.download_path.is_some();
        let folder = behavior
            .download_path
            .filter(|folder| self.may_go_to(folder));
        let bound = !self.may_download() || self.bounds.policy().write.is_some() || named;
        if context.as_deref().is_some_and(owns) && !(bound && folder.is_none()) {
            // In a context that it created, the client may do as it likes.
            return None;
        }
        self.wanted = match &*behavior.behavior {
            "allow" | "allowAndName" => folder.map(|folder| Wanted {
                folder,
                by_guid: behavior.behavior == "allowAndName",
            }),
            _ => None,
        };
        Some(raw(&self.kept(context, behavior.events_enabled)))
    }

    /// What to wait for before the client gets this event, as it then is: a complete download has its own
    /// name by then, and the client its copy.
    pub(super) fn event(&mut self, event: &Event) -> Option<BoxFuture<'static, Box<RawValue>>> {
        match &*event.method {
            EventDownloadWillBegin::IDENTIFIER => {
                let begins: Begins = event.read().ok()?;
                self.names.insert(begins.guid, begins.suggested_filename);
                None
            }
            EventDownloadProgress::IDENTIFIER => {
                let Progress {
                    guid,
                    state,
                    file_path,
                } = event.read().ok()?;
                let name = (state != "inProgress").then(|| self.names.remove(&guid))??;
                let file = file_path.filter(|_| state == "completed")?;
                if !file.starts_with(self.own.incoming()) {
                    return None;
                }
                let copy = self.wanted.as_ref().and_then(|wanted| {
                    // A name is one path component, whatever the server suggests.
                    let name = match wanted.by_guid {
                        true => guid.as_str(),
                        false => Path::new(&name).file_name()?.to_str()?,
                    };
                    Some(wanted.folder.join(name))
                });
                let (own, params) = (self.own.clone(), event.params.clone());
                Some(Box::pin(async move {
                    let placing = move || own.place(&guid, &name, &file);
                    let place = match tokio::task::spawn_blocking(placing).await {
                        Ok(Ok(place)) => place,
                        failed => {
                            tracing::warn!(?failed, "cannot put a download in its place");
                            return params;
                        }
                    };
                    if let Some(to) = copy {
                        self::copy(&place, to).await;
                    }
                    at(&params, &place)
                }))
            }
            _ => None,
        }
    }
}

/// An event about a file that is now here.
fn at(params: &RawValue, place: &Path) -> Box<RawValue> {
    match serde_json::from_str::<Value>(params.get()) {
        Ok(mut params) => {
            params["filePath"] = place.to_string_lossy().into();
            raw(&params)
        }
        Err(_) => params.to_owned(),
    }
}

async fn copy(from: &Path, to: PathBuf) {
    let made = async {
        if let Some(folder) = to.parent() {
            tokio::fs::create_dir_all(folder).await?;
        }
        tokio::fs::copy(from, &to).await
    };
    if let Err(error) = made.await {
        tracing::warn!(to = %to.display(), %error, "cannot copy a download for a client");
    }
}
