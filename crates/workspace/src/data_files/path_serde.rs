//! Serialization of paths in Hookwright's JSON files. A path is stored as text, which nearly all paths are. A path that
//! is not valid Unicode is stored as bytes, so that an approval or a mute for it is found again.

use std::path::{Path, PathBuf};

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum EncodedPath<'a> {
    Text(std::borrow::Cow<'a, str>),
    /// `shown` is for readers. `bytes` contains every byte in hexadecimal.
    Bytes {
        shown: String,
        bytes: String,
    },
}

fn encode(path: &Path) -> Option<EncodedPath<'_>> {
    if let Some(text) = path.to_str() {
        return Some(EncodedPath::Text(text.into()));
    }
    Some(EncodedPath::Bytes {
        shown: path.display().to_string(),
        bytes: bytes(path)?.iter().map(|byte| format!("{byte:02x}")).collect(),
    })
}

fn decode(encoded: EncodedPath<'_>) -> Option<PathBuf> {
    match encoded {
        EncodedPath::Text(text) => Some(PathBuf::from(text.into_owned())),
        EncodedPath::Bytes { bytes, .. } => {
            let pairs = bytes.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok());
            let bytes = pairs
                .map(|pair| u8::from_str_radix(pair?, 16).ok())
                .collect::<Option<Vec<u8>>>()?;
            from_bytes(bytes)
        }
    }
}

#[cfg(unix)]
fn bytes(path: &Path) -> Option<&[u8]> {
    use std::os::unix::ffi::OsStrExt;
    Some(path.as_os_str().as_bytes())
}

#[cfg(unix)]
fn from_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(PathBuf::from(std::ffi::OsString::from_vec(bytes)))
}

/// On this system a path that is not valid Unicode has no byte form.
#[cfg(not(unix))]
fn bytes(_: &Path) -> Option<&[u8]> {
    None
}

#[cfg(not(unix))]
fn from_bytes(_: Vec<u8>) -> Option<PathBuf> {
    None
}

/// For `#[serde(with)]` on a `PathBuf`.
pub mod path {
    use super::*;

    /// Writes the path as text, or as bytes in hexadecimal.
    ///
    /// # Errors
    /// The path is not valid Unicode, and this system has no byte form for it.
    pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        let encoded = encode(path).ok_or_else(|| S::Error::custom(format!("{} is not text", path.display())))?;
        encoded.serialize(serializer)
    }

    /// Reads a path in one of the two forms.
    ///
    /// # Errors
    /// The value is not in a form that `serialize` writes.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
        decode(EncodedPath::deserialize(deserializer)?).ok_or_else(|| D::Error::custom("a path of no known spelling"))
    }
}

/// For `#[serde(with)]` on an `Option<PathBuf>`.
pub mod optional {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct OptionalPath(#[serde(with = "path")] PathBuf);

    /// Writes the path as text, as bytes in hexadecimal, or as `null`.
    ///
    /// # Errors
    /// The path is not valid Unicode, and this system has no byte form for it.
    pub fn serialize<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
        path.clone().map(OptionalPath).serialize(serializer)
    }

    /// Reads a path in one of these forms.
    ///
    /// # Errors
    /// The value is not in a form that `serialize` writes.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PathBuf>, D::Error> {
        Ok(Option::<OptionalPath>::deserialize(deserializer)?.map(|OptionalPath(path)| path))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Both {
        #[serde(with = "path")]
        one: PathBuf,
        #[serde(with = "optional")]
        other: Option<PathBuf>,
    }

    #[test]
    fn a_path_that_is_no_text_survives_a_round_trip() {
        let plain = Both {
            one: "/a/项目".into(),
            other: None,
        };
        assert_eq!(
            serde_json::to_string(&plain).unwrap(),
            r#"{"one":"/a/项目","other":null}"#
        );
        let odd = PathBuf::from(std::ffi::OsString::from_vec(b"/a/\xff\xfe".to_vec()));
        let both = Both {
            one: odd.clone(),
            other: Some(odd),
        };
        for both in [plain, both] {
            let text = serde_json::to_string(&both).unwrap();
            assert_eq!(serde_json::from_str::<Both>(&text).unwrap(), both);
        }
        assert!(serde_json::from_str::<Both>(r#"{"one":{"shown":"","bytes":"0g"},"other":null}"#).is_err());
    }
}
