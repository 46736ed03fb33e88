//! The HTTP request of a prompt: its proxies, the limit of the response, and the text of an error.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::OnceLock;

use hookwright_model::PromptCall;
use reqwest::redirect::Policy;
use reqwest::{Client, NoProxy, Proxy, Response, StatusCode};
use secrecy::ExposeSecret;

use super::ModelEndpoint;
use super::wire::{self, RequestVariant};
use crate::environment::Environment;

/// Most bytes of a response.
const MAX_ANSWER_BYTES: usize = 32 << 20;

/// Most characters of an error response that are reported.
const MAX_ERROR_CHARS: usize = 2000;

/// An endpoint on this machine is never asked through a proxy.
const NO_PROXY_HOSTS: &str = "localhost,127.0.0.0/8,::1";

/// Replaces the key where a provider repeats it in an error.
const MASK: &str = "‹redacted›";

/// The HTTP client with its proxies. It is built at the first prompt, because most events ask no model.
#[derive(Debug)]
pub(crate) struct HttpClient {
    proxies: Vec<(ProxyFor, String)>,
    no_proxy: String,
    client: OnceLock<Result<Client, String>>,
}

#[derive(Debug, Clone, Copy)]
enum ProxyFor {
    Http,
    Https,
    All,
}

impl HttpClient {
    /// Takes the proxies from the given environment, not from that of this process.
    pub(crate) fn with_proxies(environment: &Environment) -> Self {
        let var = |lower: &str, upper: &str| {
            let value = environment.var(lower).or_else(|| environment.var(upper))?.to_str()?;
            (!value.is_empty()).then(|| value.to_owned())
        };
        let wanted = [
            (ProxyFor::Http, var("http_proxy", "HTTP_PROXY")),
            (ProxyFor::Https, var("https_proxy", "HTTPS_PROXY")),
            (ProxyFor::All, var("all_proxy", "ALL_PROXY")),
        ];
        let proxies = wanted
            .into_iter()
            .filter_map(|(scheme, url)| Some((scheme, url?)))
            .collect();
        let no_proxy = [Some(NO_PROXY_HOSTS.to_owned()), var("no_proxy", "NO_PROXY")]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(",");
        Self {
            proxies,
            no_proxy,
            client: OnceLock::new(),
        }
    }

    fn client(&self) -> Result<&Client, String> {
        self.client
            .get_or_init(|| self.build().map_err(|error| error_chain(&error)))
            .as_ref()
            .map_err(Clone::clone)
    }

    fn build(&self) -> reqwest::Result<Client> {
        // An error says that there is a provider already, set by an earlier client.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // The key belongs to one host, so redirects are not followed.
        let mut builder = Client::builder()
            .redirect(Policy::none())
            .no_proxy()
            .user_agent(concat!("hookwright/", env!("CARGO_PKG_VERSION")));
        for (scheme, url) in &self.proxies {
            let proxy = match scheme {
                ProxyFor::Http => Proxy::http(url),
                ProxyFor::Https => Proxy::https(url),
                ProxyFor::All => Proxy::all(url),
            };
            builder = builder.proxy(proxy?.no_proxy(NoProxy::from_string(&self.no_proxy)));
        }
        builder.build()
    }
}

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

async fn read_body(mut response: Response) -> Result<Vec<u8>, String> {
    let mut body = Vec::new();
    while let Some(piece) = response
        .chunk()
        .await
        .map_err(|error| error_chain(&error.without_url()))?
    {
        if body.len() + piece.len() > MAX_ANSWER_BYTES {
            return Err(format!("the response is larger than {} MiB", MAX_ANSWER_BYTES >> 20));
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

/// The text of an error with its causes. The outermost text alone ("error sending request") does not help.
fn error_chain(error: &(dyn Error + 'static)) -> String {
    let chain = std::iter::successors(error.source(), |inner| (*inner).source());
    chain.fold(error.to_string(), |text, inner| format!("{text}: {inner}"))
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
