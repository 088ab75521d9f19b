"""One intent on the controls of any component library."""

from typing import Final

from tests.promises import R, Requirement

WIDGETS: Final[tuple[Requirement, ...]] = (
    R("WID-01", "users 7", "One intent brings a control of every known library into the wanted state, on the site"),
    R("WID-02", "users 25", "What cannot be is a typed error, and the site holds what it held before"),
    R("WID-03", "users 25", "A missing option names those that are there, at most 20, and leaves no list open"),
    R("WID-04", "users 40", "A value that the component changes is an error that says to what"),
    R("WID-05", "users 5", "A ref of a snapshot names a component as well as a selector does"),
    R("WID-06", "users 42", "A file given to the button of an upload reaches the site"),
    R("WID-07", "users 41", "What is chosen already is not chosen again"),
    R("WID-08", "users 7", "docs/widgets.md lists every cell of the matrix, and why those fail that fail"),
    R("WID-10", "design 15", "A native control costs no act more than without the drivers"),
    R("WID-11", "design 2", "Every act of a driver goes through the browser that policy, approval and audit sit on"),
    R("WID-12", "users 40", "What a driver reads on its way is no evidence for the task"),
    R("WID-13", "users 7", "A component nobody knows is refused with the cause the host gave"),
    R("WID-14", "design 7", "A driver does nothing that the skill has not declared, and says what is missing"),
    R("WID-15", "users 41", "An act that was sent is never sent again, nor tried another way"),
    R("WID-16", "users 43", "An intent is bounded in time, and moves nothing on the page that was not named"),
    R("WID-17", "users 7", "What a component renders anew while it is driven is clicked and read again, a few times"),
    R("WID-20", "users 40", "Dates are compared by their numbers, in whatever way a field writes them"),
    R("WID-21", "users 7", "Paths and several values are read by one rule"),
    R("WID-22", "users 40", "Numbers and texts are compared as people read them"),
    R("WID-23", "users 29", "A component is recognised by its structure, innermost first, never by resemblance"),
    R("WID-25", "users 29", "A bare tag is a component's root only where a class of its library is around it"),
    R("WID-24", "users 10", "Parts of a component are looked for in its own document"),
)
