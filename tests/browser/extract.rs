//! `browser_extract`: each form, records, and long pages in parts.

use serde_json::{Value, json};

use crate::harness::{Lease, Mcp, Site};

struct Page {
    mcp: Mcp,
    env: Lease,
    site: Site,
}

impl Page {
    fn open(html: &str) -> Self {
        let env = Lease::take();
        let site = Site::of(html);
        let mut mcp = env.mcp();
        mcp.ok(
            "session_open",
            json!({"session": "work", "url": site.url("/")}),
        );
        Self { mcp, env, site }
    }

    #[track_caller]
    fn content(&mut self, input: Value) -> String {
        let output = self.mcp.ok("browser_extract", input);
        output["content"].as_str().expect("content").to_owned()
    }

    #[track_caller]
    fn entries(&mut self, input: Value) -> Value {
        self.mcp.ok("browser_extract", input)["entries"].clone()
    }
}

const MIXED: &str = "<title>Mixed</title><style>p { color: red }</style><script>var x = 'no'</script>
<h1>Rivers</h1><p>Some <b>bold</b> text with a <a href='/more'>link</a>.</p><p hidden>Hidden</p><p style='display:none'>Gone</p>
<ul><li>One</li><li>Two</li></ul><table><tr><th>Name</th><th>Length</th></tr><tr><td>Odra</td><td>854</td></tr></table>
<pre><code>fn a() {\n    b\n}</code></pre><img src='/r.png' alt='A river'><x-s></x-s>
<script>customElements.define('x-s', class extends HTMLElement { constructor() { super(); this.attachShadow({mode: 'closed'}).innerHTML = '<p>In shadow</p>' } })</script>";

