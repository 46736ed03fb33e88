//! Tens of thousands of edits in documents that a generator wrote, which knows nothing of how edits are made.

#![expect(clippy::expect_used, reason = "a test stops at what it did not expect")]

mod chance;
mod check;
mod json;
mod yaml;

use chance::Chance;

/// Documents of each kind; every one is edited a dozen times.
const DOCUMENTS: u64 = 750;

/// Runs a property over all seeds, side by side; what failed is told together, so that one look shows what they share.
fn over(documents: u64, property: impl Fn(&mut Chance) -> Failures + Sync) {
    let threads = std::thread::available_parallelism().map_or(2, usize::from).min(8) as u64;
    let property = &property;
    let run = move |part: u64| {
        let mut failures = Failures::new();
        for seed in (part..documents).step_by(threads as usize) {
            let failed = property(&mut Chance::new(seed));
            failures.extend(failed.iter().map(|failure| format!("seed {seed}: {failure}")));
        }
        failures
    };
    let failures: Failures = std::thread::scope(|scope| {
        let parts: Vec<_> = (0..threads).map(|part| scope.spawn(move || run(part))).collect();
        parts
            .into_iter()
            .flat_map(|part| part.join().expect("no panic"))
            .collect()
    });
    let some: Vec<&str> = failures.iter().take(6).map(String::as_str).collect();
    assert!(
        failures.is_empty(),
        "{} edits failed\n{}",
        failures.len(),
        some.join("\n\n")
    );
}

/// What did not hold, with the document before and after.
type Failures = Vec<String>;

#[test]
fn edits_of_yaml_change_what_was_meant_and_nothing_else() {
    over(DOCUMENTS, |chance| {
        let document = yaml::document(chance);
        (0..14)
            .filter_map(|_| check::one_edit(chance, &document).err())
            .collect()
    });
}

#[test]
fn edits_of_json_change_what_was_meant_and_nothing_else() {
    over(DOCUMENTS, |chance| {
        let document = json::document(chance);
        (0..14)
            .filter_map(|_| check::one_edit(chance, &document).err())
            .collect()
    });
}

#[test]
fn a_document_stays_whole_through_a_row_of_edits() {
    over(DOCUMENTS / 10, |chance| {
        let documents = [yaml::document(chance), json::document(chance)];
        documents
            .iter()
            .filter_map(|document| check::row_of_edits(chance, document).err())
            .collect()
    });
}
