//! The book is complete, and every link works.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::markdown::{Document, root};
use super::{FOLLOWED, WITHOUT};

/// Every Markdown file of the repository, by its path from the root.
fn documents() -> Vec<Document> {
    let mut found = Vec::new();
    collect(&root(), &mut found);
    found.sort();
    found
        .iter()
        .map(|path| Document::read(path.to_str().expect("names are Unicode")))
        .collect()
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let below = path.strip_prefix(root()).expect("it was found there");
        // Builds, packages, profiles and git's own files are not documentation.
        let skipped = below == Path::new("sessions")
            || name == "target"
            || name == "node_modules"
            || name.to_string_lossy().starts_with(".git");
        if entry.file_type().unwrap().is_dir() && !skipped {
            collect(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(below.to_owned());
        }
    }
}

/// The chapters, as `SUMMARY.md` lists them.
fn chapters() -> Vec<String> {
    Document::read("docs/SUMMARY.md")
        .links()
        .into_iter()
        .map(|(_, target)| format!("docs/{target}"))
        .collect()
}

#[test]
fn every_chapter_is_in_the_summary_once() {
    let listed = chapters();
    let once: BTreeSet<&String> = listed.iter().collect();
    assert_eq!(once.len(), listed.len(), "a chapter is there twice");
    let there: BTreeSet<String> = documents()
        .into_iter()
        .map(|document| document.path)
        .filter(|path| path.starts_with("docs/") && path != "docs/SUMMARY.md")
        .collect();
    assert_eq!(listed.into_iter().collect::<BTreeSet<_>>(), there);
    let book = fs::read_to_string(root().join("docs/book.toml")).unwrap();
    assert!(book.contains("src = \".\""), "{book}");
}

#[test]
fn every_chapter_is_followed_or_has_nothing_to_follow() {
    let mut known: Vec<&str> = FOLLOWED.into_iter().chain(WITHOUT).collect();
    known.retain(|path| path.starts_with("docs/"));
    let known: BTreeSet<String> = known.into_iter().map(str::to_owned).collect();
    let chapters: BTreeSet<String> = chapters().into_iter().collect();
    assert_eq!(chapters, known, "say in tests/docs/mod.rs what is in it");
}

#[test]
fn the_readme_and_the_introduction_lead_to_every_chapter() {
    for (from, prefix) in [("README.md", ""), ("docs/README.md", "docs/")] {
        let linked: BTreeSet<String> = Document::read(from)
            .links()
            .into_iter()
            .map(|(_, target)| format!("{prefix}{target}"))
            .collect();
        for chapter in chapters() {
            assert!(
                chapter == "docs/README.md" || linked.contains(&chapter),
                "{from} does not lead to {chapter}"
            );
        }
    }
}

#[test]
fn every_link_leads_somewhere() {
    let mut broken = Vec::new();
    for document in documents() {
        for (line, target) in document.links() {
            if let Some(trouble) = trouble(&document, &target) {
                broken.push(format!("{}:{line}: {target}: {trouble}", document.path));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// What is wrong with a link of a document.
fn trouble(document: &Document, target: &str) -> Option<String> {
    if target.starts_with("https://") {
        return None;
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = if file.is_empty() {
        PathBuf::from(&document.path)
    } else {
        Path::new(&document.path).parent()?.join(file)
    };
    let Ok(found) = fs::canonicalize(root().join(&path)) else {
        return Some("no such file".to_owned());
    };
    let Ok(below) = found.strip_prefix(root()) else {
        return Some("outside of the repository".to_owned());
    };
    if anchor.is_empty() {
        return None;
    }
    let below = below.to_str()?;
    if !below.ends_with(".md") {
        return Some("only Markdown has anchors".to_owned());
    }
    let anchors = Document::read(below).anchors();
    (!anchors.iter().any(|known| known == anchor)).then(|| format!("{below} has {anchors:?}"))
}

#[test]
fn a_broken_link_is_seen() {
    let document = Document::read("README.md");
    assert!(trouble(&document, "docs/faq.md#the-browser-crashed").is_none());
    for broken in ["docs/nothing.md", "docs/faq.md#nothing", "#nothing", "../x"] {
        assert!(trouble(&document, broken).is_some(), "{broken}");
    }
}
