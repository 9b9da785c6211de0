//! The requests we handle; rmcp's defaults handle the rest.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams, CreateTaskResult,
    ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse, GetSkillRequestParams,
    GetSkillResult, GetTaskParams, GetTaskResult, InitializeRequestParams, InitializeResult,
    JsonObject, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListSkillsResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerConfig,
    SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams, UpdateTaskParams,
};
#[expect(
    deprecated,
    reason = "clients up to 2025-11-25 choose a level of messages"
)]
use rmcp::model::{LoggingLevel, SetLevelRequestParams};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::task_manager::TaskExit;
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use szk_tools::{Call, Code};
use tokio_util::sync::CancellationToken;

use crate::call::Origin;
use crate::elicit::rounds::{Outcome, Round};
use crate::elicit::state::Seal;
use crate::elicit::{Person, inline};
use crate::subscriptions::{self, Subscriptions};
use crate::tasks::{self, Tasks};
use crate::{Caller, Tools, cursor, info, prompts, recipe_prompts, render, resources, skills};

/// How long a client may keep what cannot change while this process lives.
const FRESH_MS: u64 = 3_600_000;

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

    pub(crate) fn tasks(&self) -> &Tasks {
        &self.tasks
    }
}

/// One connection's server.
#[derive(Debug)]
pub struct Server<C> {
    caller: Arc<C>,
    tools: Tools,
    shared: Shared,
    /// What the client subscribed to, up to 2025-11-25.
    subscriptions: Subscriptions,
    /// Whether the client takes log messages of level `info`, up to 2025-11-25. All take them until they say
    /// otherwise.
    logs: AtomicBool,
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
            subscriptions: Subscriptions::default(),
            logs: AtomicBool::new(true),
            stop,
        }
    }

    /// The tasks of its client.
    #[must_use]
    pub fn tasks(&self) -> &Tasks {
        &self.shared.tasks
    }

    /// Starts a task for a call, if it takes long and the client knows tasks.
    fn begin(
        &self,
        call: &Call,
        person: Option<Person>,
        context: &RequestContext<RoleServer>,
    ) -> Option<CreateTaskResult> {
        let knows = context.client_capabilities()?.supports_tasks();
        if !knows || !tasks::takes_long(call) {
            return None;
        }
        let (caller, stop) = (Arc::clone(&self.caller), self.stop.clone());
        let (input, version) = (call.clone(), context.protocol_version());
        let (budget, name) = (call.budget(), call.spec().name);
        let task = self
            .shared
            .tasks
            .begin(budget, name, move |running| async move {
                let origin = Origin::Task(running.clone());
                let outcome = inline::run(&*caller, input, &origin, person, &stop).await;
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
        info.capabilities.logging = Some(JsonObject::default());
        if info.protocol_version < ProtocolVersion::V_2025_11_25 {
            info.server_info.icons = None;
        }
        Ok(info)
    }

    /// Up to 2025-11-25. All that szk logs is at `info`.
    #[expect(deprecated, reason = "clients up to 2025-11-25 choose a level so")]
    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let version = context.protocol_version();
        if version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28) {
            return Err(ErrorData::new(
                ErrorCode::METHOD_NOT_FOUND,
                "logging/setLevel",
                None,
            ));
        }
        let takes = matches!(request.level, LoggingLevel::Debug | LoggingLevel::Info);
        self.logs.store(takes, Ordering::Relaxed);
        Ok(())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        cursor::whole(request.as_ref())?;
        let outputs = render::structured(context.protocol_version().as_ref());
        let mut list = ListToolsResult::with_all_items(self.tools.list(outputs));
        fresh(&context, &mut list.ttl_ms, &mut list.cache_scope);
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
        if let Some(client) = context.client_info() {
            self.caller
                .called(client.title.as_deref().unwrap_or(&client.name));
        }
        let input = Value::Object(request.arguments.unwrap_or_default());
        // Wrong input ends here, before any keeper is started for it.
        let version = context.protocol_version();
        let call = match Call::decode(spec.name, input) {
            Ok(call) => call,
            Err(failure) => return Ok(render::outcome(Err(failure), version.as_ref()).into()),
        };
        let person = Person::of(&context);
        let newest = version
            .as_ref()
            .is_some_and(|version| *version >= ProtocolVersion::V_2026_07_28);
        if !newest {
            let origin = Origin::Request {
                context: Box::new(context),
                logs: self.logs.load(Ordering::Relaxed),
            };
            let outcome = inline::run(&*self.caller, call, &origin, person, &self.stop).await;
            return Ok(render::outcome(outcome, version.as_ref()).into());
        }
        let state = request.request_state.as_deref();
        if state.is_none()
            && let Some(task) = self.begin(&call, person, &context)
        {
            return Ok(task.into());
        }
        let round = Round {
            caller: &*self.caller,
            origin: &Origin::Request {
                context: Box::new(context),
                logs: false,
            },
            stop: &self.stop,
            seal: &self.shared.seal,
            person,
            agreed: None,
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
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.subscriptions.follow(&self.caller, &context);
        let resources = resources::list(&*self.caller).await?;
        let (page, next) = cursor::page(resources, |one| &one.uri, request.as_ref())?;
        let mut list = ListResourcesResult::with_all_items(page);
        list.next_cursor = next;
        Ok(list)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        cursor::whole(request.as_ref())?;
        let mut list = ListResourceTemplatesResult::with_all_items(resources::templates());
        fresh(&context, &mut list.ttl_ms, &mut list.cache_scope);
        Ok(list)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if let Some(file) = skills::file(&request.uri) {
            let mut result = ReadResourceResult::new(vec![file]);
            fresh(&context, &mut result.ttl_ms, &mut result.cache_scope);
            return Ok(result.into());
        }
        let read = resources::read(&*self.caller, &request.uri);
        tokio::select! {
            contents = read => Ok(ReadResourceResult::new(vec![contents?]).into()),
            // This one goes nowhere.
            () = context.ct.cancelled() => Err(ErrorData::internal_error("cancelled", None)),
            () = self.stop.cancelled() => Err(ErrorData::internal_error("`szk mcp` is stopping", None)),
        }
    }

    /// Up to 2025-11-25.
    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscriptions.add(request.uri)?;
        self.subscriptions.follow(&self.caller, &context);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscriptions.remove(&request.uri);
        Ok(())
    }

    /// From 2026-07-28 on. Tools never change, and clients ask for prompts when they show them.
    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(subscriptions::accepted(requested))
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        tokio::select! {
            () = subscriptions::listen(&self.caller, &subscription) => {}
            () = subscription.cancelled() => {}
            () = self.stop.cancelled() => {}
        }
        Ok(())
    }

    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        cursor::whole(request.as_ref())?;
        let mut list = ListSkillsResult::with_all_items(vec![skills::skill()?]);
        fresh(&context, &mut list.ttl_ms, &mut list.cache_scope);
        Ok(list)
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        let mut result = GetSkillResult::new(skills::at(&request.uri)?);
        fresh(&context, &mut result.ttl_ms, &mut result.cache_scope);
        Ok(result)
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        cursor::whole(request.as_ref())?;
        let mut all = prompts::own();
        all.extend(recipe_prompts::all(&*self.caller).await);
        // Not fresh for long: recipes come and go.
        Ok(ListPromptsResult::with_all_items(all))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let (name, given) = (&request.name, request.arguments.as_ref());
        let got = match name.starts_with(recipe_prompts::PREFIX) {
            true => recipe_prompts::get(&*self.caller, name, given).await,
            false => prompts::get(name, given),
        };
        got.map(Into::into)
    }
}

/// Says that a client may keep what cannot change while this process lives, from 2026-07-28 on.
fn fresh(
    context: &RequestContext<RoleServer>,
    ttl_ms: &mut Option<u64>,
    scope: &mut Option<CacheScope>,
) {
    let version = context.protocol_version();
    if version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28) {
        *ttl_ms = Some(FRESH_MS);
        *scope = Some(CacheScope::Public);
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
