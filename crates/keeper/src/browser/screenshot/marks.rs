//! Refs on the picture.

use szk_page::picture::{self, Mark, Part};
use szk_page::screenshot::{self, Clip, View};
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_tools::Failure;

use super::{Picture, decoded};
use crate::browser::view;
use crate::context::Keeper;

/// The elements that can be acted on, and where they are.
pub(super) async fn read(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    whole: bool,
) -> Result<Vec<Mark>, Failure> {
    let shared = keeper.views.of(running, tab);
    let mut known = shared.lock().await;
    let marks = known.marks(&view::page(running, tab), whole).await;
    marks.map_err(|error| view::unread(&error))
}

/// Draws them on a picture of a clip, or of the visible part.
pub(super) async fn draw(
    picture: Picture,
    marks: Vec<Mark>,
    view: &View,
    clip: Option<&Clip>,
) -> Result<Picture, Failure> {
    // Marks count from the corner of the viewport.
    let part = Part {
        x: clip.map_or(0.0, |clip| clip.x - view.x),
        y: clip.map_or(0.0, |clip| clip.y - view.y),
        density: view.density,
    };
    let png = decoded(&picture.base64)?;
    // A long page takes a while; other calls are answered meanwhile.
    let drawn = tokio::task::spawn_blocking(move || picture::annotate(&png, part, &marks));
    let drawn = drawn
        .await
        .map_err(|error| Failure::internal(error.to_string()))?;
    let (png, numbers) = drawn.map_err(|error| Failure::internal(error.to_string()))?;
    Ok(Picture {
        base64: screenshot::base64(&png),
        refs: numbers.iter().map(|number| format!("e{number}")).collect(),
        ..picture
    })
}
