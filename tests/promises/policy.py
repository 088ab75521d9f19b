"""The policy and its explanations."""

from typing import Final

from tests.promises import R, Requirement

POLICY: Final[tuple[Requirement, ...]] = (
    R("POLICY-01", "design 4", "Acts reach exactly the listed origins: scheme, host and port"),
    R("POLICY-02", "security B5", "An address with more than one reading is refused, never repaired"),
    R("POLICY-03", "security H12", "expected_domain is the canonical host of a listed origin and nothing else"),
    R("POLICY-04", "design 4", "The first rule that objects decides, in a fixed order, and is named"),
    R("POLICY-05", "design 5", "Irreversible and credential acts need a person; labels count however they are spaced"),
    R("POLICY-06", "design 5", "A standing grant covers exactly its skill, action and origin and lifts no refusal"),
    R("POLICY-07", "security B22", "A policy is read strictly, hashed as sent, and cannot be changed"),
    R("POLICY-08", "design 4", "Where a navigation landed is judged like its target"),
    R("POLICY-09", "security S7", "A skill's scope narrows the policy and never widens it"),
)
