//! Conformance pages: prose with fenced blocks that say files, an event, what the hooks do, and what must come of it.
//!
//! ````text
//! # Title (a sentence)
//! Prose. A line that begins `scripted-only:` says why the page cannot be run with real processes, `real-only:` why it
//! cannot be run without.
//! ```yaml file=user/hooks.yaml            file=project/scripts/x.sh mode=0755
//! ```json event=pre_send_message          the payload
//! ```json run hook=jcli:user:… attempt=1  how a scripted attempt ends
//! ```json told file=project/.qoder/hooks.py  what the bridge of this module tells; a real one tells at least this
//! ```json session                         what the session remembers when the event comes
//! ```text var=XDG_CONFIG_HOME             a variable that places depend on; home/… and project/… are folders of the page
//! ```text file=home/x hex                 bytes; with times=N the text without its line break, so often; with link, where a link leads
//! ```text unapproved                      ids of project hooks that nobody approved, one a line; all others are
//! ```yaml simulate                        a scenario that is played instead of an event
//! ```json expect                          what must come of it, a subset
//! ````

use std::path::{Path, PathBuf};
use std::time::Duration;

use hookwright_model::{End, Payload, SessionState};
use serde::Deserialize;
use serde_json::Value;

/// A page, read.
#[derive(Debug, Clone)]
pub struct CasePage {
    /// The file.
    pub path: PathBuf,
    /// Its heading.
    pub title: String,
    /// Everything outside fences.
    pub prose: String,
    /// Why it cannot be run with real processes.
    pub scripted_only: Option<String>,
    /// Why it cannot be run without.
    pub real_only: Option<String>,
    /// Files that are there.
    pub files: Vec<PageFile>,
    /// The event that is fired, when the page fires one.
    pub event: Option<PageEvent>,
    /// The scenario that is played, when the page plays one.
    pub scenario: Option<String>,
    /// What the bridges of modules tell, by the module's place.
    pub reported: Vec<(String, Value)>,
    /// What the session remembers when the event comes.
    pub session: SessionState,
    /// Variables that places depend on, as they are written.
    pub vars: Vec<(String, String)>,
    /// Hooks that nobody approved, by id.
    pub unapproved: Vec<String>,
    /// How attempts end when they are scripted.
    pub runs: Vec<ScriptedRun>,
    /// What must come of it.
    pub expect: Value,
    /// Line of the expectation.
    pub expect_line: usize,
}

/// A file of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFile {
    /// `user/…`, `project/…` or `home/…`.
    pub path: String,
    /// Permission bits.
    pub mode: u32,
    /// What it is.
    pub content: PathContent,
}

/// What stands at a page's path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathContent {
    /// A file of these bytes.
    Bytes(Vec<u8>),
    /// A link that leads there.
    Link(String),
}

/// The event of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct PageEvent {
    /// Its name.
    pub name: String,
    /// The payload as given.
    pub payload: Payload,
}

/// How one attempt ends.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptedRun {
    /// The hook.
    pub hook: String,
    /// Which attempt, from 1.
    pub attempt: usize,
    /// The end.
    pub ending: RunEnding,
    /// Where the page says so.
    pub line: usize,
}

/// The body of a `run` block.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunEnding {
    /// How it ended.
    #[serde(default = "exit")]
    pub end: End,
    /// Exit status, 0 when nothing else is said and it exited; the signal's number for a signal.
    pub code: Option<i32>,
    /// What it answered.
    #[serde(default)]
    pub stdout: String,
    /// Bytes that are no text, instead of `stdout`.
    #[serde(default)]
    pub stdout_hex: Option<String>,
    /// What it said beside.
    #[serde(default)]
    pub stderr: String,
    /// How long it took; a timeout takes as long as it may.
    pub took_ms: Option<u64>,
}

fn exit() -> End {
    End::Exit
}

impl RunEnding {
    /// The bytes of stdout.
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

    /// How long it took.
    #[must_use]
    pub fn took(&self) -> Option<Duration> {
        self.took_ms.map(Duration::from_millis)
    }
}

/// Why a page cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageError {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub what: String,
}

impl std::fmt::Display for PageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.path.display(), self.line, self.what)
    }
}

impl CasePage {
    /// Reads a page from disk.
    ///
    /// # Errors
    /// Says the line that cannot be read.
    pub fn open(path: &Path) -> Result<Self, PageError> {
        let text = std::fs::read_to_string(path).map_err(|error| PageError {
            path: path.to_owned(),
            line: 1,
            what: error.to_string(),
        })?;
        Self::parse(path, &text)
    }

    /// Reads a page.
    ///
    /// # Errors
    /// Says the line that cannot be read.
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
            session: SessionState::new(),
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

    /// Takes in one fence; an error says how many lines below the fence's first line.
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
                self.session = parsed(&text)?;
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
    /// Line of the opening fence.
    line: usize,
    /// Words behind the language.
    words: Vec<String>,
    text: String,
}

/// Heading, prose, fences; or the line that cannot be read.
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
             ```json session\n{\"n\": 1}\n```\n```text var=X\nhome/x\n```\n\
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
        assert_eq!(page.session["n"], 1);
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
