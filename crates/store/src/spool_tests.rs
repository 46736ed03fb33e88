//! The writing end of the spool, tested with real files.

use super::*;
use crate::data_folder::quarantined_spools;
use crate::samples;
use crate::spool_reader::SpoolContents;

fn trace(n: u64, event: &str) -> CompactTrace {
    samples::compact(&samples::trace(n, event))
}

fn open(data_dir: &Path) -> Spool {
    Spool::open(data_dir, Catalog::default()).unwrap()
}

fn read_all(data_dir: &Path) -> io::Result<SpoolContents> {
    crate::spool_reader::read_all(data_dir, &Catalog::default())
}

#[test]
fn a_full_file_is_followed_by_another() {
    let dir = tempfile::tempdir().unwrap();
    let spool = Spool {
        segment_bytes: 1,
        ..open(dir.path())
    };
    spool.append(&trace(1, "a")).unwrap();
    spool.append(&trace(2, "b")).unwrap();
    assert_eq!(std::fs::read_dir(dir.path().join("spool")).unwrap().count(), 2);
    let events: Vec<String> = read_all(dir.path())
        .unwrap()
        .traces
        .into_iter()
        .map(|trace| trace.event)
        .collect();
    assert_eq!(events, ["a", "b"]);
}

#[test]
fn full_files_stay_until_they_are_on_the_disk_itself_and_imported() {
    let dir = tempfile::tempdir().unwrap();
    let spool = Spool {
        segment_bytes: 1,
        ..open(dir.path())
    };
    for n in 1..4 {
        spool.append(&trace(n, "a")).unwrap();
    }
    assert_eq!(spool.lock_segments().full.len(), 2);
    spool.mark_imported(&spool.position());
    assert_eq!(spool.lock_segments().full.len(), 2, "not on the disk itself");
    spool.sync().unwrap();
    assert!(
        spool
            .lock_segments()
            .current
            .iter()
            .all(|segment| segment.synced_len == segment.len)
    );
    let mark = spool.position();
    spool.append(&trace(4, "a")).unwrap();
    spool.mark_imported(&mark);
    assert_eq!(
        spool.lock_segments().full.len(),
        1,
        "the one that was full later is not imported"
    );
}

