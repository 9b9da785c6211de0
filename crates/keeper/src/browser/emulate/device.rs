//! Devices whose layout a tab can take on.
//!
//! The user agent stays the true one: claiming another system is a matter of the whole identity
//! (a preset), because workers and client hints would disagree.

use szk_cdp::Request;
use szk_cdp::protocol::emulation::{
    ScreenOrientation, ScreenOrientationType, SetDeviceMetricsOverrideParams,
    SetTouchEmulationEnabledParams,
};
use szk_tools::browser::Device;

/// Width and height in CSS pixels, and device pixels per CSS pixel.
fn layout(device: Device) -> (u32, u32, f64) {
    match device {
        Device::Pixel => (412, 915, 2.625),
        Device::Iphone => (393, 852, 3.0),
        Device::Ipad => (820, 1180, 2.0),
        Device::Galaxy => (360, 780, 3.0),
    }
}

/// What makes a page of that size.
pub(super) fn commands(device: Device) -> [Request; 2] {
    let (width, height, density) = layout(device);
    let upright = ScreenOrientation::new(ScreenOrientationType::PortraitPrimary, 0);
    [
        Request::of(&SetDeviceMetricsOverrideParams {
            screen_width: Some(width.into()),
            screen_height: Some(height.into()),
            screen_orientation: Some(upright),
            ..SetDeviceMetricsOverrideParams::new(width, height, density, true)
        }),
        Request::of(&SetTouchEmulationEnabledParams {
            max_touch_points: Some(5),
            ..SetTouchEmulationEnabledParams::new(true)
        }),
    ]
}

/// For people: `pixel (412x915)`.
pub(super) fn shown(device: Device) -> String {
    let (width, height, _) = layout(device);
    let name = match device {
        Device::Pixel => "pixel",
        Device::Iphone => "iphone",
        Device::Ipad => "ipad",
        Device::Galaxy => "galaxy",
    };
    format!("{name} ({width}x{height})")
}
