//! A desktop that shows notifications: a server on the session bus of the test.

use std::sync::{Arc, Mutex, PoisonError};

use zbus::blocking::{Connection, connection};

const NAME: &str = "org.freedesktop.Notifications";
const PATH: &str = "/org/freedesktop/Notifications";

/// A notification as a program sent it.
#[derive(Debug, Clone)]
pub struct Shown {
    pub title: String,
    pub body: String,
    pub actions: Vec<String>,
}

#[derive(Clone, Default)]
struct Server {
    shown: Arc<Mutex<Vec<Shown>>>,
}

#[zbus::interface(name = "org.freedesktop.Notifications")]
impl Server {
    fn get_capabilities(&self) -> Vec<String> {
        ["actions", "body", "body-markup"].map(str::to_owned).to_vec()
    }

    #[expect(clippy::too_many_arguments, reason = "the specification of the desktop says so")]
    fn notify(
        &self,
        _app_name: &str,
        _replaces: u32,
        _icon: &str,
        summary: &str,
        body: &str,
        actions: Vec<String>,
        _hints: std::collections::HashMap<String, zbus::zvariant::OwnedValue>,
        _timeout: i32,
    ) -> u32 {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.push(Shown {
            title: summary.to_owned(),
            body: body.to_owned(),
            actions,
        });
        u32::try_from(shown.len()).unwrap_or(u32::MAX)
    }
}

/// The server, until it is dropped.
pub struct Notifications {
    server: Server,
    bus: Connection,
}

impl Notifications {
    /// Takes the name of the desktop's server on the session bus.
    pub fn start() -> Self {
        let server = Server::default();
        let bus = connection::Builder::session()
            .and_then(|bus| bus.name(NAME))
            .and_then(|bus| bus.serve_at(PATH, server.clone()))
            .and_then(connection::Builder::build)
            .expect("the tests run in dbus-run-session");
        Self { server, bus }
    }

    /// Everything that was shown.
    pub fn shown(&self) -> Vec<Shown> {
        let shown = self.server.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.clone()
    }

    /// Clicks the notification at this place of [`Self::shown`].
    pub fn click(&self, index: usize) {
        let id = u32::try_from(index + 1).unwrap_or(u32::MAX);
        self.bus
            .emit_signal(None::<&str>, PATH, NAME, "ActionInvoked", &(id, "default"))
            .expect("the bus takes a signal");
    }
}
