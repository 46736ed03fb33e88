//! What connections of one session mean for each other (`CONTRACTS.md` §3, "Joining only adds").

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::BoxFuture;
use hookwright_dialects::lookup::find_dialect;
use hookwright_dialects::session_hooks;
use hookwright_engine::{FileHooks, MAX_EVENTS_AT_ONCE, SessionEvent, SessionRefusal};
use hookwright_model::session_hook::SessionRegistration;
use hookwright_model::{Call, Hook, Run, RunContext, Runner};
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::member::Members;
use super::session::Join;
use super::*;

/// Starts nothing.
struct NoRunner;

impl Runner for NoRunner {
    fn run<'a>(&'a self, _: Call, _: RunContext) -> BoxFuture<'a, Run> {
        futures::future::pending().boxed()
    }
}

struct NoLink;

impl AgentLink for NoLink {
    fn call<'a>(&'a self, _: &'static str, _: Value, _: Duration) -> BoxFuture<'a, Result<Value, LinkError>> {
        futures::future::ready(Err(LinkError::Gone)).boxed()
    }

    fn notify<'a>(&'a self, _: &'static str, _: Value) -> BoxFuture<'a, ()> {
        futures::future::ready(()).boxed()
    }

    fn try_notify(&self, _: &'static str, _: Value) {}

    fn unread_bytes(&self) -> usize {
        0
    }
}

/// The process ids of a connection, itself first. A process started at ten times its id.
fn member(number: u64, processes: &[u32]) -> Member {
    let process = |&pid| ProcessId {
        pid,
        started: u64::from(pid) * 10,
    };
    Member {
        peer: Peer {
            number,
            lineage: Lineage::new(processes.iter().map(process).collect(), 0),
            agent_pid: None,
        },
        agent: AgentInfo::default(),
        program: None,
        offers: vec![Offer::Fire, Offer::Model, Offer::Callbacks],
        file_hooks: FileHooks::Engine,
        link: Arc::new(NoLink),
        events: Member::event_places(),
        left: CancellationToken::new(),
        closed: CancellationToken::new(),
    }
}

/// A connection through a relay, which names its agent and offers nothing.
fn relay(number: u64, processes: &[u32]) -> Member {
    Member {
        offers: Vec::new(),
        ..of_agent(processes.get(1).copied(), member(number, processes))
    }
}

/// The connection, which names this process as its agent.
fn of_agent(pid: Option<u32>, member: Member) -> Member {
    let peer = Peer {
        agent_pid: pid,
        ..member.peer
    };
    Member { peer, ..member }
}

/// The folders that have approved hooks of their own.
struct Approved(&'static [&'static str]);

impl ProjectOf for Approved {
    fn has_own_hooks(&self, project: &Path) -> bool {
        self.0.iter().any(|folder| Path::new(folder) == project)
    }
}

fn sessions() -> Arc<AgentSessions> {
    Arc::new(AgentSessions::new(Arc::new(NoRunner)))
}

fn open_in(all: &AgentSessions, folder: &str, member: Member, approved: &Approved) -> Opened {
    let opening = Opening {
        dialect: find_dialect("qoder").unwrap(),
        id: Some("s".to_owned()),
        project: PathBuf::from(folder),
        keep: Some(Duration::from_secs(60)),
    };
    let member = Arc::new(member);
    let (session, join) = all.open(Timestamp::UNIX_EPOCH, &opening, &member, approved);
    Opened { session, member, join }
}

struct Opened {
    session: Arc<AgentSession>,
    member: Arc<Member>,
    join: Join,
}

impl Opened {
    fn project(&self) -> &str {
        self.session.project.to_str().unwrap()
    }

    fn register(&self, name: &str) -> Result<Vec<Arc<Hook>>, HookRefusal> {
        self.register_text(name, 10)
    }

    fn register_text(&self, name: &str, text_bytes: usize) -> Result<Vec<Arc<Hook>>, HookRefusal> {
        let new = NewHooks {
            text_bytes,
            kept: KeptBytes::default().add(text_bytes),
        };
        let definition = json!({"callback": name});
        self.session.register(&self.member, new, |hooks| {
            let registration = SessionRegistration {
                event: Some("PreToolUse"),
                definition: &definition,
                hooks,
                project: &self.session.project,
            };
            Ok(session_hooks::register(self.session.dialect, &registration).unwrap())
        })
    }

    /// The ids of the hooks that take part in an event of this connection.
    fn hooks(&self) -> Vec<String> {
        let begun = self.begin().unwrap();
        begun.session_hooks().iter().map(|hook| hook.id.clone()).collect()
    }

    fn begin(&self) -> Result<SessionEvent, SessionRefusal> {
        self.session.begin_event(&self.member, KeptBytes::default().add(1))
    }

