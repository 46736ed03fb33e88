//! The built interface, embedded in the program.

use std::borrow::Cow;

use rust_embed::Embed;

/// The files of `ui/dist`; empty in a program that was built without them.
#[derive(Embed)]
#[folder = "../../ui/dist/"]
#[allow_missing = true]
struct Dist;

/// A file of the interface.
pub struct File {
    pub bytes: Cow<'static, [u8]>,
    /// The media type, such as `text/html; charset=utf-8`.
    pub media: String,
}

/// The file at this path, which has no leading slash.
#[must_use]
pub fn file(path: &str) -> Option<File> {
    let file = Dist::get(path)?;
    let media = file.metadata.mimetype();
    let media = if media.starts_with("text/") {
        format!("{media}; charset=utf-8")
    } else {
        media.to_owned()
    };
    Some(File {
        bytes: file.data,
        media,
    })
}
