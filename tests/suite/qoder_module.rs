//! Tests of Qoder modules with the built program: which files a bridge loads, and which hooks an error in a module
//! disables.

use hookwright_testkit::Sandbox;
use serde_json::{Value, json};

use crate::jcli::outcomes;

const GATE: &str = "from qoder_agent_sdk import HookMatcher\n\n\nasync def gate(inp, tid, ctx):\n    return {\"decision\": \"block\", \"reason\": \"held\"}\n\n\n";

/// Creates a sandbox in which the user has a module: the callback `gate`, which blocks, and then `text`.
fn with_module(text: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("home/.qoder/hooks.py", format!("{GATE}{text}"));
    sandbox
}

#[track_caller]
fn fired(sandbox: &Sandbox, event: &str, payload: &Value) -> Value {
    let fire = [
        "fire",
        "--dialect",
        "qoder",
        "--event",
        event,
        "--payload",
        "-",
        "--json",
    ];
    sandbox.run_with(payload.to_string(), fire).json()
}

fn tool() -> Value {
    json!({"tool_name": "Bash", "tool_input": {}, "tool_use_id": "t"})
}

/// Code and message of every problem that `check` reports.
#[track_caller]
fn problems(sandbox: &Sandbox) -> Vec<String> {
    let doc = sandbox.run(["check", "--import", "--json"]).json();
    let list = doc["problems"].as_array().unwrap().iter();
    list.map(|problem| {
        format!(
            "{} {}",
            problem["code"].as_str().unwrap(),
            problem["message"].as_str().unwrap()
        )
    })
    .collect()
}

#[test]
fn no_project_file_is_imported_when_a_user_module_starts() {
    let places = ["", ".", "lib", "{project}", "{project}/lib", "{link}"];
    for variable in ["PYTHONPATH", "PYTHONUSERBASE", "PYTHONHOME", "PYTHONPYCACHEPREFIX"] {
        for place in places {
            let sandbox = with_module("hooks = {\"Stop\": [HookMatcher(hooks=[gate])]}\n");
            let trap = format!(
                "open({:?}, \"a\").write(__file__)\n",
                sandbox.path("home/imported").display().to_string()
            );
            for name in [
                "sitecustomize",
                "usercustomize",
                "encodings/__init__",
                "qoder_agent_sdk/__init__",
            ] {
                for folder in ["project", "project/lib"] {
                    sandbox.write(&format!("{folder}/{name}.py"), &trap);
                }
            }
            let link = sandbox.path("home/link");
            std::os::unix::fs::symlink(sandbox.path("project/lib"), &link).unwrap();
            let place = place
                .replace("{project}", &sandbox.project().display().to_string())
                .replace("{link}", &link.display().to_string());
            let sandbox = sandbox.with_var(variable, format!("{place}:/no/such/folder"));
            if variable == "PYTHONHOME" {
                // This value is not a valid `PYTHONHOME`, so Python may fail to start. The outcome is not tested.
                fired(&sandbox, "Stop", &json!({}));
            } else {
                let trace = fired(&sandbox, "Stop", &json!({}));
                assert_eq!(outcomes(&trace), ["Stop:module.0.0 denied"], "{variable}={place}");
            }
            let imported = std::fs::read_to_string(sandbox.path("home/imported")).unwrap_or_default();
            assert_eq!(imported, "", "{variable}={place}");
        }
    }
}

#[test]
fn user_entries_of_the_python_path_are_still_imported() {
    let sandbox = with_module("import mine\nhooks = {\"Stop\": [HookMatcher(hooks=[gate])]}\n");
    sandbox.write("home/python/mine.py", "");
    let path = format!(":lib:{}", sandbox.path("home/python").display());
    let sandbox = sandbox.with_var("PYTHONPATH", path);
    assert_eq!(
        outcomes(&fired(&sandbox, "Stop", &json!({}))),
        ["Stop:module.0.0 denied"]
    );
}

