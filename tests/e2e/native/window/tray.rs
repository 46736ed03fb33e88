//! A desktop with a tray: the watcher of tray icons on the session bus of the test, and a user of the icon's menu.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use zbus::blocking::{Connection, Proxy, connection};
use zbus::message::Header;
use zbus::zvariant::{OwnedObjectPath, OwnedValue, Value};

const NAME: &str = "org.kde.StatusNotifierWatcher";
const PATH: &str = "/StatusNotifierWatcher";
const ITEM: &str = "org.kde.StatusNotifierItem";
const MENU: &str = "com.canonical.dbusmenu";

/// An entry of a menu: its id, its properties, and its own entries.
type Entry = (i32, HashMap<String, OwnedValue>, Vec<OwnedValue>);

#[derive(Clone, Default)]
struct Watcher {
    /// The icons: the bus name of the program, and the path of its icon.
    icons: Arc<Mutex<Vec<(String, String)>>>,
}

#[zbus::interface(name = "org.kde.StatusNotifierWatcher")]
impl Watcher {
    #[zbus(property)]
    fn is_status_notifier_host_registered(&self) -> bool {
        true
    }

    #[zbus(property)]
    fn protocol_version(&self) -> i32 {
        0
    }

    fn register_status_notifier_item(&self, service: &str, #[zbus(header)] header: Header<'_>) {
        let program = header.sender().map(ToString::to_string).unwrap_or_default();
        let mut icons = self.icons.lock().unwrap_or_else(PoisonError::into_inner);
        icons.push((program, service.to_owned()));
    }
}

/// The tray, until it is dropped.
pub struct Tray {
    watcher: Watcher,
    bus: Connection,
}

impl Tray {
    /// Takes the name of the desktop's watcher on the session bus.
    pub fn start() -> Self {
        let watcher = Watcher::default();
        let bus = connection::Builder::session()
            .and_then(|bus| bus.name(NAME))
            .and_then(|bus| bus.serve_at(PATH, watcher.clone()))
            .and_then(connection::Builder::build)
            .expect("the tests run in dbus-run-session");
        Self { watcher, bus }
    }

    /// The labels of the first icon's menu that can be chosen, each with the id of its entry. It is empty while there is
    /// no icon.
    pub fn entries(&self) -> Vec<(i32, String)> {
        self.menu().and_then(|menu| read(&menu)).unwrap_or_default()
    }

    /// Chooses the entry whose label begins so.
    pub fn choose(&self, label: &str) {
        let entries = self.entries();
        let entry = entries.iter().find(|(_, shown)| shown.starts_with(label));
        let (id, _) = entry.unwrap_or_else(|| panic!("no {label:?} in {entries:?}"));
        let event = (*id, "clicked", Value::from(0_i32), 0_u32);
        let menu = self.menu().expect("the icon has a menu");
        menu.call_method("Event", &event).expect("the menu takes a click");
    }

    fn menu(&self) -> Option<Proxy<'static>> {
        let icons = self.watcher.icons.lock().unwrap_or_else(PoisonError::into_inner);
        let (program, icon) = icons.first()?.clone();
        let item = Proxy::new(&self.bus, program.clone(), icon, ITEM).ok()?;
        let path: OwnedObjectPath = item.get_property("Menu").ok()?;
        Proxy::new(&self.bus, program, path, MENU).ok()
    }
}

fn read(menu: &Proxy<'_>) -> Option<Vec<(i32, String)>> {
    let all: [&str; 0] = [];
    let (_, (_, _, entries)): (u32, Entry) = menu.call("GetLayout", &(0_i32, -1_i32, all.as_slice())).ok()?;
    let entries = entries.into_iter().filter_map(|entry| Entry::try_from(entry).ok());
    let enabled = entries.filter(|(_, properties, _)| !is_disabled(properties));
    let labels = enabled.filter_map(|(id, properties, _)| {
        let label = properties.get("label")?.try_clone().ok()?;
        Some((id, String::try_from(label).ok()?))
    });
    Some(labels.collect())
}

/// An entry is enabled unless its properties say otherwise.
fn is_disabled(properties: &HashMap<String, OwnedValue>) -> bool {
    let enabled = properties.get("enabled").and_then(|value| value.try_clone().ok());
    enabled.and_then(|value| bool::try_from(value).ok()) == Some(false)
}
