mod writing;

use hookwright_model::{Code, Provider};
use proptest::prelude::*;
use serde_json::json;

use super::*;

const FILE: &str = "/data/settings.toml";

fn parse(text: &str) -> (Settings, Vec<Problem>) {
    let settings = Settings::parse(text, Path::new(FILE), Path::new("/home/p"));
    let problems = settings.problems().to_vec();
    (settings, problems)
}

/// The settings as JSON, without the file's path.
fn document(settings: &Settings) -> Value {
    settings.to_json()
}

fn parse_valid(text: &str) -> Settings {
    let (settings, problems) = parse(text);
    assert_eq!(problems, []);
    settings
}

/// One line per problem: `severity code line:column message`.
fn problem_lines(text: &str) -> Vec<String> {
    let (_, problems) = parse(text);
    problems
        .iter()
        .map(|problem| {
            let (line, column) = (problem.line.unwrap_or(0), problem.column.unwrap_or(0));
            format!(
                "{} {} {line}:{column} {}",
                problem.severity.as_str(),
                problem.code.as_str(),
                problem.message
            )
        })
        .collect()
}

struct SettingsFile {
    _dir: tempfile::TempDir,
    path: PathBuf,
}

impl SettingsFile {
    fn settings(&self) -> Settings {
        Settings::read(&self.path, Path::new("/home/p"))
    }
}

fn settings_file(text: &str) -> SettingsFile {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("settings.toml");
    std::fs::write(&path, text).unwrap();
    SettingsFile { _dir: dir, path }
}

/// The text of the file after this change.
fn after(text: &str, key: &str, value: Value) -> String {
    let file = settings_file(text);
    file.settings().set(key, &value).unwrap();
    std::fs::read_to_string(&file.path).unwrap()
}

#[test]
fn no_file_and_an_empty_file_are_the_defaults() {
    let settings = Settings::read(Path::new("/nowhere/settings.toml"), Path::new("/home/p"));
    assert_eq!(settings.problems(), []);
    assert_eq!(document(&settings), document(&Settings::default()));
    assert_eq!(document(&parse_valid("")), document(&settings));
    assert_eq!(
        (
            settings.history.max_days,
            settings.history.max_mb,
            settings.history.bodies_days
        ),
        (30, 2048, 7)
    );
    assert!(settings.redaction.enabled);
    assert_eq!(settings.watch.settle_ms, 100);
}

#[test]
fn every_key_of_the_table_reaches_its_field() {
    for key in keys::all_keys() {
        let value = match key.kind {
            keys::SettingType::Word(choices) => json!(choices[choices.len() - 1]),
            keys::SettingType::Text => json!("http://localhost"),
            keys::SettingType::Flag => json!(false),
            keys::SettingType::Whole(min, _) => json!(min + 1),
            keys::SettingType::Texts | keys::SettingType::Patterns => json!(["one", "two"]),
        };
        let name = format!("{}.{}", key.section, key.name);
        // A plain-text key is accepted only for this machine.
        let before = if key.is("model", "api_key") {
            "[model]\nbase_url = 'http://127.0.0.1'\n"
        } else {
            ""
        };
        let text = after(before, &name, value.clone());
        let (settings, problems) = parse(&text);
        // These settings have no effect yet, and a problem reports that.
        let has_no_effect = key.section == "otlp";
        let codes: Vec<Code> = problems.iter().map(|problem| problem.code).collect();
        assert_eq!(codes, [Code::NoEffect][..usize::from(has_no_effect)], "{name}");
        if name == "model.api_key" {
            assert_eq!(settings.model.api_key, Some(Secret::new("http://localhost")));
            assert_eq!(document(&settings)["model"].get("api_key"), None);
        } else if key.section == "watch" && name != "watch.settle_ms" {
            assert_eq!(
                document(&settings)["watch"][key.name],
                json!(["/home/p/one", "/home/p/two"]),
                "{name}"
            );
        } else {
            assert_eq!(document(&settings)[key.section][key.name], value, "{name}");
        }
    }
}

