//! A keeper that ends before its starter has come to it.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use szk_config::Origin;
use szk_tools::session::OpenInput;
use szk_wire::Hello;

use super::*;
use crate::{Caller, Identity};

/// A program in the place of szk: a shell that runs this.
fn program(folder: &Path, name: &str, script: &str) -> PathBuf {
    let path = folder.join(name);
    let text = format!("#!/bin/sh\ncat >&2\n{script}\n");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o700)).unwrap();
    path
}

/// What a client gets that starts this program as a keeper.
async fn started(folder: &Path, program: PathBuf) -> Failure {
    let origin = Origin {
        cwd: folder.to_owned(),
        user_file: None,
        data_dir: Some(folder.to_owned()),
        env: std::collections::BTreeMap::new(),
    };
    let who = Caller {
        client: Identity::named("test"),
        present: false,
    };
    let client = Client::new(origin, who).unwrap().with_program(program);
    let input = OpenInput {
        session: Some("work".to_owned()),
        ..OpenInput::default()
    };
    let start = client.start_for(&input).unwrap();
    let reached = reach(&client, &start, Missing::Make, &|_| {}).await;
    reached.unwrap_err()
}

/// One test, because a program that is being written cannot be started.
#[tokio::test]
async fn a_keeper_that_was_closed_at_once_is_started_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let ready = serde_json::to_string(&Hello::Ready).unwrap();
    let refused = Failure::new(Code::SessionLimit, "the second one");
    let refusal = serde_json::to_string(&Hello::Error(refused.clone())).unwrap();
    let closed = format!(
        "if mkdir started 2>/dev/null; then echo '{ready}'; else echo '{refusal}'; exit 1; fi"
    );
    let closed = program(folder, "closed", &closed);
    let died = program(folder, "died", &format!("echo '{ready}'; exit 1"));
    assert_eq!(started(folder, closed).await, refused);
    let failure = started(folder, died).await;
    assert_eq!(failure.code, Code::BrowserCrashed, "{failure}");
    assert!(
        failure.message.contains("right after it started"),
        "{failure}"
    );
}
