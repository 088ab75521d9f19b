"""Finds the skills an instruction may mean, by words alone: triggers, name, tags, domains, descriptions.

Pure. An index is built once for a catalogue and answers with the evidence and not only a number: the caller decides
what is enough to run, to ask, or to give up. Scores lie in 0…1 and compare skills for one text; they mean nothing
between texts.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sgclaw.skills.lexicon import (
    FILLERS,
    HARMLESS_GROUPS,
    KIND_OF,
    LATIN_LABELS,
    OPPOSITES,
    SOFT_WORDS,
    STANDS_FOR,
    VERB_GROUPS,
)
from sgclaw.skills.manifest import Manifest
from sgclaw.skills.words import cut, expand, fold

SAME_GROUP = 0.9
"""A verb of the same group explains a verb almost as well as itself."""
IN_DESCRIPTION = 0.8
"""A description also names what a skill touches on the way, a trigger what it is for."""
PARTLY = 0.4
"""对账单 shares a word with 对账 and is something else: good for asking, never for running."""
VERB_WEIGHT = 0.6
"""Verbs are shared by whole families of skills; the object tells them apart."""
ALL_WORDS = 0.99
MOST_OF_PURPOSE = 0.6
"""A skill without triggers is known by its description's first sentence, of which nobody says every word."""
ALIKE = 0.6
"""One wrong character in six leaves three of five pairs."""
_SENTENCE: Final = re.compile(r"[。;；.!?！？\n]")
_CLAUSE: Final = re.compile(r"[,，。;；、!?！？\n()（）]")
_NOT_FOR: Final = re.compile(
    r"不要|不用于|不适用|不支持|不包括|不含|不负责|不能|勿|除外|请用|请使用|而不是|not for|do not"
)


@dataclass(frozen=True, slots=True)
class Hit:
    """One skill's evidence for a text.

    `unexplained`: words of the text this skill does not account for. `full`: what the skill is for was said in full
    (a whole trigger, in any order; the verb may be missing where the skill only reads). `about`: more than a verb is
    shared. `verbless`: the text names no act. `harmless`: all the skill's acts only read or export. `said`: the words
    of the triggers that were said in full without any implied word.
    """

    name: str
    score: float
    full: bool
    unexplained: tuple[str, ...]
    about: bool
    verbless: bool
    harmless: bool
    said: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    phrases: tuple[str, ...]
    triggers: tuple[frozenset[str], ...]
    enough: float
    """The share of one of `triggers` that says in full what the skill is for."""
    words: Mapping[str, float]
    acts: frozenset[str]
    """Verb groups the skill is for."""
    selected: frozenset[str]
    """Those that an enumeration input selects: any of them says what the verb of a trigger says."""


