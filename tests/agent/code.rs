//! Code first: a long list in two steps, and code that may only read.

use serde_json::json;

use super::{Provider, call, last};
use crate::harness::Site;

#[test]
fn code_reads_a_long_list_and_says_what_to_press() {
    let rows: String = (0..60)
        .map(|number| {
            format!("<li data-price={0}>Thing {number} costs {0} <button onclick=\"this.parentNode.dataset.kept = 1; this.textContent = 'Kept'\">Keep</button></li>", number * 7 % 60)
        })
        .collect();
    let away = Site::of("<title>away</title>");
    let evil = away.url("/stolen");
    let site = Site::of(&format!("<title>Things</title><ul>{rows}</ul>"));
    let cheap = "const rows = [...document.querySelectorAll('li')];\
        const cheap = rows.map((row, nth) => ({price: Number(row.dataset.price), nth: nth + 1})).filter(row => row.price < 20);\
        return {acts: cheap.map(row => ({kind: 'click', selector: `li:nth-of-type(${row.nth}) button`}))}";
    let count =
        "[...document.querySelectorAll('li')].filter(row => row.dataset.kept).length + ' kept'";
    let provider = Provider::new(true, move |step, body| {
        let told = last(body);
        let code = match step {
            0 => format!("fetch('{evil}')"),
            1 => {
                assert!(told.contains("this code may only read"), "{told}");
                format!("new Image().src = '{evil}'; document.title = 'changed'")
            }
            2 => "for (;;);".to_owned(),
            3 => {
                assert!(told.contains("did not end within"), "{told}");
                "({acts: [{kind: 'upload', selector: 'input', paths: ['/etc/passwd']}]})".to_owned()
            }
            4 => {
                assert!(
                    told.contains("INVALID_INPUT") || told.contains("POLICY_DENIED"),
                    "{told}"
                );
                cheap.to_owned()
            }
            5 => count.to_owned(),
            _ => {
                assert!(told.contains("20 kept"), "{told}");
                return call("done", &json!({"success": true, "text": "kept 20"}));
            }
        };
        call("run_code", &json!({"code": code}))
    });
    let env = provider.env();
    env.open("work");
    env.navigate("work", &site.url("/"));
    let ended = env
        .szk(["do", "keep the cheap things", "-s", "work", "--json"])
        .run();
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    assert_eq!(env.eval("work", "document.title"), "Things");
    assert_eq!(away.asked().len(), 0);

    // Fields that secrets were filled into are not for code.
    env.szk(["secret", "set", "shop"]).input("hunter-22").ok();
    let tools = |body: &serde_json::Value| body["tools"].to_string().contains("run_code");
    assert!(tools(&provider.asked()[0]));
    for without in [["--secret", "shop"], ["--no-code", "--no-judge"]] {
        let args = ["do", "x", "-s", "work", "--max-steps", "1"];
        env.szk(args.into_iter().chain(without)).run();
        assert!(!tools(provider.asked().last().unwrap()), "{without:?}");
    }
}
