//! Writes the files that are generated from the command list and the event tables. With `--check` it writes nothing, and fails if a file
//! differs.

use std::path::Path;
use std::process::ExitCode;

use hookwright_app::bindings;

#[expect(
    clippy::disallowed_methods,
    reason = "a build tool that writes into the repository, not into user files"
)]
fn main() -> ExitCode {
    let check = std::env::args().any(|arg| arg == "--check");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut stale = false;
    for (path, text) in bindings::generate(&root) {
        let full = root.join(&path);
        if std::fs::read_to_string(&full).is_ok_and(|now| now == text) {
            continue;
        }
        stale = true;
        println!("{} {path}", if check { "differs:" } else { "wrote" });
        if !check
            && let Err(error) = full
                .parent()
                .map_or(Ok(()), std::fs::create_dir_all)
                .and_then(|()| std::fs::write(&full, text))
        {
            eprintln!("cannot write {path}: {error}");
            return ExitCode::FAILURE;
        }
    }
    if check && stale {
        eprintln!("run ./dev bindings and commit what it writes");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
