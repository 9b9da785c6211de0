// For a browser that nobody drives: says where things are on the screen once the pointer has come, and hands in the
// report when it is asked for.
{
  const tell = (what) => fetch('/told', { method: 'POST', body: JSON.stringify(what) });
  addEventListener('pointermove', (event) => {
    const places = {};
    for (const element of document.querySelectorAll('[id]')) {
      const box = element.getBoundingClientRect();
      places[element.id] = [
        Math.round(event.screenX - event.clientX + box.x + box.width / 2 + 7),
        Math.round(event.screenY - event.clientY + box.y + box.height / 2 + 3),
      ];
    }
    tell({ places });
  }, { once: true });
  const asking = setInterval(async () => {
    if (!(await (await fetch('/wanted')).json())) return;
    clearInterval(asking);
    tell({ report: inputReport() });
  }, 250);
}
