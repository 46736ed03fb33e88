//! The interface as it was built, inside the program.

use std::borrow::Cow;

use rust_embed::Embed;

/// `ui/dist`; empty in a program that was built without it.
#[derive(Embed)]
#[folder = "../../ui/dist/"]
#[allow_missing = true]
struct Dist;

/// A file of the interface.
pub struct File {
    /// Its bytes.
    pub bytes: Cow<'static, [u8]>,
    /// Its media type.
    pub media: String,
}

/// The file of that path, without a slash before it.
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
