//! The test of the model endpoint.

use hookwright_app::commands;
use hookwright_testkit::FakeModelServer;
use hookwright_workspace::ProcessRole;
use serde_json::{Value, json};

use crate::common::{TestHome, write};

/// Runs `model.test` with these settings. The fake server has a runtime of its own, so this one is separate.
fn test_model(settings: &str) -> Value {
    let home = TestHome::new();
    write(&home.home.join("data/settings.toml"), settings);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let app = home.app(ProcessRole::OneShot);
        commands::call(&app, "model.test", json!({ "run": "r" }))
            .await
            .expect("model.test")
    })
}

fn test_endpoint(url: &str) -> Value {
    test_model(&format!(
        "[model]\nprovider = \"openai\"\nbase_url = \"{url}\"\nmodel = \"small\"\n"
    ))
}

#[test]
fn the_model_of_the_settings_is_asked_once() {
    let model = FakeModelServer::answering("ready");
    let answer = test_endpoint(&model.url());
    assert_eq!(
        (&answer["end"], &answer["text"], &answer["error"]),
        (&json!("replied"), &json!("ready"), &Value::Null)
    );
    assert!(answer["took_ms"].as_f64().unwrap() > 0.0);
    let asked = model.request_bodies();
    assert_eq!((asked.len(), &asked[0]["model"]), (1, &json!("small")));
}

#[test]
fn a_refusal_is_a_reply_with_its_reason_and_without_secrets() {
    let model = FakeModelServer::refusing(401, "the key sk-proj-4fT9xQ2mLbV7cR1nZ8wKpYdE3uJhGsAo is wrong");
    let answer = test_endpoint(&model.url());
    assert_eq!((&answer["end"], &answer["text"]), (&json!("refused"), &Value::Null));
    let error = answer["error"].as_str().unwrap();
    assert!(error.contains("401") && !error.contains("4fT9xQ2m"), "{error}");
}

#[test]
fn without_an_endpoint_it_says_so() {
    let answer = test_model("");
    assert_eq!(answer["end"], json!("refused"));
    assert!(answer["error"].as_str().unwrap().starts_with("no model: "), "{answer}");
}
