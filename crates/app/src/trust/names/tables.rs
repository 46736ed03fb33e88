//! Which names count, and as what (`engine.md` §3, "What an approval covers"): data, so that a new program is a new row.

/// Suffixes of files that some program runs.
const CODE_SUFFIXES: [&str; 31] = [
    "sh", "bash", "zsh", "fish", "py", "pyc", "js", "mjs", "cjs", "ts", "mts", "tsx", "rb", "pl", "pm", "php", "lua",
    "awk", "sed", "jq", "ps1", "bat", "cmd", "jar", "wasm", "so", "dylib", "mk", "R", "ksh", "jsx",
];

/// First bytes of a file that the system or a program runs as it is: `#!`, ELF, Mach-O and Java, PE.
const CODE_STARTS: [&[u8]; 7] = [
    b"#!",
    b"\x7fELF",
    b"\xcf\xfa\xed\xfe",
    b"\xce\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
    b"MZ",
    b"\0asm",
];

/// A program that runs the file it is given.
#[derive(Debug, PartialEq, Eq)]
pub struct Interpreter {
    /// Its names, without versions.
    names: &'static [&'static str],
    /// What it adds to a name that is not a file.
    pub adds: &'static [&'static str],
    /// What stands for `/` in the names of modules.
    pub separator: Option<&'static str>,
    /// Letters of options behind which a program follows as text.
    pub inline: &'static [char],
}

const JAVASCRIPT: &[&str] = &[".js", ".mjs", ".cjs", ".ts", "/index.js", "/index.ts"];

/// All of them.
pub const INTERPRETERS: [Interpreter; 12] = [
    Interpreter {
        names: &["sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "busybox"],
        adds: &[],
        separator: None,
        inline: &['c'],
    },
    Interpreter {
        names: &["python", "pythonw", "pypy", "py"],
        adds: &[".py", "/__main__.py", "/__init__.py"],
        separator: Some("."),
        inline: &['c'],
    },
    Interpreter {
        names: &["node", "nodejs", "deno", "bun", "tsx", "ts-node"],
        adds: JAVASCRIPT,
        separator: None,
        inline: &['e', 'p'],
    },
    Interpreter {
        names: &["ruby", "jruby"],
        adds: &[".rb"],
        separator: None,
        inline: &['e'],
    },
    Interpreter {
        names: &["perl"],
        adds: &[".pm", ".pl"],
        separator: Some("::"),
        inline: &['e', 'E'],
    },
    Interpreter {
        names: &["php"],
        adds: &[".php"],
        separator: None,
        inline: &['r'],
    },
    Interpreter {
        names: &["lua", "luajit"],
        adds: &[".lua"],
        separator: Some("."),
        inline: &['e'],
    },
    Interpreter {
        names: &["Rscript"],
        adds: &[],
        separator: None,
        inline: &['e'],
    },
    Interpreter {
        names: &["osascript"],
        adds: &[],
        separator: None,
        inline: &['e'],
    },
    Interpreter {
        names: &["pwsh", "powershell"],
        adds: &[".ps1"],
        separator: None,
        inline: &['c', 'C'],
    },
    Interpreter {
        names: &[
            "tclsh", "expect", "guile", "swift", "groovy", "elixir", "escript", "java", "dotnet", "wasmtime",
        ],
        adds: &[],
        separator: None,
        inline: &[],
    },
    Interpreter {
        names: &[".", "source"],
        adds: &[],
        separator: None,
        inline: &[],
    },
];

/// Programs that run the program behind their own options and operands.
const WRAPPERS: [&str; 35] = [
    "env", "exec", "command", "builtin", "sudo", "doas", "nohup", "nice", "ionice", "chrt", "taskset", "setsid",
    "stdbuf", "time", "timeout", "xargs", "parallel", "flock", "watch", "entr", "npx", "bunx", "pnpx", "uv", "uvx",
    "poetry", "pipenv", "direnv", "dotenv", "script", "coproc", "strace", "ltrace", "chronic", "unbuffer",
];

/// Words of some interpreters that stand before the file.
const SUBCOMMANDS: [&str; 3] = ["run", "exec", "test"];

/// Options behind which a file with code stands.
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

/// Programs whose `-f` and `-r` name no code.
const PLAIN_PROGRAMS: [&str; 32] = [
    "[", "[[", "test", "rm", "cp", "mv", "ln", "ls", "tail", "head", "cat", "grep", "egrep", "fgrep", "rg", "touch",
    "mkdir", "rmdir", "sort", "wc", "cut", "diff", "readlink", "realpath", "stat", "date", "curl", "git", "pip", "tar",
    "zip", "gzip",
];

/// Variables with files whose code is loaded, and whose interpreter loads it.
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

/// Variables with folders in which code is found.
const PATH_VARIABLES: [&str; 7] = [
    "PATH",
    "PYTHONPATH",
    "NODE_PATH",
    "PERL5LIB",
    "RUBYLIB",
    "CLASSPATH",
    "LD_LIBRARY_PATH",
];

/// Words after which a command begins.
const KEYWORDS: [&str; 11] = [
    "if", "then", "elif", "else", "do", "while", "until", "!", "{", "time", "coproc",
];

/// Words that make names while the command runs.
const COMPUTING: [&str; 4] = ["eval", "find", "xargs", "alias"];

/// Files that a program reads without being told.
const CONVENTIONS: [(&str, &[&str]); 7] = [
    ("make", &["GNUmakefile", "makefile", "Makefile"]),
    ("gmake", &["GNUmakefile", "makefile", "Makefile"]),
    ("just", &["justfile", "Justfile", ".justfile"]),
    (
        "task",
        &[
            "Taskfile.yml",
            "taskfile.yml",
            "Taskfile.yaml",
            "taskfile.yaml",
            "Taskfile.dist.yml",
        ],
    ),
    ("go-task", &["Taskfile.yml", "Taskfile.yaml"]),
    ("rake", &["rakefile", "Rakefile", "rakefile.rb", "Rakefile.rb"]),
    ("drake", &["Rakefile"]),
];

/// Programs that run what `scripts` of a `package.json` says.
const PACKAGE_RUNNERS: [&str; 4] = ["npm", "pnpm", "yarn", "bun"];

/// Folders of which nothing is covered as part of another folder: dependencies and build products.
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

/// Where a system keeps its programs and what comes with them.
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

/// Whether a file's suffix says that some program runs it.
#[must_use]
pub fn is_code_suffix(path: &std::path::Path) -> bool {
    let suffix = path.extension().and_then(std::ffi::OsStr::to_str);
    suffix.is_some_and(|suffix| CODE_SUFFIXES.iter().any(|known| known.eq_ignore_ascii_case(suffix)))
}

/// Whether a file that begins so can be run as it is.
#[must_use]
pub fn is_code_start(bytes: &[u8]) -> bool {
    CODE_STARTS.iter().any(|start| bytes.starts_with(start))
}

/// A program's name: without folders, `.exe` and a version.
#[must_use]
pub fn program(word: &str) -> &str {
    let name = word.rsplit('/').next().unwrap_or(word);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let bare = name.trim_end_matches(|sign: char| sign.is_ascii_digit() || sign == '.' || sign == '-');
    if bare.is_empty() { name } else { bare }
}

/// The interpreter of that name.
#[must_use]
pub fn interpreter(name: &str) -> Option<&'static Interpreter> {
    INTERPRETERS.iter().find(|known| known.names.contains(&name))
}

