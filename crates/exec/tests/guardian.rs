//! Engines that die, and what is left of their hooks. The engine under test is this program in another role, so that
//! it can be killed; its guards are this program in a third.

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

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    if hookwright_exec::is_guardian() {
        return hookwright_exec::guardian_main();
    }
    if std::env::args().nth(1).as_deref() == Some(linux::ENGINE) {
        linux::engine();
        return std::process::ExitCode::SUCCESS;
    }
    // Known defect: on a busy machine this one fails now and then, and its cause is not found yet.
    let is_unsteady = |name: &str| name == "what_an_engine_killed_with_both_guards_left_the_next_start_ends";
    let tests = linux::TESTS.iter().map(|(name, test)| {
        let run = move || {
            test();
            Ok(())
        };
        libtest_mimic::Trial::test(*name, run).with_ignored_flag(is_unsteady(name))
    });
    libtest_mimic::run(&libtest_mimic::Arguments::from_args(), tests.collect()).exit_code()
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::os::unix::process::CommandExt;
    use std::path::PathBuf;
    use std::process::{Child, Command, Stdio};

    use hookwright_exec::{Exec, GuardianProgram};
    use hookwright_model::{Call, ProcessCall, RunOrder, Runner};
    use rustix::process::{Pid, Signal, kill_process, kill_process_group};

    use crate::common::{alive, carriers, clear_away, order, pids, processes, run_name, sh, until};

    pub const ENGINE: &str = "__engine";

    pub const TESTS: &[(&str, fn())] = &[
        ("nothing_of_a_running_hook_survives_a_killed_engine", nothing_survives),
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
        ("guards_that_were_both_killed_are_put_up_again", both_killed),
        (
            "what_an_engine_killed_with_both_guards_left_the_next_start_ends",
            all_at_once,
        ),
        (
            "the_guardian_of_an_engine_inside_a_hook_is_not_part_of_that_hook",
            nested,
        ),
        ("an_engine_that_ends_leaves_no_guardian", a_clean_end),
    ];

    /// Sleeps, with a child in the group that forgot its environment, and one that left the group.
    const HOOK: &str = "env -i /bin/sleep 1000 & echo $! >> pids; setsid sleep 1000 & sleep 1000 & echo > ready; wait";

    /// The other role: runs one command after another, each under its own name, and ends.
    pub fn engine() {
        let mut args = std::env::args().skip(2);
        let folder = PathBuf::from(args.next().unwrap());
        let name = args.next().unwrap();
        let program = GuardianProgram::of(std::env::current_exe().unwrap(), folder.join("run"));
        let exec = Exec::new(std::env::vars_os(), Some(program));
        exec.end_left();
        if std::env::var_os("STAND").is_some() {
            assert_eq!(exec.stand_guard(), None);
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        for (number, command) in args.enumerate() {
            let order = RunOrder {
                run: format!("{name}.{number}"),
                ..order()
            };
            let call = ProcessCall {
                cwd: folder.clone(),
                ..sh(&command)
            };
            let run = runtime.block_on(exec.run(Call::Process(call), order));
            assert_eq!(run.notes, Vec::new());
        }
    }

    struct Engine {
        child: Child,
        folder: tempfile::TempDir,
        name: String,
    }

    impl Engine {
        fn start(commands: &[&str]) -> Self {
            Self::start_in(tempfile::tempdir().unwrap(), commands, false)
        }

        /// One that sees when its guards are gone, as engines that serve do.
        fn serving(commands: &[&str]) -> Self {
            Self::start_in(tempfile::tempdir().unwrap(), commands, true)
        }

        fn start_in(folder: tempfile::TempDir, commands: &[&str], serves: bool) -> Self {
            let name = run_name();
            let child = Command::new(std::env::current_exe().unwrap())
                .arg(ENGINE)
                .arg(folder.path())
                .arg(&name)
                .args(commands)
                .envs(serves.then_some(("STAND", "1")))
                .process_group(0)
                .stdin(Stdio::null())
                .spawn()
                .unwrap();
            Self { child, folder, name }
        }

        /// Waits until the sleeping hook, which is the last command, has started all it starts.
        fn sleeping(commands: &[&str]) -> Self {
            Self::start(&[commands, &[HOOK]].concat()).sleeps(commands.len())
        }

        fn sleeps(self, number: usize) -> Self {
            let last = self.run(number);
            until("the hook runs", || {
                self.folder.path().join("ready").exists() && carriers(&last).len() >= 3
            });
            self
        }

        fn run(&self, number: usize) -> String {
            format!("{}.{number}", self.name)
        }

        fn pid(&self) -> Pid {
            Pid::from_child(&self.child)
        }

        /// Its living guards.
        fn guards(&self) -> Vec<Pid> {
            let folder = self.folder.path().to_str().unwrap();
            let is_one = |cmdline: &str| {
                let mut words = cmdline.split('\0');
                words.nth(1) == Some("__guardian") && words.any(|word| word.starts_with(folder))
            };
            let found = processes(|process| fs::read_to_string(process.join("cmdline")).is_ok_and(|it| is_one(&it)));
            found
                .into_iter()
                .filter(|pid| alive(*pid))
                .filter_map(Pid::from_raw)
                .collect()
        }

        fn both_guards(&self) -> [Pid; 2] {
            until("two guards stand", || self.guards().len() == 2);
            self.guards().try_into().unwrap()
        }

        /// The last run and its pids are gone.
        fn nothing_is_left_of(&mut self, number: usize) {
            self.child.wait().unwrap();
            let forgetful = pids(&self.folder.path().join("pids"));
            assert!(!forgetful.is_empty());
            let run = self.run(number);
            until("nothing of the hook is left", || {
                carriers(&run).is_empty() && !forgetful.iter().any(|pid| alive(*pid))
            });
        }
    }

    fn nothing_survives() {
        let mut engine = Engine::sleeping(&[]);
        kill_process(engine.pid(), Signal::KILL).unwrap();
        engine.nothing_is_left_of(0);
    }

    fn a_group_kill() {
        let mut engine = Engine::sleeping(&[]);
        // For the moment in which a guard gets its session it is in the engine's group.
        until("a guard has its session", || {
            let settled = |guard: &Pid| rustix::process::getsid(Some(*guard)).is_ok_and(|session| session == *guard);
            engine.guards().iter().any(settled)
        });
        kill_process_group(engine.pid(), Signal::KILL).unwrap();
        engine.nothing_is_left_of(0);
    }

    fn signals() {
        let mut engine = Engine::sleeping(&[]);
        let guards = engine.both_guards();
        // 1, 2, 3 and 15, beside what our language catches for itself.
        let caught = |pid: &Pid| {
            let set = field(*pid, "SigCgt:").and_then(|set| u64::from_str_radix(&set, 16).ok());
            set.is_some_and(|set| set & 0x4007 == 0x4007)
        };
        until("they are deaf", || guards.iter().all(caught));
        for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT] {
            guards.iter().for_each(|guard| kill_process(*guard, signal).unwrap());
        }
        assert_eq!(engine.guards(), guards);
        kill_process(engine.pid(), Signal::KILL).unwrap();
        engine.nothing_is_left_of(0);
    }

    fn background_stays() {
        let mut engine = Engine::sleeping(&["sleep 1000 >/dev/null 2>&1 & setsid sleep 1000 >/dev/null 2>&1 & :"]);
        engine.both_guards();
        let left = carriers(&engine.run(0));
        assert_eq!(left.len(), 2);
        kill_process(engine.pid(), Signal::KILL).unwrap();
        engine.nothing_is_left_of(1);
        until("the guards are done", || engine.guards().is_empty());
        assert!(
            left.iter().all(|pid| alive(*pid)),
            "a hook that had ended was no longer the engine's"
        );
        clear_away(&left);
    }

    fn many_runs() {
        let many = vec![":"; 300];
        let mut engine = Engine::sleeping(&many);
        kill_process(engine.pid(), Signal::KILL).unwrap();
        engine.nothing_is_left_of(many.len());
    }

    /// A line of `/proc/PID/status`.
    fn field(pid: Pid, name: &str) -> Option<String> {
        let status = fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.trim().to_owned())
    }

    fn name_and_session() {
        let engine = Engine::sleeping(&[]);
        let guards = engine.both_guards();
        // The system keeps 15 bytes of a name; `killall` and `ps` read the rest from the command line.
        until("they have their name", || {
            guards
                .iter()
                .all(|guard| field(*guard, "Name:").as_deref() == Some("hookwright-guar"))
        });
        for guard in guards {
            let cmdline = fs::read_to_string(format!("/proc/{}/cmdline", guard.as_raw_nonzero())).unwrap();
            assert!(cmdline.starts_with("hookwright-guard\0"));
            until("it has its session", || {
                rustix::process::getsid(Some(guard)).unwrap() == guard
            });
            assert_eq!(rustix::process::getpgid(Some(guard)).unwrap(), guard);
        }
        clear(engine, 0);
    }

    fn clear(mut engine: Engine, number: usize) {
        kill_process(engine.pid(), Signal::KILL).unwrap();
        engine.nothing_is_left_of(number);
    }

    fn replaced() {
        let engine = Engine::sleeping(&[]);
        // Each time another one stays, at last one that neither the engine nor the first guard started.
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
        clear(engine, 0);
    }

    fn with_either() {
        for which in 0..2 {
            let engine = Engine::sleeping(&[]);
            let guards = engine.both_guards();
            kill_process(guards[which], Signal::KILL).unwrap();
            clear(engine, 0);
        }
    }

    fn both_killed() {
        let engine = Engine::serving(&[HOOK]).sleeps(0);
        let guards = engine.both_guards();
        guards
            .iter()
            .for_each(|guard| kill_process(*guard, Signal::KILL).unwrap());
        until("others stand", || {
            let now = engine.guards();
            now.len() == 2 && !now.iter().any(|guard| guards.contains(guard))
        });
        clear(engine, 0);
    }

    fn all_at_once() {
        let background = "sleep 1000 >/dev/null 2>&1 & :";
        let Engine {
            mut child,
            folder,
            name,
        } = Engine::sleeping(&[background]);
        let engine = Pid::from_child(&child);
        let seen = Engine {
            child: Command::new("true").spawn().unwrap(),
            folder,
            name,
        };
        let guards = seen.both_guards();
        // Stopped first, so that none of them acts between two kills.
        let all = [engine, guards[0], guards[1]];
        all.iter().for_each(|pid| kill_process(*pid, Signal::STOP).unwrap());
        all.iter().for_each(|pid| kill_process(*pid, Signal::KILL).unwrap());
        child.wait().unwrap();
        let (ended, running) = (carriers(&seen.run(0)), carriers(&seen.run(1)));
        assert_eq!(ended.len(), 1);
        assert!(running.len() >= 3, "nobody is left who could end them");
        let Engine { folder, .. } = seen;
        let mut next = Engine::start_in(folder, &[":"], false);
        assert!(next.child.wait().unwrap().success());
        until("the next start ended them", || !running.iter().any(|pid| alive(*pid)));
        assert!(alive(ended[0]), "its hook had ended: it is nobody's");
        clear_away(&ended);
        clear_away(&pids(&next.folder.path().join("pids")));
        until("no table is left", || {
            fs::read_dir(next.folder.path().join("run")).unwrap().count() == 0
        });
    }

    fn nested() {
        // An outer engine whose hook is an engine; the outer one is killed, and the inner one's hook must go too.
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
            inner.path().join("ready").exists() && carriers(&run).len() >= 3
        });
        kill_process(outer.pid(), Signal::KILL).unwrap();
        outer.child.wait().unwrap();
        let forgetful = pids(&inner.path().join("pids"));
        until("nothing of the inner hook is left", || {
            carriers(&run).is_empty() && !forgetful.iter().any(|pid| alive(*pid))
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
