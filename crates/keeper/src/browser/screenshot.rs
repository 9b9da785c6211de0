//! `browser_screenshot`.

mod marks;

use std::path::Path;
use std::sync::Arc;

use szk_page::Page;
use szk_page::screenshot::{self, Clip, Format, LONGEST_SIDE, MeasureError, View};
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_store::atomic;
use szk_tools::browser::{ImageFormat, Screenshot, ScreenshotInput, ScreenshotOutput};
use szk_tools::{Code, Done, Failure, Image, Response};
use tokio::sync::MutexGuard;

use super::{act, view};
use crate::context::Keeper;
use crate::failure;

/// Which part of the page is wanted.
enum Part<'a> {
    Visible,
    FullPage,
    Element(&'a str),
    Clip(Clip),
}

pub(crate) async fn screenshot(
    keeper: &Arc<Keeper>,
    input: &ScreenshotInput,
) -> Result<Response, Failure> {
    let part = part(input)?;
    let format = format(input)?;
    let (running, tab) = keeper.tab(input.tab.as_deref()).await?;
    let page = view::page(&running, &tab);
    let (view, _camera) = in_front(keeper, &page).await?;
    let clip = match part {
        Part::Visible => None,
        Part::FullPage => Some(view.whole()),
        Part::Element(given) => Some(element(keeper, &running, &tab, given, &view).await?),
        Part::Clip(clip) => Some(clip),
    };
    let (width, height) = view.pixels(clip.as_ref());
    if width > LONGEST_SIDE || height > LONGEST_SIDE {
        return Err(Failure::invalid(format!(
            "the picture would be {width}x{height} pixels; the limit is {LONGEST_SIDE} a side"
        ))
        .hint("take the visible part, or one element with `selector`"));
    }
    let annotated = input.annotate == Some(true);
    let marks = match annotated {
        true => marks::read(keeper, &running, &tab, input.full_page == Some(true)).await?,
        false => Vec::new(),
    };
    let taken = screenshot::take(&page, &view, clip.as_ref(), format).await;
    let mut picture = Picture {
        base64: taken.map_err(|error| not_taken(&error))?,
        size: (width as u32, height as u32),
        refs: Vec::new(),
    };
    if annotated {
        picture = marks::draw(picture, marks, &view, clip.as_ref()).await?;
    }
    answer(keeper, input, &tab, picture)
}

/// Waits for the camera and brings the page to the front, where it is painted: a screenshot of a page in
/// the background would hang.
async fn in_front<'a>(
    keeper: &'a Keeper,
    page: &Page,
) -> Result<(View, MutexGuard<'a, ()>), Failure> {
    // Before the queue: a page that is stuck must not keep others waiting.
    let mut view = measure(keeper, page).await?;
    let camera = match keeper.camera.try_lock() {
        Ok(camera) => camera,
        Err(_) => {
            let camera = keeper.camera.lock().await;
            // Another tab may have come to the front meanwhile.
            view = measure(keeper, page).await?;
            camera
        }
    };
    if view.hidden {
        let shown = page.bring_to_front().await;
        shown.map_err(|error| not_taken(&error))?;
    }
    Ok((view, camera))
}

async fn measure(keeper: &Keeper, page: &Page) -> Result<View, Failure> {
    let measured = View::of(&keeper.worlds, page).await;
    measured.map_err(|error| match error {
        MeasureError::Call(error) => {
            failure::cdp("the page could not be measured", &error, Done::None)
        }
        MeasureError::Unreadable(_) => Failure::internal(error.to_string()),
    })
}

fn not_taken(error: &szk_cdp::CallError) -> Failure {
    failure::cdp("the picture was not taken", error, Done::None)
}

/// A picture that was taken.
struct Picture {
    base64: String,
    /// In device pixels.
    size: (u32, u32),
    /// What is drawn on it.
    refs: Vec<String>,
}

