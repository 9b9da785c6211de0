use serde_json::json;

use super::*;

fn who(token: &str, client: Option<&str>) -> Key {
    (token.to_owned(), client.map(str::to_owned), Vec::new())
}

fn response(text: &str) -> Response {
    Response {
        summary: text.to_owned(),
        data: json!({}),
        ..Response::default()
    }
}

/// The ticket of a request that nobody has made; none for a repetition.
#[track_caller]
fn first(answered: &Arc<Answered>, who: &Key, key: &str) -> Option<Ticket> {
    match answered.turn(who, key, [0; 32]).unwrap() {
        Turn::First(ticket, _) => Some(ticket),
        Turn::Repeated(_) => None,
    }
}

async fn again(answered: &Arc<Answered>, who: &Key, key: &str) -> Outcome {
    match answered.turn(who, key, [0; 32]) {
        Ok(Turn::Repeated(waiting)) => waiting.outcome().await,
        Ok(Turn::First(..)) => panic!("`{key}` runs again"),
        Err(error) => Err(error.failure),
    }
}

#[track_caller]
fn refused(answered: &Arc<Answered>, who: &Key, key: &str, request: Digest) -> ErrorReply {
    match answered.turn(who, key, request) {
        Err(error) => error,
        Ok(_) => panic!("`{key}` is taken"),
    }
}

#[tokio::test]
async fn a_key_is_one_request_of_one_client() {
    let answered = Arc::new(Answered::default());
    let ada = who("t", Some("ada"));
    let ticket = first(&answered, &ada, "k").unwrap();
    assert!(first(&answered, &ada, "k").is_none());
    // The same key of somebody else is another request, also of the same token.
    for other in [who("t", Some("bob")), who("t", None), who("u", Some("ada"))] {
        assert!(first(&answered, &other, "k").is_some());
    }
    let other = refused(&answered, &ada, "k", [1; 32]);
    assert_eq!(other.body()["error"]["status"], 422);
    for wrong in [String::new(), "x".repeat(LONGEST_KEY + 1)] {
        let refused = refused(&answered, &ada, &wrong, [0; 32]);
        assert_eq!(refused.failure.code, Code::InvalidInput);
    }
    ticket.end(Ok(response("done")));
    assert_eq!(again(&answered, &ada, "k").await.unwrap().summary, "done");
}

#[tokio::test(start_paused = true)]
async fn time_counts_from_the_end() {
    let answered = Arc::new(Answered::default());
    let who = who("t", None);
    let ticket = first(&answered, &who, "k").unwrap();
    tokio::time::advance(KEPT * 6).await;
    assert!(first(&answered, &who, "k").is_none(), "it still runs");
    ticket.end(Ok(response("done")));
    tokio::time::advance(KEPT - Duration::from_secs(1)).await;
    assert!(again(&answered, &who, "k").await.is_ok());
    tokio::time::advance(Duration::from_secs(1)).await;
    assert!(first(&answered, &who, "k").is_some());
}

#[tokio::test]
async fn what_runs_is_never_forgotten_and_cannot_be_too_much() {
    let answered = Arc::new(Answered::default());
    let who = who("t", None);
    let tickets: Vec<Ticket> = (0..MOST_RUNNING)
        .map(|key| first(&answered, &who, &key.to_string()).unwrap())
        .collect();
    let refused = refused(&answered, &who, "more", [0; 32]);
    assert_eq!(refused.failure.code, Code::LimitReached);
    assert!(refused.failure.retryable && refused.failure.hint.is_some());
    // Another token has room, however much it asks for.
    let other = self::who("u", None);
    for key in 0..=MOST {
        let ticket = first(&answered, &other, &key.to_string()).unwrap();
        ticket.end(Ok(response("")));
    }
    assert!(first(&answered, &other, "0").is_some(), "the oldest one");
    assert!(first(&answered, &who, "0").is_none());
    drop(tickets);
}

#[tokio::test]
async fn a_failure_that_did_nothing_may_be_tried_again() {
    let answered = Arc::new(Answered::default());
    let who = who("t", None);
    let failure = |effect| Err(Failure::new(Code::Timeout, "x").effect(effect));
    let ticket = first(&answered, &who, "k").unwrap();
    ticket.end(failure(Done::None));
    let ticket = first(&answered, &who, "k").unwrap();
    ticket.end(failure(Done::Unknown));
    let again = again(&answered, &who, "k").await.unwrap_err();
    assert_eq!(again.code, Code::Timeout);
}

#[tokio::test]
async fn a_call_that_panics_has_an_outcome() {
    let answered = Arc::new(Answered::default());
    let who = who("t", None);
    let ticket = first(&answered, &who, "k").unwrap();
    let Turn::Repeated(waiting) = answered.turn(&who, "k", [0; 32]).unwrap() else {
        panic!("it runs twice");
    };
    drop(ticket);
    let failure = waiting.outcome().await.unwrap_err();
    assert_eq!(
        (failure.code, failure.effect),
        (Code::Internal, Done::Unknown)
    );
    assert!(first(&answered, &who, "k").is_none());
}

#[tokio::test]
async fn a_long_answer_is_dropped_but_its_request_does_not_run_again() {
    let answered = Arc::new(Answered::default());
    let who = who("t", None);
    let long = "x".repeat(MOST_BYTES / 2);
    for key in ["a", "b", "c"] {
        let ticket = first(&answered, &who, key).unwrap();
        ticket.end(Ok(response(&long)));
    }
    for key in ["a", "b"] {
        let failure = again(&answered, &who, key).await.unwrap_err();
        assert_eq!(
            (failure.code, failure.effect),
            (Code::LimitReached, Done::Done)
        );
    }
    assert!(again(&answered, &who, "c").await.is_ok());
}
