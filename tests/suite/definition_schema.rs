//! The JSON Schemas of hook files: every sample fits, and what a reader rejects does not.

use std::path::{Path, PathBuf};

use hookwright_dialects::definition_schema::{SchemaLanguage, json_schema, read_file};
use hookwright_dialects::{all, find};
use hookwright_model::definition::DefinitionFormat;
use hookwright_model::{Code, Dialect, Layer, Problem, Root, RootKind, Severity, SourceFile, SourceTree};
use hookwright_testkit::Sandbox;
use hookwright_testkit::case::{CasePage, PathContent};
use hookwright_testkit::program::workspace;
use jsonschema::Validator;
use serde_json::Value;

fn validator(dialect: &dyn Dialect) -> Validator {
    let schema = json_schema(dialect.card(), SchemaLanguage::En);
    jsonschema::draft202012::new(&schema).unwrap_or_else(|error| panic!("{}: {error}", dialect.card().id))
}

/// Every file below a folder.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_below(&path));
        } else {
            found.push(path);
        }
    }
    found
}

/// Whether a path matches one of the usual paths of the dialect's files, in which `*` is one folder.
fn is_file_of(dialect: &dyn Dialect, path: &Path) -> bool {
    let fits = |pattern: &str| {
        let wanted: Vec<&str> = pattern.split('/').collect();
        let parts: Vec<_> = path
            .components()
            .map(|part| part.as_os_str().to_string_lossy())
            .collect();
        let Some(begin) = parts.len().checked_sub(wanted.len()) else {
            return false;
        };
        parts[begin..]
            .iter()
            .zip(&wanted)
            .all(|(part, wanted)| *wanted == "*" || part == wanted)
    };
    dialect.card().definition.files.iter().any(|pattern| fits(pattern))
}

#[test]
fn every_sample_fits_the_schema_of_its_dialect() {
    let samples = files_below(&workspace().join("hooks-samples"));
    for dialect in all() {
        let schema = validator(*dialect);
        let mine: Vec<&PathBuf> = samples.iter().filter(|path| is_file_of(*dialect, path)).collect();
        assert!(mine.len() >= 3, "{} has {} samples", dialect.card().id, mine.len());
        for path in mine {
            let text = std::fs::read_to_string(path).unwrap();
            let file = read_file(dialect.card().definition.format, &text);
            let file = file.unwrap_or_else(|| panic!("{} does not parse", path.display()));
            let wrong: Vec<String> = schema
                .iter_errors(&file)
                .map(|error| format!("{}: {error}", error.instance_path()))
                .collect();
            assert!(wrong.is_empty(), "{}\n  {}", path.display(), wrong.join("\n  "));
        }
    }
}

