//! Goals 1, 2, 3, 12 and 22: one event through its hooks.

use std::path::Path;
use std::time::{Duration, Instant};

use hookwright_app::event_options::{Consent, Recording};
use hookwright_app::fire::{Caller, FireJob};
use hookwright_app::sessions::SessionRequest;
use hookwright_app::{App, commands, fire};
use hookwright_model::{Origin, Payload};
use hookwright_workspace::{HostEnv, ProcessRole, wall_clock};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::stats::{Ratio, Shuffle};
use crate::{Finding, floor, history};

/// The hook command that the performance page measures.
const COMMAND: &str = "cat >/dev/null; echo {}";
/// Size of the script of a project hook, in bytes.
const SCRIPT_BYTES: usize = 8 << 10;

/// The hooks of one measurement.
struct Setup {
    dialect: &'static str,
    event: &'static str,
    /// The command that runs for the event. The floor runs the same one.
    command: &'static str,
    /// The number of hooks that run the command.
    hooks: usize,
    /// Writes the files of home and project.
    files: fn(home: &Path, project: &Path),
}

/// Time of the warm-up. After it, no file counts as recently changed.
const WARM_UP_TIME: Duration = Duration::from_secs(4);

const USER: Setup = Setup {
    dialect: "jcli",
    event: "pre_send_message",
    command: COMMAND,
    hooks: 1,
    files: |home, _| jcli(&home.join(".jdata/agent/hooks.yaml"), COMMAND, 0),
};

const PROJECT: Setup = Setup {
    command: "sh guard.sh",
    files: |_, project| {
        script(&project.join("guard.sh"));
        jcli(&project.join(".jcli/hooks.yaml"), "sh guard.sh", 0);
    },
    ..USER
};

const AMONG_OTHERS: Setup = Setup {
    files: |_, project| {
        script(&project.join("guard.sh"));
        for other in 0..50 {
            script(&project.join(format!("other{other}.sh")));
        }
        jcli(&project.join(".jcli/hooks.yaml"), "sh guard.sh", 50);
    },
    ..PROJECT
};

/// `PYTHONPATH` names a folder, and the approval covers the code files in it.
const COVERING: Setup = Setup {
    command: "PYTHONPATH=lib sh guard.sh",
    files: |_, project| {
        script(&project.join("guard.sh"));
        for module in 0..199 {
            write(
                &project.join(format!("lib/module{module}.py")),
                &"# covered\n".repeat(100),
            );
        }
        jcli(&project.join(".jcli/hooks.yaml"), "PYTHONPATH=lib sh guard.sh", 0);
    },
    ..USER
};

const FAN: Setup = Setup {
    dialect: "qoder",
    event: "PreToolUse",
    hooks: 10,
    files: |home, _| {
        let entry = json!({ "type": "command", "command": COMMAND });
        let settings = json!({ "hooks": { "PreToolUse": [{ "matcher": "*", "hooks": vec![entry; 10] }] } });
        write(&home.join(".qoder/settings.json"), &settings.to_string());
    },
    ..USER
};

#[expect(clippy::disallowed_methods, reason = "a benchmark lays out its own temporary home")]
fn write(path: &Path, text: &str) {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, text))
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// Writes the measured command as a script, filled up with comment lines.
fn script(path: &Path) {
    let comment = "# a line of a script that somebody wrote\n";
    write(
        path,
        &format!("{COMMAND}\n{}", comment.repeat(SCRIPT_BYTES / comment.len())),
    );
}

/// Writes one hook of the measured event, and `others` hooks of another event.
fn jcli(path: &Path, command: &str, others: usize) {
    let mut yaml = format!("pre_send_message:\n  - command: '{command}'\n");
    if others > 0 {
        yaml.push_str("post_send_message:\n");
    }
    for other in 0..others {
        yaml.push_str(&format!("  - command: 'sh other{other}.sh'\n"));
    }
    write(path, &yaml);
}

/// An engine with hooks in its own temporary home.
struct Engine {
    setup: &'static Setup,
    runtime: tokio::runtime::Runtime,
    app: App,
    project: std::path::PathBuf,
    home: tempfile::TempDir,
}

