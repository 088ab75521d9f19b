"""The demo sites, their state, faults and drift."""

from typing import Final

from tests.promises import R, Requirement

SITES: Final[tuple[Requirement, ...]] = (
    R("SITE-01", "users 74", "./dev setup installs the component libraries once, says so, and names what is missing"),
    R("SITE-02", "users 74", "One login counts at every demo site, and one logout or expiry ends it everywhere"),
    R(
        "SITE-03",
        "users 74",
        "Sites serve the libraries of package.json and nothing else; without them they say what to run",
    ),
    R(
        "SITE-04",
        "users 74",
        "Knobs set by address or control API hold for one browser session; unknown ones are refused",
    ),
    R("SITE-05", "users 74", "Pages of other origins cannot turn knobs, neither by a request nor by an address"),
    R("SITE-06", "users 74", "Every fault does to a write what its name says, once or always, and to no other request"),
    R(
        "SITE-07",
        "users 74",
        "Ids, classes, paging and framing drift on the server: consistent, repeatable, one to one",
    ),
    R(
        "SITE-08",
        "users 74",
        "A person gets the same thing done under every drift, and a seed gives the same page again",
    ),
    R("SITE-10", "users 74", "The OA starts the same for the same day, on every machine and after every reset"),
    R("SITE-11", "users 74", "Approvals are listed, filtered, decided once, and in a batch one by one"),
    R("SITE-12", "users 74", "A meeting room is booked once at a time, and only its organiser cancels"),
    R("SITE-13", "users 74", "Notices take plain markup only; a seal request needs papers and an uploaded file"),
    R("SITE-14", "users 74", "A person works the OA in Chromium, in the shell and page by page"),
    R(
        "SITE-40",
        "users 74",
        "the finance site starts with the same 2,400 clues for the same day, with totals exact to the cent",
    ),
    R("SITE-41", "users 74", "a new clue is checked field by field on the server and numbered within its month"),
    R("SITE-42", "users 74", "a clue sent twice under one key counts once; a twin or a reused key is refused"),
    R(
        "SITE-43",
        "users 74",
        "a report of clues answers for each clue, and one that may not go does not stop the others",
    ),
    R("SITE-44", "users 74", "only open clues change, only in some fields, and only as they were last seen"),
    R("SITE-45", "users 74", "auto matching takes certain pairs only, and the adjusted balances stay equal"),
    R("SITE-46", "users 74", "chosen lines match only with equal sums; a match can be taken back"),
    R("SITE-47", "users 74", "a month closes only when matched, explained and as the person saw it; then it is locked"),
    R("SITE-48", "users 74", "the exported list of differences holds the listed lines and their sum"),
    R("SITE-49", "users 74", "the pages of the voucher query together are the ledger, with stated totals"),
    R("SITE-50", "users 74", "a person enters, edits and reports clues at the finance site in Chromium"),
    R("SITE-51", "users 74", "a person reconciles a month up to the confirmation in Chromium"),
    R("SITE-60", "users 74", "3,000 employees have fake numbers with right check digits, masked in lists"),
    R(
        "SITE-61",
        "users 74",
        "a declaration starts with last month's people and goes on where it was; wrong months are refused",
    ),
    R("SITE-62", "users 74", "a draft keeps wrong bases and names each person the authority would refuse"),
    R("SITE-63", "users 74", "a declaration is submitted once, complete and proven, and adds up to the cent"),
    R("SITE-64", "users 74", "salary slips are filtered, paged and summed; people are found by name or number"),
    R("SITE-65", "users 74", "slips are decided one by one, and anomalies and returns need a reason"),
    R("SITE-66", "users 74", "employees move, are counted in the organisation and marked; a reset forgets it"),
    R("SITE-67", "users 74", "a person declares a month step by step in Chromium"),
    R("SITE-68", "users 74", "a person checks salaries in Chromium, and a lost answer does not decide twice"),
    R(
        "SITE-69",
        "users 74",
        "every page of the finance and personnel sites works with drifted names, places and paging",
    ),
    R(
        "SITE-80",
        "users 41",
        "Legal: a contract sent twice under one key is kept once, and a second of its name is refused",
    ),
    R("SITE-81", "users 74", "Legal: a contract that breaks a rule is refused by field and nothing is kept"),
    R("SITE-82", "users 74", "Legal: measures are registered for late duties of running contracts only"),
    R("SITE-83", "users 74", "Legal: only a running contract can be ended, and a reset brings it back"),
)
