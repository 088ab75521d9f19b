// What else a failed target may have meant: the nearest things a person could operate.

const MAX_ALTERNATIVES = 5;
const NEAREST_MS = 150;
const LEAST_ALIKE = 0.35;
const MAX_MATCHES = 50;

const pairsOf = (text) => {
  const letters = text.normalize('NFKC').toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '').slice(0, 200);
  if (letters.length === 1) return new Set([letters]);
  return new Set([...letters].slice(1).map((letter, index) => letters[index] + letter));
};

/** Share of the pairs of letters that two texts have in common. */
function alikeness(wanted, other) {
  if (wanted.size === 0 || other.size === 0) return 0;
  let common = 0;
  for (const pair of wanted) if (other.has(pair)) common += 1;
  return (2 * common) / (wanted.size + other.size);
}

const WORDS = ['id', 'class', 'name', 'data-testid', 'data-id', 'aria-label', 'placeholder', 'title', 'type', 'href'];

/** What an element could have been meant by: each of its names by itself. */
const wordsOf = (el) => [nameOf(el), ...WORDS.map((name) => attr(el, name) || '')].filter(Boolean);

/** What the last step of a selector asks for: its tag, and its ids, classes and values. */
function wantedBySelector(selector) {
  const last = selector.split(' >>> ').pop().split(/[>+~]|\s+(?![^[]*\])/).pop();
  const words = last.match(/[#.]-?[\p{L}_][\p{L}\p{N}_-]*|=\s*["']?[^"'\]]+|\\[0-9a-f]+/gu) || [];
  const tag = last.match(/^[a-z][a-z0-9-]*/i);
  return { tag: tag ? tag[0].toLowerCase() : '', role: '', texts: words.map((word) => word.replace(/^[#.=\s"']+/, '')), not: null };
}

/** What is looked for in place of a target: another element that says the same, or one whose names are near. */
function wantedInstead(target) {
  if (typeof target === 'number') {
    const entry = remembered.get(target);
    return entry && entry.own !== undefined ? { tag: entry.tag, role: entry.role, texts: [entry.name], not: null } : null;
  }
  const found = findSafely(target);
  if (!Array.isArray(found) || found.length === 0) return wantedBySelector(target);
  const [el] = found;
  return { tag: tagOf(el), role: roleOf(el), texts: [nameOf(el)].filter(Boolean), not: el };
}

function isNearby(el) {
  if (!matches(el, ACTING) && !matches(el, FIELDS)) {
    if (getComputedStyle(el).cursor !== 'pointer') return false;
    const parent = flatParent(el);
    if (parent && getComputedStyle(parent).cursor === 'pointer') return false;
  }
  return visible(el);
}

function nearness(el, wanted, pairs) {
  const words = wordsOf(el).map(pairsOf);
  const best = Math.max(0, ...pairs.flatMap((pair) => words.map((word) => alikeness(pair, word))));
  const bonus = (wanted.tag === tagOf(el) ? 0.1 : 0) + (wanted.role && wanted.role === roleOf(el) ? 0.1 : 0);
  return pairs.length === 0 ? (wanted.tag === tagOf(el) ? LEAST_ALIKE : 0) : best > 0.2 ? best + bonus : 0;
}

function nearestTo(wanted) {
  const until = performance.now() + NEAREST_MS;
  const pairs = wanted.texts.map(pairsOf).filter((pair) => pair.size > 0);
  const ranked = [];
  for (const root of everyRoot(until)) {
    for (const el of queryAll(root, '*')) {
      if (performance.now() > until) return ranked;
      if (el === wanted.not || !isNearby(el)) continue;
      const score = nearness(el, wanted, pairs);
      if (score >= LEAST_ALIKE) ranked.push({ el, score });
    }
  }
  return ranked;
}

/** For a few selectors: each step is counted when it is asked for. */
class FewIndex extends Index {
  countsOf(root) {
    return { get: (step) => matchesIn(root, step).length };
  }
}

/** At most five {selector, role, name} for a target that failed; of an ambiguous one the matches themselves. */
function alternatives(target, code) {
  const found = code === 'AMBIGUOUS_TARGET' ? findSafely(target) : null;
  const wanted = found || target === null ? null : wantedInstead(target);
  const ranked = wanted ? nearestTo(wanted).sort((a, b) => b.score - a.score).map((item) => item.el) : [];
  const chosen = Array.isArray(found) ? found.slice(0, MAX_MATCHES).filter(visible) : ranked;
  const index = new FewIndex();
  return { items: chosen.slice(0, MAX_ALTERNATIVES).map((el) => ({ selector: selectorOf(el, index), ...briefly(el) })) };
}

/** Selector of an element the host knows by its number. */
function selectorFor(number) {
  const el = byToken(number);
  return el ? { selector: selectorOf(el, new FewIndex()) } : refuse('DETACHED_TARGET', { why: '框架已从页面上移除' });
}