#[test]
fn the_document_has_every_default_and_no_secret() {
    let settings =
        parse_valid("[model]\nprovider = 'openai'\nbase_url = 'http://localhost:1'\napi_key = 'sesame-opens'\n");
    assert_eq!(
        settings.to_json(),
        json!({
            "model": { "provider": "openai", "base_url": "http://localhost:1", "model": null, "api_key_env": null },
            "agents": { "commands": "ask" },
            "history": { "max_days": 30, "max_mb": 2048, "bodies_days": 7 },
            "redaction": { "enabled": true, "keys": [], "patterns": [] },
            "watch": { "projects": [], "skills_roots": [], "settle_ms": 100 },
            "picoclaw": { "event_method": "hook.event" },
            "ui": { "language": "system", "theme": "system" },
            "notifications": { "failed_open": true, "over_budget": true, "waits_for_approval": true },
            "otlp": { "endpoint": null, "headers_env": null },
        })
    );
    assert!(!format!("{settings:?}").contains("sesame"));
    assert_eq!(
        settings.secrets().collect::<Vec<_>>(),
        [("api_key".to_owned(), "sesame-opens".to_owned())]
    );
}

#[test]
fn unknown_keys_are_warnings_with_their_place() {
    assert_eq!(
        problem_lines("[ui]\ntheme = 'dark'\ncolour = 1\n[histroy]\nmax_days = 3\n[model.extra]\na = 1\n"),
        [
            "warning unknown_field 3:1 unknown setting ui.colour",
            "warning unknown_field 4:2 unknown setting histroy",
            "warning unknown_field 6:8 unknown setting model.extra",
        ]
    );
    let (settings, problems) = parse("[histroy]\n");
    assert_eq!(problems[0].hint.as_deref(), Some("did you mean [history]?"));
    assert_eq!(document(&settings), document(&Settings::default()));
}

#[test]
fn a_wrong_value_affects_only_its_key() {
    let text = "[history]\nmax_days = '30'\nmax_mb = 0\nbodies_days = 3\n[ui]\ntheme = 'blue'\nlanguage = 'zh-CN'\n";
    assert_eq!(
        problem_lines(text),
        [
            "error wrong_type 2:12 history.max_days must be a whole number, not string",
            "error out_of_range 3:10 history.max_mb must be from 1 to 1048576, not 0",
            "error unknown_value 6:9 ui.theme cannot be \"blue\"",
        ]
    );
    let (settings, _) = parse(text);
    assert_eq!(
        (
            settings.history.max_days,
            settings.history.max_mb,
            settings.history.bodies_days
        ),
        (30, 2048, 3)
    );
    assert_eq!(
        (settings.ui.theme, settings.ui.language),
        (Theme::System, Language::Chinese)
    );
}

#[test]
fn columns_count_characters() {
    assert_eq!(
        problem_lines("ui = { theme = '蓝', language = '深' }"),
        [
            "error unknown_value 1:16 ui.theme cannot be \"蓝\"",
            "error unknown_value 1:32 ui.language cannot be \"深\""
        ]
    );
}

#[test]
fn a_section_that_is_no_table_is_an_error() {
    assert_eq!(
        problem_lines("ui = 3\n"),
        ["error wrong_type 1:6 [ui] must be a table, not integer"]
    );
    assert_eq!(
        problem_lines("[[ui]]\n"),
        ["error wrong_type 1:1 [ui] must be a table, not array of tables"]
    );
}

#[test]
fn one_bad_item_of_a_list_does_not_affect_the_others() {
    let text = "[redaction]\nkeys = ['ssn', 3, '密码']\npatterns = ['a+', '(', 'b+']\n";
    let messages = problem_lines(text);
    assert_eq!(
        messages[0],
        "error wrong_type 2:16 redaction.keys must be a list of strings, not a list with a integer"
    );
    assert!(messages[1].starts_with("error bad_pattern 3:19 a pattern of redaction.patterns does not compile: "));
    let (settings, _) = parse(text);
    assert_eq!(settings.redaction.keys, ["ssn", "密码"]);
    assert_eq!(settings.redaction.patterns, ["a+", "b+"]);
}

