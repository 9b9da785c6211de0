//! Where recipes are: `recipes` of the project, and of the profile.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use szk_config::Action;
use szk_recipes::{Recipe, parse, rewrite, write};
use szk_store::atomic;
use szk_tools::{Code, Failure};

use crate::context::Keeper;

/// Largest file of a recipe, in bytes.
const LARGEST: u64 = 1 << 20;
/// Most recipes that are read of a folder.
const MOST: usize = 100;
/// Folder of earlier revisions.
const REVISIONS: &str = ".revisions";

/// The folders of recipes, those of projects first.
pub(super) struct Files<'a> {
    keeper: &'a Keeper,
    folders: Vec<PathBuf>,
}

impl<'a> Files<'a> {
    /// Those of the caller's project and of the profile.
    pub(super) fn of(keeper: &'a Keeper, project: Option<&Path>) -> Self {
        let project = project.map(|project| project.join("recipes"));
        let own = keeper.session.profile().recipes_dir();
        if let Some(project) = &project
            && project.is_dir()
        {
            let projects = keeper.recipes.projects.lock();
            projects
                .unwrap_or_else(PoisonError::into_inner)
                .insert(project.clone());
        }
        Self {
            keeper,
            folders: project.into_iter().chain([own]).collect(),
        }
    }

    /// Those that the session has seen.
    pub(super) fn known(keeper: &'a Keeper) -> Self {
        let projects = keeper.recipes.projects.lock();
        let projects = projects.unwrap_or_else(PoisonError::into_inner).clone();
        let own = keeper.session.profile().recipes_dir();
        Self {
            keeper,
            folders: projects.into_iter().chain([own]).collect(),
        }
    }

    fn readable(&self, path: &Path) -> bool {
        // The profile's own folder is no file of the user's.
        path.starts_with(self.keeper.session.profile().dir())
            || self.keeper.bounds().check(Action::Read(path)).is_ok()
    }

    /// All recipes by name, and what is wrong with other files.
    pub(super) fn all(&self) -> (Vec<(PathBuf, Recipe)>, Vec<String>) {
        let (mut found, mut notes) = (Vec::<(PathBuf, Recipe)>::new(), Vec::new());
        for path in self.paths() {
            match at(&path) {
                // The project's comes before the profile's.
                Ok(recipe)
                    if found
                        .iter()
                        .any(|(_, one)| one.head.name == recipe.head.name) => {}
                Ok(recipe) => found.push((path, recipe)),
                Err(failure) => notes.push(failure.message),
            }
        }
        found.sort_by(|a, b| a.1.head.name.cmp(&b.1.head.name));
        (found, notes)
    }

    /// The files of all recipes, those of projects first.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        let mut all = Vec::new();
        for folder in &self.folders {
            let Ok(entries) = fs::read_dir(folder) else {
                continue;
            };
            let paths = entries.flatten().map(|entry| entry.path());
            let mut paths: Vec<PathBuf> = paths
                .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
                .filter(|path| self.readable(path))
                .take(MOST)
                .collect();
            paths.sort();
            all.extend(paths);
        }
        all
    }

    /// The file of a recipe.
    pub(super) fn find(&self, name: &str) -> Result<PathBuf, Failure> {
        let name = checked(name)?;
        let paths = self
            .folders
            .iter()
            .map(|folder| folder.join(format!("{name}.toml")));
        let mut paths = paths.filter(|path| self.readable(path));
        paths.find(|path| path.is_file()).ok_or_else(|| {
            Failure::new(Code::NotFound, format!("there is no recipe `{name}`"))
                .hint("see what there is with `recipe_list`, or make one with `recipe_save`")
        })
    }

    /// The file of a recipe with its content.
    pub(super) fn text(&self, name: &str) -> Result<(PathBuf, String), Failure> {
        let path = self.find(name)?;
        let text = read(&path)?;
        Ok((path, text))
    }

    /// The file of a recipe, and the recipe.
    pub(super) fn load(&self, name: &str) -> Result<(PathBuf, Recipe), Failure> {
        let (path, text) = self.text(name)?;
        let recipe = filed(&text, &path)?;
        Ok((path, recipe))
    }

    /// Writes a recipe: where it is, with its comments, else into the project if that has a folder for it.
    pub(super) fn save(&self, recipe: &Recipe) -> Result<Saved, Failure> {
        let before = self.text(&recipe.head.name);
        let text = match before {
            Ok((_, before)) => rewrite(&before, recipe),
            Err(_) => write(recipe),
        };
        self.put(&recipe.head.name, text)
    }

    /// Writes the file of a recipe as it is given. What it replaces is kept as an earlier revision.
    pub(super) fn put(&self, name: &str, text: String) -> Result<Saved, Failure> {
        let name = checked(name)?;
        let usual = || {
            let own = self.keeper.session.profile().recipes_dir();
            let folder = self.folders.iter().find(|folder| folder.is_dir());
            folder.cloned().unwrap_or(own).join(format!("{name}.toml"))
        };
        let path = self.find(name).unwrap_or_else(|_| usual());
        let own = path.starts_with(self.keeper.session.profile().dir());
        if !own && let Err(denied) = self.keeper.bounds().check(Action::Write(&path)) {
            return Err(szk_wire::failure::policy(&denied));
        }
        let kept = match read(&path) {
            Ok(before) if before != text => Some(keep(name, &path, &before)?),
            Ok(_) => None,
            Err(_) if !path.exists() => None,
            Err(failure) => return Err(failure),
        };
        make_folder(path.parent().unwrap_or(&path))?;
        atomic::write(&path, text.as_bytes()).map_err(|error| szk_wire::failure::store(&error))?;
        Ok(Saved { path, text, kept })
    }

    /// Writes a healed recipe over its file.
    pub(super) fn revise(&self, recipe: &Recipe) -> Result<String, Failure> {
        let (_, before) = self.text(&recipe.head.name)?;
        let saved = self.save(recipe)?;
        Ok(szk_recipes::diff(&before, &saved.text))
    }

    /// Deletes a recipe with its earlier revisions.
    pub(super) fn delete(&self, name: &str) -> Result<PathBuf, Failure> {
        let path = self.find(name)?;
        let own = path.starts_with(self.keeper.session.profile().dir());
        if !own && let Err(denied) = self.keeper.bounds().check(Action::Write(&path)) {
            return Err(szk_wire::failure::policy(&denied));
        }
        fs::remove_file(&path).map_err(|error| storage(&path, &error))?;
        let revisions = path.with_file_name(REVISIONS).join(name);
        match fs::remove_dir_all(&revisions) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(storage(&revisions, &error))
            }
            _ => Ok(path),
        }
    }
}

