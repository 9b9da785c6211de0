//! Pixels in rows.

use super::PictureError;

/// A picture in memory.
pub(super) struct Canvas {
    width: u32,
    height: u32,
    /// Bytes per pixel: three, or four with one left untouched.
    bytes: usize,
    pixels: Vec<u8>,
}

/// A rectangle of pixels; `right` and `bottom` are the first pixels outside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Area {
    pub(super) left: i32,
    pub(super) top: i32,
    pub(super) right: i32,
    pub(super) bottom: i32,
}

impl Area {
    /// The intersection with another area, if any.
    pub(super) fn within(self, other: Self) -> Option<Self> {
        let common = Self {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        };
        (common.right > common.left && common.bottom > common.top).then_some(common)
    }
}

impl Canvas {
    /// Reads a PNG.
    pub(super) fn read(png: &[u8]) -> Result<Self, PictureError> {
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info()?;
        let size = reader.output_buffer_size().ok_or(PictureError::Kind)?;
        let mut pixels = vec![0; size];
        let frame = reader.next_frame(&mut pixels)?;
        let bytes = match (frame.color_type, frame.bit_depth) {
            (png::ColorType::Rgb, png::BitDepth::Eight) => 3,
            (png::ColorType::Rgba, png::BitDepth::Eight) => 4,
            _ => return Err(PictureError::Kind),
        };
        pixels.truncate(frame.buffer_size());
        Ok(Self {
            width: frame.width,
            height: frame.height,
            bytes,
            pixels,
        })
    }

    /// The picture as a PNG.
    pub(super) fn write(&self) -> Result<Vec<u8>, PictureError> {
        let mut png = Vec::new();
        let mut encoder = png::Encoder::new(&mut png, self.width, self.height);
        encoder.set_color(if self.bytes == 3 {
            png::ColorType::Rgb
        } else {
            png::ColorType::Rgba
        });
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Fast);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels)?;
        writer.finish()?;
        Ok(png)
    }

    pub(super) fn area(&self) -> Area {
        Area {
            left: 0,
            top: 0,
            right: i32::try_from(self.width).unwrap_or(i32::MAX),
            bottom: i32::try_from(self.height).unwrap_or(i32::MAX),
        }
    }

    /// Fills a rectangle, as far as it is on the picture.
    pub(super) fn fill(&mut self, area: Area, colour: [u8; 3]) {
        let Some(area) = area.within(self.area()) else {
            return;
        };
        for y in area.top..area.bottom {
            for x in area.left..area.right {
                let at = (y as usize * self.width as usize + x as usize) * self.bytes;
                self.pixels[at..at + 3].copy_from_slice(&colour);
            }
        }
    }

    /// Draws the inner border of a rectangle.
    pub(super) fn frame(&mut self, area: Area, line: i32, colour: [u8; 3]) {
        let Area {
            left,
            top,
            right,
            bottom,
        } = area;
        for edge in [
            Area {
                bottom: top + line,
                ..area
            },
            Area {
                top: bottom - line,
                ..area
            },
            Area {
                right: left + line,
                ..area
            },
            Area {
                left: right - line,
                ..area
            },
        ] {
            self.fill(edge, colour);
        }
    }

    #[cfg(test)]
    pub(super) fn blank(width: u32, height: u32, colour: [u8; 3]) -> Self {
        Self {
            width,
            height,
            bytes: 3,
            pixels: colour.repeat(width as usize * height as usize),
        }
    }

    #[cfg(test)]
    pub(super) fn at(&self, (x, y): (usize, usize)) -> [u8; 3] {
        let at = (y * self.width as usize + x) * self.bytes;
        [self.pixels[at], self.pixels[at + 1], self.pixels[at + 2]]
    }
}
