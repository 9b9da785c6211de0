//! Works in a page of a profile that this program opens itself: `cargo run -p szk-library --example page`.

use serde_json::json;
use szk_library::{LaunchOptions, Mode, Page, Szk};

/// Reads a page, presses its first button or link, and tells what it says then.
pub(crate) async fn run(szk: &Szk, url: &str) -> Result<String, Box<dyn std::error::Error>> {
    let session = szk.launch("example", LaunchOptions::default()).await?;
    let mut page = Page::current(&session)?;
    let loaded = page.navigate(url).await?;
    let snapshot = page.snapshot(Mode::Interactive).await?;
    page.click("button, a").await?;
    let text = page.text().await?;
    let headings = json!({"type": "array", "items": {"properties": {"h1": {"type": "string"}}}});
    let found = page.records(&headings, Some("h1")).await?.len();
    szk.close_session("example").await;
    Ok(format!(
        "{}\n{snapshot}\n{text}\n{found} headings",
        loaded.title
    ))
}

#[tokio::main]
#[allow(clippy::print_stdout, reason = "it is a program for terminals")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1);
    let url = url.as_deref().unwrap_or("https://example.com");
    println!("{}", run(&Szk::from_process()?, url).await?);
    Ok(())
}