#[test]
fn a_file_that_is_known_to_be_wrong_does_not_fit() {
    let wrong = [
        ("jcli", "a misspelled event", "pre_tool_exection:\n  - command: x\n"),
        ("jcli", "no command", "stop:\n  - timeout: 1\n"),
        ("jcli", "a prompt without its type", "stop:\n  - prompt: ok?\n"),
        (
            "jcli",
            "a prompt hook without a prompt",
            "stop:\n  - type: llm\n    command: x\n",
        ),
        ("jcli", "a misspelled key", "stop:\n  - command: x\n    matchr: Bash\n"),
        (
            "jcli",
            "an unknown choice",
            "stop:\n  - command: x\n    on_error: ignore\n",
        ),
        (
            "jcli",
            "milliseconds instead of seconds",
            "stop:\n  - command: x\n    timeout: 5000\n",
        ),
        ("jcli", "a fraction", "stop:\n  - command: x\n    timeout: 0.5\n"),
        ("jcli", "a mapping instead of a list", "stop:\n  command: x\n"),
        (
            "qoder",
            "no group",
            r#"{"hooks": {"Stop": [{"type": "command", "command": "x"}]}}"#,
        ),
        ("qoder", "an unknown event", r#"{"hooks": {"preToolUse": []}}"#),
        (
            "qoder",
            "no type",
            r#"{"hooks": {"Stop": [{"hooks": [{"command": "x"}]}]}}"#,
        ),
        (
            "qoder",
            "a timeout of 0",
            r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": 0}]}]}}"#,
        ),
        ("agent-hooks", "no trigger", "---\nname: a\ndescription: d\n---\n"),
        (
            "agent-hooks",
            "an unknown trigger",
            "---\nname: a\ntrigger: before_tol\n---\n",
        ),
        (
            "agent-hooks",
            "a text as a timeout",
            "---\nname: a\ntrigger: before_tool\ntimeout: soon\n---\n",
        ),
        (
            "picoclaw",
            "a text as a command",
            r#"{"hooks": {"processes": {"a": {"command": "sh a"}}}}"#,
        ),
        (
            "picoclaw",
            "an unknown point",
            r#"{"hooks": {"processes": {"a": {"command": ["sh"], "intercept": ["before"]}}}}"#,
        ),
        ("skill", "no list", r#"{"hooks": {}}"#),
        (
            "skill",
            "an unknown role",
            r#"{"hooks": [{"name": "a", "file": "a.md", "timing": "before_planning", "role": "tool", "persistent": false}]}"#,
        ),
    ];
    for (id, what, text) in wrong {
        let dialect = find(id).unwrap();
        let file = read_file(dialect.card().definition.format, text).unwrap();
        assert!(!validator(dialect).is_valid(&file), "{id}, {what}");
    }
}

/// The root under which a file of a case page is read alone.
fn tree_of(dialect: &dyn Dialect, path: &str, text: &str) -> SourceTree {
    let path = Path::new("/").join(path);
    let name = match dialect.card().definition.format {
        DefinitionFormat::FrontMatter => Some("HOOK.md"),
        DefinitionFormat::Json if path.ends_with("hooks/hooks.json") => Some("hooks/hooks.json"),
        DefinitionFormat::Json | DefinitionFormat::Yaml => None,
    };
    let Some(name) = name else {
        return SourceTree::with_text(Root::file(Layer::User, path, None), Ok(text.to_owned()));
    };
    let above = Path::new(name).components().count() + 1;
    let root = Root {
        layer: Layer::User,
        path: path.ancestors().nth(above).unwrap().to_owned(),
        project: None,
        reads: RootKind::Folders(name),
        managed: false,
        above: 0,
        home: None,
    };
    SourceTree {
        root,
        exists: true,
        files: [(path.clone(), SourceFile::with_text(path, Ok(text.to_owned())))]
            .into_iter()
            .collect(),
    }
}

/// The hook files of a dialect's case pages, each with the page.
fn case_files(dialect: &dyn Dialect) -> Vec<(PathBuf, SourceTree, Value)> {
    let folder = workspace().join("crates/dialects/cases").join(dialect.card().id);
    let spec = dialect.card().definition;
    let names: Vec<&str> = spec.files.iter().filter_map(|path| path.rsplit('/').next()).collect();
    let mut out = Vec::new();
    for page in files_below(&folder) {
        let Ok(page) = CasePage::open(&page) else { continue };
        for file in page.files {
            let PathContent::Bytes(bytes) = file.content else {
                continue;
            };
            let Ok(text) = String::from_utf8(bytes) else { continue };
            if !names.iter().any(|name| file.path.ends_with(&format!("/{name}"))) {
                continue;
            }
            if let Some(value) = read_file(spec.format, &text) {
                out.push((page.path.clone(), tree_of(dialect, &file.path, &text), value));
            }
        }
    }
    out
}

/// Fields that Hookwright does not support are no problem while they are empty. A schema that offered them would mislead.
const EMPTY_FIELDS: &str = "definition-empty-changes.md";

/// Problems that are not about what the file itself contains.
const ELSEWHERE: [Code; 2] = [Code::FileMissing, Code::EntryMissing];

#[test]
fn a_file_of_a_case_page_fits_if_its_reader_finds_nothing_wrong() {
    for dialect in all() {
        let schema = validator(*dialect);
        let mut fitting = 0;
        for (page, tree, value) in case_files(*dialect) {
            let problems = dialect.parse(&tree).problems;
            let is_exempt = page.ends_with(EMPTY_FIELDS);
            if is_exempt || problems.iter().any(|problem| !ELSEWHERE.contains(&problem.code)) {
                continue;
            }
            fitting += 1;
            let wrong: Vec<String> = schema
                .iter_errors(&value)
                .map(|error| format!("{}: {error}", error.instance_path()))
                .collect();
            assert!(
                wrong.is_empty(),
                "{}\n  {}\n{value:#}",
                page.display(),
                wrong.join("\n  ")
            );
        }
        assert!(fitting > 30, "{}: {fitting}", dialect.card().id);
    }
}

/// Errors that a schema can find.
const STRUCTURAL: [Code; 5] = [
    Code::MissingField,
    Code::WrongType,
    Code::UnknownEvent,
    Code::UnknownValue,
    Code::UnknownField,
];

/// Pages with errors of another kind: the schema is about hooks, and other settings of their file are the agent's; in JSON
/// Schema `5.0` is a whole number.
const OTHER_PAGES: [&str; 2] = ["definition-env-type.md", "definition-timeout-point-zero.md"];

/// Errors that no schema finds: the form of a URL, the type of an entry at one event, hooks under a name that is no event,
/// and `null` inside the input of a tool.
const BEYOND_A_SCHEMA: [&str; 4] = ["claude_url", "claude_event_type", "claude_beside", "codex_input"];

#[test]
fn a_file_of_a_case_page_does_not_fit_if_its_reader_finds_a_structural_error() {
    for dialect in all() {
        let schema = validator(*dialect);
        let mut rejected = 0;
        for (page, tree, value) in case_files(*dialect) {
            let problems = dialect.parse(&tree).problems;
            let is_beyond = |problem: &Problem| {
                BEYOND_A_SCHEMA
                    .iter()
                    .any(|case| problem.args.get("case").is_some_and(|of| of == case))
            };
            let is_structural = |problem: &Problem| {
                problem.severity == Severity::Error && STRUCTURAL.contains(&problem.code) && !is_beyond(problem)
            };
            let Some(problem) = problems.iter().find(|problem| is_structural(problem)) else {
                continue;
            };
            if OTHER_PAGES.iter().any(|other| page.ends_with(other)) {
                continue;
            }
            rejected += 1;
            assert!(!schema.is_valid(&value), "{}: {problem:?}\n{value:#}", page.display());
        }
        assert!(rejected >= 5, "{}: {rejected}", dialect.card().id);
    }
}

#[test]
fn the_program_prints_the_schema_in_both_languages() {
    let sandbox = Sandbox::new();
    for (arguments, language) in [
        (&[][..], SchemaLanguage::En),
        (&["--language", "zh"][..], SchemaLanguage::Zh),
    ] {
        let run = sandbox
            .run([&["schema", "--dialect", "jcli"][..], arguments].concat())
            .assert_exit(0);
        assert_eq!(run.json(), json_schema(find("jcli").unwrap().card(), language));
    }
    sandbox.run(["schema", "--dialect", "nothing"]).assert_exit(1);
}
