"""What a host does for each action and what a skill can count on, in English. A missing action fails."""

from typing import Final

ACTION_MEANINGS: Final[dict[str, str]] = {
    "click": "A real mouse click on a point of the element that nothing covers. Waits until the element is there and "
    "can be operated. When the click makes the page leave, the response comes after the next document is there.",
    "type": "Types into a field by keyboard after a click into it, replacing its content. Pickers of dates, times and "
    "colours are set directly. `text` may be a vault reference: the host puts the secret in, on the reference's "
    "own site.",
    "navigate": "Opens an address in the page and waits for the document. An HTTP error is an answer (`status`), a "
    "network error is `NAVIGATION_FAILED`.",
    "getText": "Visible text of an element; of a field its value, of a password field nothing.",
    "getHtml": "Outer HTML of an element, scrubbed: no script text, no values of password and token fields.",
    "waitForSelector": "Waits until the element is in the state. A wait that runs out is `TIMEOUT`, never a success.",
    "pageScreenshot": "A PNG of the viewport, of the whole page, or of one element, kept by the host as an artifact. "
    "Taken only of a document that was checked.",
    "select": "Chooses one option of a native select by its value or its visible text, and reads back what is chosen.",
    "scrollTo": "Scrolls the page to coordinates, or an element into view.",
    "getAomSnapshot": "Landmarks, tables and operable elements of the page, or of one element, as a tree.",
    "storageSet": "Writes one item of the page's localStorage.",
    "storageGet": "Reads one item of the page's localStorage, scrubbed: tokens and passwords are not given.",
    "zombieSpawn": "Opens an address in a new hidden page. The host closes it when the task ends.",
    "zombieKill": "Closes a hidden page that zombieSpawn opened.",
    "login": "Signs in to a site. The host takes the secret from its own vault; only the reference crosses the pipe.",
    "logout": "Signs out of a site.",
    "clearStorage": "Empties the storage of the page's origin.",
    "hover": "Moves the mouse onto an element, for menus that open under it.",
    "press": "Presses a key or a combination, on the element or on what has the focus.",
    "check": "Ticks or unticks a box and reads the state back. A radio button cannot be unticked.",
    "clear": "Empties a field.",
    "upload": "Gives a file to a file field, by its id.",
    "download": "Clicks the element and waits until the file that follows is complete on disk. The artifact's hash is "
    "of the whole file.",
    "goBack": "One step back in the page's history. No history is `NAVIGATION_FAILED`.",
    "goForward": "One step forward in the page's history. No history is `NAVIGATION_FAILED`.",
    "reload": "Loads the page again.",
    "listPages": "Every open page on a listed origin, hidden ones included.",
    "switchPage": "Makes a page the default page: the one that commands without `page` mean.",
    "closePage": "Closes a page without asking it.",
    "handleDialog": "Answers the JavaScript dialog that the page shows. A dialog nobody answers is dismissed before "
    "the next act and after 30 s at the latest. With an open dialog, click, press and type answer at once.",
    "query": "One fact. `exists` and `count` say what is there now; the others wait for their element.",
    "extractTable": "The rows of one table under their column names. `complete` is true only when every row is there "
    "and their number is the total the page states (共 N 条).",
}
