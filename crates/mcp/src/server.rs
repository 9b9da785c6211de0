//! The requests we handle; rmcp's defaults handle the rest.

use std::sync::Arc;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, ErrorData, GetPromptRequestParams,
    GetPromptResponse, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use szk_tools::Call;
use tokio_util::sync::CancellationToken;

use crate::{Caller, Tools, elicit, info, prompts, render, resources};

/// How long a client may cache the tool list: it cannot change while this process lives.
const LIST_FRESH_MS: u64 = 3_600_000;

/// One connection's server.
#[derive(Debug)]
pub(crate) struct Server<C> {
    caller: Arc<C>,
    tools: Tools,
    /// Cancelled when the server exits; calls in flight answer `CANCELLED`.
    stop: CancellationToken,
}

impl<C: Caller> Server<C> {
    pub(crate) fn new(caller: Arc<C>, tools: Tools, stop: CancellationToken) -> Self {
        Self {
            caller,
            tools,
            stop,
        }
    }
}

impl<C: Caller> ServerHandler for Server<C> {
    fn get_info(&self) -> ServerConfig {
        info::server()
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if request.is_some_and(|request| request.cursor.is_some()) {
            return Err(ErrorData::invalid_params(
                "unknown `cursor`: the list has one page",
                None,
            ));
        }
        let version = context.protocol_version();
        let outputs = render::structured(version.as_ref());
        let mut list = ListToolsResult::with_all_items(self.tools.list(outputs));
        if context
            .protocol_version()
            .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
        {
            list.ttl_ms = Some(LIST_FRESH_MS);
            list.cache_scope = Some(CacheScope::Public);
        }
        Ok(list)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(spec) = self.tools.find(&request.name) else {
            return Err(unknown_tool(&request.name));
        };
        let input = Value::Object(request.arguments.unwrap_or_default());
        // Wrong input ends here, before any keeper is started for it.
        let outcome = match Call::decode(spec.name, input) {
            Ok(call) => elicit::run(&*self.caller, call, &context, &self.stop).await,
            Err(failure) => Err(failure),
        };
        Ok(render::outcome(outcome, context.protocol_version().as_ref()).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = resources::list(&*self.caller).await?;
        Ok(ListResourcesResult::with_all_items(resources))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(
            resources::templates(),
        ))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = resources::read(&*self.caller, &request.uri);
        tokio::select! {
            contents = read => Ok(ReadResourceResult::new(vec![contents?]).into()),
            // This one goes nowhere.
            () = context.ct.cancelled() => Err(ErrorData::internal_error("cancelled", None)),
            () = self.stop.cancelled() => Err(ErrorData::internal_error("`szk mcp` is stopping", None)),
        }
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::all()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(&request.name, request.arguments.as_ref()).map(Into::into)
    }
}

/// The specification requires a protocol error here, not a failed result.
fn unknown_tool(name: &str) -> ErrorData {
    if szk_tools::find(name).is_some() {
        let text = format!("`{name}` is not among the tools that `szk mcp --tools` chose");
        return ErrorData::invalid_params(text, None);
    }
    let text = match Call::decode(name, Value::Null) {
        Err(failure) => match failure.hint {
            Some(hint) => format!("{}; {hint}", failure.message),
            None => failure.message,
        },
        // `find` and `decode` read the same catalogue.
        Ok(_) => String::from("unknown tool"),
    };
    ErrorData::invalid_params(text, None)
}
