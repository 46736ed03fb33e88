//! Goal 20: the cost of opening and listing a project with many hooks, or a hostile one. No hook of it is approved.

use std::path::Path;
use std::time::Instant;

use hookwright_app::{App, hooks};
use hookwright_workspace::{HostEnv, ProcessRole, wall_clock};
use serde_json::{Value, json};

use crate::Finding;
use crate::stats::Ratio;

/// Most rounds. Opening takes long compared with the disturbances, so a few rounds are enough.
const MAX_ROUNDS: usize = 9;
/// A regular expression that is valid in Python, and large when it is compiled.
const LARGE_PATTERN: &str = r"\w{90}N\w{90}";

/// A project, described by the one file that makes it special.
struct Project {
    what: &'static str,
    file: &'static str,
    text: fn() -> String,
}

const PROJECTS: &[Project] = &[
    Project {
        what: "10,000 hooks in YAML",
        file: ".jcli/hooks.yaml",
        text: || {
            let hooks = (0..10_000).map(|number| format!("  - command: ./guard.sh {number}\n"));
            format!("pre_send_message:\n{}", hooks.collect::<String>())
        },
    },
    Project {
        what: "10,000 hooks in JSON",
        file: ".qoder/settings.json",
        text: || settings((0..10_000).map(|number| group("./guard.sh", format!("Edit{number}|Write")))),
    },
    Project {
        what: "200 large patterns",
        file: ".qoder/settings.json",
        text: || settings((0..200).map(|_| group("./guard.sh", LARGE_PATTERN.to_owned()))),
    },
    Project {
        what: "1 MiB of different large patterns",
        file: ".qoder/settings.json",
        text: || settings((0..8_000).map(|number| group("a", format!("{LARGE_PATTERN}{number}")))),
    },
    Project {
        what: "1 MiB of the shortest hooks",
        file: ".jcli/hooks.yaml",
        text: || format!("stop:\n{}", "- command: a\n".repeat(75_000)),
    },
    Project {
        what: "1 MiB of unknown fields",
        file: ".jcli/hooks.yaml",
        text: || {
            let fields = (0..70_000).map(|number| format!("  x{number}: 1\n"));
            format!("stop:\n- command: a\n{}", fields.collect::<String>())
        },
    },
];

fn group(command: &str, matcher: String) -> Value {
    json!({"matcher": matcher, "hooks": [{"type": "command", "command": command}]})
}

fn settings(groups: impl Iterator<Item = Value>) -> String {
    json!({"hooks": {"PreToolUse": groups.collect::<Vec<_>>()}}).to_string()
}

/// Opens and lists the project once in this process. Returns seconds and MiB.
fn open(project: &Project) -> (f64, f64) {
    let home = tempfile::tempdir().unwrap_or_else(|error| panic!("temporary home: {error}"));
    let folder = home.path().join("project");
    write(&folder.join(project.file), &(project.text)());
    write(&folder.join("guard.sh"), "#!/bin/sh\nexit 0\n");
    let vars = [
        ("HOME", home.path().to_owned()),
        ("HOOKWRIGHT_DATA", home.path().join("data")),
        ("PATH", "/usr/bin:/bin".into()),
    ];
    let vars = vars.map(|(name, value)| (name.into(), value.into_os_string()));
    let env =
        HostEnv::new(vars.into(), folder.clone(), std::path::PathBuf::new()).unwrap_or_else(|error| panic!("{error}"));
    let app = App::open(env, ProcessRole::OneShot, wall_clock());
    reset_peak_memory();
    let (before, start) = (memory("VmRSS"), Instant::now());
    let open_project = app
        .workspace
        .open_project(&folder)
        .unwrap_or_else(|fault| panic!("{fault}"));
    let list = hooks::list(&app, &open_project.snapshot(), None, None);
    let took = start.elapsed().as_secs_f64();
    assert!(!list.hooks.is_empty(), "{} has hooks", project.what);
    (took, memory("VmHWM") - before)
}

#[expect(clippy::disallowed_methods, reason = "a benchmark lays out its own temporary home")]
fn write(path: &Path, text: &str) {
    let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    made.and_then(|()| std::fs::write(path, text))
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// Resets the peak memory of this process (Linux). On other systems the peak covers the whole run.
#[expect(
    clippy::disallowed_methods,
    reason = "a file of the system, which keeps the peak of this process"
)]
fn reset_peak_memory() {
    drop(std::fs::write("/proc/self/clear_refs", "5"));
}

/// Memory of this process in MiB, as the system counts it; 0 where the system does not report it.
#[expect(clippy::disallowed_methods, reason = "the system offers this as a file")]
fn memory(field: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    let kib = line.and_then(|rest| rest.trim().strip_suffix(" kB")?.parse::<f64>().ok());
    kib.unwrap_or_default() / 1024.0
}

/// The seconds of each project, the slowest first.
pub fn seconds(rounds: usize) -> Finding {
    finding(rounds.clamp(1, MAX_ROUNDS), |(seconds, _)| seconds, 1.0, "s")
}

/// The MiB of each project, the largest first. Only one round is run: later rounds reuse memory that this process has
/// kept.
pub fn mib(_: usize) -> Finding {
    finding(1, |(_, mib)| mib, 100.0, "MiB")
}

fn finding(rounds: usize, figure: fn((f64, f64)) -> f64, goal: f64, unit: &'static str) -> Finding {
    let ratios = PROJECTS.iter().map(|project| {
        let values = (0..rounds).map(|_| figure(open(project)));
        (project.what, Ratio::from_values(values.collect()))
    });
    let mut ratios: Vec<(&str, Ratio)> = ratios.collect();
    ratios.sort_by(|one, other| other.1.high.total_cmp(&one.1.high));
    Finding {
        ratios,
        control: None,
        goal,
        unit,
    }
}
