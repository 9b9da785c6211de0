//! A recording: what clients and a person do from its start on becomes one recipe, and no page notices.

use serde_json::json;

use crate::harness::{Driver, Site, TestEnv};

/// Tells what it notices of a recording, besides what it does itself.
const PAGE: &str = "<html lang=en><title>Sign up</title><script>
    window.noticed = [];
    const add = EventTarget.prototype.addEventListener;
    EventTarget.prototype.addEventListener = function (...all) { noticed.push(all[0]); return add.apply(this, all); };
    const write = JSON.stringify; JSON.stringify = (...all) => { noticed.push('stringify'); return write(...all); };
    new MutationObserver((all) => all.forEach((one) => one.target.id === 'rows' || noticed.push(one.type)))
      .observe(document, { subtree: true, attributes: true, characterData: true });
    window.names = () => Object.getOwnPropertyNames(window).filter((name) => !/^\\d+$/.test(name)).length;
    noticed.push(names());
    </script><body><h1>Sign up</h1><form action=/done>
    <label>Name <input name=name></label>
    <label>Password <input type=password name=pass></label>
    <label>Country <select name=country><option>France<option>Poland</select></label>
    <label><input type=checkbox name=terms> Accept the terms</label>
    <label>Remarks <textarea name=remarks></textarea></label>
    <button>Send</button></form>
    <button id=more onclick=\"rows.insertAdjacentHTML('beforeend', '<li>Row</li>')\">Add a row</button><ul id=rows></ul>
    <ul><li draggable=true id=card>Card</li></ul>
    <div id=bin style='width: 200px; height: 40px' ondragover='event.preventDefault()'
      ondrop='event.preventDefault(); this.dropped = 1'><h2>Bin</h2></div>
    <iframe name=inner srcdoc='<button onclick=\"this.textContent = `Thanks`\">Agree</button>'></iframe>";

#[test]
fn what_clients_and_a_person_do_becomes_one_recipe() {
    let env = TestEnv::new();
    env.szk(["secret", "set", "pass"])
        .input("hunter2-kept")
        .ok();
    let site = Site::plan()
        .page("/", PAGE)
        .page("/done", "<title>done</title><h1>Done</h1>")
        .serve();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.fails("recipe_record", json!({"action": "stop"}), "INVALID_INPUT");
    let started = mcp.ok(
        "recipe_record",
        json!({"action": "start", "name": "sign-up"}),
    );
    assert_eq!(started["recording"], true, "{started}");
    mcp.fails("recipe_record", json!({"action": "start"}), "INVALID_INPUT");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    // Input of the browser's own, as that of a person in the window: no call of szk makes it.
    let mut person = Driver::puppeteer(&env, &env.endpoint("work"));
    person.run("await page.click('[name=name]'); await page.keyboard.type('Ada Lovelace');
        await page.keyboard.press('Tab'); await page.keyboard.type('hunter2-typed');
        await page.evaluate(() => document.querySelector('[name=pass]').type = 'text'); await page.keyboard.type('!');
        await page.keyboard.press('Tab'); await page.keyboard.press('ArrowDown');
        await page.click('label:has([name=terms])');
        await page.click('[name=remarks]'); await page.keyboard.type('one'); await page.keyboard.press('Enter');
        await page.keyboard.type('two')");
    mcp.ok("browser_act", json!({"kind": "click", "selector": "#more"}));
    person.run("await page.frames().find((frame) => frame.name() === 'inner').click('button')");
    // The browser's own drag and drop, which the mouse begins.
    person.run("const middle = async (css) => { const { x, y, width, height } = await (await page.$(css)).boundingBox();
          return [x + width / 2, y + height / 2]; };
        const [card, bin] = [await middle('#card'), await middle('#bin')];
        await page.mouse.move(...card); await page.mouse.down();
        await page.mouse.move(card[0] + 8, card[1] + 8, { steps: 4 }); await page.mouse.move(...bin, { steps: 8 });
        await page.mouse.up();
        while (!await page.evaluate(() => bin.dropped));");
    let noticed = person.run("return page.evaluate(() => [...noticed, names()])");
    let noticed = noticed.as_array().unwrap();
    // The field whose type the page itself changed, and as many names as before.
    assert_eq!(
        (noticed.len(), &noticed[1]),
        (3, &json!("attributes")),
        "{noticed:?}"
    );
    assert_eq!(noticed[0], noticed[2], "{noticed:?}");
    person.run("await Promise.all([page.waitForNavigation(), page.click('form button')])");

    let stopped = env
        .szk(["recipe", "record", "stop", "-s", "work", "--json"])
        .json();
    assert_eq!(stopped["recording"], false, "{stopped}");
    let text = stopped["text"].as_str().unwrap();
    let steps: Vec<String> = text
        .split("[[step]]")
        .skip(1)
        .map(|step| {
            let words = step.split('"').collect::<Vec<_>>();
            let named = words.iter().position(|part| part.contains("name = "));
            format!("{} {}", words[1], named.map_or("", |at| words[at + 1]))
        })
        .collect();
    let expected = [
        "navigate ",
        "fill Name",
        "fill Password",
        "select Country",
        "check Accept the terms",
        "fill Remarks",
        "click Add a row",
        "click Agree",
        // An entry of a list has no name: this is that of the place where it was dropped.
        "drag Bin",
        "click Send",
    ];
    assert_eq!(steps, expected, "{text}");
    assert!(text.contains("text = \"Card\" }\nto = {"), "{text}");
    assert!(
        text.contains("value = \"Poland\"") && text.contains("navigates = \"/done?"),
        "{text}"
    );
    let log = mcp.ok("browser_logs", json!({"kind": "acts"})).to_string();
    for told in [text, &log] {
        assert!(
            !told.contains("hunter2") && !told.contains("Ada Lovelace\"\nsecret"),
            "{told}"
        );
    }
    assert!(log.contains(r#""client":"person""#), "{log}");

    // It ended: nothing of a person is in the log from now on.
    person.run("await page.click('h1')");
    mcp.ok(
        "recipe_run",
        json!({"name": "sign-up", "params": {"name": "Bob", "pass": "pass", "remarks": "none"}}),
    );
    let asked = site.asked();
    let sent = asked.iter().rfind(|one| one.path == "/done").unwrap();
    let sent = ["name", "pass", "country", "terms", "remarks"].map(|field| sent.field(field));
    assert_eq!(sent, ["Bob", "hunter2-kept", "Poland", "on", "none"]);
}