impl Engine {
    #[expect(
        clippy::disallowed_methods,
        reason = "a benchmark runs in the environment of its developer"
    )]
    fn new(setup: &'static Setup, hosting: ProcessRole) -> Self {
        let home = tempfile::tempdir().unwrap_or_else(|error| panic!("temporary home: {error}"));
        let project = home.path().join("project");
        std::fs::create_dir_all(&project).unwrap_or_else(|error| panic!("{error}"));
        (setup.files)(home.path(), &project);
        let mut vars: std::collections::BTreeMap<_, _> = std::env::vars_os().collect();
        vars.insert("HOME".into(), home.path().into());
        vars.insert("HOOKWRIGHT_DATA".into(), home.path().join("data").into());
        vars.remove(std::ffi::OsStr::new("J_DATA_PATH"));
        let program = std::env::current_exe().unwrap_or_default();
        let env = HostEnv::new(vars, project.clone(), program).unwrap_or_else(|error| panic!("{error}"));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap_or_else(|error| panic!("{error}"));
        let app = {
            let _inside = runtime.enter();
            App::open(env, hosting, wall_clock())
        };
        let engine = Self {
            setup,
            runtime,
            app,
            project,
            home,
        };
        engine.approve_all();
        engine
    }

    fn call(&self, method: &str, params: serde_json::Value) -> serde_json::Value {
        let called = self.runtime.block_on(commands::call(&self.app, method, params));
        called.unwrap_or_else(|fault| panic!("{method}: {fault}"))
    }

    /// Approves every hook of the project that is pending.
    fn approve_all(&self) {
        let listed = self.call("trust.list", json!({ "project": self.project }));
        for item in listed["pending"].as_array().into_iter().flatten() {
            let hook = json!({ "project": self.project, "hook": item["hook"] });
            let review = self.call("trust.review", hook);
            let approval = json!({
                "project": self.project,
                "hook": item["hook"],
                "fingerprint": review["fingerprint"],
            });
            self.call("trust.approve", approval);
        }
    }

    fn fire(&self, recording: Recording) -> Duration {
        self.fire_with(payload(), recording)
    }

    fn fire_with(&self, payload: Payload, recording: Recording) -> Duration {
        let _inside = self.runtime.enter();
        let open_project = self
            .app
            .workspace
            .open_project(&self.project)
            .unwrap_or_else(|fault| panic!("{fault}"));
        let snapshot = open_project.snapshot();
        let session = SessionRequest {
            dialect: self.setup.dialect.to_owned(),
            id: None,
            project: self.project.clone(),
        };
        let job = FireJob {
            event: self.setup.event.to_owned(),
            payload: payload.into(),
            origin: Origin::Test,
            caller: Caller::ThisProcess,
            consent: Consent::Approvals,
            recording,
            cancel: CancellationToken::new(),
            run: None,
        };
        let start = Instant::now();
        let fired = self
            .runtime
            .block_on(fire::fire_once(&self.app, &snapshot, session, job))
            .unwrap_or_else(|fault| panic!("{fault}"));
        let took = start.elapsed();
        let ran = fired
            .recorded
            .steps
            .iter()
            .filter(|step| !step.attempts.is_empty())
            .count();
        assert_eq!(ran, self.setup.hooks, "every hook must have run");
        took
    }

    /// Spawns the same commands and waits for them.
    fn floor(&self) -> Duration {
        let stdin = serde_json::to_vec(&payload()).unwrap_or_default();
        floor::spawn(self.setup.hooks, self.setup.command, &stdin, &self.project)
    }
}

fn payload() -> Payload {
    let mut payload = Payload::new();
    payload.insert("user_input".to_owned(), "please tidy the build folder".into());
    payload
}

/// Goal 1: one event with a user hook, spool included, against a bare spawn.
pub fn user_hook(rounds: usize) -> Finding {
    measure_against_floor(&USER, rounds, "Engine::fire / bare spawn", 1.14)
}

/// Goal 1 with a project hook whose script has 8 KiB.
pub fn project_hook(rounds: usize) -> Finding {
    measure_against_floor(&PROJECT, rounds, "project hook / bare spawn", 1.14)
}

/// Goal 1 with the same hook and 50 other project hooks.
pub fn among_others(rounds: usize) -> Finding {
    measure_against_floor(&AMONG_OTHERS, rounds, "one of 51 project hooks / bare spawn", 1.14)
}

/// Goal 1 with a hook that covers 200 files.
pub fn covering(rounds: usize) -> Finding {
    measure_against_floor(&COVERING, rounds, "hook with 200 covered files / bare spawn", 1.30)
}

/// Goal 2: ten hooks at the same time.
pub fn fan(rounds: usize) -> Finding {
    measure_against_floor(&FAN, rounds, "ten hooks / ten bare spawns", 1.10)
}

/// Goal 3: goal 1 with 1 GiB resident, against goal 1 without.
pub fn resident(rounds: usize) -> Finding {
    const BLOCK: usize = 10;
    let engine = Engine::new(&USER, ProcessRole::OneShot);
    let block = || -> f64 {
        let mut took: Vec<f64> = (0..BLOCK).map(|_| engine.fire(Recording::On).as_secs_f64()).collect();
        took.sort_by(f64::total_cmp);
        took[BLOCK / 2]
    };
    block();
    let mut shuffle = Shuffle::new(0x61b);
    let (mut large, mut control) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let mut took = [0.0; 3];
        for which in shuffle.order(3) {
            let memory = if which == 2 { vec![1_u8; 1 << 30] } else { Vec::new() };
            took[which] = block();
            drop(std::hint::black_box(memory));
        }
        control.push(took[1] / took[0]);
        large.push(took[2] / took[0]);
    }
    Finding {
        ratios: vec![("with 1 GiB resident / without", Ratio::from_values(large))],
        control: Some(Ratio::from_values(control)),
        goal: 1.10,
        unit: "×",
    }
}

