//! Tens of thousands of edits in documents that a generator wrote, which knows nothing of how edits are made.
//!
//! `HOOKWRIGHT_EDITS` is the number of documents of each kind; with `--nocapture` every run tells what it did.

#![expect(clippy::expect_used, reason = "a test stops at what it did not expect")]

mod brackets;
mod check;
mod emptied;
mod json;
mod yaml;

use hookwright_dialects::splice::Format;
use hookwright_testkit::Chance;

/// Documents of each kind, without a word from outside; every one is edited a dozen times.
const DOCUMENTS: u64 = 750;
/// Of so many edits one may be refused for empty lines that a text would take for its own.
const REFUSED_ONE_IN: usize = 1_000;

/// What was done, and what did not hold, with the document before and after.
#[derive(Default)]
struct Tally {
    edits: usize,
    refused: usize,
    failures: Vec<String>,
}

impl Tally {
    /// What came of some edits: how many of them were refused, or what did not hold.
    fn add(&mut self, edits: usize, done: Result<usize, String>) {
        self.edits += edits;
        match done {
            Ok(refused) => self.refused += refused,
            Err(failure) => self.failures.push(failure),
        }
    }
}

fn documents() -> u64 {
    let given = std::env::var("HOOKWRIGHT_EDITS").ok();
    given.and_then(|number| number.parse().ok()).unwrap_or(DOCUMENTS)
}

/// Runs a property over all seeds, side by side; what failed is told together, so that one look shows what they share.
fn over(what: &str, documents: u64, property: impl Fn(&mut Chance) -> Tally + Sync) {
    let threads = std::thread::available_parallelism().map_or(2, usize::from).min(8) as u64;
    let property = &property;
    let run = move |part: u64| {
        let mut all = Tally::default();
        for seed in (part..documents).step_by(threads as usize) {
            let tally = property(&mut Chance::new(seed));
            all.edits += tally.edits;
            all.refused += tally.refused;
            let failures = tally.failures.iter();
            all.failures
                .extend(failures.map(|failure| format!("seed {seed}: {failure}")));
        }
        all
    };
    let all: Vec<Tally> = std::thread::scope(|scope| {
        let parts: Vec<_> = (0..threads).map(|part| scope.spawn(move || run(part))).collect();
        parts.into_iter().map(|part| part.join().expect("no panic")).collect()
    });
    let edits: usize = all.iter().map(|tally| tally.edits).sum();
    let refused: usize = all.iter().map(|tally| tally.refused).sum();
    println!("{what}: {documents} documents, {edits} edits, {refused} refused");
    let failures: Vec<&str> = all
        .iter()
        .flat_map(|tally| tally.failures.iter().map(String::as_str))
        .collect();
    let some: Vec<&str> = failures.iter().take(6).copied().collect();
    assert!(
        failures.is_empty(),
        "{} edits failed\n{}",
        failures.len(),
        some.join("\n\n")
    );
    assert!(
        refused <= 1 + edits / REFUSED_ONE_IN,
        "{refused} of {edits} edits were refused"
    );
}

fn edited(chance: &mut Chance, document: &check::Document) -> Tally {
    let mut tally = Tally::default();
    for _ in 0..14 {
        if let Some(done) = check::one_edit(chance, document) {
            tally.add(1, done.map(|done| usize::from(done == check::Done::Refused)));
        }
    }
    tally
}

#[test]
fn edits_of_yaml_change_what_was_meant_and_nothing_else() {
    over("yaml", documents(), |chance| {
        let document = yaml::document(chance);
        edited(chance, &document)
    });
}

#[test]
fn edits_of_json_change_what_was_meant_and_nothing_else() {
    over("json", documents(), |chance| {
        let document = json::document(chance);
        edited(chance, &document)
    });
}

#[test]
fn edits_between_brackets_keep_comments_with_what_they_are_about() {
    for (name, format) in [("brackets of yaml", Format::Yaml), ("brackets of json", Format::Json)] {
        over(name, documents(), |chance| {
            let document = brackets::document(chance, format);
            edited(chance, &document)
        });
    }
}

#[test]
fn a_document_stays_whole_through_a_row_of_edits() {
    over("rows of edits", documents() / 10, |chance| {
        let mut tally = Tally::default();
        let documents = [
            yaml::document(chance),
            json::document(chance),
            brackets::document(chance, Format::Yaml),
            brackets::document(chance, Format::Json),
        ];
        for document in documents {
            tally.add(check::ROW, check::row_of_edits(chance, &document));
        }
        tally
    });
}
