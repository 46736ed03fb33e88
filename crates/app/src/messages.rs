//! The message templates of this crate.

use hookwright_model::MessageTemplate;

use crate::{
    agent_commands, agent_programs, agents, check, convert, fault, fire, fixtures, gone, guards, hook_files, modules,
    notices, payload, prompts, query, recording, reported_runs, review, samples, scenario, simulate,
};

/// All message templates of this crate.
#[must_use]
pub fn messages() -> Vec<&'static MessageTemplate> {
    [
        fault::ALL,
        agents::ALL,
        agent_commands::find::ALL,
        agent_commands::test_fire::ALL,
        check::ALL,
        convert::ALL,
        gone::ALL,
        guards::ALL,
        hook_files::ALL,
        samples::ALL,
        fire::ALL,
        recording::ALL,
        agent_programs::ALL,
        agent_programs::name::ALL,
        reported_runs::ALL,
        prompts::ALL,
        review::ALL,
        query::ALL,
        scenario::ALL,
        simulate::ALL,
        fixtures::ALL,
        modules::ALL,
        payload::ALL,
        notices::ALL,
    ]
    .concat()
}
