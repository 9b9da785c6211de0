//! `browser_screenshot`.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Lease, Mcp, Site, TestEnv};

const PAGE: &str = "<title>picture</title><style>body { margin: 0 }</style>
<div id=box style='width: 120px; height: 80px; background: red'></div><div style='height: 4000px'></div>";

fn open(env: &TestEnv) -> (Mcp, Site) {
    let site = Site::of(PAGE);
    let mut mcp = env.mcp();
    mcp.ok(
        "session_open",
        json!({"session": "work", "url": site.url("/"), "viewport": "1000x700"}),
    );
    (mcp, site)
}

fn size(output: &Value) -> (u64, u64) {
    (
        output["width"].as_u64().unwrap(),
        output["height"].as_u64().unwrap(),
    )
}

#[test]
fn the_picture_comes_back() {
    let env = Lease::take();
    let (mut mcp, _site) = open(&env);
    let result = mcp.call("browser_screenshot", json!({}));
    assert_eq!(result["isError"], false, "{result:#}");
    let image = result["content"]
        .as_array()
        .unwrap()
        .iter()
        .find(|block| block["type"] == "image")
        .expect("a picture");
    assert_eq!(image["mimeType"], "image/png");
    assert!(image["data"].as_str().unwrap().starts_with("iVBORw0KGgo"));
    assert_eq!(size(&result["structuredContent"]), (1000, 700));
    let full = mcp.ok("browser_screenshot", json!({"full_page": true}));
    assert_eq!(size(&full), (1000, 4080));
    let part = mcp.ok(
        "browser_screenshot",
        json!({"selector": "#box", "format": "jpeg", "quality": 50}),
    );
    assert_eq!(size(&part), (120, 80));
    let clip = mcp.ok("browser_screenshot", json!({"clip": "10,20,300,2000"}));
    assert_eq!(size(&clip), (300, 2000));
    for wrong in ["", "1,2,3", "0,0,0,9", "-1,0,9,9", "a,b,c,d"] {
        mcp.fails(
            "browser_screenshot",
            json!({"clip": wrong}),
            "INVALID_INPUT",
        );
    }
    // Taking it changes nothing that a page can see.
    assert_eq!(
        mcp.eval("work", "[innerWidth, innerHeight, scrollY]"),
        json!([1000, 700, 0])
    );
}

#[test]
fn or_goes_into_a_file() {
    let env = Lease::take();
    let (mut mcp, _site) = open(&env);
    let path = env.work().join("page.webp");
    let output = mcp.ok(
        "browser_screenshot",
        json!({"path": path, "format": "webp"}),
    );
    let bytes = fs::read(&path).unwrap();
    assert_eq!((&bytes[..4], &bytes[8..12]), (&b"RIFF"[..], &b"WEBP"[..]));
    assert_eq!(output["bytes"].as_u64(), Some(bytes.len() as u64));
    let told = env
        .szk(["screenshot", "-s", "work", "--out", "page.png"])
        .ok();
    assert_eq!(
        told.stdout.trim(),
        env.work().join("page.png").display().to_string()
    );
    assert!(
        fs::read(env.work().join("page.png"))
            .unwrap()
            .starts_with(b"\x89PNG")
    );
}

#[test]
fn an_element_must_be_one() {
    let env = Lease::take();
    let (mut mcp, _site) = open(&env);
    mcp.fails(
        "browser_screenshot",
        json!({"selector": "#none"}),
        "NOT_FOUND",
    );
    mcp.fails(
        "browser_screenshot",
        json!({"selector": "div"}),
        "AMBIGUOUS",
    );
    mcp.fails(
        "browser_screenshot",
        json!({"selector": "::::"}),
        "INVALID_INPUT",
    );
    nothing_is_written_where_no_file_can_be(&env, &mut mcp);
    assert_eq!(mcp.eval("work", "1"), 1);
}

