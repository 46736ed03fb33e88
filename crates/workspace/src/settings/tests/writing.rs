//! Changes of single keys: everything else in the file stays.

use super::*;

#[test]
fn one_key_changes_and_every_other_byte_stays() {
    let text =
        "# mine\n\n[ui] # looks\n  theme   =  \"dark\"   # at night\nlanguage='en'\n\n[history]\nmax_days = 9 # days\n";
    assert_eq!(
        after(text, "ui.theme", json!("light")),
        text.replace("\"dark\"", "\"light\"")
    );
    assert_eq!(after(text, "history.max_days", json!(60)), text.replace("= 9", "= 60"));
    assert_eq!(
        after(text, "history.max_days", json!(60.0)),
        text.replace("= 9", "= 60")
    );
    assert_eq!(after(text, "ui.theme", json!("dark")), text);
}

#[test]
fn a_new_key_joins_its_section() {
    let text = "[ui] # looks\n  theme = 'dark' # at night\n\n# what is kept\n[history]\n# nothing yet\n";
    assert_eq!(
        after(text, "ui.language", json!("en")),
        "[ui] # looks\n  theme = 'dark' # at night\n  language = \"en\"\n\n# what is kept\n[history]\n# nothing yet\n"
    );
    assert_eq!(
        after(text, "history.max_days", json!(3)),
        "[ui] # looks\n  theme = 'dark' # at night\n\n# what is kept\n[history]\nmax_days = 3\n# nothing yet\n"
    );
    assert_eq!(after("[ui]", "ui.theme", json!("dark")), "[ui]\ntheme = \"dark\"\n");
}

#[test]
fn a_new_section_comes_last() {
    assert_eq!(after("", "ui.theme", json!("dark")), "[ui]\ntheme = \"dark\"\n");
    let text = "[history]\nmax_days = 3 # short";
    assert_eq!(
        after(text, "ui.theme", json!("dark")),
        format!("{text}\n\n[ui]\ntheme = \"dark\"\n")
    );
}

#[test]
fn sections_written_in_other_ways_are_changed_in_their_way() {
    let dotted = "ui.theme = 'dark' # at night\nhistory.max_days = 3\n";
    assert_eq!(
        after(dotted, "ui.theme", json!("light")),
        dotted.replace("'dark'", "\"light\"")
    );
    assert_eq!(
        after(dotted, "ui.language", json!("en")),
        "ui.theme = 'dark' # at night\nui.language = \"en\"\nhistory.max_days = 3\n"
    );
    let inline = "ui = { theme = 'dark' } # at night\n";
    assert_eq!(
        after(inline, "ui.language", json!("en")),
        inline.replace("'dark'", "'dark', language = \"en\"")
    );
    assert_eq!(
        after("ui = {}\n", "ui.theme", json!("dark")),
        "ui = { theme = \"dark\" }\n"
    );
}

#[test]
fn null_removes_a_key_and_leaves_the_comments() {
    let text = "[ui]\n# night\ntheme = 'dark' # really\nlanguage = 'en'\n";
    assert_eq!(
        after(text, "ui.theme", json!(null)),
        "[ui]\n# night\n# really\nlanguage = 'en'\n"
    );
    assert_eq!(
        after(text, "ui.language", json!(null)),
        "[ui]\n# night\ntheme = 'dark' # really\n"
    );
    assert_eq!(after(text, "history.max_days", json!(null)), text);
    assert_eq!(
        after("ui = { theme = 'dark', language = 'en' }\n", "ui.theme", json!(null)),
        "ui = { language = 'en' }\n"
    );
    assert_eq!(
        after("ui = { theme = 'dark', language = 'en' }\n", "ui.language", json!(null)),
        "ui = { theme = 'dark' }\n"
    );
    assert_eq!(after("ui = { theme = 'dark' }\n", "ui.theme", json!(null)), "ui = {}\n");
    assert_eq!(after("ui.theme = 'dark'\n", "ui.theme", json!(null)), "");
    let list = "[redaction]\nkeys = [\n  'a', # one\n]\nenabled = true\n";
    assert_eq!(
        after(list, "redaction.keys", json!(null)),
        "[redaction]\nenabled = true\n"
    );
}

#[test]
fn line_endings_of_windows_stay() {
    let text = "[ui]\r\ntheme = 'dark'\r\n\r\n[watch]\r\nprojects = [\r\n  '/a', # one\r\n]\r\n";
    assert_eq!(
        after(text, "ui.theme", json!("light")),
        text.replace("'dark'", "\"light\"")
    );
    assert_eq!(
        after(text, "ui.language", json!("en")),
        text.replace("'dark'\r\n", "'dark'\r\nlanguage = \"en\"\r\n")
    );
    assert_eq!(
        after(text, "watch.projects", json!(["/a", "/b"])),
        text.replace("# one\r\n", "# one\r\n  \"/b\",\r\n")
    );
}

