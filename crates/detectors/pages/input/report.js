// Puts the verdicts together. `sections` names what was done; all of them when it is left out.
const SECTIONS = ['move', 'click', 'double', 'right', 'type', 'wheel', 'drag', 'carry', 'scripts'];

const scripts = {
  'scripts.no-calls': { section: 'scripts', judge: () => verdict(Object.values(calls).every((count) => count === 0), Object.fromEntries(Object.entries(calls).filter(([, count]) => count))) },
  'scripts.nothing-untrusted': { section: 'scripts', judge: () => verdict(recorded.length > 0 && recorded.every((event) => event.isTrusted), recorded.filter((event) => !event.isTrusted).map((event) => event.type).slice(0, 5)) },
};

function inputReport(sections = SECTIONS) {
  const report = {};
  for (const [name, { section, judge }] of Object.entries({ ...pointer, ...keys, ...scripts })) {
    if (!sections.includes(section)) continue;
    try {
      report[name] = judge();
    } catch (error) {
      report[name] = verdict(false, String(error));
    }
  }
  return report;
}
