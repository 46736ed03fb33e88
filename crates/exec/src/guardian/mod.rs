//! Guards: processes of our own that outlive the engine by a moment and take its running hooks along (`engine.md` §7).
//!
//! There are two, in sessions of their own and under a name of their own ([`NAME`]), so that who ends all processes called
//! as the engine, or the engine's group, does not end them. Each starts another one when its partner dies; the engine does
//! when it finds none. An engine that ends within a moment never has the second one.
//!
//! What runs stands in a [table](table) that all of them share. A run is in it *before* it is spawned, so that there is no
//! moment in which a hook runs and nobody knows: on Linux whatever carries that `HOOKWRIGHT_RUN` is found. When the engine
//! has ended, in whatever way, the guards kill what still runs. They are woken by nothing else: that would cost every event
//! two changes of process. Who kills the engine and both guards leaves the table behind; the next start over the same
//! folder ends what it names, found by its mark.

#[cfg(not(unix))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod left;
#[cfg(unix)]
mod link;
#[cfg(unix)]
mod post;
#[cfg(unix)]
mod table;
#[cfg(unix)]
mod watch;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hookwright_model::{Message, args};

#[cfg(not(unix))]
use elsewhere::Post;
#[cfg(unix)]
use post::Post;

use crate::descriptors::with_reserve;
use crate::messages::NO_GUARDIAN;

/// What the guards are called.
const NAME: &str = "hookwright-guard";

/// The hidden argument that makes one of our programs a guard, and which one it is.
const ARGUMENT: &str = "__guardian";
const FIRST: &str = "first";
const SECOND: &str = "second";

/// Guards that go away are started again this often within [`STARTS_WITHIN`].
const STARTS: u32 = 4;
const STARTS_WITHIN: Duration = Duration::from_secs(60);

/// Where nobody could be put up, it is tried again this often.
#[cfg(unix)]
const BETWEEN_TRIES: Duration = Duration::from_secs(1);

/// Whether this process was started to be a guard. Programs ask this first of all.
#[must_use]
pub fn is_guardian() -> bool {
    std::env::args_os().nth(1).is_some_and(|argument| argument == ARGUMENT)
}

/// Is a guard until its engine is gone and nothing of its hooks is left.
#[must_use]
pub fn guardian_main() -> ExitCode {
    #[cfg(unix)]
    watch::until_the_end();
    ExitCode::SUCCESS
}

/// How guards are started, and where it is kept what they guard.
#[derive(Debug, Clone)]
pub struct GuardianProgram {
    pub(crate) program: PathBuf,
    pub(crate) folder: PathBuf,
}

impl GuardianProgram {
    /// A program of ours, by its absolute path, that calls [`guardian_main`] when [`is_guardian`]; and the folder that all
    /// engines of one data folder share.
    #[must_use]
    pub fn of(program: PathBuf, folder: PathBuf) -> Self {
        let is_own = std::env::current_exe().is_ok_and(|own| own == program);
        let program = if is_own {
            own_program().unwrap_or(program)
        } else {
            program
        };
        Self { program, folder }
    }
}

/// This program, also when its file was replaced meanwhile.
fn own_program() -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        return Ok(PathBuf::from("/proc/self/exe"));
    }
    std::env::current_exe()
}

/// The engine's side: puts guards up before the first hook, and tells them what runs.
#[derive(Debug)]
pub(crate) struct Guardian {
    /// None where tests want no second process.
    program: Option<GuardianProgram>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    post: Option<Post>,
    starts: u32,
    last_start: Option<Instant>,
    missing: Missing,
}

/// What became of the news that there is no guard.
#[derive(Debug, Default)]
enum Missing {
    #[default]
    No,
    Unsaid(Message),
    Said,
}

impl Missing {
    fn because(&mut self, why: &io::Error) {
        match self {
            Self::No => {
                tracing::warn!("no guard: {why}");
                *self = Self::Unsaid(NO_GUARDIAN.render(args! { "why" => why.to_string() }));
            }
            Self::Unsaid(_) | Self::Said => {}
        }
    }

    /// The news, the first time.
    fn news(&mut self) -> Option<Message> {
        match std::mem::take(self) {
            Self::No => None,
            Self::Unsaid(words) => {
                *self = Self::Said;
                Some(words)
            }
            Self::Said => {
                *self = Self::Said;
                None
            }
        }
    }
}

impl State {
    /// Sees to it that somebody is on guard, as far as that is possible.
    fn ensure(&mut self, program: &GuardianProgram) {
        if let Err(why) = self.put_up(program) {
            self.missing.because(&why);
        }
    }

