//! Dragging and scrolling.

use serde_json::json;

use super::Bench;

#[test]
fn both_kinds_of_drags() {
    let mut bench = Bench::of(
        "<style>div { position: absolute; width: 60px; height: 60px; background: teal } #to { left: 400px; top: 300px; width: 120px; height: 120px; background: silver }</style>
         <div id=to></div><div id=free style='left: 20px; top: 20px'></div><div id=own draggable=true style='left: 120px; top: 20px'></div>
         <script>
           var log = [], over = [], mouse = [];
           for (const kind of ['mouseup', 'pointerup', 'click', 'mousedown']) addEventListener(kind, (event) => mouse.push(kind + event.buttons));
           addEventListener('dragover', (event) => over.push([event.clientX, event.clientY]));
           free.onpointerdown = (down) => {
             free.setPointerCapture(down.pointerId);
             free.onpointermove = (move) => { free.style.left = move.clientX - 30 + 'px'; free.style.top = move.clientY - 30 + 'px'; };
             free.onpointerup = () => { free.onpointermove = null; log.push('dropped'); };
           };
           for (const kind of ['dragstart', 'dragend']) own.addEventListener(kind, (event) => { log.push(kind); event.dataTransfer.setData('text/plain', 'carried'); });
           to.ondragenter = (event) => { event.preventDefault(); log.push('enter'); };
           to.ondragover = (event) => event.preventDefault();
           to.ondrop = (event) => { event.preventDefault(); log.push('drop ' + event.dataTransfer.getData('text/plain') + ' ' + event.isTrusted); };
         </script>",
    );
    bench.act("drag", json!({"selector": "#free", "to": "600,500"}));
    let at = bench.page("[free.offsetLeft + 30, free.offsetTop + 30]");
    assert_eq!(
        (at, bench.page("log.splice(0)")),
        (json!([600, 500]), json!(["dropped"]))
    );
    let did = bench.act("drag", json!({"selector": "#own", "to": "#to"}));
    assert_eq!(
        bench.page("log.splice(0)"),
        json!(["dragstart", "enter", "drop carried true", "dragend"]),
        "{did}"
    );
    // As under a hand: the drag passes over many points, and takes the release of the button.
    let over = "over.length > 15 && over.every(([x, y], nth) => !nth || Math.hypot(x - over[nth - 1][0], y - over[nth - 1][1]) < 30) || over";
    assert_eq!(bench.page(over), true);
    assert_eq!(
        bench.page("[mouse.slice(mouse.indexOf('mousedown1', 1)), mouse = []][0]"),
        json!(["mousedown1"])
    );
    let refused = "nothing there took what was dropped";
    assert!(!did.to_string().contains(refused), "{did}");
    // It ends as well where nothing takes what is dropped, which is said, and the mouse is free again.
    let did = bench.act("drag", json!({"selector": "#own", "to": "600,40"}));
    assert!(did.to_string().contains(refused), "{did}");
    assert_eq!(bench.page("log.splice(0)"), json!(["dragstart", "dragend"]));
    bench.page("mouse = []; 0");
    bench.act("click", json!({"x": 700, "y": 50}));
    assert_eq!(
        bench.page("mouse"),
        json!(["mousedown1", "pointerup0", "mouseup0", "click0"])
    );
    // For the next caller, dragging works as before.
    bench.act("drag", json!({"selector": "#own", "to": "#to"}));
    assert_eq!(
        bench.page("log.filter(entry => entry.startsWith('drop')).length"),
        1
    );
    bench.fails("drag", json!({"selector": "#own"}), "INVALID_INPUT");
    bench.fails(
        "drag",
        json!({"selector": "#own", "to": "#none"}),
        "NOT_FOUND",
    );
}

