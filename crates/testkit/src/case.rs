//! Case pages: prose with fenced blocks that define files, an event, the results of the hooks and the expected trace.
//!
//! ````text
//! # Title (a sentence)
//! Prose. `scripted-only:` gives the reason why the page cannot run with real processes, up to the end of the line.
//! `real-only:` gives the reason why it cannot run without them.
//! ```yaml file=user/hooks.yaml            a file; mode=0755 sets its permission bits
//! ```json event=pre_send_message          the payload
//! ```json run hook=jcli:user:… attempt=1  how a scripted attempt ends
//! ```json told file=project/.qoder/hooks.py  the hook table in the bridge's handshake; a real one has at least this
//! ```json session                         the earlier events of the session, each with its verdict
//! ```text var=XDG_CONFIG_HOME             a variable that roots depend on; home/… and project/… are page folders
//! ```text file=home/x hex                 the file's bytes in hexadecimal
//! ```text file=home/x times=N             the text without its line break, repeated N times
//! ```text file=home/x link                a symbolic link; the text is its target
//! ```text unapproved                      ids of project hooks without approval, one per line; all others are approved
//! ```yaml simulate                        a scenario to simulate
//! ```json expect                          the expected result, a subset
//! ````

use std::path::{Path, PathBuf};
use std::time::Duration;

use hookwright_model::{End, Payload, VerdictKind};
use serde::Deserialize;
use serde_json::Value;

/// A parsed case page.
#[derive(Debug, Clone)]
pub struct CasePage {
    /// Path of the page file.
    pub path: PathBuf,
    /// The first `# ` heading.
    pub title: String,
    /// Every line outside the fenced blocks.
    pub prose: String,
    /// Why the page cannot run with real processes.
    pub scripted_only: Option<String>,
    /// Why the page cannot run without real processes.
    pub real_only: Option<String>,
    /// Files that exist before the event fires.
    pub files: Vec<PageFile>,
    /// The event to fire, if the page has one.
    pub event: Option<PageEvent>,
    /// The scenario to simulate, if the page has one.
    pub scenario: Option<String>,
    /// Page path of each module, with the hook table that its bridge reports.
    pub reported: Vec<(String, Value)>,
    /// The events that the session has had before this one.
    pub earlier: Vec<EarlierEvent>,
    /// Variables that roots depend on: name and the value as it is written on the page.
    pub vars: Vec<(String, String)>,
    /// Ids of hooks without approval.
    pub unapproved: Vec<String>,
    /// How each scripted attempt ends.
    pub runs: Vec<ScriptedRun>,
    /// The expected result. Only the keys that it contains are compared.
    pub expect: Value,
    /// Line of the `expect` block, from 1.
    pub expect_line: usize,
}

/// An event that the session of a page has had before.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct EarlierEvent {
    /// The event in the dialect's spelling.
    pub event: String,
    /// What its chain decided.
    pub verdict: VerdictKind,
}

/// A file of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFile {
    /// Page path: `user/…`, `project/…` or `home/…`.
    pub path: String,
    /// Permission bits, 0644 by default.
    pub mode: u32,
    /// Bytes of a file, or target of a link.
    pub content: PathContent,
}

/// What is created at the path of a [`PageFile`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathContent {
    /// A regular file with these bytes.
    Bytes(Vec<u8>),
    /// A symbolic link to this target.
    Link(String),
}

/// The event that a page fires.
#[derive(Debug, Clone, PartialEq)]
pub struct PageEvent {
    /// Name in the dialect's spelling.
    pub name: String,
    /// The payload as written, without the fields that the dialect adds.
    pub payload: Payload,
}

/// The scripted result of one attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptedRun {
    /// Id of the hook.
    pub hook: String,
    /// Number of the attempt, from 1.
    pub attempt: usize,
    /// How the attempt ends.
    pub ending: RunEnding,
    /// Line of the `run` block, from 1.
    pub line: usize,
}

/// How an attempt ends: the body of a `run` block.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunEnding {
    /// Kind of end, `exit` by default.
    #[serde(default = "exit")]
    pub end: End,
    /// Exit status, by default 0 for `exit`. For `signal` it is the signal number.
    pub code: Option<i32>,
    /// Text on stdout; for a peer, its response.
    #[serde(default)]
    pub stdout: String,
    /// Stdout as hexadecimal digits, for bytes that are not text. It replaces `stdout`.
    #[serde(default)]
    pub stdout_hex: Option<String>,
    /// Text on stderr.
    #[serde(default)]
    pub stderr: String,
    /// Whether another process kept stdout open.
    #[serde(default)]
    pub pipe_held: bool,
    /// Duration in milliseconds. The default is the hook's time limit for a timeout, otherwise 1 ms.
    pub took_ms: Option<u64>,
}

