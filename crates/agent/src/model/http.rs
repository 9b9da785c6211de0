//! A model behind HTTP: OpenAI-compatible chat completions, Anthropic messages, or Gemini. Answers are
//! streamed; whole ones are taken as well.

use std::sync::Once;
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response};
use szk_tools::{Code, Failure};

use super::coming::Coming;
use super::stream::Events;
use super::{Answer, Ask, BoxFuture, ChatModel, ModelError, anthropic, chat, coming, gemini};

/// Attempts of one request.
const ATTEMPTS: u32 = 4;
/// Longest answer, in bytes.
const LONGEST: usize = 16 << 20;
/// If a provider asks us to wait longer than this, the task fails instead.
const MOST_PATIENCE: Duration = Duration::from_secs(60);

/// What a provider speaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Format {
    /// OpenAI-compatible chat completions.
    #[default]
    Chat,
    /// Anthropic messages.
    Anthropic,
    /// Gemini's `streamGenerateContent`.
    Gemini,
}

/// Where a model is, and how it is asked.
#[derive(Clone)]
pub struct Endpoint {
    /// Its name there.
    pub model: String,
    /// What is spoken there.
    pub format: Format,
    /// Address before `/chat/completions`, `/messages` or `/models/…`.
    pub base_url: String,
    /// The key, if it needs one.
    pub key: Option<String>,
    /// How long one answer may take.
    pub timeout: Duration,
    /// The first wait between two attempts; each further one is twice as long.
    pub pause: Duration,
}

/// A model behind an endpoint.
pub struct OverHttp {
    pub(super) endpoint: Endpoint,
    pub(super) client: Client,
}

impl OverHttp {
    /// Prepares to ask; touches no network.
    ///
    /// # Errors
    /// `MODEL_FAILED` if this machine has no usable TLS certificates.
    pub fn new(endpoint: Endpoint) -> Result<Self, Failure> {
        static RING: Once = Once::new();
        // Err: another provider is installed already, which serves as well.
        RING.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
        let client = Client::builder()
            // A redirect would take the key elsewhere.
            .redirect(Policy::none())
            .timeout(endpoint.timeout)
            .build()
            .map_err(|error| {
                Failure::new(Code::ModelFailed, format!("cannot prepare HTTPS: {error}"))
                    .hint("install the certificates of your system (`ca-certificates`)")
            })?;
        Ok(Self { endpoint, client })
    }

    async fn persist(&self, ask: Ask<'_>) -> Result<Answer, ModelError> {
        let model = &self.endpoint.model;
        let body = match self.endpoint.format {
            Format::Chat => chat::request(model, &ask).to_string(),
            Format::Anthropic => anthropic::request(model, &ask).to_string(),
            Format::Gemini => gemini::request(&ask).to_string(),
        };
        let mut pause = self.endpoint.pause;
        for _ in 1..ATTEMPTS {
            let error = match self.once(body.clone()).await {
                Ok(answer) => return Ok(answer),
                Err(error) if error.is_passing() => error,
                Err(error) => return Err(error),
            };
            let wait = match error {
                ModelError::Busy { after: Some(after) } if after > MOST_PATIENCE => {
                    return Err(error);
                }
                ModelError::Busy { after: Some(after) } => after,
                _ => pause,
            };
            tokio::time::sleep(wait).await;
            pause *= 2;
        }
        self.once(body).await
    }

    async fn once(&self, body: String) -> Result<Answer, ModelError> {
        let format = self.endpoint.format;
        let path = match format {
            Format::Chat => "chat/completions".to_owned(),
            Format::Anthropic => "messages".to_owned(),
            Format::Gemini => {
                let model = self.endpoint.model.trim_start_matches("models/");
                format!("models/{model}:streamGenerateContent?alt=sse")
            }
        };
        let request = self.client.post(self.address(&path));
        let request = request.header(CONTENT_TYPE, "application/json").body(body);
        let sent = self.signed(request).send().await;
        let response = sent.map_err(|error| self.broken(&error, false))?;
        let status = response.status().as_u16();
        let after = response.headers().get(RETRY_AFTER);
        let after = after.and_then(|value| value.to_str().ok()?.trim().parse::<f64>().ok());
        let after = after.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let kind = response.headers().get(CONTENT_TYPE);
        let kind = kind.and_then(|value| value.to_str().ok());
        let is_stream = kind.is_some_and(|kind| kind.contains("event-stream"));
        let is_json = kind.is_none_or(|kind| kind.contains("json"));
        match status {
            200..300 if is_stream => {
                let answer = self.streamed(response).await;
                answer.map_err(|error| self.hidden(error))
            }
            200..300 if !is_json => Err(ModelError::Unreadable("it is not JSON".to_owned())),
            200..300 => {
                let body = self.body(response, LONGEST).await?;
                match format {
                    Format::Chat => chat::answer(&body),
                    Format::Anthropic => anthropic::answer(&body),
                    Format::Gemini => gemini::answer(&body),
                }
            }
            400.. => {
                let body = self.body(response, LONGEST).await.unwrap_or_default();
                Err(self.hidden(coming::told(status, &coming::error_of(&body), after)))
            }
            _ => Err(ModelError::Unreadable(format!("status {status}"))),
        }
    }