/// Every operation that writes a file says what stands in the way.
fn nothing_is_written_where_no_file_can_be(env: &TestEnv, mcp: &mut Mcp) {
    let folder = env.work().display().to_string();
    for (path, why) in [
        ("/nowhere/at/all.png", "there is no folder `/nowhere/at`"),
        (folder.as_str(), "is a folder, not a file"),
        ("/dev/null/x", "is not a folder"),
    ] {
        for (tool, mut input) in [
            ("browser_screenshot", json!({})),
            ("browser_pdf", json!({})),
            ("browser_snapshot", json!({})),
            ("browser_logs", json!({})),
            ("session_state", json!({"action": "export"})),
        ] {
            input["path"] = path.into();
            let failure = mcp.fails(tool, input, "INVALID_INPUT");
            assert!(
                failure["message"].as_str().unwrap().contains(why),
                "{tool}: {failure}"
            );
            assert!(failure["hint"].is_string(), "{tool}: {failure}");
        }
    }
}

const MARKED: &str = "<!doctype html><title>marked</title><style>body { margin: 0; background: white; font: 16px sans-serif } button { position: absolute; margin: 0; border: 0; background: white }</style>
<button id=a style='left: 100px; top: 50px; width: 80px; height: 30px'></button>
<button id=low style='left: 100px; top: 2000px; width: 80px; height: 30px'>Low</button>
<button id=covered style='left: 300px; top: 50px; width: 80px; height: 30px'>Covered</button>
<div style='position: absolute; left: 290px; top: 40px; width: 100px; height: 50px; background: #eee; z-index: 1'></div>
<div style='position: absolute; left: 100px; top: 200px; width: 200px; height: 100px; overflow: hidden'>
  <button id=out style='left: 10px; top: 400px'>Scrolled away</button><button id=in style='left: 10px; top: 10px; width: 60px; height: 20px'>In</button></div>
<iframe id=far src='FAR' style='position: absolute; left: 400px; top: 300px; width: 300px; height: 100px; border: 10px solid #ddd'></iframe>
<script>changes = 0; new MutationObserver(list => changes += list.length).observe(document, {subtree: true, childList: true, attributes: true, characterData: true})</script>";

fn marked(env: &TestEnv) -> (Mcp, Site) {
    let site = Site::plan()
        .on("/", |asked| {
            let port = asked.header("host");
            let port = port.rsplit(':').next().unwrap_or_default();
            crate::harness::Answer::html(MARKED.replace("FAR", &format!("http://localhost:{port}/far")))
        })
        .page(
            "/far",
            "<!doctype html><body style='margin: 0'><button style='position: absolute; left: 20px; top: 30px; width: 50px; height: 20px; border: 0; background: white'></button>
             <button style='position: absolute; top: 500px'>Below</button>",
        )
        .serve();
    let mut mcp = env.mcp();
    mcp.ok(
        "session_open",
        json!({"session": "work", "url": site.url("/"), "viewport": "1000x700"}),
    );
    (mcp, site)
}

/// Whether a picture has colour at these points.
fn coloured(mcp: &mut Mcp, picture: &str, places: Value) -> Value {
    let code = "async ([picture, places]) => {
      const image = new Image();
      image.src = 'data:image/png;base64,' + picture;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
      canvas.drawImage(image, 0, 0);
      return places.map(([x, y]) => {
        const [red, green, blue] = canvas.getImageData(x, y, 1, 1).data;
        return Math.max(red, green, blue) - Math.min(red, green, blue) > 80;
      });
    }";
    mcp.ok(
        "browser_run_code",
        json!({"code": code, "args": [picture, places]}),
    )["value"]
        .clone()
}

