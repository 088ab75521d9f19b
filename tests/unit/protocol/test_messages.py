from typing import Any

import pytest

from sgclaw.errors import WireCode, WireError
from sgclaw.protocol import messages, results
from sgclaw.protocol.channel import dump, parse
from sgclaw.protocol.messages import FROM_AGENT, FROM_HOST, Message
from sgclaw.protocol.signing import Role
from sgclaw.protocol.strict import JsonObject, decode, encode
from tests.unit.protocol.samples import ARTIFACT, BODIES, FROM_AGENT_BODIES, FROM_HOST_BODIES, NODE, PAGE, message

EVERY = [(sender, kind) for sender in Role for kind in BODIES[sender]]

RESULTS: dict[str, JsonObject] = {
    "Clicked": {"clicked": True},
    "Typed": {"typed": True, "value": "三月"},
    "Navigated": {"url": "https://erp.example.com/", "title": "首页", "status": 200},
    "Text": {"text": "x"},
    "Html": {"html": "<p>"},
    "Waited": {"found": True},
    "Screenshot": {"artifact": ARTIFACT, "som_labels": [{"id": 1, "name": "导出", "bounds": [0, 0, 1, 1]}]},
    "Selected": {"value": "1", "label": "三月"},
    "Scrolled": {"x": 0, "y": 10},
    "Snapshot": {"nodes": [{**NODE, "children": [NODE]}], "interactive_total": 2, "blank": False},
    "Stored": {"stored": True},
    "StorageValue": {"value": None},
    "Spawned": {"page": "p2", "url": "https://erp.example.com/"},
    "Closed": {"closed": True},
    "LoggedIn": {"logged_in": True},
    "LoggedOut": {"logged_out": True},
    "Cleared": {"cleared": True},
    "Hovered": {"hovered": True},
    "Pressed": {"pressed": True},
    "Checked": {"checked": False},
    "Uploaded": {"uploaded": True, "name": "a.xlsx", "size": 1},
    "Downloaded": {"artifact": ARTIFACT},
    "Pages": {"pages": [PAGE], "withheld": 1},
    "DialogHandled": {"handled": True, "message": "确定？"},
    "Fact": {"value": 3},
    "Table": {"columns": ["部门"], "rows": [["财务部"]], "row_count": 1, "page_total": 1, "complete": True},
}


def _code(sender: Role, body: JsonObject) -> WireError:
    with pytest.raises(WireError) as caught:
        parse(body, sender)
    return caught.value


def test_the_samples_hold_every_message_and_every_result() -> None:
    assert FROM_HOST_BODIES.keys() == FROM_HOST.keys()
    assert FROM_AGENT_BODIES.keys() == FROM_AGENT.keys()
    assert RESULTS.keys() == {model.__name__ for model in results.Result.__subclasses__()}


@pytest.mark.requirement("PROTO-24")
@pytest.mark.parametrize(("sender", "kind"), EVERY)
def test_every_message_comes_out_of_the_wire_as_it_went_in(sender: Role, kind: str) -> None:
    body = BODIES[sender][kind]
    made = parse(decode(encode(body)), sender)
    assert dump(made) == _without_defaults_of_nodes(body)
    assert next(iter(dump(made))) == "type"
    assert parse(dump(made), sender) == made


def _without_defaults_of_nodes(body: JsonObject) -> JsonObject:
    nodes = body.get("aom_snapshot")
    if not isinstance(nodes, list):
        return body
    return {
        **body,
        "aom_snapshot": [
            results.AomNode.model_validate(node).model_dump(mode="json", exclude_none=True) for node in nodes
        ],
    }


@pytest.mark.requirement("PROTO-24")
@pytest.mark.parametrize("name", RESULTS)
def test_every_result_is_read_from_decoded_json_without_coercion(name: str) -> None:
    model: type[results.Result] = getattr(results, name)
    made = model.model_validate(decode(encode(RESULTS[name])))
    assert model.model_validate(made.model_dump(mode="json")) == made
    assert model.natural is None or model.natural in model.model_fields
    with pytest.raises(ValueError, match="extra"):
        model.model_validate({**RESULTS[name], "extra": 1})


@pytest.mark.requirement("PROTO-24")
@pytest.mark.parametrize("name", RESULTS)
def test_a_result_written_without_its_nulls_is_the_same_result(name: str) -> None:
    model: type[results.Result] = getattr(results, name)
    made = model.model_validate(RESULTS[name])
    assert model.model_validate(made.model_dump(mode="json", exclude_none=True)) == made


@pytest.mark.requirement("PROTO-14")
@pytest.mark.parametrize(("sender", "kind"), EVERY)
def test_an_unknown_field_is_refused_in_every_message(sender: Role, kind: str) -> None:
    error = _code(sender, {**BODIES[sender][kind], "extra": "x"})
    assert (error.code, error.fatal, error.facts) == (WireCode.BAD_SCHEMA, False, {"fields": ["extra"]})


