//! What a file has in addition to its text, mode and owner: extended attributes, and other names through hard links.

use std::fs::File;
use std::path::Path;

use hookwright_model::{Notice, render};

hookwright_model::messages! {
    /// Replacing a file separates it from its other names. Writing into it instead could leave half of a text in it.
    LINK_PARTED = "edit_link_parted" { "{path} has another name (a hard link), which keeps the old content", "{path} 另有名称（硬链接），该名称保留旧内容" } hint { "run `ln -f {path} OTHER_NAME` to link the other name again", "执行 `ln -f {path} 另一名称` 重新链接" };
    /// The operating system refused to set the attribute.
    ATTRIBUTE_LOST = "edit_attribute_lost" { "the extended attribute {name} of {path} could not be kept", "无法保留 {path} 的扩展属性 {name}" } hint { "set it again", "重新设置" };
}

/// Extended attributes: names and values.
pub type Attributes = Vec<(String, Vec<u8>)>;

/// The notice that an attribute could not be kept.
pub(super) fn lost_attribute_notice(path: &Path, name: &str) -> Notice {
    let message = render!(ATTRIBUTE_LOST, "path" => path.display().to_string(), "name" => name);
    Notice::warning(message, None)
}

/// How many names a file has.
#[cfg(unix)]
pub(super) fn link_count(meta: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(meta)
}

#[cfg(not(unix))]
pub(super) fn link_count(_: &std::fs::Metadata) -> u64 {
    1
}

/// The attributes of an open file. Attributes that cannot be read are left out.
#[cfg(any(target_os = "linux", target_os = "macos"))]
pub(super) fn read(file: &File) -> Attributes {
    use rustix::buffer::spare_capacity;
    use rustix::fs::{fgetxattr, fgetxattr_query, flistxattr, flistxattr_query};

    let value = |name: &str| {
        let mut bytes = Vec::with_capacity(fgetxattr_query(file, name).ok()?);
        if bytes.capacity() > 0 {
            fgetxattr(file, name, spare_capacity(&mut bytes)).ok()?;
        }
        Some((name.to_owned(), bytes))
    };
    let mut names = Vec::with_capacity(flistxattr_query(file).unwrap_or(0));
    if names.capacity() == 0 || flistxattr(file, spare_capacity(&mut names)).is_err() {
        return Attributes::new();
    }
    let names = names
        .split(|byte| *byte == 0)
        .filter_map(|name| std::str::from_utf8(name).ok());
    // The system sets this attribute on every file that a program writes.
    let ours = names.filter(|name| !name.is_empty() && *name != "com.apple.provenance");
    ours.filter_map(value).collect()
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub(super) fn read(_: &File) -> Attributes {
    Attributes::new()
}

/// Sets attributes of a file. Returns the names of those that could not be set.
#[cfg(any(target_os = "linux", target_os = "macos"))]
pub(super) fn write(file: &File, wanted: &Attributes) -> Vec<String> {
    use rustix::fs::{XattrFlags, fsetxattr};

    let has = if wanted.is_empty() {
        Attributes::new()
    } else {
        read(file)
    };
    let missing = wanted.iter().filter(|attribute| !has.contains(attribute));
    missing
        .filter(|(name, value)| fsetxattr(file, name.as_str(), value, XattrFlags::empty()).is_err())
        .map(|(name, _)| name.clone())
        .collect()
}

#[cfg(all(unix, not(any(target_os = "linux", target_os = "macos"))))]
pub(super) fn write(_: &File, wanted: &Attributes) -> Vec<String> {
    wanted.iter().map(|(name, _)| name.clone()).collect()
}