#[test]
fn a_file_that_does_not_parse_is_one_problem_and_the_defaults() {
    let (settings, problems) = parse("[history]\nmax_days = 3\n[ui\ntheme = 'dark'\n");
    assert_eq!(document(&settings), document(&Settings::default()));
    assert_eq!(problems.len(), 1);
    assert_eq!((problems[0].code.as_str(), problems[0].line), ("syntax", Some(3)));
    assert_eq!(problem_lines("[ui]\ntheme = 'dark'\ntheme = 'light'\n").len(), 1);
}

#[test]
fn a_file_that_cannot_be_read_is_one_problem_and_the_defaults() {
    let dir = tempfile::tempdir().unwrap();
    let settings = Settings::read(dir.path(), Path::new("/home/p"));
    let problems = settings.problems();
    assert_eq!(document(&settings), document(&Settings::default()));
    assert_eq!(
        (problems[0].code.as_str(), problems[0].path.as_path()),
        ("unreadable", dir.path())
    );
}

trait KeyCase {
    fn key_case(&self) -> String;
}

impl KeyCase for Message {
    fn key_case(&self) -> String {
        self.args["case"].as_str().unwrap_or_default().to_owned()
    }
}

mod model {
    use super::*;

    const OLLAMA: &str = "[model]\nprovider = 'openai'\nbase_url = 'http://127.0.0.1:11434/v1/'\nmodel = 'qwen3'\n";

    fn endpoint(text: &str, env: &[(&str, &str)]) -> Result<ModelEndpointConfig, String> {
        let (settings, _) = parse(text);
        let lookup = |name: &str| {
            env.iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| (*value).to_owned())
        };
        settings
            .model_endpoint(lookup)
            .map_err(|message| format!("{}.{}", message.code, message.key_case()))
    }

    #[test]
    fn a_model_on_this_machine_needs_no_key() {
        let config = endpoint(OLLAMA, &[]).unwrap();
        assert_eq!(config.base_url, "http://127.0.0.1:11434/v1");
        assert_eq!(
            (config.provider, config.model.as_str(), config.api_key),
            (Provider::Openai, "qwen3", None)
        );
    }

    #[test]
    fn a_key_in_plain_text_is_for_loopback_hosts_only() {
        for (host, fits) in [
            ("http://127.0.0.1:1", true),
            ("http://127.9.9.9", true),
            ("http://localhost:8080/v1", true),
            ("http://LOCALHOST", true),
            ("http://[::1]:1", true),
            ("https://api.example.com/v1", false),
            ("http://127.0.0.1.example.com", false),
            ("http://localhost.example.com", false),
            ("http://128.0.0.1", false),
            ("http://0.0.0.0", false),
            ("http://[::2]", false),
            ("http://192.168.1.5:11434", false),
        ] {
            let text = format!("[model]\nprovider = 'openai'\nmodel = 'm'\nbase_url = '{host}'\napi_key = 'k3y'\n");
            let answer = endpoint(&text, &[]);
            match answer {
                Ok(config) => assert!(fits && config.api_key == Some(Secret::new("k3y")), "{host}"),
                Err(why) => assert!(!fits && why == "model_not_configured.api_key", "{host} {why}"),
            }
            let warned = problem_lines(&text);
            assert_eq!(warned.is_empty(), fits, "{host} {warned:?}");
            if let Some(warning) = warned.first() {
                assert!(warning.starts_with("warning no_effect 5:1"), "{warning}");
            }
        }
    }

    #[test]
    fn a_key_in_plain_text_for_the_providers_own_address_is_refused_too() {
        let text = "[model]\nprovider = 'openai'\nmodel = 'm'\napi_key = 'k3y'\napi_key_env = 'KEY'\n";
        assert_eq!(
            endpoint(text, &[("KEY", "k")]),
            Err("model_not_configured.api_key".to_owned())
        );
    }

    #[test]
    fn a_user_in_the_address_does_not_make_it_a_loopback_host() {
        let text = "[model]\nprovider='openai'\nmodel='m'\nbase_url='http://localhost@example.com/'\napi_key='k3y'\n";
        assert_eq!(endpoint(text, &[]), Err("model_not_configured.base_url".to_owned()));
    }

    #[test]
    fn the_key_comes_from_the_named_variable() {
        let text = "[model]\nprovider = 'anthropic'\nmodel = 'm'\napi_key_env = 'MY_KEY'\n";
        let config = endpoint(text, &[("MY_KEY", "from-env\n")]).unwrap();
        assert_eq!(config.base_url, "https://api.anthropic.com");
        assert_eq!(config.api_key, Some(Secret::new("from-env")));
        assert!(!format!("{config:?}").contains("from-env"));
        assert_eq!(
            endpoint(text, &[("MY_KEY", " ")]),
            Err("model_not_configured.api_key_env".to_owned())
        );
        assert_eq!(endpoint(text, &[]), Err("model_not_configured.api_key_env".to_owned()));
    }

    #[test]
    fn a_missing_setting_is_reported() {
        assert_eq!(endpoint("", &[]), Err("model_not_configured.provider".to_owned()));
        assert_eq!(
            endpoint("[model]\nprovider = 'openai'\n", &[]),
            Err("model_not_configured.model".to_owned())
        );
        for address in ["nonsense", "ftp://localhost", "http://", "http://localhost/?key=1"] {
            let text = format!("[model]\nprovider = 'openai'\nmodel = 'm'\nbase_url = '{address}'\n");
            assert_eq!(
                endpoint(&text, &[]),
                Err("model_not_configured.base_url".to_owned()),
                "{address}"
            );
        }
    }

    #[test]
    fn an_empty_text_counts_as_absent() {
        let text = OLLAMA.to_owned() + "api_key_env = ''\napi_key = ''\n";
        assert!(endpoint(&text, &[]).is_ok());
    }
}

