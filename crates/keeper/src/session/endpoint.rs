//! `session_endpoint`.

use std::sync::Arc;

use szk_runtime::endpoint::Scope;
use szk_tools::session::{Endpoint, EndpointClient, EndpointOutput};
use szk_tools::{Failure, Response};

use super::snippets;
use crate::context::Keeper;

/// Opens the door and says how to use it.
pub(crate) async fn endpoint(keeper: &Arc<Keeper>) -> Result<Response, Failure> {
    let door = keeper.open_door().await?;
    let session = &keeper.session;
    let output = EndpointOutput {
        session: session.name().to_string(),
        env: door.env(session.name()),
        snippets: snippets::all(&door.http_url, &door.ws_url),
        clients: door
            .clients
            .iter()
            .map(|client| EndpointClient {
                id: client.id,
                scope: scope(&client.scope),
                agent: client.agent.clone(),
            })
            .collect(),
        http_url: door.http_url,
        ws_url: door.ws_url,
        port: door.port,
    };
    let mut summary = format!(
        "the browser of `{}` can be shared at {}\nKeep this address secret: it gives full control of the browser.",
        output.session, output.http_url
    );
    for snippet in &output.snippets {
        summary.push_str(&format!("\n\n{}:\n{}", snippet.tool, snippet.code));
    }
    Response::of::<Endpoint>(summary, &output)
}

fn scope(scope: &Scope) -> String {
    match scope {
        Scope::Browser => "browser".to_owned(),
        Scope::Page { target_id } => target_id.clone(),
    }
}
