//! Substitutes for what a test cannot have. A test fails on an entry that nothing needs.

/// What a document says, what replaces it here, and why. Words in capitals are placeholders and match
/// whole words only. The reader fills in `{…}`.
pub(super) const INSTEAD: &[(&str, &str, &str)] = &[
    (
        "https://example.com --username",
        "{site}/login --username",
        "the first page of the site has no form to sign in",
    ),
    ("https://shop.example", "{site}", "the same site"),
    (
        "https://example.com",
        "{site}",
        "a site on this machine instead of the internet",
    ),
    (
        "--from chrome --domain example.org",
        "--from chrome --domain localhost --yes",
        "nobody can be asked; the domain is the site's",
    ),
    (
        "--from chrome --domain DOMAIN",
        "--from chrome --domain localhost --yes",
        "the same with a placeholder",
    ),
    ("example.com", "localhost", "the site's host"),
    (
        "target/release/szk",
        "{szk}",
        "the program that is tested, instead of a release build",
    ),
    (
        "npm install -D @playwright/test",
        "ln -sfn {packages} node_modules",
        "the packages that the suite has installed",
    ),
    (
        "work.clone-1a2b3c",
        "{clone}",
        "the name that the clone really has",
    ),
    (
        "tabs focus t2",
        "tabs focus {tab}",
        "the tab as it is numbered",
    ),
    (
        "tabs close t2",
        "tabs close {tab}",
        "the tab as it is numbered",
    ),
    (
        "tabs label t2",
        "tabs label {tab}",
        "the tab as it is numbered",
    ),
    ("click e12", "click {ref}", "a ref of the page as it is"),
    ("click e3", "click {ref}", "a ref of the page as it is"),
    (
        "--raw-port 9222",
        "--raw-port {port}",
        "a port that is free",
    ),
    ("URL", "{site}", "placeholder"),
    ("PROFILE", "work", "placeholder"),
    ("NAME", "shop", "placeholder"),
    ("CMD…", "true", "placeholder"),
    ("COMMAND", "true", "placeholder"),
    ("DIR", "man1", "placeholder"),
];

