//! Changes as people read them: one unified diff over all files.

use std::path::Path;

/// The difference of one file; `None` stands for a file that is not there.
pub(super) fn unified(path: &Path, before: Option<&str>, after: Option<&str>) -> String {
    if before == after {
        return String::new();
    }
    let name = |there: Option<&str>| match there {
        Some(_) => path.display().to_string(),
        None => "/dev/null".to_owned(),
    };
    let diff = similar::TextDiff::from_lines(before.unwrap_or_default(), after.unwrap_or_default());
    diff.unified_diff()
        .context_radius(3)
        .header(&name(before), &name(after))
        .to_string()
}
