// What changes by itself, such as a clock, a counter or what a script moves, is hardly the effect of an act: the new value
// differs from the old one in nothing but its figures.
const FIGURES = /-?\d*\.?\d+(e-?\d+)?/g;
const alikeButFigures = (was, is) => was === is || (!!was && !!is && was.replace(FIGURES, '0') === is.replace(FIGURES, '0'));
const isTick = ({ type, target, oldValue, attributeName, attributeNamespace, addedNodes, removedNodes }) => {
  if (type === 'attributes') return alikeButFigures(oldValue, Element.prototype.getAttributeNS.call(target, attributeNamespace, attributeName));
  if (type === 'characterData') return alikeButFigures(oldValue, target.data);
  const small = (node) => !(node instanceof Element) || node.getElementsByTagName('*').length < 50;
  return addedNodes.length > 0 && addedNodes.length < 9 && addedNodes.length === removedNodes.length
    && [...addedNodes].every((is, nth) => {
      const was = removedNodes[nth];
      return is.nodeName === was.nodeName && small(is) && small(was) && alikeButFigures(was.textContent, is.textContent);
    });
};
const areTicks = (list) => list.length < 200 && list.every(isTick);
const TOLD = { subtree: true, childList: true, attributes: true, attributeOldValue: true, characterData: true, characterDataOldValue: true };
// What says of itself that the page is at work.
const BUSY = '[aria-busy=true], [role=progressbar]:not([aria-valuenow]), progress:not([value])';
