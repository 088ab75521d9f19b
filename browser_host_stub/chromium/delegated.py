"""Listeners that jQuery keeps on a container for elements inside it: the browser tells of the container alone.

What jQuery has stored is read as plain data, in the page's own world and for a bounded time: nothing of the page
changes. The page may have replaced every function used there, so the answer is one text of bounded length, put together
by operators alone, and is parsed as a stranger's: a page that lies only tells of listeners that it could add as well.
The browser's own guard against side effects is not used: it takes back all compiled code of the page and costs half a
second for each snapshot.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from playwright.async_api import CDPSession
from playwright.async_api import Error as PlaywrightError

_MAX_SELECTORS: Final = 200
_MAX_HITS: Final = 5_000
_MOST_MS: Final = 300
"""Milliseconds after which the browser ends the reading."""

_MAX_TEXT: Final = 200_000
_READ: Final = """function (mostSelectors, mostHits, mostText) {
  const asked = [];
  let told = '';
  const kinds = new Set(['click', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'dblclick']);
  const plain = (owner, key) => {
    const found = owner ? Object.getOwnPropertyDescriptor(owner, key) : undefined;
    return found && found.value;
  };
  const storesOf = (view) => [plain(view, 'jQuery'), plain(view, '$'), plain(plain(view, 'layui'), '$')]
    .filter((query) => plain(query, 'expando') && plain(query, 'cache'));
  const eventsOf = (el, olds) => {
    for (const key of Object.keys(el)) {
      if (!key.startsWith('jQuery')) continue;
      const kept = plain(el, key);
      const events = typeof kept === 'object' && plain(kept, 'events');
      if (events) return events;
      for (const old of olds) {
        const stored = key === plain(old, 'expando') && plain(plain(plain(old, 'cache'), kept), 'events');
        if (stored) return stored;
      }
    }
    return null;
  };
  const inOrder = (doc) => {
    const list = [];
    const stack = [doc.documentElement];
    while (stack.length) {
      const el = stack.pop();
      list.push(el);
      for (let i = el.children.length - 1; i >= 0; i -= 1) stack.push(el.children[i]);
      const dark = el.shadowRoot ? el.shadowRoot.children : [];
      for (let i = dark.length - 1; i >= 0; i -= 1) stack.push(dark[i]);
    }
    return list;
  };
  const read = (doc, path) => {
    const list = inOrder(doc);
    const olds = storesOf(doc.defaultView);
    const hits = new Map();
    const frames = [];
    const below = (holder, selector, bit) => {
      let inside = [];
      try { inside = holder.querySelectorAll(selector); } catch (error) { return; }
      for (const el of inside) if (hits.has(el) || hits.size < mostHits) hits.set(el, (hits.get(el) || 0) | bit);
    };
    const look = (holder) => {
      const events = eventsOf(holder, olds);
      for (const type of events ? Object.keys(events) : []) {
        if (!kinds.has(type)) continue;
        const handlers = plain(events, type);
        for (let i = 0; i < (plain(handlers, 'length') || 0); i += 1) {
          const selector = plain(plain(handlers, i), 'selector');
          if (typeof selector !== 'string' || asked.length >= mostSelectors) continue;
          asked.push(selector);
          below(holder, selector, type === 'dblclick' ? 4 : 1);
        }
      }
    };
    look(doc);
    list.forEach((el, place) => {
      look(el);
      const inner = el.localName === 'iframe' || el.localName === 'frame' ? el.contentDocument : null;
      if (inner && inner.documentElement) frames.push([place, inner]);
    });
    told += path + ':' + (list.length | 0) + ':';
    for (let place = 0; place < list.length && told.length < mostText; place += 1) {
      if (hits.has(list[place])) told += place + ',' + (hits.get(list[place]) | 0) + ';';
    }
    told += '|';
    for (const [place, inner] of frames) if (told.length < mostText) read(inner, path + '/' + (place | 0));
  };
  read(this, '');
  return told.length < mostText ? told : '';
}"""
_DOCUMENT: Final = re.compile(r"((?:/\d{1,7}){0,20}):(\d{1,7}):((?:\d{1,7},\d{1,2};)*)")


@dataclass(frozen=True, slots=True)
class Hits:
    """Places in document order with the bits of their listeners, in a document of `count` elements."""

    count: int
    bits: Mapping[int, int]


async def delegated(session: CDPSession) -> Mapping[tuple[int, ...], Hits]:
    """What handlers for elements inside others hold for, by document: the places of the frames that lead to it.

    Empty when it could not be read, or was no such text.
    """
    try:
        call = f"({_READ}).call(document, {_MAX_SELECTORS}, {_MAX_HITS}, {_MAX_TEXT})"
        reply = await session.send("Runtime.evaluate", {"expression": call, "timeout": _MOST_MS})
    except PlaywrightError:
        return {}
    text = reply["result"].get("value")
    return parsed(text) if isinstance(text, str) and len(text) <= _MAX_TEXT else {}


def parsed(text: str) -> Mapping[tuple[int, ...], Hits]:
    """The documents of an answer; whatever is not written as ours is left out."""
    documents: dict[tuple[int, ...], Hits] = {}
    for told in text.split("|"):
        match = _DOCUMENT.fullmatch(told)
        if match is None:
            continue
        path = tuple(int(place) for place in match[1].split("/")[1:])
        pairs = (pair.split(",") for pair in match[3].split(";")[:-1])
        documents[path] = Hits(int(match[2]), {int(place): int(bits) & 5 for place, bits in pairs})
    return documents
