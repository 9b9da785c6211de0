//! Files over HTTP: those that come with a request, those that a session keeps, and profiles as archives.

use serde_json::{Value, json};

use super::{Reply, Server, token};
use crate::harness::{SOON, Site, TestEnv, wait_for};

const BOUNDARY: &str = "zzz-boundary";

/// A part of a form: its name, the name of its file, and its content.
type Part<'a> = (&'a str, Option<&'a str>, &'a str);

fn form(server: &Server, token: &str, path: &str, parts: &[Part], more: &[(&str, &str)]) -> Reply {
    let mut body = String::new();
    for (name, file, content) in parts {
        let file = file.map_or_else(String::new, |file| format!("; filename=\"{file}\""));
        body.push_str(&format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n{content}\r\n"
        ));
    }
    body.push_str(&format!("--{BOUNDARY}--\r\n"));
    let (bearer, kind) = (
        format!("Bearer {token}"),
        format!("multipart/form-data; boundary={BOUNDARY}"),
    );
    let mut headers = vec![("Authorization", bearer.as_str()), ("Content-Type", &kind)];
    headers.extend(more);
    server.ask("POST", path, &headers, &body)
}

#[test]
fn files_come_with_requests_and_are_fetched_as_bytes() {
    let env = TestEnv::new();
    let page = "<title>none</title><input type=file id=one multiple onchange=\"Promise.all([...files].map(async (f) => f.name + '=' + await f.text())).then((all) => document.title = all.join())\">\
        <a download=\"r&#233;port.txt\" href=\"data:text/plain,total\">Save</a>";
    let site = Site::plan().page("/", page).serve();
    // Files of a request are readable whatever the policy says of the server's disk.
    std::fs::write(
        env.work().join("szk.config.toml"),
        "[policy]\nread = [\"nothing\"]\n[server]\nmax_upload = 4\n",
    )
    .unwrap();
    let server = Server::start(&env);
    let worker = token(&env, "worker", &["--scope", "read,write"]);
    let reader = token(&env, "reader", &["--scope", "read"]);
    let other = token(&env, "other", &["--scope", "all", "--session", "else"]);
    let all = token(&env, "all", &["--scope", "all"]);
    let input = json!({"session": "work", "url": site.url("/")});
    server.call(&worker, "POST", "/v1/sessions", &input).ok();
    let title = || server.get(&worker, "/v1/sessions/work/tabs").ok()["tabs"][0]["title"].clone();

    // One field with two files.
    let act = "/v1/sessions/work/act";
    let upload: [Part; 4] = [
        ("paths", Some("a.txt"), "first"),
        ("kind", None, "upload"),
        ("selector", None, "#one"),
        ("paths", Some("b ü.txt"), "second"),
    ];
    form(&server, &worker, act, &upload, &[]).ok();
    wait_for("the files", SOON, || {
        (title() == "a.txt=first,b ü.txt=second").then_some(())
    });
    // Deeper in an input, and once for the same key.
    let fields = r##"{"field": "#one", "paths": ["upload:cv"]}"##;
    let filled: [Part; 2] = [("fields", None, fields), ("cv", Some("cv.md"), "life")];
    let path = "/v1/sessions/work/fill-form";
    let key = [("Idempotency-Key", "once")];
    let first = form(&server, &worker, path, &filled, &key).ok();
    wait_for("the file", SOON, || (title() == "cv.md=life").then_some(()));
    assert_eq!(form(&server, &worker, path, &filled, &key).ok(), first);
    let changed: [Part; 2] = [("fields", None, fields), ("cv", Some("cv.md"), "lies")];
    let again = form(&server, &worker, path, &changed, &key);
    assert_eq!(again.status, 422, "{}", again.text());

    // What is refused leaves nothing behind.
    let uploads = || {
        let folders = std::fs::read_dir(env.in_profile("work", "artifacts/uploads")).unwrap();
        folders.count()
    };
    let kept = uploads();
    let one = |file: &'static str, content: &'static str| -> [Part<'static>; 3] {
        [
            ("kind", None, "upload"),
            ("selector", None, "#one"),
            ("paths", Some(file), content),
        ]
    };
    let long: &'static str = "x".repeat(13 << 20).leak();
    let fails = |token: &str, path: &str, parts: &[Part], status: u16, code: &str| {
        form(&server, token, path, parts, &[]).fails(status, code)
    };
    fails(&worker, act, &one("../../etc/x", "x"), 400, "INVALID_INPUT");
    // No more than fits on the way: the server closes the connection without reading the rest.
    let over = &long[..(4 << 20) + 1024];
    let refused = fails(&worker, act, &one("long.txt", over), 413, "INVALID_INPUT");
    let said = "there are more than 4 MiB of files";
    assert_eq!(refused["message"], said, "{refused}");
    // Exactly as many as there may be, and one byte more.
    let most = [("paths", Some("most.txt"), &long[..4 << 20])];
    fails(
        &worker,
        act,
        &[most[0], ("tab", None, "none")],
        404,
        "NOT_FOUND",
    );
    let above = [most[0], ("paths", Some("more.txt"), "x")];
    fails(&worker, act, &above, 413, "INVALID_INPUT");
    let over = &long[..(8 << 20) + 1024];
    let refused = fails(&worker, act, &[("kind", None, over)], 413, "INVALID_INPUT");
    let said = "the input is longer than 8 MiB";
    assert_eq!(refused["message"], said, "{refused}");
    fails(&reader, act, &one("a.txt", "x"), 403, "POLICY_DENIED");
    fails(&other, act, &one("a.txt", "x"), 404, "SESSION_NOT_FOUND");
    let astray = [
        ("kind", None, "press"),
        ("key", None, "a"),
        ("text", Some("a"), "x"),
    ];
    fails(&worker, act, &astray, 400, "INVALID_INPUT");
    let named = [
        ("kind", None, "upload"),
        ("selector", None, "#one"),
        ("paths", None, "/etc/passwd"),
    ];
    fails(&worker, act, &named, 403, "POLICY_DENIED");
    let missing = [
        ("kind", None, "upload"),
        ("selector", None, "#one"),
        ("paths", None, "upload:cv"),
    ];
    fails(&worker, act, &missing, 400, "INVALID_INPUT");
    let navigate = "/v1/sessions/work/navigate";
    fails(&worker, navigate, &one("a.txt", "x"), 415, "INVALID_INPUT");
    assert_eq!(uploads(), kept);

    // A download and a PDF, as bytes; logins need more than reading.
    let click = json!({"kind": "click", "selector": "a"});
    server.call(&worker, "POST", act, &click).ok();
    let list = |token: &str| server.get(token, "/v1/sessions/work/files").ok();
    let find = |part: &str| {
        let files = list(&reader)["files"].clone();
        let mut files = files.as_array().unwrap().iter().map(|file| &file["path"]);
        files.find_map(|path| {
            path.as_str()
                .filter(|path| path.contains(part))
                .map(str::to_owned)
        })
    };
    let saved = wait_for("the download", SOON, || find("downloads/"));
    let fetch = |token: &str, path: &str| {
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._".contains(byte);
        let one = |byte: u8| match plain(&byte) {
            true => char::from(byte).to_string(),
            false => format!("%{byte:02X}"),
        };
        let path: String = path.bytes().map(one).collect();
        server.get(token, &format!("/v1/sessions/work/files/{path}"))
    };
    let report = fetch(&reader, &saved);
    assert_eq!((report.status, report.text().as_str()), (200, "total"));
    assert_eq!(report.headers["x-content-type-options"], "nosniff");
    let named = "attachment; filename=\"r_port.txt\"; filename*=UTF-8''r%C3%A9port.txt";
    assert_eq!(report.headers["content-disposition"], named);
    fetch(&other, &saved).fails(404, "SESSION_NOT_FOUND");
    let pdf = server.call(&worker, "POST", "/v1/sessions/work/pdf", &json!({}));
    let link = &pdf.headers["link"];
    let address = link.strip_prefix('<').unwrap().split('>').next().unwrap();
    assert_eq!(server.get(&reader, address).body, pdf.body, "{link}");
    let export = json!({"action": "export"});
    server
        .call(&all, "POST", "/v1/sessions/work/state", &export)
        .ok();
    let state = find("artifacts/state-").expect("the exported state");
    fetch(&reader, &state).fails(403, "POLICY_DENIED");
    assert!(fetch(&all, &state).json()["cookies"].is_array());
    for outside in ["meta.json", "downloads/../meta.json", "/etc/passwd"] {
        fetch(&all, outside).fails(404, "NOT_FOUND");
    }

    // The profile goes to another name as an archive, once it is closed.
    let archive = "/v1/profiles/work/archive";
    server.get(&worker, archive).fails(403, "POLICY_DENIED");
    server.get(&all, archive).fails(409, "SESSION_BUSY");
    env.close("work");
    let packed = server.get(&all, archive);
    assert_eq!(packed.headers["content-type"], "application/octet-stream");
    assert!(
        packed.body.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]),
        "{}",
        packed.status
    );
    let bearer = format!("Bearer {all}");
    let auth = ("Authorization", bearer.as_str());
    let binary = ("Content-Type", "application/octet-stream");
    let import = |path: &str, body: &[u8]| server.send(path, &[auth, binary], body);
    import("/v1/profiles/copy/archive", long.as_bytes()).fails(413, "INVALID_INPUT");
    let no_archive = import("/v1/profiles/copy/archive", b"no archive");
    no_archive.fails(400, "INVALID_INPUT");
    let (said, store) = (no_archive.text(), env.store().display().to_string());
    assert!(
        said.contains("the archive is not one of a profile"),
        "{said}"
    );
    assert!(!said.contains(&store), "{said}");
    import(archive, &packed.body).fails(400, "INVALID_INPUT");
    assert!(env.row("copy").is_none());
    let made = import("/v1/profiles/copy/archive", &packed.body);
    assert_eq!(made.status, 201, "{}", made.text());
    assert!(env.row("copy").is_some());
    let audit = env.szk(["audit", "show", "--json"]).ok().stdout;
    for operation in ["file_read", "profile_export", "profile_import"] {
        assert!(audit.contains(operation), "{audit}");
    }
    let _: Value = server.get(&all, "/v1/sessions/copy/files").ok();
    // Why a profile cannot be packed is said without where it is.
    let (data, moved) = (env.in_profile("copy", "profile"), env.work().join("moved"));
    std::fs::rename(&data, &moved).unwrap();
    std::os::unix::fs::symlink(&moved, &data).unwrap();
    let broken = server.get(&all, "/v1/profiles/copy/archive");
    broken.fails(507, "STORAGE");
    let said = broken.text();
    assert!(said.contains("could not use the store"), "{said}");
    assert!(!said.contains(&store), "{said}");
}
