// Frames that the library cannot enter, and which part of them is shown.

const HOLDERS_OF_PAGES = 'iframe, frame, object, embed';

/** Part of an element's box that the boxes around it let through, in its document: at least what is to be seen. */
function unclipped(el) {
  const { left, top, right, bottom } = rectOf(el);
  let area = [left, top, right, bottom];
  let { position } = getComputedStyle(el);
  for (let node = flatParent(el); node && position !== 'fixed'; node = flatParent(node)) {
    const style = getComputedStyle(node);
    if (position === 'absolute' && style.position === 'static') continue;
    ({ position } = style);
    const clips = style.overflowX !== 'visible' && style.overflowY !== 'visible' && !['contents', 'inline'].includes(style.display);
    if (clips && !['html', 'body'].includes(tagOf(node))) area = common(area, rectOf(node));
  }
  return area;
}

const common = (area, rect) => [Math.max(area[0], rect.left), Math.max(area[1], rect.top), Math.min(area[2], rect.right), Math.min(area[3], rect.bottom)];
const screenOf = (view) => ({ left: 0, top: 0, right: view.innerWidth, bottom: view.innerHeight });

/** Left, top, right, bottom of what is shown of an element in the viewport of the library's document, else null. */
function shownArea(el) {
  if (!shown(el) || !isRendered(el, { opacityProperty: true })) return null;
  let area = unclipped(el);
  for (let frame = frameOf(el), node = el; frame; [node, frame] = [frame, frameOf(frame)]) {
    area = common(area, screenOf(viewOf(node)));
    const [from, to] = [outward(frame, { x: area[0], y: area[1] }), outward(frame, { x: area[2], y: area[3] })];
    area = [from.x, from.y, to.x, to.y];
  }
  if (window.parent !== window) area = common(area, screenOf(window));
  return area[2] > area[0] && area[3] > area[1] ? area : null;
}

/** All frames of other origins that stand in this document and in those the library reaches. */
function foreignFrames() {
  const frames = everyRoot(Infinity).flatMap((root) => queryAll(root, HOLDERS_OF_PAGES));
  return { frames: frames.filter((el) => innerDocument(el) === null).map((el) => ({ frame: namedAs(el), area: shownArea(el) })) };
}
