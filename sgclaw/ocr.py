"""Reading text off pictures with RapidOCR: optional, off unless asked for, loaded when first used.

The wheel brings its models, so nothing is fetched. A recogniser takes seconds to load and hundreds of megabytes, and
reading keeps a core busy: call it in a thread, once for a picture.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from typing import Any, Final

from sgclaw.errors import ConfigError
from sgclaw.perception.ocr import OcrLine, Recogniser

_PACKAGES: Final = ("rapidocr", "onnxruntime")


def is_installed() -> bool:
    """Whether the extra `ocr` is there; loads nothing."""
    return all(importlib.util.find_spec(package) is not None for package in _PACKAGES)


def recogniser() -> Recogniser:
    """A recogniser of Chinese and English text; raises `BAD_CONFIG` when the extra is not installed."""
    if not is_installed():
        raise ConfigError("没有安装文字识别组件", next_step="请安装附加组件：pip install 'sgclaw[ocr]'")
    engine = importlib.import_module("rapidocr").RapidOCR(params={"Global.log_level": "critical"})

    def recognise(picture: bytes) -> Sequence[OcrLine]:
        return _lines(engine(picture))

    return recognise


def _lines(read: Any) -> list[OcrLine]:  # noqa: ANN401 - the library ships no types
    """Its corner points as boxes; it answers None for a picture without text."""
    if read.boxes is None:
        return []
    lines = []
    for corners, text, score in zip(read.boxes, read.txts, read.scores, strict=True):
        across, down = [round(float(x)) for x, _ in corners], [round(float(y)) for _, y in corners]
        box = (min(across), min(down), max(across) - min(across), max(down) - min(down))
        lines.append(OcrLine(str(text), box, float(score)))
    return lines
