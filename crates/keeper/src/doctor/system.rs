//! Checks what Chromium needs from the machine.

use std::fs;

use szk_runtime::launch::is_root;
use szk_tools::doctor::Check;

/// With fewer bytes of shared memory, pages of big sites crash.
const SHARED_MEMORY: u64 = 256 << 20;

pub(super) fn checks() -> Vec<Check> {
    let mut checks = vec![display(), sandbox()];
    checks.extend(shared_memory());
    checks.extend(graphics());
    checks.push(emoji());
    checks
}

fn display() -> Check {
    let set = ["WAYLAND_DISPLAY", "DISPLAY"].iter().find_map(|name| {
        Some(format!(
            "{name}={}",
            std::env::var(name).ok().filter(|value| !value.is_empty())?
        ))
    });
    match set {
        Some(display) => Check::ok("display", format!("{display}: sessions open in a window")),
        None => Check::ok("display", "none: sessions open without a window"),
    }
}

fn sandbox() -> Check {
    if is_root() {
        return Check::warn(
            "sandbox",
            "off, because this is root: one barrier fewer between pages and the system",
        )
        .fix("adduser --disabled-password szk   # and run szk as that user");
    }
    let read = |path: &str| {
        fs::read_to_string(path)
            .ok()
            .map(|text| text.trim().to_owned())
    };
    if read("/proc/sys/kernel/unprivileged_userns_clone").as_deref() == Some("0") {
        return Check::fail("sandbox", "this system forbids user namespaces")
            .fix("sudo sysctl -w kernel.unprivileged_userns_clone=1");
    }
    if read("/proc/sys/user/max_user_namespaces").as_deref() == Some("0") {
        return Check::fail("sandbox", "this system's limit of user namespaces is 0")
            .fix("sudo sysctl -w user.max_user_namespaces=10000");
    }
    if read("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").as_deref() == Some("1") {
        return Check::warn("sandbox", "AppArmor lets only listed programs use user namespaces; an unlisted Chromium does not start")
            .fix("sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0");
    }
    Check::ok("sandbox", "on")
}

fn shared_memory() -> Option<Check> {
    let stat = rustix::fs::statvfs("/dev/shm").ok()?;
    let size = stat.f_blocks * stat.f_frsize;
    let megabytes = size >> 20;
    Some(if size < SHARED_MEMORY {
        Check::warn(
            "shared memory",
            format!("/dev/shm has only {megabytes} MiB"),
        )
        .fix("docker run --shm-size=1g …   # or: sudo mount -o remount,size=1g /dev/shm")
    } else {
        Check::ok("shared memory", format!("{megabytes} MiB"))
    })
}

/// Chromium renders WebGL with the system's EGL; without that library pages get no WebGL at all.
fn graphics() -> Option<Check> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let multiarch = fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    let mut folders: Vec<std::path::PathBuf> = multiarch.map(|entry| entry.path()).collect();
    folders.extend(["/usr/lib", "/usr/lib64", "/lib64", "/usr/local/lib"].map(Into::into));
    Some(
        if folders.iter().any(|dir| dir.join("libEGL.so.1").exists()) {
            Check::ok("graphics", "libEGL is installed")
        } else {
            Check::warn(
                "graphics",
                "no libEGL: pages have no WebGL, which they can detect",
            )
            .fix("sudo apt-get install -y libegl1 libgl1-mesa-dri")
        },
    )
}

/// A desktop shows colour emoji; a server without them stands out, and its pictures are ugly.
fn emoji() -> Check {
    let folders = [
        "/usr/share/fonts",
        "/usr/local/share/fonts",
        "/System/Library/Fonts",
    ];
    let mut waiting: Vec<std::path::PathBuf> = folders.iter().map(Into::into).collect();
    while let Some(path) = waiting.pop() {
        for entry in fs::read_dir(&path).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().to_lowercase();
            if name.contains("emoji") {
                return Check::ok("fonts", "a colour emoji font is installed");
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                waiting.push(entry.path());
            }
        }
    }
    Check::warn(
        "fonts",
        "no colour emoji font: emoji show as boxes, which pages can detect",
    )
    .fix("sudo apt-get install -y fonts-noto-color-emoji")
}
