"""How many tokens a text costs a model, never less than a real tokenizer says, without loading one.

The bound is for the encodings o200k and cl100k (the larger of both); Qwen-class models take fewer for Chinese.
Characters are counted by what they cost alone: neighbours can only merge. Figures below were read off the encodings.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final

_ONE: Final = frozenset(
    "–—―‘’“”†•…″←↑→↓−─│█■►●　、。《》「」『』【】〜！（），－．／：；＞？～·×"
    "一万三上下不与专业东两个中串为主么义之也书了事二于五些交产享京人亿今介从他付代以们件价任份企优会传但位体"
    "何余作你使例供価保信修倍值停像元先入全公共关其具内円册再写出击分列则初利别到制前力功加务动動包化北区十午"
    "华单南即历原去县参及友反发取变口只可台右号司合同名后向否含听启告员周命和品哈商問器四回因国图土在地场址型"
    "城基報場填增声处备复外多大天失头女好如始子字存学安宋完定实审客家容密对导将小少尔就局展山岁州工左已市布常"
    "平年并广序库应店度建开异式引张当录形影径待後得微心必志态思性总息您情意感成我或户所手打找技投报拉持指按换"
    "据排接推提播支收改放政效数整文料断新方族无日时明易星是時景更最月有服期木未本机权束条来板构析果查标样核格"
    "案检模次款止正此步歳段每比民気水求江汽没治法注活流海消清游源火点無然片版物特率环现球理生用由电男画界番登"
    "的监目直相省看県真知码确示社票私种科秒称移程稍税稿空立站章端笑符第等签简算管箱米类系素索约级线组经结给络"
    "统编网置美老考者而联能自至色节英藏行表装西要見见规视角解言計記話読计认议记论设证评试话询该详语误说请读调"
    "象责败账货购费资起超路身车转软载辑输达过运近还这进连述退送选通速造連道邮部都配释里重量金钟钮链销错键长開"
    "間関门闭问间队阳陆限院除雅集雷需非面音页项预频题额首验高黑"
)
"""One token each, in both encodings."""

_TWO: Final = (
    (0x4E00, 0x5080),
    (0x50C0, 0x5100),
    (0x5140, 0x5480),
    (0x54C0, 0x55C0),
    (0x56C0, 0x5780),
    (0x57C0, 0x5980),
    (0x59C0, 0x5A00),
    (0x5B40, 0x5CC0),
    (0x5DC0, 0x6080),
    (0x60C0, 0x6140),
    (0x6200, 0x6400),
    (0x6440, 0x64C0),
    (0x6500, 0x6880),
    (0x68C0, 0x6900),
    (0x6940, 0x6980),
    (0x6B00, 0x6F40),
    (0x7040, 0x7080),
    (0x7100, 0x7140),
    (0x7200, 0x7280),
    (0x7380, 0x7440),
    (0x7500, 0x7580),
    (0x7640, 0x7780),
    (0x7840, 0x78C0),
    (0x7900, 0x7C00),
    (0x7C40, 0x7CC0),
    (0x7D00, 0x7D80),
    (0x7E80, 0x7FC0),
    (0x8000, 0x8100),
    (0x81C0, 0x8380),
    (0x83C0, 0x8440),
    (0x8640, 0x8680),
    (0x8840, 0x8900),
    (0x8980, 0x8AC0),
    (0x8B40, 0x8E00),
    (0x8F40, 0x9100),
    (0x91C0, 0x9200),
    (0x9300, 0x9340),
    (0x9480, 0x9780),
    (0x9800, 0x9900),
    (0x9980, 0x99C0),
    (0x9A40, 0x9A80),
    (0x9EC0, 0x9F00),
    (0x9F80, 0x9FC0),
    (0x3000, 0x3100),
    (0xFF01, 0xFF5F),
    (0x2500, 0x2600),
)
"""Ranges in which every character takes at most two: those whose leading bytes are a token."""

_OFTEN: Final = (
    *("aabcdfgiklmnprstuvwy", "baeilorsu", "cacehiklorstu", "dadeilorstu", "eabcdefgilmnopqrstvwxy", "faefilortu"),
    *("gaehinrsu", "haeiot", "iabcdefglmnoprstvxz", "keis", "ladeilostuy", "mabeimopsu", "nacdefgiklnopstuv"),
    *("oabcdfgiklmnoprstuvw", "paehiloprstuy", "qu", "racdefgiklmnoprstuvy", "sacehiklopstuy", "tacdefhilmoprstuy"),
    *("uabcegilmnprst", "vaei", "waehior", "xceipt", "ynpst", "ze"),
)
_FOLLOWING: Final = {pair[0]: frozenset(pair[1:]) for pair in _OFTEN}
"""Letters that often follow a letter in English: a word of such pairs is a few tokens, each other pair may split."""
_SYLLABLE: Final = 4
"""Letters of an ordinary word that make a token at the least."""

_PIECE: Final = re.compile(r" ?[A-Za-z]+|[0-9]+| ?[\[|{(]|[ \t]+(?! [A-Za-z\[|{(])|[^A-Za-z0-9]")


SLACK: Final = 12


def estimate(text: str) -> int:
    """Tokens of a text of page size, at the most; within a quarter of the true figure on Chinese pages.

    A single word may take one or two more than is said here: whoever fills a page keeps `SLACK` free.
    """
    return sum(map(_cost, _PIECE.findall(text)))


@lru_cache(maxsize=16_384)
def _cost(piece: str) -> int:
    first = piece[0]
    if not first.isascii():
        return _character(first)
    if first.isdigit():
        return -(-len(piece) // 3)
    return _word(piece.lstrip()) if piece[-1].isalpha() else 1


def _word(word: str) -> int:
    odd = sum(b.lower() not in _FOLLOWING.get(a.lower(), "") or b < "a" <= a for a, b in pairwise(word))
    return 1 + odd + (len(word) - 1) // _SYLLABLE


def _character(character: str) -> int:
    if character in _ONE:
        return 1
    code = ord(character)
    if any(start <= code < end for start, end in _TWO):
        return 2
    return len(character.encode("utf-8", "surrogatepass"))
