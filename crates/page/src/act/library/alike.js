// Whether a field holds what was asked for, perhaps written as the page writes it.
const level = (text) => text.replace(/\r\n?/g, '\n').replace(/\n+/g, '\n').trim();
const bare = (text) => text.normalize('NFKC').toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
// The numbers that a text may mean: a mark before three digits groups them, and any other last one is the decimal mark.
// A field may group with points, too; who types one point means a decimal mark.
const amounts = (text, shown) => {
  const t = text.replace(/\u2212/g, '-').replace(/[^\d.,-]/g, '');
  if (!/^-?(?:\d[\d.,]*|[.,]\d+)$/.test(t)) return [];
  const marks = t.match(/[.,]/g) || [], last = marks[marks.length - 1];
  const whole = Number(t.replace(/[.,]/g, '')), decimal = Number(t.replace(/[.,](?=.*[.,])/g, '').replace(',', '.'));
  if (marks.length < 2) {
    const grouped = /^-?[1-9]\d{0,2}[.,]\d{3}$/.test(t);
    if (!grouped) return [decimal];
    return last === ',' ? [whole] : shown ? [decimal, whole] : [decimal];
  }
  if (/^-?\d{1,3}([.,])(?:\d{2,3}\1)*\d{3}$/.test(t)) return [whole];
  return /^-?\d{1,3}([.,])(?:\d{2,3}\1)*\d{3}(?!\1)[.,]\d*$/.test(t) ? [decimal] : [];
};
const equal = (value, expected) => amounts(value, true).some((one) => amounts(expected, false).includes(one));
// Whether a text is a number with signs or marks that decide what it is: without them it is another one.
const figure = (text) => (/^[\s\d.+-]+$/.test(text) && !/^\d+$/.test(text.trim()))
  || (/[.,]/.test(text) && /^[\s\d.,'\u2019+\u2212%\p{Sc}-]+$/u.test(text) && amounts(text, false).length > 0);
// Whether a number among words is the same: `3.5 kg` is not `35 kg`.
const marked = (value, expected) => {
  const [one, other] = [value, expected].map((text) => text.replace(/-/g, ' '));
  return !/\d[.,]\d/.test(other) || !amounts(other, false).length || equal(one, other);
};
// Whether a field holds what was asked for, perhaps as the page writes it: `(123) 456`, `1,000`, other case.
const alike = (el, value, expected) => {
  if (value === expected || level(value) === level(expected)) return true;
  if (el.type === 'password' || el instanceof HTMLTextAreaElement) return false;
  if (figure(expected)) return equal(value, expected);
  if (/^\d+$/.test(expected.trim()) && amounts(value, true).length > 0) return equal(value, expected);
  return bare(expected) !== '' && bare(value) === bare(expected) && marked(value, expected);
};