#[test]
fn a_bad_matcher_disables_only_its_group() {
    let sandbox = with_module(
        "import enum\n\n\nclass Event(str, enum.Enum):\n    BEFORE = \"PreToolUse\"\n\n\nclass Odd:\n    @property\n    def hooks(self):\n        raise RuntimeError(\"no\")\n\n\nhooks = {\n    Event.BEFORE: [\n        HookMatcher(\"Bash\", [gate], timeout=float(\"inf\")),\n        HookMatcher(\"Bash\", [gate], timeout=float(\"nan\")),\n        HookMatcher(\"Bash\", [gate], timeout=-float(\"inf\")),\n        HookMatcher(\"Bash\", [gate], timeout=10**400),\n        HookMatcher(\"\\ud800\", [gate]),\n        HookMatcher(\"Bash\", gate),\n        Odd(),\n    ],\n    \"Stop\": HookMatcher(hooks=[gate]),\n}\n",
    );
    let trace = fired(&sandbox, "PreToolUse", &tool());
    assert_eq!(
        outcomes(&trace),
        [
            "PreToolUse:module.0.0 denied",
            "PreToolUse:module.3.0 denied",
            "PreToolUse:module.1.0 skipped:invalid",
            "PreToolUse:module.2.0 skipped:invalid",
            "PreToolUse:module.4.0 skipped:invalid",
        ]
    );
    assert_eq!(
        problems(&sandbox),
        [
            "wrong_type `hooks` of a HookMatcher at `PreToolUse` must be a list of callbacks, found function",
            "wrong_type `PreToolUse` must contain HookMatcher objects, found Odd",
            "wrong_type `Stop` must be a list of HookMatcher, found HookMatcher",
            "wrong_type `timeout` must be a number of seconds, found nan",
            "wrong_type `matcher` must be a string, found string with a lone surrogate",
            "out_of_range `timeout` is -inf; it must be greater than 0",
            "out_of_range `timeout` is inf seconds; 3600 are used",
        ]
    );
}

#[test]
fn a_callback_with_an_unusual_name_is_listed() {
    let sandbox = with_module(
        "import functools\n\n\nclass Odd:\n    def __init__(self):\n        self.__qualname__ = 5\n        self.__code__ = 7\n\n    async def __call__(self, inp, tid, ctx):\n        return await gate(inp, tid, ctx)\n\n\ngate.__qualname__ = \"\\ud800\"\ngate.__wrapped__ = gate\nhooks = {\"Stop\": [HookMatcher(hooks=[gate, Odd(), functools.partial(gate)])]}\n",
    );
    assert_eq!(
        outcomes(&fired(&sandbox, "Stop", &json!({}))),
        [
            "Stop:module.0.0 denied",
            "Stop:module.0.1 denied",
            "Stop:module.0.2 denied"
        ]
    );
    assert_eq!(problems(&sandbox), Vec::<String>::new());
}

#[test]
fn an_object_that_cannot_be_inspected_disables_only_itself() {
    let sandbox = with_module(
        r#"class Key:
    def __str__(self):
        raise RuntimeError("no")


class Bad(list):
    def __iter__(self):
        raise RuntimeError("no")


class Wrapped:
    @property
    def __wrapped__(self):
        raise RuntimeError("no")

    async def __call__(self, inp, tid, ctx):
        return await gate(inp, tid, ctx)


class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no")


class Odd:
    hooks = [gate]

    @property
    def timeout(self):
        raise Mute()


nested = []
for _ in range(300):
    nested = [nested]
hooks = {
    Key(): [HookMatcher(hooks=[gate])],
    "SessionEnd": Bad([HookMatcher(hooks=[gate])]),
    "Stop": [
        HookMatcher(nested, [gate]),
        HookMatcher(hooks=[gate], timeout=nested),
        HookMatcher(hooks=Bad([gate])),
        Odd(),
        HookMatcher(hooks=[Wrapped()]),
    ],
}
"#,
    );
    assert_eq!(
        outcomes(&fired(&sandbox, "Stop", &json!({}))),
        [
            "Stop:module.4.0 denied",
            "Stop:module.0.0 skipped:invalid",
            "Stop:module.1.0 skipped:invalid",
        ]
    );
    assert_eq!(
        problems(&sandbox),
        [
            "wrong_type the keys of `hooks` must be event names, found Key",
            "wrong_type `SessionEnd` must be a list of HookMatcher, found Bad",
            "wrong_type a HookMatcher at `Stop` cannot be read: RuntimeError: no",
            "wrong_type a HookMatcher at `Stop` cannot be read: Mute",
            "wrong_type `matcher` must be a string, found list",
            "wrong_type `timeout` must be a number of seconds, found list",
        ]
    );
}

