//! `workflow_fill_form`.
