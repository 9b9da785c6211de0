//! Converts clean HTML to Markdown, and extracts the article in it.

use dom_query::Document;
use dom_smoothie::{Config, Readability};

use super::{tables, terms};

/// The article of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Article {
    /// Title.
    pub title: String,
    /// The author.
    pub byline: Option<String>,
    /// Its text as Markdown.
    pub text: String,
}

/// Clean HTML as Markdown.
#[must_use]
pub fn markdown(html: &str) -> String {
    let document = Document::from(html);
    terms::as_lists(&document);
    tables::as_grids(&document);
    tidy(&document.md(None))
}

/// The article in clean HTML; `None` if there is none.
#[must_use]
pub fn article(html: &str, title: &str, url: &str) -> Option<Article> {
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    let whole = format!("<html><head><title>{title}</title></head><body>{html}</body></html>");
    let config = Config {
        disable_json_ld: true,
        ..Config::default()
    };
    let url = (url.starts_with("http://") || url.starts_with("https://")).then_some(url);
    let mut readability = Readability::new(whole, url, Some(config)).ok()?;
    let article = readability.parse().ok()?;
    let text = markdown(&article.content);
    (!text.is_empty()).then_some(Article {
        title: article.title,
        byline: article.byline.filter(|line| !line.trim().is_empty()),
        text,
    })
}

/// Outside code, removes trailing spaces and collapses empty lines.
fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut code, mut empty) = (false, 0);
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            code = !code;
        }
        let line = if code { line } else { line.trim_end() };
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if code || empty < 2 {
            out.push_str(line);
            out.push('\n');
        }
    }
    out.trim().to_owned()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The Markdown of a page.
    #[track_caller]
    pub(in super::super) fn check(html: &str, expected: &str) {
        assert_eq!(markdown(html), expected);
    }

    #[test]
    fn what_pages_are_made_of() {
        check(
            "<h2>Head</h2><p>Some <b>bold</b> and <i>thin</i></p>",
            "## Head\n\nSome **bold** and *thin*",
        );
        check(
            "<p>A <a href='https://a.example/x'>link</a></p>",
            "A [link](https://a.example/x)",
        );
        check(
            "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>",
            "| A | B |\n| - | - |\n| 1 | 2 |",
        );
        check(
            "<pre><code class='language-rust'>fn a() {\n    b\n}</code></pre>",
            "```rust\nfn a() {\n    b\n}\n```",
        );
    }

    #[test]
    fn the_article_without_what_is_around_it() {
        let words = "Rivers carry water from the mountains to the sea, and with it sand, leaves and stories. ".repeat(12);
        let html = format!(
            "<nav><a href='/'>Home</a> <a href='/b'>Other</a></nav><article><h1>Rivers</h1><p>{words}</p><p>{words}</p></article><footer>Imprint</footer>"
        );
        let article = article(&html, "Rivers", "https://a.example/").expect("an article");
        assert!(article.text.contains("Rivers carry water"), "{article:?}");
        assert!(
            !article.text.contains("Imprint") && !article.text.contains("Home"),
            "{article:?}"
        );
    }
}
