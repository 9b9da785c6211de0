//! Gives files to a file field, or to the chooser that something opens.

use std::path::PathBuf;
use std::time::Duration;

use szk_cdp::protocol::dom::{BackendNodeId, SetFileInputFilesParams};
use szk_cdp::protocol::page::EventFileChooserOpened;
use szk_cdp::protocol::runtime::RemoteObjectId;
use szk_cdp::{Done, SessionId, Subscription};

use super::ActError;
use super::actor::Actor;
use super::click::Clicking;
use super::events::PageEvent;
use super::fill::unsuited;
use super::intercept::{Intercepting, Taken};
use super::target::Located;

/// How long a click may take to open a chooser.
const OPENS: Duration = Duration::from_secs(3);

/// The field that a chooser was opened for.
struct Chooser {
    session: SessionId,
    backend_node_id: i64,
    several: bool,
}

impl Actor<'_> {
    /// Gives files to a file field. Clicks anything else, and gives the files to the chooser that this
    /// opens; the chooser's window never shows.
    pub(super) async fn upload(
        &mut self,
        located: &Located,
        paths: &[PathBuf],
    ) -> Result<(), ActError> {
        let look = self.attend(located).await?;
        self.did.target = Some(look.name.clone());
        if look.sort == "file" {
            if !look.enabled {
                return Err(ActError::NotReady {
                    target: look.name,
                    why: "is disabled".to_owned(),
                });
            }
            if paths.len() > 1 && !look.multiple {
                return Err(unsuited(&look.name, "takes one file"));
            }
            self.watch(located).await?;
            self.begin();
            let handle = located.world().handle(located.id).await?;
            let params = SetFileInputFilesParams {
                object_id: Some(RemoteObjectId::new(handle)),
                ..SetFileInputFilesParams::new(named(paths))
            };
            located.world().command::<Done>(&params).await?;
            self.read_back = true;
            return Ok(());
        }
        let mut events = self.scene.connection.subscribe();
        let intercepting = Intercepting::begin(&self.scene, Taken::Choosers).await?;
        let given = self.give_to_chooser(&mut events, located, paths).await;
        intercepting.end().await?;
        given
    }

    async fn give_to_chooser(
        &mut self,
        events: &mut Subscription,
        located: &Located,
        paths: &[PathBuf],
    ) -> Result<(), ActError> {
        self.click_surely(located, &Clicking::default()).await?;
        let name = self.did.target.clone().unwrap_or_default();
        let opened = tokio::time::timeout(OPENS, chooser(events)).await;
        let Ok(Some(chooser)) = opened else {
            return Err(unsuited(&name, "opened no file chooser"));
        };
        if paths.len() > 1 && !chooser.several {
            return Err(unsuited(&name, "takes one file"));
        }
        let params = SetFileInputFilesParams {
            backend_node_id: Some(BackendNodeId::new(chooser.backend_node_id)),
            ..SetFileInputFilesParams::new(named(paths))
        };
        self.scene
            .connection
            .run(Some(&chooser.session), &params)
            .await?;
        let names: Vec<String> = paths
            .iter()
            .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
            .collect();
        self.did.value = Some(names.join(", "));
        Ok(())
    }
}

/// Paths as the protocol has them.
fn named(paths: &[PathBuf]) -> Vec<String> {
    let paths = paths.iter();
    paths
        .map(|path| path.to_string_lossy().into_owned())
        .collect()
}

async fn chooser(events: &mut Subscription) -> Option<Chooser> {
    loop {
        match events.recv().await {
            Ok(event) if event.method == EventFileChooserOpened::IDENTIFIER => {
                let told: PageEvent = event.read().ok()?;
                return Some(Chooser {
                    session: event.session.clone()?,
                    backend_node_id: told.backend_node_id,
                    several: told.mode == "selectMultiple",
                });
            }
            Ok(_) | Err(szk_cdp::SubscriptionError::Lagged(_)) => {}
            Err(szk_cdp::SubscriptionError::Closed) => return None,
        }
    }
}