/// A list makes room for what is dragged once the pointer has crossed the middle of an entry: dragged onto one, it
/// gets its place, whichever way it comes.
#[test]
fn an_entry_dragged_onto_another_takes_its_place() {
    let mut bench = Bench::of(
        "<!doctype html><style>ul { user-select: none; list-style: none; padding: 0; width: 200px } li { height: 30px; background: silver; margin: 2px } #wide { display: flex; width: 500px } #wide li { width: 90px }</style>
         <ul id=tall><li>One<li>Two<li>Three<li>Four</ul><ul id=wide><li>A<li>B<li>C<li>D</ul><ul id=own><li draggable=true>1<li draggable=true>2<li draggable=true>3</ul>
         <script>
           const order = (list) => [...list.children].map((el) => el.textContent).join(' ');
           // Whether a place is before the middle of an entry; the middle itself counts as behind it when something comes from behind.
           const crossed = (at, middle, back) => back ? at < middle - 0.5 : at > middle + 0.5;
           for (const [list, side, start] of [[tall, 'clientY', 'top'], [wide, 'clientX', 'left']]) {
             let held = null, last = 0;
             list.onpointerdown = (event) => { held = event.target; last = event[side]; };
             onpointerup = () => { held = null; };
             addEventListener('pointermove', (event) => {
               if (!held) return;
               const back = event[side] < last, over = document.elementsFromPoint(event.clientX, event.clientY).find((el) => el !== held && el.parentElement === list);
               last = event[side];
               if (!over) return;
               const box = over.getBoundingClientRect(), middle = box[start] + (start === 'top' ? box.height : box.width) / 2;
               if (crossed(event[side], middle, back)) over[back ? 'before' : 'after'](held);
             });
             addEventListener('pointerup', () => { held = null; });
           }
           // Native: what is dropped on the upper half comes before.
           let dragged;
           own.ondragstart = (event) => { dragged = event.target; event.dataTransfer.setData('text/plain', 'x'); };
           own.ondragover = (event) => event.preventDefault();
           own.ondrop = (event) => {
             const box = event.target.getBoundingClientRect(), away = event.clientY - box.top - box.height / 2;
             if (Math.abs(away) > 1) event.target[away < 0 ? 'before' : 'after'](dragged);
           };
         </script>",
    );
    let mut check = |from: &str, to: &str, list: &str, expected: &str| {
        let did = bench.act("drag", json!({"name": from, "to": format!("text={to}")}));
        assert_eq!(bench.page(&format!("order({list})")), expected, "{did}");
    };
    check("Three", "One", "tall", "Three One Two Four");
    check("Three", "Four", "tall", "One Two Four Three");
    check("D", "A", "wide", "D A B C");
    check("D", "B", "wide", "A B D C");
    check("3", "1", "own", "3 1 2");
    check("3", "2", "own", "1 2 3");
}

#[test]
fn scrolling_by_to_and_into_view() {
    let mut bench = Bench::of(
        "<body style='margin: 0; height: 5000px'><div id=box style='width: 200px; height: 200px; overflow: auto'><div style='height: 2000px'></div></div>
         <p id=far style='position: absolute; top: 4000px'>far</p>",
    );
    bench.act("scroll", json!({"dy": 700}));
    assert_eq!(bench.page("scrollY"), 700);
    bench.act("scroll", json!({"to": "bottom"}));
    assert_eq!(bench.page("scrollY + innerHeight"), 5000);
    bench.act("scroll", json!({"to": "top"}));
    assert_eq!(bench.page("scrollY"), 0);
    bench.act("scroll", json!({"selector": "#box", "dy": 300}));
    assert_eq!(bench.page("[scrollY, box.scrollTop]"), json!([0, 300]));
    bench.act("scroll", json!({"selector": "#far"}));
    let seen = "(() => { const at = far.getBoundingClientRect(); return at.top >= 0 && at.bottom <= innerHeight })()";
    assert_eq!(bench.page(seen), true);
    bench.fails("scroll", json!({}), "INVALID_INPUT");
    // Something that could scroll and does not is an error; something at its end, or with its own use
    // for the wheel, is not.
    bench.page("document.documentElement.style.overflow = 'hidden'; 0");
    bench.fails("scroll", json!({"dy": -300}), "NOT_ACTIONABLE");
    bench.page("addEventListener('wheel', (event) => event.preventDefault(), {passive: false}); 0");
    bench.act("scroll", json!({"dy": -300}));
    bench.page("document.documentElement.style.overflow = ''; 0");
    let did = bench.act("resize", json!({"width": 800, "height": 500}));
    assert_eq!(
        bench.page("[innerWidth, innerHeight]"),
        json!([800, 500]),
        "{did}"
    );
}

/// A wheel turns in notches of 120 pixels. Under a person's hand the page glides over them, unless it
/// listens to the wheel: then it gets events that are right in every field, and jumps.
#[test]
fn a_wheel_turns_in_notches_and_glides_where_nobody_listens() {
    let mut bench = Bench::of(
        "<body style='margin: 0; height: 9000px'><script>
           var places = [], wheels = [];
           addEventListener('scroll', () => places.push(scrollY));
           var listen = () => addEventListener('wheel', (event) => wheels.push([event.deltaY, event.wheelDeltaY, event.screenX - event.clientX > 0]), {passive: true});
         </script>",
    );
    let human = json!({"dy": 480, "input": "human"});
    bench.act("scroll", human.clone());
    // How often it is drawn on the way depends on the machine; a jump would stop at whole notches only.
    let glided = bench.page("[scrollY, places.filter((place) => place % 120)]");
    assert_eq!(glided[0], 480);
    assert!(
        glided[1]
            .as_array()
            .is_some_and(|places| !places.is_empty()),
        "{glided}"
    );
    bench.page("listen(); 0");
    bench.act("scroll", human);
    let notch = json!([120, -120, true]);
    let notches = json!([notch, notch, notch, notch]);
    assert_eq!(
        bench.page("[scrollY, wheels.splice(0)]"),
        json!([960, notches])
    );
    bench.act("scroll", json!({"dy": 240}));
    assert_eq!(
        bench.page("[scrollY, wheels]"),
        json!([1200, [notch, notch]])
    );
}
