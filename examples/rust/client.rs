//! Works in a session that its keeper shares with other clients: every operation of szk, typed.
//! `cargo run -p szk-client --example client PATH-OF-SZK`.

use szk_client::{Caller, Client, Identity};
use szk_tools::Failure;
use szk_tools::browser::{Act, ActInput, ActKind, Extract, ExtractInput, Navigate, NavigateInput};
use szk_tools::browser::{Snapshot, SnapshotInput};
use szk_tools::session::{Close, CloseInput, Open, OpenInput};

/// Reads a page, presses its first button or link, and tells what it says then.
pub(crate) async fn run(client: &Client, url: &str) -> Result<String, Failure> {
    let open = OpenInput {
        session: Some("example".to_owned()),
        ..OpenInput::default()
    };
    let session = Some(client.ask::<Open>(open).await?.session);
    let navigate = NavigateInput {
        session: session.clone(),
        url: Some(url.to_owned()),
        ..NavigateInput::default()
    };
    let loaded = client.ask::<Navigate>(navigate).await?;
    let read = SnapshotInput {
        session: session.clone(),
        ..SnapshotInput::default()
    };
    let page = client.ask::<Snapshot>(read).await?;
    let click = ActInput {
        kind: ActKind::Click,
        session: session.clone(),
        selector: Some("button, a".to_owned()),
        ..ActInput::default()
    };
    client.ask::<Act>(click).await?;
    let text = ExtractInput {
        session: session.clone(),
        ..ExtractInput::default()
    };
    let text = client
        .ask::<Extract>(text)
        .await?
        .content
        .unwrap_or_default();
    let close = CloseInput {
        session,
        ..CloseInput::default()
    };
    let saved = client.ask::<Close>(close).await?.saved;
    Ok(format!(
        "{}\n{}\n{text}\nsaved: {saved}",
        loaded.title, page.snapshot
    ))
}

#[tokio::main]
#[allow(clippy::print_stdout, reason = "it is a program for terminals")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let szk = args.next().unwrap_or_else(|| "szk".to_owned());
    let url = args.next();
    let who = Caller {
        client: Identity::named("example"),
        present: true,
    };
    let client = Client::from_process(who)?.with_program(szk.into());
    let url = url.as_deref().unwrap_or("https://example.com");
    println!("{}", run(&client, url).await?);
    Ok(())
}