fn answer(
    keeper: &Keeper,
    input: &ScreenshotInput,
    tab: &Tab,
    picture: Picture,
) -> Result<Response, Failure> {
    let (width, height) = picture.size;
    let path = input.path.as_deref();
    let bytes = screenshot::file_size(&picture.base64);
    let output = ScreenshotOutput {
        session: keeper.session.name().to_string(),
        tab: tab.id.clone(),
        width,
        height,
        bytes,
        refs: picture.refs,
        path: path.map(Path::to_owned),
    };
    let kind = name(input.format.unwrap_or_default());
    let mut response = Response::of::<Screenshot>(
        format!("{width}x{height} {kind} of {}, {bytes} bytes", tab.id),
        &output,
    )?;
    if !output.refs.is_empty() {
        let refs = output.refs.join(" ");
        response.summary.push_str(&format!("; refs on it: {refs}"));
    }
    match path {
        Some(path) => {
            atomic::write(path, &decoded(&picture.base64)?)
                .map_err(|error| szk_wire::failure::named_file(&error))?;
            response
                .summary
                .push_str(&format!(", written to {}", path.display()));
            response.files.push(path.to_owned());
        }
        None => response.images.push(Image {
            mime: format!("image/{kind}"),
            base64: picture.base64,
        }),
    }
    Ok(response)
}

fn decoded(base64: &str) -> Result<Vec<u8>, Failure> {
    screenshot::file(base64)
        .map_err(|error| Failure::internal(format!("Chromium's picture is not base64: {error}")))
}

/// The box of an element in its document, as far as it is within it.
async fn element(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    given: &str,
    view: &View,
) -> Result<Clip, Failure> {
    let found = act::rect(keeper, running, tab, given).await?;
    if found.width < 1.0 || found.height < 1.0 {
        let shown: String = given.chars().take(100).collect();
        return Err(
            Failure::new(Code::NotFound, format!("`{shown}` has no visible part"))
                .hint("it may be hidden, or scrolled out of its frame"),
        );
    }
    Ok(Clip {
        x: (found.x + view.x).max(0.0),
        y: (found.y + view.y).max(0.0),
        width: found.width,
        height: found.height,
    })
}

fn part(input: &ScreenshotInput) -> Result<Part<'_>, Failure> {
    match (
        input.full_page == Some(true),
        input.selector.as_deref(),
        input.clip.as_deref(),
    ) {
        (false, None, None) => Ok(Part::Visible),
        (true, None, None) => Ok(Part::FullPage),
        (false, Some(given), None) => Ok(Part::Element(given)),
        (false, None, Some(text)) => Ok(Part::Clip(clip(text)?)),
        _ => Err(
            Failure::invalid("give one of `full_page`, `selector` and `clip`").about([
                "full_page",
                "selector",
                "clip",
            ]),
        ),
    }
}

/// The format of the file, where all that is asked for goes together.
fn format(input: &ScreenshotInput) -> Result<Format, Failure> {
    let format = input.format.unwrap_or_default();
    if input.annotate == Some(true) && format != ImageFormat::Png {
        return Err(Failure::invalid("a picture with refs on it is a png"));
    }
    if input.path.as_ref().is_some_and(|path| !path.is_absolute()) {
        return Err(Failure::invalid("`path` must be absolute here").about(["path"]));
    }
    match (format, input.quality) {
        (_, Some(quality)) if quality > 100 => Err(Failure::invalid(format!(
            "`quality` is 0 to 100, not {quality}"
        ))
        .about(["quality"])),
        (ImageFormat::Png, Some(_)) => {
            Err(Failure::invalid("`quality` is for jpeg and webp; png has none").about(["quality"]))
        }
        (ImageFormat::Png, None) => Ok(Format::Png),
        (ImageFormat::Jpeg, quality) => Ok(Format::Jpeg(quality)),
        (ImageFormat::Webp, quality) => Ok(Format::Webp(quality)),
    }
}

/// `x,y,width,height`.
fn clip(text: &str) -> Result<Clip, Failure> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    match numbers.as_deref() {
        Ok(&[x, y, width, height])
            if [x, y, width, height]
                .iter()
                .all(|number| number.is_finite())
                && x >= 0.0
                && y >= 0.0
                && width >= 1.0
                && height >= 1.0 =>
        {
            Ok(Clip {
                x,
                y,
                width,
                height,
            })
        }
        _ => Err(Failure::invalid(format!(
            "`{}` is not a rectangle such as `0,120,640,480`",
            text.chars().take(60).collect::<String>()
        ))),
    }
}

fn name(format: ImageFormat) -> &'static str {
    match format {
        ImageFormat::Png => "png",
        ImageFormat::Jpeg => "jpeg",
        ImageFormat::Webp => "webp",
    }
}
