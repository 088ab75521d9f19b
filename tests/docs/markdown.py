"""Markdown out of data: tables, and the type of a JSON Schema in one phrase."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

Schema = Mapping[str, Any]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; `|` and newlines in cells are made harmless."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def code(text: str) -> str:
    """Inline code, whatever backticks the text holds."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _cell(text: str) -> str:
    return text.replace("\n", " ").replace("|", "\\|")


def type_phrase(schema: Schema) -> str:
    """What a value looks like: `string ≤ 64`, `array of AomNode`, `"a", "b"`."""
    return next((phrase(schema) for key, phrase in _PHRASES.items() if key in schema), _scalar(schema))


def _link(schema: Schema) -> str:
    name = str(schema["$ref"]).rpartition("/")[2]
    return f"[{name}](#{name.lower()})"


def _options(schema: Schema) -> str:
    return " or ".join(type_phrase(option) for option in schema["anyOf"] if option.get("type") != "null")


def _tuple(schema: Schema) -> str:
    return "array of " + ", ".join(type_phrase(item) for item in schema["prefixItems"])


_PHRASES: Mapping[str, Callable[[Schema], str]] = {
    "$ref": _link,
    "anyOf": _options,
    "const": lambda schema: code(f'"{schema["const"]}"'),
    "enum": lambda schema: ", ".join(code(f'"{value}"') for value in schema["enum"]),
    "prefixItems": _tuple,
    "items": lambda schema: "array of " + type_phrase(schema["items"]),
    "pattern": lambda schema: code(str(schema["pattern"])),
}
"""The first of these keys that a schema holds says what it is."""


def _scalar(schema: Schema) -> str:
    name = str(schema.get("type", "any JSON value"))
    low, high = (
        schema.get(keys[0], schema.get(keys[1])) for keys in (("minLength", "minimum"), ("maxLength", "maximum"))
    )
    if low is not None and high is not None:
        return f"{name} {low} … {high}"
    if low is not None:
        return f"{name} ≥ {low}"
    return f"{name} ≤ {high}" if high is not None else name


def fields_table(schema: Schema) -> str:
    """The fields of one object: name, type, whether it must be there or its default, what it means."""
    required = set(schema.get("required", ()))
    rows = [
        (code(name), type_phrase(field), _presence(name in required, field), str(field.get("description", "")))
        for name, field in schema.get("properties", {}).items()
        if "const" not in field
    ]
    return table(("field", "type", "if absent", "meaning"), rows) if rows else "No fields."


def fields_phrase(schema: Schema) -> str:
    """The fields of one object in one sentence: for objects of a few fields."""
    required = set(schema.get("required", ()))
    return "; ".join(
        f"{code(name)} {type_phrase(field)}{'' if name in required else ' (may be absent)'}{_meaning(field)}"
        for name, field in schema.get("properties", {}).items()
    )


def _meaning(field: Schema) -> str:
    text = str(field.get("description", "")).removesuffix(".")
    return f": {text}" if text else ""


def _presence(required: bool, field: Schema) -> str:
    if required:
        return "**required**"
    default = field.get("default")
    if default is None:
        return "nothing"
    if default == "" or isinstance(default, list | dict):
        return "empty"
    return code(f'"{default}"' if isinstance(default, str) else str(default).lower())
