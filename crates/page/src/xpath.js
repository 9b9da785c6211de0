// XPath beside CSS, as other tools write it: `xpath=…`, or what begins like a path. It does not enter shadow roots.

const xpath = (selector) => {
  const text = selector.trim();
  if (text.startsWith('xpath=')) return text.slice(6).trim();
  return /^\(*(\.{1,2}\/|\/|\.\.$)/.test(text) ? text : null;
};
// Elements in the order of the document; of a text or an attribute, the element that has it. Below an element a path
// begins there.
const elementsBy = (expression, scope) => {
  const from = scope.nodeType === 9 ? expression : expression.replace(/^(\(*)\//, '$1./');
  const found = Document.prototype.evaluate.call(document, from, scope, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
  const elements = new Set();
  for (let at = 0; at < found.snapshotLength; at++) {
    const node = found.snapshotItem(at);
    const el = node.nodeType === 1 ? node : node.ownerElement ?? node.parentElement;
    if (el) elements.add(el);
  }
  return [...elements];
};
