//! The HTTP requests of a prompt.

use std::collections::BTreeMap;

use hookwright_model::PromptCall;
use reqwest::{Client, StatusCode};
use secrecy::ExposeSecret;

use super::ModelEndpoint;
use super::wire::{self, RequestVariant};
use crate::http_client::{HttpClient, error_chain, read_body};

/// Most characters of an error response that are reported.
const MAX_ERROR_CHARS: usize = 2000;

/// Replaces the key where a provider repeats it in an error.
const MASK: &str = "‹redacted›";

/// Sends a prompt; the response is its text and the tokens that the provider counted. If the model refuses a parameter, the request is sent again in another variant, within the same
/// deadline.
///
/// # Errors
/// The provider's error message, or the reason why there was no response.
pub(super) async fn send_prompt(
    http_client: &HttpClient,
    endpoint: &ModelEndpoint,
    call: &PromptCall,
) -> Result<(String, BTreeMap<&'static str, u64>), String> {
    let client = http_client.client()?;
    let mut variant = RequestVariant::default();
    loop {
        let (status, body) = post(client, endpoint, call, variant).await?;
        if status.is_success() {
            return wire::response(endpoint.provider, &body);
        }
        match variant.next_variant(endpoint.provider, status, &body) {
            Some(next) => variant = next,
            None => return Err(refusal_message(endpoint, status, &body)),
        }
    }
}

async fn post(
    client: &Client,
    endpoint: &ModelEndpoint,
    call: &PromptCall,
    variant: RequestVariant,
) -> Result<(StatusCode, Vec<u8>), String> {
    let request = client
        .post(wire::url(endpoint))
        .headers(wire::headers(endpoint)?)
        .json(&wire::body(endpoint, call, variant));
    let response = request
        .send()
        .await
        .map_err(|error| error_chain(&error.without_url()))?;
    let status = response.status();
    Ok((status, read_body(response).await?))
}

fn refusal_message(endpoint: &ModelEndpoint, status: StatusCode, body: &[u8]) -> String {
    let mut why = wire::error_message(body).unwrap_or_else(|| String::from_utf8_lossy(body).into_owned());
    // The key is replaced before the text is cut, so that no part of it stays.
    if let Some(key) = endpoint
        .key
        .as_ref()
        .map(ExposeSecret::expose_secret)
        .filter(|key| !key.is_empty())
    {
        why = why.replace(key, MASK);
    }
    let why = why.trim();
    let short: String = why.chars().take(MAX_ERROR_CHARS).collect();
    let more = if short.len() < why.len() { "…" } else { "" };
    let colon = if short.is_empty() { "" } else { ": " };
    format!("HTTP {status}{colon}{short}{more}")
}
