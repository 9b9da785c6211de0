//! Gives files to a file field, or to the chooser that something opens.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;
use szk_cdp::Subscription;
use szk_cdp::protocol::page::EventFileChooserOpened;

use super::ActError;
use super::actor::Actor;
use super::click::Clicking;
use super::events::PageEvent;
use super::fill::unsuited;
use super::intercept::{Intercepting, Taken};
use super::target::Located;
use crate::input::Pace;
use crate::prompts::files::{self, FileField, NotGiven};

/// How long a click may take to open a chooser.
const OPENS: Duration = Duration::from_secs(3);

/// The same once the click has led to another page.
const GONE: Duration = Duration::from_millis(500);

/// The field that a chooser was opened for.
struct Chooser {
    field: FileField,
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
            let node = located.world().node(located.id).await?;
            let field = FileField {
                session: node.session,
                frame: node.frame,
                node: node.backend_node_id,
            };
            let suits = files::check(self.scene.connection, &field, paths).await;
            suits.map_err(|why| not_given(&look.name, why))?;
            if self.device.pace() == Pace::Human && self.upload_by_click(located, paths).await? {
                self.read_back = !self.did.differs;
                return Ok(());
            }
            self.watch(located).await?;
            self.begin();
            self.give(&field, &look.name, paths).await?;
            self.read_back = !self.did.differs;
            return Ok(());
        }
        let (name, clicked) = self.click_for_chooser(located, paths).await?;
        if clicked {
            return Ok(());
        }
        Err(unsuited(&name, "was clicked and opened no file chooser"))
    }

    /// Gives files to a field; notes if it did not take them.
    async fn give(
        &mut self,
        field: &FileField,
        name: &str,
        paths: &[PathBuf],
    ) -> Result<(), ActError> {
        match files::give(self.scene.connection, field, paths).await {
            Err(NotGiven::Lost(held)) => {
                self.did.value = Some(held.join(", "));
                self.did.differs = true;
                Ok(())
            }
            given => {
                self.given = given.is_ok();
                given.map_err(|why| not_given(name, why))
            }
        }
    }

    /// Clicks a file field, or the label that stands for a hidden one, and gives the files to its
    /// chooser. Returns whether that worked; sites may show the field in some way of their own.
    async fn upload_by_click(
        &mut self,
        located: &Located,
        paths: &[PathBuf],
    ) -> Result<bool, ActError> {
        let look = self.look(located).await?;
        let shown = if look.visible {
            located.clone()
        } else {
            let label = located.world().ask("label", &[json!(located.id)]).await?;
            match label {
                Some(id) => located.sibling(id),
                None => return Ok(false),
            }
        };
        let name = self.did.target.clone();
        let clicked = self.click_for_chooser(&shown, paths).await;
        self.did.target = name;
        match clicked {
            Ok((_, clicked)) => Ok(clicked),
            // Nothing was clicked: it is covered, or out of reach.
            Err(_) if !self.acted => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Clicks something and gives the files to the chooser that opens. Returns its name, and whether one
    /// did.
    async fn click_for_chooser(
        &mut self,
        located: &Located,
        paths: &[PathBuf],
    ) -> Result<(String, bool), ActError> {
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
    ) -> Result<(String, bool), ActError> {
        let clicked = self.click_surely(located, &Clicking::default()).await;
        let name = self.did.target.clone().unwrap_or_default();
        let (limit, led) = match clicked {
            Err(ActError::Gone | ActError::Stale) if self.acted => (GONE, true),
            clicked => (OPENS, clicked.map(|()| false)?),
        };
        let opened = tokio::time::timeout(limit, chooser(events)).await;
        let Ok(Some(chooser)) = opened else {
            // Or the click was answered before the page went.
            let gone = || async {
                matches!(
                    self.look(located).await,
                    Err(ActError::Gone | ActError::Stale)
                )
            };
            if led || gone().await {
                let why = "was clicked and opened no file chooser: the click led to another page";
                return Err(unsuited(&name, why));
            }
            return Ok((name, false));
        };
        if chooser.field.node == 0 {
            let why = "was clicked and asked for files with `showOpenFilePicker`, which has no field that could take them";
            return Err(unsuited(&name, why));
        }
        if paths.len() > 1 && !chooser.several {
            return Err(unsuited(&name, "takes one file"));
        }
        if self.device.pace() == Pace::Human {
            self.device.choose().await;
        }
        self.give(&chooser.field, &name, paths).await?;
        if self.did.differs {
            return Ok((name, true));
        }
        let names: Vec<String> = paths
            .iter()
            .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
            .collect();
        self.did.value = Some(names.join(", "));
        Ok((name, true))
    }
}

fn not_given(target: &str, why: NotGiven) -> ActError {
    match why {
        NotGiven::Call(error) => error.into(),
        why => unsuited(target, &why.to_string()),
    }
}

async fn chooser(events: &mut Subscription) -> Option<Chooser> {
    loop {
        match events.recv().await {
            Ok(event) if event.method == EventFileChooserOpened::IDENTIFIER => {
                let told: PageEvent = event.read().ok()?;
                return Some(Chooser {
                    field: FileField {
                        session: event.session.clone()?,
                        frame: told.frame_id,
                        node: told.backend_node_id,
                    },
                    several: told.mode == "selectMultiple",
                });
            }
            Ok(_) | Err(szk_cdp::SubscriptionError::Lagged(_)) => {}
            Err(szk_cdp::SubscriptionError::Closed) => return None,
        }
    }
}
