//! Opens files for a person at a terminal.

use std::path::{Path, PathBuf};

use szk_config::{Address, Leads};
use szk_tools::{Code, Failure};

use super::Client;

impl Client {
    /// The local file that the person gave as a URL, if it is one.
    pub(super) fn file_of(&self, given: Option<&str>) -> Result<Option<PathBuf>, Failure> {
        let Some(path) = given
            .filter(|_| self.person)
            .and_then(|given| named(given, &self.origin.cwd))
        else {
            return Ok(None);
        };
        match std::fs::canonicalize(&path) {
            Ok(real) => Ok(Some(real)),
            Err(error) => Err(Failure::new(
                Code::NotFound,
                format!("cannot open `{}`: {error}", path.display()),
            )),
        }
    }
}

/// A `file:` address, a path, or the name of a file in the working directory.
fn named(given: &str, cwd: &Path) -> Option<PathBuf> {
    if let Leads::File(path) = Address::read(given).leads {
        return path;
    }
    let path = cwd.join(given);
    let is_path = matches!(given, "." | "..")
        || ["/", "./", "../"]
            .iter()
            .any(|start| given.starts_with(start));
    (is_path || path.is_file()).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_distinguished_from_addresses() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("page.html"), "").unwrap();
        std::fs::create_dir(dir.path().join("example.com")).unwrap();
        let named = |given: &str| named(given, dir.path());
        let page = dir.path().join("page.html");
        assert_eq!(named("page.html"), Some(page.clone()));
        assert_eq!(named(&format!("file://{}", page.display())), Some(page));
        assert_eq!(named("./nowhere"), Some(dir.path().join("./nowhere")));
        assert_eq!(named("/etc/passwd"), Some("/etc/passwd".into()));
        for address in [
            "example.com",
            "other.html",
            "https://a.example/x",
            "localhost:3000",
            "",
        ] {
            assert_eq!(named(address), None, "{address}");
        }
    }
}
