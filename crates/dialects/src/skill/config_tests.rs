use hookwright_model::{DirProbe, Problem, SourceFile};
use indexmap::IndexMap;
use proptest::prelude::*;

use super::*;
use crate::skill::Skill as Dialect_;
use hookwright_model::Files;

fn places(skills_roots: &[&str]) -> Locations {
    Locations {
        home: "/home/p".into(),
        project: "/work/app".into(),
        skills_roots: skills_roots.iter().map(PathBuf::from).collect(),
        vars: BTreeMap::new(),
    }
}

fn tree(files: &[(&str, &str)]) -> SourceTree {
    let file = |(path, text): &(&str, &str)| {
        let path = PathBuf::from(format!("/work/app/skills/{path}"));
        (path.clone(), SourceFile::with_text(path, Ok((*text).to_owned())))
    };
    SourceTree {
        root: root("/work/app/skills".into(), Some("/work/app".into())),
        exists: true,
        files: files.iter().map(file).collect::<IndexMap<_, _>>(),
    }
}

#[derive(Debug)]
struct NoDirs;

impl DirProbe for NoDirs {
    fn is_dir(&self, _: &Path) -> bool {
        false
    }

    fn is_file(&self, _: &Path) -> bool {
        false
    }
}

#[test]
fn the_projects_skills_come_first_and_no_folder_twice() {
    let roots = Dialect_.roots(&places(&["/work/app/skills", "/opt/skills", "/opt/skills"]), &NoDirs);
    let found: Vec<(&str, bool)> = roots
        .iter()
        .map(|root| (root.path.to_str().unwrap(), root.project.is_some()))
        .collect();
    assert_eq!(found, [("/work/app/skills", true), ("/opt/skills", false)]);
}

#[test]
fn a_file_is_detected_by_its_path() {
    let detected = |path: &str| {
        let root = Skill.detect_root(Path::new(path), &places(&["/opt/skills"]))?;
        Some((root.path, root.project))
    };
    let project = |path: &str, project: Option<&str>| Some((PathBuf::from(path), project.map(PathBuf::from)));
    assert_eq!(
        detected("/x/skills/a/hooks/hooks.json"),
        project("/x/skills", Some("/x"))
    );
    assert_eq!(detected("/opt/skills/a/hooks/hooks.json"), project("/opt/skills", None));
    assert_eq!(
        detected("/x/more/a/hooks/hooks.json"),
        None,
        "a plugin's, not a skill's"
    );
    assert_eq!(detected("/x/skills/a/hooks.json"), None);
    assert_eq!(detected("/hooks/hooks.json"), None);
    assert_eq!(detected("hooks/hooks.json"), None);
}

fn entries(names: &[&str]) -> String {
    let entry = |name: &&str| serde_json::json!({"name": name, "file": "t.md", "timing": "before_planning", "role": "user", "persistent": true});
    serde_json::json!({"hooks": names.iter().map(entry).collect::<Vec<_>>()}).to_string()
}

#[test]
fn no_two_hooks_have_one_id_whatever_they_are_called() {
    let ids = |names: &[&str]| {
        let text = entries(names);
        let parsed = Skill.parse(&tree(&[("s/hooks/hooks.json", &text)]));
        let ids = parsed.hooks.iter().map(|hook| hook.id.replace("skill:skill:s:", ""));
        ids.collect::<Vec<_>>()
    };
    assert_eq!(ids(&["t", "t"]), ["t", "t#2"]);
    assert_eq!(ids(&["t", "t#2", "t"]), ["t", "t#2", "t#3"]);
    assert_eq!(ids(&["t", "t", "t#2", "t"]), ["t", "t#2", "t#2#2", "t#3"]);

    let (one, other) = (entries(&["b:c"]), entries(&["c"]));
    let parsed = Skill.parse(&tree(&[("a/hooks/hooks.json", &one), ("a:b/hooks/hooks.json", &other)]));
    let report = Skill.resolve_conflicts(&parsed.hooks.iter().map(Arc::as_ref).collect::<Vec<_>>(), &[], &[]);
    assert_eq!(report.renamed, BTreeMap::from([(1, "skill:skill:a:b:c#2".to_owned())]));
    assert!(report.disabled.is_empty());
}

