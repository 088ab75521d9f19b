// By what it stands in a widget of a component library is recognised.

const MAX_WITHIN = 8;
const MAX_WRITTEN = 200;

/** An element as `tag#id.class.class`, id and classes as the page has them. */
function written(el) {
  const id = attr(el, 'id');
  const classes = squeeze(attr(el, 'class')).split(' ').filter(Boolean);
  return cut(tagOf(el) + (id ? `#${id}` : '') + classes.map((name) => `.${name}`).join(''), MAX_WRITTEN);
}

/** The element and what it is in, innermost first, through shadow roots. */
function withinOf(el) {
  const chain = [];
  for (let node = el; node && chain.length < MAX_WITHIN; node = flatParent(node)) chain.push(written(node));
  return chain;
}

/** The element beside it that stands for a native control nobody sees. */
function nextOf(el) {
  const next = nextElementOf(el);
  return next ? written(next) : null;
}

const nextElementOf = getter(Element.prototype, 'nextElementSibling');
