//! Every file of a profile, damaged in every way: opening works and reports it, or says what to do; it
//! never hangs, and never loses what another file still has.

mod damages;
mod lists;

use std::collections::VecDeque;
use std::fs;
use std::iter;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::thread;

use serde_json::{Value, json};

use damages::{DAMAGES, Damage};
use lists::{FILES, File};

use crate::harness::{LoginSite, PATIENTLY, SOON, TestEnv, wait_until};

/// How many profiles are tried side by side.
const LANES: usize = 2;

/// What has befallen a profile before it is opened.
type Blows = Vec<(File, Damage)>;

/// The suite runs a third of them: every file, and every kind of damage. `scripts/damage files` runs
/// all, each in a profile of its own.
#[test]
fn each_file_in_each_way() {
    let login = LoginSite::serve();
    let template = template(&login);
    let asked = std::env::var("SZK_DAMAGE_FILES").ok();
    let profiles: VecDeque<Blows> = match &asked {
        None => paired(sample()).into(),
        Some(asked) => {
            let is_asked = |(file, damage): &(File, Damage)| {
                format!("{file:?} {damage:?}").contains(asked.as_str())
            };
            let asked = all().into_iter().filter(is_asked);
            asked.map(|cell| vec![cell]).collect()
        }
    };
    let count = profiles.len();
    assert!(count > 0, "no file is `{asked:?}`");
    let rest = Mutex::new(profiles);
    let done = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(|| {
                let next = || rest.lock().expect("nobody panics with it").pop_front();
                while let Some(blows) = next() {
                    let told = tried(&blows, &template, &login);
                    eprintln!("{blows:?}: {}", told.as_deref().unwrap_or("well"));
                    done.lock()
                        .expect("nobody panics with it")
                        .push((blows, told));
                }
            });
        }
    });
    let done = done.into_inner().expect("nobody panics with it");
    assert_eq!(done.len(), count, "every file has a verdict");
    let failed: Vec<String> = done
        .iter()
        .filter_map(|(blows, told)| Some(format!("{blows:?}: {}", told.as_ref()?)))
        .collect();
    assert!(
        failed.is_empty(),
        "{} of {count}:\n{}",
        failed.len(),
        failed.join("\n")
    );
}

/// Every file with every damage that applies to it.
fn all() -> Vec<(File, Damage)> {
    let cells = FILES
        .iter()
        .flat_map(|file| DAMAGES.iter().map(|damage| (*file, *damage)));
    cells.filter(|(file, damage)| damage.fits(*file)).collect()
}

/// Every third, starting at a different one for each file.
fn sample() -> Vec<(File, Damage)> {
    let place = |file: File, damage: Damage| {
        let file = FILES.iter().position(|other| *other == file);
        let damage = DAMAGES.iter().position(|other| *other == damage);
        file.zip(damage).map_or(0, |(file, damage)| file + damage)
    };
    let mut cells = all();
    cells.retain(|(file, damage)| place(*file, *damage).is_multiple_of(3));
    cells
}

/// As few profiles as show for each file what came of its damage: a file of Chromium's storage is told by what
/// the site finds, one of szk's that holds nothing of it by the warnings. Two of the same kind are apart.
fn paired(cells: Vec<(File, Damage)>) -> Vec<Blows> {
    let (stores, rest): (Vec<_>, Vec<_>) =
        cells.into_iter().partition(|cell| cell.0.is_chromiums());
    let (others, own): (Vec<_>, Vec<_>) = rest
        .into_iter()
        .partition(|cell| cell.0.is_beside_the_data());
    let mut others = others.into_iter();
    let with_another = |store| iter::once(store).chain(others.next()).collect();
    let mut profiles: Vec<Blows> = stores.into_iter().map(with_another).collect();
    profiles.extend(others.chain(own).map(|cell| vec![cell]));
    profiles
}

#[test]
fn the_sample_has_every_file_and_every_way() {
    let sample: Blows = paired(sample()).concat();
    assert_eq!(sample.len(), self::sample().len());
    for (file, damage) in all() {
        assert!(sample.iter().any(|cell| cell.0 == file), "{file:?}");
        assert!(sample.iter().any(|cell| cell.1 == damage), "{damage:?}");
    }
}

/// A closed profile that was logged in, with every file that a profile can have.
fn template(login: &LoginSite) -> TestEnv {
    let env = TestEnv::new();
    env.open("work");
    login.log_in(&env, "work");
    env.close("work");
    // Write the state again, so there is an older one.
    env.open("work");
    env.navigate("work", "about:blank");
    env.close("work");
    let logins = json!({"version": 1, "logins": [{"site": "127.0.0.1", "since": "2026-01-01T00:00:00Z",
        "cookies": [{"name": "sid", "domain": "127.0.0.1"}]}]});
    fs::write(env.in_profile("work", "logins.json"), logins.to_string()).unwrap();
    for file in FILES.iter().filter(|file| file.is_there()) {
        let path = file.path(&env);
        assert!(path.is_file(), "it would test nothing: {}", path.display());
    }
    env
}

/// What is wrong, if anything is.
fn tried(blows: &Blows, template: &TestEnv, login: &LoginSite) -> Option<String> {
    let ran = catch_unwind(AssertUnwindSafe(|| {
        let env = TestEnv::new();
        copy(&template.store(), &env.store());
        let paths: Vec<_> = blows.iter().map(|(file, _)| file.path(&env)).collect();
        for (path, (_, damage)) in paths.iter().zip(blows) {
            damage.befall(path);
        }
        let limited = |args: &[&str]| env.szk(args.iter().copied()).limit(PATIENTLY).run();
        assert_eq!(limited(&["list", "--json"]).code, Some(0), "list");
        let opened = limited(&["open", "work", "--detach", "--json"]);
        let names = paths.iter().map(|path| {
            let name = path.file_name().expect("a file");
            name.to_string_lossy().into_owned()
        });
        let names: Vec<String> = names.collect();
        if opened.code != Some(0) {
            let failure = opened.failure();
            let message = failure["message"].as_str().unwrap();
            assert!(
                names.iter().any(|name| message.contains(name)),
                "refused: {failure}"
            );
            assert!(
                !failure["hint"].as_str().unwrap_or_default().is_empty(),
                "no next step: {failure}"
            );
            wait_until("no process is left", SOON, || env.processes().is_empty());
            return;
        }
        let opened: Value = serde_json::from_str(&opened.stdout).unwrap();
        let told = opened["warnings"].to_string();
        for (file, damage) in blows {
            if let (Some(word), false) = (file.told_as(), damage.keeps_content()) {
                assert!(told.contains(word), "not told: {told}");
            }
        }
        let mut who = login.who(&env, "work");
        for store in blows.iter().filter_map(|(file, _)| file.only_in_chromium()) {
            who[store] = login.jane()[store].clone();
        }
        assert_eq!(who, login.jane(), "lost, warned of {told}");
        let closed = limited(&["close", "work", "--json"]);
        assert_eq!(closed.code, Some(0), "close: {closed:?}");
        wait_until("no process is left", SOON, || env.processes().is_empty());
    }));
    let panic = ran.err()?;
    Some(super::words(&*panic))
}

/// Copies a store.
pub(super) fn copy(from: &Path, to: &Path) {
    let copied = std::process::Command::new("cp")
        .arg("-a")
        .arg(from)
        .arg(to)
        .status();
    assert!(copied.expect("there is cp").success());
}
