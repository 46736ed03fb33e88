//! The sample project that is offered on the very first start. Its files are compiled into the program.

use std::path::{Path, PathBuf};

use hookwright_workspace::data_files::locked_file::{self, LockedFileError};

use crate::app::App;
use crate::dto::{Empty, PathReply, PathRequest};
use crate::fault::Fault;
use crate::projects;

/// The files of `hooks-samples/jcli/starter`: name, content, mode. The build script generates the list.
const STARTER: &[(&str, &[u8], u32)] = include!(concat!(env!("OUT_DIR"), "/starter.rs"));

/// `sample.open`: copies the sample's missing files into the data folder, and adds the folder as a project.
///
/// # Errors
/// The data folder cannot be written.
pub async fn open_sample(app: &App, _: Empty) -> Result<PathReply, Fault> {
    let folder = app.workspace.env.data_dir.join("samples").join("starter");
    copy_sample(&folder)?;
    let path = folder.display().to_string();
    projects::add_project(app, PathRequest { path: path.clone() }).await?;
    Ok(PathReply { path })
}

/// Writes the sample's files. A file that already exists belongs to the user and stays unchanged.
fn copy_sample(folder: &Path) -> Result<(), LockedFileError> {
    for (name, bytes, mode) in STARTER {
        let path: PathBuf = folder.join(name);
        if !path.exists() {
            locked_file::atomic_write(&path, bytes, *mode)?;
        }
    }
    Ok(())
}
