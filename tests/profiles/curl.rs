//! Cookies from a cURL command, as browsers copy it.

use serde_json::json;

use crate::harness::{LoginSite, TestEnv};

#[test]
fn the_cookies_of_a_copied_request_come_from_stdin_or_from_an_agent() {
    let env = TestEnv::new();
    let login = LoginSite::serve();
    let command = format!(
        "curl '{}' \\\n  -H 'accept: */*' \\\n  -b 'sid=1; keep=it'\\''s'",
        login.site.url("/home")
    );
    let imported = env
        .szk(["state", "import", "work", "-", "--json"])
        .input(command)
        .json();
    assert_eq!(imported["counts"]["cookies"], 2, "{imported:#}");
    env.open("work");
    assert_eq!(login.who(&env, "work")["cookies"], json!(["keep", "sid"]));

    let mut mcp = env.mcp();
    let header = json!({"session": "work", "action": "import", "text": "Cookie: extra=1"});
    let refused = mcp.fails("session_state", header, "INVALID_INPUT");
    assert!(
        refused["message"].as_str().unwrap().contains("domain"),
        "{refused}"
    );
    let header = json!({"session": "work", "action": "import", "text": "Cookie: extra=1", "domain": "127.0.0.1"});
    mcp.ok("session_state", header);
    assert_eq!(
        login.who(&env, "work")["cookies"],
        json!(["extra", "keep", "sid"])
    );
    let both = json!({"session": "work", "action": "import", "text": "x", "path": "/x"});
    mcp.fails("session_state", both, "INVALID_INPUT");
}
