//! Chromium's own lock on a user data dir, and when it is safe to remove.
//!
//! `SingletonLock` is a symbolic link to `<host>-<pid>`. A killed Chromium leaves it behind, and the
//! next one may then refuse to start. It is removed only if its owner is proven gone.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::{StoreError, process};

/// Who owns Chromium's lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// The machine it ran on.
    pub host: String,
    /// Its process id there.
    pub pid: u32,
}

/// What happened to Chromium's lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Singleton {
    /// There was none.
    Free,
    /// It belonged to a Chromium that is gone, and was removed.
    Cleared(Owner),
    /// A Chromium, or a process indistinguishable from one, is running with that user data dir.
    Running(Owner),
    /// It was made on another machine (a shared disk, a former container), so we cannot tell whether
    /// its owner is running.
    OtherHost(Owner),
}

/// Removes Chromium's lock (`SingletonLock`, `SingletonCookie`, `SingletonSocket`) if its owner is
/// proven dead: it is from this machine, and the process is gone, is another program, or is a Chromium
/// with another user data dir.
///
/// Call it with the profile's lock held. An unreadable lock is [`StoreError::Corrupt`] and stays.
pub fn clear_if_dead(user_data_dir: &Path) -> Result<Singleton, StoreError> {
    let path = user_data_dir.join("SingletonLock");
    let target = match fs::read_link(&path) {
        Ok(target) => target,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Singleton::Free),
        Err(e) if e.kind() == io::ErrorKind::InvalidInput => {
            return Err(corrupt(&path, "it is not a symbolic link".to_owned()));
        }
        Err(e) => return Err(StoreError::at(&path)(e)),
    };
    let Some(owner) = parse(&target) else {
        let reason = format!("`{}` is not `<host>-<pid>`", target.display());
        return Err(corrupt(&path, reason));
    };
    if owner.host != this_host() {
        return Ok(Singleton::OtherHost(owner));
    }
    if may_run(owner.pid, user_data_dir) {
        return Ok(Singleton::Running(owner));
    }
    // A foreign Chromium may have taken over the stale lock since we read it.
    if fs::read_link(&path).ok().as_ref() != Some(&target) {
        return clear_if_dead(user_data_dir);
    }
    if let Some(folder) = runtime_folder(user_data_dir) {
        remove_runtime_folder(&folder);
    }
    // The lock goes last: as long as it is there, the next attempt finds the rest.
    for name in ["SingletonCookie", "SingletonSocket", "SingletonLock"] {
        let path = user_data_dir.join(name);
        match fs::remove_file(&path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(StoreError::at(&path)(e)),
            _ => {}
        }
    }
    Ok(Singleton::Cleared(owner))
}

/// A Chromium that is running with that user data dir but has no lock there: the folder was deleted
/// under it and has been recreated since.
pub fn without_lock(user_data_dir: &Path) -> Option<u32> {
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let mut pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.find(|pid| {
        let args = arguments(*pid).unwrap_or_default();
        !is_child(&args)
            && args.first().is_some_and(|program| is_browser(program))
            && user_data_dir_of(*pid, &args).is_some_and(|theirs| same(&theirs, user_data_dir))
            && process::is_alive(*pid, None)
    })
}

fn corrupt(path: &Path, reason: String) -> StoreError {
    StoreError::Corrupt {
        path: path.to_owned(),
        reason,
    }
}

/// Host names contain dashes; the pid follows the last one.
fn parse(target: &Path) -> Option<Owner> {
    let (host, pid) = target.to_str()?.rsplit_once('-')?;
    let pid = pid.parse().ok().filter(|&pid| pid > 0)?;
    Some(Owner {
        host: host.to_owned(),
        pid,
    })
}

fn this_host() -> String {
    rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned()
}

/// Whether that process could be a Chromium on that user data dir. True when in doubt.
fn may_run(pid: u32, user_data_dir: &Path) -> bool {
    if !process::is_alive(pid, None) {
        return false;
    }
    if process::stat(pid).is_some_and(|stat| stat.is_kernel()) {
        return false;
    }
    let Some(args) = arguments(pid) else {
        return process::is_alive(pid, None);
    };
    if is_child(&args) {
        return false;
    }
    match (user_data_dir_of(pid, &args), args.first()) {
        (Some(theirs), _) => same(&theirs, user_data_dir),
        (None, Some(program)) => program.as_os_str().is_empty() || is_browser(program),
        (None, None) => true,
    }
}

fn arguments(pid: u32) -> Option<Vec<PathBuf>> {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let args = bytes
        .split(|&b| b == 0)
        .map(|arg| std::ffi::OsString::from_vec(arg.to_vec()).into());
    Some(args.collect())
}

/// Only Chromium's first process owns a user data dir. The others have a `--type`, and most have
/// rewritten their command line into one text with spaces.
fn is_child(args: &[PathBuf]) -> bool {
    let starts = |arg: &PathBuf| arg.to_string_lossy().starts_with("--type=");
    let rewritten = match args {
        [all] => all,
        [all, rest @ ..] if rest.iter().all(|a| a.as_os_str().is_empty()) => all,
        _ => return args.iter().any(starts),
    };
    rewritten.to_string_lossy().contains(" --type=")
}

/// In Chromium the last `--user-data-dir=` wins; a relative one starts at its own working directory.
fn user_data_dir_of(pid: u32, args: &[PathBuf]) -> Option<PathBuf> {
    let given = args
        .iter()
        .filter_map(|arg| arg.to_str()?.strip_prefix("--user-data-dir="))
        .next_back()?;
    let cwd = fs::read_link(format!("/proc/{pid}/cwd")).unwrap_or_default();
    Some(cwd.join(given))
}

fn same(a: &Path, b: &Path) -> bool {
    let real = |p: &Path| fs::canonicalize(p).unwrap_or_else(|_| p.to_owned());
    real(a) == real(b)
}

/// A browser without `--user-data-dir` uses a default one, which could be this one.
fn is_browser(program: &Path) -> bool {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    ["chrom", "edge", "brave", "vivaldi", "opera"]
        .iter()
        .any(|browser| name.contains(browser))
}

/// The temporary folder that a running Chromium created for its lock's socket.
fn runtime_folder(user_data_dir: &Path) -> Option<PathBuf> {
    let socket = fs::read_link(user_data_dir.join("SingletonSocket")).ok()?;
    let folder = socket.parent().filter(|folder| folder.is_absolute())?;
    Some(folder.to_owned())
}

/// Removes that folder, which a killed Chromium leaves behind. Only if it is ours, looks like
/// Chromium's and contains nothing else.
fn remove_runtime_folder(folder: &Path) {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let ours = fs::symlink_metadata(folder)
        .is_ok_and(|m| m.is_dir() && m.uid() == rustix::process::geteuid().as_raw());
    let theirs = name.contains("org.chromium.Chromium") || name.contains("com.google.Chrome");
    if ours && theirs {
        for file in ["SingletonSocket", "SingletonCookie"] {
            let _ = fs::remove_file(folder.join(file));
        }
        let _ = fs::remove_dir(folder);
    }
}
