//! Runs on a scripted browser: who takes up which one, and what they may fill in.

use std::sync::Arc;

use serde_json::{Value, json};
use szk_cdp::testing::Answer;
use szk_tools::recipe::RunInput;
use szk_tools::{Call, Code, Failure, Response};
use szk_wire::approvals::Approver;
use szk_wire::{Client, Found};

use super::Values;
use super::files::Files;
use super::resume::{Paused, owner};
use super::secrets::AllowedSecrets;
use crate::context::Keeper;
use crate::handle;
use crate::testing::{Scripted, browser};

const LOG_IN: &str = r#"
[recipe]
name = "log-in"
site = "http://a"

[params]
password = { type = "secret", default = "shop" }

[[step]]
do = "fill"
on = { role = "textbox", name = "Password" }
value = "{{password}}"
"#;

const CHECKOUT: &str = r#"
[recipe]
name = "checkout"
site = "http://a"

[[step]]
do = "use"
value = "log-in"
"#;

const GO: &str = r#"
[recipe]
name = "go"
site = "http://a"

[[step]]
do = "navigate"
value = "/"
"#;

/// Its step asks for the tab itself.
const CLICK: &str = r#"
[recipe]
name = "click"
site = "http://a"

[[step]]
do = "click"
on = { role = "button", name = "Go" }
"#;

/// The operation of its step asks for the tab: the step has begun by then.
const KEY: &str = r#"
[recipe]
name = "key"
site = "http://a"

[[step]]
do = "press"
value = "Enter"
"#;

async fn scripted() -> Scripted {
    let script = browser(json!({})).answer_with(|call| {
        let goes = call.method == "Page.navigate";
        goes.then(Answer::silence)
    });
    let scripted = Scripted::on(script).await;
    let folder = scripted.keeper.session.profile().recipes_dir();
    std::fs::create_dir_all(&folder).unwrap();
    for (name, text) in [
        ("log-in", LOG_IN),
        ("checkout", CHECKOUT),
        ("go", GO),
        ("click", CLICK),
        ("key", KEY),
    ] {
        std::fs::write(folder.join(format!("{name}.toml")), text).unwrap();
    }
    scripted
}

fn client(scripted: &Scripted, name: &str) -> Arc<Keeper> {
    scripted
        .keeper
        .for_client(Client::named(name), Approver::Nobody)
}

async fn run(keeper: &Arc<Keeper>, input: Value) -> Result<Response, Failure> {
    let call = Call::decode("recipe_run", input).unwrap();
    handle::call(keeper, call, Found::Open, &|_| {}).await
}

/// A run of a client stopped at its first step.
fn stop(keeper: &Keeper, recipe: &str) {
    let (_, recipe) = Files::of(keeper, None).load(recipe).unwrap();
    let owner = owner(keeper, &recipe.head.name);
    let secrets = recipe
        .params
        .keys()
        .map(|name| (name.clone(), "shop".to_owned()));
    let paused = Paused {
        file: recipe.clone(),
        secrets: secrets.collect(),
        recipe,
        values: Values::new(),
        tab: "t1".to_owned(),
        next: 0,
        at: vec![0],
        steps: Vec::new(),
        records: Vec::new(),
        healed: Default::default(),
        rows_done: Default::default(),
        unmet: false,
    };
    keeper.recipes.paused().keep(owner, paused);
}

fn has_stopped(keeper: &Keeper, recipe: &str) -> bool {
    let owner = owner(keeper, recipe);
    keeper.recipes.paused().find(&owner).is_some()
}

