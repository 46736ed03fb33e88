//! Calls of one side: answers, time limits, cancels, and the end of the connection.

use std::time::Duration;

use super::*;
use crate::{CallError, DroppedAnswers, SendError};

#[tokio::test]
async fn both_sides_call_each_other_at_the_same_time() {
    let (one, other) = pair();
    let calls = (0..200).map(|n| {
        let from = if n % 2 == 0 { &one } else { &other };
        async move {
            let params = format!("[{n},\"你\"]");
            assert_eq!(from.call("echo", &params).await, Ok(params));
        }
    });
    futures::future::join_all(calls).await;
    assert_eq!((one.recorder.seen().len(), other.recorder.seen().len()), (100, 100));
}

#[tokio::test]
async fn a_request_is_answered_with_what_its_caller_was_asked_meanwhile() {
    let (one, other) = pair();
    assert_eq!(one.call("back", "[7]").await, Ok("\"[7]\"".to_owned()));
    assert_eq!(
        (one.recorder.seen(), other.recorder.seen()),
        (vec!["echo".to_owned()], vec!["back".to_owned()])
    );
}

#[tokio::test]
async fn an_error_is_an_answer_too() {
    let (one, _other) = pair();
    assert_eq!(one.call("fail", "1").await, Err("on request".to_owned()));
}