class SkillIndex:
    """The words of a catalogue. Building costs about 0.1 ms a skill, after the dictionary's 0.3 s."""

    def __init__(self, manifests: Iterable[Manifest]) -> None:
        self._entries = [_entry(manifest) for manifest in manifests]
        self.vocabulary = frozenset(word for entry in self._entries for word in entry.words)
        self._phrases = [phrase for entry in self._entries for phrase in entry.phrases]
        counts: dict[str, int] = defaultdict(int)
        self._holders: dict[str, list[int]] = defaultdict(list)
        for number, entry in enumerate(self._entries):
            for word in entry.words:
                counts[word] += 1
                self._holders[word].append(number)
        self._weights = {word: math.log(1 + len(self._entries) / count) for word, count in counts.items()}
        self._unseen = math.log(1 + 2 * max(1, len(self._entries)))

    def names_task(self, text: str) -> bool:
        """Whether a folded text is (part of) a trigger: a quoted task name is not a quoted value."""
        return len(text) > 1 and any(text in phrase for phrase in self._phrases)

    def search(self, text: str, implied: Sequence[str] = ()) -> list[Hit]:
        """The skills that share words with a folded text, best first; opposites of what was asked are left out.

        `implied` are words that count for a skill that has them and never against one (3月 → 月度).
        """
        raws = [(word, raw) for raw in cut(text, self.vocabulary) for word in _meaning(raw)]
        asked = list(dict.fromkeys(word for word, _ in raws))
        query = _Query(
            hard=[word for word in asked if word not in SOFT_WORDS],
            soft=[word for word in asked if word in SOFT_WORDS],
            implied=[word for word in implied if word not in asked],
            groups=frozenset(VERB_GROUPS[word] for word in asked if word in VERB_GROUPS),
            compact=re.sub(r"\s+", "", text),
            raw=dict(reversed(raws)),
        )
        hits = [self._hit(self._entries[n], query) for n in self._candidates([*asked, *query.implied])]
        return sorted((hit for hit in hits if hit is not None), key=lambda hit: (-hit.score, hit.name))

    def longest_phrase(self, text: str) -> tuple[str, tuple[str, ...]]:
        """The longest trigger that stands in a folded text, without its spaces, and the skills that have it."""
        compact = re.sub(r"\s+", "", text)
        found = max((phrase for phrase in self._phrases if phrase in compact), key=len, default="")
        return found, tuple(sorted(entry.name for entry in self._entries if found and found in entry.phrases))

    def starts_by(self, name: str, phrase: str) -> bool:
        """Whether a trigger may start its skill: it names an act, or the skill changes nothing."""
        entry = next(entry for entry in self._entries if entry.name == name)
        return entry.acts <= HARMLESS_GROUPS or any(word in VERB_GROUPS for word in cut(phrase, self.vocabulary))

    def says_something(self, text: str) -> bool:
        """Whether a folded text has any word that could tell skills apart."""
        return any(_meaning(word) for word in cut(text, self.vocabulary))

    def unexplained(self, name: str, text: str) -> tuple[str, ...]:
        """The words of a folded text that a skill of the catalogue does not account for, as they were said."""
        entry = next(entry for entry in self._entries if entry.name == name)
        hard = [(raw, word) for raw in cut(text, self.vocabulary) for word in _meaning(raw) if word not in SOFT_WORDS]
        return tuple(dict.fromkeys(raw for raw, word in hard if self._explains(entry, word) <= PARTLY))

    def resembling(self, text: str) -> list[str]:
        """Names of skills with a trigger that a folded text spells almost (月渡报表), closest first: to ask about
        only.
        """
        compact = re.sub(r"\s+", "", text)
        groups = {VERB_GROUPS[word] for word in cut(text, self.vocabulary) if word in VERB_GROUPS}
        rated = [
            (max((_likeness(phrase, compact) for phrase in entry.phrases), default=0.0), entry.name)
            for entry in self._entries
            if not _undoes(groups, entry.acts)
        ]
        return [name for likeness, name in sorted(rated, key=lambda row: (-row[0], row[1])) if likeness >= ALIKE]

    def _candidates(self, words: Sequence[str]) -> list[int]:
        found: set[int] = set()
        for word in words:
            found.update(self._holders.get(word, ()))
            if word not in self._weights:
                found.update(n for known, holders in self._holders.items() if _shares(word, known) for n in holders)
        return sorted(found)

    def _hit(self, entry: _Entry, query: _Query) -> Hit | None:
        if _undoes(query.groups, entry.acts):
            return None
        explained = {word: self._explains(entry, word) for word in query.hard}
        named = [word for word in (*query.soft, *query.implied) if word in entry.words]
        total = sum(self._weight(word) for word in [*query.hard, *named])
        if not total:
            return None
        covered = sum(self._weight(word) * explained[word] for word in query.hard) + sum(map(self._weight, named))
        said = {word for word in query.hard if explained[word] > PARTLY} | set(query.soft)
        phrase = any(trigger in query.compact for trigger in entry.phrases)
        harmless = entry.acts <= HARMLESS_GROUPS
        implied = said | set(query.implied)
        shares = [self._share(trigger, implied, _acts_said(entry, query.groups)) for trigger in entry.triggers]
        identity = 1.0 if phrase else max(shares, default=0.0)
        tacit = entry.acts if harmless and not query.groups else _acts_said(entry, query.groups)
        full = any(self._share(trigger, implied, tacit) >= entry.enough for trigger in entry.triggers)
        whole = [trigger for trigger in entry.triggers if self._share(trigger, said, tacit) >= entry.enough]
        return Hit(
            name=entry.name,
            score=round(0.5 * covered / total + 0.5 * identity, 4),
            full=phrase or full,
            unexplained=tuple(dict.fromkeys(query.raw[word] for word in query.hard if explained[word] <= PARTLY)),
            about=phrase or len(named) > 1 or any(explained[w] >= PARTLY for w in query.hard if w not in VERB_GROUPS),
            verbless=not query.groups,
            harmless=harmless,
            said=frozenset[str]().union(*whole),
        )

    def _weight(self, word: str) -> float:
        return self._weights.get(word, self._unseen) * (VERB_WEIGHT if word in VERB_GROUPS else 1)

    def _explains(self, entry: _Entry, word: str) -> float:
        group = VERB_GROUPS.get(word)
        if group is not None:
            # A verb is explained by what the skill is for, not by a step its description mentions.
            if word in entry.words and group in entry.acts:
                return 1.0
            return SAME_GROUP if group in entry.acts or STANDS_FOR.get(group, frozenset()) & entry.acts else 0.0
        if word in entry.words:
            return entry.words[word]
        return PARTLY if any(_shares(word, known) for known in entry.words) else 0.0

    def _share(self, trigger: frozenset[str], said: set[str], acts: frozenset[str]) -> float:
        total = sum(self._weight(word) for word in trigger)
        got = sum(self._weight(word) for word in trigger if word in said or VERB_GROUPS.get(word) in acts)
        # All words of a trigger in another order: the phrase itself still wins.
        return min(got / total, ALL_WORDS) if total else 0.0


@dataclass(frozen=True, slots=True)
class _Query:
    hard: list[str]
    soft: list[str]
    implied: list[str]
    groups: frozenset[str]
    compact: str
    raw: Mapping[str, str]
    """Each word → what the person said for it: messages name nothing nobody typed."""


