//! Tests of the real window, controlled as a user would: a few tests that all parts work together.
//!
//! They do not test the details of the user interface. Those tests run in the browser page, because that is faster.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a test reads files and variables as it needs, and stops at what it did not expect"
)]

#[cfg(target_os = "linux")]
mod desktop;
#[cfg(target_os = "linux")]
mod notifications;
#[cfg(target_os = "linux")]
mod tray;

#[cfg(target_os = "linux")]
mod tests {
    use fantoccini::key::Key;
    use rustix::process::Signal;

    use crate::desktop::Desktop;
    use crate::notifications::Notifications;
    use crate::tray::Tray;

    #[tokio::test]
    async fn the_first_start_offers_a_sample_and_shows_its_hooks() {
        let desktop = Desktop::start(&[]).await;
        desktop.click("Open the sample project").await;
        desktop.wait_for_text("6 hooks wait for your review").await;
        desktop.save_screenshot("overview").await;
        desktop.press(&[], '2').await;
        desktop.wait_for_text("house_rules.py").await;
        desktop.wait_for_text("Needs review").await;
        desktop.wait_for_text("6 hooks").await;
        desktop.save_screenshot("hooks").await;
    }

    #[tokio::test]
    async fn control_and_enter_fires_the_chain() {
        let desktop = Desktop::start_on_sample().await;
        desktop.wait_for_text("Every hook can do its work.").await;
        desktop.press(&[], '3').await;
        desktop.wait_for_text("Not fired yet.").await;
        desktop.press(&[Key::Control], Key::Enter).await;
        desktop.wait_for_text_in(".verdict", "house_rules.py").await;
        desktop.wait_for_text_in(".rail", "guard_shell.sh").await;
        desktop.save_screenshot("fire").await;
    }

    #[tokio::test]
    async fn what_the_command_line_fires_appears_in_the_open_window() {
        let desktop = Desktop::start_on_sample().await;
        desktop.wait_for_text("Every hook can do its work.").await;
        desktop.press(&[], '4').await;
        desktop.wait_for_text("No events yet").await;
        let fired = desktop.hookwright(&["fire", "--dialect", "jcli", "--event", "post_tool_execution", "--json"]);
        let trace = fired.assert_exit(0).json();
        assert_eq!(trace["steps"][0]["outcome"], "no_opinion", "{trace}");
        desktop
            .wait_for_text_in("[role=grid], table", "post_tool_execution")
            .await;
        desktop.save_screenshot("history").await;
    }

    #[tokio::test]
    async fn a_window_attaches_to_a_running_engine_and_starts_its_own_when_that_ends() {
        let sandbox = Desktop::sandbox();
        let engine = sandbox.start(["serve"]);
        engine.wait_for("the engine listens", || engine.stderr().contains("listening on"));
        let desktop = Desktop::start_in(sandbox, &[]).await;
        desktop.wait_for_text("Attached to a running engine").await;
        engine.signal(Signal::TERM);
        engine.finish().assert_exit(0);
        desktop.wait_for_text("The engine stopped.").await;
        desktop.save_screenshot("stopped").await;
        desktop.click("Start an engine here").await;
        desktop.wait_for_text("Engine running").await;
        desktop.wait_for_text("Open the sample project").await;
        desktop
            .hookwright(&["serve"])
            .assert_exit(1)
            .assert_stderr("already serves");
    }

    #[tokio::test]
    async fn a_second_start_shows_its_project_in_the_window_that_is_open() {
        let desktop = Desktop::start(&[]).await;
        desktop.wait_for_text("Open the sample project").await;
        let sample = desktop.copy_sample();
        desktop.start_again(&["--project", &sample]).assert_exit(0);
        desktop.wait_for_text("6 hooks wait for your review").await;
    }

    #[tokio::test]
    async fn a_click_on_a_notification_of_the_desktop_opens_the_review_of_the_hook() {
        let notifications = Notifications::start();
        let desktop = Desktop::start_on_sample().await;
        desktop.wait_for_text("Every hook can do its work.").await;
        // The desktop is notified only while another window is in front.
        let in_front = Desktop::start(&[]).await;
        in_front.wait_for_text("Open the sample project").await;
        // The engine may not know the project yet. What it contains then is not new, so another hook is added.
        for number in 0..30 {
            desktop.add_hook(&format!("new<b>{number}.sh"));
            if desktop.comes_soon(|| !notifications.shown().is_empty()).await {
                break;
            }
        }
        let shown = notifications.shown();
        let first = shown.first().expect("the desktop was notified");
        assert_eq!(first.title, "A new hook waits for approval");
        assert!(first.body.starts_with("Hook new&lt;b&gt;"), "{first:?}");
        assert!(first.actions.contains(&"default".to_owned()), "{first:?}");
        notifications.click(0);
        desktop.wait_for_text_in("h1", "Trust").await;
        desktop.wait_for_text("new<b>").await;
        desktop.save_screenshot("notification").await;
    }

    #[tokio::test]
    async fn the_menu_of_the_tray_counts_what_waits_and_opens_it() {
        let tray = Tray::start();
        let desktop = Desktop::start(&[]).await;
        desktop.wait_for_text("Open the sample project").await;
        let labels = || tray.entries().into_iter().map(|(_, label)| label).collect::<Vec<_>>();
        desktop
            .wait_until("the tray has an icon", |_| {
                labels() == ["Hide window", "Quit Hookwright"]
            })
            .await;
        desktop.click("Open the sample project").await;
        desktop.wait_for_text("6 hooks wait for your review").await;
        desktop
            .wait_until("the menu says what waits", |_| {
                labels().contains(&"Needs you: 6".to_owned())
            })
            .await;
        tray.choose("Needs you");
        desktop.wait_for_text_in("h1", "Trust").await;
    }

    #[tokio::test]
    async fn starting_at_login_is_off_until_it_is_enabled() {
        let desktop = Desktop::start_on_sample().await;
        desktop.wait_for_text("Every hook can do its work.").await;
        desktop.press(&[], '9').await;
        let switch = "Start at login";
        assert!(!desktop.has_login_entry());
        desktop.switch(switch).await;
        desktop
            .wait_until("the desktop was told", |desktop| desktop.has_login_entry())
            .await;
        desktop.switch(switch).await;
        desktop
            .wait_until("the desktop was told otherwise", |desktop| !desktop.has_login_entry())
            .await;
    }
}