#[test]
fn the_number_of_unsynced_segments_is_limited() {
    let dir = tempfile::tempdir().unwrap();
    let spool = Spool {
        segment_bytes: 1,
        ..open(dir.path())
    };
    for n in 0..MAX_UNSYNCED_SEGMENTS as u64 + 5 {
        spool.append(&trace(n + 1, "a")).unwrap();
    }
    assert_eq!(spool.lock_segments().full.len(), MAX_UNSYNCED_SEGMENTS);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_counted_and_returned() {
    let dir = tempfile::tempdir().unwrap();
    let spool = open(dir.path());
    let mut segment = OpenSegment::create(&dir.path().join("spool"), Ulid::nil()).unwrap();
    let full = std::fs::OpenOptions::new().append(true).open("/dev/full").unwrap();
    // Its earlier lines must stay.
    (segment.file, segment.len) = (Arc::new(full), 1);
    spool.lock_segments().current = Some(segment);
    let error = spool.append(&trace(1, "a")).unwrap_err();
    assert!(matches!(error, AppendError::NoSpace(NoSpace::Disk)), "{error}");
    assert_eq!(spool.losses(), DiskFullLosses { bodies: 0, traces: 1 });
    assert_eq!(read_dir(dir.path()), ["00000000000000000000000000.jsonl"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_leaves_no_empty_file() {
    let dir = tempfile::tempdir().unwrap();
    let spool = open(dir.path());
    let mut segment = OpenSegment::create(&dir.path().join("spool"), Ulid::nil()).unwrap();
    segment.file = Arc::new(std::fs::OpenOptions::new().append(true).open("/dev/full").unwrap());
    spool.lock_segments().current = Some(segment);
    // The disk has room for what is written instead.
    let appended = spool.append(&trace(1, "a")).unwrap();
    assert_eq!(appended.result, AppendResult::WithoutBody(NoSpace::Disk));
    assert_eq!(read_dir(dir.path()), [&*appended.line.segment]);
}

/// The names of the spool files.
fn read_dir(data_dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(data_dir.join("spool")).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[test]
fn a_spool_that_is_not_imported_takes_no_bodies_and_then_nothing_and_keeps_what_it_has() {
    let dir = tempfile::tempdir().unwrap();
    let line = encode_line(&trace(1, "a")).unwrap().len() as u64;
    let spool = Spool {
        limits: (line * 2, line * 3),
        ..open(dir.path())
    };
    let mut results = Vec::new();
    for n in 1..=5 {
        results.push(spool.append(&trace(n, "a")).map(|it| it.result));
    }
    assert!(matches!(results[1], Ok(AppendResult::Whole)));
    assert!(matches!(results[2], Ok(AppendResult::WithoutBody(NoSpace::Spool(bytes))) if bytes >= line * 2));
    assert!(matches!(results[4], Err(AppendError::NoSpace(NoSpace::Spool(bytes))) if bytes >= line * 3));
    let losses = spool.losses();
    let there = read_all(dir.path()).unwrap().traces.len() as u64;
    assert_eq!((there, losses.traces), (2 + losses.bodies, 3 - losses.bodies));
    // As if another process had imported the spool into the database.
    spool.release().unwrap();
    std::fs::remove_dir_all(dir.path().join("spool")).unwrap();
    assert_eq!(spool.append(&trace(6, "a")).unwrap().result, AppendResult::Whole);
}

#[test]
fn the_first_event_of_a_process_finds_what_others_left_in_the_spool() {
    let dir = tempfile::tempdir().unwrap();
    let spool = || Spool {
        limits: (1000, 2000),
        ..open(dir.path())
    };
    let first = spool();
    std::fs::write(dir.path().join("spool/left.jsonl"), [b' '; 1500]).unwrap();
    assert!(matches!(
        first.append(&trace(1, "a")).map(|it| it.result),
        Ok(AppendResult::WithoutBody(NoSpace::Spool(1500)))
    ));
    std::fs::write(dir.path().join("spool/left.jsonl"), [b' '; 2500]).unwrap();
    assert!(matches!(spool().append(&trace(2, "a")), Err(AppendError::NoSpace(_))));
}

#[test]
fn a_folder_that_is_removed_or_replaced_loses_nothing_that_was_acknowledged() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("spool");
    let spool = Spool {
        segment_bytes: 1,
        ..open(dir.path())
    };
    let there = || -> Vec<String> {
        let traces = read_all(dir.path()).unwrap().traces;
        let mut events: Vec<String> = traces.into_iter().map(|trace| trace.event).collect();
        events.sort();
        events
    };
    spool.append(&trace(1, "a")).unwrap();
    spool.append(&trace(2, "b")).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    spool.append(&trace(3, "c")).unwrap();
    assert_eq!(there(), ["a", "b", "c"], "before the next reply");
    std::fs::rename(&folder, dir.path().join("moved")).unwrap();
    std::fs::create_dir(&folder).unwrap();
    spool.sync().unwrap();
    assert_eq!(there(), ["a", "b", "c"], "without another event");
    assert_eq!(spool.last_restore().unwrap().traces, 5);
}

#[test]
#[cfg(unix)]
fn what_replaces_the_spool_folder_is_moved_away_and_no_acknowledged_trace_is_lost() {
    use std::os::unix::fs::symlink;
    type Put = fn(&Path);
    let replacements: [Put; 3] = [
        |place| std::fs::write(place, "a file").unwrap(),
        |place| symlink("nowhere", place).unwrap(),
        |place| symlink("/dev/null", place).unwrap(),
    ];
    for put in replacements {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("spool");
        let replace = || {
            std::fs::remove_dir_all(&folder).unwrap();
            put(&folder);
        };
        let there = || read_all(dir.path()).unwrap().traces.len();
        let spool = open(dir.path());
        spool.append(&trace(1, "a")).unwrap();
        replace();
        spool.restore().unwrap();
        assert_eq!(there(), 1, "without another event");
        replace();
        assert_eq!(spool.append(&trace(2, "b")).unwrap().result, AppendResult::Whole);
        assert_eq!(there(), 2, "before the next reply");
        let quarantined = quarantined_spools(dir.path());
        assert!(quarantined.len() == 2 && quarantined.iter().all(|(_, path)| path.symlink_metadata().is_ok()));
    }
}

#[test]
fn lines_that_cannot_be_rewritten_are_reported_and_retained() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let spool = open(&data);
    spool.append(&trace(1, "a")).unwrap();
    std::fs::remove_dir_all(&data).unwrap();
    std::fs::write(&data, "no folder").unwrap();
    assert!(spool.append(&trace(2, "b")).is_err());
    assert!(spool.release().is_err());
    std::fs::remove_file(&data).unwrap();
    spool.release().unwrap();
    assert_eq!(read_all(&data).unwrap().traces.len(), 1);
}