#[test]
fn lists_change_item_by_item() {
    let text = "[redaction]\nkeys = [\n  # people\n  'ssn', # number\n  'iban',\n  # end\n]\n";
    assert_eq!(
        after(text, "redaction.keys", json!(["ssn", "iban", "pin"])),
        "[redaction]\nkeys = [\n  # people\n  'ssn', # number\n  'iban',\n  \"pin\",\n  # end\n]\n"
    );
    assert_eq!(
        after(text, "redaction.keys", json!(["iban"])),
        "[redaction]\nkeys = [\n  # people\n  # number\n  'iban',\n  # end\n]\n"
    );
    assert_eq!(
        after("[redaction]\nkeys = []\n", "redaction.keys", json!(["a"])),
        "[redaction]\nkeys = [\"a\"]\n"
    );
    assert_eq!(
        after(
            "[redaction]\nkeys = ['a', 'b', 'c'] # mine\n",
            "redaction.keys",
            json!(["a", "c", "d"])
        ),
        "[redaction]\nkeys = ['a', 'c', \"d\"] # mine\n"
    );
    assert_eq!(
        after("[redaction]\nkeys = ['a', 'b']\n", "redaction.keys", json!([])),
        "[redaction]\nkeys = []\n"
    );
    assert_eq!(
        after(
            "[redaction]\nkeys = [\n  'a',\n  'b'\n]\n",
            "redaction.keys",
            json!(["a", "b", "c"])
        ),
        "[redaction]\nkeys = [\n  'a',\n  'b',\n  \"c\"\n]\n"
    );
    assert_eq!(
        after(
            "[redaction]\nkeys = [\n  # none yet\n]\n",
            "redaction.keys",
            json!(["a"])
        ),
        "[redaction]\nkeys = [\n  # none yet\n  \"a\",\n]\n"
    );
}

#[test]
fn a_value_that_cannot_be_set_is_refused_and_the_file_stays() {
    let text = "[ui]\ntheme = 'dark'\n";
    let file = settings_file(text);
    let refused = |key: &str, value: Value| file.settings().set(key, &value).unwrap_err().message();
    assert_eq!(refused("ui.colour", json!(1)).code, "bad_setting");
    assert_eq!(
        refused("ui.them", json!("dark")).hint.as_deref(),
        Some("did you mean ui.theme?")
    );
    assert_eq!(refused("ui.theme", json!("blue")).text, "ui.theme cannot be \"blue\"");
    assert_eq!(
        refused("history.max_days", json!(0)).text,
        "history.max_days must be from 1 to 36500, not 0"
    );
    assert_eq!(refused("history.max_days", json!(1.5)).code, "bad_setting");
    assert_eq!(refused("redaction.patterns", json!(["("])).code, "bad_setting");
    assert_eq!(refused("redaction.keys", json!([1])).code, "bad_setting");
    assert_eq!(refused("ui", json!({ "theme": "dark" })).code, "bad_setting");
    assert_eq!(refused("model.api_key", json!("sesame")).key_case(), "api_key");
    assert_eq!(std::fs::read_to_string(&file.path).unwrap(), text);
}

#[test]
fn a_file_that_does_not_parse_is_never_written_over() {
    let text = "[ui\n";
    let file = settings_file(text);
    let error = file.settings().set("ui.theme", &json!("dark")).unwrap_err();
    assert!(
        error.to_string().contains("settings.toml:1:4 does not parse"),
        "{error}"
    );
    assert!(file.settings().add_project(Path::new("/a")).is_err());
    assert_eq!(std::fs::read_to_string(&file.path).unwrap(), text);
}

#[test]
fn a_key_whose_section_is_no_table_is_refused() {
    let file = settings_file("ui = 3\n");
    assert_eq!(
        file.settings()
            .set("ui.theme", &json!("dark"))
            .unwrap_err()
            .message()
            .key_case(),
        "layout"
    );
}

#[test]
fn a_wrong_value_can_be_corrected() {
    assert_eq!(
        after("[ui]\ntheme = 3 # what\n", "ui.theme", json!("dark")),
        "[ui]\ntheme = \"dark\" # what\n"
    );
    assert_eq!(
        after("[redaction]\nkeys = 'a'\n", "redaction.keys", json!(["a"])),
        "[redaction]\nkeys = [\"a\"]\n"
    );
}

#[test]
fn the_most_recent_project_is_first() {
    let file = settings_file("# mine\n[watch]\nsettle_ms = 50\nprojects = [\n  '~/code/one', # first\n]\n");
    let text = || std::fs::read_to_string(&file.path).unwrap();
    let add = |project: &str| file.settings().add_project(Path::new(project)).unwrap().watch.projects;
    let before = text();
    assert_eq!(add("/home/p/code/one"), [Path::new("/home/p/code/one")]);
    assert_eq!(text(), before);
    assert_eq!(
        add("/code/zwei 二"),
        [Path::new("/code/zwei 二"), Path::new("/home/p/code/one")]
    );
    assert_eq!(
        text(),
        "# mine\n[watch]\nsettle_ms = 50\nprojects = [\n  \"/code/zwei 二\",\n  '~/code/one', # first\n]\n"
    );
    assert_eq!(
        add("/home/p/code/one"),
        [Path::new("/home/p/code/one"), Path::new("/code/zwei 二")]
    );
    let left = file.settings().remove_project(Path::new("/home/p/code/one")).unwrap();
    assert_eq!(left.watch.projects, [Path::new("/code/zwei 二")]);
    assert!(text().contains("# first"));
    let left = file.settings().remove_project(Path::new("/never/there")).unwrap();
    assert_eq!(left.watch.projects.len(), 1);
}

#[test]
fn removing_a_key_without_a_file_creates_none() {
    let file = settings_file("");
    std::fs::remove_file(&file.path).unwrap();
    file.settings().set("ui.theme", &json!(null)).unwrap();
    assert!(!file.path.exists());
}

#[test]
fn the_first_project_makes_its_section() {
    let file = settings_file("");
    assert_eq!(
        file.settings().add_project(Path::new("/a")).unwrap().watch.projects,
        [Path::new("/a")]
    );
    assert_eq!(
        std::fs::read_to_string(&file.path).unwrap(),
        "[watch]\nprojects = [\"/a\"]\n"
    );
}

#[test]
fn a_project_that_another_program_added_stays() {
    let file = settings_file("");
    let ours = file.settings();
    file.settings().add_project(Path::new("/theirs")).unwrap();
    assert_eq!(
        ours.add_project(Path::new("/ours")).unwrap().watch.projects,
        [Path::new("/ours"), Path::new("/theirs")]
    );
}
