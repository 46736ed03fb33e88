//! A child on its leash: whoever lets go of it without saying that it ended, kills it and what it started.

use std::io;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use tokio::process::Child;

use crate::descriptors;
use crate::guardian::Guardian;

/// A killed process that is not gone by then waits for a device; it is collected in the background.
const REAP_TIMEOUT: Duration = Duration::from_secs(2);

/// The search for what fled from the group ends after this long.
#[cfg(target_os = "linux")]
const SCAN_TIMEOUT: Duration = Duration::from_secs(2);

/// A running child, leader of its process group, of a run that the guardian knows.
#[derive(Debug)]
pub(crate) struct ChildGuard {
    /// None once it was collected, or handed to the background.
    child: Option<Child>,
    run: Arc<str>,
    guardian: Arc<Guardian>,
}

impl ChildGuard {
    /// Takes a child that was just spawned.
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

    /// Waits for the child's own end, and leaves what it left in the background alone.
    ///
    /// # Errors
    /// When the system cannot say how it ended.
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        let Some(child) = &mut self.child else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let status = child.wait().await?;
        self.finish();
        Ok(status)
    }

    /// Waits so long for the child's own end; then, and also when it ended in time, nothing of its group is left.
    pub(crate) async fn shutdown(&mut self, grace: Duration) {
        let Some(child) = &mut self.child else { return };
        let group = group_of(child);
        if let Ok(Ok(_)) = tokio::time::timeout(grace, child.wait()).await {
            // The number is still the group's when the group has members, and nobody's for this moment when it has none.
            // What left the group is left alone, as after every normal end (`engine.md` §7).
            if kill_group(group) {
                kill_orphans(self.run.clone()).await;
            }
            self.finish();
        } else {
            self.kill().await;
        }
    }

    /// Kills the whole group, on Linux also what left it and carries its `HOOKWRIGHT_RUN`, and collects the child.
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
            // No runtime is left: the guardian still counts it as running, and makes sure when we end.
            Err(_) => drop(child),
        }
    }
}

/// Waits for a child whose group was killed. The number may be somebody else's group from then on, while what left the
/// group is still looked for: the guards must not kill by it.
async fn reap(child: &mut Child, run: &str, guardian: &Guardian) -> io::Result<ExitStatus> {
    let status = child.wait().await;
    guardian.clear_group(run);
    status
}

/// The child was not collected yet, so its number, and with it the group's, is nobody else's.
#[cfg(unix)]
fn kill_all(child: &mut Child) {
    // A group that is gone already needs no killing.
    let _ = kill_group(group_of(child));
}

/// Only the child itself: its own children go on (job objects are not used yet).
#[cfg(not(unix))]
fn kill_all(child: &mut Child) {
    drop(child.start_kill());
}

/// The child leads its group, so it has the child's number.
fn group_of(child: &Child) -> Option<i32> {
    child.id().and_then(|id| i32::try_from(id).ok())
}

/// Whether there was anybody in it.
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
    // It ends early only with the runtime, and then the guardian goes on.
    drop(scan.await);
}

#[cfg(not(target_os = "linux"))]
async fn kill_orphans(_run: Arc<str>) {}
