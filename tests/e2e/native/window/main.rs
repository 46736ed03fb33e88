//! The real window, driven as a person would: a handful of tests that everything fits together.
//!
//! What it deliberately does not do: the interface itself is tested in the browser page, where that is quicker.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a test reads files and variables as it needs, and stops at what it did not expect"
)]

#[cfg(target_os = "linux")]
mod desktop;

#[cfg(target_os = "linux")]
mod tests {
    use fantoccini::key::Key;
    use rustix::process::Signal;

    use crate::desktop::Desktop;

    #[tokio::test]
    async fn the_first_start_offers_a_sample_and_shows_its_hooks() {
        let desktop = Desktop::start(&[]).await;
        desktop.click("Open the sample project").await;
        desktop.sees("house_rules.py").await;
        desktop.sees("Needs review").await;
        desktop.sees("6 hooks").await;
        desktop.shot("hooks").await;
    }

    #[tokio::test]
    async fn control_and_enter_fires_the_chain() {
        let desktop = Desktop::start_on_sample().await;
        desktop.sees("guard_shell.sh").await;
        desktop.press(&[], '3').await;
        desktop.sees("Nothing fired.").await;
        desktop.press(&[Key::Control], Key::Enter).await;
        desktop.sees_in(".verdict", "house_rules.py").await;
        desktop.sees_in(".steps-box", "guard_shell.sh").await;
        desktop.shot("fire").await;
    }

    #[tokio::test]
    async fn what_the_command_line_fires_appears_in_the_open_window() {
        let desktop = Desktop::start_on_sample().await;
        desktop.sees("guard_shell.sh").await;
        desktop.press(&[], '4').await;
        desktop.sees("Nothing has fired yet").await;
        let fired = desktop.hookwright(&["fire", "--dialect", "jcli", "--event", "post_tool_execution", "--json"]);
        let trace = fired.exits(0).json();
        assert_eq!(trace["steps"][0]["outcome"], "no_opinion", "{trace}");
        desktop.sees_in("[role=grid], table", "post_tool_execution").await;
        desktop.shot("history").await;
    }

    #[tokio::test]
    async fn a_window_attaches_to_a_living_engine_and_starts_its_own_when_that_ends() {
        let place = Desktop::place();
        let engine = place.start(["serve"]);
        engine.wait_for("the engine listens", || engine.stderr().contains("listening on"));
        let desktop = Desktop::start_in(place, &[]).await;
        desktop.sees("Attached to a running engine").await;
        engine.signal(Signal::TERM);
        engine.finish().exits(0);
        desktop.sees("The engine stopped.").await;
        desktop.shot("stopped").await;
        desktop.click("Start an engine here").await;
        desktop.sees("Listening").await;
        desktop.sees("Open the sample project").await;
        desktop.hookwright(&["serve"]).exits(1).complains("already serves");
    }

    #[tokio::test]
    async fn a_second_start_shows_its_project_in_the_window_that_is_open() {
        let desktop = Desktop::start(&[]).await;
        desktop.sees("Open the sample project").await;
        let sample = desktop.copy_sample();
        desktop.start_again(&["--project", &sample]).exits(0);
        desktop.sees("house_rules.py").await;
    }

    #[tokio::test]
    async fn starting_at_login_is_off_until_somebody_wants_it() {
        let desktop = Desktop::start_on_sample().await;
        desktop.sees("guard_shell.sh").await;
        desktop.press(&[], '9').await;
        let switch = "Start at login";
        assert!(!desktop.has_login_entry());
        desktop.switch(switch).await;
        desktop
            .until("the desktop was told", |desktop| desktop.has_login_entry())
            .await;
        desktop.switch(switch).await;
        desktop
            .until("the desktop was told otherwise", |desktop| !desktop.has_login_entry())
            .await;
    }
}