    /// Reads an answer as it comes.
    async fn streamed(&self, response: Response) -> Result<Answer, ModelError> {
        match self.endpoint.format {
            Format::Chat | Format::Gemini => {
                let take = match self.endpoint.format {
                    Format::Gemini => gemini::take,
                    Format::Chat | Format::Anthropic => chat::take,
                };
                let mut coming = Coming::default();
                let taken = self.events(response, |data| take(&mut coming, data));
                taken.await?;
                coming.whole()
            }
            Format::Anthropic => {
                let mut streamed = anthropic::Streamed::default();
                match self.events(response, |data| streamed.take(data)).await? {
                    true => Ok(streamed.answer()),
                    false => Err(ModelError::Cut),
                }
            }
        }
    }

    /// An address of the provider.
    pub(super) fn address(&self, path: &str) -> String {
        format!("{}/{path}", self.endpoint.base_url.trim_end_matches('/'))
    }

    /// A request with the key, as the provider wants it.
    pub(super) fn signed(&self, request: RequestBuilder) -> RequestBuilder {
        let request = match self.endpoint.format {
            Format::Anthropic => request.header("anthropic-version", anthropic::VERSION),
            Format::Chat | Format::Gemini => request,
        };
        match (self.endpoint.format, &self.endpoint.key) {
            (_, None) => request,
            (Format::Chat, Some(key)) => request.bearer_auth(key),
            (Format::Anthropic, Some(key)) => request.header("x-api-key", key),
            (Format::Gemini, Some(key)) => request.header("x-goog-api-key", key),
        }
    }

    /// Takes the events of a stream until one is the last; returns whether one was.
    async fn events(
        &self,
        mut response: Response,
        mut take: impl FnMut(&str) -> Result<bool, ModelError> + Send,
    ) -> Result<bool, ModelError> {
        let (mut events, mut length) = (Events::default(), 0);
        while let Some(part) = response
            .chunk()
            .await
            .map_err(|error| self.broken(&error, true))?
        {
            length += part.len();
            if length > LONGEST {
                return Err(ModelError::Unreadable("it is too long".to_owned()));
            }
            for data in events.feed(&part) {
                if take(&data)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// A whole body of at most so many bytes.
    pub(super) async fn body(
        &self,
        mut response: Response,
        longest: usize,
    ) -> Result<Vec<u8>, ModelError> {
        let mut body = Vec::new();
        while let Some(part) = response
            .chunk()
            .await
            .map_err(|error| self.broken(&error, true))?
        {
            if body.len() + part.len() > longest {
                return Err(ModelError::Unreadable("it is too long".to_owned()));
            }
            body.extend_from_slice(&part);
        }
        Ok(body)
    }

    pub(super) fn broken(&self, error: &reqwest::Error, answering: bool) -> ModelError {
        if error.is_timeout() {
            return ModelError::Late(self.endpoint.timeout);
        }
        if answering || !error.is_connect() {
            return ModelError::Cut;
        }
        let mut cause: &dyn std::error::Error = error;
        while let Some(deeper) = cause.source() {
            cause = deeper;
        }
        ModelError::Unreachable(self.without_key(cause.to_string()))
    }

    /// The error of a stream without the key.
    fn hidden(&self, error: ModelError) -> ModelError {
        match error {
            ModelError::Refused { status, message } => ModelError::Refused {
                status,
                message: self.without_key(message),
            },
            ModelError::Unreadable(why) => ModelError::Unreadable(self.without_key(why)),
            other => other,
        }
    }

    /// Some providers repeat the key that they refuse.
    fn without_key(&self, text: String) -> String {
        match &self.endpoint.key {
            Some(key) if !key.is_empty() => text.replace(key.as_str(), "***"),
            _ => text,
        }
    }
}

impl ChatModel for OverHttp {
    fn name(&self) -> &str {
        &self.endpoint.model
    }

    fn ask<'a>(&'a self, ask: Ask<'a>) -> BoxFuture<'a, Result<Answer, ModelError>> {
        Box::pin(self.persist(ask))
    }
}
