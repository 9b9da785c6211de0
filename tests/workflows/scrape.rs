//! `workflow_scrape`.