fn measure_against_floor(setup: &'static Setup, rounds: usize, what: &'static str, goal: f64) -> Finding {
    let engine = Engine::new(setup, ProcessRole::OneShot);
    let side = |which: usize| match which {
        0 | 1 => engine.floor(),
        _ => engine.fire(Recording::On),
    };
    // A file that changed within the last two seconds is read again for each event. Users have older files, so the
    // measurement begins after the warm-up.
    let warm_up_start = Instant::now();
    while warm_up_start.elapsed() < WARM_UP_TIME {
        for which in 0..3 {
            side(which);
        }
    }
    let mut shuffle = Shuffle::new(0x5eed);
    let (mut fired, mut control) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let mut took = [Duration::ZERO; 3];
        for which in shuffle.order(3) {
            took[which] = side(which);
        }
        let floor = took[0].as_secs_f64();
        control.push(took[1].as_secs_f64() / floor);
        fired.push(took[2].as_secs_f64() / floor);
    }
    Finding {
        ratios: vec![(what, Ratio::from_values(fired))],
        control: Some(Ratio::from_values(control)),
        goal,
        unit: "×",
    }
}

/// Goal 12: CPU time of this process with recording on, minus the same with recording off. The payload has 2 KB. The
/// role is `ProcessRole::Engine`, so the figure includes the database: a batch is imported as at 200 events a second, 256
/// at once. The words for the search are not written meanwhile.
pub fn recording(rounds: usize) -> Finding {
    const BATCH: usize = 256;
    let engine = Engine::new(&USER, ProcessRole::Engine);
    let mut payload = Payload::new();
    payload.insert("user_input".to_owned(), history::text(2000, 0x2b).into());
    let batch = |recording: Recording| {
        let start = cpu();
        for _ in 0..BATCH {
            engine.fire_with(payload.clone(), recording);
        }
        if recording == Recording::On {
            drop(engine.runtime.block_on(engine.app.history.import()));
        }
        (cpu() - start).as_secs_f64() * 1e6 / BATCH as f64
    };
    let finish_indexing = || {
        loop {
            let page = engine.call("history.page", json!({ "limit": 1 }));
            if page["searchable_until"] == page["traces"][0]["at"] {
                break;
            }
            let pause = async { tokio::time::sleep(Duration::from_millis(50)).await };
            engine.runtime.block_on(pause);
        }
    };
    batch(Recording::On);
    batch(Recording::Off);
    let mut shuffle = Shuffle::new(0xcafe);
    let mut more = Vec::new();
    for _ in 0..rounds.div_ceil(8) {
        let mut took = [0.0; 2];
        for which in shuffle.order(2) {
            finish_indexing();
            took[which] = batch(if which == 0 { Recording::On } else { Recording::Off });
        }
        more.push(took[0] - took[1]);
    }
    Finding {
        ratios: vec![("recording on, less recording off", Ratio::from_values(more))],
        control: None,
        goal: 60.0,
        unit: "µs of CPU",
    }
}

const LARGE: Setup = Setup {
    hooks: 5,
    files: |home, _| {
        let hook = format!("  - command: '{COMMAND}'\n");
        let yaml = format!("pre_send_message:\n{}", hook.repeat(5));
        write(&home.join(".jdata/agent/hooks.yaml"), &yaml);
    },
    ..USER
};

/// Goal 22: how much larger spool, log and database are after one event of 1 MB with 5 hooks, divided by the bytes of
/// its payload.
pub fn large_event(rounds: usize) -> Finding {
    let mut ratios = Vec::new();
    for round in 0..rounds.clamp(1, 5) as u64 {
        let engine = Engine::new(&LARGE, ProcessRole::Engine);
        let data = engine.home.path().join("data");
        drop(engine.runtime.block_on(engine.app.history.import()));
        let before = history::history_bytes(&data);
        let payload = history::large_payload(round + 1);
        let bytes = payload.to_string().len() as f64;
        engine.fire_with(payload.as_object().cloned().unwrap_or_default(), Recording::On);
        drop(engine.runtime.block_on(engine.app.history.import()));
        ratios.push((history::history_bytes(&data) - before) as f64 / bytes);
    }
    Finding {
        ratios: vec![("bytes in files / bytes of the payload", Ratio::from_values(ratios))],
        control: None,
        goal: 1.5,
        unit: "×",
    }
}

/// User and system time of this process.
fn cpu() -> Duration {
    let stat = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(
        stat.tv_sec.unsigned_abs(),
        u32::try_from(stat.tv_nsec).unwrap_or_default(),
    )
}
