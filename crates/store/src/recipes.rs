//! The recipes of a profile, which its clones have, too.

use std::fs;
use std::io::ErrorKind;

use crate::{Profile, StoreError, atomic, dirs};

/// Longest recipe.
const LONGEST: u64 = 1 << 20;

/// Most recipes to copy.
const MOST: usize = 1000;

impl Profile {
    /// Copies the recipes to a copy, without their earlier revisions. The caller holds the copy's lock. What
    /// is no readable file is left out, as it is when recipes are listed.
    ///
    /// # Errors
    /// The folder is unreadable, or a file cannot be written.
    pub fn copy_recipes_to(&self, copy: &Profile) -> Result<(), StoreError> {
        let (from, to) = (self.recipes_dir(), copy.recipes_dir());
        let entries = match fs::read_dir(&from) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(StoreError::at(&from)(error)),
        };
        let paths = entries.flatten().map(|entry| entry.path());
        let recipes = paths.filter(|path| path.extension().is_some_and(|kind| kind == "toml"));
        for path in recipes.take(MOST) {
            let Ok(bytes) = szk_files::read_own(&path, LONGEST) else {
                continue;
            };
            let own = to.join(path.file_name().unwrap_or_default());
            dirs::make_private(&to)?;
            atomic::write(&own, &bytes)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use crate::testing::{mode, named, names, profile};

    #[test]
    fn a_copy_has_the_recipes_and_nothing_else_of_their_folder() {
        let (_dir, profile) = profile();
        let copy = named(profile.store(), "copy");
        copy.create().unwrap();
        profile.copy_recipes_to(&copy).unwrap();
        assert!(!copy.recipes_dir().exists());

        let own = profile.recipes_dir();
        fs::create_dir_all(own.join(".revisions")).unwrap();
        fs::write(own.join("search.toml"), "a").unwrap();
        fs::write(own.join("notes.txt"), "b").unwrap();
        fs::write(own.join(".revisions/search.1.toml"), "c").unwrap();
        symlink("/etc/hostname", own.join("link.toml")).unwrap();
        profile.copy_recipes_to(&copy).unwrap();
        assert_eq!(names(&copy.recipes_dir()), ["search.toml"]);
        let copied = copy.recipes_dir().join("search.toml");
        assert_eq!(fs::read_to_string(&copied).unwrap(), "a");
        assert_eq!(mode(&copied), 0o600);
    }
}
