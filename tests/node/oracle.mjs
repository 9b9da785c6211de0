// Our roles and names beside those of Chromium's own accessibility tree, node by node.
//
// Chromium is asked by a session of this client, never by szk: `Accessibility.enable` has a price.

// Chromium's words for what ARIA has no word for, and what we call it.
const SAME = {
  Abbr: 'generic', Audio: 'audio', Canvas: 'canvas', ColorWell: 'textbox', Date: 'textbox', DateTime: 'textbox',
  DescriptionList: 'generic', Details: 'group', DisclosureTriangle: 'summary', DisclosureTriangleGrouped: 'summary',
  EmbeddedObject: 'object', Figcaption: 'generic', Iframe: 'iframe', IframePresentational: 'iframe', InputTime: 'textbox',
  LabelText: 'generic', LayoutTable: 'table', LayoutTableCell: 'cell', LayoutTableRow: 'row', Legend: 'generic',
  MathMLMath: 'math', PluginObject: 'object', Pre: 'generic', Ruby: 'generic', RubyAnnotation: 'generic', Section: 'generic',
  SvgRoot: 'img', Video: 'video', directory: 'list', image: 'img', none: 'generic', sectionfooter: 'generic',
  sectionheader: 'generic', splitter: 'separator',
};
// Text, and what only Chromium has.
const LEFT_OUT = /^(StaticText|InlineTextBox|RootWebArea|LineBreak|ListMarker|MenuListPopup|MathML(?!Math$).*)$/;

const squeeze = (text) => text.replace(/[\s\u200b]+/g, ' ').trim();
// What only groups counts for nothing: Chromium leaves some of it out, we leave out all of it.
const counts = (node) => Boolean(node && !node.ignored && node.role !== 'none' && (node.role !== 'generic' || node.name));

export async function compare(page, script) {
  const client = await page.createCDPSession();
  const { frameTree } = await client.send('Page.getFrameTree');
  const world = await client.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id, worldName: 'oracle' });
  const engine = await client.send('Runtime.evaluate', { expression: script, contextId: world.executionContextId });
  const call = async (functionDeclaration, value, returnByValue) => {
    const answer = await client.send('Runtime.callFunctionOn', {
      objectId: engine.result.objectId, functionDeclaration, arguments: [{ value }], returnByValue,
    });
    if (answer.exceptionDetails) throw new Error(JSON.stringify(answer.exceptionDetails));
    return answer.result;
  };
  const options = { mode: 'all', boxes: false, depth: 10000, most: 1 << 24, longest: 1000, patience: 10000 };
  const report = await call('function (options) { return this.read(options); }', options, true);
  const ours = new Map();
  for (const line of report.value.text.split('\n')) {
    const [, role, number, , name] = line.split('\t');
    if (role === 'text' || number === '0') continue;
    const { objectId } = await call('function (number) { return this.node(number); }', Number(number), false);
    const { node } = await client.send('DOM.describeNode', { objectId });
    ours.set(node.backendNodeId, { role, name, tag: tag(node) });
  }
  const inside = await insides(client);
  await client.send('Accessibility.enable');
  const { nodes } = await client.send('Accessibility.getFullAXTree');
  await client.send('Accessibility.disable');
  const theirs = new Map();
  for (const node of nodes) {
    const role = node.role?.value ?? '';
    if (LEFT_OUT.test(role) || inside.has(node.backendDOMNodeId)) continue;
    theirs.set(node.backendDOMNodeId, { role: SAME[role] ?? role, name: squeeze(node.name?.value ?? ''), ignored: node.ignored });
  }
  const found = { nodes: 0, same: 0, differences: [] };
  for (const id of new Set([...ours.keys(), ...theirs.keys()])) {
    const [mine, other] = [ours.get(id), theirs.get(id)];
    if (!counts(mine) && !counts(other)) continue;
    found.nodes++;
    if (mine?.role === other?.role && mine?.name === other?.name) {
      found.same++;
      continue;
    }
    const where = mine?.tag ?? tag((await client.send('DOM.describeNode', { backendNodeId: id })).node);
    found.differences.push(`${where} | ${said(mine)} | ${said(other)}`);
  }
  await client.detach();
  return found;
}

const said = (node) => !node || node.ignored ? 'nothing' : `${node.role} ${JSON.stringify(node.name)}`;

function tag(node) {
  const attributes = [];
  for (let at = 0; at < (node.attributes ?? []).length; at += 2) attributes.push(` ${node.attributes[at]}="${node.attributes[at + 1]}"`);
  return `<${node.localName || node.nodeName}${attributes.join('').slice(0, 80)}>`;
}

// What browsers build controls of: no page has put it there, and no page can reach it.
async function insides(client) {
  const inside = new Set();
  const visit = (node, built) => {
    if (built) inside.add(node.backendNodeId);
    for (const child of node.children ?? []) visit(child, built);
    for (const root of node.shadowRoots ?? []) visit(root, built || root.shadowRootType === 'user-agent');
  };
  visit((await client.send('DOM.getDocument', { depth: -1, pierce: true })).root, false);
  return inside;
}
