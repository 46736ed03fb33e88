//! Reading configuration: limits, links, encodings (`engine.md` §9). What cannot be read becomes a Problem.

use std::io::Read;
use std::path::{Path, PathBuf};

use hookwright_model::{Layer, Problem, Root, SourceFile, SourceTree, args};
use indexmap::IndexMap;

/// A configuration file may have this many bytes.
pub const MAX_SOURCE_BYTES: u64 = 1 << 20;

hookwright_model::sayings! {
    /// The system's words.
    UNREADABLE = "unreadable" { "the file cannot be read: {why}", "文件无法读取：{why}" } hint { "check its permissions, and that it is a file", "检查权限，并确认它是文件" };
    /// Not UTF-8.
    NOT_UTF8 = "unreadable" / "encoding" { "the file is not UTF-8 at byte {offset}", "文件在第 {offset} 字节处不是 UTF-8" } hint { "save it as UTF-8", "请存为 UTF-8" };
    /// Over the limit.
    TOO_LARGE = "too_large" { "the file has more than {limit} bytes", "文件超过 {limit} 字节" } hint { "a configuration file may have 1 MiB", "配置文件最多 1 MiB" };
    /// A project's link that leads out.
    OUTSIDE = "file_outside" { "the link leads out of the project, to {target}", "该链接指向项目之外：{target}" } hint { "put the file itself into the project", "请把文件本身放进项目" };
}

/// Reads a place. The hash covers what was read, so that equal content is known without parsing.
#[must_use]
pub fn read_root(root: &Root) -> (SourceTree, blake3::Hash) {
    let mut files = IndexMap::new();
    let mut hasher = blake3::Hasher::new();
    if let Some(text) = read_source(root) {
        match &text {
            Ok(text) => hasher.update(b"text").update(text.as_bytes()),
            Err(problem) => hasher.update(b"problem").update(problem.message.as_bytes()),
        };
        files.insert(root.path.clone(), SourceFile { text });
    }
    (
        SourceTree {
            root: root.clone(),
            files,
        },
        hasher.finalize(),
    )
}

/// `None` when there is no such file.
fn read_source(root: &Root) -> Option<Result<String, Problem>> {
    let path = &root.path;
    if let Err(error) = std::fs::symlink_metadata(path) {
        let absent = matches!(
            error.kind(),
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
        );
        return (!absent).then(|| Err(unreadable(path, &error)));
    }
    if root.layer == Layer::Project
        && let Some(project) = &root.project
        && let Some(target) = leads_out(path, project)
    {
        return Some(Err(Problem::new(
            OUTSIDE.say(args! { "target" => target.display().to_string() }),
            path,
            None,
        )));
    }
    Some(read_limited(path))
}

/// The real place of a file, when that is outside its project.
fn leads_out(path: &Path, project: &Path) -> Option<PathBuf> {
    let real = dunce::canonicalize(path).ok()?;
    let project = dunce::canonicalize(project).ok()?;
    (!real.starts_with(project)).then_some(real)
}

fn read_limited(path: &Path) -> Result<String, Problem> {
    // Asked before it is opened: opening a pipe would wait for a writer.
    let meta = std::fs::metadata(path).map_err(|error| unreadable(path, &error))?;
    if !meta.is_file() {
        return Err(unreadable(path, &std::io::Error::other("it is not a file")));
    }
    let file = std::fs::File::open(path).map_err(|error| unreadable(path, &error))?;
    let mut bytes = Vec::new();
    file.take(MAX_SOURCE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(path, &error))?;
    if bytes.len() as u64 > MAX_SOURCE_BYTES {
        return Err(Problem::new(
            TOO_LARGE.say(args! { "limit" => MAX_SOURCE_BYTES }),
            path,
            None,
        ));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        Problem::new(NOT_UTF8.say(args! { "offset" => offset }), path, None)
    })?;
    Ok(text
        .strip_prefix('\u{feff}')
        .map_or_else(|| text.clone(), str::to_owned))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Problem {
    Problem::new(UNREADABLE.say(args! { "why" => error.to_string() }), path, None)
}
