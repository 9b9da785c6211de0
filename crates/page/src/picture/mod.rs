//! Draws refs on a screenshot of a page: only on the image, without involving the page.

mod canvas;
mod glyphs;

use canvas::{Area, Canvas};

/// Why refs cannot be drawn on a picture.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// It is not a PNG as Chromium makes them.
    #[error("cannot decode the picture: {0}")]
    Unread(#[from] png::DecodingError),
    /// It cannot be encoded again.
    #[error("cannot encode the picture: {0}")]
    Unwritten(#[from] png::EncodingError),
    /// Another kind of PNG.
    #[error("the picture is an unsupported kind of PNG")]
    Kind,
}

/// A ref and where its node is: x, y, width and height in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// The ref's number.
    pub number: u32,
    /// Relative to the same corner as the picture's area.
    pub at: [i32; 4],
}

/// Which area of the page a picture shows.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// Its corner, in CSS pixels.
    pub x: f64,
    /// See `x`.
    pub y: f64,
    /// Pixels of the picture per pixel of the page.
    pub density: f64,
}

/// Distinguishable colours that go with white text.
const COLOURS: [[u8; 3]; 6] = [
    [196, 26, 22],
    [0, 92, 197],
    [13, 110, 50],
    [126, 43, 160],
    [170, 80, 0],
    [0, 105, 120],
];

/// Draws the marks on a PNG; returns the new one and the numbers drawn.
///
/// # Errors
/// [`PictureError`].
pub fn annotate(
    png: &[u8],
    part: Part,
    marks: &[Mark],
) -> Result<(Vec<u8>, Vec<u32>), PictureError> {
    let mut canvas = Canvas::read(png)?;
    let scale = (part.density * 2.0).round().clamp(1.0, 8.0) as i32;
    let line = part.density.round().clamp(1.0, 4.0) as i32;
    let mut drawn = Vec::new();
    let mut labels: Vec<Area> = Vec::new();
    for mark in marks {
        let Some(area) = on_picture(mark, part).within(canvas.area()) else {
            continue;
        };
        let colour = COLOURS[mark.number as usize % COLOURS.len()];
        canvas.frame(area, line, colour);
        let text = format!("e{}", mark.number);
        let (width, height) = glyphs::size(&text, scale);
        let label = place(area, (width, height), canvas.area(), &labels);
        canvas.fill(label, colour);
        glyphs::write(&mut canvas, label, &text, scale);
        labels.push(label);
        drawn.push(mark.number);
    }
    Ok((canvas.write()?, drawn))
}

fn on_picture(mark: &Mark, part: Part) -> Area {
    let [x, y, width, height] = mark.at.map(f64::from);
    let pixels = |value: f64| (value * part.density).round() as i32;
    Area {
        left: pixels(x - part.x),
        top: pixels(y - part.y),
        right: pixels(x + width - part.x),
        bottom: pixels(y + height - part.y),
    }
}

/// Where a label hides the least: above its box or at one of its corners, wherever there is no other
/// label.
fn place(area: Area, (width, height): (i32, i32), whole: Area, others: &[Area]) -> Area {
    let corners = [
        (area.left, area.top - height),
        (area.left, area.top),
        (area.right - width, area.top - height),
        (area.right - width, area.top),
        (area.left, area.bottom),
        (area.right - width, area.bottom - height),
    ];
    let inside = |(left, top): (i32, i32)| {
        let left = left.clamp(whole.left, (whole.right - width).max(whole.left));
        let top = top.clamp(whole.top, (whole.bottom - height).max(whole.top));
        Area {
            left,
            top,
            right: left + width,
            bottom: top + height,
        }
    };
    let free = |label: &Area| others.iter().all(|other| label.within(*other).is_none());
    let places = corners.map(inside);
    places.into_iter().find(free).unwrap_or(places[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blank(width: u32, height: u32) -> Vec<u8> {
        let canvas = Canvas::blank(width, height, [255, 255, 255]);
        canvas.write().unwrap()
    }

    #[test]
    fn marks_are_where_their_nodes_are() {
        let marks = [
            Mark {
                number: 7,
                at: [120, 240, 40, 20],
            },
            Mark {
                number: 8,
                at: [900, 0, 10, 10],
            },
        ];
        let part = Part {
            x: 100.0,
            y: 200.0,
            density: 2.0,
        };
        let (png, drawn) = annotate(&blank(200, 160), part, &marks).unwrap();
        assert_eq!(drawn, [7], "what is not on the picture gets no mark");
        let canvas = Canvas::read(&png).unwrap();
        let colour = COLOURS[1];
        for corner in [(40, 80), (119, 80), (40, 119), (119, 119)] {
            assert_eq!(canvas.at(corner), colour, "{corner:?}");
        }
        assert_eq!(canvas.at((80, 100)), [255, 255, 255], "what is in it stays");
        assert_eq!(canvas.at((42, 70)), colour, "the label is above");
        assert!(annotate(b"no picture", part, &[]).is_err());
    }

    #[test]
    fn labels_keep_out_of_each_others_way() {
        let whole = Area {
            left: 0,
            top: 0,
            right: 100,
            bottom: 100,
        };
        let area = Area {
            left: 10,
            top: 10,
            right: 60,
            bottom: 60,
        };
        let first = place(area, (20, 10), whole, &[]);
        assert_eq!((first.left, first.top), (10, 0));
        let second = place(area, (20, 10), whole, &[first]);
        assert!(second.within(first).is_none());
        let corner = Area {
            left: 95,
            top: 0,
            right: 100,
            bottom: 5,
        };
        assert_eq!(place(corner, (20, 10), whole, &[]).right, 100);
    }
}
