//! Tests of programs that have used up their descriptors. The limit belongs to a process, so each test runs this
//! program in another role.

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
    if std::env::args().nth(1).as_deref() == Some(linux::ROLE) {
        linux::run_role();
        return std::process::ExitCode::SUCCESS;
    }
    let tests = linux::TESTS.iter().map(|(name, _)| {
        libtest_mimic::Trial::test(*name, move || {
            linux::run(name);
            Ok(())
        })
    });
    libtest_mimic::run(&libtest_mimic::Arguments::from_args(), tests.collect()).exit_code()
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::process::Command;

    use hookwright_exec::{Exec, GuardianProgram, raise_descriptor_limit, with_reserve};
    use hookwright_model::{Call, End, Run, Runner};
    use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, setrlimit, test_kill_process};

    use crate::common::{exec, guardian_pids, order, sh, text, until};

    pub const ROLE: &str = "__role";

    pub const TESTS: &[(&str, fn())] = &[
        ("a_hook_starts_although_all_descriptors_are_used_up", one_hook),
        (
            "several_hooks_start_at_once_although_all_descriptors_are_used_up",
            several_hooks,
        ),
        ("guards_are_replaced_although_all_descriptors_are_used_up", guards),
        ("a_file_is_opened_although_all_descriptors_are_used_up", a_file),
        ("the_limit_is_raised_for_us_and_given_back_to_hooks", raised_limit),
    ];

    pub fn run(test: &str) {
        let own = std::env::current_exe().unwrap();
        let status = Command::new(own).args([ROLE, test]).status().unwrap();
        assert!(status.success());
    }

    pub fn run_role() {
        let test = std::env::args().nth(2).unwrap();
        TESTS.iter().find(|(name, _)| *name == test).unwrap().1();
    }

    /// An engine that serves, with this limit of descriptors. All of them are in use.
    fn without_descriptors(limit: u64) -> (Exec, tokio::runtime::Runtime, Vec<File>) {
        exec_without_descriptors(exec(), limit)
    }

    fn exec_without_descriptors(exec: Exec, limit: u64) -> (Exec, tokio::runtime::Runtime, Vec<File>) {
        let now = getrlimit(Resource::Nofile);
        let limit = Rlimit {
            current: Some(limit),
            ..now
        };
        setrlimit(Resource::Nofile, limit).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        assert_eq!(exec.start_guardian(), None);
        let inside = runtime.enter();
        let others = std::iter::from_fn(|| File::open("/dev/null").ok()).collect();
        drop(inside);
        (exec, runtime, others)
    }

    fn said(run: &Run) -> (End, String) {
        (run.end, text(&run.stdout.bytes))
    }

    fn one_hook() {
        let (exec, runtime, others) = without_descriptors(256);
        assert!(others.len() > 100);
        // Many times: released descriptors are back in the reserve when a hook has ended.
        for _ in 0..20 {
            let run = runtime.block_on(exec.run(Call::Process(sh("echo hi")), order()));
            assert_eq!(
                said(&run),
                (End::Exit, "hi\n".to_owned()),
                "{:?}",
                text(&run.stderr.bytes)
            );
        }
    }

    fn several_hooks() {
        let (exec, runtime, _others) = without_descriptors(256);
        let runs = (0..8).map(|_| exec.run(Call::Process(sh("sleep 0.2; echo hi")), order()));
        for run in runtime.block_on(futures::future::join_all(runs)) {
            assert_eq!(
                said(&run),
                (End::Exit, "hi\n".to_owned()),
                "{:?}",
                text(&run.stderr.bytes)
            );
        }
    }

    fn parent(process: Pid) -> String {
        let status = std::fs::read_to_string(format!("/proc/{}/status", process.as_raw_nonzero())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("PPid:"));
        line.unwrap().trim().to_owned()
    }

    fn guards() {
        let folder = tempfile::tempdir().unwrap();
        let program = GuardianProgram::new(std::env::current_exe().unwrap(), folder.path().join("run"));
        let (exec, runtime, others) = exec_without_descriptors(Exec::new(std::env::vars_os(), Some(program)), 256);
        drop(others);
        until("two guardians run", || guardian_pids(folder.path()).len() == 2);
        let first = guardian_pids(folder.path());
        let is_own = |guard: &&Pid| parent(**guard) == std::process::id().to_string();
        let own = *first.iter().find(is_own).unwrap();
        let others: Vec<File> = std::iter::from_fn(|| File::open("/dev/null").ok()).collect();
        // Both are stopped first, so that neither replaces the other.
        for signal in [Signal::STOP, Signal::KILL] {
            first.iter().for_each(|guard| kill_process(*guard, signal).unwrap());
        }
        // The guardian that is a child of this process is reaped when the engine finds that none is left.
        until("their end is seen", || test_kill_process(own).is_err());
        let run = runtime.block_on(exec.run(Call::Process(sh("echo hi")), order()));
        assert_eq!((said(&run), run.warnings), ((End::Exit, "hi\n".to_owned()), Vec::new()));
        drop(others);
        until("other guardians run", || {
            let now = guardian_pids(folder.path());
            now.len() == 2 && !now.iter().any(|guard| first.contains(guard))
        });
    }

    fn a_file() {
        let (_exec, _runtime, _others) = without_descriptors(256);
        assert!(File::open("/dev/null").is_err());
        assert!(with_reserve(|| File::open("/dev/null")).is_ok());
    }

    fn raised_limit() {
        let now = getrlimit(Resource::Nofile);
        let low = Rlimit {
            current: Some(200),
            maximum: Some(1000),
        };
        assert!(now.maximum.is_none_or(|most| most >= 1000));
        setrlimit(Resource::Nofile, low).unwrap();
        raise_descriptor_limit();
        assert_eq!(getrlimit(Resource::Nofile).current, Some(1000));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let run = runtime.block_on(exec().run(Call::Process(sh("sleep 0.1; ulimit -Sn; ulimit -Hn")), order()));
        assert_eq!(said(&run), (End::Exit, "200\n1000\n".to_owned()));
    }
}
