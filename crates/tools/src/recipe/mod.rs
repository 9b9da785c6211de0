//! Operations on recipes: what was done once, replayed without a model.

mod check;
mod delete;
mod export;
mod list;
mod record;
mod run;
mod save;
mod show;

pub use check::{Check, CheckInput, CheckOutput, CheckRow};
pub use delete::{Delete, DeleteInput, DeleteOutput};
pub use export::{Export, ExportFormat, ExportInput, ExportOutput};
pub use list::{List, ListInput, ListOutput, RecipeRow};
pub use record::{Record, RecordAction, RecordInput, RecordOutput};
pub use run::{Run, RunInput, RunOutput};
pub use save::{Save, SaveInput, SaveOutput};
pub use show::{Show, ShowInput, ShowOutput};