@pytest.mark.requirement("PROTO-14")
@pytest.mark.parametrize(("sender", "kind"), EVERY)
def test_a_missing_required_field_is_refused_in_every_message(sender: Role, kind: str) -> None:
    model = {Role.HOST: FROM_HOST, Role.AGENT: FROM_AGENT}[sender][kind]
    for name, field in model.model_fields.items():
        if field.is_required():
            body = {key: value for key, value in BODIES[sender][kind].items() if key != name}
            assert _code(sender, body).facts == {"fields": [name]}


@pytest.mark.requirement("PROTO-14")
@pytest.mark.parametrize(
    ("sender", "kind", "field", "value"),
    [
        (Role.HOST, "approval", "approved", "true"),
        (Role.HOST, "approval", "approved", "false"),
        (Role.HOST, "approval", "approved", 1),
        (Role.HOST, "approval", "approved", None),
        (Role.HOST, "response", "success", "true"),
        (Role.HOST, "response", "success", 1),
        (Role.HOST, "response", "seq", "1"),
        (Role.HOST, "response", "seq", 1.0),
        (Role.HOST, "response", "seq", True),
        (Role.HOST, "response", "seq", 0),
        (Role.HOST, "response", "seq", 2**53),
        (Role.HOST, "response", "page", {**PAGE, "version": "3"}),
        (Role.HOST, "response", "aom_snapshot", [{**NODE, "bounds": [1, 2, 3, 4.0]}]),
        (Role.HOST, "response", "aom_snapshot", [{**NODE, "bounds": [1, 2, 3]}]),
        (Role.HOST, "response", "aom_snapshot", [{**NODE, "children": [{"role": 1}]}]),
        (Role.HOST, "response", "aom_snapshot", [{**NODE, "onclick": "x"}]),
        (Role.HOST, "response", "error", {"code": "not a code", "message": "x"}),
        (Role.HOST, "submit_task", "instruction", ""),
        (Role.HOST, "submit_task", "task_id", "a b"),
        (Role.HOST, "submit_task", "task_id", "t" * 65),
        (Role.HOST, "submit_task", "task_id", "t1\n"),
        (Role.HOST, "submit_task", "options", {"max_steps": 0}),
        (Role.HOST, "page_event", "event", "exploded"),
        (Role.AGENT, "command", "action", "do it"),
        (Role.AGENT, "command", "params", []),
        (Role.AGENT, "command", "deadline_ms", 0),
        (Role.AGENT, "command", "deadline_ms", 600_001),
        (Role.AGENT, "command", "observe", "all"),
        (Role.AGENT, "task_state", "state", "happy"),
        (Role.AGENT, "ready", "policy_sha256", "5D" * 32),
        (Role.AGENT, "task_completed", "outcome", "maybe"),
        (Role.AGENT, "task_completed", "heal_events", [1]),
        (Role.AGENT, "task_completed", "artifacts", {}),
    ],
)
def test_a_value_of_another_kind_is_refused_and_never_coerced(
    sender: Role, kind: str, field: str, value: object
) -> None:
    error = _code(sender, {**BODIES[sender][kind], field: value})
    assert error.code == WireCode.BAD_SCHEMA
    fields = error.facts["fields"]
    assert isinstance(fields, list)
    assert all(name.split(".")[0] == field for name in fields)


@pytest.mark.requirement("PROTO-14")
@pytest.mark.parametrize("kind", ["Response", "response ", "", None, 1, ["ping"], {}, "eval"])
def test_a_type_that_is_not_exactly_a_known_one_is_unknown(kind: object) -> None:
    for sender in Role:
        assert _code(sender, {**FROM_HOST_BODIES["ping"], "type": kind}).code == WireCode.UNKNOWN_TYPE
        assert _code(sender, {"id": "1"}).code == WireCode.UNKNOWN_TYPE


def test_a_refused_message_names_fields_and_never_values() -> None:
    error = _code(Role.HOST, {**FROM_HOST_BODIES["submit_task"], "page": "secret value"})
    assert "secret value" not in str(error.as_dict())
    many = {**FROM_HOST_BODIES["ping"], **{f"f{number}": 1 for number in range(50)}}
    fields = _code(Role.HOST, many).facts["fields"]
    assert isinstance(fields, list)
    assert len(fields) == 10


def test_messages_cannot_be_changed_after_they_were_made() -> None:
    made: Any = message(Role.AGENT, "command")
    with pytest.raises(ValueError, match="frozen"):
        made.type = "other"


def test_absent_optional_fields_are_not_written_and_nulls_inside_data_are() -> None:
    made = message(Role.HOST, "response", data={"value": None}, aom_snapshot=None, page=None)
    assert dump(made) == {"type": "response", "seq": 1, "success": True, "data": {"value": None}}


def test_every_message_says_what_it_is_for() -> None:
    for model in (*FROM_HOST.values(), *FROM_AGENT.values()):
        assert model.__doc__
        assert model.__doc__ != Message.__doc__
    assert messages.FROM_HOST["protocol_error"] is messages.FROM_AGENT["protocol_error"]
