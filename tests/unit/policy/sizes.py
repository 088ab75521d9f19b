"""The largest policy there can be."""

import json

from sgclaw.policy.model import Policy, parse_policy

LISTED = "https://h999.example.com"


def large_policy() -> Policy:
    """A thousand origins, a thousand grants."""
    listed = [f"https://h{number}.example.com" for number in range(1_000)]
    grants = [{"skill": f"s{number}", "action": "click", "origin": origin} for number, origin in enumerate(listed)]
    return parse_policy(json.dumps({"version": 1, "origins": listed, "grants": grants}))
