//! The path of the agent socket, and who may take it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_app::App;
use hookwright_workspace::{HostEnv, ProcessRole, wall_clock};

use super::{Agent, agents, until};
use crate::tests::Home;
use crate::{ControlServer, HostMode, ListenError};

/// The environment of a home with one more variable.
fn env_with(home: &Home, name: &str, value: &Path) -> HostEnv {
    let mut vars = std::collections::BTreeMap::new();
    vars.insert("HOME".into(), home.folder.path().as_os_str().to_owned());
    vars.insert(name.into(), value.as_os_str().to_owned());
    HostEnv::new(vars, home.project(), PathBuf::from("/bin/true")).unwrap()
}

async fn start(env: HostEnv) -> Result<ControlServer, ListenError> {
    let app = Arc::new(App::open(env, ProcessRole::Engine, wall_clock()));
    ControlServer::start(app, HostMode::Serve).await
}

#[tokio::test]
async fn an_engine_takes_a_dead_socket_and_never_a_living_one() {
    let (one, other) = (Home::new(), Home::new());
    let runtime = tempfile::tempdir().unwrap();
    let path = runtime.path().join("hookwright/agent.sock");
    fs::create_dir(runtime.path().join("hookwright")).unwrap();
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let first = start(env_with(&one, "XDG_RUNTIME_DIR", runtime.path())).await.unwrap();
    assert_eq!(first.agent_socket(), path);
    let endpoint = fs::read_to_string(one.run_dir().join("endpoint")).unwrap();
    assert_eq!(endpoint.lines().next(), path.to_str());
    // Agents would look there first, and never find another engine.
    let refused = start(env_with(&other, "XDG_RUNTIME_DIR", runtime.path()))
        .await
        .err()
        .unwrap();
    assert!(
        matches!(&refused, ListenError::InUse { path: used } if *used == path),
        "{refused}"
    );
    assert!(path.exists());
    first.stop().await;
    assert!(!path.exists());
}

#[tokio::test]
async fn a_removed_socket_is_made_again() {
    let home = Home::new();
    let engine = home.engine().await;
    let sockets = [engine.agent_socket().to_owned(), engine.control_socket().to_owned()];
    for socket in &sockets {
        fs::remove_file(socket).unwrap();
    }
    until("the sockets are there", || sockets.iter().all(|socket| socket.exists())).await;
    let _agent = Agent::open(&engine, &home, serde_json::json!({})).await;
    assert_eq!(agents(&home).await.len(), 1);
    engine.stop().await;
    assert!(sockets.iter().all(|socket| !socket.exists()));
}

#[tokio::test]
async fn a_named_socket_is_the_only_one() {
    let (one, other) = (Home::new(), Home::new());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/named.sock");
    let first = start(env_with(&one, "HOOKWRIGHT_SOCKET", &path)).await.unwrap();
    assert_eq!(first.agent_socket(), path);
    let refused = start(env_with(&other, "HOOKWRIGHT_SOCKET", &path)).await.err().unwrap();
    assert!(matches!(refused, ListenError::InUse { .. }), "{refused}");
    let long = folder.path().join("x".repeat(120));
    let refused = start(env_with(&other, "HOOKWRIGHT_SOCKET", &long)).await.err().unwrap();
    assert!(matches!(refused, ListenError::TooLong { .. }), "{refused}");
    let file = folder.path().join("mine.txt");
    fs::write(&file, "mine").unwrap();
    let refused = start(env_with(&other, "HOOKWRIGHT_SOCKET", &file)).await.err().unwrap();
    assert!(matches!(refused, ListenError::NotASocket { .. }), "{refused}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    first.stop().await;
}