#[test]
fn text_markdown_and_html_of_what_is_shown() {
    let mut page = Page::open(MIXED);
    let text = page.content(json!({"form": "text"}));
    for part in [
        "Rivers",
        "Some bold text with a link.",
        "Odra\t854",
        "    b",
        "In shadow",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let markdown = page.content(json!({}));
    let link = format!(
        "Some **bold** text with a [link]({})",
        page.site.url("/more")
    );
    for part in [
        "# Rivers",
        link.as_str(),
        "| Odra | 854 |",
        "```\nfn a() {\n    b\n}\n```",
        "In shadow",
    ] {
        assert!(markdown.contains(part), "{part}: {markdown}");
    }
    let html = page.content(json!({"form": "html", "scope": "ul"}));
    assert_eq!(html, "<ul><li>One</li><li>Two</li></ul>");
    for text in [text, markdown, page.content(json!({"form": "html"}))] {
        for part in ["Hidden", "Gone", "color: red", "var x"] {
            assert!(!text.contains(part), "{part}: {text}");
        }
    }
}

#[test]
fn the_article_and_nothing_around_it() {
    let words =
        "Rivers carry water from the mountains to the sea, and with it sand, leaves and stories. "
            .repeat(10);
    let mut page = Page::open(&format!(
        "<title>Rivers - News</title><nav><a href=/>Home</a><a href=/b>Sport</a></nav><article><h1>Rivers</h1><p>{words}</p><p>{words}</p></article><aside>Other news</aside><footer>Imprint</footer>"
    ));
    let article = page.content(json!({"form": "article"}));
    assert!(article.contains("Rivers carry water"), "{article}");
    assert!(
        !article.contains("Imprint") && !article.contains("Sport"),
        "{article}"
    );
}

#[test]
fn links_images_and_forms() {
    let mut page = Page::open(
        "<a href='/a'>First</a><a href='/b' aria-label='Second'>x</a><a href='/c' hidden>no</a><img alt=Dot src='data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'>
        <form action='/go' method=post aria-label=Sign><label>User <input name=user value=jane required></label><input type=password aria-label=Secret value=geheim><input type=checkbox aria-label=Keep checked>
        <select aria-label=Land><option>PL<option selected>FR</select><button>Send</button></form>",
    );
    let site = page.site.origin();
    assert_eq!(
        page.entries(json!({"form": "links"})),
        json!([{"text": "First", "url": format!("{site}/a")}, {"text": "Second", "url": format!("{site}/b")}])
    );
    let images = page.entries(json!({"form": "images"}));
    assert_eq!(
        (&images[0]["text"], &images[0]["width"]),
        (&json!("Dot"), &json!(1))
    );
    let forms = page.entries(json!({"form": "forms"}));
    assert_eq!(
        forms[0],
        json!({"name": "Sign", "action": format!("{site}/go"), "method": "post", "fields": [
            {"label": "User", "name": "user", "kind": "text", "value": "jane", "required": true},
            {"label": "Secret", "name": "", "kind": "password", "value": "••••••••"},
            {"label": "Keep", "name": "", "kind": "checkbox", "value": "checked"},
            {"label": "Land", "name": "", "kind": "select", "value": "FR", "options": ["PL", "FR"]},
        ], "buttons": ["Send"]})
    );
}

#[test]
fn records_of_what_repeats() {
    let cards: String = [("Red shoe", "€ 1.299,50", "In stock"), ("Blue shoe", "€ 60", "Sold out"), ("Green shoe", "", "In stock")]
        .iter()
        .map(|(name, price, stock)| {
            format!("<li class='card'><a href='/{name}'><h3>{name}</h3></a><span class='product-price'>{price}</span><span class=stock>{stock}</span></li>")
        })
        .collect();
    let mut page = Page::open(&format!(
        "<nav><ul><li><a href=/>Home</a><li><a href=/x>Sale</a><li><a href=/y>Help</a><li><a href=/z>Cart</a></ul></nav><ul class=grid>{cards}</ul>"
    ));
    let schema = json!({"type": "array", "items": {"type": "object", "properties": {
        "title": {"type": "string"}, "price": {"type": "number"}, "stock": {"type": "boolean"}, "url": {"type": "string", "format": "uri"},
    }}});
    let output = page.mcp.ok("browser_extract", json!({"schema": schema}));
    let site = page.site.origin();
    assert_eq!(
        output["entries"],
        json!([
            {"title": "Red shoe", "price": 1299.5, "stock": true, "url": format!("{site}/Red%20shoe")},
            {"title": "Blue shoe", "price": 60.0, "stock": false, "url": format!("{site}/Blue%20shoe")},
            {"title": "Green shoe", "price": null, "stock": true, "url": format!("{site}/Green%20shoe")},
        ])
    );
    assert_eq!(output["notes"][0], "`price` is missing in 1 of 3");
    // Items and fields can be named.
    let schema = json!({"type": "array", "items": {"properties": {"where": {"type": "string", "selector": "a"}}}});
    let named = page.entries(json!({"schema": schema, "items": "nav li", "limit": 2}));
    assert_eq!(named, json!([{"where": "Home"}, {"where": "Sale"}]));
}

#[test]
fn records_of_tables_and_a_single_record() {
    let mut page = Page::open(
        "<table><thead><tr><th>River</th><th>Length (km)</th><th>Navigable</th></tr></thead><tbody><tr><td>Odra</td><td>854</td><td>yes</td></tr><tr><td>Narew</td><td>499,5</td><td>no</td></tr></tbody></table>
        <dl><dt>Country</dt><dd>Poland</dd><dt>Members</dt><dd>1 234</dd></dl><p>Founded: 1920</p>",
    );
    let schema = json!({"type": "array", "items": {"properties": {
        "river": {"type": "string"}, "length": {"type": "number", "title": "Length (km)"}, "navigable": {"type": "boolean"}}}});
    assert_eq!(
        page.entries(json!({"schema": schema})),
        json!([{"river": "Odra", "length": 854.0, "navigable": true}, {"river": "Narew", "length": 499.5, "navigable": false}])
    );
    let schema = json!({"properties": {"country": {"type": "string"}, "members": {"type": "integer"}, "founded": {"type": "integer"}, "king": {"type": "string"}}});
    let one = page.mcp.ok("browser_extract", json!({"schema": schema}));
    assert_eq!(
        one["entries"],
        json!([{"country": "Poland", "members": 1234, "founded": 1920, "king": null}])
    );
    assert_eq!(one["notes"], json!(["`king` is missing in 1 of 1"]));
}

/// Headers name values and are none, and cells that cover several places have them all.
#[test]
fn tables_and_lists_of_terms_of_any_make() {
    let mut page = Page::open(
        "<table id=a><caption>Rivers</caption><thead><tr><th rowspan=2>Land</th><th colspan=2>Length</th></tr><tr><th>total</th><th>here</th></tr></thead>
          <tbody><tr><td rowspan=2>PL</td><td>854</td><td>742</td></tr><tr><td>484</td><td>448</td></tr></tbody></table>
        <div role=table><div role=row><span role=columnheader>Dish</span><span role=columnheader>Price</span></div><div role=row><span role=cell>Soup</span><span role=cell>7</span></div></div>
        <dl><dt>Opens</dt><dt>Starts</dt><dd>9 h</dd></dl>
        <table id=b><tr><th>Weight</th><th>Stock</th></tr><tr><td>2 kg</td><td>5</td></tr></table>",
    );
    let markdown = page.content(json!({}));
    for part in [
        "Rivers\n\n| Land | Length total | Length here |",
        "| PL | 854 | 742 |\n| PL | 484 | 448 |",
        "| Dish | Price |\n| ---- | ----- |\n| Soup | 7 |",
        "- **Opens, Starts**: 9 h",
    ] {
        assert!(markdown.contains(part), "{part}: {markdown}");
    }
    let each = json!({"type": "array", "items": {"properties": {"land": {"type": "string"}, "lengthHere": {"type": "integer"}, "total": {"type": "integer"}}}});
    assert_eq!(
        page.entries(json!({"schema": each, "items": "#a tr"})),
        json!([{"land": "PL", "lengthHere": 742, "total": 854}, {"land": "PL", "lengthHere": 448, "total": 484}])
    );
    let text = json!({"type": "string"});
    let one = json!({"properties": {"opens": text, "weight": text, "stock": {"type": "integer"}}});
    assert_eq!(
        page.entries(json!({"schema": one})),
        json!([{"opens": "9 h", "weight": "2 kg", "stock": 5}])
    );
}

/// Rust works out which cell covers which slot for Markdown, a script of the page for what needs its elements. Where
/// they differ, one of them tells a model another table than the other.
#[test]
fn markdown_and_values_have_the_same_tables() {
    let tables: Vec<String> = (0..24).map(table_with_spans).collect();
    let mut page = Page::open(&tables.concat());
    let markdown = page.content(json!({}));
    let values = page.mcp.ok("workflow_scrape", json!({"form": "tables"}));
    let values = values["entries"].as_array().expect("tables");
    assert_eq!(values.len(), tables.len());
    for (nth, html) in tables.iter().enumerate() {
        let (_, below) = markdown
            .split_once(&format!("| {nth} head 0 |"))
            .unwrap_or_else(|| panic!("no table {nth}: {markdown}"));
        let lines = below.lines().skip(2).take_while(|line| !line.is_empty());
        let written: Vec<Vec<&str>> = lines
            .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
            .collect();
        assert_eq!(json!(written), values[nth]["rows"], "{html}\n{markdown}");
    }
}

/// A table whose cells cover up to three columns and rows, and all that are left; the same for the same number.
fn table_with_spans(nth: usize) -> String {
    let mut state = nth as u64 + 1;
    let mut below = |limit: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % limit
    };
    let heads: String = (0..6)
        .map(|head| format!("<th>{nth} head {head}"))
        .collect();
    let rows = 3 + below(4);
    let rows: String = (0..rows)
        .map(|row| {
            let cells = below(6);
            let cells = (0..cells).map(|cell| {
                let (columns, rows) = (1 + below(3), (1 + below(4)) % 4);
                format!("<td colspan={columns} rowspan={rows}>{row}.{cell}")
            });
            let part = if row % 3 == 2 { "<tbody>" } else { "" };
            format!("{part}<tr>{}", cells.collect::<String>())
        })
        .collect();
    format!("<table><thead><tr>{heads}</thead><tbody>{rows}</table>")
}

