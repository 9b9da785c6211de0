//! `workflow_*`: local sites with logins, forms, and lists of pages.

mod approval;
mod approval_steps;
mod bound;
mod crawl;
mod crawl_pace;
mod elicitation;
mod fill_form;
mod health;
mod login;
mod people;
mod places;
mod recipe;
mod scrape;
mod secrecy;
mod site;

use serde_json::{Value, json};

use crate::harness::{Mcp, Site, TestEnv};
use site::{PASSWORD, USER};

/// A session that has the secret `shop`, and a site with many kinds of logins.
struct Bench {
    mcp: Mcp,
    site: Site,
    env: TestEnv,
}

impl Bench {
    fn open() -> Self {
        Self::at(site::serve())
    }

    fn at(site: Site) -> Self {
        let env = TestEnv::new();
        env.szk(["secret", "set", "shop"]).input(PASSWORD).ok();
        env.szk(["secret", "set", "wrong"])
            .input("not-this-one")
            .ok();
        let mut mcp = env.mcp();
        mcp.open_session("work");
        Self { mcp, site, env }
    }

    /// Signs in through one of them, with valid credentials.
    #[track_caller]
    fn login(&mut self, path: &str, rest: Value) -> Value {
        let mut input = json!({"url": self.site.url(path), "username": USER, "secret": "shop"});
        for (name, value) in rest.as_object().expect("an object") {
            input[name] = value.clone();
            if value.is_null() {
                input.as_object_mut().unwrap().remove(name);
            }
        }
        self.mcp.ok("workflow_login", input)
    }

    /// The same in the terminal; returns its output and exit code.
    #[track_caller]
    fn login_by_hand(&self, path: &str, more: &[&str]) -> (Value, i32) {
        let url = self.site.url(path);
        let mut args = vec!["login", &url, "-s", "work", "-u", USER, "--json"];
        args.extend(more);
        if !more.contains(&"--secret") {
            args.extend(["--secret", "shop"]);
        }
        let ended = self.env.szk(args).run();
        let said = serde_json::from_str(&ended.stdout)
            .unwrap_or_else(|error| panic!("{error}: {ended:#?}"));
        (said, ended.code.expect("it ends by itself"))
    }

    /// What the site shows a signed-in visitor.
    #[track_caller]
    fn heading(&mut self) -> Value {
        self.mcp
            .eval("work", "document.querySelector('h1').textContent")
    }

    /// Signs out, so that the next login starts over.
    #[track_caller]
    fn leave(&mut self) {
        let url = self.site.url("/leave");
        self.mcp.ok("browser_navigate", json!({"url": url}));
    }
}
