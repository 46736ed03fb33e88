//! Tables of which names count, and as what (`engine.md` §3, "What an approval covers"). A new program is a new row.

/// Suffixes of files that some program runs.
const CODE_SUFFIXES: [&str; 31] = [
    "sh", "bash", "zsh", "fish", "py", "pyc", "js", "mjs", "cjs", "ts", "mts", "tsx", "rb", "pl", "pm", "php", "lua",
    "awk", "sed", "jq", "ps1", "bat", "cmd", "jar", "wasm", "so", "dylib", "mk", "R", "ksh", "jsx",
];

/// First bytes of a file that the system or a program runs directly: `#!`, ELF, Mach-O and Java, PE, WebAssembly.
const CODE_STARTS: [&[u8]; 7] = [
    b"#!",
    b"\x7fELF",
    b"\xcf\xfa\xed\xfe",
    b"\xce\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
    b"MZ",
    b"\0asm",
];

/// Options that are followed by a file with code.
const CODE_OPTIONS: [&str; 8] = [
    "-f",
    "-r",
    "-m",
    "--require",
    "--import",
    "--loader",
    "--rcfile",
    "--init-file",
];

/// Programs whose `-f` and `-r` do not name code.
const NON_LOADING_PROGRAMS: [&str; 32] = [
    "[", "[[", "test", "rm", "cp", "mv", "ln", "ls", "tail", "head", "cat", "grep", "egrep", "fgrep", "rg", "touch",
    "mkdir", "rmdir", "sort", "wc", "cut", "diff", "readlink", "realpath", "stat", "date", "curl", "git", "pip", "tar",
    "zip", "gzip",
];

/// Variables that name files whose code is loaded, with the interpreter that loads it.
const LOADING_VARIABLES: [(&str, &str); 8] = [
    ("NODE_OPTIONS", "node"),
    ("LD_PRELOAD", ""),
    ("BASH_ENV", "sh"),
    ("ENV", "sh"),
    ("PYTHONSTARTUP", "python"),
    ("PERL5OPT", "perl"),
    ("RUBYOPT", "ruby"),
    ("GIT_CONFIG_GLOBAL", ""),
];

/// Variables that name folders in which code is found.
const PATH_VARIABLES: [&str; 7] = [
    "PATH",
    "PYTHONPATH",
    "NODE_PATH",
    "PERL5LIB",
    "RUBYLIB",
    "CLASSPATH",
    "LD_LIBRARY_PATH",
];

/// Words that produce names while the command runs.
const COMPUTING_PROGRAMS: [&str; 4] = ["eval", "find", "xargs", "alias"];

/// The files that a program reads without being given their names.
#[derive(Debug, PartialEq, Eq)]
pub struct Convention {
    /// The names of the program.
    programs: &'static [&'static str],
    /// The names of its files in lower case. Letter case is ignored.
    pub files: &'static [&'static str],
    /// Whether only the `scripts` of the file are covered.
    pub scripts: bool,
    /// Whether the program also searches the folders above.
    pub searches_parents: bool,
}

const CONVENTIONS: [Convention; 5] = [
    Convention {
        programs: &["make", "gmake", "bmake"],
        files: &["gnumakefile", "bsdmakefile", "makefile"],
        scripts: false,
        searches_parents: false,
    },
    Convention {
        programs: &["just"],
        files: &["justfile", ".justfile"],
        scripts: false,
        searches_parents: true,
    },
    Convention {
        programs: &["task", "go-task"],
        files: &[
            "taskfile.yml",
            "taskfile.yaml",
            "taskfile.dist.yml",
            "taskfile.dist.yaml",
        ],
        scripts: false,
        searches_parents: true,
    },
    Convention {
        programs: &["rake", "drake"],
        files: &["rakefile", "rakefile.rb"],
        scripts: false,
        searches_parents: true,
    },
    Convention {
        programs: &["npm", "pnpm", "yarn", "bun"],
        files: &["package.json"],
        scripts: true,
        searches_parents: true,
    },
];

/// Folders that are never covered as a part of another folder: dependencies and build products.
const SKIPPED_FOLDERS: [&str; 8] = [
    ".git",
    "node_modules",
    "target",
    "dist",
    "build",
    ".venv",
    "venv",
    "__pycache__",
];

/// Folders in which a system stores its programs and their files.
const SYSTEM_FOLDERS: [&str; 13] = [
    "/bin",
    "/sbin",
    "/usr",
    "/lib",
    "/lib64",
    "/etc",
    "/dev",
    "/proc",
    "/sys",
    "/opt/homebrew",
    "/nix/store",
    "/run/current-system",
    "/snap/bin",
];

/// Whether some program runs files with this suffix.
#[must_use]
pub fn is_code_suffix(path: &std::path::Path) -> bool {
    let suffix = path.extension().and_then(std::ffi::OsStr::to_str);
    suffix.is_some_and(|suffix| CODE_SUFFIXES.iter().any(|known| known.eq_ignore_ascii_case(suffix)))
}

/// Whether a file with these first bytes can be run directly.
#[must_use]
pub fn is_code_start(bytes: &[u8]) -> bool {
    CODE_STARTS.iter().any(|start| bytes.starts_with(start))
}

/// Whether a file with code follows this option of this program.
#[must_use]
pub fn is_code_option(program: Option<&str>, option: &str) -> bool {
    CODE_OPTIONS.contains(&option) && !program.is_some_and(|name| NON_LOADING_PROGRAMS.contains(&name))
}

/// The interpreter that loads the file which this variable names. `None` for any other variable; empty if no
/// interpreter loads it.
#[must_use]
pub fn loaded_by(variable: &str) -> Option<&'static str> {
    let known = LOADING_VARIABLES.iter().find(|(name, _)| *name == variable);
    known.map(|(_, interpreter)| *interpreter)
}

/// Whether code is found in the folders that this variable names.
#[must_use]
pub fn is_path_variable(variable: &str) -> bool {
    PATH_VARIABLES.contains(&variable)
}

/// Whether this word produces names while the command runs.
#[must_use]
pub fn is_computing(word: &str) -> bool {
    COMPUTING_PROGRAMS.contains(&word)
}

/// The convention of this program; `None` if it has none.
#[must_use]
pub fn convention(program: &str) -> Option<&'static Convention> {
    CONVENTIONS.iter().find(|known| known.programs.contains(&program))
}

/// Whether folders of this name contain dependencies or build products.
#[must_use]
pub fn is_skipped_folder(name: &std::ffi::OsStr) -> bool {
    SKIPPED_FOLDERS.iter().any(|skipped| name == *skipped)
}

/// Whether a path is a folder of the system or in one.
#[must_use]
pub fn is_of_system(path: &std::path::Path) -> bool {
    path == std::path::Path::new("/") || SYSTEM_FOLDERS.iter().any(|folder| path.starts_with(folder))
}
