"""Tasks that the agent carries out end to end on the demo sites, over the real SDKs and in real Chromium."""

from typing import Final

from tests.promises import R, Requirement

THINKING: Final[tuple[Requirement, ...]] = (
    R("THINK-01", "users 14", "A figure of a page is told as it stands there, with where it was seen"),
    R("THINK-02", "users 37", "A form is filled and saved, and what the page shows afterwards proves it"),
    R("THINK-03", "design 4", "A final act is done once after a person's yes, and read again to prove it"),
    R("THINK-04", "design 8", "A table of several pages is read whole; a number nobody read is sent back"),
    R("THINK-05", "design 8", "A downloaded file is the site's byte for byte, and its hash is the evidence"),
    R("THINK-06", "design 14", "A value of one system is typed into another only after a person read exactly it"),
    R("THINK-07", "users 41", "A missing element and a stale ref are told, and another way still does the task once"),
    R("THINK-08", "users 43", "What the task leaves open the person chooses from given answers"),
    R("THINK-09", "design 4", "A person's no leaves the site as it was, and is not asked about twice"),
    R("THINK-10", "design 13", "A cancel ends the task within a second wherever it is, and leaves the page as it is"),
)
