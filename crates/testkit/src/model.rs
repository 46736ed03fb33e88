//! A model on loopback that speaks both wires and answers what it is told to.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::runtime::Runtime;
use wiremock::matchers::{any, method, path_regex};
use wiremock::{Mock, MockServer, ResponseTemplate};

/// The endpoint; gone when dropped.
pub struct FakeModelServer {
    runtime: Runtime,
    server: MockServer,
}

impl FakeModelServer {
    /// Answers every question on both wires with this text.
    #[must_use]
    pub fn answering(text: &str) -> Self {
        Self::with(mocks_for(text, Duration::ZERO))
    }

    /// The same, after a while.
    #[must_use]
    pub fn answering_after(delay: Duration, text: &str) -> Self {
        Self::with(mocks_for(text, delay))
    }

    /// Answers each question with the next text, then no more.
    #[must_use]
    pub fn answering_in_turn<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let once = |text| {
            mocks_for(text, Duration::ZERO)
                .into_iter()
                .map(|mock| mock.up_to_n_times(1))
        };
        Self::with(texts.into_iter().flat_map(once).collect())
    }

    /// Refuses every question with this status.
    #[must_use]
    pub fn refusing(status: u16, message: &str) -> Self {
        let reply = ResponseTemplate::new(status).set_body_json(json!({"error": {"message": message}}));
        Self::with(vec![Mock::given(any()).respond_with(reply)])
    }

    fn with(mocks: Vec<Mock>) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let server = runtime.block_on(async {
            let server = MockServer::start().await;
            for mock in mocks {
                mock.mount(&server).await;
            }
            server
        });
        Self { runtime, server }
    }

    /// `http://127.0.0.1:…`
    #[must_use]
    pub fn url(&self) -> String {
        self.server.uri()
    }

    /// The bodies of the questions so far.
    #[must_use]
    pub fn request_bodies(&self) -> Vec<Value> {
        let requests = self
            .runtime
            .block_on(self.server.received_requests())
            .unwrap_or_default();
        requests
            .iter()
            .map(|request| serde_json::from_slice(&request.body).unwrap_or_default())
            .collect()
    }

    /// A header of the last question.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<String> {
        let requests = self.runtime.block_on(self.server.received_requests())?;
        Some(requests.last()?.headers.get(name)?.to_str().ok()?.to_owned())
    }
}

/// The same text on both wires.
fn mocks_for(text: &str, delay: Duration) -> Vec<Mock> {
    let openai = json!({
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
    });
    let anthropic = json!({"type": "message", "role": "assistant", "content": [{"type": "text", "text": text}]});
    let reply = |body: Value| ResponseTemplate::new(200).set_body_json(body).set_delay(delay);
    vec![
        Mock::given(method("POST"))
            .and(path_regex("/chat/completions$"))
            .respond_with(reply(openai)),
        Mock::given(method("POST"))
            .and(path_regex("/messages$"))
            .respond_with(reply(anthropic)),
    ]
}
