//! `workflow_scrape`: the open page stays as it is.

use serde_json::json;

use super::Bench;
use crate::harness::{Answer, Site};

fn bench() -> Bench {
    let list = |asked: &crate::harness::SiteRequest| {
        let page: u32 = asked.field("p").parse().unwrap_or(1);
        let next = if page < 3 {
            format!("<a href='/list?p={}'>Next</a>", page + 1)
        } else {
            String::new()
        };
        Answer::html(format!(
            "<!doctype html><title>List {page}</title><ul><li class=item><h2>Thing {page}a</h2><b class=price>{page}.50</b></li><li class=item><h2>Thing {page}b</h2><b class=price>{page}.75</b></li></ul>
             <table><caption>Stock</caption><tr><th>Name<th>Count</tr><tr><td>Thing {page}a<td>{page}</tr></table>{next}"
        ))
    };
    let site = Site::plan()
        .on("/list", list)
        .page("/spans", "<table><tr><th>A<th>B<th>C</tr><tr><td rowspan=2>1<td>2<td>3</tr><tr><td>4<td>5</tr><tr><td colspan=2>both<td>6</tr><tr><td colspan=9>Part</tr><tr><td>7</tr></table>
           <div role=grid><div role=row><b role=columnheader>X</b><b role=columnheader>Y</b></div><div role=row><i role=gridcell>1</i><i role=gridcell>2</i></div></div>")
        .page("/other", "<title>Other</title><h1>Other page</h1>")
        .serve();
    let mut bench = Bench::at(site);
    let url = bench.site.url("/list");
    bench.mcp.ok("browser_navigate", json!({"url": url}));
    bench
}

#[test]
fn page_after_page() {
    let mut bench = bench();
    let said = bench.mcp.ok(
        "workflow_scrape",
        json!({"selectors": {"title": "h2", "price": ".price"}, "pages": 10}),
    );
    assert_eq!(
        said["entries"],
        json!([
            {"price": ["1.50", "1.75"], "title": ["Thing 1a", "Thing 1b"]},
            {"price": ["2.50", "2.75"], "title": ["Thing 2a", "Thing 2b"]},
            {"price": ["3.50", "3.75"], "title": ["Thing 3a", "Thing 3b"]},
        ])
    );
    assert_eq!(said["pages"].as_array().map(Vec::len), Some(3), "{said:#}");
    assert!(
        said["tokens"].as_u64().unwrap() > 10 && said["bytes"].as_u64() > said["tokens"].as_u64()
    );
    let schema = json!({"type": "array", "items": {"properties": {"title": {"type": "string"}, "price": {"type": "number"}}}});
    let said = bench.mcp.ok(
        "workflow_scrape",
        json!({"schema": schema, "items": ".item", "pages": 2}),
    );
    assert_eq!(
        said["entries"][3],
        json!({"title": "Thing 2b", "price": 2.75}),
        "{said:#}"
    );
    // The open page is where it was, and no extra tab is left.
    assert_eq!(
        bench.mcp.eval("work", "location.search + document.title"),
        "List 1"
    );
    let tabs = bench.mcp.ok("browser_tabs", json!({}));
    assert_eq!(tabs["tabs"].as_array().map(Vec::len), Some(1), "{tabs:#}");
}

#[test]
fn forms_addresses_and_pieces() {
    let mut bench = bench();
    let said = bench.mcp.ok("workflow_scrape", json!({"form": "tables"}));
    assert_eq!(
        said["entries"],
        json!([{"caption": "Stock", "columns": ["Name", "Count"], "rows": [["Thing 1a", "1"]]}])
    );
    // Each row has the columns of the headers, whatever its cells cover.
    let url = bench.site.url("/spans");
    let said = bench
        .mcp
        .ok("workflow_scrape", json!({"form": "tables", "urls": [url]}));
    assert_eq!(
        said["entries"],
        json!([
            {"caption": "", "columns": ["A", "B", "C"], "rows": [["1", "2", "3"], ["1", "4", "5"], ["both", "both", "6"], ["Part", "", ""], ["7", "", ""]]},
            {"caption": "", "columns": ["X", "Y"], "rows": [["1", "2"]]},
        ]),
        "{said:#}"
    );
    let urls = json!([
        bench.site.url("/other"),
        bench.site.url("/list?p=3"),
        "http://127.0.0.1:1/"
    ]);
    let said = bench
        .mcp
        .ok("workflow_scrape", json!({"urls": urls, "max_bytes": 60}));
    assert_eq!(said["pages"][0]["title"], "Other");
    assert!(said["pages"][2]["error"].is_string(), "{said:#}");
    let (mut text, mut cursor) = (
        said["content"].as_str().unwrap().to_owned(),
        said["cursor"].clone(),
    );
    while let Some(from) = cursor.as_str() {
        let more = bench.mcp.ok("workflow_scrape", json!({"cursor": from}));
        text.push_str(more["content"].as_str().unwrap());
        cursor = more["cursor"].clone();
    }
    assert!(
        text.contains("# Other page") && text.contains("Thing 3b"),
        "{text}"
    );
    // Chromium forgets to close a page whose error page is just coming.
    for round in 0..3 {
        let refused = [
            format!("http://127.0.0.1:1/a{round}"),
            "http://127.0.0.1:1/b".to_owned(),
        ];
        let urls = json!([bench.site.url("/other"), refused[0], refused[1]]);
        let said = bench.mcp.ok(
            "workflow_scrape",
            json!({"urls": urls, "timeout_ms": 20_000}),
        );
        assert!(
            said["content"].as_str().unwrap().contains("# Other page"),
            "{said:#}"
        );
        for page in [1, 2] {
            let error = said["pages"][page]["error"].as_str().unwrap();
            assert!(error.contains("net::ERR_"), "{said:#}");
        }
    }
    let tabs = bench.mcp.ok("browser_tabs", json!({}));
    assert_eq!(tabs["tabs"].as_array().map(Vec::len), Some(1), "{tabs:#}");
    bench.mcp.fails(
        "workflow_scrape",
        json!({"form": "text", "selectors": {"a": "b"}}),
        "INVALID_INPUT",
    );
    bench.mcp.fails(
        "workflow_scrape",
        json!({"selectors": {"a": "::"}}),
        "INVALID_INPUT",
    );
    let printed = bench
        .env
        .szk(["scrape", "--select", "title=h2", "-s", "work"])
        .ok()
        .stdout;
    assert_eq!(printed.trim(), r#"{"title":["Thing 1a","Thing 1b"]}"#);
}
