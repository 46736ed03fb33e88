//! The sample project that is offered on the very first start, carried inside the program.

use std::path::{Path, PathBuf};

use crate::App;
use crate::dto::{Empty, PathReply, PathRequest};
use crate::fault::Fault;
use crate::locked_file::{self, LockedFileError};

/// `hooks-samples/jcli/starter`, file by file; made by the build script.
const STARTER: &[(&str, &[u8], u32)] = include!(concat!(env!("OUT_DIR"), "/starter.rs"));

impl App {
    /// `sample.open`: copies the sample into the data folder, unless it is there already, and adds it as a project.
    ///
    /// # Errors
    /// The data folder cannot be written.
    pub async fn open_sample(&self, _: Empty) -> Result<PathReply, Fault> {
        let folder = self.env.data_dir.join("samples").join("starter");
        copy_sample(&folder)?;
        let path = folder.display().to_string();
        self.add_project(PathRequest { path: path.clone() }).await?;
        Ok(PathReply { path })
    }
}

/// Writes the sample's files; a file that is there already is the person's and stays.
fn copy_sample(folder: &Path) -> Result<(), LockedFileError> {
    for (name, bytes, mode) in STARTER {
        let path: PathBuf = folder.join(name);
        if !path.exists() {
            locked_file::atomic_write(&path, bytes, *mode)?;
        }
    }
    Ok(())
}
