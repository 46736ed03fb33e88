//! Fixtures: payloads to try events with. Each event has one example from its dialect, and the user can save more
//! (`CONTRACTS.md` §5, `fixtures/<dialect>/<event>/<name>.json`).

use std::path::{Path, PathBuf};

use hookwright_dialects::lookup::{find_dialect, find_event};
use hookwright_model::{Dialect, EventSpec, Payload, Problem, render};
use hookwright_workspace::data_files::locked_file::{self, LockedFileError, PRIVATE_FILE_MODE};

use crate::app::App;
use crate::dto::{Fixture, FixtureName, FixturesDoc, FixturesRequest, Removed, SaveFixtureRequest};
use crate::fault::Fault;
use crate::payload::{accept, parse_payload};

/// The name of every event's example. A saved fixture cannot have it.
const EXAMPLE: &str = "example";
/// A name has at most this many characters.
const MAX_NAME_CHARS: usize = 64;
/// A name has at most this many bytes, so that it is a valid file name on every system.
const MAX_NAME_BYTES: usize = 200;
/// Names that are devices on Windows, whatever follows the first dot.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

hookwright_model::messages! {
    /// The name is not a valid file name.
    BAD_NAME = "bad_fixture_name" { "{name} is not a valid name for a saved payload", "{name} 不能作为样例的名称" } hint { "use letters, digits, spaces and `- _ . , + ( )`, at most {most}, without a dot or space at either end", "使用字母、数字、空格和 `- _ . , + ( )`，最多 {most} 个，首尾不能是点或空格" };
    /// The name is the one of the event's example.
    EXAMPLE_NAME = "bad_fixture_name" / "example" { "{name} is reserved for the event's example payload", "{name} 保留给该事件的内置样例" } hint { "choose another name", "换一个名称" };
    /// A file in the folder of fixtures is not a payload.
    NO_OBJECT = "syntax" / "fixture" { "the file is not a JSON object", "文件不是 JSON 对象" } hint { "write one JSON object; the file is kept unchanged", "写成一个 JSON 对象；文件会原样保留" };
}

/// The command `fixtures`: lists for each event the example first, and then the saved fixtures by name.
///
/// # Errors
/// The project is not a directory, or the dialect is unknown.
pub async fn fixtures(app: &App, request: FixturesRequest) -> Result<FixturesDoc, Fault> {
    let open_project = app.workspace.open_project(Path::new(&request.project))?;
    if let Some(dialect) = &request.dialect {
        find_dialect(dialect)?;
    }
    let mut doc = FixturesDoc {
        fixtures: Vec::new(),
        problems: Vec::new(),
    };
    for dialect in hookwright_dialects::all() {
        let card = dialect.card();
        if request.dialect.as_deref().is_some_and(|wanted| wanted != card.id) {
            continue;
        }
        for spec in card.events {
            doc.fixtures.push(example(app, *dialect, spec, &open_project.project)?);
            add_saved(app, *dialect, spec, &mut doc);
        }
    }
    Ok(doc)
}

/// The command `fixtures.save`: saves a payload as a fixture. Secrets are masked unless the user decides otherwise.
/// A fixture of the same name is replaced.
///
/// # Errors
/// The dialect or the event is unknown, or the name is not a valid file name. The payload exceeds a limit, or the
/// folder cannot be written.
pub async fn save_fixture(app: &App, request: SaveFixtureRequest) -> Result<Fixture, Fault> {
    let (dialect, spec) = find_event(&request.dialect, &request.event)?;
    let name = request.name.trim();
    let path = fixture_path(app, dialect, spec, name)?;
    let payload = request.payload.read()?.fields;
    let (payload, redacted) = match request.keep_secrets {
        true => (payload, false),
        false => app.workspace.redactor().payload(payload),
    };
    // A JSON object can always be serialized.
    let mut text = serde_json::to_string_pretty(&payload).unwrap_or_default();
    text.push('\n');
    locked_file::atomic_write(&path, text.as_bytes(), PRIVATE_FILE_MODE)?;
    Ok(Fixture {
        redacted,
        ..saved_fixture(dialect, spec, name, payload)
    })
}

/// The command `fixtures.remove`: deletes a saved fixture, if it exists.
///
/// # Errors
/// The dialect or the event is unknown, or the file cannot be removed.
pub async fn remove_fixture(app: &App, request: FixtureName) -> Result<Removed, Fault> {
    let (dialect, spec) = find_event(&request.dialect, &request.event)?;
    let path = fixture_path(app, dialect, spec, &request.name)?;
    match std::fs::remove_file(&path) {
        Ok(()) => Ok(Removed { removed: true }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Removed { removed: false }),
        Err(source) => Err(LockedFileError::Unwritable { path, source }.into()),
    }
}

