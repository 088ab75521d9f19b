"""Actions of the host beyond the first ones: pages, files, storage, events; refs and frames."""

from typing import Final

from tests.promises import R, Requirement

ACTS: Final[tuple[Requirement, ...]] = (
    R("ACT-01", "design 5", "Storage is that of the page's origin, is read back, and its secrets are withheld"),
    R("ACT-02", "design 5", "Clearing empties local storage, session storage and IndexedDB, never cookies"),
    R("ACT-03", "users 42", "A file reaches the input that is, is in, is beside or is opened by the target"),
    R("ACT-04", "users 42", "Name and size of an uploaded file are read back, and what cannot be uploaded says why"),
    R("ACT-05", "design 5", "Background pages have ids of their own, are confined and are never the default page"),
    R("ACT-06", "design 5", "Background pages end with their task and with the session, and a task opens 8 at most"),
    R("ACT-07", "design 5", "Ticking works on native and ARIA boxes; a widget that takes no such intent says so"),
    R("ACT-08", "users 7", "Results and errors about widgets say what the element stands in"),
    R("ACT-09", "users", "Texts of any script, numbers and long lists are entered exactly and fast"),
    R("ACT-10", "design 4", "Navigations, windows, dialogs, downloads and ends of pages are told as events"),
    R("ACT-11", "users", "Pages that misbehave cost bounded time and typed errors, never a false success"),
    R("ACT-12", "users 12", "A page behind another one is acted on all the same"),
    R("ACT-13", "design 4", "Events of unlisted pages are told to nobody, and no page floods the pipe with events"),
    R(
        "ACT-14",
        "users 2",
        "`observe` brings the page or what changed on it, and never turns a done act into a failure",
    ),
    R("ACT-15", "design 5", "Every action of the table works in the in-memory browser"),
    R("ACT-16", "users 5", "A ref of another version, of a removed or of a replaced element is told apart"),
    R("ACT-17", "design 4", "A command that names a page acts there, in turn with those on the same page"),
)
