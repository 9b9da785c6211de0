//! Refs on the picture.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use szk_page::picture::{self, Mark, Part};
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_tools::Failure;

use super::{Picture, Sizes, decoded};
use crate::browser::view;
use crate::context::Keeper;

/// What can be acted on, and where it is.
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

/// Draws them on a picture that begins `from` there in the page.
pub(super) async fn draw(
    picture: Picture,
    marks: Vec<Mark>,
    sizes: &Sizes,
    from: (f64, f64),
) -> Result<Picture, Failure> {
    // Marks are counted from the corner of the viewport.
    let part = Part {
        x: from.0 - sizes.x,
        y: from.1 - sizes.y,
        density: sizes.density,
    };
    let png = decoded(&picture.base64)?;
    // A long page takes a while, and others are answered meanwhile.
    let drawn = tokio::task::spawn_blocking(move || picture::annotate(&png, part, &marks));
    let drawn = drawn
        .await
        .map_err(|error| Failure::internal(error.to_string()))?;
    let (png, numbers) = drawn.map_err(|error| Failure::internal(error.to_string()))?;
    Ok(Picture {
        base64: BASE64_STANDARD.encode(png),
        refs: numbers.iter().map(|number| format!("e{number}")).collect(),
        ..picture
    })
}
