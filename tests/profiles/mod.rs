//! Profiles as objects: archived, kept, cleaned, filled from elsewhere.

mod archive;
mod browsers;
mod curl;
mod keeping_up;
mod promote;
mod secrets;
