//! Features of Chromium that szk turns off, in the one flag that may list them.

use std::ffi::{OsStr, OsString};

/// Chromium believes only the last of these on a command line.
pub(super) const FLAG: &str = "--disable-features=";

/// The address bar's list of suggestions as a page: Chromium prepares it at every start, in a renderer of
/// its own that takes half of the start's processor time and 46 MB, although nobody sees the address bar.
/// The list is drawn by the browser itself instead.
pub(super) const UNSEEN: [&str; 2] = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup"];

/// Chromium has ignored `--load-extension` by default since version 137.
pub(super) const NO_EXTENSIONS: &str = "DisableLoadExtensionCommandLineSwitch";

/// These arguments with one flag for all features that are turned off, by us or by them.
pub(super) fn turned_off(ours: &[&str], theirs: &[String]) -> Vec<OsString> {
    let listed = |arg: &String| arg.starts_with(FLAG);
    let mut names: Vec<&str> = ours.to_vec();
    for list in theirs.iter().filter_map(|arg| arg.strip_prefix(FLAG)) {
        names.extend(list.split(',').filter(|name| !name.is_empty()));
    }
    let rest = theirs.iter().filter(|arg| !listed(arg));
    let mut args: Vec<OsString> = rest.map(OsString::from).collect();
    if !names.is_empty() {
        let mut flag = OsString::from(FLAG);
        flag.push(OsStr::new(&names.join(",")));
        args.push(flag);
    }
    args
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(ours: &[&str], theirs: &[&str]) -> Vec<OsString> {
        let theirs: Vec<String> = theirs.iter().map(ToString::to_string).collect();
        turned_off(ours, &theirs)
    }

    #[test]
    fn there_is_one_flag_for_all() {
        let theirs = ["--disable-features=A,B", "--x", "--disable-features=C"];
        assert_eq!(told(&["O"], &theirs), ["--x", "--disable-features=O,A,B,C"]);
        assert_eq!(told(&[], &theirs[..2]), ["--x", "--disable-features=A,B"]);
        assert_eq!(told(&["O"], &[]), ["--disable-features=O"]);
        assert!(told(&[], &[]).is_empty());
    }
}