/// A file that was written.
pub(super) struct Saved {
    pub(super) path: PathBuf,
    pub(super) text: String,
    /// Where its earlier text is.
    kept: Option<PathBuf>,
}

impl Saved {
    /// What is said of the recipe that it replaced.
    pub(super) fn note(&self) -> Option<String> {
        let kept = self.kept.as_ref()?;
        let shown = kept.display();
        Some(format!(
            "it replaces another of this name, which is kept in {shown}"
        ))
    }
}

/// Keeps what the file of a recipe holds.
fn keep(name: &str, path: &Path, before: &str) -> Result<PathBuf, Failure> {
    let folder = path.with_file_name(REVISIONS).join(name);
    make_folder(&folder)?;
    let revision = parse(before, name).map_or(0, |recipe| recipe.head.revision);
    let names = std::iter::once(format!("{revision}.toml"))
        .chain((2..).map(|number| format!("{revision}-{number}.toml")));
    let mut paths = names.map(|name| folder.join(name));
    // One with the same text will do.
    let is_free = |path: &PathBuf| match fs::read_to_string(path) {
        Ok(text) => text == before,
        Err(_) => !path.exists(),
    };
    let kept = paths.find(is_free).unwrap_or(folder);
    atomic::write(&kept, before.as_bytes()).map_err(|error| szk_wire::failure::store(&error))?;
    Ok(kept)
}

/// Makes the folder of recipes; what is new of it is for this user alone.
fn make_folder(folder: &Path) -> Result<(), Failure> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|error| storage(folder, &error))
}

/// The recipe in a file.
pub(super) fn at(path: &Path) -> Result<Recipe, Failure> {
    filed(&read(path)?, path)
}

/// Reads a recipe of a file. What is listed under a name must be found under it, so both names are one.
fn filed(text: &str, path: &Path) -> Result<Recipe, Failure> {
    let recipe = parsed(text, path)?;
    let name = &recipe.head.name;
    if path.file_stem().is_some_and(|stem| stem == name.as_str()) {
        return Ok(recipe);
    }
    let shown = path.display();
    Err(Failure::invalid(format!(
        "{shown}: the recipe in it says that its name is `{name}`; rename the file to `{name}.toml`, or give the recipe the name of the file"
    )))
}

/// Reads a recipe that was given as text.
pub(super) fn parsed(text: &str, path: &Path) -> Result<Recipe, Failure> {
    let recipe = parse(text, &path.display().to_string())
        .map_err(|error| Failure::invalid(error.to_string()))?;
    checked(&recipe.head.name)?;
    Ok(recipe)
}

fn read(path: &Path) -> Result<String, Failure> {
    szk_files::text(path, LARGEST).map_err(|error| storage(path, &error))
}

fn storage(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(Code::Storage, format!("{}: {error}", path.display()))
}

/// A name that is a file's, too.
pub(super) fn checked(name: &str) -> Result<&str, Failure> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    let first = name
        .chars()
        .next()
        .is_some_and(|c| c.is_ascii_alphanumeric());
    match first && name.len() <= 64 && name.chars().all(fits) {
        true => Ok(name),
        false => Err(Failure::invalid(format!(
            "`{}` is not the name of a recipe",
            szk_text::line(name, 60)
        ))
        .hint("use lower-case letters, digits, `-` and `_`, as in `search-orders`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_has_the_name_of_its_file() {
        let text = "[recipe]\nname = \"orders\"\nsite = \"http://a.test\"\n\n[[step]]\ndo = \"navigate\"\nvalue = \"/\"\n";
        let recipe = filed(text, Path::new("/recipes/orders.toml")).unwrap();
        assert_eq!(recipe.head.name, "orders");
        let failure = filed(text, Path::new("/recipes/other.toml")).unwrap_err();
        let said = failure.message;
        assert!(
            said.contains("/recipes/other.toml") && said.contains("`orders.toml`"),
            "{said}"
        );
    }
}
