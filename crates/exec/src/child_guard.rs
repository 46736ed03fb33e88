//! The owner of a running child process. When it is dropped before the child has ended, it kills the child and what the
//! child started.

use std::io;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use tokio::process::Child;

use crate::descriptors;
use crate::guardian::Guardian;

/// Time limit for reaping a killed process. A process that takes longer waits for a device; it is reaped in the
/// background.
const REAP_TIMEOUT: Duration = Duration::from_secs(2);

/// Time limit of the search for processes that left the process group.
#[cfg(target_os = "linux")]
const SCAN_TIMEOUT: Duration = Duration::from_secs(2);

/// A running child process that leads its process group. The guardian has its run in the registry.
#[derive(Debug)]
pub(crate) struct ChildGuard {
    /// `None` after it was reaped, or given to a background task.
    child: Option<Child>,
    run: Arc<str>,
    guardian: Arc<Guardian>,
}

impl ChildGuard {
    /// Takes a child that was spawned just now, and records its process group.
    pub(crate) fn new(child: Child, run: Arc<str>, guardian: Arc<Guardian>) -> Self {
        descriptors::restore_limit(child.id());
        if let Some(group) = child.id() {
            guardian.set_group(&run, group);
        }
        Self {
            child: Some(child),
            run,
            guardian,
        }
    }

    /// Waits until the child ends by itself. Processes that it left in the background are not touched.
    ///
    /// # Errors
    /// When the system cannot report how it ended.
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        let Some(child) = &mut self.child else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let status = child.wait().await?;
        self.finish();
        Ok(status)
    }

    /// Waits at most `grace` until the child ends by itself. Afterwards no process of its group is left, also when
    /// it ended in time.
    pub(crate) async fn shutdown(&mut self, grace: Duration) {
        let Some(child) = &mut self.child else { return };
        let group = group_of(child);
        if let Ok(Ok(_)) = tokio::time::timeout(grace, child.wait()).await {
            // If the group still has members, the number belongs to it. If it has none, no other group has the
            // number yet. A process that left the group is not touched, as after every normal exit (`engine.md` §7).
            if kill_group(group) {
                kill_orphans(self.run.clone()).await;
            }
            self.finish();
        } else {
            self.kill().await;
        }
    }

    /// Kills the whole group and reaps the child. On Linux it also kills each process that left the group and
    /// carries its `HOOKWRIGHT_RUN`.
    pub(crate) async fn kill(&mut self) {
        let Some(child) = &mut self.child else { return };
        kill_all(child);
        let reaped = tokio::time::timeout(REAP_TIMEOUT, reap(child, &self.run, &self.guardian));
        let (reaped, ()) = tokio::join!(reaped, kill_orphans(self.run.clone()));
        if let Ok(Ok(_)) = reaped {
            self.finish();
        }
    }

    fn finish(&mut self) {
        self.child = None;
        self.guardian.unregister(&self.run);
        descriptors::refill_reserve();
    }
}

impl Drop for ChildGuard {
    fn drop(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        kill_all(&mut child);
        let (run, guardian) = (self.run.clone(), self.guardian.clone());
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn(async move {
                let (_, ()) = tokio::join!(reap(&mut child, &run, &guardian), kill_orphans(run.clone()));
                guardian.unregister(&run);
            })),
            // Without a runtime the run stays in the registry, so the guardian kills it when the engine ends.
            Err(_) => drop(child),
        }
    }
}

/// Waits for a child whose group was killed. Afterwards the number can belong to another group, while processes
/// that left the group are still searched. So it is cleared, and the guardians do not kill by it.
async fn reap(child: &mut Child, run: &str, guardian: &Guardian) -> io::Result<ExitStatus> {
    let status = child.wait().await;
    guardian.clear_group(run);
    status
}

/// Kills the child's group. The child is not reaped yet, so its number, which is also the group's, belongs to no
/// other process.
#[cfg(unix)]
fn kill_all(child: &mut Child) {
    // A group that has no process any more needs no kill.
    let _ = kill_group(group_of(child));
}

/// Kills only the child itself. Its own children continue to run (job objects are not used yet).
#[cfg(not(unix))]
fn kill_all(child: &mut Child) {
    drop(child.start_kill());
}

/// The number of the child's group. The child leads the group, so it is the number of the child.
fn group_of(child: &Child) -> Option<i32> {
    child.id().and_then(|id| i32::try_from(id).ok())
}

/// Kills the group. Returns whether it had any process.
#[cfg(unix)]
fn kill_group(group: Option<i32>) -> bool {
    let group = group.and_then(rustix::process::Pid::from_raw);
    group.is_some_and(|group| rustix::process::kill_process_group(group, rustix::process::Signal::KILL).is_ok())
}

#[cfg(not(unix))]
fn kill_group(_group: Option<i32>) -> bool {
    false
}

#[cfg(target_os = "linux")]
async fn kill_orphans(run: Arc<str>) {
    let scan = tokio::task::spawn_blocking(move || {
        crate::orphans::kill_by_run_id(|mark| mark == run.as_bytes(), SCAN_TIMEOUT)
    });
    // It fails only when the runtime shuts down. Then the guardian kills what is left.
    drop(scan.await);
}

#[cfg(not(target_os = "linux"))]
async fn kill_orphans(_run: Arc<str>) {}
