//! A fake model server on loopback. It supports the OpenAI and the Anthropic API and returns prepared responses.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::runtime::Runtime;
use wiremock::matchers::{any, method, path_regex};
use wiremock::{Mock, MockServer, ResponseTemplate};

/// A fake model server. It stops when this value is dropped.
pub struct FakeModelServer {
    runtime: Runtime,
    server: MockServer,
}

impl FakeModelServer {
    /// Returns this text for every request of both APIs.
    #[must_use]
    pub fn answering(text: &str) -> Self {
        Self::with(mocks_for(text, Duration::ZERO))
    }

    /// Like [`Self::answering`], but each response is sent after `delay`.
    #[must_use]
    pub fn answering_after(delay: Duration, text: &str) -> Self {
        Self::with(mocks_for(text, delay))
    }

    /// Returns the next text for each request of an API. After the last text, requests fail.
    #[must_use]
    pub fn answering_in_turn<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let once = |text| {
            mocks_for(text, Duration::ZERO)
                .into_iter()
                .map(|mock| mock.up_to_n_times(1))
        };
        Self::with(texts.into_iter().flat_map(once).collect())
    }

    /// Rejects every request with this HTTP status and error message.
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

    /// Base URL of the server, `http://127.0.0.1:…`.
    #[must_use]
    pub fn url(&self) -> String {
        self.server.uri()
    }

    /// Bodies of all requests so far, in order. A body that is not JSON becomes `null`.
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

    /// A header of the last request, if there is a request with this header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<String> {
        let requests = self.runtime.block_on(self.server.received_requests())?;
        Some(requests.last()?.headers.get(name)?.to_str().ok()?.to_owned())
    }
}

/// Returns the mocks that send the same text on both APIs.
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
