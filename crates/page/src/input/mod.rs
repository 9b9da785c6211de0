//! Mouse and keyboard as a person works them.
