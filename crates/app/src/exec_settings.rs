//! What the settings decide for the runner: the environment of hooks, and the model's endpoint.

use std::ffi::OsString;

use hookwright_exec::ModelEndpoint;
use hookwright_model::Message;
use hookwright_workspace::HostEnv;
use hookwright_workspace::settings::Settings;

/// The engine's environment without the variable that contains the model's key (`engine.md` §8).
pub(crate) fn hook_environment(env: &HostEnv, settings: &Settings) -> Vec<(OsString, OsString)> {
    let secret = settings.model.api_key_env.as_deref();
    let inherited = env
        .vars
        .iter()
        .filter(|(name, _)| secret.is_none_or(|secret| name.as_os_str() != secret));
    inherited.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// The endpoint for prompt hooks, or why there is none.
pub(crate) fn model_endpoint(env: &HostEnv, settings: &Settings) -> Result<ModelEndpoint, Message> {
    let config = settings.model_endpoint(|name| env.var(name))?;
    let key = config.api_key.map(|secret| secret.reveal().to_owned());
    Ok(ModelEndpoint::new(config.provider, &config.base_url, config.model, key))
}