#[tokio::test(start_paused = true)]
async fn a_recipe_within_another_fills_in_no_other_secret() {
    let scripted = scripted().await;
    let keeper = client(&scripted, "a");
    let go = async |input: Value| run(&keeper, input).await.unwrap_err();
    let denied = |failure: &Failure| {
        let said = &failure.message;
        failure.code == Code::PolicyDenied && said.contains("`log-in`") && !said.contains("shop")
    };
    for recipe in ["log-in", "checkout"] {
        for limit in [
            json!({"only_secrets": []}),
            json!({"only_secrets": ["bank"]}),
            json!({"no_secrets": true}),
            json!({"no_secrets": true, "only_secrets": ["shop"]}),
        ] {
            let mut input = limit.clone();
            input["name"] = recipe.into();
            let failure = go(input).await;
            assert!(denied(&failure), "{recipe} {limit}: {failure}");
        }
        // With it, the run goes on to the secret, which is not there.
        let failure = go(json!({"name": recipe, "only_secrets": ["shop"]})).await;
        assert!(!denied(&failure), "{failure}");
        assert!(failure.message.contains("shop"), "{failure}");
    }
}

#[tokio::test(start_paused = true)]
async fn who_may_not_fill_in_secrets_takes_up_no_run_that_does() {
    let scripted = scripted().await;
    let keeper = client(&scripted, "a");
    stop(&keeper, "log-in");
    for limit in ["no_secrets", "only_secrets"] {
        let mut input = json!({"name": "log-in", "resume": true, "no_secrets": true});
        if limit == "only_secrets" {
            input = json!({"name": "log-in", "resume": true, "only_secrets": []});
        }
        let failure = run(&keeper, input).await.unwrap_err();
        assert_eq!(failure.code, Code::PolicyDenied, "{failure}");
        assert!(has_stopped(&keeper, "log-in"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_cannot_be_taken_up_yet_stays() {
    let scripted = scripted().await;
    let keeper = client(&scripted, "a");
    scripted.opens_dialog("confirm");
    scripted.open_dialog().await;
    for recipe in ["click", "key"] {
        stop(&keeper, recipe);
        for more in [json!({"resume": true}), json!({"ref": "e1"})] {
            let mut input = more;
            input["name"] = recipe.into();
            let failure = run(&keeper, input).await.unwrap_err();
            assert_eq!(failure.code, Code::SessionBusy, "{recipe}: {failure}");
            assert!(has_stopped(&keeper, recipe), "{recipe}: {failure}");
        }
        // One that is wrong is no run, and ends none.
        let wrong = json!({"name": recipe, "params": {"x": "1"}});
        assert!(run(&keeper, wrong).await.is_err() && has_stopped(&keeper, recipe));
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_is_its_clients_and_taken_up_once() {
    let scripted = scripted().await;
    let (a, b) = (client(&scripted, "a"), client(&scripted, "b"));
    let resume = || json!({"name": "go", "resume": true});
    stop(&a, "go");
    let failure = run(&b, resume()).await.unwrap_err();
    assert_eq!(failure.code, Code::NotFound, "{failure}");
    assert!(has_stopped(&a, "go"));
    stop(&b, "go");
    assert!(
        has_stopped(&a, "go"),
        "another client's run does not replace it"
    );

    // Once a step has begun, nobody does it again; the page has no answer to this one.
    {
        let mut first = Box::pin(run(&a, resume()));
        tokio::select! {
            ran = &mut first => panic!("{ran:?}"),
            call = scripted.peer.call("Page.navigate", 1) => drop(call.unwrap()),
        }
        let failure = run(&a, resume()).await.unwrap_err();
        assert_eq!(failure.code, Code::NotFound, "{failure}");
    }
    assert!(
        !has_stopped(&a, "go"),
        "what its caller left may have been done"
    );
    assert!(has_stopped(&b, "go"));
}

#[test]
fn the_names_of_secrets_are_compared() {
    let input = |only: Option<&[&str]>, none: Option<bool>| RunInput {
        only_secrets: only.map(|names| names.iter().map(|name| (*name).to_owned()).collect()),
        no_secrets: none,
        ..RunInput::default()
    };
    let recipe = szk_recipes::parse(LOG_IN, "log-in.toml").unwrap();
    let secrets = Values::from([("password".to_owned(), "shop".to_owned())]);
    let check = |input: RunInput| AllowedSecrets::of(&input).check(&recipe, &secrets).is_ok();
    assert!(check(input(None, None)) && check(input(Some(&["bank", "shop"]), None)));
    assert!(!check(input(Some(&["shops"]), None)) && !check(input(Some(&["shop"]), Some(true))));
}
