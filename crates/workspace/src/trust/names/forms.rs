//! The forms in which a name may refer to a file, and the listing of folders.

use std::path::Path;

use super::name_collector::NameCollector;

/// A name as it is, and with what interpreters add to it.
pub(super) fn forms(name: &str, reading: &NameCollector) -> Vec<String> {
    let mut forms = vec![name.to_owned()];
    for interpreter in &reading.interpreters {
        let bare = name.trim_end_matches('/');
        forms.extend(interpreter.suffixes.iter().map(|add| format!("{bare}{add}")));
        let is_module = |sign: &&str| !name.contains('/') && name.contains(sign);
        if let Some(separator) = interpreter.module_separator.filter(is_module) {
            let path = name.replace(separator, "/");
            forms.extend(interpreter.suffixes.iter().map(|add| format!("{path}{add}")));
            forms.push(path);
        }
    }
    forms
}

/// The first part of a relative path, in lower case. `None` if a listing of the folder cannot show whether it exists.
pub(super) fn first_part(form: &str) -> Option<String> {
    let mut rest = form;
    while let Some(below) = rest.strip_prefix("./") {
        rest = below.trim_start_matches('/');
    }
    let first = rest.split('/').next().unwrap_or_default();
    let plain = first.is_ascii() && !matches!(first, "" | "." | "..");
    plain.then(|| first.to_ascii_lowercase())
}

/// The sorted names in a folder; `None` if the folder cannot be listed.
pub(in crate::trust) fn entries(folder: &Path) -> Option<Vec<String>> {
    let entries = std::fs::read_dir(folder).ok()?;
    let mut names: Vec<String> = entries.filter_map(name).collect();
    names.sort();
    Some(names)
}

fn name(entry: std::io::Result<std::fs::DirEntry>) -> Option<String> {
    entry.ok()?.file_name().into_string().ok()
}
