// Time zone, language, and how numbers and dates are written.

const MOMENT = new Date(Date.UTC(2024, 0, 31, 23, 5, 7, 89));

probe('time zone', () => ({
  name: Intl.DateTimeFormat().resolvedOptions().timeZone,
  offsets: [0, 3, 6, 9].map((month) => new Date(2024, month, 1).getTimezoneOffset()),
  past: [new Date(1880, 0, 1), new Date(1950, 6, 1), new Date(1999, 11, 31)].map((date) => date.getTimezoneOffset()),
  text: [String(MOMENT), MOMENT.toTimeString(), MOMENT.toLocaleString(), MOMENT.toLocaleDateString(), MOMENT.toLocaleTimeString()],
}), {realms: ['document', 'worker', 'worklet']});

probe('Intl', () => {
  const makers = {Collator: [], DateTimeFormat: [], DisplayNames: [undefined, {type: 'region'}], DurationFormat: [], ListFormat: [], NumberFormat: [], PluralRules: [], RelativeTimeFormat: [], Segmenter: []};
  const options = Object.entries(makers).map(([name, args]) => [name, Intl[name] ? new Intl[name](...args).resolvedOptions() : null]);
  const lists = ['calendar', 'collation', 'currency', 'numberingSystem', 'timeZone', 'unit'].map((kind) => [kind, digest(Intl.supportedValuesOf(kind).join())]);
  return {
    options: Object.fromEntries(options),
    lists: Object.fromEntries(lists),
    text: [
      (1234567.891).toLocaleString(), (0.256).toLocaleString(undefined, {style: 'percent'}), (99).toLocaleString(undefined, {style: 'currency', currency: 'EUR'}),
      new Intl.RelativeTimeFormat(undefined, {numeric: 'auto'}).format(-1, 'day'), new Intl.ListFormat().format(['a', 'b', 'c']),
      new Intl.DisplayNames(undefined, {type: 'region'}).of('DE'), MOMENT.toLocaleDateString(undefined, {dateStyle: 'full'}), ['ä', 'z', 'a', 'Z'].sort(Intl.Collator().compare).join(),
    ],
  };
}, {realms: ['document', 'worker']});

probe('languages agree', () => {
  const formatted = Intl.DateTimeFormat().resolvedOptions().locale;
  const same = (tag) => tag.split('-')[0];
  return {ok: navigator.languages[0] === navigator.language && same(formatted) === same(navigator.language), seen: [formatted, navigator.language, navigator.languages]};
}, {check: true});

probe('time zone agrees with dates', () => {
  const {timeZone} = Intl.DateTimeFormat().resolvedOptions();
  const at = new Date(2024, 6, 1, 12);
  const there = at.toLocaleString('en-GB', {timeZone});
  return {ok: there === '01/07/2024, 12:00:00', seen: [timeZone, there, at.getTimezoneOffset()]};
}, {check: true});
