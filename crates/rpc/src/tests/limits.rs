//! What a connection may use: lines, requests that run, and lines that wait.

use super::*;

#[tokio::test]
async fn a_line_of_exactly_the_limit_is_read_and_a_longer_one_ends_the_connection() {
    let (side, mut bytes) = beside_bytes();
    let exact = "y".repeat(LIMITS.line_bytes);
    send(&mut bytes, &format!("{exact}\r\n")).await;
    assert_eq!(line(&mut bytes).await, format!("what? {exact}"));
    send(&mut bytes, &format!("{exact}y\n")).await;
    assert_eq!(line(&mut bytes).await, "too long");
    assert_eq!(side.ended().await, Ended::LineTooLong);
}

#[tokio::test(start_paused = true)]
async fn at_most_so_many_requests_run_and_the_next_line_waits_for_one_to_finish() {
    let (side, mut bytes) = beside_bytes();
    let gate = side.recorder.gate.clone();
    let asking = async {
        for id in 1..=20 {
            send(&mut bytes, &format!("call {id} hold {id}\n")).await;
        }
        let mut answers = Vec::new();
        for _ in 1..=20 {
            answers.push(line(&mut bytes).await);
        }
        answers
    };
    let (answers, ()) = tokio::join!(asking, async {
        settle().await;
        for finished in 0..20 {
            assert_eq!(side.recorder.seen().len(), (LIMITS.concurrent + finished).min(20));
            gate.add_permits(1);
            settle().await;
        }
    });
    assert_eq!((answers.len(), answers[19].as_str()), (20, "answer 20 20"));
}

#[tokio::test(start_paused = true)]
async fn a_side_that_never_reads_stops_being_served_and_costs_no_more_memory() {
    let (side, mut bytes) = beside_bytes();
    let flood = async {
        for id in 0_u64.. {
            send(&mut bytes, &format!("call {id} echo \"{}\"\n", "x".repeat(400))).await;
        }
    };
    // It is blocked in a write for good.
    assert!(tokio::time::timeout(Duration::from_secs(60), flood).await.is_err());
    let begun = side.recorder.seen().len();
    // Those that wait in the queue, those that wait for room in it, and the one that is being written.
    assert!(
        (LIMITS.concurrent..=LIMITS.queue_lines + LIMITS.concurrent + 2).contains(&begun),
        "{begun}"
    );
    assert!(side.peer.unread_bytes() > 0, "answers wait for room");
    drop(bytes);
    assert_eq!(side.ended().await, Ended::There);
}

#[tokio::test(start_paused = true)]
async fn a_side_that_never_reads_slows_down_notifications_and_garbage_but_no_answer() {
    let (side, mut bytes) = beside_bytes();
    let notes = async {
        for n in 0_u64.. {
            side.peer.notify("note", &raw(&format!("{n}"))).await.unwrap();
        }
    };
    assert!(tokio::time::timeout(Duration::from_secs(60), notes).await.is_err());
    // The queue is full, and an answer is still read.
    let params = raw("1");
    let mut call = Box::pin(side.peer.begin(0, "x", &params));
    tokio::select! {
        _ = &mut call => panic!("there was room"),
        () = settle() => {}
    }
    send(&mut bytes, "answer 1 early\n").await;
    settle().await;
    assert_eq!(side.peer.for_each_call(|_| {}), 0);
}

#[tokio::test]
async fn sides_that_flood_each_other_do_not_block_each_other() {
    let (one, other) = pair();
    let flood = |from: Peer<WordCodec>| async move {
        for n in 0..300 {
            from.notify("echo", &raw(&n.to_string())).await.unwrap();
        }
        from.call("echo", &raw("1"), None).await.unwrap().unwrap()
    };
    let (left, right) = tokio::join!(flood(one.peer.clone()), flood(other.peer.clone()));
    assert_eq!((left.as_str(), right.as_str()), ("1", "1"));
    assert_eq!((one.recorder.seen().len(), other.recorder.seen().len()), (301, 301));
}

#[tokio::test(start_paused = true)]
async fn the_owner_of_a_peer_learns_when_its_line_was_written() {
    let peer = Peer::new(WordCodec, LIMITS);
    let written = peer.try_send("first\nsecond".into(), 9).unwrap();
    let never = peer.try_send("third".into(), 9).unwrap();
    let (one, other) = tokio::io::duplex(14);
    let writing = tokio::spawn({
        let peer = peer.clone();
        async move { peer.write_to(one).await }
    });
    written.await.unwrap();
    let mut other = BufReader::new(other);
    assert_eq!(
        (line(&mut other).await, line(&mut other).await),
        ("first".to_owned(), "second".to_owned())
    );
    drop(other);
    writing.await.unwrap();
    assert_eq!(peer.ended(), None);
    peer.close(Ended::There);
    assert_eq!(
        peer.try_send("fourth".into(), 9).unwrap_err(),
        crate::SendError::Ended(Ended::There)
    );
    drop(never);
}
