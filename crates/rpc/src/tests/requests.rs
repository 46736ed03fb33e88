//! Requests of the other side: their order, their answers, their cancels, and garbage.

use tokio::sync::oneshot;

use super::*;
use crate::{BadLine, ErrorObject, JsonRpc};

#[tokio::test]
async fn requests_begin_in_their_order_and_are_answered_as_they_finish() {
    let (side, mut bytes) = beside_bytes();
    send(
        &mut bytes,
        "call 1 hold 1\ntell echo 2\ncall 3 inline 3\ncall 4 echo 4\n",
    )
    .await;
    assert_eq!(
        (line(&mut bytes).await, line(&mut bytes).await),
        ("answer 3 1".to_owned(), "answer 4 4".to_owned())
    );
    side.recorder.gate.add_permits(1);
    assert_eq!(line(&mut bytes).await, "answer 1 1");
    assert_eq!(side.recorder.seen(), ["hold", "echo", "inline", "echo"]);
}

#[tokio::test]
async fn other_lines_are_answered_and_the_connection_stays_open() {
    let (side, mut bytes) = beside_bytes();
    send(&mut bytes, "hello\n\n  \r\n\t\n").await;
    bytes.write_all(b"\xff\n").await.unwrap();
    send(&mut bytes, "call 1 echo 1\n").await;
    assert_eq!(line(&mut bytes).await, "what? hello");
    assert_eq!(line(&mut bytes).await, "what? \u{fffd}");
    assert_eq!(line(&mut bytes).await, "answer 1 1");
    assert_eq!(side.peer.ended(), None);
}

#[tokio::test(start_paused = true)]
async fn a_character_that_two_reads_split_is_joined() {
    let (_side, mut bytes) = beside_bytes();
    for byte in "call 1 echo \"你\"\r\n".bytes() {
        bytes.write_all(&[byte]).await.unwrap();
        settle().await;
    }
    assert_eq!(line(&mut bytes).await, "answer 1 \"你\"");
}

