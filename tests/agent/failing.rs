//! Models that fail in the middle of a task, say too little, or begin where they may not be.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::{Provider, call, last, read};
use crate::harness::{Site, TestEnv};
use crate::serve::{Server, token};

const PAGE: &str = "<title>Press</title><button onclick=\"localStorage.n = Number(localStorage.n ?? 0) + 1; \
  out.textContent = 'pressed ' + localStorage.n\">Press</button><p id=out></p>";

fn presses() -> Value {
    call("browser_act", &json!({"kind": "click", "name": "Press"}))
}

fn done(text: &str) -> Value {
    call("done", &json!({"success": true, "text": text}))
}

#[test]
fn a_task_that_fails_after_it_acted_is_not_repeated_but_goes_on() {
    let site = Site::of(PAGE);
    let works = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&works);
    let provider = Provider::planning("NONE", json!({"status": 400}), move |_, body| {
        match (
            read(body).contains("pressed"),
            asked.load(Ordering::Relaxed),
        ) {
            (false, _) => presses(),
            (true, true) => done("the answer is 4711"),
            (true, false) => json!({"status": 429}),
        }
    });
    let env = provider.env();
    env.open("work");
    env.navigate("work", &site.url("/"));
    let pressed = || env.eval("work", "localStorage.n");

    // The key is kept, so the same request presses nothing again.
    let server = Server::start(&env);
    let able = token(&env, "able", &["--scope", "read,write,agent"]);
    let bearer = format!("Bearer {able}");
    let headers = [
        ("Authorization", &*bearer),
        ("Content-Type", "application/json"),
        ("Idempotency-Key", "press"),
    ];
    // A client of the server has a tab of its own.
    let there = json!({"url": site.url("/")}).to_string();
    let navigate = "/v1/sessions/work/navigate";
    server.ask("POST", navigate, &headers[..2], &there).ok();
    let path = "/v1/sessions/work/tasks";
    let body = json!({"task": "press"}).to_string();
    let first = server.ask("POST", path, &headers, &body);
    let failure = first.fails(429, "LIMIT_REACHED");
    assert_eq!(
        (&failure["effect"], &failure["retryable"]),
        (&json!("done"), &json!(false)),
        "{failure}"
    );
    let run = failure["run"].as_str().unwrap().to_owned();
    let resume = format!("`szk runs resume {run} -s work`");
    assert!(
        failure["hint"].as_str().unwrap().contains(&resume),
        "{failure}"
    );
    let again = server.ask("POST", path, &headers, &body);
    assert_eq!(again.fails(429, "LIMIT_REACHED"), failure);
    assert_eq!(pressed(), "1");
    drop(server);

    // The last line of the events is what there is to say, also of a failure.
    let resumes = |args: &[&str]| {
        let all = ["runs", "resume", &run, "-s", "work"];
        env.szk(all.iter().chain(args).copied()).run()
    };
    env.navigate("work", &site.url("/"));
    let followed = env
        .szk(["do", "press", "-s", "work", "--events", "--no-recipe"])
        .run();
    assert_eq!(followed.code, Some(4), "{followed:#?}");
    let end: Value = serde_json::from_str(followed.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(end["error"]["effect"], "done", "{end}");
    assert!(end["error"]["run"].is_string(), "{end}");
    assert!(end.get("event").is_none(), "{end}");
    assert!(followed.stderr.contains("szk runs resume"), "{followed:#?}");

    // What the model said is not lost when nobody can judge it, and the run goes on where it was.
    works.store(true, Ordering::Relaxed);
    let unjudged = resumes(&["--events"]);
    assert_eq!(unjudged.code, Some(6), "{unjudged:#?}");
    let end: Value = serde_json::from_str(unjudged.stdout.lines().last().unwrap()).unwrap();
    let message = end["error"]["message"].as_str().unwrap();
    assert!(message.contains("the answer is 4711"), "{message}");
    assert!(unjudged.stderr.contains(&resume), "{unjudged:#?}");
    assert_eq!(pressed(), "2");

    // What cannot be carried out is refused before the model hears of it.
    let before = provider.asked().len();
    env.szk(["do", " ", "-s", "work"]).fails("INVALID_INPUT");
    let secret = ["do", "sign in", "-s", "work", "--secret", "nosuch"];
    let failure = env.szk(secret).fails("NOT_FOUND");
    assert!(failure.to_string().contains("nosuch"), "{failure}");
    assert_eq!(provider.asked().len(), before);
}