#[test]
fn problems_have_codes_of_the_table() {
    for template in ALL {
        let ours = matches!(template.code, "model_not_configured" | "bad_setting");
        assert!(
            ours || hookwright_model::Code::from_name(template.code).is_some(),
            "{}",
            template.code
        );
    }
}

proptest! {
    #[test]
    fn a_list_becomes_what_was_wanted_and_no_comment_gets_lost(
        before in prop::collection::vec(("[a-z]{1,3}", any::<bool>()), 0..6),
        after in prop::collection::vec("[a-z]{1,3}", 0..6),
        lines in any::<bool>(),
        last_comma in any::<bool>(),
        windows in any::<bool>(),
    ) {
        let mut text = "[redaction] # c0\nkeys = [".to_owned();
        let mut comments = 1;
        let count = before.len();
        for (index, (item, comment)) in before.iter().enumerate() {
            let comma = if index + 1 < count || last_comma { "," } else { "" };
            if lines {
                text.push_str(&format!("\n  '{item}'{comma}"));
                if *comment {
                    text.push_str(&format!(" # c{comments}"));
                    comments += 1;
                }
            } else {
                text.push_str(&format!("'{item}'{comma} "));
            }
        }
        text.push_str(if lines { "\n]\nenabled = true # end\n" } else { "]\nenabled = true # end\n" });
        let text = if windows { text.replace('\n', "\r\n") } else { text };
        let next = write::set(
            Path::new(FILE),
            &text,
            keys::find_key("redaction.keys").unwrap(),
            Some(&toml_edit::Value::from(after.iter().map(String::as_str).collect::<toml_edit::Array>())),
        ).unwrap();
        prop_assert_eq!(parse_valid(&next).redaction.keys, after.clone());
        if !after.is_empty() {
            for comment in 0..comments {
                let comment = format!("# c{comment}");
                prop_assert!(next.contains(&comment), "{} is missing in {}", comment, next);
            }
        }
        prop_assert_eq!(next.contains("\r\n"), windows);
        prop_assert!(!windows || !next.replace("\r\n", "").contains('\n'));
    }
}

#[test]
fn only_the_settings_for_collectors_have_no_effect() {
    for word in ["ask", "allow"] {
        parse_valid(&format!("[agents]\ncommands = '{word}'\n"));
    }
    assert_eq!(
        problem_lines("[otlp]\nendpoint = 'http://localhost:4318'\n"),
        ["warning no_effect 2:1 otlp.endpoint has no effect in this version"]
    );
}