#[tokio::test(start_paused = true)]
async fn a_cancel_reaches_the_request_of_its_id_and_no_other() {
    let (side, mut bytes) = beside_bytes();
    send(
        &mut bytes,
        "call \"a\" hold 1\ncall 2 hold 2\ndrop 7\ndrop \"a\"\ndrop \"a\"\n",
    )
    .await;
    settle().await;
    assert_eq!(side.recorder.seen(), ["hold", "hold", "cancelled"]);
    // The id can be used again, and a request that has finished is forgotten.
    send(&mut bytes, "call \"a\" echo 3\n").await;
    assert_eq!(line(&mut bytes).await, "answer \"a\" 3");
    send(&mut bytes, "drop \"a\"\n").await;
    side.recorder.gate.add_permits(1);
    assert_eq!(line(&mut bytes).await, "answer 2 2");
    assert_eq!(side.recorder.seen().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn of_two_requests_with_one_id_the_later_one_is_cancelled() {
    let (side, mut bytes) = beside_bytes();
    send(&mut bytes, "call 1 hold 1\ncall 1 hold 2\n").await;
    settle().await;
    side.recorder.gate.add_permits(1);
    assert_eq!(line(&mut bytes).await, "answer 1 1");
    send(&mut bytes, "drop 1\n").await;
    settle().await;
    assert_eq!(side.recorder.seen(), ["hold", "hold", "cancelled"]);
}

#[tokio::test]
async fn an_answer_over_the_limit_can_be_replaced() {
    let (one, _other) = pair();
    // The text with its two quotes and `answer 1 `.
    assert_eq!(one.call("long", "1").await, Err("1011 bytes of 1000".to_owned()));
}

#[tokio::test]
async fn requests_are_answered_after_the_other_side_said_its_last() {
    let (side, mut bytes) = beside_bytes();
    send(&mut bytes, "call 1 hold 1\ncall 2 echo 2").await;
    bytes.shutdown().await.unwrap();
    assert_eq!(line(&mut bytes).await, "answer 2 2");
    side.recorder.gate.add_permits(1);
    assert_eq!(line(&mut bytes).await, "answer 1 1");
    assert_eq!(bytes.read(&mut [0]).await.unwrap(), 0);
    assert_eq!(side.ended().await, Ended::There);
}

#[tokio::test]
async fn a_stop_reads_nothing_more_and_answers_what_runs() {
    let (stop, stopped) = oneshot::channel::<()>();
    let (one, other) = tokio::io::duplex(64);
    let side = Side::start_until(one, LIMITS, async { drop(stopped.await) });
    let mut bytes = BufReader::new(other);
    send(&mut bytes, "call 1 inline 1\ncall 2 hold 2\n").await;
    assert_eq!(line(&mut bytes).await, "answer 1 1");
    while side.recorder.seen().len() < 2 {
        tokio::task::yield_now().await;
    }
    drop(stop);
    side.recorder.gate.add_permits(1);
    assert_eq!(line(&mut bytes).await, "answer 2 2");
    assert_eq!(side.ended().await, Ended::Here);
    assert!(bytes.write_all(b"call 3 echo 3\n").await.is_err());
}

#[tokio::test]
async fn what_had_arrived_at_a_stop_is_still_begun_and_half_a_line_is_not() {
    let (stop, stopped) = oneshot::channel::<()>();
    let (one, other) = tokio::io::duplex(1 << 10);
    let mut bytes = BufReader::new(other);
    drop(stop);
    send(&mut bytes, "call 1 echo 1\ncall 2 echo 2\ncall 3 ec").await;
    let side = Side::start_until(one, LIMITS, async { drop(stopped.await) });
    let mut answers = [line(&mut bytes).await, line(&mut bytes).await];
    answers.sort();
    assert_eq!(answers, ["answer 1 1", "answer 2 2"]);
    assert_eq!(bytes.read(&mut [0]).await.unwrap(), 0);
    assert_eq!(side.ended().await, Ended::Here);
}

#[tokio::test]
async fn a_side_that_never_pauses_is_stopped_too() {
    let (one, other) = tokio::io::duplex(1 << 10);
    let side = Side::start_until(one, LIMITS, std::future::ready(()));
    let (_answers, mut requests) = tokio::io::split(other);
    let sending = async {
        // Lines that are not answered, so that nothing has to be read.
        while requests.write_all(b"\n").await.is_ok() {}
    };
    let (ended, ()) = tokio::join!(side.ended(), sending);
    assert_eq!(ended, Ended::Here);
}

/// Answers `ping`, and says of any other line what is wrong with it.
struct Pong;

impl Service<JsonRpc> for Pong {
    async fn begin(&self, request: Request, responder: Responder<JsonRpc>) {
        drop(responder.answer(Ok(&(request.method, request.params))).await);
    }

    fn other(&self, line: BadLine) -> Option<Vec<u8>> {
        let error = ErrorObject {
            code: line.reason.code(),
            message: line.reason.to_string(),
            data: None,
        };
        Some(JsonRpc::error(line.id.as_deref(), &error))
    }

    fn line_refused(&self, _: LineRefusal) -> Option<Vec<u8>> {
        None
    }
}

#[tokio::test]
async fn two_json_rpc_peers_understand_each_other_and_survive_garbage() {
    let (one, other) = tokio::io::duplex(64);
    let peers = [one, other].map(|stream| {
        let peer = Peer::new(JsonRpc, LIMITS);
        let (reader, writer) = tokio::io::split(stream);
        tokio::spawn({
            let peer = peer.clone();
            async move { peer.run(reader, writer, &Pong, std::future::pending()).await }
        });
        peer
    });
    for peer in &peers {
        peer.send("{".into()).await;
        peer.send(vec![0xff]).await;
        peer.notify("tell", &raw("{}")).await.unwrap();
        let answer = peer.call("ping", &raw(r#"{"a": 1.0}"#), None).await.unwrap();
        assert_eq!(answer.unwrap().get(), r#"["ping",{"a": 1.0}]"#);
    }
    // Each error came back as an answer to no call, and was not answered again.
    assert_eq!(peers.map(|peer| peer.dropped_answers().unknown), [2, 2]);
}