#[test]
fn a_model_hears_what_was_wrong_and_silence_is_a_circle() {
    let site = Site::of(PAGE);
    let provider = Provider::new(true, |step, body| match step {
        0 => call("done", &json!({"success": "true", "text": "x"})),
        1 => {
            assert!(
                last(body).contains("`done` needs `success`"),
                "{}",
                last(body)
            );
            call("run_code", &json!({}))
        }
        2 => {
            assert!(
                last(body).contains("`run_code` needs `code`"),
                "{}",
                last(body)
            );
            done("heard")
        }
        _ => json!({"content": "I think."}),
    });
    let env = provider.env();
    env.open("work");
    env.navigate("work", &site.url("/"));
    let heard = env.szk(["do", "look", "-s", "work"]).ok();
    assert!(heard.stdout.contains("heard"), "{heard:#?}");

    let silent = env.szk(["do", "think", "-s", "work", "--json"]).run();
    assert_eq!(silent.code, Some(1), "{silent:#?}");
    let said: Value = serde_json::from_str(&silent.stdout).unwrap();
    assert_eq!(said["steps"], 4, "{said}");
    assert!(
        said["text"].to_string().contains("called no tool"),
        "{said}"
    );
    let told = |body: &Value| read(body).contains("said this several times");
    assert!(provider.asked().iter().any(told));

    let short = ["do", "think", "-s", "work", "--max-steps", "1"];
    let short = env.szk(short).run();
    assert!(
        short.stderr.contains("not done after 1 step, "),
        "{short:#?}"
    );
    assert!(short.stdout.contains("its only step"), "{short:#?}");
}

#[test]
fn szk_does_not_go_back_from_where_the_person_was() {
    let inside = Site::of(PAGE);
    let outside = Site::of("<title>Mine</title><p>Private</p>");
    let url = inside.url("/?in");
    let provider = Provider::new(true, move |step, body| match step {
        0 => call("browser_snapshot", &json!({})),
        1 => {
            let told = last(body);
            assert!(told.contains("outside of the origins"), "{told}");
            assert!(!read(body).contains("went back"), "{}", read(body));
            presses()
        }
        2 => {
            assert!(
                last(body).contains("outside of the origins"),
                "{}",
                last(body)
            );
            call("browser_navigate", &json!({"url": url}))
        }
        _ => {
            assert!(last(body).contains("button \"Press\""), "{}", last(body));
            done("there")
        }
    });
    let env = provider.env();
    env.open("work");
    env.navigate("work", &inside.url("/"));
    env.navigate("work", &outside.url("/"));
    let before = env.eval("work", "String(history.length)");
    let origin = inside.origin();
    let args = ["do", "go there", "-s", "work", "--origins", &origin];
    env.szk(args).ok();
    // The task has only added to the history.
    let after = env.eval("work", "String(history.length)");
    let count = |length: &Value| length.as_str().unwrap().parse::<u32>().unwrap();
    assert_eq!(count(&after), count(&before) + 1);
    assert_eq!(env.eval("work", "document.title"), "Press");
    assert_eq!(env.eval("work", "localStorage.n ?? 'none'"), "none");
}

#[test]
fn a_task_that_no_model_can_do_opens_nothing() {
    let env = TestEnv::new();
    env.open("work");
    env.close("work");
    let failure = env.szk(["do", "x", "-s", "work"]).fails("INVALID_INPUT");
    assert_eq!(failure["effect"], "none", "{failure}");
    let server = Server::start(&env);
    let able = token(&env, "able", &["--scope", "read,write,agent"]);
    let path = "/v1/sessions/work/tasks";
    let asked = server.call(&able, "POST", path, &json!({"task": "x"}));
    assert_eq!(asked.fails(400, "INVALID_INPUT")["effect"], "none");
    drop(server);
    env.no_chromium_is_left();
}