fn example(app: &App, dialect: &dyn Dialect, spec: &EventSpec, project: &Path) -> Result<Fixture, Fault> {
    let mut payload = accept(app, dialect, spec, dialect.fixture(spec), Some("fixture"), project)?;
    // The fields that every event has come first, which is easier to read.
    for field in dialect.card().common.iter().rev() {
        if let Some(value) = payload.shift_remove(field.name) {
            payload.shift_insert(0, field.name.to_owned(), value);
        }
    }
    Ok(Fixture {
        saved: false,
        ..saved_fixture(dialect, spec, EXAMPLE, payload)
    })
}

/// Adds the saved fixtures of an event. Files that are not payloads become Problems.
fn add_saved(app: &App, dialect: &dyn Dialect, spec: &EventSpec, doc: &mut FixturesDoc) {
    let Ok(entries) = std::fs::read_dir(fixtures_folder(app, dialect, spec)) else {
        return;
    };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    for path in files {
        let name = path.file_stem().and_then(|stem| stem.to_str());
        let Some(name) = name.filter(|name| check_name(name).is_ok()) else {
            continue;
        };
        match read(&path) {
            Ok(Some(payload)) => doc.fixtures.push(saved_fixture(dialect, spec, name, payload)),
            Ok(None) => {}
            Err(problem) => doc.problems.push(problem),
        }
    }
}

fn fixtures_folder(app: &App, dialect: &dyn Dialect, spec: &EventSpec) -> PathBuf {
    let folder = app.workspace.env.data_dir.join("fixtures");
    folder.join(dialect.card().id).join(spec.name)
}

fn fixture_path(app: &App, dialect: &dyn Dialect, spec: &EventSpec, name: &str) -> Result<PathBuf, Fault> {
    check_name(name)?;
    Ok(fixtures_folder(app, dialect, spec).join(format!("{name}.json")))
}

fn saved_fixture(dialect: &dyn Dialect, spec: &EventSpec, name: &str, payload: Payload) -> Fixture {
    Fixture {
        dialect: dialect.card().id.to_owned(),
        event: spec.name.to_owned(),
        name: name.to_owned(),
        about: spec.about.into(),
        saved: true,
        redacted: false,
        payload,
    }
}

/// Reads a saved fixture. `None` if the file was removed meanwhile.
fn read(path: &Path) -> Result<Option<Payload>, Problem> {
    let no_object = || Problem::new(NO_OBJECT.render_plain(), path, None);
    let text = locked_file::read_text(path).map_err(|error| error.problem().unwrap_or_else(no_object))?;
    text.map(|text| {
        parse_payload(text.as_bytes())
            .map(|payload| payload.fields)
            .map_err(|_| no_object())
    })
    .transpose()
}

/// Checks that a name is a valid file name on every system, and neither hidden nor a device.
fn check_name(name: &str) -> Result<(), Fault> {
    if name == EXAMPLE {
        return Err(render!(EXAMPLE_NAME, "name" => name).into());
    }
    let is_bad_edge = |sign: Option<char>| sign.is_none_or(|sign| sign == '.' || sign == ' ');
    let is_allowed = |sign: char| sign.is_alphanumeric() || " -_.,+()".contains(sign);
    let stem = name.split('.').next().unwrap_or(name).to_ascii_lowercase();
    let port_number = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    let is_device = DEVICES.contains(&stem.as_str())
        || port_number.is_some_and(|number| number.len() == 1 && number.bytes().all(|digit| digit.is_ascii_digit()));
    let is_valid = name.chars().count() <= MAX_NAME_CHARS
        && name.len() <= MAX_NAME_BYTES
        && name.chars().all(is_allowed)
        && !is_bad_edge(name.chars().next())
        && !is_bad_edge(name.chars().next_back());
    if is_valid && !is_device {
        return Ok(());
    }
    Err(render!(BAD_NAME, "name" => name, "most" => MAX_NAME_CHARS).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_file_name_on_every_system() {
        for good in ["drop a table", "危险的 rm -rf", "v1.2 (old)", "a", &"x".repeat(64)] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        let long = "x".repeat(65);
        for bad in [
            "",
            " ",
            ".",
            "..",
            ".hidden",
            "a ",
            " a",
            "a.",
            "a/b",
            "..\\b",
            "a\0",
            "a\nb",
            "CON",
            "nul.x",
            "com1",
            "Lpt9",
            "a:b",
            "a*",
            "\u{202e}a",
            "example",
            &long,
        ] {
            assert!(check_name(bad).is_err(), "{bad:?}");
        }
    }
}
