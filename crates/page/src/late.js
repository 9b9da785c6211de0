const OPENS = '[aria-haspopup],[role=menuitem],[role=combobox],[aria-autocomplete],[list],[class*=autocomplete],[class*=tooltip],[class*=typeahead]';
const running = () => document.getAnimations().some(({ playState, currentTime, effect }) => {
  const end = playState === 'running' && effect ? effect.getComputedTiming().endTime : 0;
  return end !== Infinity && end - currentTime > 0 && end - currentTime < 1000;
});
const focused = document.activeElement;
const over = [...document.querySelectorAll(':hover')].pop();
const working = kind === 'working';
const expected = always || kind === 'typed' && focused?.matches(OPENS) || kind === 'hovered' && !!over?.closest(OPENS);
const animated = running();
if (!expected && !animated) return { ms: 0, why: '' };
return new Promise((done) => {
  const began = performance.now();
  let changed = 0, ticked = false;
  const observer = new MutationObserver((list) => {
    if (areTicks(list)) ticked = true; else changed = performance.now();
  });
  observer.observe(document, TOLD);
  const look = () => {
    const now = performance.now();
    const waits = running() || (changed ? now - changed < 50 || working && !!document.querySelector(BUSY) : expected);
    if (waits && now - began < limit) { setTimeout(look, 15); return; }
    observer.disconnect();
    const why = changed ? 'something changed late' : animated ? 'an animation' : working ? 'the page is still at work' : ticked ? 'only figures changed, as in a clock' : 'nothing changed';
    done({ ms: Math.round(now - began), why });
  };
  look();
});