    /// Those who went away are replaced only so often; who could not be started at all is tried again each time.
    fn put_up(&mut self, program: &GuardianProgram) -> io::Result<()> {
        let post = match &mut self.post {
            Some(post) => post,
            // Also without guards the table is worth having: the next start reads it.
            none => none.insert(with_reserve(|| Post::open(program))?),
        };
        if post.stands() {
            return Ok(());
        }
        if self.last_start.is_some_and(|last| last.elapsed() > STARTS_WITHIN) {
            self.starts = 0;
        }
        if self.starts == STARTS {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        with_reserve(|| post.again(program))?;
        self.starts += 1;
        self.last_start = Some(Instant::now());
        Ok(())
    }

    fn tell(&mut self, tell: impl FnOnce(&mut Post) -> io::Result<()>) {
        if let Some(Err(why)) = self.post.as_mut().map(tell) {
            self.missing.because(&why);
        }
    }
}

impl Guardian {
    pub(crate) fn new(program: Option<GuardianProgram>) -> Self {
        Self {
            program,
            state: Mutex::default(),
        }
    }

    /// A run is about to start. Returns what a person should know, once.
    pub(crate) fn expect(&self, run: &str) -> Option<Message> {
        let program = self.program.as_ref()?;
        let mut state = self.state();
        state.ensure(program);
        state.tell(|post| post.expect(run));
        state.missing.news()
    }

    /// The run has this process group.
    pub(crate) fn started(&self, run: &str, group: u32) {
        self.state().tell(|post| post.started(run, group));
    }

    /// Its process group has no number of its own any more.
    pub(crate) fn groupless(&self, run: &str) {
        self.started(run, 0);
    }

    /// The run is over.
    pub(crate) fn ended(&self, run: &str) {
        self.state().tell(|post| post.ended(run));
    }

    /// Puts guards up now instead of at the first hook, and from now on whenever none is left. Returns what a person should
    /// know, once.
    pub(crate) fn stand(self: &Arc<Self>) -> Option<Message> {
        let program = self.program.as_ref()?;
        let mut state = self.state();
        state.ensure(program);
        #[cfg(target_os = "linux")]
        left::end_when_left(&program.folder, state.post.as_ref().and_then(Post::path));
        let news = state.missing.news();
        drop(state);
        #[cfg(unix)]
        self.keep_watch();
        news
    }

    /// A thread that sleeps until the last guard is gone, and puts up others.
    #[cfg(unix)]
    fn keep_watch(self: &Arc<Self>) {
        let guardian = Arc::downgrade(self);
        let watch = move || {
            while let Some(guardian) = guardian.upgrade() {
                let end = guardian.attended();
                drop(guardian);
                match end {
                    Some(end) => drop(link::over(std::os::fd::AsFd::as_fd(&end), None)),
                    None => std::thread::sleep(BETWEEN_TRIES),
                }
            }
        };
        // Without it the next hook finds out.
        drop(std::thread::Builder::new().name("guards".to_owned()).spawn(watch));
    }

    /// Sees to it that somebody is on guard. Returns what ends with the last one; None where nobody is.
    #[cfg(unix)]
    fn attended(&self) -> Option<std::os::fd::OwnedFd> {
        let program = self.program.as_ref()?;
        let mut state = self.state();
        state.ensure(program);
        let post = state.post.as_mut()?;
        if post.stands() { post.watch().ok() } else { None }
    }

    /// Ends what engines of the same folder left running that were killed together with their guards (Linux; elsewhere
    /// nothing tells whose a process was). Blocks for a moment when there is any.
    pub(crate) fn end_left(&self) {
        #[cfg(target_os = "linux")]
        if let Some(program) = &self.program {
            left::end_left(&program.folder);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing that changes it panics half-way.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_program_there_is_nobody_to_tell_and_nothing_to_complain_about() {
        assert_eq!(Guardian::new(None).expect("A"), None);
    }

    #[cfg(unix)]
    #[test]
    fn guards_that_cannot_stay_are_missed_once() {
        // It ends at once; starting it again has a limit.
        let folder = tempfile::tempdir().unwrap();
        let program = GuardianProgram::of("/bin/true".into(), folder.path().to_owned());
        let guardian = Guardian::new(Some(program));
        let said = std::iter::repeat_with(|| {
            std::thread::yield_now();
            guardian.expect("A")
        });
        let words = said.flatten().next().unwrap();
        assert_eq!(words.code, "no_guardian");
        assert_eq!(guardian.expect("B"), None);
    }
}