fn exit() -> End {
    End::Exit
}

impl RunEnding {
    /// Bytes on stdout, from `stdout_hex` or `stdout`.
    ///
    /// # Panics
    /// When `stdout_hex` is not hexadecimal.
    #[must_use]
    pub fn stdout_bytes(&self) -> Vec<u8> {
        let Some(hex) = &self.stdout_hex else {
            return self.stdout.clone().into_bytes();
        };
        let digits: Vec<u8> = hex
            .chars()
            .filter(|sign| !sign.is_whitespace())
            .map(|sign| sign as u8)
            .collect();
        let byte_of =
            |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap_or("?"), 16).expect("hexadecimal");
        digits.chunks(2).map(byte_of).collect()
    }

    /// The duration, if the page defines one.
    #[must_use]
    pub fn took(&self) -> Option<Duration> {
        self.took_ms.map(Duration::from_millis)
    }
}

/// A syntax error of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageError {
    /// Path of the page file.
    pub path: PathBuf,
    /// Line of the error, from 1.
    pub line: usize,
    /// What is wrong at this line.
    pub what: String,
}

impl std::fmt::Display for PageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.path.display(), self.line, self.what)
    }
}

impl CasePage {
    /// Reads and parses a page file.
    ///
    /// # Errors
    /// The error contains the line that cannot be read.
    pub fn open(path: &Path) -> Result<Self, PageError> {
        let text = std::fs::read_to_string(path).map_err(|error| PageError {
            path: path.to_owned(),
            line: 1,
            what: error.to_string(),
        })?;
        Self::parse(path, &text)
    }

    /// Parses a page. `path` is used in errors only.
    ///
    /// # Errors
    /// The error contains the line that cannot be read.
    pub fn parse(path: &Path, text: &str) -> Result<Self, PageError> {
        let error_at = |line: usize, what: String| PageError {
            path: path.to_owned(),
            line,
            what,
        };
        let (title, prose, fences) = split(text).map_err(|(line, what)| error_at(line, what))?;
        let mut page = Self {
            path: path.to_owned(),
            title,
            scripted_only: reason(&prose, "scripted-only:"),
            real_only: reason(&prose, "real-only:"),
            prose,
            files: Vec::new(),
            event: None,
            scenario: None,
            reported: Vec::new(),
            earlier: Vec::new(),
            vars: Vec::new(),
            unapproved: Vec::new(),
            runs: Vec::new(),
            expect: Value::Null,
            expect_line: 0,
        };
        for fence in fences {
            let line = fence.line;
            page.add_fence(fence)
                .map_err(|(offset, what)| error_at(line + offset, what))?;
        }
        if page.expect_line == 0 {
            return Err(error_at(1, "there is no `expect` block".to_owned()));
        }
        if let Some(run) = page.runs.iter().find(|_| page.event.is_none()) {
            return Err(error_at(
                run.line,
                "a run is scripted, but no event is fired".to_owned(),
            ));
        }
        Ok(page)
    }

