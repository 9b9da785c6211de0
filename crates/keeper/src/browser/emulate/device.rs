//! Devices whose screens a tab can take on.

use szk_page::emulation::Screen;
use szk_tools::browser::Device;

/// The screen of a device.
pub(super) fn screen(device: Device) -> Screen {
    let (width, height, density) = match device {
        Device::Pixel => (412, 915, 2.625),
        Device::Iphone => (393, 852, 3.0),
        Device::Ipad => (820, 1180, 2.0),
        Device::Galaxy => (360, 780, 3.0),
    };
    Screen {
        width,
        height,
        density,
    }
}

/// For people: `pixel (412x915)`.
pub(super) fn shown(device: Device) -> String {
    let Screen { width, height, .. } = screen(device);
    let name = match device {
        Device::Pixel => "pixel",
        Device::Iphone => "iphone",
        Device::Ipad => "ipad",
        Device::Galaxy => "galaxy",
    };
    format!("{name} ({width}x{height})")
}
