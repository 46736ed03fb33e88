use super::*;
use crate::matcher::{Clause, Match, SubjectForm};

/// Python's `\w` in the syntax of the regex library, repeated `count` times.
fn letters(count: usize) -> String {
    format!(r"[\p{{L}}\p{{N}}_]{{{count}}}")
}

fn condition(source: &str, anchor: Anchor) -> Condition {
    let predicate = Predicate::Pattern(Pattern::new(source, anchor).unwrap());
    Condition {
        clauses: vec![Clause {
            key: "matcher",
            field: "tool_name",
            predicate,
            other_names: &[],
            form: SubjectForm::Whole,
        }],
    }
}

fn adopted(pool: &Arc<PatternPool>, source: &str) -> Condition {
    let mut when = condition(source, Anchor::Whole);
    pool.adopt(&mut when);
    when
}

fn seen(text: &str) -> crate::event::Payload {
    [("tool_name".to_owned(), text.into())].into_iter().collect()
}

#[test]
fn a_pattern_is_compiled_when_it_is_needed_and_once_for_all_that_are_equal() {
    let pool = Arc::new(PatternPool::default());
    let hooks: Vec<Condition> = (0..1000).map(|_| adopted(&pool, "Bash.*")).collect();
    assert_eq!(pool.compiled(), 0);
    assert!(hooks.iter().all(|when| when.evaluate(&seen("Bash_1")) == Match::Yes));
    assert_eq!(pool.compiled(), 1);
    assert!(pool.bytes() > 0);
    drop(hooks);
    assert_eq!((pool.compiled(), pool.bytes()), (0, 0));
}

#[test]
fn names_need_no_engine() {
    let pool = Arc::new(PatternPool::default());
    let whole = adopted(&pool, "Edit|Write");
    assert_eq!(whole.evaluate(&seen("Write")), Match::Yes);
    assert!(matches!(whole.evaluate(&seen("Writer")), Match::No { .. }));
    let anywhere = condition("Edit|Write", Anchor::Anywhere);
    assert_eq!(anywhere.evaluate(&seen("NotebookEdit")), Match::Yes);
    assert_eq!(pool.compiled(), 0);
}

#[test]
fn a_pattern_over_its_limit_is_a_broken_filter_and_never_a_mismatch() {
    let large = condition(&letters(300), Anchor::Whole);
    let Match::Broken(words) = large.evaluate(&seen("x")) else {
        panic!("it is broken")
    };
    assert_eq!(words.code, "too_large");
    let when = Condition {
        clauses: vec![Clause {
            predicate: Predicate::Pattern(Pattern::too_long(&"a".repeat(5000), Anchor::Whole)),
            ..large.clauses[0].clone()
        }],
    };
    assert!(matches!(when.evaluate(&seen("x")), Match::Broken(words) if words.code == "too_large"));
    assert!(matches!(when.explain(&seen("x")), Match::Broken(words) if words.code == "too_large"));
}

#[test]
fn a_pattern_of_thirty_letters_is_within_the_limit() {
    let when = condition(&letters(30), Anchor::Whole);
    assert_eq!(when.evaluate(&seen(&"é".repeat(30))), Match::Yes);
}

#[test]
fn a_full_pool_compiles_no_more_until_space_is_free() {
    let limit = 2 * MAX_COMPILED_BYTES;
    let pool = Arc::new(PatternPool {
        limit,
        ..PatternPool::default()
    });
    let large: Vec<Condition> = (0..6)
        .map(|number| adopted(&pool, &format!("{}{number}", letters(30))))
        .collect();
    let broken = |when: &Condition| matches!(when.evaluate(&seen("x")), Match::Broken(_));
    let over = large.iter().filter(|when| broken(when)).count();
    assert!(pool.bytes() <= limit, "{}", pool.bytes());
    assert!(over > 0 && over < 6, "{over}");
    let last = adopted(&pool, "Bash.*");
    assert!(broken(&last));
    drop(large);
    assert_eq!(last.evaluate(&seen("Bash")), Match::Yes);
}

#[test]
fn an_explanation_caches_no_compiled_pattern() {
    let pool = Arc::new(PatternPool::default());
    let when = adopted(&pool, "Bash.*x");
    assert_eq!(when.explain(&seen("Bash_x")), Match::Yes);
    assert!(matches!(
        when.explain(&seen("bASH_x")),
        Match::No {
            near: Some(crate::trace::NearMiss::Case),
            ..
        }
    ));
    assert_eq!(pool.compiled(), 0);
}

#[test]
fn an_event_finds_the_usual_spellings_of_a_name_without_a_second_engine() {
    let pool = Arc::new(PatternPool::default());
    let when = adopted(&pool, "Bash.*|Write.*");
    for name in ["bash_1", "BASH_1", "write"] {
        assert!(
            matches!(
                when.evaluate(&seen(name)),
                Match::No {
                    near: Some(crate::trace::NearMiss::Case),
                    ..
                }
            ),
            "{name}"
        );
    }
    assert_eq!(pool.compiled(), 1);
}

#[test]
fn syntax_is_checked_without_the_engine() {
    for wrong in ["(", "a)", "[z-a]", "[a", r"\p{L", "(?<n>a"] {
        assert!(Pattern::new(wrong, Anchor::Whole).is_err(), "{wrong}");
    }
    let large = Pattern::new(&letters(300), Anchor::Whole).unwrap();
    assert_eq!(large.unusable(), None);
    assert_eq!(large.compile(), Err(PatternError::TooComplex));
    assert_eq!(large.unusable(), Some(&PatternError::TooComplex));
}

#[test]
fn lints_compile_little_and_cache_nothing() {
    let trial = Trial::default();
    let pool = Arc::new(PatternPool::default());
    let small = adopted(&pool, "mcp__.*");
    assert!(small.overlaps(&condition("mcp__git", Anchor::Whole), &trial));
    assert!(!small.overlaps(&condition("Bash", Anchor::Whole), &trial));
    // A pattern that is too large for lint is assumed to overlap.
    let large = adopted(&pool, &letters(90));
    assert!(large.overlaps(&condition("Bash", Anchor::Whole), &trial));
    assert_eq!(pool.compiled(), 0);
}
