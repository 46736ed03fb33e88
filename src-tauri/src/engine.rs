//! The engine of the window. It is found or started while the window opens, so that neither waits for the other.

use std::sync::Arc;
use std::time::Duration;

use hookwright_app::{Push, Topic};
use hookwright_serve::{Host, PushBatcher, Signals};
use hookwright_workspace::HostEnv;
use tauri::{AppHandle, Emitter as _, Manager as _};
use tokio::sync::watch;

use crate::{notices, tray, window};

/// Batches of pushes are at least this far apart: 20 per second, which a page can draw.
const BATCH_INTERVAL: Duration = Duration::from_millis(50);

/// The engine, once it was found or started.
#[derive(Default)]
pub struct Engine {
    host: watch::Sender<Option<Arc<Host>>>,
    page_state: watch::Sender<bool>,
}

impl Engine {
    /// Waits for the engine.
    pub async fn host(&self) -> Arc<Host> {
        let mut host = self.host.subscribe();
        loop {
            if let Some(host) = &*host.borrow_and_update() {
                return host.clone();
            }
            if host.changed().await.is_err() {
                // The sender is in `self` and exists as long as the program, so this does not happen.
                std::future::pending::<()>().await;
            }
        }
    }

    /// Called when the page reports that it receives pushes from now on.
    pub fn set_page_listening(&self) {
        self.page_state.send_replace(true);
    }

    /// Waits until the page receives pushes.
    pub async fn wait_until_page_listens(&self) {
        // The sender is in `self` and exists as long as the program.
        drop(self.page_state.subscribe().wait_for(|listens| *listens).await);
    }

    /// Ends the engine of this process cleanly. An engine in another process keeps running.
    pub fn close(&self) {
        let host = self.host.borrow().clone();
        if let Some(host) = host {
            tauri::async_runtime::block_on(host.close());
        }
    }
}

/// Finds or starts the engine, and forwards its pushes to the page.
pub fn set_up(app: &AppHandle, env: HostEnv) {
    let app_to_exit = app.clone();
    tauri::async_runtime::spawn(async move {
        hookwright_serve::handle_file_size_limit();
        match Signals::listen() {
            Ok(mut signals) => {
                signals.next().await;
                app_to_exit.exit(0);
            }
            Err(error) => tracing::warn!(%error, "signals cannot be received; the guardian stops running hooks"),
        }
    });
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let host = Host::open(env).await;
        let mut pushes = PushBatcher::new(host.subscribe(), BATCH_INTERVAL);
        app.state::<Engine>().host.send_replace(Some(host));
        tray::set_language(&app).await;
        notices::count_pending(&app);
        while let Some(batch) = pushes.next().await {
            for push in batch {
                react(&app, &push).await;
                if let Err(error) = app.emit_to(window::LABEL, "push", &push) {
                    tracing::warn!(%error, "the page could not be notified");
                }
            }
        }
    });
}

/// What the program itself does at a push, besides handing it to the page.
async fn react(app: &AppHandle, push: &Push) {
    match push {
        Push::Stale { what } => {
            if what.contains(&Topic::Settings) {
                tray::set_language(app).await;
            }
            if [Topic::Trust, Topic::Projects].iter().any(|topic| what.contains(topic)) {
                notices::count_pending(app);
            }
        }
        Push::Notice { .. } => notices::on_push(app, push),
        Push::Engine { .. } => notices::count_pending(app),
        Push::Traces { .. } | Push::Navigate { .. } | Push::PromptAnswer { .. } => {}
    }
}
