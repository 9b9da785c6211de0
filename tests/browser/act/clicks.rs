//! Clicks what can be clicked, and says why when it cannot.

use serde_json::json;

use super::Bench;

const PAGE: &str = r##"<!doctype html><style>
  body { margin: 0; height: 3000px; font: 16px sans-serif; }
  #bar { position: fixed; top: 0; left: 0; right: 0; height: 80px; background: #eee; z-index: 2; }
  #veil { position: absolute; left: 0; top: 300px; width: 300px; height: 60px; z-index: 3; background: #ccc8; }
  #moving { position: absolute; left: 400px; top: 120px; animation: go 0.5s linear forwards; }
  @keyframes go { to { left: 700px; } }
  button { position: absolute; }
</style>
<div id=bar>a header that stays</div>
<button id=plain style="left: 20px; top: 120px">Plain</button>
<button id=covered style="left: 20px; top: 310px">Covered</button><div id=veil></div>
<button id=disabled style="left: 20px; top: 400px" disabled>Off</button>
<button id=soon style="left: 120px; top: 400px" disabled>Soon</button>
<button id=hidden style="left: 20px; top: 440px; visibility: hidden">Unseen</button>
<button id=moving>Moving</button>
<button id=below style="left: 20px; top: 1500px">Below</button>
<button id=under style="left: 20px; top: 900px; z-index: 1">Under the header</button>
<button class=twin style="left: 20px; top: 500px">One</button>
<button class=twin style="left: 120px; top: 500px">Two</button>
<div style="position: absolute; top: 560px; left: 20px; width: 120px">a long <a id=broken href="#x" onclick="clicks.push('broken'); return false">link that is broken over two lines</a> of text</div>
<div id=host style="position: absolute; top: 520px; left: 300px"></div>
<div id=sealed style="position: absolute; top: 520px; left: 500px"></div>
<ul id=list style="position: absolute; top: 200px; left: 500px"></ul>
<button id=through style="left: 20px; top: 640px; pointer-events: none">Through</button>
<div id=board style="position: absolute; left: 220px; top: 640px; width: 200px; height: 30px"><button id=off style="pointer-events: none">Off</button></div>
<button id=holder style="left: 500px; top: 640px"><i id=icon style="pointer-events: none">icon</i></button>
<a id=link href="#terms" style="position: absolute; left: 600px; top: 640px"><span style="pointer-events: none">Terms</span></a>
<label style="position: absolute; left: 300px; top: 440px"><input type=checkbox id=box style="opacity: 0; width: 0; height: 0; position: absolute">Box</label>
<script>
  var clicks = [];
  addEventListener('click', (event) => clicks.push(event.composedPath()[0].id || event.composedPath()[0].textContent), true);
  addEventListener('dblclick', () => clicks.push('double'));
  addEventListener('contextmenu', (event) => { event.preventDefault(); clicks.push('menu'); });
  host.attachShadow({mode: 'open'}).innerHTML = '<div id=inner></div>';
  host.shadowRoot.querySelector('#inner').attachShadow({mode: 'open'}).innerHTML = '<button id=deep style="position: static">Deep</button>';
  sealed.attachShadow({mode: 'closed'}).innerHTML = '<button id=shut style="position: static">Shut</button>';
  // A list that is rebuilt whenever the pointer comes near, as some frameworks do.
  const draw = () => list.innerHTML = '<li><button id=row style="position: static">Row</button></li>';
  draw();
  list.addEventListener('pointerenter', draw, {once: true});
</script>"##;

#[test]
fn what_can_be_clicked_is() {
    let mut bench = Bench::of(PAGE);
    for (selector, id) in [
        ("#plain", "plain"),
        ("#below", "below"),
        ("#under", "under"),
        ("#moving", "moving"),
        ("#deep", "deep"),
        ("#host >> #deep", "deep"),
        ("#broken", "broken"),
        ("#row", "row"),
    ] {
        // Under the sticky header.
        bench.page("scrollTo(0, 880)");
        let did = bench.act("click", json!({"selector": selector}));
        assert_eq!(did["closed"], json!(null), "{selector}: {did}");
        assert_eq!(
            bench.page("clicks.splice(0).at(0)"),
            id,
            "{selector}: {did}"
        );
    }
    bench.act("click", json!({"selector": "#plain", "count": 2}));
    assert_eq!(
        bench.page("clicks.splice(0)"),
        json!(["plain", "plain", "double"])
    );
    bench.act("click", json!({"selector": "#plain", "button": "right"}));
    assert_eq!(bench.page("clicks.splice(0)"), json!(["menu"]));
    let at = bench.page("scrollTo(0, 0), [sealed.getBoundingClientRect().x + 10, sealed.getBoundingClientRect().y + 10]");
    bench.act(
        "click",
        json!({"x": at[0].as_f64().unwrap() as i32, "y": at[1].as_f64().unwrap() as i32}),
    );
    assert_eq!(
        bench.page("clicks.splice(0)"),
        json!(["sealed"]),
        "the closed root hides its button"
    );
    let did = bench.act("check", json!({"selector": "#box"}));
    assert_eq!(bench.page("box.checked"), true, "{did}");
    let again = bench.act("check", json!({"selector": "#box"}));
    assert_eq!(again["changed"], false, "{again}");
    bench.act("uncheck", json!({"selector": "#box"}));
    assert_eq!(bench.page("box.checked"), false);
}

