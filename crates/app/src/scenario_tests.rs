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
fn json_escapes_are_decoded() {
    let scenario = read(
        "play.json",
        r#"{"dialect": "jcli", "turns": [{"user": "\ud83d\ude00\t\u4e2d"}]}"#,
    )
    .unwrap();
    assert_eq!(scenario.turns[0].user, "😀\t中");
}

#[test]
fn yaml_is_read_as_hook_files_are() {
    let call = |arguments: &str| {
        let text =
            format!("turns: [{{user: a, steps: [{{calls: [{{tool: t, arguments: {arguments}}}]}}]}}]\ndialect: jcli");
        read("s.yaml", &text).unwrap().turns[0].steps[0].calls[0]
            .arguments
            .clone()
    };
    assert_eq!(call("{v: 0x1F}")["v"], 31);
    assert_eq!(call("{v: .nan}")["v"], ".nan");
    assert_eq!(call("{v: 1e400}")["v"], "1e400");
    assert_eq!(call("!x {a: 1}")["a"], 1);
    let merged = read("s", "defaults: &d {user: hi}\n").unwrap_err();
    assert!(merged.contains("unknown field `defaults`"), "{merged}");
    let merged = read(
        "s.yaml",
        "dialect: jcli\nmodel: &m m\nturns:\n  - &t {user: a}\n  - {<<: *t, need_tool: false}\n",
    )
    .unwrap();
    assert_eq!(merged.turns[1].user, "a");
    assert_eq!(read("s.yaml", "{dialect: jcli, turns: []}").unwrap().dialect, "jcli");
    assert_eq!(read("-", "{dialect: jcli, turns: []}").unwrap().dialect, "jcli");
}

#[test]
fn the_numbers_of_yaml_are_as_they_are_written_where_json_has_them() {
    let text = "dialect: jcli\nturns:\n  - user: a\n    steps:\n      - calls:\n          - tool: t\n            arguments: {a: 12345678901234567890123, b: 1e2, c: -0, d: 0.1000000000000000055, e: +7, f: 010}\n";
    let scenario = read("s.yaml", text).unwrap();
    assert_eq!(
        scenario.turns[0].steps[0].calls[0].arguments_text(),
        r#"{"a":12345678901234567890123,"b":1e2,"c":-0,"d":0.1000000000000000055,"e":7,"f":10}"#
    );
}

#[track_caller]
fn assert_refused(name: &str, text: &str, why: &str) {
    assert_eq!(read(name, text).unwrap_err(), why);
}

#[test]
fn an_error_names_file_line_and_field() {
    assert_refused(
        "a.yaml",
        "dialect: jcli\nturns:\n  - user: hi\n    step: []\n",
        "a.yaml:4: turns[0].step: unknown field `step`, expected one of `user`, `enable_tools`, `need_tool`, `steps`",
    );
    assert_refused(
        "a.yaml",
        "dialect: jcli\nturns:\n  - user: [3]\n",
        "a.yaml:3: turns[0].user: invalid type: sequence, expected a string",
    );
    assert_refused("a.yaml", "dialect: jcli\n", "a.yaml:1: scenario: missing field `turns`");
    assert_refused(
        "a.yaml",
        "dialect: jcli\nturns:\n  - user: hi\n    steps:\n      - {}\n",
        "a.yaml:5: turns[0].steps[0]: a step needs `calls` or `reply`",
    );
    assert_refused(
        "a.yaml",
        "dialect: jcli\nturns:\n  - user: hi\n    user: ho\n",
        "a.yaml:4: user: duplicate key",
    );
    assert_refused("a.yaml", "# nothing\n", "a.yaml:1: scenario: the file is empty");
    assert_refused(
        "-",
        "{\"dialect\": \"jcli\", \"turn\": []}",
        "-:1: turn: unknown field `turn`, expected one of `dialect`, `session`, `model`, `system_prompt`, `enabled_skills`, `prompts`, `messages`, `turns`",
    );
    assert_refused(
        "a.json",
        "{\"dialect\": \"jcli\",\n \"turns\": [{\"user\": \"hi\",\n  \"enable_tools\": \"no\"}]}",
        "a.json:3: turns[0].enable_tools: invalid type: string \"no\", expected a boolean",
    );
    assert_refused(
        "a.json",
        "{\"dialect\":\n",
        "a.json:2: dialect: EOF while parsing a value",
    );
    assert_refused(
        "a.json",
        "{\"dialect\": \"jcli\", \"turns\": []} x",
        "a.json:1: scenario: trailing characters",
    );
}

#[test]
fn a_list_is_not_read_as_an_object() {
    let why = "invalid type: sequence, expected named fields";
    assert_refused("a.yaml", "[]", &format!("a.yaml:1: scenario: {why}"));
    assert_refused(
        "a.json",
        "[\"qoder\", null, \"\", \"\", null, {}, [], []]",
        &format!("a.json:1: scenario: {why}"),
    );
    assert_refused(
        "a.yaml",
        "dialect: jcli\nturns:\n  - [hi]\n",
        &format!("a.yaml:3: turns[0]: {why}"),
    );
    assert_refused(
        "a.yaml",
        "dialect: jcli\nturns:\n  - user: hi\n    steps: [{calls: [[t, {}, r]]}]\n",
        &format!("a.yaml:4: turns[0].steps[0].calls[0]: {why}"),
    );
    assert_refused(
        "a.json",
        "{\"dialect\": \"jcli\", \"prompts\": [],\n \"turns\": []}",
        &format!("a.json:1: prompts: {why}"),
    );
    assert_refused(
        "a.json",
        "{\"dialect\": \"jcli\",\n \"turns\": [{\"user\": \"hi\", \"steps\":\n [[[], \"x\"]]}]}",
        &format!("a.json:3: turns[0].steps[0]: {why}"),
    );
}
