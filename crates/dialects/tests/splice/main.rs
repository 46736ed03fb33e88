//! Tens of thousands of random edits in generated documents. The generators know nothing of how edits are made.
//!
//! `HOOKWRIGHT_EDITS` is the number of documents of each kind. With `--nocapture` every run prints its counts.

#![expect(clippy::expect_used, reason = "a test stops at what it did not expect")]

mod brackets;
mod check;
mod empty_collections;
mod json;
mod together;
mod toml;
mod yaml;

use hookwright_dialects::splice::Format;
use hookwright_testkit::TestRng;

/// Default number of documents of each kind. Up to fourteen edits are tried on each one.
const DOCUMENTS: u64 = 750;
/// At most one edit in this many may be refused because of empty lines that a block string would take.
const REFUSED_ONE_IN: usize = 1_000;

/// The number of edits and refusals, and each failure with the document before and after.
#[derive(Default)]
struct EditReport {
    edits: usize,
    refused: usize,
    failures: Vec<String>,
}

impl EditReport {
    /// Adds the result of some edits: how many of them were refused, or what failed.
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

/// Checks a property for all seeds, in parallel. Failures are reported together, so that what they share can be seen.
fn check_all_seeds(what: &str, documents: u64, property: impl Fn(&mut TestRng) -> EditReport + Sync) {
    let threads = std::thread::available_parallelism().map_or(2, usize::from).min(8) as u64;
    let property = &property;
    let run = move |part: u64| {
        let mut all = EditReport::default();
        for seed in (part..documents).step_by(threads as usize) {
            let report = property(&mut TestRng::new(seed));
            all.edits += report.edits;
            all.refused += report.refused;
            let failures = report.failures.iter();
            all.failures
                .extend(failures.map(|failure| format!("seed {seed}: {failure}")));
        }
        all
    };
    let all: Vec<EditReport> = std::thread::scope(|scope| {
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

fn run_edits(rng: &mut TestRng, document: &check::Document) -> EditReport {
    let mut report = EditReport::default();
    for _ in 0..14 {
        if let Some(done) = check::try_random_edit(rng, document) {
            report.add(1, done.map(|done| usize::from(done == check::EditOutcome::Refused)));
        }
    }
    report
}

#[test]
fn edits_of_yaml_change_what_was_meant_and_nothing_else() {
    check_all_seeds("yaml", documents(), |rng| {
        let document = yaml::document(rng);
        run_edits(rng, &document)
    });
}

#[test]
fn edits_of_json_change_what_was_meant_and_nothing_else() {
    check_all_seeds("json", documents(), |rng| {
        let document = json::document(rng);
        run_edits(rng, &document)
    });
}

#[test]
fn edits_of_toml_change_what_was_meant_and_nothing_else() {
    check_all_seeds("toml", documents(), |rng| {
        let document = toml::document(rng);
        run_edits(rng, &document)
    });
}

#[test]
fn edits_between_brackets_keep_comments_with_what_they_are_about() {
    for (name, format) in [
        ("brackets of yaml", Format::Yaml),
        ("brackets of json", Format::Json),
        ("brackets of toml", Format::Toml),
    ] {
        check_all_seeds(name, documents(), |rng| {
            let document = brackets::document(rng, format);
            run_edits(rng, &document)
        });
    }
}

#[test]
fn a_document_stays_valid_through_a_sequence_of_edits() {
    check_all_seeds("rows of edits", documents() / 10, |rng| {
        let mut report = EditReport::default();
        let documents = [
            yaml::document(rng),
            json::document(rng),
            brackets::document(rng, Format::Yaml),
            brackets::document(rng, Format::Json),
            toml::document(rng),
            brackets::document(rng, Format::Toml),
        ];
        for document in documents {
            report.add(check::EDITS_PER_SEQUENCE, check::edit_sequence(rng, &document));
        }
        report
    });
}
