//! `session_endpoint`.

use std::collections::BTreeMap;
use std::sync::Arc;

use szk_endpoint::{ClientInfo, Scope};
use szk_runtime::session::SessionError;
use szk_tools::session::{Endpoint, EndpointClient, EndpointInput, EndpointOutput};
use szk_tools::{Code, Failure, Response};

use super::snippets;
use crate::context::Keeper;
use crate::failure;

/// Opens the endpoint, disconnects a client if asked to, and says how to use the endpoint.
pub(crate) async fn endpoint(
    keeper: &Arc<Keeper>,
    input: &EndpointInput,
) -> Result<Response, Failure> {
    let mut endpoint = keeper.open_endpoint().await?;
    let session = &keeper.session;
    if input.plain_port == Some(true) {
        let opened = session.open_plain_port().await;
        endpoint.plain_port = Some(opened.map_err(|error| no_plain_port(&error))?);
    }
    if let Some(client) = input.disconnect {
        if !session.disconnect(client).await {
            return Err(no_client(client, &endpoint.clients));
        }
        endpoint.clients.retain(|known| known.id != client);
    }
    let shield = !input.no_shield.unwrap_or(false);
    let (http_url, ws_url) = match shield {
        true => (endpoint.http_url, endpoint.ws_url),
        false => endpoint.unshielded_urls,
    };
    let output = EndpointOutput {
        session: session.name().to_string(),
        env: BTreeMap::from([
            ("SZK_CDP_ENDPOINT".to_owned(), http_url.clone()),
            ("SZK_CDP_WS_ENDPOINT".to_owned(), ws_url.clone()),
            ("SZK_SESSION".to_owned(), session.name().to_string()),
        ]),
        snippets: snippets::all(&snippets::Addresses {
            session: session.name().as_str(),
            http: &http_url,
            ws: &ws_url,
            plain: endpoint.plain_port,
        }),
        plain_port: endpoint.plain_port,
        clients: endpoint.clients.iter().map(client).collect(),
        http_url,
        ws_url,
        port: endpoint.port,
    };
    Response::of::<Endpoint>(summary(&output, shield), &output)
}

fn summary(output: &EndpointOutput, shield: bool) -> String {
    let mut summary = format!(
        "share the browser of `{}` at {}\nKeep this address secret: it gives full control of the browser.",
        output.session, output.http_url
    );
    if !shield {
        summary
            .push_str("\nWithout the shield: pages can detect a program that uses this address.");
    }
    if let Some(port) = output.plain_port {
        summary.push_str(&format!(
            "\nThis user's programs can connect without a token at 127.0.0.1:{port}."
        ));
    }
    for client in &output.clients {
        summary.push_str(&format!(
            "\nconnected: {} {}",
            client.id,
            szk_text::line(&client.name, 200)
        ));
    }
    for snippet in &output.snippets {
        summary.push_str(&format!("\n\n{}:\n{}", snippet.tool, snippet.code));
    }
    summary
}

fn no_plain_port(error: &SessionError) -> Failure {
    let hint = "use `http_url`, or set `endpoint.auth = \"none\"` for this profile, which lets every program on this machine connect";
    failure::session(error).hint(hint)
}

fn client(client: &ClientInfo) -> EndpointClient {
    EndpointClient {
        id: client.id,
        name: client.name.clone(),
        scope: match &client.scope {
            Scope::Browser => "browser".to_owned(),
            Scope::Page { target_id } => target_id.clone(),
        },
        shield: client.shield,
        agent: client.agent.clone(),
    }
}

fn no_client(number: u64, clients: &[ClientInfo]) -> Failure {
    let known = clients
        .iter()
        .map(|client| format!("{} ({})", client.id, client.name));
    let known: Vec<_> = known.collect();
    let hint = match known.is_empty() {
        true => "no client is connected".to_owned(),
        false => format!("connected: {}", known.join(", ")),
    };
    Failure::new(Code::NotFound, format!("there is no client {number}")).hint(hint)
}
