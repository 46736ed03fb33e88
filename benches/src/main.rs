//! `./dev bench [NAME]`: measures each goal of the performance page against a floor. Both are measured in the same
//! process run.
//!
//! How it works: every round runs both sides and an A/A control of the floor, in a new random order. The report
//! contains the median of the rounds' ratios with its 95% interval. A control outside 0.97–1.03 makes the run void.

mod agents;
mod fire;
mod floor;
mod history;
mod hostile;
mod idle;
mod metrics;
mod peer;
mod serving;
mod stats;

use std::process::ExitCode;

use hookwright_app::programs;
use serde_json::{Value, json};

use stats::Ratio;

/// One comparison.
struct Goal {
    name: &'static str,
    what: &'static str,
    run: fn(usize) -> Finding,
}

/// The result of a comparison.
struct Finding {
    /// Pairs of name and ratio. The first one is judged.
    ratios: Vec<(&'static str, Ratio)>,
    /// The A/A control, if there is one.
    control: Option<Ratio>,
    /// The goal. The upper end of the judged interval must not be higher.
    goal: f64,
    /// Unit of the judged figure.
    unit: &'static str,
}

const GOALS: &[Goal] = &[
    Goal {
        name: "fire",
        what: "goal 1: one event, one shell hook, spool included, against a bare spawn of the same command",
        run: fire::user_hook,
    },
    Goal {
        name: "project",
        what: "goal 1 with a project's hook whose script has 8 KiB",
        run: fire::project_hook,
    },
    Goal {
        name: "among",
        what: "the same beside 50 other project hooks",
        run: fire::among_others,
    },
    Goal {
        name: "covering",
        what: "goal 1 with a project's hook that covers 200 files",
        run: fire::covering,
    },
    Goal {
        name: "fan",
        what: "goal 2: one event, ten hooks at once, against ten bare spawns in flight",
        run: fire::fan,
    },
    Goal {
        name: "resident",
        what: "goal 3: goal 1 with 1 GiB resident in the engine, against goal 1 without",
        run: fire::resident,
    },
    Goal {
        name: "record",
        what: "goal 12: CPU of spool, queue and import per event of 2 KB, in µs",
        run: fire::recording,
    },
    Goal {
        name: "idle",
        what: "goal 18: CPU of an engine that rests",
        run: idle::cpu,
    },
    Goal {
        name: "idle",
        what: "goal 18: resident memory of the same engine",
        run: idle::resident,
    },
    Goal {
        name: "large",
        what: "goal 22: bytes in spool, log and database of one event of 1 MB with 5 hooks, against its payload",
        run: fire::large_event,
    },
    Goal {
        name: "metrics",
        what: "goal 14: metrics of every hook over 30 days and 1,000,000 traces, against a GROUP BY over the raw tables",
        run: metrics::group_by,
    },
    Goal {
        name: "page",
        what: "goal 13: a page of 100 rows in the middle of 1,000,000 traces, against the same page by OFFSET",
        run: history::page,
    },
    Goal {
        name: "screens",
        what: "what each screen asks of 1,000,000 traces",
        run: history::screens,
    },
    Goal {
        name: "relay",
        what: "goal 5: the relay's process, socket and chain without a hook, against /bin/true",
        run: agents::relay,
    },
    Goal {
        name: "socket",
        what: "goal 6: event.fire of 64 agents at once, no hook matches, against an echo of the same bytes",
        run: agents::fire,
    },
    Goal {
        name: "peer",
        what: "goal 7: a request to a live process, against a blocking write and read to the same program",
        run: peer::live_process,
    },
    Goal {
        name: "ping",
        what: "goal 6 without an event: a ping through the control socket's peer, against a bare echo of the same bytes",
        run: peer::ping,
    },
    // Memory is measured first, because it needs a process that has not kept any memory yet.
    Goal {
        name: "hostile",
        what: "goal 20: MiB more to open and list a project that nobody approved anything of",
        run: hostile::mib,
    },
    Goal {
        name: "hostile",
        what: "goal 20: seconds to open and list it",
        run: hostile::seconds,
    },
];

/// Rounds of a comparison. A figure that is quoted needs at least 300.
const ROUNDS: usize = 400;

#[expect(
    clippy::disallowed_methods,
    reason = "a tool for developers: arguments in, a results file beside the code out"
)]
fn main() -> ExitCode {
    if programs::is_guardian() {
        return programs::guardian_main();
    }
    if let Some(socket) = agents::echo_socket() {
        agents::echo(&socket);
        return ExitCode::SUCCESS;
    }
    if peer::is_answerer() {
        peer::answer_lines();
        return ExitCode::SUCCESS;
    }
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let rounds = std::env::var("HOOKWRIGHT_BENCH_ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(ROUNDS);
    let mut results = Vec::new();
    for goal in GOALS
        .iter()
        .filter(|goal| wanted.is_empty() || wanted.iter().any(|name| name == goal.name))
    {
        let finding = (goal.run)(rounds);
        print(goal, &finding);
        results.push(document(goal, &finding, rounds));
    }
    if results.is_empty() {
        eprintln!(
            "no such benchmark; there are: {}",
            GOALS.iter().map(|goal| goal.name).collect::<Vec<_>>().join(", ")
        );
        return ExitCode::FAILURE;
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/results.json");
    let text = serde_json::to_string_pretty(&results).unwrap_or_default();
    if let Err(error) = std::fs::write(path, text + "\n") {
        eprintln!("cannot write {path}: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn judgement(finding: &Finding) -> &'static str {
    let void = finding
        .control
        .as_ref()
        .is_some_and(|control| !(0.97..=1.03).contains(&control.median));
    match finding.ratios.first() {
        _ if void => "void: the control is off",
        Some((_, ratio)) if ratio.high <= finding.goal => "met",
        Some(_) | None => "not met",
    }
}

fn print(goal: &Goal, finding: &Finding) {
    println!("{} – {}", goal.name, goal.what);
    for (what, ratio) in &finding.ratios {
        println!(
            "  {what:<44} {:>8.3} [{:.3}, {:.3}] {}",
            ratio.median, ratio.low, ratio.high, finding.unit
        );
    }
    if let Some(control) = &finding.control {
        println!(
            "  {:<44} {:>8.3} [{:.3}, {:.3}]",
            "A/A control", control.median, control.low, control.high
        );
    }
    println!("  goal ≤ {}: {}", finding.goal, judgement(finding));
}

fn document(goal: &Goal, finding: &Finding, rounds: usize) -> Value {
    let ratio = |ratio: &Ratio| json!({ "median": ratio.median, "low": ratio.low, "high": ratio.high });
    json!({
        "name": goal.name,
        "what": goal.what,
        "rounds": rounds,
        "unit": finding.unit,
        "ratios": finding.ratios.iter().map(|(what, found)| json!({ "what": what, "ratio": ratio(found) })).collect::<Vec<_>>(),
        "control": finding.control.as_ref().map(ratio),
        "goal": finding.goal,
        "judged": judgement(finding),
    })
}
