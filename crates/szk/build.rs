//! How the program is linked: smaller where this machine's linker and C library allow it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

/// A program that may be loaded anywhere begins by correcting a hundred thousand addresses, listed with 24 bytes
/// each. Packed, the list is a fiftieth of that: less to read at every start, and less memory in every process.
const PACKED: &str = "-Wl,-z,pack-relative-relocs";

/// Functions whose machine code is the same are kept once: `szk mcp` and the keepers share more of it.
const FOLDED: &str = "-Wl,--icf=all";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Whether a program works on another machine cannot be tried here.
    if value("HOST") != value("TARGET") || value("CARGO_CFG_TARGET_OS") != "linux" {
        return;
    }
    // Backtraces of a debug build name the functions as they were written.
    let optimized = value("OPT_LEVEL") != "0";
    for option in [PACKED, FOLDED] {
        if (optimized || option != FOLDED) && works(option) {
            println!("cargo::rustc-link-arg-bins={option}");
        }
    }
}

/// Whether an empty program that is linked in this way runs: older linkers do not know these options, and an older
/// C library does not load the result.
fn works(option: &str) -> bool {
    let folder = PathBuf::from(value("OUT_DIR"));
    let (source, program) = (folder.join("empty.rs"), folder.join("empty"));
    fs::write(&source, "fn main() {}").is_ok()
        && succeeds(&mut compiler(&source, &program, option))
        && succeeds(&mut Command::new(&program))
}

/// The compiler with what Cargo gives it for this target.
fn compiler(source: &Path, program: &Path, option: &str) -> Command {
    let mut rustc = Command::new(value("RUSTC"));
    rustc.arg(source).arg("-o").arg(program);
    rustc.arg(format!("-Clink-arg={option}"));
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        rustc.arg(format!("-Clinker={linker}"));
    }
    let flags = value("CARGO_ENCODED_RUSTFLAGS");
    rustc.args(flags.split('\x1f').filter(|flag| !flag.is_empty()));
    rustc
}

fn succeeds(command: &mut Command) -> bool {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null());
    let ended = command.stderr(Stdio::null()).status();
    ended.is_ok_and(|status| status.success())
}

fn value(name: &str) -> String {
    env::var(name).unwrap_or_default()
}
