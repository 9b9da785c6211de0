//! `browser_screenshot`.

mod marks;

use std::path::Path;
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde_json::Value;
use szk_cdp::Connection;
use szk_cdp::protocol::page::{
    BringToFrontParams, CaptureScreenshotFormat, CaptureScreenshotParams, Viewport,
};
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_store::atomic;
use szk_tools::browser::{ImageFormat, Screenshot, ScreenshotInput, ScreenshotOutput};
use szk_tools::{Code, Done, Failure, Image, Response};

use super::{act, document};
use crate::context::Keeper;
use crate::failure;

/// The longest side that is asked for, in device pixels; the renderer cannot paint more.
const LONGEST_SIDE: f64 = 16_384.0;

/// The page's sizes, in CSS pixels.
const SIZES: &str = "function () {
  const root = document.documentElement, body = document.body;
  return {
    x: scrollX, y: scrollY, width: innerWidth, height: innerHeight, density: devicePixelRatio,
    fullWidth: Math.max(root ? root.scrollWidth : 0, body ? body.scrollWidth : 0, innerWidth),
    fullHeight: Math.max(root ? root.scrollHeight : 0, body ? body.scrollHeight : 0, innerHeight),
  };
}";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sizes {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    density: f64,
    full_width: f64,
    full_height: f64,
}

/// Left, top, width and height in CSS pixels from the page's top left corner.
type Clip = (f64, f64, f64, f64);

impl Sizes {
    /// Whether all of a part of the page is visible.
    fn show(&self, (x, y, width, height): Clip) -> bool {
        x >= self.x
            && y >= self.y
            && x + width <= self.x + self.width
            && y + height <= self.y + self.height
    }
}

#[derive(Deserialize)]
struct Captured {
    data: String,
}

pub(crate) async fn screenshot(
    keeper: &Arc<Keeper>,
    input: &ScreenshotInput,
) -> Result<Response, Failure> {
    let parts = [
        input.full_page == Some(true),
        input.selector.is_some(),
        input.clip.is_some(),
    ];
    if parts.iter().filter(|given| **given).count() > 1 {
        return Err(Failure::invalid(
            "give only one of `full_page`, `selector` and `clip`",
        ));
    }
    let part = input.clip.as_deref().map(clip_of).transpose()?;
    let format = input.format.unwrap_or_default();
    let annotated = input.annotate == Some(true);
    if annotated && format != ImageFormat::Png {
        return Err(Failure::invalid("a picture with refs must be a png"));
    }
    let quality = quality(format, input.quality)?;
    let (running, tab) = keeper.tab(input.tab.as_deref()).await?;
    let connection = running.supervisor.connection();
    // Before the queue: a page that is stuck must not keep the others from being photographed.
    let sizes: Sizes = ask(keeper, connection, &tab, SIZES, &[]).await?;
    let _camera = keeper.camera.lock().await;
    let doing = |error| failure::cdp("cannot take the picture", &error, Done::None);
    // A tab that is not in front is not painted, and asking for its picture would hang.
    if document::read(keeper, connection, &tab)
        .await
        .map_err(doing)?
        .hidden
    {
        connection
            .run(Some(&tab.page.session), &BringToFrontParams::default())
            .await
            .map_err(doing)?;
    }
    let clip = match &input.selector {
        Some(selector) => Some(element(keeper, &running, &tab, selector, &sizes).await?),
        None if input.full_page == Some(true) => {
            Some((0.0, 0.0, sizes.full_width, sizes.full_height))
        }
        None => part,
    };
    let (width, height) = clip.map_or((sizes.width, sizes.height), |(_, _, width, height)| {
        (width, height)
    });
    let (width, height) = (
        (width * sizes.density).round(),
        (height * sizes.density).round(),
    );
    if width > LONGEST_SIDE || height > LONGEST_SIDE {
        return Err(Failure::invalid(format!(
            "the picture would be {width}x{height} pixels; the limit is {LONGEST_SIDE} a side"
        ))
        .hint("take the visible part, or one element with `selector`"));
    }
    // Beyond what is visible Chromium can only paint by changing the page's size for a moment, which the
    // page can see. It cannot see a picture of what is visible.
    let beyond = clip.is_some_and(|clip| !sizes.show(clip));
    let params = CaptureScreenshotParams {
        format: Some(match format {
            ImageFormat::Png => CaptureScreenshotFormat::Png,
            ImageFormat::Jpeg => CaptureScreenshotFormat::Jpeg,
            ImageFormat::Webp => CaptureScreenshotFormat::Webp,
        }),
        quality: quality.map(i64::from),
        clip: clip.map(|(x, y, width, height)| Viewport {
            x,
            y,
            width,
            height,
            scale: 1.0,
        }),
        capture_beyond_viewport: Some(beyond),
        ..CaptureScreenshotParams::default()
    };
    let marks = match annotated {
        true => marks::read(keeper, &running, &tab, input.full_page == Some(true)).await?,
        false => Vec::new(),
    };
    let captured: Captured = connection
        .ask(Some(&tab.page.session), &params)
        .await
        .map_err(doing)?;
    let mut picture = Picture {
        format,
        base64: captured.data,
        size: (width as u32, height as u32),
        refs: Vec::new(),
    };
    if annotated {
        let from = clip.map_or((sizes.x, sizes.y), |(x, y, ..)| (x, y));
        picture = marks::draw(picture, marks, &sizes, from).await?;
    }
    answer(keeper, input.path.as_deref(), &tab, picture)
}

