// Refills sessionStorage of a restored tab before the page's first script, in an isolated world: the
// page finds it as it left it, and nothing else.
//
// Once: a mark in this world tells szk that it happened, and szk takes the script away. Should that
// come late, an area with something in it is left alone, and after the deadline nothing happens.
(origin, items, mark, deadline) => {
  if (self !== self.top || self.origin !== origin || Date.now() > deadline) return;
  globalThis[mark] = true;
  if (sessionStorage.length) return;
  for (const { name, value } of JSON.parse(items)) sessionStorage.setItem(name, value);
}
