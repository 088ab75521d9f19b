"""Reading text off pictures: an extra that is not there by default."""

from __future__ import annotations

import io
import sys

import pytest
from PIL import Image, ImageDraw, ImageFont

from sgclaw import ocr
from sgclaw.errors import ConfigError


@pytest.mark.requirement("SEE-18")
@pytest.mark.skipif(ocr.is_installed(), reason="the extra `ocr` is installed")
def test_without_the_extra_a_typed_error_says_what_to_install() -> None:
    with pytest.raises(ConfigError) as caught:
        ocr.recogniser()
    assert "sgclaw[ocr]" in caught.value.next_step


@pytest.mark.requirement("SEE-18")
@pytest.mark.skipif(not ocr.is_installed(), reason="the extra `ocr` is not installed")
def test_text_is_read_off_a_picture_with_its_place() -> None:
    picture = Image.new("RGB", (600, 120), "white")
    ImageDraw.Draw(picture).text((20, 30), "Report 2026", font=ImageFont.load_default(36), fill="black")
    raw = io.BytesIO()
    picture.save(raw, "PNG")
    (line,) = ocr.recogniser()(raw.getvalue())
    assert line.text.replace(" ", "") == "Report2026"
    assert line.bounds[0] < 40


@pytest.mark.requirement("SEE-18")
def test_nothing_of_the_extra_is_loaded_by_asking_for_it() -> None:
    ocr.is_installed()
    assert "onnxruntime" not in sys.modules
