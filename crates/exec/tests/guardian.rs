//! Engines that die, and what is left of their hooks. The engine under test is this program in another role, so that
//! it can be killed; its guardian is this program in a third.

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
        ("a_full_pipe_loses_nothing", a_full_pipe),
        ("a_guardian_that_was_killed_is_replaced", replaced),
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
        let program = GuardianProgram::of(std::env::current_exe().unwrap());
        let exec = Exec::new(std::env::vars_os(), Some(program));
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
            let folder = tempfile::tempdir().unwrap();
            let name = run_name();
            let child = Command::new(std::env::current_exe().unwrap())
                .arg(ENGINE)
                .arg(folder.path())
                .arg(&name)
                .args(commands)
                .process_group(0)
                .stdin(Stdio::null())
                .spawn()
                .unwrap();
            Self { child, folder, name }
        }

        /// Waits until the sleeping hook, which is the last command, has started all it starts.
        fn sleeping(commands: &[&str]) -> Self {
            let engine = Self::start(&[commands, &[HOOK]].concat());
            let last = engine.run(commands.len());
            until("the hook runs", || {
                engine.folder.path().join("ready").exists() && carriers(&last).len() >= 3
            });
            engine
        }

        fn run(&self, number: usize) -> String {
            format!("{}.{number}", self.name)
        }

        fn pid(&self) -> Pid {
            Pid::from_child(&self.child)
        }

        /// Its living guardian.
        fn guardian(&self) -> Option<Pid> {
            let own = self.child.id().to_string();
            let is_it = |cmdline: &str| cmdline.split('\0').nth(1) == Some("__guardian");
            let found = processes(|folder| {
                fs::read_to_string(folder.join("cmdline")).is_ok_and(|cmdline| is_it(&cmdline))
                    && fs::read_to_string(folder.join("stat")).is_ok_and(|stat| {
                        stat.rsplit_once(')')
                            .is_some_and(|(_, rest)| rest.split(' ').nth(2) == Some(&own))
                    })
            });
            found.first().and_then(|pid| Pid::from_raw(*pid))
        }

        fn wait_for_guardian(&self) -> Pid {
            until("the guardian stands", || self.guardian().is_some());
            self.guardian().unwrap()
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
        kill_process_group(engine.pid(), Signal::KILL).unwrap();
        engine.nothing_is_left_of(0);
    }

    fn signals() {
        let mut engine = Engine::sleeping(&[]);
        let guardian = engine.wait_for_guardian();
        for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT] {
            kill_process(guardian, signal).unwrap();
        }
        kill_process(engine.pid(), Signal::KILL).unwrap();
        engine.nothing_is_left_of(0);
    }

    fn background_stays() {
        let mut engine = Engine::sleeping(&["sleep 1000 >/dev/null 2>&1 & setsid sleep 1000 >/dev/null 2>&1 & :"]);
        let guardian = engine.wait_for_guardian();
        let left = carriers(&engine.run(0));
        assert_eq!(left.len(), 2);
        kill_process(engine.pid(), Signal::KILL).unwrap();
        engine.nothing_is_left_of(1);
        until("the guardian is done", || !alive(guardian.as_raw_nonzero().get()));
        assert!(
            left.iter().all(|pid| alive(*pid)),
            "a hook that had ended was no longer the engine's"
        );
        clear_away(&left);
    }

    fn a_full_pipe() {
        // A pipe holds 64 KiB, and each of these writes more than 80 bytes.
        let many = vec![":"; 1000];
        let mut engine = Engine::sleeping(&many);
        kill_process(engine.pid(), Signal::KILL).unwrap();
        engine.nothing_is_left_of(many.len());
    }

    fn replaced() {
        // The hook waits until the test has killed the guardian that saw it start.
        let mut engine = Engine::start(&["echo > first; until [ -e go ]; do sleep 0.01; done", HOOK]);
        until("the first hook runs", || engine.folder.path().join("first").exists());
        let first = engine.wait_for_guardian();
        kill_process(first, Signal::KILL).unwrap();
        until("the first guardian is gone", || !alive(first.as_raw_nonzero().get()));
        fs::write(engine.folder.path().join("go"), "").unwrap();
        until("the second hook runs", || {
            engine.folder.path().join("ready").exists() && carriers(&engine.run(1)).len() >= 3
        });
        kill_process(engine.pid(), Signal::KILL).unwrap();
        engine.nothing_is_left_of(1);
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
        let guardian = engine.wait_for_guardian();
        fs::write(engine.folder.path().join("go"), "").unwrap();
        assert!(engine.child.wait().unwrap().success());
        until("the guardian ends", || !alive(guardian.as_raw_nonzero().get()));
    }
}
