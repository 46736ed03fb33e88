//! An engine that can be killed: this test program in another role.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test stops at what it did not expect, and starts what it needs"
)]

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use hookwright_exec::{Exec, GuardianProgram};
use hookwright_model::{Call, ProcessCall, RunContext, Runner};
use rustix::process::Pid;

use crate::common::{guardian_pids, is_alive, order, pids, processes_of_run, run_name, sh, until};

/// The argument that makes this program the engine.
pub const ENGINE: &str = "__engine";

/// A hook that sleeps. One child of its group has an empty environment, and another child left the group.
pub const HOOK: &str = "env -i /bin/sleep 1000 & echo $! >> pids; setsid sleep 1000 & sleep 1000 & echo > ready; wait";

/// The engine's role: runs one command after another, each as a run with its own name, and exits.
pub fn engine() {
    let mut args = std::env::args().skip(2);
    let folder = PathBuf::from(args.next().unwrap());
    let name = args.next().unwrap();
    let program = GuardianProgram::new(std::env::current_exe().unwrap(), folder.join("run"));
    let exec = Exec::new(std::env::vars_os(), Some(program));
    exec.kill_orphaned_runs();
    if std::env::var_os("START_GUARDIAN").is_some() {
        assert_eq!(exec.start_guardian(), None);
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    for (number, command) in args.enumerate() {
        let order = RunContext {
            run: format!("{name}.{number}"),
            ..order()
        };
        let call = ProcessCall {
            cwd: folder.clone(),
            ..sh(&command)
        };
        let run = runtime.block_on(exec.run(Call::Process(call), order));
        assert_eq!(run.warnings, Vec::new());
    }
}

/// The engine under test.
pub struct Engine {
    pub child: Child,
    pub folder: tempfile::TempDir,
    pub name: String,
}

impl Engine {
    pub fn start(commands: &[&str]) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), commands, false)
    }

    /// An engine that notices when its guardians have exited, as an engine that serves does.
    pub fn serving(commands: &[&str]) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), commands, true)
    }

    pub fn start_in(folder: tempfile::TempDir, commands: &[&str], serves: bool) -> Self {
        let name = run_name();
        let child = Command::new(std::env::current_exe().unwrap())
            .arg(ENGINE)
            .arg(folder.path())
            .arg(&name)
            .args(commands)
            .envs(serves.then_some(("START_GUARDIAN", "1")))
            .process_group(0)
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        Self { child, folder, name }
    }

    /// Starts an engine whose last command is the sleeping hook. Waits until the hook has started all its processes.
    pub fn sleeping(commands: &[&str]) -> Self {
        Self::start(&[commands, &[HOOK]].concat()).wait_for_hook(commands.len())
    }

    pub fn wait_for_hook(self, number: usize) -> Self {
        let last = self.run(number);
        until("the hook runs", || {
            self.folder.path().join("ready").exists() && processes_of_run(&last).len() >= 3
        });
        self
    }

    pub fn run(&self, number: usize) -> String {
        format!("{}.{number}", self.name)
    }

    pub fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Its guardians that are alive.
    pub fn guards(&self) -> Vec<Pid> {
        guardian_pids(self.folder.path())
    }

    pub fn both_guards(&self) -> [Pid; 2] {
        until("two guardians run", || self.guards().len() == 2);
        self.guards().try_into().unwrap()
    }

    /// Asserts that no process of this run is left. The pids in the file `pids` are checked too.
    pub fn assert_hook_is_killed(&mut self, number: usize) {
        self.child.wait().unwrap();
        let without_run_var = pids(&self.folder.path().join("pids"));
        assert!(!without_run_var.is_empty());
        let run = self.run(number);
        until("nothing of the hook is left", || {
            processes_of_run(&run).is_empty() && !without_run_var.iter().any(|pid| is_alive(*pid))
        });
    }
}