    /// Adds one fenced block. An error contains the number of lines below the opening fence.
    fn add_fence(&mut self, fence: Fence) -> Result<(), (usize, String)> {
        let Fence { line, words, text } = fence;
        match words.first().map(|word| (word.as_str(), word.split_once('='))) {
            None => Ok(()), // An illustration.
            Some((_, Some(("file", path)))) => {
                let mode = option(&words, "mode").map_or(Ok(0o644), |mode| u32::from_str_radix(mode, 8));
                let mode = mode.map_err(|_| (0, "mode is not octal".to_owned()))?;
                if !["user/", "project/", "home/"]
                    .iter()
                    .any(|known| path.starts_with(known))
                {
                    return Err((0, format!("file={path} is in none of user/, project/, home/")));
                }
                self.files.push(PageFile {
                    path: path.to_owned(),
                    mode,
                    content: content(&words, text)?,
                });
                Ok(())
            }
            Some(("simulate", _)) if self.scenario.is_some() => Err((0, "a second scenario".to_owned())),
            Some(("simulate", _)) => {
                self.scenario = Some(text);
                Ok(())
            }
            Some(("told", _)) => {
                let path = option(&words, "file").ok_or_else(|| (0, "told needs file=".to_owned()))?;
                self.reported.push((path.to_owned(), parsed(&text)?));
                Ok(())
            }
            Some(("session", _)) => {
                self.earlier = parsed(&text)?;
                Ok(())
            }
            Some(("unapproved", _)) => {
                self.unapproved.extend(text.split_whitespace().map(str::to_owned));
                Ok(())
            }
            Some((_, Some(("var", name)))) => {
                self.vars.push((name.to_owned(), text.trim().to_owned()));
                Ok(())
            }
            Some((_, Some(("event", _)))) if self.event.is_some() => Err((0, "a second event".to_owned())),
            Some((_, Some(("event", name)))) => {
                self.event = Some(PageEvent {
                    name: name.to_owned(),
                    payload: parsed(&text)?,
                });
                Ok(())
            }
            Some(("run", _)) => {
                let hook = option(&words, "hook")
                    .ok_or_else(|| (0, "a run needs hook=".to_owned()))?
                    .to_owned();
                let attempt = option(&words, "attempt").unwrap_or("1").parse();
                let attempt = attempt.map_err(|_| (0, "attempt is not a number".to_owned()))?;
                self.runs.push(ScriptedRun {
                    hook,
                    attempt,
                    ending: parsed(&text)?,
                    line,
                });
                Ok(())
            }
            Some(("expect", _)) if self.expect_line != 0 => Err((0, "a second expectation".to_owned())),
            Some(("expect", _)) => {
                (self.expect, self.expect_line) = (parsed(&text)?, line);
                Ok(())
            }
            Some((word, _)) => Err((
                0,
                format!("`{word}` is none of file=, var=, event=, simulate, told, session, unapproved, run, expect"),
            )),
        }
    }
}

struct Fence {
    /// Line of the opening fence, from 1.
    line: usize,
    /// Words after the language.
    words: Vec<String>,
    text: String,
}

/// Splits a page into heading, prose and fenced blocks. An error contains the line that cannot be read.
fn split(text: &str) -> Result<(String, String, Vec<Fence>), (usize, String)> {
    let (mut title, mut prose, mut fences) = (None, String::new(), Vec::new());
    let mut open: Option<(usize, Fence)> = None;
    for (index, line) in text.lines().enumerate() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        match &mut open {
            Some((length, _)) if ticks >= *length && line.trim_end().len() == ticks => {
                fences.extend(open.take().map(|(_, fence)| fence));
            }
            Some((_, fence)) => {
                fence.text.push_str(line);
                fence.text.push('\n');
            }
            None if ticks >= 3 => {
                let words = line[ticks..].split_whitespace().skip(1).map(str::to_owned).collect();
                open = Some((
                    ticks,
                    Fence {
                        line: index + 1,
                        words,
                        text: String::new(),
                    },
                ));
            }
            None => {
                if let Some(heading) = line.strip_prefix("# ").filter(|_| title.is_none()) {
                    title = Some(heading.trim().to_owned());
                }
                prose.push_str(line);
                prose.push('\n');
            }
        }
    }
    if let Some((_, fence)) = open {
        return Err((fence.line, "this fence is never closed".to_owned()));
    }
    Ok((
        title.ok_or_else(|| (1, "there is no heading".to_owned()))?,
        prose,
        fences,
    ))
}

fn reason(prose: &str, word: &str) -> Option<String> {
    let (_, after) = prose.split_once(word)?;
    Some(after.lines().next().unwrap_or_default().trim().to_owned())
}

fn option<'a>(words: &'a [String], name: &str) -> Option<&'a str> {
    words.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
}

fn content(words: &[String], text: String) -> Result<PathContent, (usize, String)> {
    if words.iter().any(|word| word == "link") {
        return Ok(PathContent::Link(text.trim().to_owned()));
    }
    if words.iter().any(|word| word == "hex") {
        let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
        let byte_of = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let bytes: Option<Vec<u8>> = digits.chunks(2).map(byte_of).collect();
        return bytes.map(PathContent::Bytes).ok_or((1, "not hexadecimal".to_owned()));
    }
    let Some(times) = option(words, "times") else {
        return Ok(PathContent::Bytes(text.into_bytes()));
    };
    let times = times.parse().map_err(|_| (0, "times is not a number".to_owned()))?;
    Ok(PathContent::Bytes(
        text.trim_end_matches('\n').repeat(times).into_bytes(),
    ))
}