#[test]
fn what_cannot_be_clicked_is_named() {
    let mut bench = Bench::of(PAGE);
    let covered = bench.fails(
        "click",
        json!({"selector": "#covered"}),
        "CLICK_INTERCEPTED",
    );
    let message = covered["message"].as_str().unwrap();
    assert!(
        message.contains("#covered") && message.contains("#veil"),
        "{message}"
    );
    assert_eq!(covered["effect"], "none", "{covered}");
    bench.page("document.body.insertAdjacentHTML('beforeend', '<button id=away style=\"position: absolute; left: -9999px\">Away</button>')");
    let away = bench.fails("click", json!({"selector": "#away"}), "NOT_ACTIONABLE");
    let message = away["message"].as_str().unwrap();
    assert!(
        message.contains("cannot be scrolled into view"),
        "{message}"
    );
    let disabled = bench.fails("click", json!({"selector": "#disabled"}), "NOT_ACTIONABLE");
    assert!(
        disabled["message"]
            .as_str()
            .unwrap()
            .contains("is disabled"),
        "{disabled}"
    );
    let hidden = bench.fails("click", json!({"selector": "#hidden"}), "NOT_ACTIONABLE");
    assert!(
        hidden["message"].as_str().unwrap().contains("not visible"),
        "{hidden}"
    );
    let twins = bench.fails("click", json!({"selector": ".twin"}), "AMBIGUOUS");
    let message = twins["message"].as_str().unwrap();
    assert!(
        message.contains("\"One\"") && message.contains("\"Two\""),
        "{message}"
    );
    bench.fails("click", json!({"selector": "#nowhere"}), "NOT_FOUND");
    bench.fails("click", json!({"selector": "::::"}), "INVALID_INPUT");
    bench.fails("click", json!({}), "INVALID_INPUT");
    bench.fails(
        "click",
        json!({"selector": "#plain", "x": 3}),
        "INVALID_INPUT",
    );
    bench.fails("click", json!({"x": 30, "y": 5000}), "INVALID_INPUT");
    bench.fails("click", json!({"ref": "e999"}), "NOT_FOUND");
    bench.fails("press", json!({"key": "Entr"}), "INVALID_INPUT");
    // What lets the pointer through gets nothing: what is around it or behind it does.
    for (selector, receiver) in [("#through", "<body>"), ("#off", "#board")] {
        let failure = bench.fails("click", json!({"selector": selector}), "NOT_ACTIONABLE");
        let message = failure["message"].as_str().unwrap();
        assert!(
            message.contains("pointer-events: none") && message.contains(receiver),
            "{message}"
        );
        assert_eq!(failure["effect"], "none", "{failure}");
    }
    assert_eq!(bench.page("clicks"), json!([]), "nothing was clicked");
    // A part of something that works is pressed by pressing that; a pointer over what cannot be used is over what
    // explains it.
    bench.act("click", json!({"selector": "#icon"}));
    bench.act("click", json!({"name": "Terms"}));
    assert_eq!(bench.page("clicks.splice(0)"), json!(["holder", "link"]));
    bench.act("hover", json!({"selector": "#off"}));
    assert_eq!(bench.page("board.matches(':hover')"), true);
    // An act waits for an element that is about to become ready.
    bench.page("setTimeout(() => soon.disabled = false, 200)");
    bench.act("click", json!({"selector": "#soon"}));
    assert_eq!(bench.page("clicks"), json!(["soon"]));
}

/// Unmoved for two checks does not mean still: each is clicked where it comes to rest, whatever moves
/// it.
#[test]
fn what_slides_is_clicked_where_it_stops() {
    let mut bench = Bench::of(
        "<style>button { position: absolute; left: 600px } #a { top: 20px; animation: go 0.6s ease-in-out both } @keyframes go { to { left: 20px } }
           #b { top: 80px; animation: wait 0.3s 0.3s both } @keyframes wait { to { transform: translateX(-400px) } } #c { top: 140px } #d { top: 200px; transition: left 0.5s }</style>
         <button id=a>A</button><button id=b>B</button><button id=c>C</button><button id=d>D</button>
         <script>clicks = []; addEventListener('click', (event) => clicks.push(event.target.id));
         began = performance.now(); move = (now) => { c.style.left = Math.max(20, 600 - (now - began)) + 'px'; if (now - began < 600) requestAnimationFrame(move) }; move(began);
         requestAnimationFrame(() => requestAnimationFrame(() => d.style.left = '20px'))</script>",
    );
    for id in ["a", "b", "c", "d"] {
        bench.go("/");
        bench.act("click", json!({"selector": format!("#{id}")}));
        assert_eq!(bench.page("clicks"), json!([id]));
    }
}

