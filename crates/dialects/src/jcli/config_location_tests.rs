use super::*;
use hookwright_model::Problem;
use indexmap::IndexMap;
use std::collections::BTreeMap;

struct FakeDirs(&'static [&'static str]);

impl DirProbe for FakeDirs {
    fn is_dir(&self, path: &Path) -> bool {
        self.0.iter().any(|folder| Path::new(folder) == path)
    }

    fn is_file(&self, _: &Path) -> bool {
        false
    }
}

fn places(project: &str, data: Option<&str>) -> Locations {
    let vars = data
        .map(|data| ("J_DATA_PATH".to_owned(), data.to_owned()))
        .into_iter()
        .collect::<BTreeMap<_, _>>();
    Locations {
        skills_roots: Vec::new(),
        home: "/home/me".into(),
        project: project.into(),
        vars,
    }
}

#[test]
fn roots_are_the_users_file_and_the_nearest_project() {
    let dirs = FakeDirs(&["/w/app/.jcli", "/w/.jcli"]);
    let at = |project: &str, data| Jcli.roots(&places(project, data), &dirs);
    let user = Root::file(Layer::User, "/home/me/.jdata/agent/hooks.yaml".into(), None);
    let project = |dir: &str| {
        Root::file(
            Layer::Project,
            Path::new(dir).join(".jcli/hooks.yaml"),
            Some(dir.into()),
        )
    };
    assert_eq!(at("/w/app/src/deep", None), [user.clone(), project("/w/app")]);
    assert_eq!(at("/w/app", None), [user.clone(), project("/w/app")]);
    assert_eq!(at("/w/other", None)[1], project("/w"));
    assert_eq!(at("/elsewhere", None)[1], project("/elsewhere"));
    assert_eq!(at("/w", Some("/data"))[0].path, Path::new("/data/agent/hooks.yaml"));
    assert_eq!(at("/w", Some(""))[0], user);
}

#[test]
fn a_relative_data_folder_is_not_read_and_that_is_an_error() {
    let places = places("/w", Some("jd"));
    let roots = Jcli.roots(&places, &FakeDirs(&[]));
    let layers: Vec<Layer> = roots.iter().map(|root| root.layer).collect();
    assert_eq!(layers, [Layer::Project]);
    let (message, path) = relative_data_path(&places).unwrap();
    assert_eq!(message.code, "relative_place");
    assert_eq!(path, Path::new("/w/jd/agent/hooks.yaml"));
}

#[test]
fn the_folder_of_a_later_j_cli_is_mentioned_when_the_relay_is_added() {
    let notice = |folders: &'static [&'static str], data| Jcli.relay_notice(&places("/w", data), &FakeDirs(folders));
    assert_eq!(notice(&["/home/me/.jdata/agent"], None), None);
    let folders = &["/home/me/.jdata/agent/hooks", "/data/agent/hooks"];
    let message = notice(folders, None).unwrap();
    assert_eq!(message.code, "relay_not_read");
    assert!(
        message.text.contains("ignore `/home/me/.jdata/agent/hooks.yaml`"),
        "{}",
        message.text
    );
    assert!(
        notice(folders, Some("/data"))
            .unwrap()
            .text
            .contains("`/data/agent/hooks`")
    );
    assert_eq!(notice(folders, Some("relative")), None);
}

#[test]
fn a_root_is_detected_by_file_name_and_folder() {
    let places = places("/w", None);
    let layer = |path: &str| {
        Jcli.detect_root(Path::new(path), &places)
            .map(|root| (root.layer, root.project))
    };
    assert_eq!(
        layer("/x/y/.jcli/hooks.yaml"),
        Some((Layer::Project, Some("/x/y".into())))
    );
    assert_eq!(layer("/home/me/.jdata/agent/hooks.yaml"), Some((Layer::User, None)));
    assert_eq!(layer("/x/hooks.yaml"), Some((Layer::User, None)));
    assert_eq!(layer("/x/.jcli/hooks.yml"), None);
    assert_eq!(layer("/x/.jcli/other.yaml"), None);
}

#[test]
fn a_file_that_could_not_be_read_is_broken_with_its_problem() {
    let root = Root::file(Layer::User, "/h.yaml".into(), None);
    let message = Message {
        code: "unreadable",
        text: "no".into(),
        hint: None,
        args: args! {},
    };
    let problem = Problem::new(message, "/h.yaml", None);
    let text = Err(problem.clone());
    let parsed = Jcli.parse(&SourceTree::with_text(root.clone(), text));
    assert!(!parsed.broken.is_empty() && parsed.problems == [problem]);
    let nothing = Jcli.parse(&SourceTree {
        root,
        exists: false,
        files: IndexMap::new(),
    });
    assert!(nothing.broken.is_empty() && nothing.problems.is_empty() && nothing.hooks.is_empty());
}
