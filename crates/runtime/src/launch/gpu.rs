//! Whether this machine has a graphics card.

use std::path::Path;

use rustix::fs::{Access, access};

/// Where Linux has the graphics cards: render nodes, NVIDIA's own driver, Windows below WSL.
const DEVICES: [&str; 2] = ["/dev/nvidiactl", "/dev/dxg"];
const RENDER_NODES: &str = "/dev/dri";

/// Whether this process can use a graphics card. `true` on systems where szk does not know.
#[must_use]
pub fn has_gpu() -> bool {
    !cfg!(target_os = "linux")
        || is_one_of(&DEVICES.map(Path::new))
        || has_render_node(Path::new(RENDER_NODES))
}

fn is_one_of(devices: &[&Path]) -> bool {
    devices.iter().any(|device| is_usable(device))
}

/// `renderD128` and so on, one for each card.
fn has_render_node(folder: &Path) -> bool {
    let nodes = std::fs::read_dir(folder).into_iter().flatten().flatten();
    nodes
        .filter(|node| node.file_name().to_string_lossy().starts_with("renderD"))
        .any(|node| is_usable(&node.path()))
}

/// Users who are not in the group `render` see a card and cannot use it.
fn is_usable(device: &Path) -> bool {
    access(device, Access::READ_OK | Access::WRITE_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_render_node_that_can_be_opened_is_a_card() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!has_render_node(&folder.path().join("missing")));
        fs::write(folder.path().join("card0"), "").unwrap();
        assert!(!has_render_node(folder.path()));
        fs::write(folder.path().join("renderD128"), "").unwrap();
        assert!(has_render_node(folder.path()));
        assert!(is_one_of(&[&folder.path().join("card0")]));
        assert!(!is_one_of(&[&folder.path().join("missing")]));
    }
}