/// A picture that was taken.
struct Picture {
    format: ImageFormat,
    base64: String,
    /// In device pixels.
    size: (u32, u32),
    /// What is drawn on it.
    refs: Vec<String>,
}

fn answer(
    keeper: &Keeper,
    path: Option<&Path>,
    tab: &Tab,
    picture: Picture,
) -> Result<Response, Failure> {
    let bytes = decoded(&picture.base64)?;
    let (width, height) = picture.size;
    let output = ScreenshotOutput {
        session: keeper.session.name().to_string(),
        tab: tab.id.clone(),
        width,
        height,
        bytes: bytes.len() as u64,
        refs: picture.refs,
        path: path.map(Path::to_owned),
    };
    let kind = name(picture.format);
    let mut response = Response::of::<Screenshot>(
        format!(
            "{width}x{height} {kind} of {}, {} bytes",
            tab.id,
            bytes.len()
        ),
        &output,
    )?;
    if !output.refs.is_empty() {
        let refs = output.refs.join(" ");
        response.summary.push_str(&format!("; refs on it: {refs}"));
    }
    match path {
        Some(path) if !path.is_absolute() => {
            return Err(Failure::invalid("`path` must be absolute here"));
        }
        Some(path) => {
            atomic::write(path, &bytes).map_err(|error| szk_wire::failure::store(&error))?;
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
    BASE64_STANDARD
        .decode(base64)
        .map_err(|error| Failure::internal(format!("Chromium's picture is not base64: {error}")))
}

async fn element(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    given: &str,
    sizes: &Sizes,
) -> Result<Clip, Failure> {
    let found = act::rect(keeper, running, tab, given).await?;
    if found.width < 1.0 || found.height < 1.0 {
        let shown: String = given.chars().take(100).collect();
        return Err(Failure::new(
            Code::NotFound,
            format!("`{shown}` is outside the viewport or hidden"),
        )
        .hint("check it with `browser_snapshot`, or scroll it into view with `browser_act`"));
    }
    let (x, y) = (found.x + sizes.x, found.y + sizes.y);
    Ok((x.max(0.0), y.max(0.0), found.width, found.height))
}

/// Asks our world a question whose answer has a known shape.
async fn ask<T: for<'de> Deserialize<'de>>(
    keeper: &Keeper,
    connection: &Connection,
    tab: &Tab,
    function: &str,
    args: &[Value],
) -> Result<T, Failure> {
    let evaluated = keeper
        .worlds
        .call(connection, tab, function, args)
        .await
        .map_err(|error| failure::cdp("cannot inspect the page", &error, Done::None))?;
    let result = evaluated.ok();
    let result = result.map_err(|thrown| Failure::invalid(thrown.to_string()))?;
    result
        .read()
        .map_err(|error| Failure::internal(format!("the page gave an unexpected answer: {error}")))
}

/// `x,y,width,height`.
fn clip_of(text: &str) -> Result<Clip, Failure> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    match numbers.as_deref() {
        Ok([x, y, width, height])
            if numbers.iter().flatten().all(|number| number.is_finite())
                && *x >= 0.0
                && *y >= 0.0
                && *width >= 1.0
                && *height >= 1.0 =>
        {
            Ok((*x, *y, *width, *height))
        }
        _ => Err(Failure::invalid(format!(
            "`{}` is not a clip such as `0,120,640,480`",
            text.chars().take(60).collect::<String>()
        ))),
    }
}

fn quality(format: ImageFormat, quality: Option<u8>) -> Result<Option<u8>, Failure> {
    match (format, quality) {
        (_, None) => Ok(None),
        (ImageFormat::Png, Some(_)) => {
            Err(Failure::invalid("`quality` applies only to jpeg and webp"))
        }
        (_, Some(quality)) if quality <= 100 => Ok(Some(quality)),
        (_, Some(quality)) => Err(Failure::invalid(format!(
            "`quality` must be 0 to 100, not {quality}"
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
