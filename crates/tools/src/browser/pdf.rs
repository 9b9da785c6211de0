//! `browser_pdf`: prints the page.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Input, Operation, Output, Reach, Route, Scope, Subject};

/// Prints the page to a PDF file.
#[derive(Debug)]
pub struct Pdf;

impl Operation for Pdf {
    const NAME: &'static str = "browser_pdf";
    const TITLE: &'static str = "Print to PDF";
    const SUMMARY: &'static str = "Print a tab to a PDF file.";
    const REACH: Reach = Reach::Read;
    const SCOPE: Scope = Scope::Opens;
    const SUBJECT: Subject = Subject::Tabs;
    const ROUTES: &[Route] = &[Route::post("/v1/sessions/{session}/pdf")];
    type Input = PdfInput;
    type Output = PdfOutput;
}

/// Input of `browser_pdf`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PdfInput {
    /// Session. Default: the only open one, else `default`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Tab id such as `t3`, or label. Default: your current one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// File to write. Default: one in `artifacts`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// `a3`, `a4`, `a5`, `letter` (default), `legal`, `tabloid`, or `210x297mm` (also cm, in).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paper: Option<String>,
    /// Landscape.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub landscape: Option<bool>,
    /// All margins, such as `1cm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<String>,
    /// Scale, 0.1 to 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Pages such as `1-3,5`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<String>,
    /// Print backgrounds (default true).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background: Option<bool>,
    /// Time budget in milliseconds (default 30000).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

audited!(PdfInput {
    session: Session,
    tab: Shown,
    path: Shown,
    paper: Hidden,
    landscape: Number,
    margin: Hidden,
    scale: Number,
    pages: Hidden,
    background: Number,
    timeout_ms: Number,
});

impl Input for PdfInput {
    fields!(session, tab, timeout_ms);

    fn each_path(&mut self, visit: &mut dyn FnMut(&mut PathBuf)) {
        self.path.iter_mut().for_each(visit);
    }
}

/// Output of `browser_pdf`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct PdfOutput {
    /// The session.
    pub session: String,
    /// The tab.
    pub tab: String,
    /// File written.
    pub path: PathBuf,
    /// Size in bytes.
    pub bytes: u64,
}

impl Output for PdfOutput {
    about_session!();
}
