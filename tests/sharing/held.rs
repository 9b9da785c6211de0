//! What one client pauses before its first script, and what others do meanwhile.

use crate::harness::{Driver, SOON, Site, TestEnv, wait_until};

const AUTO_ATTACH: &str = "{autoAttach: true, waitForDebuggerOnStart: true, flatten: true}";

/// Chromium forgets a frame that is paused on its way to another process when one more client attaches
/// to its page; without szk it never loads.
#[test]
fn a_frame_on_its_way_gets_there_while_another_client_comes() {
    let env = TestEnv::new();
    std::fs::write(
        env.work().join("init.js"),
        "globalThis.mark = (globalThis.mark ?? 0) + 1;\n",
    )
    .unwrap();
    env.config("[stealth]\nscripts = [\"init.js\"]\n");
    let site = Site::plan()
        .page("/", "<title>page</title>")
        .page(
            "/child",
            "<script>fetch('/loaded?' + globalThis.mark + ' ' + document.referrer)</script>",
        )
        .page("/loaded", "")
        .serve();
    env.open("work");
    env.navigate("work", &site.url("/"));
    let endpoint = env.endpoint("work");
    let mut holder = Driver::raw(&env, &endpoint);
    let mut other = Driver::raw(&env, &endpoint);
    holder.run(&format!(
        "state.session = await first();
         state.holds = new Promise(done => socket.on('message', text => {{
           const {{ method, params }} = JSON.parse(text);
           if (method === 'Target.attachedToTarget' && params.targetInfo.type === 'iframe') done(params.waitingForDebugger);
         }}));
         await send('Target.setAutoAttach', {AUTO_ATTACH}, state.session)"
    ));
    let child = format!("http://localhost:{}/child", site.port());
    env.eval_main(
        "work",
        &format!("const frame = document.createElement('iframe'); frame.src = '{child}'; document.body.append(frame); return 0"),
    );
    assert_eq!(holder.run("return state.holds"), true);
    other.run(&format!(
        "await send('Target.setAutoAttach', {AUTO_ATTACH}, await first())"
    ));
    let asked = |path: &str| {
        let asked = site.asked().into_iter();
        asked
            .filter(|asked| asked.path == path)
            .map(|asked| asked.query)
            .collect::<Vec<_>>()
    };
    wait_until("the frame is there", SOON, || !asked("/loaded").is_empty());
    // Its stealth was in place, and it is where it was going.
    assert_eq!(asked("/loaded"), [format!("1%20{}", site.url("/"))]);
    assert_eq!(asked("/child").len(), 2, "Chromium does it by itself now?");
    assert_eq!(env.eval("work", "history.length"), 2);
}
