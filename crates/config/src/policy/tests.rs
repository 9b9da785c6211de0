use super::*;

fn policy(allowed: Option<&[&str]>, denied: &[&str]) -> Policy {
    let read = |texts: &[&str]| {
        texts
            .iter()
            .map(|text| OriginPattern::read(text).unwrap())
            .collect()
    };
    Policy {
        allowed_origins: allowed.map(read),
        denied_origins: read(denied),
        ..Policy::open()
    }
}

fn bounds(policy: Policy) -> Bounds {
    Bounds::new(policy, Vec::new())
}

#[track_caller]
fn check(
    policy: Policy,
    action: fn(&'static str) -> Action<'static>,
    allowed: &[&'static str],
    denied: &[&'static str],
) {
    let bounds = bounds(policy);
    for url in allowed {
        assert_eq!(bounds.check(action(url)), Ok(()), "{url} is allowed");
    }
    for url in denied {
        assert!(bounds.check(action(url)).is_err(), "{url} is denied");
    }
}

const FILES: [&str; 7] = [
    "file:///etc/passwd",
    " FILE:/etc/passwd",
    "fi\tle:///etc/passwd",
    "file:etc/passwd",
    "view-source:file:///etc/passwd",
    "View-Source: file:///etc/passwd",
    "file://host/etc/passwd",
];

const ENDINGS: [&str; 4] = [
    "chrome://quit",
    "chrome://restart/",
    "CHROME://inducebrowsercrashforrealz",
    "about:quit",
];

#[test]
fn without_limits_only_files_are_closed() {
    let others = [
        "https://a.example/",
        "chrome://version",
        "data:text/html,x",
        "about:blank",
        "JavaScript:1",
        "ftp://a/",
        "",
        "nonsense",
    ];
    check(Policy::open(), Action::Visit, &others, &FILES);
    check(Policy::open(), Action::Visit, &[], &ENDINGS);
    check(Policy::open(), Action::Request, &others, &FILES);
    assert!(!Policy::open().limits_anything());
}

#[test]
fn files_are_opened_by_the_switch() {
    let open = Policy {
        file_urls: Some(true),
        ..Policy::open()
    };
    assert!(!open.limits_anything());
    check(
        open,
        Action::Visit,
        &FILES[..4],
        &["file://host/etc/passwd"],
    );
    let closed = Policy {
        file_urls: Some(false),
        ..Policy::open()
    };
    assert!(closed.limits_anything());
    let bounds = bounds(closed);
    bounds.open_file("/etc/passwd".as_ref());
    assert!(bounds.check(Action::Visit("file:///etc/passwd")).is_err());
}

#[test]
fn a_person_opens_a_file_and_nothing_around_it() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    std::fs::create_dir_all(at("site/css")).unwrap();
    for name in [
        "site/index.html",
        "site/other.html",
        "site/css/a.css",
        "secret",
    ] {
        std::fs::write(at(name), "").unwrap();
    }
    let url = |name: &str| url::Url::from_file_path(at(name)).unwrap().to_string();
    let bounds = Bounds::open();
    assert!(
        bounds
            .check(Action::Visit(&url("site/index.html")))
            .is_err()
    );
    assert!(!bounds.limits_files());
    bounds.open_file(&at("site/index.html"));
    assert!(bounds.limits_files());
    let (opened, beside, above) = (
        url("site/index.html"),
        url("site/other.html"),
        url("secret"),
    );
    for action in [Action::Visit, Action::Work, Action::Document] {
        assert_eq!(bounds.check(action(&opened)), Ok(()));
        assert!(bounds.check(action(&beside)).is_err());
        assert!(bounds.check(action(&above)).is_err());
    }
    assert_eq!(
        bounds.check(Action::Request(&url("site/css/a.css"))),
        Ok(())
    );
    assert!(bounds.check(Action::Request(&url("secret"))).is_err());
    bounds.open_file(&at("site"));
    assert_eq!(bounds.check(Action::Visit(&url("site/other.html"))), Ok(()));
    assert!(bounds.check(Action::Visit(&url("secret"))).is_err());
}

#[test]
fn files_stay_within_what_may_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let inside = dir.path().join("in");
    std::fs::create_dir(&inside).unwrap();
    let url = |name: &str| {
        url::Url::from_file_path(dir.path().join(name))
            .unwrap()
            .to_string()
    };
    let limited = Policy {
        file_urls: Some(true),
        read: Some(vec![inside]),
        ..Policy::open()
    };
    let bounds = bounds(limited);
    assert!(bounds.limits_files());
    assert_eq!(bounds.check(Action::Visit(&url("in/a.html"))), Ok(()));
    assert!(bounds.check(Action::Visit(&url("out.html"))).is_err());
    assert!(bounds.check(Action::Visit(&url("in/../out.html"))).is_err());
}

#[test]
fn allowed_origins_and_no_others() {
    let patterns = ["https://a.example", "*.b.example", "http://localhost:*"];
    let limited = || policy(Some(&patterns), &[]);
    let allowed = [
        "https://a.example/x?y",
        "https://A.example:443",
        "wss://a.example/socket",
        "http://x.b.example:8080/",
        "http://localhost:3000/",
        "about:blank",
        "blob:https://a.example/1",
    ];
    let denied = [
        "http://a.example/",
        "https://a.example:8443/",
        "https://xa.example/",
        "https://a.example.evil.example/",
        "https://a.example@evil.example/",
        "https://evil.example/#https://a.example",
        "https://evil.example\\@a.example/",
        "https://b.example/",
        "https://xb.example/",
        "file:///etc/passwd",
        "chrome://settings",
        "blob:null/1",
        "nonsense",
        "view-source:https://evil.example/",
        "filesystem:https://evil.example/temporary/x",
    ];
    check(limited(), Action::Visit, &allowed, &denied);
    check(limited(), Action::Request, &allowed, &denied);
    // A page may create such documents; no one may navigate to one, because it has no origin.
    check(limited(), Action::Request, &["data:text/html,x"], &[""]);
    check(
        limited(),
        Action::Visit,
        &[],
        &["data:text/html,x", "about:version"],
    );
    check(
        limited(),
        Action::Work,
        &["chrome://newtab/", ""],
        &["chrome://settings"],
    );
    let with_data = policy(Some(&["data://", "chrome://version"]), &[]);
    check(
        with_data,
        Action::Visit,
        &["data:text/html,x", "chrome://version/"],
        &["chrome://settings"],
    );
}

#[test]
fn denied_origins_win() {
    check(
        policy(None, &["ads.example", "*.ads.example", "file://"]),
        Action::Visit,
        &["https://example.com/", "https://notads.example", "data:,x"],
        &[
            "https://ads.example:99/",
            "http://x.y.ads.example",
            "https://ads.example./",
            "file:///etc/passwd",
            "nonsense",
        ],
    );
    check(
        policy(Some(&["*"]), &["https://a.example"]),
        Action::Visit,
        &["https://b.example", "http://a.example"],
        &["https://a.example/"],
    );
    check(
        policy(None, &["bücher.example"]),
        Action::Request,
        &["https://bucher.example/"],
        &[
            "https://xn--bcher-kva.example/",
            "https://bücher.example/",
            "",
        ],
    );
}

/// Each limit on its own, and what it refuses.
#[test]
fn every_limit_refuses_what_it_is_about_and_what_gets_around_it() {
    let own = || Policy::open();
    let no_code = Policy {
        run_code: false,
        ..own()
    };
    let no_main = Policy {
        main_world: false,
        ..own()
    };
    let no_export = Policy {
        export_cookies: false,
        ..own()
    };
    let no_download = Policy {
        downloads: false,
        ..own()
    };
    let no_read = Policy {
        read: Some(Vec::new()),
        ..own()
    };
    let no_write = Policy {
        write: Some(Vec::new()),
        ..own()
    };
    let no_program = Policy {
        programs: Some(false),
        ..own()
    };
    let path = "/etc/passwd".as_ref();
    let all = [
        Action::RunCode,
        Action::RunInPage,
        Action::RunProgram,
        Action::Export,
        Action::Download,
        Action::Read(path),
        Action::Write(path),
        Action::Visit("javascript:1"),
    ];
    let refused = |policy: &Policy| -> Vec<Action<'_>> {
        let bounds = bounds(policy.clone());
        assert!(bounds.check(Action::Unlimited("x")).is_err(), "{policy:?}");
        assert!(
            bounds.check(Action::Visit("chrome://settings")).is_err(),
            "{policy:?}"
        );
        all.into_iter()
            .filter(|action| bounds.check(*action).is_err())
            .collect()
    };
    let code = Action::Visit("javascript:1");
    assert_eq!(
        refused(&no_code),
        [Action::RunCode, Action::RunInPage, Action::RunProgram, code]
    );
    assert_eq!(refused(&no_main), [Action::RunInPage, code]);
    assert_eq!(refused(&no_export), [Action::RunProgram, Action::Export]);
    assert_eq!(refused(&no_download), [Action::Download]);
    assert_eq!(refused(&no_read), [Action::RunProgram, Action::Read(path)]);
    assert_eq!(
        refused(&no_write),
        [Action::RunProgram, Action::Write(path)]
    );
    assert_eq!(refused(&no_program), [Action::RunProgram]);
    assert_eq!(bounds(own()).check(Action::Unlimited("x")), Ok(()));
}

