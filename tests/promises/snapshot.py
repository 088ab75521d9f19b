"""What a host tells of a page: the snapshot and the numbered picture."""

from typing import Final

from tests.promises import R, Requirement

SNAPSHOT: Final[tuple[Requirement, ...]] = (
    R("SNAP-01", "users 6", "Selectors match one element and start from what the page owns, never from counted-up ids"),
    R("SNAP-02", "design 9", "The number of an element stays its own from snapshot to snapshot"),
    R("SNAP-03", "design 9", "Full detail adds the identity facts, without classes of a state"),
    R("SNAP-04", "design 9", "What is covered is marked, what scrolling can reach is listed, the rest is not"),
    R("SNAP-05", "design 9", "States and values are those of the control; no password is told"),
    R("SNAP-06", "design 9", "The total is counted apart from the walk and agrees with it"),
    R("SNAP-07", "users 10", "Frames of other origins are read only when listed"),
    R("SNAP-08", "users 43", "Caps of nodes, depth, frames and time end in a typed answer"),
    R("SNAP-09", "design 9", "A snapshot of a part holds and counts that part"),
    R("SNAP-10", "users 1", "Everything a person can operate is listed, containers and handles are not"),
    R("SNAP-11", "users 2", "A stand-in of a hidden native control is listed once, with its role, label and state"),
    R("SNAP-12", "users 1", "Trees made of sprites and spans are named and say whether they are open"),
    R("SNAP-13", "users 2", "Unnamed controls are named from labels, neighbours, icons and tables, marked as guessed"),
    R("SNAP-14", "users 4", "Of a locked column and its copy the one on top is listed"),
    R("SNAP-15", "design 9", "A scrolled list tells how many rows it has"),
    R("SNAP-16", "design 9", "What can be read is told block by block in reading order, and nothing twice"),
    R("SNAP-17", "design 9", "Rows and items of lists hold their texts and controls; of many twenty are shown"),
    R("SNAP-18", "users 14", "Messages beside fields and those that pass are alerts and statuses"),
    R("SNAP-19", "users 43", "Page text counts as nodes do and never pushes out what can be operated"),
    R("SNAP-20", "design 9", "The numbered picture marks what can be operated where it is and leaves the page alone"),
    R("SNAP-21", "design 9", "Numbers cover neither each other nor small targets"),
    R("SNAP-30", "users 13", "Split headers and locked columns make one table"),
    R("SNAP-31", "users 13", "A table for each row, or boxes in a grid, make one table"),
    R("SNAP-32", "users 13", "Rows that exist only in view are collected, and the place is restored"),
    R("SNAP-33", "users 13", "Rows are reconciled with what the pager states"),
    R("SNAP-40", "users 25", "On zoomed, turned, scrolled and right-to-left pages bounds are right and clicks arrive"),
    R(
        "SNAP-41",
        "users 1",
        "What jQuery listens for on a container is listed, and what a page makes up about it costs nothing",
    ),
    R("SNAP-42", "users 6", "After a reload the same elements have the same selectors"),
    R("SNAP-43", "users 25", "What holds other controls is pressed on a spot of its own"),
    R("SNAP-44", "design 9", "Controls in closed shadow roots are listed and counted, up to a bound that is told"),
    R(
        "SNAP-45",
        "design 9",
        "Controls in closed shadow roots are operated and judged as any others, by ref or selector",
    ),
    R(
        "SNAP-46",
        "design 9",
        "What custom elements tell the browser alone about role, name and state is in the snapshot",
    ),
    R(
        "SNAP-47",
        "design 9",
        "A name that only the browser is told is judged, and once more before the act; looks in a row are bounded",
    ),
    R(
        "SNAP-48",
        "design 9",
        "Enter in a field and keys on a custom element are judged by the custom buttons they press",
    ),
    R(
        "SNAP-80",
        "users 7",
        "On pages of others everything a person can operate is listed, as an independent walk judges",
    ),
    R("SNAP-81", "users 25", "One of each kind that is listed there can be clicked by its selector"),
    R("SNAP-82", "users 7", "On the demo sites' pages everything a person can operate is listed, and can be clicked"),
    R("SNAP-83", "users", "Every demo site has a picture that can be looked at"),
    R("SNAP-85", "users 42", "On real pages a view and a difference are within their caps, each element told once"),
    R("SNAP-86", "users 10", "Frames that are not listed are painted over in every picture"),
    R("SNAP-84", "design 9", "Marks on the densest page name what can be clicked"),
    R("SNAP-87", "security B14", "A text that no eye can read is left out, and none that one can"),
)
