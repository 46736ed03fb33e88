//! Goal 18: what `hookwright serve` costs while nothing happens, with 500 hooks watched.

use std::time::{Duration, Instant};

use crate::Finding;
use crate::serving::Engine;
use crate::stats::Ratio;

/// User hooks in the one file that is watched.
const HOOKS: usize = 500;
/// How long an engine rests before it is measured. Its periodic checks have run once by then.
const SETTLE_TIME: Duration = Duration::from_secs(35);
/// How long it is measured. The slowest periodic check of an engine runs every 30 s.
const MEASURED_TIME: Duration = Duration::from_secs(60);
/// The settings under which the engine is measured, by the number of open projects.
const CASES: [(&str, usize); 2] = [("500 hooks, one project", 1), ("500 hooks, 20 projects", 20)];

/// CPU in percent of one core, the larger case first.
pub fn cpu(_: usize) -> Finding {
    finding(0.1, "% of a core", |engine| {
        let (before, start) = (engine.cpu(), Instant::now());
        std::thread::sleep(MEASURED_TIME);
        100.0 * (engine.cpu() - before).as_secs_f64() / start.elapsed().as_secs_f64()
    })
}

/// Resident memory in MiB, the larger case first.
pub fn resident(_: usize) -> Finding {
    finding(40.0, "MiB", Engine::resident)
}

fn finding(goal: f64, unit: &'static str, figure: fn(&Engine) -> f64) -> Finding {
    let ratios = CASES.iter().map(|(what, projects)| {
        let engine = Engine::start(HOOKS, *projects);
        std::thread::sleep(SETTLE_TIME);
        (*what, Ratio::from_values(vec![figure(&engine)]))
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
