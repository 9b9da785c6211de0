// In a world that the page cannot reach: passes on what comes from the page's own, and keeps it while
// the way out is not open yet.
(() => {
  const kept = [];
  const tell = (said) => {
    const out = globalThis.BINDING;
    if (out) out(said);
    else if (kept.length < 100) kept.push(said);
  };
  globalThis.BINDING_flush = () => kept.splice(0).forEach(tell);
  document.addEventListener('EVENT', (event) => tell(event.detail));
})();
