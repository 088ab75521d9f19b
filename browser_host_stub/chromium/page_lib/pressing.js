// The last look before a press: the page has seen the mouse come, and may have moved something under it.

const looksOf = (el) => JSON.stringify(describe(el));

/** What lies at a point of the library's document, in the document of `el` unless something covers its frame. */
function hitAt(el, point) {
  const frames = [];
  for (let frame = frameOf(el); frame; frame = frameOf(frame)) frames.unshift(frame);
  let at = point;
  for (const frame of frames) {
    const over = deepHit(docOf(frame), at.x, at.y);
    if (over !== frame) return over;
    at = inward(frame, at);
  }
  return deepHit(docOf(el), at.x, at.y);
}

/** The element at the point of `aim`; after a press also what the page has drawn anew in its place, looking the same. */
function inPlace(entry, hit, pressed) {
  if (alive(entry.hand)) return entry.hand;
  return pressed && hit && looksOf(hit) === entry.looks ? hit : null;
}

/** Once the page has answered to the mouse, or to a press before: the element still lies under it. Arms the guard. */
async function stands(number, pressed) {
  const entry = kept.get(number);
  if (!entry || !entry.point) return refuse('STALE_REF', { why: '元素的记录已经过期' });
  await nextFrame();
  const hit = hitAt(entry.hand, entry.point);
  const el = inPlace(entry, hit, pressed);
  if (!el) return refuse('DETACHED_TARGET', { why: '鼠标移上去时页面移除了它' });
  if (!hit || isFrame(hit) || !reaches(el, hit)) return covered(hit);
  arm(el);
  return { point: entry.point };
}