#[test]
fn long_pages_in_pieces() {
    let text: String = (0..2000)
        .map(|n| format!("<p>Paragraph {n} łąka 😀</p>"))
        .collect();
    let mut page = Page::open(&text);
    let whole = page.content(json!({"form": "text", "max_bytes": 10_000_000}));
    let (mut pieces, mut cursor) = (String::new(), None);
    loop {
        let input = match &cursor {
            None => json!({"form": "text", "max_bytes": 9000}),
            Some(cursor) => json!({"cursor": cursor, "max_bytes": 9000}),
        };
        let output = page.mcp.ok("browser_extract", input);
        let piece = output["content"].as_str().unwrap();
        assert!(piece.len() <= 9000);
        pieces.push_str(piece);
        cursor = output["cursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(pieces, whole);
    page.mcp
        .fails("browser_extract", json!({"cursor": "s1:5"}), "NOT_FOUND");
    let told = page
        .env
        .szk([
            "extract",
            "-s",
            "work",
            "--form",
            "text",
            "--max-bytes",
            "50",
        ])
        .ok();
    assert!(told.stdout.starts_with("Paragraph 0"), "{}", told.stdout);
}

#[test]
fn what_cannot_be_done_says_so() {
    let mut page = Page::open("<p>short");
    for input in [
        json!({"form": "records"}),
        json!({"schema": {}}),
        json!({"form": "text", "schema": {"properties": {"a": {}}}}),
    ] {
        page.mcp.fails("browser_extract", input, "INVALID_INPUT");
    }
    page.mcp
        .fails("browser_extract", json!({"scope": "nav"}), "NOT_FOUND");
    let schema = json!({"type": "array", "items": {"properties": {"a": {"type": "string"}}}});
    page.mcp.fails(
        "browser_extract",
        json!({"schema": schema, "items": "::"}),
        "INVALID_INPUT",
    );
    let none = page.mcp.ok("browser_extract", json!({"schema": schema}));
    assert_eq!(none["entries"], json!([]));
}

/// A caller that names the repeated part wants all of them, even with the schema of a single one.
#[test]
fn items_of_a_schema_of_one_are_all_of_them() {
    let env = Lease::take();
    let site =
        Site::of("<div class=product><h2>One</h2></div><div class=product><h2>Two</h2></div>");
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    let schema = json!({"properties": {"name": {"type": "string", "selector": "h2"}}});
    let found = mcp.ok(
        "browser_extract",
        json!({"schema": schema, "items": ".product"}),
    );
    assert_eq!(
        found["entries"],
        json!([{"name": "One"}, {"name": "Two"}]),
        "{found:#}"
    );
}