#[test]
fn an_empty_file_does_not_parse() {
    for text in ["", " \n", "// nothing\n"] {
        let parsed = Skill.parse(&tree(&[("s/hooks/hooks.json", text)]));
        let codes: Vec<&str> = parsed.problems.iter().map(|problem| problem.code.as_str()).collect();
        assert_eq!((codes, parsed.broken.len()), (vec!["syntax"], 1), "{text:?}");
    }
}

#[test]
fn only_texts_inside_the_folder_are_read() {
    let text = r#"{"hooks": [{"file": "a.md"}, {"file": "../b.md"}, {"file": "/c.md"}, {"file": "d/./e.md"}, {"file": "C:\\f.md"},
                   {"file": "..\\g.md"}, {"file": 1}, 7, {"file": "..h.md"}], "hooks": [{"file": "i.md"}]}"#;
    let found: Vec<String> = Skill
        .referenced_files(&tree(&[("s/hooks/hooks.json", text), ("t/hooks/hooks.json", "{")]))
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let below = |name: &str| format!("/work/app/skills/s/hooks/{name}");
    assert_eq!(found, ["a.md", "d/./e.md", "..h.md", "i.md"].map(below));
}

#[test]
fn a_broken_file_is_named_and_its_neighbour_is_read() {
    let good = r#"{"hooks": [{"name": "b", "file": "b.md", "timing": "before_planning", "role": "user", "persistent": true}]}"#;
    let files = [
        ("s/hooks/hooks.json", "[1"),
        ("t/hooks/hooks.json", good),
        ("t/hooks/b.md", "B"),
    ];
    let parsed = Skill.parse(&tree(&files));
    assert_eq!(parsed.broken, [PathBuf::from("/work/app/skills/s/hooks/hooks.json")]);
    assert_eq!(parsed.hooks.len(), 1);
    assert_eq!(parsed.hooks[0].id, "skill:skill:t:b");
    assert!(parsed.hooks[0].invalid.is_none());
}

proptest! {
    #[test]
    fn reading_is_total(
        text in proptest::string::string_regex(r#"(\{"hooks": ?\[)?([\[\]{}",:\\ a-c\n]|"name"|"file"|"timing"|"role"|"persistent"|"a\.md"|"after_tool_call"|"tool_filter"|true|null|1){0,40}(\]\})?"#).unwrap()
    ) {
        let tree = tree(&[("s/hooks/hooks.json", text.as_str()), ("s/hooks/a.md", "A")]);
        drop(Skill.referenced_files(&tree));
        let parsed = Skill.parse(&tree);
        let hooks: Vec<&Hook> = parsed.hooks.iter().map(Arc::as_ref).collect();
        let ids: BTreeSet<&HookId> = hooks.iter().map(|hook| &hook.id).collect();
        prop_assert_eq!(ids.len(), hooks.len(), "every hook has an id of its own");
        prop_assert!(Skill.resolve_conflicts(&hooks, &[], &[]).disabled.is_empty());
        let lines = u32::try_from(text.lines().count().max(1)).unwrap();
        let inside = |problem: &Problem| problem.line.is_some_and(|line| line >= 1 && line <= lines + 1);
        prop_assert!(parsed.problems.iter().all(inside), "{:?}", parsed.problems);
        let wrong = |hook: &&Hook| parsed.problems.iter().any(|problem| problem.hook.as_ref() == Some(&hook.id));
        prop_assert!(hooks.iter().filter(|hook| hook.invalid.is_some()).all(|hook| wrong(hook) || parsed.problems.iter().any(|problem| problem.hook.is_none())));
    }
}
