//! Tests of hooks that ask a model, with a fake model server on loopback.

use std::time::Duration;

use hookwright_testkit::{FakeModelServer, Sandbox};
use serde_json::json;

use crate::jcli::{fire, outcomes, trace, use_model, with_user_hooks};

const REVIEW: &str = "pre_tool_execution:\n  - type: llm\n    prompt: 'Is {{tool_name}} {{nobody}} fine?'\n    retry: 0\n    timeout: 5\n";

#[test]
fn without_a_model_the_hook_fails_and_says_why() {
    let sandbox = with_user_hooks(REVIEW);
    let seen = trace(&sandbox, "pre_tool_execution", &json!({"tool_name": "Bash"}));
    assert_eq!(outcomes(&seen), ["pre_tool_execution:0 failed_open"]);
    assert!(
        seen["steps"][0]["reason"]
            .as_str()
            .is_some_and(|why| why.contains("no model")),
        "{seen:#}"
    );
    assert_eq!(seen["steps"][0]["attempts"][0]["end"], "refused");
}

#[test]
fn an_openai_compatible_model_is_asked_and_its_answer_decides() {
    let sandbox = with_user_hooks(REVIEW);
    let model = FakeModelServer::answering("Surely.\n```json\n{\"action\": \"skip\"}\n```");
    use_model(&sandbox, &model, "openai");
    let seen = fire(&sandbox, "pre_tool_execution", &json!({"tool_name": "Bash"}), &[])
        .assert_exit(2)
        .json();
    assert_eq!(outcomes(&seen), ["pre_tool_execution:0 denied"]);
    let question = &model.request_bodies()[0];
    assert_eq!(
        (&question["model"], &question["max_tokens"]),
        (&json!("m"), &json!(2048))
    );
    assert_eq!(question["temperature"].as_f64(), Some(0.0));
    let text = question["messages"].to_string();
    assert!(
        text.contains("Is Bash {{nobody}} fine?") && text.contains("tool_arguments"),
        "{text}"
    );
    assert!(
        !text.contains("user_input"),
        "only what this event accepts is offered: {text}"
    );
    assert_eq!(model.header("authorization").as_deref(), Some("Bearer k"));
}

#[test]
fn an_anthropic_model_is_asked_by_its_own_protocol() {
    let sandbox = with_user_hooks(REVIEW);
    let model = FakeModelServer::answering("{}");
    use_model(&sandbox, &model, "anthropic");
    let seen = fire(&sandbox, "pre_tool_execution", &json!({"tool_name": "Bash"}), &[])
        .assert_exit(0)
        .json();
    assert_eq!(outcomes(&seen), ["pre_tool_execution:0 no_opinion"]);
    let question = &model.request_bodies()[0];
    assert!(
        question["system"].is_string() && question["messages"][0]["role"] == "user",
        "{question:#}"
    );
    assert_eq!(model.header("x-api-key").as_deref(), Some("k"));
}

#[test]
fn a_refusal_blocks_when_the_hook_says_abort() {
    let sandbox = with_user_hooks(&format!("{REVIEW}    on_error: abort\n"));
    let model = FakeModelServer::refusing(529, "overloaded");
    use_model(&sandbox, &model, "openai");
    let seen = fire(&sandbox, "pre_tool_execution", &json!({"tool_name": "Bash"}), &[])
        .assert_exit(2)
        .json();
    assert_eq!(outcomes(&seen), ["pre_tool_execution:0 failed_closed"]);
    let reason = seen["steps"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("529"), "{reason}");
}

#[test]
fn a_slow_model_times_out_and_is_asked_again_by_default() {
    let sandbox = with_user_hooks("pre_tool_execution:\n  - {type: llm, prompt: 'fine?', timeout: 1}\n");
    let model = FakeModelServer::answering_after(Duration::from_secs(20), "{}");
    use_model(&sandbox, &model, "openai");
    let seen = trace(&sandbox, "pre_tool_execution", &json!({}));
    assert_eq!(outcomes(&seen), ["pre_tool_execution:0 timed_out_open"]);
    assert_eq!(seen["steps"][0]["attempts"].as_array().map(Vec::len), Some(2));
}

#[test]
fn prose_without_an_object_is_a_failure() {
    let sandbox = with_user_hooks(REVIEW);
    let model = FakeModelServer::answering("I see no problem.");
    use_model(&sandbox, &model, "openai");
    let seen = trace(&sandbox, "pre_tool_execution", &json!({}));
    assert_eq!(outcomes(&seen), ["pre_tool_execution:0 failed_open"]);
}

#[test]
fn the_key_comes_from_the_named_variable_and_hooks_do_not_get_it() {
    let sandbox = Sandbox::new().with_var("MY_MODEL_KEY", "very-secret-key");
    let model = FakeModelServer::answering("{}");
    crate::jcli::user(&sandbox, &format!("{REVIEW}  - command: 'env >&2'\n"));
    let settings = format!(
        "[model]\nprovider = \"openai\"\nbase_url = \"{}\"\nmodel = \"m\"\napi_key_env = \"MY_MODEL_KEY\"\n",
        model.url()
    );
    sandbox.write("data/settings.toml", settings);
    let done = fire(&sandbox, "pre_tool_execution", &json!({}), &["--raw"]).assert_exit(0);
    assert_eq!(
        outcomes(&done.json()),
        ["pre_tool_execution:0 no_opinion", "pre_tool_execution:1 no_opinion"]
    );
    assert_eq!(model.header("authorization").as_deref(), Some("Bearer very-secret-key"));
    assert!(
        !done.stdout.contains("very-secret-key") && !done.stdout.contains("MY_MODEL_KEY="),
        "{done}"
    );
}

#[test]
fn a_plain_key_for_a_remote_host_leaves_the_model_unconfigured() {
    let sandbox = with_user_hooks(REVIEW);
    sandbox.write(
        "data/settings.toml",
        "[model]\nprovider = \"openai\"\nbase_url = \"https://api.example.com/v1\"\nmodel = \"m\"\napi_key = \"k\"\n",
    );
    let seen = trace(&sandbox, "pre_tool_execution", &json!({}));
    let reason = seen["steps"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("no model") && reason.contains("api_key"), "{reason}");
}
