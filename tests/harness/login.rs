//! A site with a login that uses every place where a browser keeps things.

use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

use super::env::TestEnv;
use super::site::{Answer, Plan, Site, SiteRequest};
use super::wait::{SOON, wait_for, wait_until};

/// Writes to the three kinds of storage, and reports in the title when it is done.
const LOG_IN: &str = r#"<!doctype html><title>logging in</title>
<script>
  localStorage.setItem('user', 'jane');
  sessionStorage.setItem('draft', 'hello');
  const request = indexedDB.open('app', 3);
  request.onupgradeneeded = () => {
    const users = request.result.createObjectStore('users', {keyPath: 'id', autoIncrement: true});
    users.createIndex('by-name', 'name', {unique: true});
  };
  request.onsuccess = () => {
    const write = request.result.transaction('users', 'readwrite', {durability: 'strict'});
    write.objectStore('users').add({name: 'jane', since: new Date(86400000), tags: new Set(['a', 'b'])});
    write.oncomplete = () => {
      request.result.close();
      const done = () => document.title = 'logged in';
      document.readyState === 'complete' ? done() : addEventListener('load', done);
    };
  };
</script>
<iframe src="EMBED"></iframe>"#;

/// Reads it all back.
const WHO: &str = r#"async () => {
  const shown = await (await fetch('/me', {cache: 'no-store'})).json();
  const stored = await new Promise((resolve) => {
    const request = indexedDB.open('app');
    request.onupgradeneeded = () => request.transaction.abort();
    request.onerror = () => resolve(null);
    request.onsuccess = () => {
      const db = request.result;
      const users = db.transaction('users').objectStore('users');
      const all = users.getAll();
      all.onsuccess = () => {
        const indices = [...users.indexNames];
        const version = db.version;
        db.close();
        resolve({version, indices, users: all.result.map(user => ({
          id: user.id, name: user.name, since: user.since.getTime(), tags: [...user.tags]}))});
      };
    };
  });
  return {cookies: shown.cookies, local: localStorage.getItem('user'), indexed: stored};
}"#;

/// The site.
pub(crate) struct LoginSite {
    pub(crate) site: Site,
}

impl LoginSite {
    pub(crate) fn serve() -> Self {
        let site = Plan::default()
            .on("/login", log_in)
            .on("/embed", |asked| {
                let seen = asked.cookies();
                Answer::html(format!(
                    "<!doctype html><title>embed</title><p id=seen>{seen}</p>"
                ))
                .header(
                    "set-cookie",
                    "embedded=1; Path=/; Max-Age=86400; Secure; SameSite=None; Partitioned",
                )
            })
            .on("/me", |asked| {
                Answer::json(&json!({"cookies": names(&asked.cookies())}))
            })
            .on("/leave", |_| {
                let all = "\"storage\", \"cookies\"";
                Answer::html("").header("clear-site-data", all)
            })
            .page("/home", "<!doctype html><title>home</title><h1>home</h1>")
            .on("/frame", |asked| {
                Answer::html(format!(
                    "<!doctype html><title>frame</title><iframe src='http://{}/embed?{}'></iframe>",
                    other(asked),
                    asked.query
                ))
            })
            .serve();
        Self { site }
    }

    /// Logs in, in the session's current tab.
    #[track_caller]
    pub(crate) fn log_in(&self, env: &TestEnv, profile: &str) {
        env.navigate(profile, &self.site.url("/login"));
        wait_until("logged in", SOON, || {
            env.eval(profile, "document.title") == "logged in"
        });
        assert_eq!(self.who(env, profile), self.jane());
    }

    /// Goes to the site and returns what it and its pages know about the visitor.
    #[track_caller]
    pub(crate) fn who(&self, env: &TestEnv, profile: &str) -> Value {
        env.navigate(profile, &self.site.url("/home"));
        let mut who = env.eval(profile, WHO);
        who["embedded"] = self.embedded(env, profile);
        who
    }

    /// What a logged-in visitor looks like.
    pub(crate) fn jane(&self) -> Value {
        json!({
            "cookies": ["keep", "own-part", "sid"],
            "local": "jane",
            "indexed": {"version": 3, "indices": ["by-name"], "users": [
                {"id": 1, "name": "jane", "since": 86_400_000, "tags": ["a", "b"]},
            ]},
            "embedded": ["embedded"],
        })
    }

    /// A visitor that the site does not know.
    pub(crate) fn stranger(&self) -> Value {
        json!({"cookies": [], "local": null, "indexed": null, "embedded": []})
    }

    /// Cookies that the other site's frame sees when embedded in this one.
    #[track_caller]
    fn embedded(&self, env: &TestEnv, profile: &str) -> Value {
        // Several profiles may visit the site at once.
        static VISITS: AtomicU32 = AtomicU32::new(0);
        let visit = format!("visit={}", VISITS.fetch_add(1, Ordering::Relaxed));
        env.navigate(profile, &self.site.url(&format!("/frame?{visit}")));
        let is_visit = |asked: &SiteRequest| asked.path == "/embed" && asked.query == visit;
        let visit = wait_for("the frame is loaded", SOON, || {
            self.site.asked().into_iter().find(is_visit)
        });
        json!(names(&visit.cookies()))
    }
}

fn log_in(asked: &SiteRequest) -> Answer {
    let embed = format!("http://{}/embed", other(asked));
    Answer::html(LOG_IN.replace("EMBED", &embed))
        .header(
            "set-cookie",
            "sid=memory-only; Path=/; HttpOnly; SameSite=Lax",
        )
        .header("set-cookie", "keep=persistent; Path=/; Max-Age=86400")
        .header(
            "set-cookie",
            "own-part=1; Path=/; Secure; SameSite=None; Partitioned",
        )
}

/// The same server as another site.
fn other(asked: &SiteRequest) -> String {
    asked.header("host").replace("127.0.0.1", "localhost")
}

fn names(cookies: &str) -> Vec<String> {
    let mut names: Vec<String> = cookies
        .split("; ")
        .filter_map(|cookie| Some(cookie.split_once('=')?.0.to_owned()))
        .collect();
    names.sort();
    names
}
