"""The numbered picture."""

import asyncio
from io import BytesIO

import pytest
from PIL import Image

from browser_host_stub.chromium.som import Mark, draw
from tests.unit.browser_host_stub.chromium.conftest import Tab

pytestmark = pytest.mark.asyncio(loop_scope="module")


def _picture(tab: Tab, artifact: object) -> Image.Image:
    assert isinstance(artifact, dict)
    stored = tab.driver.artifacts.get(artifact["id"])
    assert stored is not None
    return Image.open(BytesIO(stored.path.read_bytes())).convert("RGB")


@pytest.mark.requirement("SNAP-20")
async def test_marks_are_only_on_what_can_be_operated_where_it_is_and_the_page_stays_as_it_was(tab: Tab) -> None:
    await tab.open(
        "<body style='margin:0'><button style='margin:40px' id=a>甲</button><a href=# id=b>乙</a><p>文</p>"
        "<div style='position:fixed;top:200px;width:300px;height:50px;background:#eee'></div>"
        "<button style='position:absolute;top:210px;left:20px;z-index:-1'>盖住</button>"
        "<button style='margin-top:2000px'>远</button>"
    )
    before = await tab.act("getHtml", selector="body")
    data = await tab.act("pageScreenshot", None, 5.0, som_overlay=True)
    labels = data["som_labels"]
    assert isinstance(labels, list)
    assert [(label["id"], label["name"], label["selector"]) for label in labels] == [(1, "甲", "#a"), (2, "乙", "#b")]
    assert await tab.act("getHtml", selector="body") == before
    picture = _picture(tab, data["artifact"])
    assert picture.size == (1280, 800)
    x, y, width, height = labels[0]["bounds"]
    assert picture.getpixel((x + width // 2, y)) == (0xB3, 0x00, 0x1B)
    assert picture.getpixel((x + width // 2, y + height - 1)) == (0xB3, 0x00, 0x1B)
    await tab.act("click", ref=labels[1]["ref"])


@pytest.mark.requirement("SNAP-20")
async def test_without_marks_a_picture_has_no_labels(tab: Tab) -> None:
    await tab.open("<button>甲</button>")
    assert (await tab.act("pageScreenshot", None, 5.0))["som_labels"] == []
    assert (await tab.act("pageScreenshot", None, 5.0, selector="button", som_overlay=True))["som_labels"] != []


@pytest.mark.requirement("SNAP-21")
async def test_numbers_on_a_dense_page_do_not_cover_each_other_or_small_targets() -> None:
    blank = BytesIO()
    Image.new("RGB", (400, 300), "white").save(blank, "PNG")
    boxes = [(40 + column * 40, 40 + row * 34, 16, 16) for row in range(6) for column in range(8)]
    marks = [Mark(number, box, "#b3001b") for number, box in enumerate(boxes, 1)]
    picture = Image.open(BytesIO(draw(blank.getvalue(), marks))).convert("RGB")
    for x, y, width, height in boxes:
        inside = picture.crop((x + 3, y + 3, x + width - 3, y + height - 3))
        assert inside.getextrema() == ((255, 255), (255, 255), (255, 255))


@pytest.mark.requirement("SNAP-86")
@pytest.mark.parametrize("params", [{}, {"som_overlay": True}, {"full_page": True}, {"selector": "#box"}])
async def test_a_frame_that_is_not_listed_is_grey_in_every_picture(tab: Tab, params: dict[str, object]) -> None:
    far = tab.site.base.replace("127.0.0.1", "localhost")
    tab.site.show("<body style='background:#f00'>", "/red")
    tab.driver.confine(lambda url: None if url.startswith(tab.site.base) else "origin.unlisted")
    await tab.open(
        f"<body style='margin:0'><div id=box style='width:400px;height:200px'>"
        f"<iframe src={far}/red style='border:0;width:300px;height:150px'></iframe></div>"
        "<div style='overflow:hidden;height:20px'><p>字</p>"
        f"<iframe src={far}/red style='border:0;width:300px;height:150px'></iframe></div><b>后</b>"
    )
    data = await tab.act("pageScreenshot", None, 5.0, **params)
    picture = _picture(tab, data["artifact"])
    assert picture.getpixel((5, 5)) == picture.getpixel((295, 145)) == (128, 128, 128)
    assert picture.getpixel((305, 5)) == (255, 255, 255)
    colours = picture.getcolors(1_000_000)
    assert colours is not None
    assert (255, 0, 0) not in [colour for _, colour in colours]


@pytest.mark.requirement("SNAP-86")
@pytest.mark.parametrize("mode", ["closed", "open"])
async def test_a_sandboxed_frame_is_grey_also_where_scripts_cannot_see_it_and_one_of_the_page_is_not(
    tab: Tab, mode: str
) -> None:
    tab.site.show("<body style='background:#f00'>", "/red")
    tab.site.show("<body style='background:#0f0'>", "/green")
    tab.driver.confine(lambda url: None if url.startswith(tab.site.base) else "origin.unlisted")
    style = "style='border:0;width:300px;height:90px;display:block'"
    frames = (
        f"<iframe sandbox=allow-scripts src=/red {style}></iframe><iframe src=/green {style}></iframe>"
        f"<iframe sandbox srcdoc='<body bgcolor=red>' {style}></iframe>"
    )
    script = f"<script>h.attachShadow({{mode:'{mode}'}}).innerHTML=`{frames}`</script>"
    await tab.open(f"<body style='margin:0'><div id=h></div>{script}")
    colours = await _colours_once_green(tab)
    assert (255, 0, 0) not in colours
    assert (128, 128, 128) in colours


async def _colours_once_green(tab: Tab) -> list[object]:
    """Colours of a picture in which the page's own frame has been drawn."""
    async with asyncio.timeout(5.0):
        while True:
            picture = _picture(tab, (await tab.act("pageScreenshot"))["artifact"])
            colours: list[object] = [colour for _, colour in picture.getcolors(1_000_000) or ()]
            if (0, 255, 0) in colours:
                return colours


@pytest.mark.requirement("SNAP-08")
async def test_a_page_of_thousands_of_buttons_gives_a_picture_in_time(tab: Tab) -> None:
    await tab.open("<script>for(let i=0;i<3000;i++)document.write(`<button>查看${i}</button>`)</script>")
    labels = (await tab.act("pageScreenshot", None, 10.0, som_overlay=True))["som_labels"]
    assert isinstance(labels, list)
    assert labels
