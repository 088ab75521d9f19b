"""What each code means and what to do about it, in English, for those who write a host. A missing code fails."""

from sgclaw.errors import ActionCode, WireCode

WIRE_CODES: dict[WireCode, str] = {
    WireCode.BAD_ENCODING: "Not strict UTF-8, or text with a lone surrogate.",
    WireCode.BAD_JSON: "Not exactly one JSON object without anything around it.",
    WireCode.DUPLICATE_KEY: "A key occurs twice in one object; keys are compared after unescaping.",
    WireCode.BAD_NUMBER: "NaN, Infinity, an exponent, an integer outside ±(2^53 − 1), a decimal that needs one.",
    WireCode.TOO_DEEP: "Nested deeper than the cap.",
    WireCode.TOO_LARGE: "More values in one line than the cap; when sending: the line is longer than its cap.",
    WireCode.LINE_TOO_LONG: "More bytes than the cap before a newline came.",
    WireCode.BAD_SCHEMA: "Authentic, but a field is missing, unknown or of another kind, or `security` is not right.",
    WireCode.UNKNOWN_TYPE: "Authentic, but no message of this type goes in this direction.",
    WireCode.BAD_HMAC: "A JSON object without the exact suffix, or signed over other bytes or by another key. "
    "Also a response whose `re` is not the MAC of the command it answers.",
    WireCode.TOO_MANY_BAD_HMAC: "The third bad MAC of the session.",
    WireCode.TOO_MANY_REFUSED: "More refused lines in a row than the protocol allows, without a good one between them.",
    WireCode.REPLAYED: "The number was used before, or the command was answered before.",
    WireCode.SEQUENCE_GAP: "A number was left out. The pipe is lossless, so nothing after a gap can be trusted.",
    WireCode.UNKNOWN_SEQ: "A response to a command that was never sent.",
    WireCode.LATE_RESPONSE: "A response after the command's deadline, or after `cancel_command`.",
    WireCode.BAD_STATE: "Not legal in this phase of the session.",
    WireCode.SECOND_INIT: "`init` comes once, and only as the first line.",
    WireCode.HANDSHAKE_FAILED: "The first line is not a usable `init`, or the protocol is another one.",
}

ACTION_CODES: dict[ActionCode, str] = {
    ActionCode.ACTION_FAILED: "None of the codes below fits. sgclaw reads codes it does not know as this one.",
    ActionCode.UNKNOWN_ACTION: "The action is not in the table.",
    ActionCode.BAD_PARAMS: "`params` do not fit the action's row.",
    ActionCode.NOT_IMPLEMENTED: "This host does not carry out this action.",
    ActionCode.NOT_FOUND: "No element matches. Never a success.",
    ActionCode.AMBIGUOUS_TARGET: "Several elements match. Never a success, and never the first one.",
    ActionCode.HIDDEN_TARGET: "The element is not visible.",
    ActionCode.COVERED_TARGET: "Something else would take the click; `facts.covered_by` names it.",
    ActionCode.DISABLED_TARGET: "The control is disabled.",
    ActionCode.DETACHED_TARGET: "The page took the element away between the check and the act; nothing was done.",
    ActionCode.STALE_REF: "`ref` is of an older snapshot of the page, or what was checked is now something else.",
    ActionCode.UNSUPPORTED_WIDGET: "No native control of the kind the act needs; `facts.within` says what it is.",
    ActionCode.TIMEOUT: "Not done before the deadline, and nothing can have changed.",
    ActionCode.NAVIGATION_FAILED: "The address could not be opened.",
    ActionCode.DOWNLOAD_FAILED: "The file did not arrive whole.",
    ActionCode.PAGE_GONE: "The page is closed or crashed.",
    ActionCode.UNKNOWN_OUTCOME: "A state-changing act was begun and its effect is not known. Never retried.",
}

