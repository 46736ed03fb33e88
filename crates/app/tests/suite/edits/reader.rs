//! Reads hook files with other parsers than the tested ones.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

/// A hook and its position in the files.
#[derive(Debug, Clone, PartialEq)]
pub struct HookSpan {
    /// Relative to the root of the sandbox.
    pub file: String,
    /// The event of the list; empty if the file has only one list.
    pub list: String,
    pub group: usize,
    pub matcher: Option<Value>,
    /// The key or the folder of the hook.
    pub name: String,
    pub value: Value,
}

/// The JSON pointer to a hook's number in its definition.
fn tag_pointer(dialect: &str) -> &'static str {
    match dialect {
        "qoder" => "/id",
        "agent-hooks" => "/metadata/tag",
        "picoclaw" => "/env/TAG",
        _ => "/tag",
    }
}

/// The number of the hook, from its tag; `None` if it has no such tag.
pub fn tag(dialect: &str, definition: &Value) -> Option<usize> {
    let tag = definition.pointer(tag_pointer(dialect))?.as_str()?;
    tag.strip_prefix('h')?.parse().ok()
}

/// Every file below a folder, with its bytes and its mode. Hookwright's data folder is left out.
pub type Files = BTreeMap<String, (Vec<u8>, u32)>;

pub fn files(root: &Path) -> Files {
    let mut found = Files::new();
    walk(root, root, &mut found);
    found
}

fn walk(root: &Path, folder: &Path, found: &mut Files) {
    use std::os::unix::fs::PermissionsExt;
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            if !path.ends_with("home/data") {
                walk(root, &path, found);
            }
        } else {
            let relative = path.strip_prefix(root).expect("inside").display().to_string();
            let mode = path.metadata().expect("it is there").permissions().mode() & 0o7777;
            found.insert(relative, (std::fs::read(&path).expect("it can be read"), mode));
        }
    }
}

/// The text of a file, without its byte-order mark.
pub fn text(files: &Files, path: &str) -> String {
    let bytes = files.get(path).map(|(bytes, _)| bytes.clone()).unwrap_or_default();
    let text = String::from_utf8(bytes).expect("text");
    text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)
}

fn yaml(text: &str) -> Result<Value, String> {
    let mut value: yaml_serde::Value = yaml_serde::from_str(text).map_err(|error| error.to_string())?;
    value.apply_merge().map_err(|error| error.to_string())?;
    serde_json::to_value(value).map_err(|error| error.to_string())
}

/// The JSON text without comments and trailing commas.
pub fn to_strict_json(text: &str) -> String {
    let mut out = String::new();
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        match (sign, signs.peek()) {
            ('"', _) => {
                out.push(sign);
                while let Some(inside) = signs.next() {
                    out.push(inside);
                    match inside {
                        '\\' => out.extend(signs.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            ('/', Some('/')) => {
                while signs.peek().is_some_and(|sign| *sign != '\n') {
                    signs.next();
                }
            }
            ('/', Some('*')) => {
                signs.next();
                let mut last = ' ';
                for sign in signs.by_ref() {
                    if (last, sign) == ('*', '/') {
                        break;
                    }
                    last = sign;
                }
            }
            (']' | '}', _) => {
                let end = out.trim_end().len();
                if out[..end].ends_with(',') {
                    out.truncate(end - 1);
                }
                out.push(sign);
            }
            _ => out.push(sign),
        }
    }
    out
}

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(&to_strict_json(text)).map_err(|error| format!("{error}: {text}"))
}

/// Every hook of a dialect, in the order of the files.
pub fn hook_spans(dialect: &str, files: &Files) -> Result<Vec<HookSpan>, String> {
    let mut found = Vec::new();
    for path in files.keys() {
        let mut add = |list: &str, group: usize, matcher: Option<&Value>, name: &str, value: &Value| {
            found.push(HookSpan {
                file: path.clone(),
                list: list.to_owned(),
                group,
                matcher: matcher.cloned(),
                name: name.to_owned(),
                value: value.clone(),
            });
        };
        let last = path.rsplit('/').next().unwrap_or_default();
        match (dialect, last) {
            ("jcli", "hooks.yaml") => {
                let root = yaml(&text(files, path))?;
                for (event, list) in root.as_object().into_iter().flatten() {
                    for hook in list.as_array().into_iter().flatten() {
                        add(event, 0, None, "", hook);
                    }
                }
            }
            ("qoder", _) => {
                let root = json(&text(files, path))?;
                for (event, groups) in root["hooks"].as_object().into_iter().flatten() {
                    for (number, group) in groups.as_array().into_iter().flatten().enumerate() {
                        for hook in group["hooks"].as_array().into_iter().flatten() {
                            add(event, number, group.get("matcher"), "", hook);
                        }
                    }
                }
            }
            ("skill", "hooks.json") => {
                let root = json(&text(files, path))?;
                for hook in root["hooks"].as_array().into_iter().flatten() {
                    add("", 0, None, "", hook);
                }
            }
            ("picoclaw", _) => {
                let root = json(&text(files, path))?;
                for (name, entry) in root["hooks"]["processes"].as_object().into_iter().flatten() {
                    add("", 0, None, name, entry);
                }
            }
            ("agent-hooks", "HOOK.md") => {
                let text = text(files, path);
                let mut lines = text.lines();
                let front_matter: Vec<&str> = lines
                    .by_ref()
                    .skip(1)
                    .take_while(|line| line.trim_end() != "---")
                    .collect();
                add("", 0, None, "", &yaml(&(front_matter.join("\n") + "\n"))?);
            }
            _ => {}
        }
    }
    Ok(found)
}
