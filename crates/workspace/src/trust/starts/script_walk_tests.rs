use super::*;

/// The files of a project that a command starts from one of its folders. The project contains `x.sh`, `x`, `sub/y.sh`,
/// `sub/x.sh`, `X.java`, `x.tcl` and `tools/__main__.py`.
fn started_in(folder: &str, command: &str) -> Vec<String> {
    let place = tempfile::tempdir().unwrap();
    let root = dunce::canonicalize(place.path()).unwrap();
    let (home, project) = (root.join("home"), root.join("project"));
    for file in [
        "x.sh",
        "x",
        "sub/y.sh",
        "sub/x.sh",
        "X.java",
        "x.tcl",
        "tools/__main__.py",
    ] {
        let file = project.join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, "").unwrap();
    }
    std::fs::create_dir_all(home.join("hooks")).unwrap();
    std::fs::write(home.join("hooks/x.sh"), "").unwrap();
    let from = StartDirs {
        home: &home,
        project: &project,
        start: &project.join(folder),
    };
    let card = hookwright_dialects::find("jcli").unwrap().card();
    let mut walk = ScriptWalk::new(card, BTreeMap::new(), from);
    walk.follow_script(&shell::scan(command));
    let name = |file: PathBuf| file.strip_prefix(&project).unwrap().display().to_string();
    walk.found.into_iter().map(name).collect()
}

#[test]
fn an_absolute_name_means_no_file_of_a_project_around_the_home_folder() {
    let place = tempfile::tempdir().unwrap();
    let home = dunce::canonicalize(place.path()).unwrap();
    for name in ["guard.sh", "project/x.sh"] {
        std::fs::create_dir_all(home.join(name).parent().unwrap()).unwrap();
        std::fs::write(home.join(name), "").unwrap();
    }
    let started = |project: &Path, command: &str| {
        let from = StartDirs {
            home: &home,
            project,
            start: project,
        };
        let card = hookwright_dialects::find("jcli").unwrap().card();
        let mut walk = ScriptWalk::new(card, BTreeMap::new(), from);
        walk.follow_script(&shell::scan(command));
        walk.found.len()
    };
    for around in [&*home, home.parent().unwrap(), Path::new("/")] {
        assert_eq!(started(around, "sh ~/guard.sh"), 0, "{}", around.display());
        assert_eq!(started(around, "sh \"$HOME/guard.sh\""), 0, "{}", around.display());
    }
    assert_eq!(started(&home, "sh ./guard.sh"), 1, "this one is another file elsewhere");
    assert_eq!(started(&home.join("project"), "sh ~/project/x.sh"), 1);
}

#[test]
fn what_a_shell_starts_from_there_is_found() {
    for command in [
        "./x.sh",
        "(cd sub; true); ./x.sh",
        "(cd / && ls) && ./x.sh",
        "D=$(cd / && pwd); ./x.sh",
        "cd / & wait; ./x.sh",
        "cd / | true; ./x.sh",
        "cd \"$(git rev-parse --show-toplevel)\" && ./x.sh",
        "cd nonexistent 2>/dev/null; ./x.sh",
        "cd nonexistent || ./x.sh",
        "[ -d nonexistent ] && cd /; ./x.sh",
        "if false; then cd /; fi; ./x.sh",
        "cd / && cd - >/dev/null && ./x.sh",
        "\"${X:-.}\"/x.sh",
        "\"${JCLI_CWD:-${X:-.}}\"/x.sh",
        "P=./x.sh; $P",
        "C='sh ./x.sh'; $C",
        "env -S './x.sh'",
        "env '-S./x.sh a'",
        "env --split-string='sh x.sh'",
        "eval ./x.sh",
        "trap ./x.sh EXIT",
        "echo a | xargs -n1 ./x.sh",
        "find . -maxdepth 0 -exec ./x.sh ';'",
        "flock -w 5 lock ./x.sh",
        "${SHELL_OF_MINE:-sh} x.sh",
    ] {
        assert_eq!(started_in("", command), ["x.sh"], "{command}");
    }
    for (command, file) in [
        ("sh - x", "x"),
        ("sh +e x", "x"),
        ("bash -euo pipefail x", "x"),
        ("node --title foo x", "x"),
        ("java X.java", "X.java"),
        ("tclsh x.tcl", "x.tcl"),
        ("python3 tools", "tools/__main__.py"),
        ("env -C sub ./y.sh", "sub/y.sh"),
        ("env --chdir=sub ./y.sh", "sub/y.sh"),
        ("cd sub && ./y.sh", "sub/y.sh"),
        ("cd \"${FOO:-sub}\" && ./y.sh", "sub/y.sh"),
    ] {
        assert_eq!(started_in("", command), [file], "{command}");
    }
    assert_eq!(started_in("sub", "./x.sh"), ["sub/x.sh"]);
}

#[test]
fn a_file_name_counts_only_where_the_file_is_started() {
    for command in [
        "x",
        "grep x ./x.sh",
        "python3 -W ./x.sh -c 1",
        "node --title ./x.sh -e 0",
        "sh -c ./x.sh",
        "sh -s x",
        "cd ~/hooks && ./x.sh",
        "cd ~/hooks; ./x.sh",
        "(cd ~/hooks && ./x.sh)",
        "make x",
        "timeout 5 x",
        "echo ./x.sh",
        "xargs -a ./x.sh true",
    ] {
        assert!(started_in("", command).is_empty(), "{command}");
    }
}
