//! Goals 1 and 12: one event through one shell hook.

use std::time::{Duration, Instant};

use hookwright_app::{App, Hosting, Surroundings, wall_clock};
use hookwright_app::{Consent, Firing, Recording};
use hookwright_model::{Origin, Payload};
use tokio_util::sync::CancellationToken;

use crate::stats::{Ratio, Shuffle};
use crate::{Finding, floor};

/// What the performance page measures.
const COMMAND: &str = "cat >/dev/null; echo {}";

/// An engine with one user hook in a home of its own.
struct Engine {
    runtime: tokio::runtime::Runtime,
    app: App,
    project: std::path::PathBuf,
    _home: tempfile::TempDir,
}

impl Engine {
    #[expect(clippy::disallowed_methods, reason = "a benchmark lays out its own temporary home")]
    fn new(hosting: Hosting) -> Self {
        let home = tempfile::tempdir().unwrap_or_else(|error| panic!("temporary home: {error}"));
        let project = home.path().join("project");
        let hooks = home.path().join(".jdata/agent");
        std::fs::create_dir_all(&project)
            .and_then(|()| std::fs::create_dir_all(&hooks))
            .unwrap_or_else(|error| panic!("{error}"));
        let yaml = format!("pre_send_message:\n  - command: '{COMMAND}'\n");
        std::fs::write(hooks.join("hooks.yaml"), yaml).unwrap_or_else(|error| panic!("{error}"));
        let mut vars: std::collections::BTreeMap<_, _> = std::env::vars_os().collect();
        vars.insert("HOME".into(), home.path().into());
        vars.insert("HOOKWRIGHT_DATA".into(), home.path().join("data").into());
        vars.remove(std::ffi::OsStr::new("J_DATA_PATH"));
        let program = std::env::current_exe().unwrap_or_default();
        let around = Surroundings::new(vars, project.clone(), program).unwrap_or_else(|error| panic!("{error}"));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap_or_else(|error| panic!("{error}"));
        let app = {
            let _inside = runtime.enter();
            App::open(around, hosting, wall_clock())
        };
        Self {
            runtime,
            app,
            project,
            _home: home,
        }
    }

    fn fire(&self, recording: Recording) -> Duration {
        let _inside = self.runtime.enter();
        let desk = self.app.desk(&self.project).unwrap_or_else(|fault| panic!("{fault}"));
        let snapshot = desk.snapshot();
        let firing = Firing {
            dialect: "jcli".to_owned(),
            event: "pre_send_message".to_owned(),
            payload: payload(),
            project: self.project.clone(),
            session: None,
            origin: Origin::Test,
            consent: Consent::Approvals,
            recording,
            cancel: CancellationToken::new(),
        };
        let start = Instant::now();
        let fired = self
            .runtime
            .block_on(self.app.fire_in(&snapshot, firing))
            .unwrap_or_else(|fault| panic!("{fault}"));
        let took = start.elapsed();
        assert_eq!(fired.recorded.steps.len(), 1, "the hook must have run");
        took
    }
}

fn payload() -> Payload {
    let mut payload = Payload::new();
    payload.insert("user_input".to_owned(), "please tidy the build folder".into());
    payload
}

/// Goal 1: the engine's fire, spool included, against a bare spawn.
pub fn against_floor(rounds: usize) -> Finding {
    let engine = Engine::new(Hosting::OneShot);
    let stdin = serde_json::to_vec(&payload()).unwrap_or_default();
    let side = |which: usize| match which {
        0 | 1 => floor::spawn(COMMAND, &stdin),
        _ => engine.fire(Recording::On),
    };
    for which in [0, 1, 2, 0, 1, 2] {
        side(which);
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
        ratios: vec![("Engine::fire / bare spawn", Ratio::of(fired))],
        control: Some(Ratio::of(control)),
        goal: 1.14,
        unit: "×",
    }
}

/// Goal 12: CPU of this process with recording on, less the same with recording off. The engine hosts its journal, so
/// that the database's share is in the figure; a batch is many events, as in life.
pub fn recording(rounds: usize) -> Finding {
    const BATCH: usize = 25;
    let engine = Engine::new(Hosting::Engine);
    let batch = |recording: Recording| {
        let start = cpu();
        for _ in 0..BATCH {
            engine.fire(recording);
        }
        if recording == Recording::On {
            drop(engine.runtime.block_on(engine.app.history.import()));
        }
        (cpu() - start).as_secs_f64() * 1e6 / BATCH as f64
    };
    batch(Recording::On);
    batch(Recording::Off);
    let mut shuffle = Shuffle::new(0xcafe);
    let mut more = Vec::new();
    for _ in 0..rounds.div_ceil(4) {
        let mut took = [0.0; 2];
        for which in shuffle.order(2) {
            took[which] = batch(if which == 0 { Recording::On } else { Recording::Off });
        }
        more.push(took[0] - took[1]);
    }
    Finding {
        ratios: vec![("recording on, less recording off", Ratio::of(more))],
        control: None,
        goal: 60.0,
        unit: "µs of CPU",
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
