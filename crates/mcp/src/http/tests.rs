use serde_json::json;
use szk_client::{Approver, EventLine};
use szk_tools::{Call, Code, Failure, Progress};

use super::*;

/// Says whose calls it makes.
struct Named(&'static str);

impl Caller for Named {
    async fn call(
        &self,
        _: Call,
        _: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<szk_tools::Response, Failure> {
        Err(Failure::new(Code::PolicyDenied, self.0))
    }

    async fn call_approved(
        &self,
        call: Call,
        _: Approver<'_>,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<szk_tools::Response, Failure> {
        self.call(call, progress).await
    }

    async fn open_sessions(&self) -> Result<Vec<String>, Failure> {
        Ok(Vec::new())
    }

    async fn follow(&self, _: &str, _: &(dyn Fn(EventLine) + Send + Sync)) {}
}

/// Calls a tool in the newest version; the whole answer.
async fn call(http: &Http<Named>, caller: Named) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "session_list", "arguments": {}, "_meta": meta}});
    let request = Request::post("/mcp")
        .header("Host", "127.0.0.1")
        .header("Content-Type", "application/json")
        .header("Accept", "application/json, text/event-stream")
        .header("MCP-Protocol-Version", "2026-07-28")
        .header("Mcp-Method", "tools/call")
        .header("Mcp-Name", "session_list")
        .body(Full::new(Bytes::from(body.to_string())))
        .unwrap();
    let answer = http.answer("token", "client", caller, request).await;
    let Ok(body) = answer.into_body().collect().await;
    String::from_utf8(body.to_bytes().to_vec()).unwrap()
}

#[tokio::test]
async fn each_request_makes_its_own_calls() {
    let http = Http::new(Tools::usual().unwrap(), CancellationToken::new());
    for name in ["the-first", "the-second"] {
        let answer = call(&http, Named(name)).await;
        assert!(answer.contains(name), "{answer}");
    }
}
