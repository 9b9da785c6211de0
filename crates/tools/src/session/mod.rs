//! Operations on sessions: named profiles and their keepers.

mod close;
mod delete;
mod endpoint;
mod handoff;
mod holds;
mod list;
mod open;
mod run_test;
mod state;

pub use close::{Close, CloseInput, CloseOutput};
pub use delete::{Delete, DeleteInput, DeleteOutput};
pub use endpoint::{Endpoint, EndpointClient, EndpointInput, EndpointOutput, Snippet};
pub use handoff::{Handoff, HandoffEnd, HandoffEnder, HandoffInput, HandoffOutput, HandoffState};
pub use holds::{Holds, SiteRow};
pub use list::{
    Kind, List, ListInput, ListOutput, LoginRow, SessionRow, SessionStatus, WaitingRow,
};
pub use open::{Headless, IdentityRow, Mode, Open, OpenInput, OpenOutput, Started, Tab};
pub use run_test::{Afterwards, RunTestIn, RunTestInInput, RunTestInOutput};
pub use state::{State, StateAction, StateCounts, StateInput, StateOutput};