fn picture(result: &Value) -> String {
    let blocks = result["content"].as_array().unwrap();
    let image = blocks.iter().find(|block| block["type"] == "image");
    image.expect("a picture")["data"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn refs_are_drawn_on_the_picture_and_nowhere_else() {
    let env = Lease::take();
    let (mut mcp, _site) = marked(&env);
    let all = mcp.ok("browser_snapshot", json!({}))["snapshot"].clone();
    let all = all.as_str().unwrap();
    let ref_in = |line: &str| {
        let (_, rest) = line.split_once("[e").unwrap();
        format!("e{}", rest.split_once(']').unwrap().0)
    };
    let of = |words: &str| {
        let line = all.lines().find(|line| line.contains(words));
        ref_in(line.unwrap_or_else(|| panic!("{words}: {all}")))
    };
    let shot = mcp.call("browser_screenshot", json!({"annotate": true}));
    let refs = &shot["structuredContent"]["refs"];
    // The unnamed button comes first, and the frame's own first one is the second without a name.
    let first = of("button [e");
    let unnamed: Vec<&str> = all
        .lines()
        .filter(|line| line.contains("button [e"))
        .collect();
    let framed = ref_in(unnamed[1]);
    assert_eq!(
        *refs,
        json!([first, of("\"In\""), framed]),
        "only what is seen: {all}"
    );
    // Corners of the boxes: the page is white there, and the labels are above them.
    let places = json!([
        [100, 50],
        [179, 79],
        [104, 44],
        [110, 210],
        [169, 229],
        [430, 340],
        [479, 359],
        [140, 65],
        [300, 50],
        [100, 600]
    ]);
    let data = picture(&shot);
    assert_eq!(
        coloured(&mut mcp, &data, places.clone()),
        json!([
            true, true, true, true, true, true, true, false, false, false
        ])
    );
    let plain = picture(&mcp.call("browser_screenshot", json!({})));
    assert_eq!(
        coloured(&mut mcp, &plain, places),
        json!([
            false, false, false, false, false, false, false, false, false, false
        ])
    );
    let full = mcp.call(
        "browser_screenshot",
        json!({"annotate": true, "full_page": true}),
    );
    let refs = full["structuredContent"]["refs"].as_array().unwrap();
    assert!(refs.contains(&json!(of("\"Low\""))), "{refs:?}");
    assert!(!refs.contains(&json!(of("\"Scrolled away\""))), "{refs:?}");
    let data = picture(&full);
    assert_eq!(
        coloured(&mut mcp, &data, json!([[100, 2000], [179, 2029]])),
        json!([true, true])
    );
    // The annotated elements can be acted on; the page has noticed nothing.
    let changes = json!({"world": "main", "code": "changes"});
    assert_eq!(mcp.ok("browser_run_code", changes)["value"], 0);
    mcp.ok("browser_act", json!({"kind": "click", "ref": framed}));
    mcp.fails(
        "browser_screenshot",
        json!({"annotate": true, "format": "jpeg"}),
        "INVALID_INPUT",
    );
    env.szk([
        "screenshot",
        "-s",
        "work",
        "--annotate",
        "--out",
        "marked.png",
    ])
    .ok();
    assert!(
        fs::read(env.work().join("marked.png"))
            .unwrap()
            .starts_with(b"\x89PNG")
    );
}

#[test]
fn an_element_may_be_a_ref_or_in_a_frame() {
    let env = Lease::take();
    let (mut mcp, _site) = marked(&env);
    let all = mcp.ok("browser_snapshot", json!({}))["snapshot"].clone();
    let line = all
        .as_str()
        .unwrap()
        .lines()
        .find(|line| line.contains("\"Low\""));
    let low = line.unwrap().split(['[', ']']).nth(1).unwrap().to_owned();
    let shot = mcp.ok("browser_screenshot", json!({"selector": low}));
    assert_eq!(size(&shot), (80, 30));
    let shot = mcp.call(
        "browser_screenshot",
        json!({"selector": "#far >> button:first-of-type", "annotate": true}),
    );
    assert_eq!(size(&shot["structuredContent"]), (50, 20));
    let data = picture(&shot);
    assert_eq!(
        coloured(&mut mcp, &data, json!([[0, 0], [49, 19]])),
        json!([true, true])
    );
    // Its frame does not show it.
    mcp.fails(
        "browser_screenshot",
        json!({"selector": "#far >> button:last-of-type"}),
        "NOT_FOUND",
    );
    mcp.eval("work", "document.querySelector('#low').remove()");
    mcp.fails("browser_screenshot", json!({"selector": low}), "REF_STALE");
}
