//! The server of szk with what the suite demands of one beside it. Whatever one of szk's operations can
//! answer goes through the server's own code, with [`Suite`] in place of a browser.

use std::sync::Arc;

#[expect(
    deprecated,
    reason = "clients up to 2025-11-25 choose a level of messages"
)]
use rmcp::model::SetLevelRequestParams;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, ErrorData, GetPromptRequestParams,
    GetPromptResponse, GetTaskParams, GetTaskResult, InitializeRequestParams, InitializeResult,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerConfig,
    SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use szk_mcp::Server;

use super::answers;
use super::caller::Suite;
use super::catalogue;
use super::rounds::{self, Round};
use super::tasks;

/// A resource that szk has, which stands for the one that the suite watches.
const WATCHED: &str = "szk://sessions";

pub(super) struct Fixtures(pub(super) Server<Suite>);

type Context = RequestContext<RoleServer>;

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        self.0.get_info()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: Context,
    ) -> Result<InitializeResult, ErrorData> {
        self.0.initialize(request, context).await
    }

    #[expect(deprecated, reason = "clients up to 2025-11-25 choose a level so")]
    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        self.0.set_level(request, context).await
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut list = self.0.list_tools(request, context).await?;
        list.tools.extend(catalogue::tools());
        Ok(list)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        catalogue::tools()
            .into_iter()
            .find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let round = Round {
            can: context.client_capabilities().unwrap_or_default(),
            said: request.input_responses.clone(),
            state: request.request_state.clone(),
        };
        if let Some(answer) = rounds::tool(&request.name, &round) {
            return answer;
        }
        if let Some(answer) = tasks::begin(self.0.tasks(), &request.name, &round) {
            return answer;
        }
        if let Some(answer) = answers::tool(&request, &context).await {
            return answer.map(Into::into);
        }
        if let Some((operation, input)) = tasks::operation(&request, &round)? {
            request.name = operation.into();
            request.arguments = Some(input);
            request.input_responses = None;
            request.request_state = None;
        }
        self.0.call_tool(request, context).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut list = self.0.list_resources(request, context).await?;
        list.resources.extend(catalogue::resources());
        Ok(list)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut list = self.0.list_resource_templates(request, context).await?;
        list.resource_templates.push(catalogue::template());
        Ok(list)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match answers::resource(&request.uri) {
            Some(found) => Ok(found.into()),
            None => self.0.read_resource(request, context).await,
        }
    }

    #[expect(deprecated, reason = "clients up to 2025-11-25 subscribe so")]
    async fn subscribe(
        &self,
        mut request: SubscribeRequestParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        WATCHED.clone_into(&mut request.uri);
        self.0.subscribe(request, context).await
    }

    #[expect(deprecated, reason = "clients up to 2025-11-25 subscribe so")]
    async fn unsubscribe(
        &self,
        mut request: UnsubscribeRequestParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        WATCHED.clone_into(&mut request.uri);
        self.0.unsubscribe(request, context).await
    }

    fn accepted_subscription_filter(
        &self,
        asked: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        self.0.accepted_subscription_filter(asked)
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        self.0.listen(subscription).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut list = self.0.list_prompts(request, context).await?;
        list.prompts.extend(catalogue::prompts());
        Ok(list)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        if let Some(answer) = rounds::prompt(&request.name, request.input_responses.as_ref()) {
            return answer;
        }
        match answers::prompt(&request) {
            Some(found) => Ok(found.into()),
            None => self.0.get_prompt(request, context).await,
        }
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: Context,
    ) -> Result<GetTaskResult, ErrorData> {
        self.0.get_task(request, context).await
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        self.0.update_task(request, context).await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        self.0.cancel_task(request, context).await
    }
}

/// Serves them on a free port of loopback for as long as the returned runtime lives; its address.
pub(super) fn start() -> (tokio::runtime::Runtime, String) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let listener = runtime
        .block_on(tokio::net::TcpListener::bind(("127.0.0.1", 0)))
        .unwrap();
    let address = format!("http://{}/mcp", listener.local_addr().unwrap());
    let stop = tokio_util::sync::CancellationToken::new();
    let tools = szk_mcp::Tools::usual().unwrap();
    let http = Arc::new(szk_mcp::Http::wrapped(tools, stop, Fixtures));
    let router = axum::Router::new().fallback(move |request: axum::extract::Request| {
        let http = Arc::clone(&http);
        async move {
            let answer = http.answer("suite", "suite", Suite, request).await;
            answer.map(axum::body::Body::new)
        }
    });
    runtime.spawn(async move { axum::serve(listener, router).await });
    (runtime, address)
}
