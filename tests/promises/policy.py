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
    R("POLICY-09", "security S7", "A skill's or a task's scope narrows the policy and never widens it"),
    R("POLICY-10", "security B8", "Labels that name things and states ask for nothing, the same words as orders do"),
    R("POLICY-11", "users 56", "Every rule that can refuse, and no other, is explained: who can change it, and how"),
    R("POLICY-12", "security B22", "Nothing widens a policy after init, and one that lists nothing allows nothing"),
    R("POLICY-14", "security B6", "Every act is judged on the origin it touches, an unknown one is on no list"),
    R("POLICY-15", "security B8", "Invisible and turning characters of a label are spelt out to the person"),
    R("POLICY-16", "security B6", "A browser that can confine its pages is given the policy's list for it"),
    R("POLICY-17", "security B9", "A reference to a secret is never typed, chosen or opened as it stands"),
    R("POLICY-20", "users 56", "policy show tells a whole policy in Chinese"),
    R("POLICY-21", "users 56", "policy explain tells of a rule what it means, who can change it and how"),
    R("POLICY-22", "users 56", "policy explain judges an address or an act as a session would, offline"),
    R("POLICY-23", "users", "A question about a policy that cannot be answered says what is missing"),
    R("POLICY-24", "security B8", "Irreversible words count in traditional characters as they do in simplified ones"),
    R("POLICY-25", "security B8", "An order asks whatever spaces, signs, pictures or invisible characters dress it"),
)
