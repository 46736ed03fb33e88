//! Secrets that are found by the table of patterns. Each row has a page in `cases/`.

use super::rules::SECRET_PATTERNS;
use super::*;

/// The random part of the secrets: it replaces `{}` in a page.
const R: &str = "Zq7Vb2Nw9Xk4Lm1Pd8Rs5Tg3";

/// A page: the name of a pattern, a text with a secret, the text that is recorded for it, and a similar text that is
/// not masked. `{}` is replaced by [`R`] in all three texts.
struct PatternPage {
    name: String,
    text: String,
    recorded: String,
    ordinary: String,
}

/// Reads the pages of `cases/`, sorted by file name.
fn pages() -> Vec<PatternPage> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/cases");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let page = |path: &std::path::PathBuf| {
        let page = std::fs::read_to_string(path).unwrap();
        let mut blocks = page.split("```text\n").skip(1).map(|block| {
            let (text, _) = block.split_once("\n```").unwrap();
            text.replace("{}", R)
        });
        let name = page.lines().next().unwrap().trim_start_matches("# ").to_owned();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        assert_eq!(name.replace(' ', "-"), stem, "a page is called by its file");
        let mut next = || blocks.next().unwrap_or_else(|| panic!("{stem}: three texts"));
        PatternPage {
            name,
            text: next(),
            recorded: next(),
            ordinary: next(),
        }
    };
    files.iter().map(page).collect()
}

#[test]
fn every_page_passes() {
    for page in pages() {
        assert_eq!(masked(&page.text), page.recorded, "{}", page.name);
        assert_eq!(masked(&page.ordinary), page.ordinary, "{}", page.name);
    }
}

#[test]
fn every_pattern_has_a_page_and_compiles() {
    let page_names: Vec<String> = pages().into_iter().map(|page| page.name).collect();
    let pattern_names = SECRET_PATTERNS.iter().map(|pattern| pattern.name);
    let mut all: Vec<&str> = pattern_names.chain(["private key", "discord bot"]).collect();
    all.sort_by_key(|name| format!("{}.md", name.replace(' ', "-")));
    assert_eq!(all, page_names);
    for pattern in SECRET_PATTERNS {
        assert!(Regex::new(pattern.pattern).is_ok(), "{}", pattern.name);
        assert!(!pattern.hints.is_empty(), "{}", pattern.name);
    }
}

#[test]
fn a_hint_does_not_hide_a_longer_one() {
    let hints: Vec<&str> = SECRET_PATTERNS
        .iter()
        .flat_map(|pattern| pattern.hints)
        .copied()
        .collect();
    for (at, hint) in hints.iter().enumerate() {
        let hidden = hints[at + 1..]
            .iter()
            .find(|later| later.to_lowercase().starts_with(&hint.to_lowercase()));
        assert_eq!(hidden, None, "{hint}");
    }
}

#[test]
fn a_pattern_is_found_after_escapes_colours_and_chinese_text() {
    for (text, wanted) in [
        ("密钥sk-{}。", "密钥‹redacted›。"),
        ("\\nsk-{}\\n", "\\n‹redacted›\\n"),
        ("\u{1b}[31mghp_{}\u{1b}[0m", "\u{1b}[31m‹redacted›\u{1b}[0m"),
        ("\\u001b[1;31mAKIAIOSFODNN7EXAMPLE", "\\u001b[1;31m‹redacted›"),
        ("sk-foo-bar-baz-ghp_{}", "‹redacted›"),
        ("eyJhbGciOiJub25lIn0.eyJzdWIiOiIxMjM0In0.", "‹redacted›"),
        ("BEARER abc123, and", "BEARER ‹redacted›, and"),
        (
            "-H 'Authorization: Basic dXNlcjpwYXNz'",
            "-H 'Authorization: Basic ‹redacted›'",
        ),
    ] {
        assert_eq!(masked(&text.replace("{}", R)), wanted, "{text}");
    }
}

#[test]
fn bot_tokens_of_discord_are_masked() {
    let token = format!("MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.{R}");
    assert_eq!(masked(&format!("Bot {token} x")), "Bot ‹redacted› x");
    for text in ["Module.prefix.name", "a.bcdefg.h", "1.234567.8"] {
        assert_eq!(masked(text), text);
    }
    assert_eq!(
        masked(&token.replace("Cl2FMQ", "Cl2FM")),
        token.replace("Cl2FMQ", "Cl2FM")
    );
}

#[test]
fn private_keys_are_masked_from_begin_to_end() {
    let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow+/=\nabc\n-----END RSA PRIVATE KEY-----";
    assert_eq!(masked(&format!("a\n{key}\nb {key} c")), "a\n‹redacted›\nb ‹redacted› c");
    let escaped = key.replace('\n', "\\n");
    assert_eq!(masked(&format!("k = \"{escaped}\"")), "k = \"‹redacted›\"");
    for kind in ["", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA "] {
        let key = format!("-----BEGIN {kind}PRIVATE KEY-----\nabc\n-----END {kind}PRIVATE KEY-----\n");
        assert_eq!(masked(&key), "‹redacted›\n");
    }
    let block = "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQVY\n-----END PGP PRIVATE KEY BLOCK-----\n";
    assert_eq!(masked(block), "‹redacted›\n");
    let cut = "x -----BEGIN PRIVATE KEY-----\nMIIEow+/=\nabcd";
    assert_eq!(masked(cut), "x ‹redacted›");
    let public = "-----BEGIN PUBLIC KEY-----\nMIIE\n-----END PUBLIC KEY-----";
    assert_eq!(masked(public), public);
    let prose = "looks for `-----BEGIN PRIVATE KEY-----`; nothing else";
    assert_eq!(masked(prose), "looks for `‹redacted›`; nothing else");
}

#[test]
fn ordinary_words_are_not_masked() {
    for text in [
        "task-management and disk-usage-report",
        "risk-assessment-2024",
        "Basic functionality, basic usage, Basic Authentication",
        "Basic TypeScript and basic JavaScript",
        "basic src/components/index",
        "Basic C++11/C++14 features",
        "https://example.com/?tokens=3&a=b",
        "./target/release/bearer-x",
    ] {
        assert_eq!(masked(text), text, "{text}");
    }
}