def _acts_said(entry: _Entry, groups: frozenset[str]) -> frozenset[str]:
    """The verb groups of a trigger that count as said by these verbs."""
    meant = groups.union(*(STANDS_FOR.get(group, frozenset()) for group in groups))
    wider = frozenset(KIND_OF[group] for group in groups if group in KIND_OF)
    return meant | wider | (entry.acts if meant & entry.selected else frozenset())


def _undoes(groups: Collection[str], acts: Collection[str]) -> bool:
    """Whether something was asked whose opposite the skill does, and the skill does not do both."""
    return any(OPPOSITES.get(group) in acts and group not in acts for group in groups)


def _likeness(phrase: str, text: str) -> float:
    """The share of the phrase's neighbouring pairs that the text has too."""
    pairs = {phrase[at : at + 2] for at in range(len(phrase) - 1)}
    return sum(pair in text for pair in pairs) / len(pairs) if len(phrase) > 3 else 0.0


def _entry(manifest: Manifest) -> _Entry:
    triggers = [fold(trigger) for trigger in manifest.triggers]
    purpose = _purpose(manifest)
    words: dict[str, float] = {}
    labels = [label for part in manifest.name.split("-") for label in LATIN_LABELS.get(part, ())]
    sources = (
        (1.0, [*triggers, *(fold(tag) for tag in manifest.tags), " ".join(manifest.name.split("-")), *labels]),
        (1.0, [" ".join(re.split(r"[.\-]", domain)) for domain in manifest.domains]),
        (0.9, [*_positive(manifest.when_to_use), *_value_texts(manifest.params)]),
        (IN_DESCRIPTION, list(_positive(manifest.description))),
        (IN_DESCRIPTION, list(_param_texts(manifest.params))),
    )
    for weight, texts in sources:
        for text in texts:
            for word in _words(text):
                words[word] = max(words.get(word, 0.0), weight)
    identities = [frozenset(_words(text)) for text in triggers] or [_identifying(purpose, manifest.domains)]
    selected = _groups(_value_texts(manifest.params))
    acts = _groups(triggers or [purpose]) | selected
    return _Entry(
        name=manifest.name,
        phrases=tuple(re.sub(r"\s+", "", trigger) for trigger in triggers if len(trigger) > 1),
        triggers=tuple(identities),
        enough=ALL_WORDS if triggers else MOST_OF_PURPOSE,
        words=words,
        acts=acts or _groups([purpose]),
        selected=selected,
    )


def _groups(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(VERB_GROUPS[word] for text in texts for word in _words(text) if word in VERB_GROUPS)


def _purpose(manifest: Manifest) -> str:
    return fold(_SENTENCE.split(manifest.description)[0])


def _identifying(purpose: str, domains: Sequence[str]) -> frozenset[str]:
    """The words of a description's first sentence without where it happens: people leave out 「从ERP系统」."""
    places = {part for domain in domains for part in re.split(r"[.\-]", domain)} | {"系统", "平台"}
    return frozenset(word for word in _words(_CLAUSE.split(purpose)[0]) if word not in places)


def _positive(text: str) -> Iterator[str]:
    """The clauses that say what a skill is for, without those that say what it is not for."""
    return (clause for clause in _CLAUSE.split(fold(text)) if clause and not _NOT_FOR.search(clause))


def _param_texts(params: Mapping[str, object]) -> Iterator[str]:
    properties = params.get("properties")
    for schema in properties.values() if isinstance(properties, Mapping) else ():
        if isinstance(schema, Mapping):
            text = fold(f"{schema.get('title') or ''} {schema.get('description') or ''}").strip()
            # 「会议主题」 is one word to the dictionary; people say 主题.
            yield f"{text} {_CLAUSE.split(text)[0].strip()[-2:]}"


def _value_texts(params: Mapping[str, object]) -> Iterator[str]:
    """The words of enumeration values: an action input of approve and reject makes a skill be for both."""
    properties = params.get("properties")
    for schema in properties.values() if isinstance(properties, Mapping) else ():
        if not isinstance(schema, Mapping):
            continue
        values = schema.get("enum")
        for value in values if isinstance(values, Sequence) else ():
            for part in re.split(r"[_\-]", fold(str(value))):
                yield from (part, *LATIN_LABELS.get(part, ()))
        yield from _label_texts(schema.get("x-labels"))


def _label_texts(labels: object) -> Iterator[str]:
    rows = labels.values() if isinstance(labels, Mapping) else labels if isinstance(labels, Sequence) else ()
    for row in rows:
        yield from (fold(str(text)) for text in ([row] if isinstance(row, str) else row))


def _words(text: str) -> list[str]:
    return [word for raw in cut(text) for word in _meaning(raw)]


def _meaning(word: str) -> tuple[str, ...]:
    if word in FILLERS or (word.isascii() and len(word) < 2):
        return ()
    return expand(word)


def _shares(word: str, known: str) -> bool:
    if len(word) < 2 or len(known) < 2 or word.isascii() or known in FILLERS:
        return False
    return known in word or word in known