    fn end_conversation(&self) {
        let conversation = self.session.conversation().unwrap();
        self.session.begin_again(&self.member, &conversation);
    }
}

fn in_project(all: &AgentSessions, member: Member) -> Opened {
    open_in(all, "/p", member, &Approved(&[]))
}

const FIRST: &str = "qoder:session:PreToolUse:0";

#[test]
fn another_folder_is_another_session_whoever_was_first() {
    let all = sessions();
    let other = open_in(&all, "/other", member(1, &[5]), &Approved(&[]));
    let mine = in_project(&all, member(2, &[6]));
    assert_eq!((other.project(), mine.project()), ("/other", "/p"));
    assert_eq!(mine.join, Join::Joined);
    let above = open_in(&all, "/", member(3, &[7]), &Approved(&[]));
    assert_eq!(above.project(), "/", "a folder above is outside");
}

#[test]
fn a_folder_inside_joins_the_outermost_session() {
    let all = sessions();
    let sub = open_in(&all, "/p/sub", member(1, &[5]), &Approved(&[]));
    assert_eq!(sub.project(), "/p/sub");
    assert_eq!(in_project(&all, member(2, &[6])).project(), "/p");
    let again = open_in(&all, "/p/sub/deep", member(3, &[7]), &Approved(&["/p"]));
    assert_eq!((again.project(), again.join), ("/p", Join::JoinedStrangers));
}

#[test]
fn a_folder_with_approved_hooks_loses_them_to_no_stranger() {
    let all = sessions();
    let _above = open_in(&all, "/", member(1, &[5]), &Approved(&[]));
    let own = open_in(&all, "/p", member(2, &[6]), &Approved(&["/p"]));
    assert_eq!(own.project(), "/p");
    let both = Approved(&["/p", "/p/sub"]);
    let nested = open_in(&all, "/p/sub", member(3, &[7]), &both);
    assert_eq!(
        nested.project(),
        "/p/sub",
        "another agent in a folder above takes none away"
    );
    let same_agent = open_in(&all, "/p/sub", relay(4, &[9, 6]), &both);
    assert_eq!(
        same_agent.project(),
        "/p",
        "an agent that changes its folder stays in its session"
    );
}

#[test]
fn the_session_of_an_ancestor_counts_before_the_outermost() {
    let all = sessions();
    let agent = open_in(&all, "/p/sub", member(1, &[5, 1]), &Approved(&[]));
    let _above = in_project(&all, member(2, &[6, 1]));
    let child = open_in(&all, "/p/sub/deep", member(3, &[9, 5, 1]), &Approved(&[]));
    assert!(Arc::ptr_eq(&child.session, &agent.session));
}

#[test]
fn session_hooks_serve_the_process_that_registered_them_and_its_descendants() {
    let all = sessions();
    let agent = in_project(&all, member(1, &[5, 1]));
    agent.register("guard").unwrap();
    let (child, stranger) = (
        in_project(&all, relay(2, &[9, 5, 1])),
        in_project(&all, member(3, &[6, 1])),
    );
    stranger.register("evil").unwrap();
    assert_eq!(
        (agent.hooks(), child.hooks()),
        (vec![FIRST.to_owned()], vec![FIRST.to_owned()])
    );
    assert_eq!(stranger.hooks(), ["qoder:session:PreToolUse:1"]);
    let listed = stranger.session.hooks_for(&stranger.member).unwrap();
    assert_eq!(listed.len(), 1, "it sees only its own");
}

#[test]
fn a_hook_is_removed_only_by_the_connection_that_registered_it() {
    let all = sessions();
    let agent = in_project(&all, member(1, &[5]));
    agent.register("guard").unwrap();
    for other in [member(2, &[9, 5]), member(3, &[6])] {
        let other = in_project(&all, other);
        assert_eq!(other.session.remove_hook(&other.member, &FIRST.to_owned()), Ok(false));
    }
    assert_eq!(agent.session.remove_hook(&agent.member, &FIRST.to_owned()), Ok(true));
    assert!(agent.hooks().is_empty());
}

#[test]
fn only_the_connection_that_began_a_session_ends_it_and_no_stranger_loses_hooks() {
    let all = sessions();
    let agent = in_project(&all, member(1, &[5]));
    agent.register("guard").unwrap();
    let stranger = in_project(&all, member(2, &[6]));
    stranger.register("own").unwrap();
    assert!(!stranger.session.begin_close(&stranger.member));
    assert_eq!(agent.hooks(), [FIRST]);
    assert!(stranger.hooks().is_empty(), "its own are gone");
    assert!(!agent.session.begin_close(&agent.member), "the stranger stays");
    stranger.session.leave(&stranger.member, Timestamp::UNIX_EPOCH);
    assert!(agent.session.begin_close(&agent.member));
}

