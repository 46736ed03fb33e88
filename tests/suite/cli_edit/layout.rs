//! Edits keep the layout of a file: mode, links, line ends, anchors, block texts.

use super::*;

#[test]
fn mode_link_and_line_ends_stay() {
    let sandbox = Sandbox::new();
    let real = sandbox.write(
        "dotfiles/hooks.yaml",
        "\u{feff}stop:\r\n  - command: x # 一\r\n    timeout: 3",
    );
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::fs::create_dir_all(sandbox.path("home/.jdata/agent")).unwrap();
    std::os::unix::fs::symlink("../../../dotfiles/hooks.yaml", sandbox.path(FILE)).unwrap();
    let owner = std::fs::metadata(&real).unwrap().uid();
    edit(
        &sandbox,
        &["jcli:user:stop:0", "--set", "timeout=4", "--set", "retry=1"],
    );
    assert_eq!(
        std::fs::read_to_string(&real).unwrap(),
        "\u{feff}stop:\r\n  - command: x # 一\r\n    timeout: 4\r\n    retry: 1"
    );
    assert!(std::fs::symlink_metadata(sandbox.path(FILE)).unwrap().is_symlink());
    let meta = std::fs::metadata(&real).unwrap();
    assert_eq!((meta.permissions().mode() & 0o777, meta.uid()), (0o640, owner));
    let left: Vec<_> = std::fs::read_dir(sandbox.path("dotfiles")).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing is left beside it");
}

#[test]
fn a_shared_anchor_is_refused_and_an_alias_written_out() {
    let text = "stop:\n  - &gate\n    command: x\n    timeout: 3\n  - *gate # same\n  - <<: *gate\n    retry: 1\n";
    let sandbox = with_user_hooks(text);
    assert_refused(&sandbox, &["edit", "jcli:user:stop:0", "--set", "timeout=4"]).assert_stderr("anchor");
    assert_refused(&sandbox, &["remove", "jcli:user:stop:0"]).assert_stderr("anchor");
    edit(&sandbox, &["jcli:user:stop:1", "--set", "timeout=4"]);
    assert_replaced(
        &sandbox,
        text,
        "- *gate # same\n",
        "- command: x # same\n    timeout: 4\n",
    );
    user(&sandbox, text);
    edit(&sandbox, &["jcli:user:stop:2", "--set", "timeout=5"]);
    assert_replaced(&sandbox, text, "    retry: 1\n", "    retry: 1\n    timeout: 5\n");
    user(&sandbox, text);
    edit(&sandbox, &["jcli:user:stop:2", "--unset", "timeout"]);
    assert_replaced(
        &sandbox,
        text,
        "- <<: *gate\n    retry: 1\n",
        "- retry: 1\n    command: x\n",
    );
    user(&sandbox, text);
    edit(&sandbox, &["jcli:user:stop:2", "--to-layer", "project"]);
    assert_eq!(
        read(&sandbox, "project/.jcli/hooks.yaml"),
        "stop:\n  - command: x\n    timeout: 3\n    retry: 1\n"
    );
}

#[test]
fn a_project_file_that_links_outside_is_not_written() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.path("outside")).unwrap();
    std::os::unix::fs::symlink(sandbox.path("outside"), sandbox.path("project/.jcli")).unwrap();
    let args = ["add", "--dialect", "jcli", "--event", "stop", "--layer", "project"];
    let said = sandbox.run(args.iter().chain(&["--definition", "{\"command\": \"true\"}"]));
    assert!(
        said.assert_exit(1).stderr.contains("leads out of the project"),
        "said otherwise"
    );
    assert_eq!(std::fs::read_dir(sandbox.path("outside")).unwrap().count(), 0);
}

#[test]
fn a_null_document_is_treated_as_empty() {
    let sandbox = with_user_hooks("# mine\nnull\n");
    let add = |definition: &str| {
        let args = [
            "add",
            "--dialect",
            "jcli",
            "--event",
            "stop",
            "--layer",
            "user",
            "--definition",
            definition,
        ];
        sandbox.run(args).assert_exit(0);
    };
    add("{\"command\": \"x\"}");
    assert_eq!(read(&sandbox, FILE), "# mine\nstop:\n  - command: x\n");
}

#[test]
fn a_block_text_that_keeps_empty_lines_can_be_removed_changed_and_moved() {
    let text =
        "stop:\n  - command: x\n    note: |+\n      a\n\n    timeout: 3\n  - command: |+\n      b\n    retry: 1\n";
    let sandbox = with_user_hooks(text);
    edit(&sandbox, &["jcli:user:stop:0", "--unset", "note"]);
    assert_replaced(&sandbox, text, "    note: |+\n      a\n\n", "");
    user(&sandbox, text);
    edit(&sandbox, &["jcli:user:stop:1", "--set", "command=c"]);
    assert_replaced(&sandbox, text, "|+\n      b\n", "c\n");
    user(&sandbox, text);
    edit(&sandbox, &["jcli:user:stop:1", "--move-to", "1"]);
    edit(&sandbox, &["jcli:user:stop:1", "--move-to", "1"]);
    assert_eq!(read(&sandbox, FILE), text);
}

#[test]
fn a_text_at_the_end_of_a_file_keeps_its_last_line_break() {
    let sandbox = with_user_hooks("stop:\n  - command: x");
    edit(&sandbox, &["jcli:user:stop:0", "--set", "command=\"a\\nb\\n\""]);
    assert_eq!(read(&sandbox, FILE), "stop:\n  - command: |\n      a\n      b\n");
}
