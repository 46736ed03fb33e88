//! Paths in our own JSON files: text, as nearly all are. A path that is no text is kept byte by byte, so that what was
//! approved or muted under it is found again.

use std::path::{Path, PathBuf};

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum EncodedPath<'a> {
    Text(std::borrow::Cow<'a, str>),
    /// For people, and every byte in hexadecimal.
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

/// A path of this system that is no text has no bytes to write down.
#[cfg(not(unix))]
fn bytes(_: &Path) -> Option<&[u8]> {
    None
}

#[cfg(not(unix))]
fn from_bytes(_: Vec<u8>) -> Option<PathBuf> {
    None
}

/// For `#[serde(with)]` on a path.
pub mod path {
    use super::*;

    /// Writes it.
    ///
    /// # Errors
    /// It is no text, and this system has no bytes for it.
    pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        let encoded = encode(path).ok_or_else(|| S::Error::custom(format!("{} is no text", path.display())))?;
        encoded.serialize(serializer)
    }

    /// Reads it back.
    ///
    /// # Errors
    /// It is nothing that was written here.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
        decode(EncodedPath::deserialize(deserializer)?).ok_or_else(|| D::Error::custom("a path of no known spelling"))
    }
}

/// For `#[serde(with)]` on a path that may be absent.
pub mod optional {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct OptionalPath(#[serde(with = "path")] PathBuf);

    /// Writes it.
    ///
    /// # Errors
    /// It is no text, and this system has no bytes for it.
    pub fn serialize<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
        path.clone().map(OptionalPath).serialize(serializer)
    }

    /// Reads it back.
    ///
    /// # Errors
    /// It is nothing that was written here.
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