#[test]
fn an_event_that_ends_the_conversation_takes_no_hooks_of_a_stranger() {
    let all = sessions();
    let agent = in_project(&all, member(1, &[5]));
    agent.register("guard").unwrap();
    // A command that the agent started is no stranger, but the agent does not descend from it.
    for other in [member(2, &[6]), member(3, &[9, 5])] {
        let other = in_project(&all, other);
        other.end_conversation();
        assert_eq!(agent.hooks(), [FIRST]);
        other.session.leave(&other.member, Timestamp::UNIX_EPOCH);
    }
    let _relay = in_project(&all, relay(4, &[8, 5]));
    agent.end_conversation();
    assert!(agent.hooks().is_empty());
}

#[tokio::test]
async fn an_event_that_ends_the_conversation_takes_no_hooks_of_an_agent_that_is_away() {
    let all = sessions();
    let agent = in_project(&all, member(1, &[5]));
    agent.register("guard").unwrap();
    all.leave(&agent.session, &agent.member, Timestamp::UNIX_EPOCH, || ());
    let stranger = in_project(&all, member(2, &[6]));
    stranger.end_conversation();
    all.leave(&stranger.session, &stranger.member, Timestamp::UNIX_EPOCH, || ());
    assert_eq!(in_project(&all, member(3, &[5])).hooks(), [FIRST]);
    in_project(&all, member(4, &[5])).end_conversation();
    assert!(in_project(&all, member(5, &[5])).hooks().is_empty());
}

#[test]
fn prompts_go_to_the_model_of_the_event_s_own_connection_or_of_its_ancestor() {
    let members = Members::default();
    let all = [
        member(1, &[5, 1]),
        relay(2, &[9, 5, 1]),
        member(3, &[6, 1]),
        relay(4, &[8, 1]),
    ];
    members.with(|list| list.members.extend(all.map(Arc::new)));
    let model = |connection| members.model_for(Some(connection)).map(|member| member.peer.number);
    assert_eq!([1, 2, 3, 4].map(model), [Some(1), Some(1), Some(3), None]);
    assert!(members.model_for(None).is_none());
}

#[test]
fn test_events_go_to_the_agent_s_newest_connection_and_to_no_other_program() {
    let all = sessions();
    let command = in_project(&all, member(1, &[9, 5]));
    let takes = || command.session.for_test_events(None).unwrap().peer.number;
    assert_eq!(takes(), 1);
    let _agent = in_project(&all, member(2, &[5]));
    let _later_command = in_project(&all, member(3, &[8, 5]));
    let _stranger = in_project(&all, member(4, &[6]));
    assert_eq!(takes(), 2, "the agent that started the commands");
    let _again = in_project(&all, member(5, &[5]));
    assert_eq!(takes(), 5);
}

#[test]
fn only_relatives_share_the_state_of_the_conversation() {
    let all = sessions();
    let agent = in_project(&all, member(1, &[5, 1]));
    let group = |opened: &Opened| opened.session.group_of(&opened.member);
    assert_eq!(group(&agent), 0);
    let stranger = in_project(&all, member(2, &[6, 1]));
    assert_eq!(group(&stranger), 1);
    agent.session.leave(&agent.member, Timestamp::UNIX_EPOCH);
    for again in [member(3, &[5, 1]), relay(4, &[9, 5, 1])] {
        assert_eq!(group(&in_project(&all, again)), 0);
    }
    let of_strangers =
        (100..300).map(|number| group(&in_project(&all, member(number, &[u32::try_from(number).unwrap()]))));
    assert_eq!(of_strangers.last(), Some(63), "all further programs share one");
    assert_eq!(group(&agent), 0);
}

#[test]
fn relays_of_one_agent_share_the_state_of_the_conversation() {
    let all = sessions();
    let groups = [relay(1, &[8, 5, 1]), relay(2, &[9, 5, 1]), relay(3, &[8, 6, 1])].map(|relay| {
        let opened = in_project(&all, relay);
        opened.session.group_of(&opened.member)
    });
    assert_eq!(groups, [0, 0, 1]);
}

#[test]
fn a_program_that_is_no_relative_is_noticed_when_it_joins() {
    let all = sessions();
    let joined = |member| in_project(&all, member).join;
    assert_eq!(joined(relay(1, &[8, 5, 1])), Join::Joined);
    assert_eq!(
        joined(relay(2, &[9, 5, 1])),
        Join::Joined,
        "the same agent started both"
    );
    assert_eq!(joined(member(3, &[5, 1])), Join::Joined, "that agent itself");
    assert_eq!(joined(relay(4, &[7, 6, 1])), Join::JoinedStrangers);
    let claims = of_agent(Some(5), member(5, &[6, 1]));
    assert_eq!(
        joined(claims),
        Join::JoinedStrangers,
        "it does not descend from the agent that it names"
    );
}