/// A press that lands elsewhere is not reported as done. Only a modifier's key comes between the last
/// check and the press, so these pages run away from that.
#[test]
fn a_press_that_misses_is_seen() {
    let mut bench = Bench::of(
        "<style id=sheet>button { position: absolute; top: 20px; left: 20px; width: 80px; height: 30px } #flees { z-index: 1 } #runs { top: 200px }</style>
         <body style='height: 600px'><button id=other>Other</button><button id=flees>Flees</button><button id=runs>Runs</button>
         <script>clicks = []; addEventListener('click', (event) => clicks.push(event.target.id));
         first = flees; addEventListener('keydown', () => { first.style.left = '300px'; sheet.sheet.cssRules[2].style.left = '300px'; });</script>",
    );
    let with_shift = |id: &str| json!({"selector": id, "modifiers": ["Shift"]});
    let failure = bench.fails("click", with_shift("#flees"), "CLICK_INTERCEPTED");
    let message = failure["message"].as_str().unwrap();
    assert!(
        message.contains("#other") && message.contains("#flees"),
        "{message}"
    );
    assert_eq!(failure["effect"], "unknown", "{failure}");
    assert_eq!(bench.page("clicks"), json!(["other"]), "once");
    // If nothing was hit, it tries again.
    bench.go("/");
    bench.page("flees.remove(); other.remove(); sheet.sheet.cssRules[2].style.left = '20px'; 0");
    bench.act("click", with_shift("#runs"));
    assert_eq!(bench.page("clicks"), json!(["", "runs"]));
}

#[test]
fn the_command_line_clicks_too() {
    let mut bench = Bench::of(PAGE);
    let told = bench.env.szk(["act", "click", "#plain", "-s", "work"]).ok();
    assert!(
        told.stdout.starts_with("clicked <button#plain> \"Plain\""),
        "{}",
        told.stdout
    );
    assert_eq!(bench.page("clicks"), json!(["plain"]));
    let told = bench
        .env
        .szk(["act", "click", "#covered", "-s", "work"])
        .run();
    assert!(told.stderr.contains("#veil"), "{}", told.stderr);
}

/// The menu of a right click takes the release, as on a desktop; a page that shows its own gets it.
#[test]
fn a_right_click_leaves_its_release_to_the_menu() {
    let mut bench = Bench::of(
        "<style>div { width: 200px; height: 60px }</style><div id=plain>plain</div><div id=own oncontextmenu='event.preventDefault()'>own</div>
         <script>
           var log = [];
           for (const kind of ['mousedown', 'contextmenu', 'mouseup', 'auxclick', 'click']) addEventListener(kind, (event) => log.push(kind + event.buttons));
         </script>",
    );
    let right = |selector: &str| json!({"selector": selector, "button": "right"});
    bench.act("click", right("#plain"));
    assert_eq!(
        bench.page("log.splice(0)"),
        json!(["mousedown2", "contextmenu2"])
    );
    bench.act("click", json!({"selector": "#plain"}));
    assert_eq!(
        bench.page("log.splice(0)"),
        json!(["mousedown1", "mouseup0", "click0"])
    );
    bench.act("click", right("#own"));
    assert_eq!(
        bench.page("log.splice(0)"),
        json!(["mousedown2", "contextmenu2", "mouseup0", "auxclick0"])
    );
}

