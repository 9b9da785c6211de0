//! The requests we handle; rmcp's defaults handle the rest.

use std::sync::Arc;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams, CreateTaskResult,
    ErrorData, GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerConfig,
    UpdateTaskParams,
};
use rmcp::service::RequestContext;
use rmcp::task_manager::TaskExit;
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use szk_tools::{Call, Code};
use tokio_util::sync::CancellationToken;

use crate::call::Origin;
use crate::elicit::rounds::{Outcome, Round};
use crate::elicit::state::Seal;
use crate::elicit::{Way, inline};
use crate::tasks::{self, Tasks};
use crate::{Caller, Tools, info, prompts, render, resources};

/// How long a client may cache the tool list: it cannot change while this process lives.
const LIST_FRESH_MS: u64 = 3_600_000;

/// What the connections of one process share.
#[derive(Debug, Clone)]
pub(crate) struct Shared {
    /// Signs what a client brings back.
    seal: Arc<Seal>,
    tasks: Tasks,
}

impl Shared {
    /// # Errors
    /// The system has no randomness.
    pub(crate) fn new() -> Result<Self, getrandom::Error> {
        Ok(Self {
            seal: Arc::new(Seal::fresh()?),
            tasks: Tasks::default(),
        })
    }
}

/// One connection's server.
#[derive(Debug)]
pub(crate) struct Server<C> {
    caller: Arc<C>,
    tools: Tools,
    shared: Shared,
    /// Cancelled when the server exits; calls in flight answer `CANCELLED`.
    stop: CancellationToken,
}

impl<C: Caller> Server<C> {
    pub(crate) fn new(
        caller: Arc<C>,
        tools: Tools,
        shared: Shared,
        stop: CancellationToken,
    ) -> Self {
        Self {
            caller,
            tools,
            shared,
            stop,
        }
    }

    /// Starts a task for a call, if it takes long and the client knows tasks.
    fn begin(
        &self,
        call: &Call,
        way: Option<Way>,
        context: &RequestContext<RoleServer>,
    ) -> Option<CreateTaskResult> {
        let knows = context.client_capabilities()?.supports_tasks();
        if !knows || !tasks::takes_long(call) {
            return None;
        }
        let (caller, stop) = (Arc::clone(&self.caller), self.stop.clone());
        let (input, version) = (call.clone(), context.protocol_version());
        let task = self.shared.tasks.begin(call, move |running| async move {
            let origin = Origin::Task(running.clone());
            let outcome = inline::run(&*caller, input, &origin, way, &stop).await;
            match outcome {
                Err(failure) if failure.code == Code::Cancelled && running.is_cancelled() => {
                    Err(TaskExit::Cancelled)
                }
                outcome => Ok(render::outcome(outcome, version.as_ref())),
            }
        })?;
        Some(CreateTaskResult::new(task))
    }
}

impl<C: Caller> ServerHandler for Server<C> {
    fn get_info(&self) -> ServerConfig {
        info::server()
    }

    /// Extensions came with 2026-07-28, which has no `initialize`.
    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut info = self.negotiate_initialize(&request)?;
        context.peer.set_peer_info(request);
        info.capabilities.extensions = None;
        Ok(info)
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
        let version = context.protocol_version();
        let call = match Call::decode(spec.name, input) {
            Ok(call) => call,
            Err(failure) => return Ok(render::outcome(Err(failure), version.as_ref()).into()),
        };
        let way = Way::of(&context);
        let newest = version
            .as_ref()
            .is_some_and(|version| *version >= ProtocolVersion::V_2026_07_28);
        if !newest {
            let origin = Origin::Request(Box::new(context));
            let outcome = inline::run(&*self.caller, call, &origin, way, &self.stop).await;
            return Ok(render::outcome(outcome, version.as_ref()).into());
        }
        let state = request.request_state.as_deref();
        if state.is_none()
            && let Some(task) = self.begin(&call, way, &context)
        {
            return Ok(task.into());
        }
        let round = Round {
            caller: &*self.caller,
            origin: &Origin::Request(Box::new(context)),
            stop: &self.stop,
            seal: &self.shared.seal,
            way,
        };
        let said = request.input_responses.as_ref();
        Ok(match round.run(call, state, said).await? {
            Outcome::Over(outcome) => render::outcome(outcome, version.as_ref()).into(),
            Outcome::Asks(asks) => asks.into(),
        })
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.shared.tasks.get(&request.task_id)
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let said = request.input_responses;
        self.shared.tasks.answer(&request.task_id, said)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.shared.tasks.cancel(&request.task_id)
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
