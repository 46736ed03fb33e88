//! Tests of prompts in the formats of both providers, with an endpoint on loopback.

mod common;

use std::time::Duration;

use common::{exec, limited, order, text};
use futures::FutureExt;
use hookwright_exec::{Exec, ModelEndpoint};
use hookwright_model::{Call, End, PromptCall, Provider, Run, RunContext, Runner, render};
use serde_json::{Value, json};
use wiremock::matchers::{any, header, method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

const KEY: &str = "sk-test-0123456789";

fn prompt() -> PromptCall {
    PromptCall {
        system: "only JSON".to_owned(),
        prompt: "may it?".to_owned(),
        model: None,
        max_tokens: 2048,
        temperature: 0.0,
    }
}

fn exec_with_model(provider: Provider, base_url: &str) -> Exec {
    let exec = exec();
    exec.use_model(Ok(ModelEndpoint::new(
        provider,
        base_url,
        "small".to_owned(),
        Some(KEY.to_owned()),
    )));
    exec
}

async fn ask(exec: &Exec) -> Run {
    exec.run(Call::Prompt(prompt()), order()).await
}

/// A server that gives this one response to every request.
async fn serve_answer(answer: ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(answer).mount(&server).await;
    server
}

fn openai_text(words: &str) -> Value {
    json!({ "choices": [{ "message": { "role": "assistant", "content": words } }] })
}

async fn refused(answer: ResponseTemplate) -> String {
    let server = serve_answer(answer).await;
    let run = ask(&exec_with_model(Provider::Openai, &server.uri())).await;
    assert_eq!(run.end, End::Refused);
    assert!(run.stdout.bytes.is_empty());
    text(&run.stderr.bytes)
}

#[tokio::test]
async fn the_openai_wire_asks_once_without_streaming_and_brings_the_text() {
    let server = MockServer::start().await;
    let mut body = openai_text(r#"{"action":"stop"}"#);
    body["usage"] = json!({ "prompt_tokens": 12, "completion_tokens": 3 });
    let said = ResponseTemplate::new(200).set_body_json(body);
    Mock::given(method("POST"))
        .and(path("/v1/chat/completions"))
        .and(header("authorization", format!("Bearer {KEY}")))
        .respond_with(said)
        .expect(1)
        .mount(&server)
        .await;
    let run = ask(&exec_with_model(Provider::Openai, &format!("{}/v1/", server.uri()))).await;
    assert_eq!((run.end, run.code), (End::Replied, None), "{}", text(&run.stderr.bytes));
    assert_eq!(text(&run.stdout.bytes), r#"{"action":"stop"}"#);
    assert_eq!(text(&run.stdin.bytes), "may it?");
    let counters: Vec<_> = run.counters.into_iter().collect();
    assert_eq!(counters, [("input_tokens", 12), ("output_tokens", 3)]);
    let asked: Value = server.received_requests().await.unwrap()[0].body_json().unwrap();
    let messages = json!([{ "role": "system", "content": "only JSON" }, { "role": "user", "content": "may it?" }]);
    assert_eq!(
        asked,
        json!({ "model": "small", "stream": false, "messages": messages, "max_tokens": 2048, "temperature": 0.0 })
    );
}

#[tokio::test]
async fn the_anthropic_wire_has_its_own_headers_and_shape() {
    let server = MockServer::start().await;
    let said = json!({ "content": [{ "type": "text", "text": "{}" }], "stop_reason": "end_turn" });
    Mock::given(method("POST"))
        .and(path("/v1/messages"))
        .and(header("x-api-key", KEY))
        .and(header("anthropic-version", "2023-06-01"))
        .respond_with(ResponseTemplate::new(200).set_body_json(said))
        .expect(1)
        .mount(&server)
        .await;
    let exec = exec_with_model(Provider::Anthropic, &server.uri());
    let run = exec
        .run(
            Call::Prompt(PromptCall {
                model: Some("large".to_owned()),
                ..prompt()
            }),
            order(),
        )
        .await;
    assert_eq!(
        (run.end, text(&run.stdout.bytes)),
        (End::Replied, "{}".to_owned()),
        "{}",
        text(&run.stderr.bytes)
    );
    let asked: Value = server.received_requests().await.unwrap()[0].body_json().unwrap();
    let messages = json!([{ "role": "user", "content": "may it?" }]);
    let wanted = json!({ "model": "large", "stream": false, "system": "only JSON", "messages": messages, "max_tokens": 2048, "temperature": 0.0 });
    assert_eq!(asked, wanted);
}

#[tokio::test]
async fn a_model_without_temperature_and_max_tokens_gets_other_parameters() {
    let server = MockServer::start().await;
    Mock::given(any())
        .respond_with(|request: &Request| {
            let asked: Value = request.body_json().unwrap();
            let complain =
                |words: &str| ResponseTemplate::new(400).set_body_json(json!({ "error": { "message": words } }));
            if asked.get("max_tokens").is_some() {
                complain("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
            } else if asked.get("temperature").is_some() {
                complain("Unsupported value: 'temperature' does not support 0.")
            } else {
                ResponseTemplate::new(200).set_body_json(openai_text("{}"))
            }
        })
        .expect(3)
        .mount(&server)
        .await;
    let run = ask(&exec_with_model(Provider::Openai, &server.uri())).await;
    assert_eq!(run.end, End::Replied, "{}", text(&run.stderr.bytes));
}

#[tokio::test]
async fn a_refusal_carries_status_and_message_and_never_the_key() {
    let body = json!({ "error": { "message": format!("  incorrect key {KEY}  ") } });
    let said = refused(ResponseTemplate::new(401).set_body_json(body)).await;
    assert_eq!(said, "HTTP 401 Unauthorized: incorrect key ‹redacted›");
}

#[tokio::test]
async fn a_refusal_without_json_is_cut() {
    let said = refused(ResponseTemplate::new(502).set_body_string("x".repeat(100_000))).await;
    assert!(
        said.starts_with("HTTP 502 Bad Gateway: xxx") && said.ends_with('…'),
        "{said}"
    );
    assert!(said.chars().count() < 2100);
}

#[tokio::test]
async fn an_empty_refusal_is_its_status() {
    assert_eq!(
        refused(ResponseTemplate::new(503)).await,
        "HTTP 503 Service Unavailable"
    );
}

#[tokio::test]
async fn success_without_text_is_refused() {
    assert!(
        refused(ResponseTemplate::new(200).set_body_json(json!({})))
            .await
            .contains("contains no text")
    );
}

#[tokio::test]
async fn an_answer_over_the_limit_is_refused() {
    let said = refused(ResponseTemplate::new(200).set_body_bytes(vec![b' '; (32 << 20) + 1])).await;
    assert_eq!(said, "the response is larger than 32 MiB");
}

#[tokio::test]
async fn a_redirect_does_not_carry_the_key_elsewhere() {
    let elsewhere = serve_answer(ResponseTemplate::new(200).set_body_json(openai_text("{}"))).await;
    let said = refused(ResponseTemplate::new(307).insert_header("location", elsewhere.uri())).await;
    assert_eq!(said, "HTTP 307 Temporary Redirect");
    assert!(elsewhere.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn an_unreachable_endpoint_is_refused_with_the_reason() {
    let unreachable = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}", listener.local_addr().unwrap())
    };
    let run = ask(&exec_with_model(Provider::Openai, &unreachable)).await;
    assert_eq!(run.end, End::Refused);
    assert!(
        text(&run.stderr.bytes).contains("refused"),
        "{}",
        text(&run.stderr.bytes)
    );
}

#[tokio::test]
async fn an_invalid_address_is_refused_with_the_reason() {
    let run = ask(&exec_with_model(Provider::Openai, "localhost")).await;
    assert_eq!(run.end, End::Refused);
    assert!(
        text(&run.stderr.bytes).contains("relative URL"),
        "{}",
        text(&run.stderr.bytes)
    );
}

#[tokio::test]
async fn the_deadline_ends_a_prompt() {
    let server = serve_answer(ResponseTemplate::new(200).set_delay(Duration::from_secs(600))).await;
    let exec = exec_with_model(Provider::Openai, &server.uri());
    let run = exec
        .run(Call::Prompt(prompt()), limited(Duration::from_millis(50)))
        .await;
    assert_eq!(run.end, End::TimedOut);
}

#[tokio::test]
async fn a_cancel_ends_a_prompt() {
    let server = serve_answer(ResponseTemplate::new(200).set_delay(Duration::from_secs(600))).await;
    let (stop, stopped) = futures::channel::oneshot::channel::<()>();
    drop(stop);
    let order = RunContext {
        cancelled: stopped.map(drop).boxed().shared(),
        ..order()
    };
    let run = exec_with_model(Provider::Openai, &server.uri())
        .run(Call::Prompt(prompt()), order)
        .await;
    assert_eq!(run.end, End::Cancelled);
}

#[tokio::test]
async fn without_an_endpoint_there_is_no_model_and_a_reason() {
    hookwright_model::messages! {
        /// The reason that a caller gives after it has read the settings.
        NO_KEY = "no_key" { "{var} is not set", "未设置 {var}" };
    }
    let exec = exec();
    assert_eq!(
        text(&ask(&exec).await.stderr.bytes),
        "no model: no endpoint is configured"
    );
    exec.use_model(Err(render!(NO_KEY, "var" => "MY_KEY")));
    let run = ask(&exec).await;
    assert_eq!(
        (run.end, text(&run.stderr.bytes)),
        (End::Refused, "no model: MY_KEY is not set".to_owned())
    );
    assert_eq!(ALL.len(), 1);
}

#[tokio::test]
async fn an_endpoint_on_loopback_is_never_asked_through_a_proxy() {
    let server = serve_answer(ResponseTemplate::new(200).set_body_json(openai_text("{}"))).await;
    let exec = Exec::new(
        [
            ("http_proxy".into(), "http://127.0.0.1:1".into()),
            ("ALL_PROXY".into(), "http://127.0.0.1:1".into()),
        ],
        None,
    );
    exec.use_model(Ok(ModelEndpoint::new(
        Provider::Openai,
        &server.uri(),
        "m".to_owned(),
        None,
    )));
    assert_eq!(ask(&exec).await.end, End::Replied);
}

#[tokio::test]
async fn an_endpoint_elsewhere_is_asked_through_the_proxy_of_the_environment() {
    let proxy = serve_answer(ResponseTemplate::new(200).set_body_json(openai_text("{}"))).await;
    let exec = Exec::new([("http_proxy".into(), proxy.uri().into())], None);
    exec.use_model(Ok(ModelEndpoint::new(
        Provider::Openai,
        "http://model.invalid/v1",
        "m".to_owned(),
        None,
    )));
    let run = ask(&exec).await;
    assert_eq!(run.end, End::Replied, "{}", text(&run.stderr.bytes));
}
