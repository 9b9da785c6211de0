//! The skill file and what it refers to (extension `io.modelcontextprotocol/skills`).
//!
//! The files are those of the documentation, with the same names below the skill, so that the links
//! between them hold.

use rmcp::model::{
    ErrorData, ResourceContents, SKILL_MD, Skill, SkillFrontmatter, SkillResource, SkillResources,
};

/// Where the skill is.
const ROOT: &str = "skill://szk/";

/// Each file of the skill; the first is what an agent reads first.
const FILES: [(&str, &str); 5] = [
    (SKILL_MD, include_str!("../../../docs/skill/SKILL.md")),
    (
        "reference/mcp.md",
        include_str!("../../../docs/reference/mcp.md"),
    ),
    ("workflows.md", include_str!("../../../docs/workflows.md")),
    ("endpoint.md", include_str!("../../../docs/endpoint.md")),
    ("safety.md", include_str!("../../../docs/safety.md")),
];

/// The only skill.
///
/// # Errors
/// Its head names neither it nor what it is for, which a test excludes.
pub(crate) fn skill() -> Result<Skill, ErrorData> {
    let [(main, head), ..] = FILES;
    let field = |name: &str| {
        let line = head.lines().find_map(|line| line.strip_prefix(name));
        line.ok_or_else(|| ErrorData::internal_error("the skill file has no head", None))
    };
    let files = FILES
        .iter()
        .map(|(name, text)| SkillResource::from_bytes(format!("{ROOT}{name}"), text.as_bytes()));
    Ok(Skill::new(
        format!("{ROOT}{main}"),
        SkillFrontmatter::new(field("name: ")?, field("description: ")?),
        SkillResources::Files(files.collect()),
    ))
}

/// The skill at this address.
///
/// # Errors
/// There is none.
pub(crate) fn at(uri: &str) -> Result<Skill, ErrorData> {
    let skill = skill()?;
    if skill.uri == uri {
        return Ok(skill);
    }
    let text = format!("there is no skill `{uri}`; there is `{}`", skill.uri);
    Err(ErrorData::invalid_params(text, None))
}

/// A file of the skill.
pub(crate) fn file(uri: &str) -> Option<ResourceContents> {
    let name = uri.strip_prefix(ROOT)?;
    let (_, text) = FILES.iter().find(|(file, _)| *file == name)?;
    Some(ResourceContents::text(*text, uri).with_mime_type("text/markdown"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_skill_is_whole_and_every_file_is_what_it_promises() {
        let skill = skill().unwrap();
        skill.validate().unwrap();
        assert_eq!(skill.name(), "szk");
        let SkillResources::Files(files) = &skill.resources else {
            panic!("it has files");
        };
        for promised in files {
            let Some(ResourceContents::TextResourceContents { text, .. }) = file(&promised.uri)
            else {
                panic!("{} can be read", promised.uri);
            };
            promised.verify(text.as_bytes()).unwrap();
        }
        assert!(file("skill://szk/../secrets").is_none());
        assert!(at("skill://szk/workflows.md").is_err());
        // The skill file names what else there is.
        for (name, _) in &FILES[1..] {
            assert!(FILES[0].1.contains(&format!("`{name}`")), "{name}");
        }
    }
}
