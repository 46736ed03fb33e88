//! Several processes, and processes that are killed. A child process is this test program, started with one test.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use hookwright_model::Catalog;
use hookwright_model::Outcome;
use hookwright_store::{AccessMode, MetricsFilter, Store, TraceFilter};
use jiff::Timestamp;

use crate::test_store::{TestSpool, TestStore, id, ids, step, trace};

const DIR: &str = "HOOKWRIGHT_STORE_TEST_DIR";
const FIRST: &str = "HOOKWRIGHT_STORE_TEST_FIRST";
const COUNT: &str = "HOOKWRIGHT_STORE_TEST_COUNT";

/// The work of a child process: append traces, print each number, and import all the time in another thread.
#[test]
#[ignore = "not a test: the program that the tests below start and kill"]
fn child() {
    let dir = std::env::var(DIR).unwrap();
    let number = |name: &str| std::env::var(name).unwrap().parse::<u64>().unwrap();
    let (first, count) = (number(FIRST), number(COUNT));
    let spool = TestSpool::open(Path::new(&dir));
    let importer = std::thread::spawn({
        let dir = dir.clone();
        move || {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            runtime.block_on(async {
                let now =
                    hookwright_model::Clock::new(|| Timestamp::from_second(crate::test_store::NOW_SECONDS).unwrap());
                let store = Store::open(Path::new(&dir), AccessMode::Write, now, Catalog::default())
                    .await
                    .unwrap();
                loop {
                    if store.import().await.is_ok_and(|imported| imported.traces == 0)
                        && store.counts().await.unwrap().traces >= count
                    {
                        break;
                    }
                }
                store.close().await;
            });
        }
    });
    for n in first..first + count {
        spool
            .append(&trace(n, n as i64, vec![step("a", Outcome::Allowed, &[1.0])]))
            .unwrap();
        println!("wrote {n}");
        std::io::stdout().flush().unwrap();
    }
    importer.join().unwrap();
}

fn spawn(fixture: &TestStore, first: u64, count: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed_process::child", "--ignored", "--nocapture"])
        .env(DIR, fixture.data())
        .env(FIRST, first.to_string())
        .env(COUNT, count.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// The numbers that a child process reported as written.
fn written_numbers(child: &mut Child) -> impl Iterator<Item = u64> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines
        .map_while(Result::ok)
        .filter_map(|line| line.rsplit_once("wrote ")?.1.parse().ok())
}

async fn check(fixture: &TestStore, expected: &BTreeSet<u64>) {
    let store = fixture.store().await;
    store.import().await.unwrap();
    let there: BTreeSet<String> = ids(&store, &TraceFilter::default(), 1000).await.into_iter().collect();
    let lost: Vec<_> = expected.iter().filter(|n| !there.contains(&id(**n))).collect();
    assert!(lost.is_empty(), "lost {lost:?}");
    let stats = store
        .metrics(&MetricsFilter::since(Timestamp::UNIX_EPOCH))
        .await
        .unwrap()
        .hooks;
    assert_eq!(
        stats[0].runs as usize,
        there.len(),
        "metrics are of the same transaction"
    );
    let spooled: Vec<_> = std::fs::read_dir(fixture.file("spool"))
        .unwrap()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    assert!(
        spooled
            .iter()
            .all(|path| path.extension().is_some_and(|it| it == "new")),
        "{spooled:?}"
    );
}

#[tokio::test]
async fn a_kill_in_the_middle_loses_nothing_that_was_acknowledged() {
    let fixture = TestStore::new();
    let mut expected = BTreeSet::new();
    for (round, stop) in [(0, 40_usize), (1, 400), (2, 1100)] {
        let mut child = spawn(&fixture, round * 1_000_000 + 1, 1_000_000);
        expected.extend(written_numbers(&mut child).take(stop));
        child.kill().unwrap();
        child.wait().unwrap();
        check(&fixture, &expected).await;
    }
    assert_eq!(expected.len(), 1540);
}

#[tokio::test]
async fn two_processes_that_write_and_import_at_once_lose_and_double_nothing() {
    let fixture = TestStore::new();
    let mut children = [spawn(&fixture, 1, 600), spawn(&fixture, 1001, 600)];
    for child in &mut children {
        assert_eq!(written_numbers(child).count(), 600);
    }
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    let expected: BTreeSet<u64> = (1..=600).chain(1001..=1600).collect();
    check(&fixture, &expected).await;
    let store = fixture.store().await;
    assert_eq!(store.counts().await.unwrap().traces, 1200);
}
