//! Words of a hook that often mean an access to the network, to other programs or to files. A review points at
//! them. They prove nothing: a comment can contain them, and a hook can do the same without them.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::dto::{FoundKind, FoundWord, OldContent, ReviewFile};

/// At most this many words are returned.
const MAX_WORDS: usize = 60;
/// A longer word is cut.
const MAX_CHARS: usize = 80;

/// The patterns in the order in which their words are shown. The word is the group that took part, or else all of it.
const PATTERNS: [(FoundKind, &str); 3] = [
    (
        FoundKind::Network,
        r#"(?x) \b(?:https?|wss?|ftp)://(?:[^\s/@"'`<>]*@)?([A-Za-z0-9.\-\[\]:]+)
            | /dev/tcp/ | \bInvoke-WebRequest\b
            | (?:^|[^\w.~])(curl|wget|ncat|netcat|telnet|ssh|scp|sftp|rsync|socat)\b
            | \b(?:urllib|urlopen|httpx|aiohttp|http\.client|smtplib|ftplib|paramiko|websockets?)\b
            | \bimport\x20requests\b | \brequests\.(?:get|post|put|patch|delete|request|Session)\b | \bimport\x20socket\b | \bsocket\.\w+
            | \bfetch\( | \b(?:axios|undici|XMLHttpRequest|WebSocket)\b | \bnode:(?:https?|net|tls|dgram)\b | ['"]https?['"]
            | \bgit\x20(?:push|fetch|clone|pull)\b"#,
    ),
    (
        FoundKind::Program,
        r"(?x) \b(?:subprocess|Popen|child_process|execSync|spawnSync|execFile|execFileSync)\b
            | \bos\.(?:system|popen|exec\w+|spawn\w+)\b
            | \b(?:sudo|eval|xargs|nohup|npx|crontab)\b | \b(?:pip|pip3|npm|pnpm|yarn|cargo)\x20(?:install|i|add)\b",
    ),
    (
        FoundKind::File,
        r#"(?x) \brm\x20+-\w+ | \bshutil\.\w+ | \bos\.(?:remove|unlink|rename|replace|chmod|rmdir|removedirs)\b
            | \b(?:write_text|write_bytes|writeFile|writeFileSync|appendFile|appendFileSync|unlinkSync|rmSync|renameSync)\b
            | \bopen\([^()\n]*,\x20*['"][wax]b?\+?['"] | \b(?:chmod|chown|mkfs|shred)\b
            | \.ssh\b | \.aws\b | \.gnupg\b | \.netrc\b | \.env\b | \bid_(?:rsa|ed25519)\b"#,
    ),
];

#[expect(
    clippy::expect_used,
    reason = "the patterns are constants, and a test reads them all"
)]
static REGEXES: LazyLock<Vec<(FoundKind, Regex)>> = LazyLock::new(|| {
    let compiled = |(kind, pattern): (FoundKind, &str)| (kind, Regex::new(pattern).expect("a valid pattern"));
    PATTERNS.into_iter().map(compiled).collect()
});

/// The words of a definition and its covered files, each once for a file: by kind, and first those that are new.
/// `old` is what was approved before.
pub fn in_content(definition: &str, files: &[ReviewFile], old: Option<&OldContent>) -> Vec<FoundWord> {
    let of_files = files
        .iter()
        .filter_map(|file| Some((Some(&file.path), file.text.as_deref()?)));
    let texts: Vec<(Option<&String>, &str)> = std::iter::once((None, definition)).chain(of_files).collect();
    let mut found = Vec::new();
    for (kind, regex) in &*REGEXES {
        for (path, text) in &texts {
            let mut seen = BTreeSet::new();
            for (word, line) in words_of(regex, text) {
                if seen.insert(word.clone()) {
                    found.push(FoundWord {
                        kind: *kind,
                        new: old.is_some_and(|old| !contains(old, &word)),
                        word,
                        path: path.cloned(),
                        line,
                    });
                }
            }
        }
    }
    // What is new comes first, so that a limit does not hide it.
    found.sort_by_key(|word| !word.new);
    found.truncate(MAX_WORDS);
    found.sort_by_key(|word| word.kind);
    found
}

/// Each word with its line, from 1.
fn words_of<'t>(regex: &'t Regex, text: &'t str) -> impl Iterator<Item = (String, u32)> + 't {
    let mut line = 1;
    let mut counted = 0;
    regex.captures_iter(text).filter_map(move |captures| {
        let word = captures.iter().skip(1).flatten().next().or_else(|| captures.get(0))?;
        let breaks = text[counted..word.start()].matches('\n').count();
        line = u32::try_from(breaks).unwrap_or(u32::MAX).saturating_add(line);
        counted = word.start();
        Some((word.as_str().chars().take(MAX_CHARS).collect(), line))
    })
}

/// Whether the content that was approved before contains this word.
fn contains(old: &OldContent, word: &str) -> bool {
    old.definition.contains(word)
        || old
            .files
            .iter()
            .filter_map(|file| file.text.as_deref())
            .any(|text| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dto::OldFile;

    fn file(text: &str) -> ReviewFile {
        ReviewFile {
            path: "/p/hook.py".to_owned(),
            hash: String::new(),
            text: Some(text.to_owned()),
            size: 0,
        }
    }

    fn found(definition: &str, text: &str, old: Option<&OldContent>) -> Vec<String> {
        in_content(definition, &[file(text)], old)
            .iter()
            .map(|word| {
                let place = if word.path.is_some() { "file" } else { "definition" };
                let new = if word.new { " new" } else { "" };
                format!("{:?} {} {place}:{}{new}", word.kind, word.word, word.line)
            })
            .collect()
    }

    #[test]
    fn each_kind_of_word_is_found_once_with_its_first_line() {
        let script = "import subprocess\nfrom urllib.request import urlopen\n\nurlopen('https://me:pw@paste.example.net:8443/x')\n\
                      subprocess.run(['rm', '-rf'])\nopen('log', 'a')\n# ~/.ssh/id_rsa\n";
        assert_eq!(
            found("command: curl -s x | sh", script, None),
            [
                "Network curl definition:1",
                "Network urllib file:2",
                "Network urlopen file:2",
                "Network paste.example.net:8443 file:4",
                "Program subprocess file:1",
                "File open('log', 'a' file:6",
                "File .ssh file:7",
                "File id_rsa file:7",
            ]
        );
    }

    #[test]
    fn words_inside_other_words_are_not_found() {
        assert_eq!(
            found(
                "command: ./evaluate --environment curling fetched",
                "requests = 3\nsudoku()\n",
                None
            ),
            [] as [&str; 0]
        );
    }

    #[test]
    fn only_what_the_approved_content_lacks_is_new() {
        let old = OldContent {
            definition: "command: curl a".to_owned(),
            inherited: String::new(),
            files: vec![OldFile {
                path: "/p/hook.py".to_owned(),
                hash: String::new(),
                text: Some("import subprocess".to_owned()),
            }],
            reason: "changed".to_owned(),
            at: String::new(),
        };
        assert_eq!(
            found(
                "command: curl a",
                "import subprocess\nfetch('http://a.example/')\n",
                Some(&old)
            ),
            [
                "Network fetch( file:2 new",
                "Network a.example file:2 new",
                "Network curl definition:1",
                "Program subprocess file:1",
            ]
        );
    }

    #[test]
    fn many_words_are_limited_and_new_ones_stay() {
        let many: String = (0..200)
            .map(|number| format!("https://host{number}.example/\n"))
            .collect();
        let old = OldContent {
            definition: many.clone(),
            inherited: String::new(),
            files: Vec::new(),
            reason: "changed".to_owned(),
            at: String::new(),
        };
        let all = in_content(&format!("{many}chmod 777 x"), &[], Some(&old));
        assert_eq!(all.len(), MAX_WORDS);
        assert!(all.iter().any(|word| word.word == "chmod" && word.new));
    }
}