fn parsed<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, (usize, String)> {
    serde_json::from_str(text).map_err(|error| (error.line().max(1), error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse(text: &str) -> Result<CasePage, PageError> {
        CasePage::parse(Path::new("x.md"), text)
    }

    #[test]
    fn a_page_is_read_into_its_parts() {
        let page = parse(
            "# It works\nBecause.\n```yaml file=project/scripts/x.sh mode=0755\n#!/bin/sh\n```\n\
             ```json event=stop\n{\"a\": 1}\n```\n```json run hook=h attempt=2\n{\"code\": 3}\n```\n\
             ```json session\n[{\"event\": \"stop\", \"verdict\": \"retry\"}]\n```\n```text var=X\nhome/x\n```\n\
             ```json expect\n{\"steps\": []}\n```\nscripted-only: it would take long\n",
        )
        .unwrap();
        assert_eq!(page.title, "It works");
        assert_eq!(
            page.files,
            [PageFile {
                path: "project/scripts/x.sh".into(),
                mode: 0o755,
                content: PathContent::Bytes(b"#!/bin/sh\n".to_vec())
            }]
        );
        assert_eq!(page.event.unwrap().payload["a"], 1);
        assert_eq!(
            (page.runs[0].attempt, page.runs[0].ending.end, page.runs[0].ending.code),
            (2, End::Exit, Some(3))
        );
        assert_eq!((page.expect, page.expect_line), (json!({"steps": []}), 18));
        assert_eq!(
            (page.earlier[0].event.as_str(), page.earlier[0].verdict),
            ("stop", VerdictKind::Retry)
        );
        assert_eq!(page.vars, [("X".to_owned(), "home/x".to_owned())]);
        assert_eq!(page.scripted_only.as_deref(), Some("it would take long"));
    }

    #[track_caller]
    fn assert_refused(text: &str, why: &str) {
        assert_eq!(parse(text).unwrap_err().to_string(), why);
    }

    #[test]
    fn an_unreadable_page_names_its_line() {
        assert_refused("no heading\n", "x.md:1: there is no heading");
        assert_refused("# T\n", "x.md:1: there is no `expect` block");
        assert_refused("# T\n```json expect\n{}\n", "x.md:2: this fence is never closed");
        assert_refused(
            "# T\n```json expct\n{}\n```\n",
            "x.md:2: `expct` is none of file=, var=, event=, simulate, told, session, unapproved, run, expect",
        );
        assert_refused(
            "# T\n\n```json expect\n{\n  oops}\n```\n",
            "x.md:5: key must be a string at line 2 column 3",
        );
        assert_refused(
            "# T\n```sh file=etc/x\n```\n",
            "x.md:2: file=etc/x is in none of user/, project/, home/",
        );
    }

    #[test]
    fn a_longer_fence_contains_a_shorter_one() {
        let page = parse("# T\n````sh file=project/x\n```\n````\n```json expect\n{}\n```\n").unwrap();
        assert_eq!(page.files[0].content, PathContent::Bytes(b"```\n".to_vec()));
    }

    #[test]
    fn a_file_may_be_bytes_a_long_text_or_a_link_and_a_page_may_have_a_scenario() {
        let page = parse(
            "# T\n```text file=home/a hex\nef bb\nbf\n```\n```text file=home/b times=3\nab\n```\n```text file=home/c link\n../x\n```\n\
             ```yaml simulate\nturns: []\n```\n```json expect\n{}\n```\n",
        )
        .unwrap();
        let contents: Vec<&PathContent> = page.files.iter().map(|file| &file.content).collect();
        assert_eq!(
            contents,
            [
                &PathContent::Bytes(vec![0xef, 0xbb, 0xbf]),
                &PathContent::Bytes(b"ababab".to_vec()),
                &PathContent::Link("../x".to_owned())
            ]
        );
        assert_eq!(page.scenario.as_deref(), Some("turns: []\n"));
        assert_refused("# T\n```text file=home/a hex\nzz\n```\n", "x.md:3: not hexadecimal");
    }
}
