//! One attempt of a prompt hook: one request to the endpoint of the settings, one response (`jcli.md` §5).

mod http;
mod wire;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use hookwright_model::{Cancelled, Captured, End, PromptCall, Provider, Run};
use secrecy::SecretString;

use crate::environment::Environment;
use crate::http_client::HttpClient;

/// The endpoint for prompts. Its key is never shown, not even by `{:?}`.
#[derive(Debug, Clone)]
pub struct ModelEndpoint {
    provider: Provider,
    base_url: String,
    model: String,
    key: Option<SecretString>,
}

impl ModelEndpoint {
    /// Creates an endpoint. `base_url` may end with a slash. `key` is `None` if the endpoint needs none.
    #[must_use]
    pub fn new(provider: Provider, base_url: &str, model: String, key: Option<String>) -> Self {
        let base_url = base_url.trim_end_matches('/').to_owned();
        Self {
            provider,
            base_url,
            model,
            key: key.map(SecretString::from),
        }
    }
}

/// The endpoint that is in use, or the reason why there is none.
#[derive(Debug)]
pub(crate) enum ActiveModel {
    Ready(ModelEndpoint, HttpClient),
    Missing(String),
}

impl ActiveModel {
    pub(crate) fn ready(endpoint: ModelEndpoint, environment: &Environment) -> Self {
        Self::Ready(endpoint, HttpClient::with_proxies(environment))
    }

    pub(crate) fn missing(why: String) -> Self {
        Self::Missing(why)
    }
}

/// Sends the prompt and waits for the response.
pub(crate) async fn run(
    model: std::sync::Arc<ActiveModel>,
    call: PromptCall,
    limit: Duration,
    cancelled: Cancelled,
) -> Run {
    let start = Instant::now();
    let answer = async {
        match &*model {
            ActiveModel::Ready(endpoint, client) => http::send_prompt(client, endpoint, &call).await,
            ActiveModel::Missing(why) => Err(format!("no model: {why}")),
        }
    };
    let mut counters = BTreeMap::new();
    let (end, stdout, stderr) = tokio::select! {
        biased;
        () = cancelled => (End::Cancelled, String::new(), String::new()),
        answered = tokio::time::timeout(limit, answer) => match answered {
            Ok(Ok((text, tokens))) => {
                counters = tokens;
                (End::Replied, text, String::new())
            }
            Ok(Err(why)) => (End::Refused, String::new(), why),
            Err(_) => (End::TimedOut, String::new(), String::new()),
        },
    };
    Run {
        end,
        code: None,
        signal: None,
        stdin: Captured::new(call.prompt),
        stdout: Captured::new(stdout),
        stderr: Captured::new(stderr),
        took: start.elapsed(),
        command: Vec::new(),
        cwd: None,
        env: Vec::new(),
        warnings: Vec::new(),
        counters,
        no_handshake: None,
        pipe_held: false,
        env_file: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_not_shown() {
        let endpoint = ModelEndpoint::new(
            Provider::Openai,
            "http://localhost/v1/",
            "m".to_owned(),
            Some("sk-very-secret".to_owned()),
        );
        let shown = format!("{:?}", ActiveModel::ready(endpoint, &Environment::default()));
        assert!(
            !shown.contains("very") && shown.contains("http://localhost/v1\""),
            "{shown}"
        );
    }
}
