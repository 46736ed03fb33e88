//! The model endpoint for prompt hooks, or the reason why none is configured.

use std::path::Path;

use hookwright_model::{Message, Problem, Provider, render};
use toml_edit::Document;
use url::{Host, Url};

use super::schema::Secret;
use super::{API_KEY_HOST, API_KEY_UNUSED, BAD_BASE_URL, KEY_UNSET, NO_MODEL_NAME, NO_PROVIDER, Settings, keys};

/// A configured model endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelEndpointConfig {
    /// The API of the endpoint.
    pub provider: Provider,
    /// The URL of the endpoint, without a slash at the end.
    pub base_url: String,
    /// The model's name, as the endpoint knows it.
    pub model: String,
    /// The API key, if one is set.
    pub api_key: Option<Secret>,
}

impl Settings {
    /// The model endpoint for prompt hooks. `lookup` returns the value of an environment variable.
    ///
    /// # Errors
    /// The message why the endpoint is not configured.
    pub fn model_endpoint(&self, lookup: impl Fn(&str) -> Option<String>) -> Result<ModelEndpointConfig, Message> {
        let model = &self.model;
        let provider = model.provider.ok_or_else(|| NO_PROVIDER.render_plain())?;
        let address = self.base_address()?;
        self.check_api_key_host()?;
        let name = model.model.clone().ok_or_else(|| NO_MODEL_NAME.render_plain())?;
        let from_env = match &model.api_key_env {
            Some(name) => {
                let value = lookup(name).filter(|value| !value.trim().is_empty());
                if value.is_none() && model.api_key.is_none() {
                    return Err(render!(KEY_UNSET, "name" => name));
                }
                value.map(|value| Secret::new(value.trim()))
            }
            None => None,
        };
        let base_url = address.as_str().trim_end_matches('/').to_owned();
        Ok(ModelEndpointConfig {
            provider,
            base_url,
            model: name,
            api_key: from_env.or_else(|| model.api_key.clone()),
        })
    }

    /// The secrets in the settings, as names and values for the redactor.
    pub fn secrets(&self) -> impl Iterator<Item = (String, String)> {
        self.model
            .api_key
            .iter()
            .map(|key| ("api_key".to_owned(), key.reveal().to_owned()))
    }

    /// Checks that `api_key`, which is plain text, is used only with this machine.
    pub(super) fn check_api_key_host(&self) -> Result<(), Message> {
        if self.model.api_key.is_none() {
            return Ok(());
        }
        let address = self.base_address()?;
        if is_loopback(&address) {
            return Ok(());
        }
        Err(render!(API_KEY_HOST, "host" => address.host_str().unwrap_or_default()))
    }

    pub(super) fn unused_api_key(&self, document: &Document<&str>, text: &str, path: &Path) -> Option<Problem> {
        self.model.api_key.as_ref()?;
        let address = self.base_address().ok().filter(|address| !is_loopback(address))?;
        let position = keys::key_position(document, text, "model", "api_key");
        let host = address.host_str().unwrap_or_default();
        Some(Problem::new(render!(API_KEY_UNUSED, "host" => host), path, position))
    }

    /// The URL of the endpoint: `base_url`, or else the provider's own.
    fn base_address(&self) -> Result<Url, Message> {
        let given = self
            .model
            .base_url
            .as_deref()
            .unwrap_or(self.model.provider.unwrap_or_default().base_url());
        let bad = |why: &str| render!(BAD_BASE_URL, "why" => why);
        let address = Url::parse(given.trim()).map_err(|error| bad(&error.to_string()))?;
        if !matches!(address.scheme(), "http" | "https") {
            return Err(bad("it begins with neither http:// nor https://"));
        }
        if !address.username().is_empty() || address.password().is_some() {
            return Err(bad("it contains a user or a password"));
        }
        if address.query().is_some() || address.fragment().is_some() {
            return Err(bad("it has a query or a fragment"));
        }
        Ok(address)
    }
}

/// Whether the host is `127.0.0.0/8`, `::1` or `localhost`. A name that only begins like one of them is not.
fn is_loopback(address: &Url) -> bool {
    match address.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
