//! Operations that take a person several steps: signing in, filling in a form, collecting content.

mod crawl;
mod fill_form;
mod hidden;
mod login;
mod scrape;

pub use crawl::{Crawl, CrawlEnd, CrawlInput, CrawlLeftOut, CrawlOutput};
pub use fill_form::{
    FieldState, FillForm, FillFormInput, FillFormOutput, FilledField, FormField, Submitted,
};
pub use hidden::Hidden;
pub use login::{Login, LoginInput, LoginOutcome, LoginOutput, LoginReason};
pub use scrape::{Scrape, ScrapeForm, ScrapeInput, ScrapeOutput, ScrapedPage};
