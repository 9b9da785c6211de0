//! The page as the accessibility tree, with refs.
