//! Fixtures: payloads that the user saved (`CONTRACTS.md` §5).

use std::os::unix::fs::PermissionsExt;

use hookwright_app::dto::{Fixture, FixtureName, FixturesDoc, FixturesRequest, GivenPayload, SaveFixtureRequest};
use hookwright_app::{App, fire, fixtures};
use hookwright_model::problem::Code;
use hookwright_workspace::ProcessRole;
use serde_json::json;

use crate::common::TestHome;

const EVENT: &str = "pre_tool_execution";

async fn listed(app: &App, test_home: &TestHome) -> FixturesDoc {
    let project = test_home.project.display().to_string();
    let dialect = Some("jcli".to_owned());
    fixtures::fixtures(app, FixturesRequest { project, dialect })
        .await
        .unwrap()
}

fn named(name: &str, payload: serde_json::Value) -> SaveFixtureRequest {
    SaveFixtureRequest {
        dialect: "jcli".to_owned(),
        event: EVENT.to_owned(),
        name: name.to_owned(),
        payload: GivenPayload::Fields(payload.as_object().cloned().unwrap()),
        keep_secrets: false,
    }
}

fn saved(doc: &FixturesDoc) -> Vec<&Fixture> {
    doc.fixtures.iter().filter(|fixture| fixture.saved).collect()
}

#[tokio::test]
async fn a_saved_payload_is_masked_private_and_listed_after_the_example() {
    let test_home = TestHome::new();
    let app = test_home.app(ProcessRole::OneShot);
    let payload = json!({"tool_name": "Bash", "api_key": "hunter2hunter2", "note": "it is hunter2hunter2"});
    let saved_fixture = fixtures::save_fixture(&app, named("drop a table", payload))
        .await
        .unwrap();
    assert!(saved_fixture.redacted);
    let path = test_home
        .home
        .join("data/fixtures/jcli")
        .join(EVENT)
        .join("drop a table.json");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("hunter2") && text.contains("‹redacted›"), "{text}");
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(
        path.parent().unwrap().metadata().unwrap().permissions().mode() & 0o777,
        0o700
    );
    let doc = listed(&app, &test_home).await;
    let of_event: Vec<&Fixture> = doc.fixtures.iter().filter(|fixture| fixture.event == EVENT).collect();
    assert_eq!(of_event[0].name, "example");
    assert_eq!((of_event[1].name.as_str(), of_event[1].saved), ("drop a table", true));
    assert_eq!(of_event[1].payload["tool_name"], "Bash");
}

#[tokio::test]
async fn keep_secrets_keeps_secrets_and_a_save_replaces_the_payload_of_its_name() {
    let test_home = TestHome::new();
    let app = test_home.app(ProcessRole::OneShot);
    fixtures::save_fixture(&app, named("one", json!({"a": 1})))
        .await
        .unwrap();
    let mut whole = named("one", json!({"token": "abcdefgh12345678"}));
    whole.keep_secrets = true;
    assert!(!fixtures::save_fixture(&app, whole).await.unwrap().redacted);
    let doc = listed(&app, &test_home).await;
    assert_eq!(saved(&doc).len(), 1);
    assert_eq!(saved(&doc)[0].payload["token"], "abcdefgh12345678");
}

#[tokio::test]
async fn a_fixture_may_be_as_deep_as_a_payload() {
    let test_home = TestHome::new();
    let app = test_home.app(ProcessRole::OneShot);
    let deep = (0..126).fold(json!(1), |inside, _| json!([inside]));
    fixtures::save_fixture(&app, named("deep", json!({ "a": deep })))
        .await
        .unwrap();
    let doc = listed(&app, &test_home).await;
    assert_eq!(doc.problems, []);
    assert_eq!(saved(&doc)[0].payload["a"], deep);
}

#[tokio::test]
async fn a_fixture_is_removed_once_and_can_be_saved_again() {
    let test_home = TestHome::new();
    let app = test_home.app(ProcessRole::OneShot);
    let before = fixtures::save_fixture(&app, named("one", json!({"z": 1, "a": 2})))
        .await
        .unwrap();
    let name = || FixtureName {
        dialect: "jcli".to_owned(),
        event: EVENT.to_owned(),
        name: "one".to_owned(),
    };
    assert!(fixtures::remove_fixture(&app, name()).await.unwrap().removed);
    assert!(!fixtures::remove_fixture(&app, name()).await.unwrap().removed);
    assert!(saved(&listed(&app, &test_home).await).is_empty());
    let mut again = named("one", json!({}));
    (again.payload, again.keep_secrets) = (GivenPayload::Fields(before.payload.clone()), true);
    fixtures::save_fixture(&app, again).await.unwrap();
    assert_eq!(saved(&listed(&app, &test_home).await)[0].payload, before.payload);
}

#[tokio::test]
async fn the_command_line_of_an_event_has_every_given_option() {
    let test_home = TestHome::new();
    let app = test_home.app(ProcessRole::OneShot);
    let line = async |session: Option<&str>| {
        let request =
            json!({"project": "/a b", "dialect": "jcli", "event": EVENT, "payload": {"q": "it's"}, "session": session});
        fire::command_line(&app, serde_json::from_value(request).unwrap())
            .await
            .unwrap()
            .text
    };
    let plain = line(None).await;
    assert!(
        plain.contains("--project '/a b' --payload -") && !plain.contains("--session"),
        "{plain}"
    );
    let named = line(Some("-s 1")).await;
    assert!(named.contains(" '--session=-s 1' --payload -"), "{named}");
}

#[tokio::test]
async fn names_that_lead_out_of_the_folder_are_refused_and_a_broken_file_is_reported() {
    let test_home = TestHome::new();
    let app = test_home.app(ProcessRole::OneShot);
    for bad in ["../x", "/etc/x", "", "example"] {
        let fault = fixtures::save_fixture(&app, named(bad, json!({}))).await.unwrap_err();
        assert_eq!(fault.code, "bad_fixture_name", "{bad}");
    }
    let folder = test_home.home.join("data/fixtures/jcli").join(EVENT);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("broken.json"), "[1]").unwrap();
    std::fs::write(folder.join("notes.txt"), "mine").unwrap();
    let doc = listed(&app, &test_home).await;
    assert!(saved(&doc).is_empty());
    let codes: Vec<Code> = doc.problems.iter().map(|problem| problem.code).collect();
    assert_eq!(codes, [Code::Syntax]);
}
