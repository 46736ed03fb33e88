//! Tests of engines that are killed, and of what is left of their hooks. The engine under test is this program in
//! another role, so that it can be killed. Its guardians are this program in a third role.

#![cfg_attr(
    target_os = "linux",
    expect(
        clippy::unwrap_used,
        clippy::disallowed_methods,
        reason = "a test stops at what it did not expect, and starts what it needs"
    )
)]

#[cfg(target_os = "linux")]
mod common;
#[cfg(target_os = "linux")]
#[path = "common/engine.rs"]
mod engine;

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    if hookwright_exec::is_guardian() {
        return hookwright_exec::guardian_main();
    }
    let role = match std::env::args().nth(1).as_deref() {
        Some(engine::ENGINE) => Some(engine::engine as fn()),
        Some(linux::LATE) => Some(linux::late_guardian as fn()),
        _ => None,
    };
    if let Some(run_role) = role {
        run_role();
        return std::process::ExitCode::SUCCESS;
    }
    let tests = linux::TESTS.iter().map(|(name, test)| {
        libtest_mimic::Trial::test(*name, move || {
            test();
            Ok(())
        })
    });
    libtest_mimic::run(&libtest_mimic::Arguments::from_args(), tests.collect()).exit_code()
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::io::Write;
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};

    use rustix::process::{Pid, Signal, kill_process, kill_process_group};

    use crate::common::{is_alive, kill_pids, pids, processes_of_run, run_name, until};
    use crate::engine::{ENGINE, Engine, HOOK};

    /// The argument that makes this program start a guardian and exit before the guardian is ready.
    pub const LATE: &str = "__late";

    pub const TESTS: &[(&str, fn())] = &[
        ("nothing_of_a_running_hook_survives_a_killed_engine", killed_engine),
        (
            "a_kill_of_the_whole_group_does_not_take_the_guardian_first",
            a_group_kill,
        ),
        ("signals_do_not_take_the_guardian_first", signals),
        ("what_an_ended_hook_left_in_the_background_stays", background_stays),
        ("many_runs_before_lose_nothing", many_runs),
        ("guards_have_a_name_and_a_session_of_their_own", name_and_session),
        ("a_guard_that_was_killed_is_replaced_by_the_other", replaced),
        (
            "an_engine_killed_together_with_either_guard_leaves_nothing",
            with_either,
        ),
        ("both_guardians_killed_are_started_again", both_killed),
        (
            "the_next_start_ends_what_an_engine_killed_with_both_guardians_left",
            all_at_once,
        ),
        (
            "an_engine_that_is_still_dying_as_the_next_one_starts_leaves_nothing",
            still_dying,
        ),
        (
            "a_guard_whose_engine_ended_before_it_was_ready_ends_what_ran",
            ended_too_early,
        ),
        ("guards_need_no_folder", no_folder),
        ("guards_do_not_need_their_folder_to_stay", lost_folder),
        (
            "the_guardian_of_an_engine_inside_a_hook_is_not_part_of_that_hook",
            nested,
        ),
        ("an_engine_that_ends_leaves_no_guardian", a_clean_end),
    ];

    fn killed_engine() {
        let mut engine = Engine::sleeping(&[]);
        kill_process(engine.pid(), Signal::KILL).unwrap();
        engine.assert_hook_is_killed(0);
    }

    fn a_group_kill() {
        let mut engine = Engine::sleeping(&[]);
        // Until a guardian has its session, it is in the engine's group for a moment.
        until("a guard has its session", || {
            engine.guards().iter().any(|guard| leads_its_session(*guard))
        });
        kill_process_group(engine.pid(), Signal::KILL).unwrap();
        engine.assert_hook_is_killed(0);
    }

    fn signals() {
        let mut engine = Engine::sleeping(&[]);
        let guards = engine.both_guards();
        // The signals 1, 2, 3 and 15 must be caught, in addition to those that the Rust runtime catches.
        let caught = |pid: &Pid| {
            let set = field(*pid, "SigCgt:").and_then(|set| u64::from_str_radix(&set, 16).ok());
            set.is_some_and(|set| set & 0x4007 == 0x4007)
        };
        // A guardian that was just forked from the other one still has its handlers, and loses them when its program
        // starts. It leads its session only after that.
        let is_deaf = |guard: &Pid| leads_its_session(*guard) && caught(guard);
        until("they are deaf", || guards.iter().all(is_deaf));
        for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT] {
            guards.iter().for_each(|guard| kill_process(*guard, signal).unwrap());
        }
        assert_eq!(engine.guards(), guards);
        kill_process(engine.pid(), Signal::KILL).unwrap();
        engine.assert_hook_is_killed(0);
    }

    fn background_stays() {
        let mut engine = Engine::sleeping(&["sleep 1000 >/dev/null 2>&1 & setsid sleep 1000 >/dev/null 2>&1 & :"]);
        engine.both_guards();
        let ended = engine.run(0);
        until("both run on", || processes_of_run(&ended).len() == 2);
        let left = processes_of_run(&ended);
        kill_process(engine.pid(), Signal::KILL).unwrap();
        engine.assert_hook_is_killed(1);
        until("the guards are done", || engine.guards().is_empty());
        assert!(
            left.iter().all(|pid| is_alive(*pid)),
            "a hook that had ended was no longer the engine's"
        );
        kill_pids(&left);
    }

    fn many_runs() {
        let many = vec![":"; 300];
        let mut engine = Engine::sleeping(&many);
        kill_process(engine.pid(), Signal::KILL).unwrap();
        engine.assert_hook_is_killed(many.len());
    }

    /// The value of a line in `/proc/PID/status`.
    fn field(pid: Pid, name: &str) -> Option<String> {
        let status = fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.trim().to_owned())
    }

    /// Whether a process leads its session, read from `/proc`. A session that began outside this process namespace has
    /// the number 0, which `getsid` of rustix does not accept.
    fn leads_its_session(pid: Pid) -> bool {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
        let fields = stat.rsplit_once(')').map(|(_, fields)| fields.split_ascii_whitespace());
        fields.and_then(|mut fields| fields.nth(3)?.parse().ok()) == Some(pid.as_raw_nonzero().get())
    }

    fn name_and_session() {
        let engine = Engine::sleeping(&[]);
        let guards = engine.both_guards();
        // The system stores 15 bytes of a name. `killall` and `ps` read the rest from the command line.
        until("they have their name", || {
            guards
                .iter()
                .all(|guard| field(*guard, "Name:").as_deref() == Some("hookwright-guar"))
        });
        for guard in guards {
            let cmdline = fs::read_to_string(format!("/proc/{}/cmdline", guard.as_raw_nonzero())).unwrap();
            assert!(cmdline.starts_with("hookwright-guard\0"));
            until("it has its session", || leads_its_session(guard));
            assert_eq!(rustix::process::getpgid(Some(guard)).unwrap(), guard);
        }
        kill_engine(engine, 0);
    }

    fn kill_engine(mut engine: Engine, number: usize) {
        kill_process(engine.pid(), Signal::KILL).unwrap();
        engine.assert_hook_is_killed(number);
    }

    fn replaced() {
        let engine = Engine::sleeping(&[]);
        // Each round kills both, one after the other. In the end both were started neither by the engine nor by the
        // first guardian.
        for _ in 0..3 {
            let [one, other] = engine.both_guards();
            kill_process(one, Signal::KILL).unwrap();
            until("it is replaced", || {
                let now = engine.guards();
                now.len() == 2 && !now.contains(&one) && now.contains(&other)
            });
            kill_process(other, Signal::KILL).unwrap();
            until("the other is replaced", || {
                let now = engine.guards();
                now.len() == 2 && !now.contains(&other)
            });
        }
        kill_engine(engine, 0);
    }

    fn with_either() {
        for which in 0..2 {
            let engine = Engine::sleeping(&[]);
            let guards = engine.both_guards();
            kill_process(guards[which], Signal::KILL).unwrap();
            kill_engine(engine, 0);
        }
    }

    fn both_killed() {
        let engine = Engine::serving(&[HOOK]).wait_for_hook(0);
        let guards = engine.both_guards();
        guards
            .iter()
            .for_each(|guard| kill_process(*guard, Signal::KILL).unwrap());
        until("other guardians run", || {
            let now = engine.guards();
            now.len() == 2 && !now.iter().any(|guard| guards.contains(guard))
        });
        kill_engine(engine, 0);
    }

    /// Stops all processes before it kills them, so that none of them acts between two kills.
    fn kill_at_once(all: &[Pid]) {
        all.iter().for_each(|pid| kill_process(*pid, Signal::STOP).unwrap());
        all.iter().for_each(|pid| kill_process(*pid, Signal::KILL).unwrap());
    }

    fn all_at_once() {
        let background = "sleep 1000 >/dev/null 2>&1 & :";
        let mut engine = Engine::sleeping(&[background]);
        let [one, other] = engine.both_guards();
        kill_at_once(&[engine.pid(), one, other]);
        engine.child.wait().unwrap();
        // During `exec` a process shows no environment, so this waits until all are visible.
        let (ended, running) = (engine.run(0), engine.run(1));
        until("nobody is left who could end them", || {
            processes_of_run(&ended).len() == 1 && processes_of_run(&running).len() >= 3
        });
        let (ended, running) = (processes_of_run(&ended), processes_of_run(&running));
        let mut next = Engine::start_in(engine.folder, &[":"], false);
        assert!(next.child.wait().unwrap().success());
        until("the next start ended them", || {
            !running.iter().any(|pid| is_alive(*pid))
        });
        assert!(is_alive(ended[0]), "its hook had ended: it is nobody's");
        kill_pids(&ended);
        kill_pids(&pids(&next.folder.path().join("pids")));
        until("no table is left", || {
            fs::read_dir(next.folder.path().join("run")).unwrap().count() == 0
        });
    }

    fn still_dying() {
        let dying = Engine::sleeping(&[]);
        let [one, other] = dying.both_guards();
        kill_process(dying.pid(), Signal::STOP).unwrap();
        kill_at_once(&[one, other]);
        until("its guards are gone", || dying.guards().is_empty());
        let Engine {
            mut child,
            folder,
            name,
        } = dying;
        let running = processes_of_run(&format!("{name}.0"));
        let next = Engine::start_in(folder, &["sleep 1000 & echo > other; wait"], true);
        until("the next one runs", || next.folder.path().join("other").exists());
        assert!(running.iter().all(|pid| is_alive(*pid)), "its engine is not gone yet");
        child.kill().unwrap();
        child.wait().unwrap();
        until("the next one ended them", || !running.iter().any(|pid| is_alive(*pid)));
        assert!(!processes_of_run(&next.run(0)).is_empty(), "its own go on");
        kill_pids(&pids(&next.folder.path().join("pids")));
        kill_and_wait(next);
    }

    /// The third role: starts a guardian that leads its group, as an engine starts it. The guardian's shell waits until
    /// its parent has exited.
    pub fn late_guardian() {
        let folder = std::env::args().nth(2).unwrap();
        let table = fs::File::open(format!("{folder}/table")).unwrap();
        let wait_then_exec = "until [ -e \"$1/go\" ]; do sleep 0.01; done; exec \"$0\" __guardian first \"$1/table\"";
        let guard = Command::new("/bin/sh")
            .args(["-c", wait_then_exec])
            .arg(std::env::current_exe().unwrap())
            .arg(&folder)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(table)
            .spawn();
        assert!(guard.is_ok());
    }

    fn ended_too_early() {
        let folder = tempfile::tempdir().unwrap();
        let run = run_name();
        let mut hook = Command::new("/bin/sleep")
            .arg("1000")
            .env("HOOKWRIGHT_RUN", &run)
            .process_group(0)
            .spawn()
            .unwrap();
        let mut table = fs::File::create(folder.path().join("table")).unwrap();
        table.write_all(format!("0 {run}\n").as_bytes()).unwrap();
        table.set_len(4096).unwrap();
        let status = Command::new(std::env::current_exe().unwrap())
            .arg(LATE)
            .arg(folder.path())
            .status()
            .unwrap();
        assert!(status.success());
        fs::write(folder.path().join("go"), "").unwrap();
        until("the guard ended it", || hook.try_wait().unwrap().is_some());
        until("its table is gone", || !folder.path().join("table").exists());
    }

    fn no_folder() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("run"), "a file in its place").unwrap();
        kill_engine(Engine::start_in(folder, &[HOOK], false).wait_for_hook(0), 0);
    }

    fn lost_folder() {
        let engine = Engine::sleeping(&[]);
        let guards = engine.both_guards();
        fs::remove_dir_all(engine.folder.path().join("run")).unwrap();
        kill_process(guards[0], Signal::KILL).unwrap();
        until("it is replaced", || {
            let now = engine.guards();
            now.len() == 2 && !now.contains(&guards[0])
        });
        kill_engine(engine, 0);
    }

    fn kill_and_wait(mut engine: Engine) {
        let run = engine.run(0);
        kill_process(engine.pid(), Signal::KILL).unwrap();
        engine.child.wait().unwrap();
        until("nothing is left", || processes_of_run(&run).is_empty());
    }

    fn nested() {
        // An outer engine runs a hook that is an engine. The outer engine is killed, and the hook of the inner one must
        // end too.
        let inner = tempfile::tempdir().unwrap();
        let name = run_name();
        let own = std::env::current_exe().unwrap();
        let command = format!(
            "exec '{}' {ENGINE} '{}' {name} \"$HOOK\"",
            own.display(),
            inner.path().display()
        );
        let mut outer = Engine::start(&[&format!("HOOK='{HOOK}'; {command}")]);
        let run = format!("{name}.0");
        until("the inner hook runs", || {
            inner.path().join("ready").exists() && processes_of_run(&run).len() >= 3
        });
        kill_process(outer.pid(), Signal::KILL).unwrap();
        outer.child.wait().unwrap();
        let without_run_var = pids(&inner.path().join("pids"));
        until("nothing of the inner hook is left", || {
            processes_of_run(&run).is_empty() && !without_run_var.iter().any(|pid| is_alive(*pid))
        });
    }

    fn a_clean_end() {
        let mut engine = Engine::start(&["echo > ran; until [ -e go ]; do sleep 0.01; done"]);
        engine.both_guards();
        fs::write(engine.folder.path().join("go"), "").unwrap();
        assert!(engine.child.wait().unwrap().success());
        until("the guards end", || engine.guards().is_empty());
        assert_eq!(fs::read_dir(engine.folder.path().join("run")).unwrap().count(), 0);
    }
}
