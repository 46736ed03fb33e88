//! Tests of the whole program, in one test program: the case pages of every dialect, the architecture, and the built
//! program.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test opens files and starts programs as it needs, and stops at what it did not expect"
)]

mod agent_client;
mod agent_hooks;
mod agent_hooks_late;
mod agent_hooks_simulate;
mod agent_sessions;
mod agent_settings;
mod architecture;
mod cases;
mod cli_broken;
mod cli_check;
mod cli_check_fix;
mod cli_connect;
mod cli_convert;
mod cli_crash;
mod cli_data;
mod cli_edit;
mod cli_edit_agent_hooks;
mod cli_edit_bounds;
mod cli_edit_codex;
mod cli_edit_picoclaw;
mod cli_edit_qoder;
mod cli_edit_reasons;
mod cli_edit_skill;
mod cli_fire;
mod cli_history;
mod cli_list;
mod cli_model;
mod cli_mute;
mod cli_picoclaw;
mod cli_recording;
mod cli_samples;
mod cli_serve;
mod cli_simulate;
mod cli_status;
mod cli_trust;
mod cli_trust_dir;
mod cli_trust_env;
mod cli_turn_off;
mod cli_undo;
mod converted_guards;
mod coverage;
mod data_folder;
mod definition_schema;
mod editing;
mod frozen;
mod identity;
mod jcli;
mod last_good;
mod limits;
mod lint_examples;
mod many_agents;
mod module_circles;
mod numbers;
mod patterns;
mod qoder;
mod qoder_module;
mod qoder_seed;
mod real_agents;
mod sample_agents;
mod samples;
mod schema;
mod skill;
mod special_files;
mod translations;
mod type_names;
mod wording;
mod wrapped_commands;

/// Without this test, the tests of an undeclared file would never run, and no error would show it.
#[test]
fn every_file_of_the_suite_is_declared() {
    let declared = include_str!("main.rs");
    let folder = hookwright_testkit::program::workspace().join("tests/suite");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.strip_suffix(".rs").unwrap_or(&name);
        let declared = declared.lines().any(|line| line == format!("mod {module};"));
        assert!(
            module == "main" || declared,
            "tests/suite/{name} is not declared in main.rs"
        );
    }
}
