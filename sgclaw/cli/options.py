"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

JsonFlag = Annotated[bool, typer.Option("--json", help="只在标准输出打印一个 JSON 对象")]
