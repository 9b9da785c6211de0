//! The format as a JSON schema, for editors.

use schemars::generate::SchemaSettings;

use crate::Recipe;

/// JSON schema of a recipe's file, in draft 7: what editors of TOML read.
#[must_use]
pub fn schema() -> String {
    let schema = SchemaSettings::draft07()
        .into_generator()
        .into_root_schema_for::<Recipe>();
    format!("{:#}\n", schema.to_value())
}