#[test]
fn an_error_without_a_message_is_reported_by_its_name() {
    let mute = "class Mute(Exception):\n    def __str__(self):\n        raise RuntimeError(\"no\")\n\n\n";
    let sandbox = with_module(&format!("{mute}raise Mute()\n"));
    assert_eq!(
        problems(&sandbox),
        ["import_failed the module could not be imported: Mute"]
    );
    let sandbox = with_module(&format!(
        "{mute}async def fail(inp, tid, ctx):\n    raise Mute()\n\n\nhooks = {{\"Stop\": [HookMatcher(hooks=[fail])]}}\n"
    ));
    assert_eq!(
        outcomes(&fired(&sandbox, "Stop", &json!({}))),
        ["Stop:module.0.0 failed_open"]
    );
}

#[test]
fn of_two_spellings_the_absent_one_has_no_effect() {
    for (answer, ends) in [
        ("{\"continue_\": True, \"continue\": None}", false),
        ("{\"continue\": None, \"continue_\": True}", false),
        ("{\"continue\": None, \"continue_\": False}", true),
        ("{\"continue_\": False, \"continue\": None}", true),
        ("{\"continue\": True, \"continue_\": False}", true),
        ("{\"continue_\": None, \"continue\": None}", false),
        ("{\"async_\": None, \"async\": True}", false),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write(
            "home/.qoder/hooks.py",
            format!("from qoder_agent_sdk import HookMatcher\n\n\nasync def say(inp, tid, ctx):\n    return {answer}\n\n\nhooks = {{\"Stop\": [HookMatcher(hooks=[say])]}}\n"),
        );
        let trace = fired(&sandbox, "Stop", &json!({}));
        let outcome = if ends { "denied" } else { "no_opinion" };
        assert_eq!(outcomes(&trace), [format!("Stop:module.0.0 {outcome}")], "{answer}");
    }
}

#[test]
fn an_invalid_value_in_one_of_two_spellings_is_a_failure() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "home/.qoder/hooks.py",
        "from qoder_agent_sdk import HookMatcher\n\n\nasync def say(inp, tid, ctx):\n    return {\"continue_\": \"yes\", \"continue\": True}\n\n\nhooks = {\"Stop\": [HookMatcher(hooks=[say])]}\n",
    );
    assert_eq!(
        outcomes(&fired(&sandbox, "Stop", &json!({}))),
        ["Stop:module.0.0 failed_open"]
    );
}

#[test]
fn a_folder_that_is_no_package_is_not_the_sdk() {
    let sandbox = with_module("hooks = {\"Stop\": [HookMatcher(hooks=[gate])]}\n");
    sandbox.write("home/python/qoder_agent_sdk/readme", "");
    let path = sandbox.path("home/python");
    let sandbox = sandbox.with_var("PYTHONPATH", path);
    assert_eq!(
        outcomes(&fired(&sandbox, "Stop", &json!({}))),
        ["Stop:module.0.0 denied"]
    );
}

#[test]
fn a_bridge_that_answers_too_late_is_reported_as_late() {
    let sandbox = with_module("import time\ntime.sleep(30)\n");
    let reported = problems(&sandbox);
    let late = "import_failed the module could not be imported: the Python process did not list its hooks within 10 s";
    assert_eq!(reported, [late]);
}

#[test]
fn a_module_without_python_on_path_is_an_error_in_list_and_check() {
    let sandbox = with_module("hooks = {\"Stop\": [HookMatcher(hooks=[gate])]}\n");
    let empty = sandbox.path("home/empty");
    std::fs::create_dir_all(&empty).unwrap();
    let sandbox = sandbox.with_var("PATH", &empty);
    let message = "`python3`, which runs this module, was not found";
    let problem = |doc: &Value| {
        let list = doc["problems"].as_array().unwrap().iter();
        list.filter(|problem| problem["code"] == "bridge_missing")
            .map(|problem| {
                format!(
                    "{} {}",
                    problem["severity"].as_str().unwrap(),
                    problem["message"].as_str().unwrap()
                )
            })
            .collect::<Vec<String>>()
    };
    let checked = sandbox.run(["check", "--json"]);
    assert_eq!(problem(&checked.json()), [format!("error {message}")]);
    checked.assert_exit(1);
    let listed = sandbox.run(["list", "--dialect", "qoder", "--json"]).json();
    assert_eq!(problem(&listed), [format!("error {message}")]);
    assert_eq!(listed["hooks"][0]["valid"], false, "{listed}");
}