REFUSALS: dict[str, str] = {
    "POLICY_DENIED": "The policy refuses; `facts.rule` is one of the rule words.",
    "NEEDS_APPROVAL": "A person has to say yes first; `facts.approval_id` names the act the host holds.",
    "NEEDS_HUMAN": "A person has to do something first, for example sign in or solve a captcha.",
}

APPROVAL_FACTS: dict[str, str] = {
    "approval_id": "Names the held act; made by the host, never used twice.",
    "action": "The action.",
    "params": "Its parameters, as the command has them.",
    "origin": "The committed origin of the page or frame.",
    "domain": "`expected_domain` of the command.",
    "rule": "Why a person is asked: `approval.label`, `approval.irreversible`, `approval.credential`, "
    "`approval.repeats` (a reload would send a form again), `approval.too_many`.",
    "label": "Every text of the control that is set off, at most 500 characters; page content.",
    "element": "Accessible name of the target; page content.",
    "value": "What the target holds now; never of a password field.",
    "form_action": "Absolute address that the control's form is sent to.",
    "href": "Absolute address that the link leads to.",
    "context": "The row, or the filled fields, around the element in a few words, so that it is plain which one it is; "
    "never of a password field; page content.",
    "skill": "`name@version` of the skill that asks.",
}

ENDS: tuple[tuple[str, str], ...] = (
    (
        "the host sends `shutdown`",
        (
            "`task_completed` for open tasks (`aborted`, or `unverified` with `UNKNOWN_OUTCOME` where an act that "
            "changes something was in flight), `audit_head`, `bye` with reason `shutdown`"
        ),
    ),
    ("the host closes the pipe", "the same with reason `eof`, as far as somebody still reads"),
    ("SIGTERM, or the parent process is gone", "the same with reason `stopped`"),
    (
        "the host sends a fatal line (three bad MACs, too long, a gap, a second `init`)",
        "`protocol_error` with the code, then the same with that code as reason",
    ),
    ("sgclaw sends a fatal line", "nothing more: the host sends `protocol_error` and closes the pipe"),
    ("sgclaw cannot begin (policy, ledger, settings)", "`bye` instead of `ready`, its reason is the code"),
    ("the first line is no usable `init`", "nothing: the pipe closes"),
    ("sgclaw crashes or is killed", "nothing: the pipe closes without `bye`"),
)

HEADER_KEYS: dict[str, str] = {
    "title": "What it shows, in a few words.",
    "about": "The same in a sentence.",
    "trace_id": "`trace_id` of its `init`, and the salt of both keys.",
    "session_key": "The session key of its `init`, base64url; published, for tests only.",
    "host": "`session`: a host that does what this page says sends the host's lines. `channel`: no host has to be "
    "able to send them; the file shows what the other side makes of them.",
    "agent": "The same of sgclaw's lines. `channel`: a correct sgclaw would not send them; a host must cope.",
    "pages": "What is open in the browser at the start, by page id, each a [PageInfo](#pageinfo), the default first.",
    "redirects": "Addresses that lead elsewhere: where a navigation to the one lands.",
}

ENTRY_KEYS: dict[str, str] = {
    "from": "Who sends: `host` or `agent` (sgclaw).",
    "line": "The line's exact bytes as text, without its newline.",
    "hex": "The same in hex, instead of `line`, when the bytes are not UTF-8.",
    "start": "Instead of `line`, of a line too long to be written down: how it begins.",
    "fill": "With `start`: the one character that follows it, again and again.",
    "bytes": "With `start`: how many bytes are sent in all; no newline comes.",
    "eof": "`true`: no line; the sender closes its end.",
    "refused": "The code with which the receiver drops the line, and its `protocol_error` names. Absent: it takes it.",
    "fatal": "With `refused`: whether the session ends with it.",
    "by_hand": "`true`: no correct sender makes this line.",
    "session_only": "`true`: the line itself is in order, and the receiver was not waiting for it.",
    "note": "For readers.",
}