/// Commands that are not run here, and why.
pub(super) const ELSEWHERE: &[(&str, &str)] = &[
    (
        "scripts/start",
        "builds the release binary, and waits for Ctrl-C",
    ),
    (
        "szk act up",
        "follows a `down` in the same page; `tests/browser/act/pointer.rs` does both",
    ),
    (
        "szk do \"find the cheapest offer\" -s work",
        "needs a model; `tests/agent/tasks.rs` has one",
    ),
    (
        "scripts/eval",
        "needs a model; `tests/agent/eval.rs` runs what it runs",
    ),
    (
        "szk do \"order a coffee\" -s work --save coffee",
        "needs a model; `tests/agent/recipes.rs` has one",
    ),
    (
        "szk do \"order a coffee\" -s work --recipe coffee --param who=Ann",
        "needs the recipe; `tests/agent/recipes.rs` makes one",
    ),
    (
        "szk do 'find the cheapest offer' -s work",
        "needs a model; `tests/agent/tasks.rs` has one",
    ),
    (
        "szk do 'read my open orders' -s work --schema orders.json --json",
        "needs a model; `tests/agent/tasks.rs` has one",
    ),
    (
        "szk do 'sign in' -s work --origins https://shop.example --secret shop",
        "needs a model; `tests/agent/tasks.rs` has one",
    ),
    (
        "szk runs show 20260101-120000-a1b2c3 -s work",
        "needs a run; `tests/agent/tasks.rs` makes one",
    ),
    (
        "szk runs resume 20260101-120000-a1b2c3 -s work",
        "needs a run; `tests/agent/resume.rs` makes one",
    ),
    (
        "szk runs resume 20260101-120000-a1b2c3 -s work --max-steps 100",
        "needs a run; `tests/agent/resume.rs` makes one",
    ),
    ("scripts/test", "is this suite"),
    ("scripts/test fast", "is a part of this suite"),
    (
        "scripts/bench",
        "builds the release binary, and measures for minutes",
    ),
    (
        "scripts/eval",
        "wants a model, and takes minutes; `tests/agent` has tasks and a model",
    ),
    (
        "scripts/load",
        "builds the release binary, and puts load on it for minutes",
    ),
    (
        "scripts/damage",
        "takes two hours; `tests/damage` has its short form",
    ),
    (
        "scripts/soak",
        "takes ten minutes; `tests/sharing/soak.rs` is its short form",
    ),
    (
        "scripts/together",
        "takes minutes; `tests/sharing/together.rs` is its short form",
    ),
    (
        "szk logs --follow",
        "runs until the session closes; `tests/sharing/together.rs` runs it",
    ),
    (
        "scripts/playwright-tests FOLDER",
        "wants Playwright's repository, and takes an hour",
    ),
    (
        "scripts/detect",
        "takes minutes; `tests/stealth/detectors` makes the same comparison",
    ),
    (
        "scripts/first-scripts",
        "takes an hour; `tests/stealth/first_script.rs` makes the same loads, fewer of them",
    ),
    (
        "scripts/book",
        "may install mdBook; `tests/docs/book.rs` tests the book's parts",
    ),
    (
        "szk open work --window",
        "needs a display; `tests/stealth/identity` opens windows",
    ),
    (
        "szk endpoint work --disconnect 2",
        "needs two programs that are connected; `tests/cli/endpoint.rs` sends one away",
    ),
    (
        "szk doctor --stealth",
        "takes a minute; `tests/cli/doctor.rs` runs it",
    ),
    (
        "szk doctor --stealth --report stealth.html",
        "takes a minute; `tests/cli/doctor.rs` runs it",
    ),
    (
        "node tests/node/matrix/run.mjs playwright HTTP WS",
        "takes minutes; `tests/sharing/matrix.rs` runs it",
    ),
    (
        "szk state import work ~/.local/share/szk/sessions/work/state.prev.json",
        "the store of a test is in another place; `tests/session/state.rs` imports states",
    ),
    (
        "pkill -KILL -f /work/profile",
        "would kill the browsers of other tests; `tests/keeper/lasting.rs` kills its own",
    ),
    (
        "szk recipe run search-orders --param order=1001",
        "needs a recipe of something that was done; `tests/recipes` saves and replays some",
    ),
    (
        "szk recipe show search-orders -s work",
        "needs a recipe of something that was done; `tests/recipes` saves and replays some",
    ),
    (
        "szk recipe save search-orders --about 'Finds an order' -s work",
        "needs a recipe of something that was done; `tests/recipes` saves and replays some",
    ),
    (
        "szk recipe run search-orders --param order=1001 -s work",
        "needs a recipe of something that was done; `tests/recipes` saves and replays some",
    ),
    (
        "szk recipe run search-orders --ref e12 -s work",
        "needs a recipe of something that was done; `tests/recipes` saves and replays some",
    ),
    (
        "szk recipe check search-orders -s work",
        "needs a recipe of something that was done; `tests/recipes` saves and replays some",
    ),
    (
        "szk recipe export search-orders --format python -s work",
        "needs a recipe of something that was done; `tests/recipes` saves and replays some",
    ),
    (
        "szk recipe delete search-orders -s work",
        "needs a recipe of something that was done; `tests/recipes` saves and replays some",
    ),
    (
        "szk recipe record start search-orders -s work",
        "needs something to be done meanwhile; `tests/recipes/record.rs` records",
    ),
    (
        "szk recipe record stop -s work",
        "needs something to be done meanwhile; `tests/recipes/record.rs` records",
    ),
    (
        "szk recipe record start search-orders --about 'Finds an order' -s work",
        "needs something to be done meanwhile; `tests/recipes/record.rs` records",
    ),
    (
        "szk recipe record stop search-orders -s work",
        "needs something to be done meanwhile; `tests/recipes/record.rs` records",
    ),
    (
        "szk recipe record cancel -s work",
        "needs something to be done meanwhile; `tests/recipes/record.rs` records",
    ),
    (
        "szk recipe edit search-orders -s work",
        "opens an editor; `tests/recipes/edit.rs` has some",
    ),
    ("szk serve", "serves until Ctrl-C; `tests/serve` uses it"),
    (
        "szk serve --listen 0.0.0.0:443 --tls-cert chain.pem --tls-key key.pem",
        "needs a certificate, and serves until Ctrl-C; `tests/serve/tls.rs` has one",
    ),
    (
        "szk serve --drain",
        "needs a server that runs; `tests/serve/drain.rs` has one",
    ),
    (
        "szk serve --listen :0 --json",
        "serves until Ctrl-C; `tests/serve` uses it",
    ),
    (
        "szk batch 'fill e3 Jane' 'click --name Send' 'wait --text Thanks'",
        "needs a page with these; `tests/browser/batch.rs` takes such lines",
    ),
    (
        "szk batch 'click \"Add to cart\"' 'wait --text Added' 'click text=Checkout'",
        "needs a page with these; `tests/browser/batch.rs` takes such lines",
    ),
    (
        "szk batch 'click #more --until \"The end\" --repeat 10' snapshot",
        "needs a page with these; `tests/browser/batch.rs` takes such lines",
    ),
    ("ssh -L PORT:127.0.0.1:PORT HOST", "needs another machine"),
];