/// What is drawn by something else is clicked there: a shape of an image map, a radio button that only its
/// label shows, the field of an editor that draws its text itself.
#[test]
fn what_something_else_draws_is_clicked_there() {
    let mut bench = Bench::of(
        "<style>body { margin: 0 } .tall { height: 2000px } .stars input { position: absolute; left: 0; top: 300px; width: 90px; height: 20px }
           .stars label { position: absolute; top: 300px; width: 30px; height: 20px; background: gold; z-index: 1 }
           .editor { position: absolute; top: 400px; width: 300px; height: 100px } .keys { position: relative; overflow: hidden; width: 3px; height: 0 }
           .keys textarea { position: absolute; bottom: -1em; width: 300px; height: 1em } .lines { position: absolute; inset: 0; background: #eee }</style>
         <img usemap='#m' width=200 height=100 src=\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>\"><map name=m>
           <area shape=rect coords=0,0,200,50 href='#' alt=North onclick=\"hit = 'North'; return false\">
           <area shape=poly coords=0,50,10,50,10,90,200,90,200,100,0,100 href='#' alt=South onclick=\"hit = 'South'; return false\"></map>
         <div class=stars><input type=radio name=s id=s1><input type=radio name=s id=s2><label for=s1 style='left: 0'></label><label for=s2 style='left: 30px'></label></div>
         <div class=editor><div class=keys><textarea id=keys></textarea></div><div class=lines onmousedown='keys.focus(); return false'>text</div></div>
         <div class=tall></div><img usemap='#far' width=100 height=50 src=\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>\"><map name=far>
           <area shape=circle coords=50,25,20 href='#' alt=Far onclick=\"hit = 'Far'; return false\"></map><script>var hit = ''</script>",
    );
    let read = bench.mcp.ok("browser_snapshot", json!({}));
    let text = read["snapshot"].as_str().unwrap().to_owned();
    for name in ["North", "South", "Far"] {
        let line = text.lines().find(|line| line.contains(name)).unwrap();
        let (_, named) = line.split_once('[').unwrap();
        let (name_of_ref, _) = named.split_once(']').unwrap();
        bench.act("click", json!({"ref": name_of_ref}));
        assert_eq!(bench.page("hit"), name);
    }
    bench.act("click", json!({"selector": "#s1"}));
    assert_eq!(bench.page("s1.checked"), true);
    bench.act("click", json!({"selector": "#s2"}));
    assert_eq!(bench.page("s2.checked"), true);
    bench.act("click", json!({"selector": "#keys"}));
    assert_eq!(bench.page("document.activeElement.id"), "keys");
}

/// Browsers send no click to what was not there for the whole press.
#[test]
fn what_a_page_replaces_under_the_button_is_not_clicked() {
    let mut bench = Bench::of(
        "<!doctype html><button id=one>One</button> <button id=two>Two</button> <button id=kept onpointerdown='this.firstChild.replaceWith(this.firstChild.cloneNode())'>Kept</button>
         <ul id=list><li id=gone onmousedown='this.remove(); log.push(\"taken\")'>Gone</li></ul>
         <label id=box><input type=checkbox id=check aria-label=Check></label>
         <script>
           var log = [];
           const once = (kind, id) => {
             const old = document.getElementById(id);
             old.onclick = () => log.push('old');
             old.addEventListener(kind, () => { const next = old.cloneNode(true); next.onclick = () => log.push('new'); old.replaceWith(next); });
           };
           once('pointerdown', 'one');
           once('mousedown', 'two');
           once('pointerdown', 'check');
         </script>",
    );
    for id in ["#one", "#two"] {
        let did = bench
            .mcp
            .call("browser_act", json!({"kind": "click", "selector": id}));
        let text = did["content"][0]["text"].as_str().unwrap();
        assert_eq!(bench.page("log.join()"), "", "{text}");
        assert!(text.starts_with("pressed <button"), "{text}");
        assert!(text.contains("not clicked: the page put a new"), "{text}");
        let again = bench.act("click", json!({"selector": id}));
        assert_eq!(bench.page("log.splice(0).join()"), "new");
        assert!(
            !again["notes"].to_string().contains("not clicked"),
            "{again}"
        );
    }
    // What holds the replaced text is clicked; what only takes the press is not there any more.
    for id in ["#kept", "#gone"] {
        let did = bench.act("click", json!({"selector": id}));
        assert!(!did["notes"].to_string().contains("not clicked"), "{did}");
    }
    assert_eq!(bench.page("log.splice(0).join()"), "taken");
    bench.fails("check", json!({"selector": "#check"}), "NOT_ACTIONABLE");
    assert_eq!(bench.page("check.checked"), false);
    bench.act("check", json!({"selector": "#check"}));
    assert_eq!(bench.page("check.checked"), true);
}

/// The middle of this box is on the edge of the shape.
#[test]
fn a_shape_is_met_inside_of_its_edge() {
    let mut bench = Bench::of(
        "<!doctype html><style>body { margin: 0 }</style><img usemap='#m' width=200 height=100 src=\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>\"><map name=m>
           <area shape=poly coords='150,0,199,0,199,59' href='#' id=slope alt=Slope onclick='hits++; return false'>
           <area shape=poly coords='0,0,3,0,90,90,87,90' href='#' id=thin alt=Thin onclick='hits++; return false'></map><script>var hits = 0</script>",
    );
    for nth in 1..=6 {
        bench.act("click", json!({"selector": "#slope"}));
        assert_eq!(bench.page("hits"), nth);
    }
    bench.act("click", json!({"selector": "#thin"}));
    assert_eq!(bench.page("hits"), 7);
}
