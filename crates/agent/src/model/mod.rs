//! Models that chat and call tools.

mod anthropic;
mod chat;
mod coming;
mod error;
mod gemini;
mod http;
mod listed;
mod played;
mod scripted;
mod stream;
mod unconfigured;

use std::pin::Pin;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use szk_tools::Failure;
/// Tokens of one answer, or of many.
pub use szk_tools::agent::Tokens as Usage;

pub use error::ModelError;
pub use http::{Endpoint, Format, OverHttp};
pub use played::PlayedBack;
pub use scripted::Scripted;
pub use unconfigured::Unconfigured;

/// A boxed future, as `futures_util::future::BoxFuture`.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A model that answers a conversation.
pub trait ChatModel: Send + Sync {
    /// Its name, for people.
    fn name(&self) -> &str;

    /// Whether it can be asked at all, as far as is known without asking.
    ///
    /// # Errors
    /// None is configured, or it is unusable.
    fn ready(&self) -> Result<(), Failure> {
        Ok(())
    }

    /// The next message.
    fn ask<'a>(&'a self, ask: Ask<'a>) -> BoxFuture<'a, Result<Answer, ModelError>>;
}

/// What a model is asked.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The conversation so far.
    pub messages: &'a [Message],
    /// The tools that it may call.
    pub tools: &'a [Tool],
    /// What its text has to look like, as a JSON schema.
    pub schema: Option<&'a Value>,
}

/// Who says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Whoever wrote the rules.
    System,
    /// Whoever has the task.
    User,
    /// The model.
    Assistant,
    /// What came of a tool call.
    Tool,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub text: String,
    /// Pictures that belong to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<szk_tools::Image>,
    /// Tools that the model calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// The call that this is the outcome of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<String>,
}

impl Message {
    /// A message of text.
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self {
            role,
            text: text.into(),
            images: Vec::new(),
            calls: Vec::new(),
            answers: None,
        }
    }
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON schema of its arguments.
    pub parameters: Value,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Tells it from other calls.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments, as the model wrote them.
    pub arguments: String,
    /// What the provider wants to see again with the call, such as signatures of thoughts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<Value>,
}

/// What a model said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Its text.
    #[serde(default)]
    pub text: String,
    /// The tools that it calls.
    #[serde(default)]
    pub calls: Vec<ToolCall>,
    /// What it cost in tokens.
    #[serde(default)]
    pub usage: Usage,
}
