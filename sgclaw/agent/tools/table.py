"""All tools of a run, in the order a model reads them."""

from __future__ import annotations

from sgclaw.agent.desk import Desk
from sgclaw.agent.tools.acting import acting_tool
from sgclaw.agent.tools.asking import asking_tool, recalling_tool
from sgclaw.agent.tools.finishing import finishing_tool
from sgclaw.agent.tools.foreign import foreign_tools
from sgclaw.agent.tools.model import Tool
from sgclaw.agent.tools.reading import reading_tool
from sgclaw.agent.tools.skilled import skill_tools
from sgclaw.errors import ConfigError


def tools_of(desk: Desk) -> dict[str, Tool]:
    """The tools by name, those of other servers last; raises `BAD_CONFIG` when two have one name."""
    own = (acting_tool(desk), reading_tool(desk), *skill_tools(desk), recalling_tool(desk), asking_tool(desk))
    listed = (*own, finishing_tool(desk), *desk.equipment.tools, *foreign_tools(desk))
    by_name = {tool.spec.name: tool for tool in listed}
    if len(by_name) < len(listed):
        twice = sorted({tool.spec.name for tool in listed if by_name[tool.spec.name] is not tool})
        raise ConfigError(f"有两个工具叫 {'、'.join(twice)}", facts={"tools": twice})
    return by_name