/// Preconditions of a command, which its text states or its reader knows: how the command starts, and
/// shell lines to run before it.
pub(super) const BEFORE: &[(&str, &str)] = &[
    // "The profile must be closed", and the file must not exist yet.
    (
        "szk profile export",
        "szk close work || true; rm -f work.tar.zst",
    ),
    ("szk profile import", "szk delete work2 || true"),
    // Other options than it was opened with.
    ("szk open work --raw-port", "szk close work || true"),
    ("szk close work.clone-1a2b3c", "szk delete shop || true"),
    (
        "szk delete old-shop",
        "szk open old-shop --detach; szk close old-shop",
    ),
    (
        "szk secret rm",
        "echo made-up | szk secret set shop --in file",
    ),
    ("szk handoff work --done", "szk handoff work --no-wait"),
    ("szk runs list", "szk open work --detach"),
    ("szk navigate --back", "szk navigate {site}/more -s work"),
    (
        "szk logs --request 12",
        "for n in 1 2 3 4 5 6 7 8 9 10 11 12; do szk navigate {site} -s work; done",
    ),
    (
        "szk run work -- npx playwright test",
        "szk init; ln -sfn {packages} node_modules",
    ),
    // What earlier lines had the reader do: set secrets, set up a project.
    (
        "szk login",
        "for name in shop shop-user; do echo made-up | szk secret set $name --in file; done",
    ),
    (
        "szk fill-form --secret",
        "echo made-up | szk secret set card --in file",
    ),
    (
        "szk token create",
        "for name in ci shop; do szk token revoke $name || true; done",
    ),
    (
        "szk token revoke",
        "for name in ci shop; do szk token create $name || true; done",
    ),
    ("szk test", "szk init"),
    ("szk run-test", "szk init"),
    (
        "szk completions fish",
        "mkdir -p ~/.config/fish/completions",
    ),
];

/// Where `part` is in `text`; a placeholder matches whole words only.
pub(super) fn holds(text: &str, part: &str) -> Option<usize> {
    let is_placeholder = part.chars().all(|c| c.is_uppercase() || c == '…');
    text.match_indices(part).map(|(at, _)| at).find(|at| {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-');
        let (before, after) = (&text[..*at], &text[at + part.len()..]);
        !is_placeholder || !(before.ends_with(is_word) || after.starts_with(is_word))
    })
}

/// A command with everything replaced.
pub(super) fn replaced(text: &str) -> String {
    let mut text = text.to_owned();
    for (part, instead, _) in INSTEAD {
        let mut rest = std::mem::take(&mut text);
        while let Some(at) = holds(&rest, part) {
            text.push_str(&rest[..at]);
            text.push_str(instead);
            rest = rest[at + part.len()..].to_owned();
        }
        text.push_str(&rest);
    }
    text
}

#[test]
fn replacing_leaves_the_rest() {
    let check = |text: &str, expected: &str| assert_eq!(replaced(text), expected);
    check("szk navigate URL -s work", "szk navigate {site} -s work");
    check(
        "curl $SZK_URL \"$(szk endpoint --url)\"",
        "curl $SZK_URL \"$(szk endpoint --url)\"",
    );
    check("a example.com *.example.com", "a localhost *.localhost");
    check("szk man DIR DIRS", "szk man man1 DIRS");
}