/// Whether what follows it is another program.
#[must_use]
pub fn is_wrapper(name: &str) -> bool {
    WRAPPERS.contains(&name)
}

/// Whether an interpreter's file may still follow this word.
#[must_use]
pub fn is_subcommand(word: &str) -> bool {
    SUBCOMMANDS.contains(&word)
}

/// Whether a file with code stands behind this option of this program.
#[must_use]
pub fn is_code_option(program: Option<&str>, option: &str) -> bool {
    CODE_OPTIONS.contains(&option) && !program.is_some_and(|name| PLAIN_PROGRAMS.contains(&name))
}

/// The interpreter that loads what this variable names: `None` for any other variable, empty where there is none.
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

/// Whether a command begins after this word.
#[must_use]
pub fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// Whether this word makes names while the command runs.
#[must_use]
pub fn is_computing(word: &str) -> bool {
    COMPUTING.contains(&word)
}

/// The files that this program reads without being told.
#[must_use]
pub fn convention(program: &str) -> &'static [&'static str] {
    let known = CONVENTIONS.iter().find(|(name, _)| *name == program);
    known.map_or(&[], |(_, files)| *files)
}

/// Whether this program runs what `scripts` of a `package.json` says.
#[must_use]
pub fn runs_package_scripts(program: &str) -> bool {
    PACKAGE_RUNNERS.contains(&program)
}

/// Whether a folder of this name holds dependencies or build products.
#[must_use]
pub fn is_skipped_folder(name: &std::ffi::OsStr) -> bool {
    SKIPPED_FOLDERS.iter().any(|skipped| name == *skipped)
}

/// Whether a path is one of the system's own.
#[must_use]
pub fn is_of_system(path: &std::path::Path) -> bool {
    path == std::path::Path::new("/") || SYSTEM_FOLDERS.iter().any(|folder| path.starts_with(folder))
}
