//! Our script, assembled from its parts.

/// What tells elements apart and puts them into words; more is built on it.
macro_rules! elements {
    () => {
        concat!(
            include_str!("../xpath.js"),
            include_str!("js/roles.js"),
            include_str!("js/flat.js"),
            include_str!("js/names.js"),
            include_str!("js/content.js"),
            include_str!("js/states.js"),
            include_str!("js/listeners.js"),
            include_str!("js/hints.js"),
            include_str!("js/place.js"),
            include_str!("js/drawings.js"),
            include_str!("js/parts.js"),
            include_str!("js/nearby.js"),
            include_str!("js/walk.js"),
            include_str!("js/shown.js"),
            include_str!("js/identity.js"),
            include_str!("js/surface.js"),
        )
    };
}

/// Where the script keeps itself in its world, for as long as the document lives: also while the document
/// waits in the history, where no handle on it survives. A symbol, because a page could name an element
/// like anything else.
pub(super) const ENGINE: &str = "globalThis[Symbol.for('engine')]";

/// Everything that runs in a frame; evaluates to the object that `world` calls.
pub(super) const SCRIPT: &str = concat!(
    "globalThis[Symbol.for('engine')] ??= (() => {\n'use strict';\n",
    elements!(),
    include_str!("js/standing.js"),
    include_str!("../extract/js/tour.js"),
    include_str!("../extract/js/clean.js"),
    include_str!("../extract/js/lists.js"),
    include_str!("../extract/js/grid.js"),
    include_str!("../extract/js/fields.js"),
    include_str!("../extract/js/tables.js"),
    include_str!("../forms/js/controls.js"),
    include_str!("../extract/js/records.js"),
    include_str!("js/engine.js"),
    "\n})()"
);

/// What a recording of a person's input runs in a frame: what tells elements apart, and the listeners.
pub(crate) const WATCH: &str = concat!(
    "(() => {\n'use strict';\nif (globalThis.BINDING_flush) return;\n",
    elements!(),
    "{\n",
    include_str!("../manual/watch.js"),
    "}\n})()"
);
