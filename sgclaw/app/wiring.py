"""Everything that carries tasks, on a session that is ready. Imports its rooms after `ready`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from sgclaw.app.opening import open_catalogue, open_model, open_toolbox
from sgclaw.audit.record_files import RecordFiles
from sgclaw.config import Settings
from sgclaw.errors import NoModelError
from sgclaw.host.handshake import Opened
from sgclaw.host.session import Services, Session
from sgclaw.ports import Binding, Browser, Model, Panel, Person, SkillRunner

if TYPE_CHECKING:
    from sgclaw.gateway.doors import Doors
    from sgclaw.gateway.think import Thinker
    from sgclaw.sandbox.pool import WorkerPool
    from sgclaw.skills.catalogue import Catalogue

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Parts:
    """One wired process, between its handshake and its end. `model` makes the model when it is asked first; each call
    gives the same one, or None when none is configured. Raises `BAD_CONFIG` or `MODEL_KEY_REFUSED`.
    """

    settings: Settings
    opened: Opened
    services: Services
    records: RecordFiles
    session: Session
    doors: Doors
    pool: WorkerPool
    catalogue: Callable[[], Catalogue]
    model: Callable[[], Model | None]


@dataclass(frozen=True, slots=True)
class Ends:
    """Where a session that we started ourselves ends instead of at the host's person."""

    panel: Callable[[Session], Panel]
    person: Person
    log: BinaryIO


def wire(session: Session, services: Services, records: RecordFiles, settings: Settings, ends: Ends | None) -> Parts:
    """Everything that carries tasks, on a session that is ready."""
    from sgclaw.gateway.choose import Chooser  # noqa: PLC0415
    from sgclaw.gateway.doors import Doors  # noqa: PLC0415
    from sgclaw.gateway.execute import Executor  # noqa: PLC0415
    from sgclaw.gateway.execute import Services as TaskServices  # noqa: PLC0415
    from sgclaw.host.browser import PipeBrowser  # noqa: PLC0415
    from sgclaw.sandbox.engine import engine_folder  # noqa: PLC0415
    from sgclaw.sandbox.pool import WorkerPool  # noqa: PLC0415
    from sgclaw.sandbox.process import start_worker  # noqa: PLC0415
    from sgclaw.sandbox.runner import ScriptRunner  # noqa: PLC0415
    from sgclaw.widgets.browser import WidgetBrowser  # noqa: PLC0415

    opened, log = session.opened, services.log
    engine = cache(engine_folder)
    pool = WorkerPool(lambda: start_worker(engine()))
    catalogue = _once(lambda: _judged(open_catalogue(settings)))
    person = ends.person if ends else session

    def open_browser(binding: Binding) -> Browser:
        return WidgetBrowser(PipeBrowser(session, services, binding))

    runners = {"script": ScriptRunner(pool, log)}
    model = _once(lambda: open_model(settings, services.clock, records))
    thinker = _once(lambda: _thinker(settings, (opened, services), model(), person, (catalogue, runners)))
    tasks = TaskServices(
        trace_id=opened.trace_id,
        policy=opened.policy,
        chooser=Chooser(opened.trace_id, catalogue, person, services.ledger, services.clock),
        open_browser=open_browser,
        runners=runners,
        panel=ends.panel(session) if ends else session,
        ledger=services.ledger,
        log=log,
        thinker=thinker if settings.model.provider else None,
    )
    doors = Doors(Executor(tasks), tasks.panel)
    for kind, handler in doors.handlers().items():
        session.on(kind, handler)
    return Parts(settings, opened, services, records, session, doors, pool, catalogue, model)


def _thinker(
    settings: Settings,
    rooms: tuple[Opened, Services],
    model: Model | None,
    person: Person,
    skills: tuple[Callable[[], Catalogue], Mapping[str, SkillRunner]],
) -> Thinker:
    """What thinks for this session. In a thread: the packages are large."""
    from sgclaw.gateway.think import Thinker, Thoughtful  # noqa: PLC0415

    if model is None:
        raise NoModelError("没有配置大模型")
    opened, services = rooms
    return Thinker(
        Thoughtful(
            trace_id=opened.trace_id,
            policy=opened.policy,
            model=model,
            catalogue=skills[0],
            runners=skills[1],
            person=person,
            ledger=services.ledger,
            clock=services.clock,
            records=services.records,
            traces=settings.state_dir / "traces",
            toolbox=(lambda: open_toolbox(settings)) if settings.toolbox.servers else None,
            unasked=_unasked(settings),
        )
    )


def _unasked(settings: Settings) -> frozenset[str]:
    """The tools of others that are called without asking a person, by the names a model sees."""
    from sgclaw.toolbox.listing import shown  # noqa: PLC0415

    return frozenset(
        shown(name, tool) for name, each in settings.toolbox.servers.items() for tool in each.without_asking
    )


def _once(make: Callable[[], T]) -> Callable[[], T]:
    """What is made, once whichever thread asks first; an error is met anew by each who asks."""
    lock = Lock()
    made: list[T] = []

    def get() -> T:
        with lock:
            if not made:
                made.append(make())
            return made[0]

    return get


def _judged(catalogue: Catalogue) -> Catalogue:
    len(catalogue.skills)  # reads and verifies everything
    return catalogue
