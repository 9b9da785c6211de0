//! A client's commands about windows.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::json;
use szk_cdp::protocol::browser::{GetWindowBoundsParams, WindowId};
use szk_cdp::raw;

use super::client::Client;
use super::commands::{Addressed, read};
use super::end::End;
use super::pending::OnReply;
use crate::message;
use crate::policy::{KEPT, Until};

/// Puppeteer's default viewport, which it sets on every page unless told otherwise: no one asked for it.
const UNASKED: (i64, i64) = (800, 600);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Bounds {
    window_id: i64,
}

/// `Emulation.setDeviceMetricsOverride`.
#[derive(Deserialize)]
struct Metrics {
    width: i64,
    height: i64,
    #[serde(default)]
    mobile: bool,
}

impl Client {
    /// Does not emulate a viewport: resizes the page's window to fit it, as a person would.
    pub(super) fn wants_viewport(&mut self, command: Addressed) -> Result<(), End> {
        let Some(Metrics {
            width,
            height,
            mobile,
        }) = read(&command)
        else {
            return self.forward(command, OnReply::Pass);
        };
        let asked = width > 0 && height > 0 && (width, height) != UNASKED;
        let page = self.targets.page(&command.session).map(str::to_owned);
        let Some(page) = page.filter(|_| asked && self.targets.begun(&command.session)) else {
            return self.answer(&command, Ok(raw(&json!({}))));
        };
        if mobile {
            return self.answer(
                &command,
                Err(message::refused(format!(
                    "`{}` is refused: {KEPT}",
                    command.method
                ))),
            );
        }
        self.hold_for(page, command, Some(Until::Sized(width, height)));
        Ok(())
    }

    /// Resizes the window to give a page this size; returns whether that failed.
    pub(super) fn size(&self, page: String, size: (i64, i64)) -> BoxFuture<'static, bool> {
        let (windows, browser) = (Arc::clone(&self.lease.windows), Arc::clone(&self.browser));
        let client = self.lease.number;
        Box::pin(async move {
            let sized = windows.size(client, &browser, &page, size).await;
            if let Err(error) = &sized {
                tracing::debug!(page, %error, "its window keeps its size");
            }
            sized.is_err()
        })
    }

    /// Changes a window once its previous bounds are known.
    pub(super) fn resize(&mut self, command: Addressed) -> Result<(), End> {
        let Some(Bounds { window_id }) = read(&command) else {
            return self.forward(command, OnReply::Pass);
        };
        if self.lease.windows.changes(self.lease.number, window_id) {
            let root = self.lease.session.clone();
            let bounds = GetWindowBoundsParams::new(WindowId::new(window_id));
            self.order(&root, &bounds, OnReply::Window(window_id))?;
        }
        self.forward(command, OnReply::Pass)
    }
}
