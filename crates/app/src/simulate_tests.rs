use super::*;

fn read(name: &str, text: &str) -> Result<Scenario, String> {
    parse_scenario(Path::new(name), text).map_err(|fault| fault.message)
}

const YAML: &str = "dialect: jcli\nmodel: gpt-4o\nmessages:\n  - {role: system, content: Be brief., _hook: tone}\nturns:\n  - user: hi\n    steps:\n      - calls: [{tool: Bash, arguments: {command: ls}, error: no}]\n      - reply: done\n";

#[test]
fn yaml_and_json_say_the_same() {
    let yaml = read("play.yaml", YAML).unwrap();
    let json = serde_json::to_string(&yaml).unwrap();
    assert_eq!(read("play.json", &json).unwrap(), yaml);
    assert_eq!(read("no-name", &format!("\u{feff}\n{json}")).unwrap(), yaml);
    assert_eq!(yaml.turns[0].steps[0].calls[0].error.as_deref(), Some("no"));
    assert!(yaml.turns[0].enable_tools && yaml.turns[0].need_tool);
    assert_eq!(yaml.messages[0].rest["_hook"], "tone");
}

#[test]
fn a_json_text_may_hold_every_sign() {
    let scenario = read(
        "play.json",
        r#"{"dialect": "jcli", "turns": [{"user": "\ud83d\ude00\t\u4e2d"}]}"#,
    )
    .unwrap();
    assert_eq!(scenario.turns[0].user, "😀\t中");
}

#[track_caller]
fn refused(name: &str, text: &str, why: &str) {
    assert_eq!(read(name, text).unwrap_err(), why);
}

#[test]
fn what_is_wrong_is_told_with_file_line_and_field() {
    refused(
        "a.yaml",
        "dialect: jcli\nturns:\n  - user: hi\n    step: []\n",
        "a.yaml:4: turns[0].step: unknown field `step`, expected one of `user`, `enable_tools`, `need_tool`, `steps`",
    );
    refused(
        "a.yaml",
        "dialect: jcli\nturns:\n  - user: [3]\n",
        "a.yaml:3: turns[0].user: invalid type: sequence, expected a string",
    );
    refused("a.yaml", "dialect: jcli\n", "a.yaml:1: scenario: missing field `turns`");
    refused(
        "a.yaml",
        "dialect: jcli\nturns:\n  - user: hi\n    steps:\n      - {}\n",
        "a.yaml:5: turns[0].steps[0]: a step needs `calls` or `reply`",
    );
    refused(
        "a.json",
        "{\"dialect\": \"jcli\",\n \"turns\": [{\"user\": \"hi\",\n  \"enable_tools\": \"no\"}]}",
        "a.json:3: turns[0].enable_tools: invalid type: string \"no\", expected a boolean",
    );
    refused(
        "a.json",
        "{\"dialect\":\n",
        "a.json:2: dialect: EOF while parsing a value",
    );
    refused(
        "a.json",
        "{\"dialect\": \"jcli\", \"turns\": []} x",
        "a.json:1: scenario: trailing characters",
    );
}
