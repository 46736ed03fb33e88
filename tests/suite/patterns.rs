//! Compares the translation of Python patterns with Python: an accepted pattern matches as it does there
//! (`engine.md` §9).

use std::io::Write;
use std::process::{Command, Stdio};

use hookwright_dialects::pattern;
use hookwright_model::matcher::{Anchor, PatternError};
use hookwright_testkit::rng::TestRng;
use serde_json::{Value, json};

/// Number of patterns in one run. Pseudo-random numbers begin with [`SEED`], so every run is the same.
const PATTERNS: usize = 6_000;
const SEED: u64 = 1;

/// A Python program. It reads one `[pattern, subjects]` per line and prints for each subject whether it matches
/// anywhere, and as a whole. For an invalid pattern it prints the error.
const PYTHON: &str = r#"
import json, re, sys, warnings
warnings.simplefilter("ignore")
for line in sys.stdin:
    source, subjects = json.loads(line)
    try:
        pattern = re.compile(source)
    except (re.error, OverflowError, RecursionError) as error:
        print(json.dumps(str(error)))
        continue
    print(json.dumps([[bool(pattern.search(text)), bool(pattern.fullmatch(text))] for text in subjects]))
"#;

const CHARACTERS: [&str; 37] = [
    "a", "b", "A", "i", "I", "k", "s", "_", "1", "0", "9", " ", "\n", "\t", "-", ".", ",", ":", "<", ">", "=", "!",
    "#", "&", "~", "{", "}", "]", "²", "é", "ſ", "\u{200d}", "\u{a0}", "\u{301}", "ı", "ι", "\u{345}",
];
const ITEMS: [&str; 53] = [
    ".",
    r"\w",
    r"\W",
    r"\d",
    r"\D",
    r"\s",
    r"\S",
    r"\.",
    r"\-",
    r"\n",
    r"\t",
    r"\x41",
    r"\u00e9",
    r"\_",
    r"\é",
    r"\ ",
    r"\#",
    r"\<",
    r"\a",
    "[a-z]",
    "[^a]",
    r"[\w-]",
    r"[^\W1]",
    r"[\s\d]",
    "[]a]",
    "[^]]",
    "[a-]",
    "[a^]",
    r"[\]\\]",
    "[ab-]",
    r"[\x41-\u0043]",
    "[é-ü]",
    r"[^\S]",
    r"[\D]",
    r"[\W_]",
    "[k]",
    "[^k]",
    "[i-k]",
    r"[\w-a]",
    "[$.()|*]",
    r"\x69",
    r"\u0131",
    r"\ı",
    r"[\W]",
    r"[^\w]",
    r"[\wι]",
    r"[^\W\u03b9]",
    r"[^\w\s]",
    r"[\w^]",
    r"[&\w&]",
    r"[\x69]",
    r"[a-\w]",
    r"[a-b-\w]",
];
const ASSERTIONS: [&str; 8] = ["^", "$", r"\b", r"\B", r"\A", "(?=a)", "(?!a)", "(?#c)"];
const QUANTIFIERS: [&str; 16] = [
    "*", "+", "?", "*?", "+?", "??", "{2}", "{1,}", "{0,2}", "{1,2}?", "{3,2}", "{0}", "{,2}", "{2,1}", "{", "{a}",
];
const GROUP_STARTS: [&str; 14] = [
    "(", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?P<n>", "(?P<m>", "(?P<1>", "(?i:", "(?-i:", "(?s-i:", "(?x:", "(?m:",
];
const BACK_REFERENCES: [&str; 6] = [r"\1", r"\2", r"\3", r"\11", "(?P=n)", "(?P=m)"];
const FLAGS: [&str; 8] = ["(?i)", "(?m)", "(?s)", "(?x)", "(?ix)", "(?i)(?x)", "(?im)", "(?sx)"];

/// Returns one or two random alternatives, with groups up to `depth` levels. They can be unusual or invalid.
fn random_alternatives(rng: &mut TestRng, depth: usize) -> String {
    let mut out = String::new();
    for alternative in 0..=rng.less_than(3) / 2 {
        if alternative > 0 {
            out.push('|');
        }
        for _ in 0..rng.less_than(4) {
            out += &random_item(rng, depth);
        }
    }
    out
}

fn random_item(rng: &mut TestRng, depth: usize) -> String {
    let mut out = match rng.less_than(12) {
        0..5 => (*rng.pick(&CHARACTERS)).to_owned(),
        5..8 => (*rng.pick(&ITEMS)).to_owned(),
        8 => (*rng.pick(&ASSERTIONS)).to_owned(),
        9 => (*rng.pick(&BACK_REFERENCES)).to_owned(),
        _ if depth > 0 => format!("{}{})", rng.pick(&GROUP_STARTS), random_alternatives(rng, depth - 1)),
        _ => "a".to_owned(),
    };
    if rng.one_in(4) {
        out.push_str(rng.pick::<&str>(&QUANTIFIERS));
    }
    out
}

fn random_pattern(rng: &mut TestRng) -> String {
    let mut out = String::new();
    if rng.one_in(4) {
        out.push_str(rng.pick::<&str>(&FLAGS));
    }
    out += &random_alternatives(rng, 3);
    if rng.one_in(8) {
        // A typing error: one character is missing.
        let mut signs: Vec<char> = out.chars().collect();
        if !signs.is_empty() {
            signs.remove(rng.less_than(signs.len()));
        }
        out = signs.into_iter().collect();
    }
    out
}

fn random_subjects(rng: &mut TestRng) -> Vec<String> {
    const TEXT: [&str; 32] = [
        "a", "b", "A", "B", "i", "I", "İ", "ı", "k", "K", "s", "ſ", "_", "1", "²", "½", "٣", "é", "É", "\u{200d}",
        "\u{301}", " ", "\n", "\u{a0}", "\u{1c}", "-", "ι", "Ι", "\u{345}", "\u{1fbe}", "^", "&",
    ];
    let one = |rng: &mut TestRng| (0..rng.less_than(5)).map(|_| *rng.pick(&TEXT)).collect::<String>();
    let mut out: Vec<String> = (0..14).map(|_| one(rng)).collect();
    out.extend(["", "a", "aa", "ab", "a\n", "1"].map(str::to_owned));
    out
}

/// Returns Python's result for each line; `None` if `python3` is not installed.
fn python(lines: &[Value]) -> Option<Vec<Value>> {
    let mut child = Command::new("python3")
        .args(["-c", PYTHON])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take()?;
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let writing = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let done = child.wait_with_output().ok()?;
    writing.join().unwrap().unwrap();
    assert!(done.status.success());
    let text = String::from_utf8(done.stdout).unwrap();
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

#[test]
fn an_accepted_pattern_means_what_it_means_to_python() {
    let mut rng = TestRng::new(SEED);
    let mut asked = Vec::new();
    let mut ours = Vec::new();
    while asked.len() < PATTERNS {
        let source = random_pattern(&mut rng);
        let compiled = [Anchor::Anywhere, Anchor::Whole].map(|anchor| pattern::from_python(&source, anchor));
        let [Ok(anywhere), Ok(whole)] = compiled else { continue };
        // An accepted pattern compiles or is too complex. No other error may appear only when an event fires.
        for pattern in [&anywhere, &whole] {
            assert!(
                matches!(pattern.compile(), Ok(()) | Err(PatternError::TooComplex)),
                "{source}"
            );
        }
        let subjects = random_subjects(&mut rng);
        let found = subjects
            .iter()
            .map(|text| [anywhere.is_match(text), whole.is_match(text)]);
        ours.push(found.collect::<Vec<_>>());
        asked.push(json!([source, subjects]));
    }
    let Some(theirs) = python(&asked) else { return };
    let mut wrong = Vec::new();
    for ((asked, ours), theirs) in asked.iter().zip(&ours).zip(&theirs) {
        let Some(theirs) = theirs.as_array() else {
            wrong.push(format!("{} is refused by Python: {theirs}", asked[0]));
            continue;
        };
        for (index, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
            let differs = |at: usize| ours[at].is_some_and(|ours| theirs[at] != ours);
            if differs(0) || differs(1) {
                wrong.push(format!(
                    "{} on {}: {ours:?}, Python {theirs}",
                    asked[0], asked[1][index]
                ));
                break;
            }
        }
    }
    let shown = wrong.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} of {PATTERNS}:\n{shown}", wrong.len());
}