#[tokio::test]
async fn a_program_that_joins_a_kept_session_is_compared_with_the_last_that_left() {
    let all = sessions();
    let first = in_project(&all, relay(1, &[8, 5, 1]));
    all.leave(&first.session, &first.member, Timestamp::UNIX_EPOCH, || ());
    assert_eq!(in_project(&all, member(2, &[6, 1])).join, Join::JoinedStrangers);
}

#[test]
fn each_connection_has_sixty_four_events() {
    let all = sessions();
    let (busy, other) = (in_project(&all, member(1, &[5])), in_project(&all, member(2, &[5])));
    let mut running: Vec<_> = (0..MAX_EVENTS_AT_ONCE).map(|_| busy.begin().unwrap()).collect();
    assert_eq!(busy.begin().err(), Some(SessionRefusal::TooMany));
    assert!(other.begin().is_ok());
    running.pop();
    assert!(busy.begin().is_ok());
}

#[test]
fn native_counts_for_the_events_of_its_own_connection() {
    let all = sessions();
    let native = Member {
        file_hooks: FileHooks::Agent,
        ..member(1, &[5])
    };
    let (native, other) = (in_project(&all, native), in_project(&all, member(2, &[5])));
    assert_eq!(native.begin().unwrap().file_hooks(), FileHooks::Agent);
    assert_eq!(other.begin().unwrap().file_hooks(), FileHooks::Engine);
}

#[test]
fn a_connection_registers_so_many_hooks_with_so_much_text() {
    let all = sessions();
    let (busy, other) = (in_project(&all, member(1, &[5])), in_project(&all, member(2, &[6])));
    for number in 0..MAX_HOOKS {
        busy.register(&number.to_string()).unwrap();
    }
    assert_eq!(busy.register("more").err(), Some(HookRefusal::TooMany));
    let again = in_project(&all, member(3, &[5]));
    assert_eq!(
        again.register("more").err(),
        Some(HookRefusal::TooMany),
        "of the same process"
    );
    other.register_text("long", MAX_HOOK_TEXT_BYTES).unwrap();
    assert_eq!(other.register("more").err(), Some(HookRefusal::TooMany));
    assert_eq!(busy.session.remove_hook(&busy.member, &FIRST.to_owned()), Ok(true));
    assert!(busy.register("more").is_ok());
}

#[tokio::test]
async fn of_too_many_kept_sessions_the_one_that_is_idle_longest_ends() {
    let all = sessions();
    let opened: Vec<Opened> = (0..258)
        .map(|number| open_in(&all, &format!("/{number}"), member(number, &[5]), &Approved(&[])))
        .collect();
    for (second, opened) in (0..).zip(&opened) {
        let now = Timestamp::from_second(second).unwrap();
        all.leave(&opened.session, &opened.member, now, || ());
    }
    assert_eq!(all.all().len(), 256);
    assert!(opened[1].session.conversation().is_err());
    assert!(opened[2].session.conversation().is_ok());
}

#[tokio::test]
async fn a_kept_session_that_ends_early_is_not_held_until_its_time() {
    let all = sessions();
    let Opened { session, member, .. } = in_project(&all, member(1, &[5]));
    all.leave(&session, &member, Timestamp::UNIX_EPOCH, || ());
    all.end(&session);
    let held = Arc::downgrade(&session);
    drop((session, member));
    assert!(held.upgrade().is_none());
}

#[test]
fn many_programs_hide_no_join_from_the_user() {
    let all = sessions();
    let now = Instant::now();
    let named = |name: String| Member {
        agent: AgentInfo {
            name,
            ..AgentInfo::default()
        },
        ..member(1, &[5])
    };
    let one = open_in(&all, "/one", member(1, &[5]), &Approved(&[]));
    for number in 0..1000 {
        assert!(all.is_news(&one.session, &named(number.to_string()), now));
    }
    let other = open_in(&all, "/other", member(2, &[5]), &Approved(&[]));
    assert!(all.is_news(&other.session, &named("late".to_owned()), now));
    assert!(!all.is_news(&other.session, &named("later".to_owned()), now));
    for number in 0..1000 {
        let session = open_in(&all, &format!("/{number}"), member(3, &[5]), &Approved(&[])).session;
        all.is_news(&session, &named("late".to_owned()), now);
    }
    let last = open_in(&all, "/last", member(4, &[5]), &Approved(&[])).session;
    assert!(!all.is_news(&last, &named("late".to_owned()), now));
    assert!(all.is_news(&last, &named("late".to_owned()), now + Duration::from_secs(5)));
}