#[test]
fn a_login_in_an_address_is_not_shown() {
    let limited = bounds(policy(Some(&[]), &[]));
    let denied = limited
        .check(Action::Visit("https://jane:s3cret@a.example/"))
        .unwrap_err();
    assert!(!denied.message.contains("s3cret"), "{denied}");
}

#[test]
fn files_of_the_store_are_closed_but_for_the_profiles_own_folders() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    std::fs::create_dir_all(at("store/shop/artifacts")).unwrap();
    let own = vec![at("store/shop/artifacts"), at("store/shop/downloads")];
    let everything = Policy {
        read: Some(vec![dir.path().to_owned()]),
        file_urls: Some(true),
        ..Policy::open()
    };
    for policy in [Policy::open(), everything] {
        let bounds = Bounds::new(policy, own.clone())
            .keeping_private(vec![at("store")])
            .blocking(Vec::new());
        for open in [
            "a.png",
            "store/shop/artifacts/a.png",
            "store/shop/artifacts/new/a.png",
            "store/shop/downloads/a",
        ] {
            // `[policy] read` takes only files whose folder exists.
            let path = at(open);
            if path.parent().is_some_and(std::path::Path::is_dir) {
                assert_eq!(bounds.check(Action::Read(&path)), Ok(()), "{open}");
            }
            assert_eq!(bounds.check(Action::Write(&path)), Ok(()), "{open}");
        }
        for closed in [
            "store/.tokens",
            "store/shop/state.json",
            "store/work/state.json",
            "store/work/artifacts/a.png",
            "store/new/meta.json",
            "store/shop/artifacts/../state.json",
        ] {
            for action in [Action::Read(&at(closed)), Action::Write(&at(closed))] {
                let denied = bounds.check(action).unwrap_err();
                assert!(denied.message.contains("in the store"), "{denied}");
            }
            let url = format!("file://{}", at(closed).display());
            assert!(bounds.check(Action::Visit(&url)).is_err(), "{closed}");
            assert!(bounds.check(Action::Request(&url)).is_err(), "{closed}");
        }
    }
}
