//! Pictures of a run: as files beside its events.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use szk_tools::Image;

/// All pictures of a run, in bytes; later ones are not kept.
pub(super) const MOST: usize = 64 << 20;

/// The kinds that models are shown, and the endings of their files.
const KINDS: [(&str, &str); 3] = [
    ("image/jpeg", "jpg"),
    ("image/png", "png"),
    ("image/webp", "webp"),
];

/// The ending of a picture's file, and its bytes; `None` if it is no picture.
pub(super) fn read(image: &Image) -> Option<(&'static str, Vec<u8>)> {
    let (_, ending) = KINDS.iter().find(|(mime, _)| *mime == image.mime)?;
    Some((ending, STANDARD.decode(&image.base64).ok()?))
}

/// The name of a picture's file.
pub(super) fn name(step: u64, nth: usize, ending: &str) -> String {
    format!("step-{step:04}-{}.{ending}", nth + 1)
}

/// Whether this can be the name of a picture's file, and so needs no escape in a page.
pub(super) fn is_name(name: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    name.split_once('.').is_some_and(|(stem, ending)| {
        stem.starts_with("step-")
            && stem.bytes().all(known)
            && KINDS.iter().any(|(_, one)| *one == ending)
    })
}

/// The pictures in a folder, in bytes.
pub(super) fn size(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let pictures = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_name));
    let sizes = pictures.filter_map(|entry| usize::try_from(entry.metadata().ok()?.len()).ok());
    sizes.fold(0, usize::saturating_add)
}