#[tokio::test]
async fn many_calls_in_flight_get_their_own_answers_in_any_order() {
    let (side, mut bytes) = beside_bytes_within(Limits { calls: 500, ..LIMITS });
    let answering = async {
        let mut ids = Vec::new();
        for _ in 0..500 {
            let call = line(&mut bytes).await;
            let words: Vec<&str> = call.split(' ').collect();
            ids.push((words[1].to_owned(), words[3].to_owned()));
        }
        for (id, params) in ids.iter().rev() {
            send(&mut bytes, &format!("answer {id} {params}\n")).await;
        }
        ids
    };
    let calls = futures::future::join_all((0..500).map(|n| {
        let side = &side;
        async move { assert_eq!(side.call("x", &n.to_string()).await, Ok(n.to_string())) }
    }));
    let (ids, _) = tokio::join!(answering, calls);
    assert_eq!((ids[0].0.as_str(), ids[499].0.as_str()), ("1", "500"));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_not_answered_in_time_is_cancelled_and_its_late_answer_counted() {
    let (side, mut bytes) = beside_bytes();
    let limit = Duration::from_secs(5);
    let begin = tokio::time::Instant::now();
    let late = side.peer.call("x", &raw("1"), Some(limit)).await;
    assert_eq!((late, begin.elapsed()), (Err(CallError::TimedOut(limit)), limit));
    assert_eq!(
        (line(&mut bytes).await, line(&mut bytes).await),
        ("call 1 x 1".to_owned(), "drop 1".to_owned())
    );
    send(&mut bytes, "answer 1 late\nanswer 99 whose\nanswer 0 none\n").await;
    settle().await;
    assert_eq!(side.peer.dropped_answers(), DroppedAnswers { late: 1, unknown: 2 });
    let (second, ()) = tokio::join!(side.call("x", "2"), async {
        assert_eq!(line(&mut bytes).await, "call 2 x 2");
        send(&mut bytes, "answer 2 fine\n").await;
    });
    assert_eq!(second, Ok("fine".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_stops_the_request_at_the_other_side() {
    let (one, other) = pair();
    {
        let params = raw("1");
        let mut call = Box::pin(one.peer.call("hold", &params, None));
        tokio::select! {
            _ = &mut call => panic!("answered"),
            () = settle() => {}
        }
    }
    settle().await;
    assert_eq!(other.recorder.seen(), ["hold", "cancelled"]);
    assert_eq!(one.call("echo", "2").await, Ok("2".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_never_written_is_removed_without_a_cancel() {
    let peer = Peer::new(WordCodec, LIMITS);
    let mut first = peer.begin(7, "x", &raw("1")).await.unwrap();
    let _second = peer.begin(8, "x", &raw("2")).await.unwrap();
    assert_eq!(first.take_line().as_ref(), b"call 1 x 1");
    assert_eq!(first.cancel(), Some(7));
    let (one, other) = tokio::io::duplex(64);
    let writing = tokio::spawn({
        let peer = peer.clone();
        async move { peer.write_to(one).await }
    });
    assert_eq!(line(&mut BufReader::new(other)).await, "call 2 x 2");
    peer.close(Ended::Here);
    writing.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waits_for_room_can_be_dropped() {
    let peer = Peer::new(WordCodec, Limits { calls: 99, ..LIMITS });
    let mut calls = Vec::new();
    for n in 0..LIMITS.queue_lines {
        calls.push(peer.begin(0, "x", &raw(&n.to_string())).await.unwrap());
    }
    let limit = Some(Duration::from_secs(1));
    assert!(matches!(
        peer.call("x", &raw("9"), limit).await,
        Err(CallError::TimedOut(_))
    ));
    assert_eq!(peer.for_each_call(|_| {}), LIMITS.queue_lines);
    assert_eq!(
        peer.try_send("more".into(), 9).unwrap_err(),
        SendError::Full { waiting: 0 }
    );
    drop(calls);
    // Neither a call nor a cancel is left, and all room is given back.
    drop(peer.try_send("x".repeat(LIMITS.queue_bytes - 1).into(), 9).unwrap());
}

#[tokio::test(start_paused = true)]
async fn a_call_waits_while_too_many_others_wait_for_their_answers() {
    let (side, mut bytes) = beside_bytes();
    let limit = Some(Duration::from_secs(1));
    let params = raw("1");
    let mut held = Vec::new();
    for _ in 0..LIMITS.calls {
        held.push(side.peer.begin(0, "x", &params).await.unwrap());
    }
    assert!(matches!(
        side.peer.call("x", &params, limit).await,
        Err(CallError::TimedOut(_))
    ));
    drop(held.pop());
    let (answer, ()) = tokio::join!(side.peer.call("y", &params, limit), async {
        while !line(&mut bytes).await.starts_with("call 5 y") {}
        send(&mut bytes, "answer 5 fine\n").await;
    });
    assert_eq!(answer, Ok(Ok("fine".to_owned())));
}

#[tokio::test]
async fn what_is_stored_for_a_call_comes_back_with_its_end() {
    let peer = Peer::new(WordCodec, LIMITS);
    peer.skip_id();
    let mut call = peer.begin(1, "x", &raw("1")).await.unwrap();
    assert_eq!(call.take_line().as_ref(), b"call 2 x 1");
    assert_eq!(peer.for_each_call(|stored| *stored += 10), 1);
    assert!(peer.deliver(2, || Ok("yes".to_owned())));
    assert_eq!(call.end().await, Ok((11, Ok(Ok("yes".to_owned())))));
    assert_eq!(call.cancel(), None);
}

#[tokio::test(start_paused = true)]
async fn a_disconnect_ends_every_call_with_its_reason() {
    for (bytes, reason) in [
        ("", Ended::There),
        ("x", Ended::There),
        (&*"x".repeat(1001), Ended::LineTooLong),
    ] {
        let (side, mut stream) = beside_bytes();
        let (one, other) = (raw("1"), raw("2"));
        let calls = async { tokio::join!(side.peer.call("x", &one, None), side.peer.call("x", &other, None)) };
        let (calls, ()) = tokio::join!(calls, async {
            assert_eq!(line(&mut stream).await, "call 1 x 1");
            stream.write_all(bytes.as_bytes()).await.unwrap();
            // Closes only this direction.
            stream.shutdown().await.unwrap();
        });
        assert_eq!(calls, (Err(CallError::Ended(reason)), Err(CallError::Ended(reason))));
        assert_eq!(side.peer.call("x", &one, None).await, Err(CallError::Ended(reason)));
        assert_eq!(side.peer.notify("x", &one).await, Err(reason));
        assert_eq!(side.peer.ended(), Some(reason));
    }
}

#[tokio::test]
async fn a_side_that_cannot_be_written_to_ends_the_calls() {
    let (side, stream) = beside_bytes();
    drop(stream);
    assert_eq!(
        side.peer.call("x", &raw("1"), None).await,
        Err(CallError::Ended(Ended::There))
    );
    assert_eq!(side.ended().await, Ended::There);
}

#[tokio::test]
async fn closing_ends_calls_at_once_on_both_sides() {
    let (one, other) = pair();
    let params = raw("1");
    let (call, ()) = tokio::join!(one.peer.call("hold", &params, None), async {
        while other.recorder.seen().is_empty() {
            tokio::task::yield_now().await;
        }
        one.peer.close(Ended::Here);
        one.peer.closed().await;
    });
    assert_eq!(call, Err(CallError::Ended(Ended::Here)));
    assert_eq!(one.ended().await, Ended::Here);
    // The other side still runs the request that nobody waits for.
    other.recorder.gate.add_permits(1);
    assert_eq!(other.ended().await, Ended::There);
}
