//! The request and response formats of the two providers, as pure functions.

use std::collections::BTreeMap;

use hookwright_model::{PromptCall, Provider, token_counters};
use reqwest::StatusCode;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use secrecy::ExposeSecret;
use serde_json::{Value, json};

use super::ModelEndpoint;

/// The version of the Anthropic API that is used here.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// The parameters of a request. Newer models refuse a temperature, or call the limit `max_completion_tokens`. Older
/// gateways know only the plain names, so those are tried first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RequestVariant {
    limit: TokenLimit,
    temperature: Temperature,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum TokenLimit {
    #[default]
    MaxTokens,
    MaxCompletionTokens,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Temperature {
    #[default]
    Sent,
    Omitted,
}

impl RequestVariant {
    /// The next variant to try, if the error is about a parameter of this one.
    pub(super) fn next_variant(self, provider: Provider, status: StatusCode, body: &[u8]) -> Option<Self> {
        if status != StatusCode::BAD_REQUEST {
            return None;
        }
        let error = error_message(body)?;
        if self.temperature == Temperature::Sent && error.contains("temperature") {
            return Some(Self {
                temperature: Temperature::Omitted,
                ..self
            });
        }
        let renamed = provider == Provider::Openai && error.contains("max_completion_tokens");
        (renamed && self.limit == TokenLimit::MaxTokens).then_some(Self {
            limit: TokenLimit::MaxCompletionTokens,
            ..self
        })
    }
}

pub(super) fn url(endpoint: &ModelEndpoint) -> String {
    let base = &endpoint.base_url;
    match endpoint.provider {
        Provider::Openai => format!("{base}/chat/completions"),
        Provider::Anthropic if base.ends_with("/v1") => format!("{base}/messages"),
        Provider::Anthropic => format!("{base}/v1/messages"),
    }
}

/// # Errors
/// A key that contains a character that is not allowed in a header.
pub(super) fn headers(endpoint: &ModelEndpoint) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    if endpoint.provider == Provider::Anthropic {
        headers.insert(
            HeaderName::from_static("anthropic-version"),
            HeaderValue::from_static(ANTHROPIC_VERSION),
        );
    }
    if let Some(key) = &endpoint.key {
        let key = key.expose_secret();
        let (name, value) = match endpoint.provider {
            Provider::Openai => (AUTHORIZATION, format!("Bearer {key}")),
            Provider::Anthropic => (HeaderName::from_static("x-api-key"), key.to_owned()),
        };
        let mut value = HeaderValue::try_from(value)
            .map_err(|_| "the API key contains characters that are not valid in a key".to_owned())?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

pub(super) fn body(endpoint: &ModelEndpoint, call: &PromptCall, variant: RequestVariant) -> Value {
    let user = json!({ "role": "user", "content": call.prompt });
    let mut body = json!({ "model": call.model.as_ref().unwrap_or(&endpoint.model), "stream": false });
    match endpoint.provider {
        Provider::Openai => body["messages"] = json!([{ "role": "system", "content": call.system }, user]),
        Provider::Anthropic => {
            body["system"] = call.system.as_str().into();
            body["messages"] = json!([user]);
        }
    }
    let limit = match variant.limit {
        TokenLimit::MaxTokens => "max_tokens",
        TokenLimit::MaxCompletionTokens => "max_completion_tokens",
    };
    body[limit] = call.max_tokens.into();
    if variant.temperature == Temperature::Sent {
        body["temperature"] = call.temperature.into();
    }
    body
}

/// A successful response: its text, and the tokens that the provider counted, by the names of the metrics.
///
/// # Errors
/// What the response contains instead.
pub(super) fn response(provider: Provider, body: &[u8]) -> Result<(String, BTreeMap<&'static str, u64>), String> {
    let answer: Value =
        serde_json::from_slice(body).map_err(|error| format!("the provider's response is not JSON: {error}"))?;
    Ok((text(provider, &answer)?, token_counters(&answer["usage"])))
}

fn text(provider: Provider, answer: &Value) -> Result<String, String> {
    let content = match provider {
        Provider::Openai => &answer["choices"][0]["message"]["content"],
        Provider::Anthropic => &answer["content"],
    };
    if let Some(text) = content.as_str() {
        return Ok(text.to_owned());
    }
    let parts: Vec<&str> = content
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|part| part["text"].as_str())
        .collect();
    if !parts.is_empty() {
        return Ok(parts.concat());
    }
    let refused = answer["choices"][0]["message"]["refusal"].as_str();
    Err(refused.map_or_else(
        || "the provider's response contains no text".to_owned(),
        |words| format!("the model refused: {words}"),
    ))
}

/// The message of a JSON error, in the forms that providers and gateways use.
pub(super) fn error_message(body: &[u8]) -> Option<String> {
    let error: Value = serde_json::from_slice(body).ok()?;
    let texts = [
        &error["error"]["message"],
        &error["error"],
        &error["message"],
        &error["detail"],
    ];
    texts.iter().find_map(|value| value.as_str()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(provider: Provider, base_url: &str) -> ModelEndpoint {
        ModelEndpoint::new(provider, base_url, "m".to_owned(), None)
    }

    fn text_of(provider: Provider, body: &[u8]) -> Result<String, String> {
        response(provider, body).map(|(text, _)| text)
    }

    #[test]
    fn the_version_is_in_the_address_once() {
        assert_eq!(url(&endpoint(Provider::Anthropic, "http://h")), "http://h/v1/messages");
        assert_eq!(
            url(&endpoint(Provider::Anthropic, "http://h/v1/")),
            "http://h/v1/messages"
        );
        assert_eq!(
            url(&endpoint(Provider::Openai, "http://h/v1/")),
            "http://h/v1/chat/completions"
        );
    }

    #[test]
    fn text_is_found_as_a_string_and_in_parts() {
        let plain = br#"{"choices":[{"message":{"content":"{}"}}]}"#;
        assert_eq!(text_of(Provider::Openai, plain).unwrap(), "{}");
        let parts = br#"{"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"{"},{"type":"text","text":"}"}]}"#;
        assert_eq!(text_of(Provider::Anthropic, parts).unwrap(), "{}");
    }

    #[test]
    fn an_answer_without_text_is_an_error_with_a_reason() {
        assert!(text_of(Provider::Openai, b"{}").unwrap_err().contains("no text"));
        assert!(text_of(Provider::Openai, b"<html>").unwrap_err().contains("not JSON"));
        let refusal = br#"{"choices":[{"message":{"content":null,"refusal":"I will not"}}]}"#;
        assert_eq!(
            text_of(Provider::Openai, refusal).unwrap_err(),
            "the model refused: I will not"
        );
    }

    #[test]
    fn only_a_refused_parameter_changes_the_request() {
        let say = |words: &str| json!({ "error": { "message": words } }).to_string().into_bytes();
        let plain = RequestVariant::default();
        let bad = StatusCode::BAD_REQUEST;
        let renamed = plain
            .next_variant(Provider::Openai, bad, &say("use 'max_completion_tokens' instead"))
            .unwrap();
        assert_eq!(renamed.limit, TokenLimit::MaxCompletionTokens);
        assert_eq!(
            renamed.next_variant(Provider::Openai, bad, &say("use 'max_completion_tokens' instead")),
            None
        );
        assert_eq!(
            plain
                .next_variant(Provider::Anthropic, bad, &say("`temperature` is deprecated"))
                .unwrap()
                .temperature,
            Temperature::Omitted
        );
        assert_eq!(plain.next_variant(Provider::Openai, bad, &say("no such model")), None);
        assert_eq!(
            plain.next_variant(Provider::Openai, StatusCode::UNAUTHORIZED, &say("temperature")),
            None
        );
    }

    #[test]
    fn an_error_message_is_found_where_providers_put_it() {
        assert_eq!(error_message(br#"{"error":{"message":"a"}}"#).as_deref(), Some("a"));
        assert_eq!(error_message(br#"{"error":"b"}"#).as_deref(), Some("b"));
        assert_eq!(error_message(b"<html>"), None);
    }
}
