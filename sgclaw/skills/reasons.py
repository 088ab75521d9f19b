"""Why a registry or one of its entries is refused: the machine words, and what a user reads for each.

docs/skills.md lists the same table; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from sgclaw.errors import BadManifestError, RegistryRefusedError, SkillError, SkillRefusedError


class Reason(StrEnum):
    """The value of `facts.reason`."""

    # the registry as a whole
    NO_REGISTRY = "NO_REGISTRY"
    BAD_JSON = "BAD_JSON"
    BAD_REGISTRY = "BAD_REGISTRY"
    NOT_CANONICAL = "NOT_CANONICAL"
    EXPIRED = "EXPIRED"
    UNKNOWN_KEY = "UNKNOWN_KEY"
    WEAK_KEY = "WEAK_KEY"
    BAD_KEY = "BAD_KEY"
    DEV_KEY_IN_PRODUCTION = "DEV_KEY_IN_PRODUCTION"
    EXPOSED_TRUST_ROOT = "EXPOSED_TRUST_ROOT"
    BAD_MARKS = "BAD_MARKS"
    BAD_SWITCHES = "BAD_SWITCHES"
    OPEN_STATE = "OPEN_STATE"
    # both
    BAD_SIGNATURE = "BAD_SIGNATURE"
    KEY_REVOKED = "KEY_REVOKED"
    KEY_RETIRED = "KEY_RETIRED"
    ROLLBACK = "ROLLBACK"
    TOO_LARGE = "TOO_LARGE"
    # one entry
    BAD_ENTRY = "BAD_ENTRY"
    BAD_NAME = "BAD_NAME"
    BAD_PATH = "BAD_PATH"
    BAD_HASH = "BAD_HASH"
    DUPLICATE = "DUPLICATE"
    DISABLED = "DISABLED"
    SWITCHED_OFF = "SWITCHED_OFF"
    VERSION_REUSED = "VERSION_REUSED"
    NO_FILE = "NO_FILE"
    HASH_MISMATCH = "HASH_MISMATCH"
    BAD_ENCODING = "BAD_ENCODING"
    HIDDEN_CHARACTERS = "HIDDEN_CHARACTERS"
    BAD_MANIFEST = "BAD_MANIFEST"
    HEADER_MISMATCH = "HEADER_MISMATCH"
    UNSIGNED = "UNSIGNED"
    # what is told and refuses no skill
    BAD_ROTATION = "BAD_ROTATION"
    BAD_REVOCATION = "BAD_REVOCATION"
    CLOCK_SET_BACK = "CLOCK_SET_BACK"
    # a patch
    BAD_PATCH = "BAD_PATCH"


class Words(NamedTuple):
    """What a user reads: the cause, and what to do; facts stand in braces."""

    cause: str
    next_step: str


_SIGN_AGAIN = "请用 sgclaw skill sign 重新签名"
_REINSTALL = "请从可信来源重新安装技能；如果是您自己修改的，请用 sgclaw skill sign 重新签名"
_ASK_ADMIN = "请管理员核对信任的公钥文件（没有另设 trust_root 时是 keys/skill_verify.pub）与发布方的公钥"

WORDS: Mapping[Reason, Words] = {
    Reason.NO_REGISTRY: Words("读不到技能清单 registry.json", "请恢复该文件，或用 sgclaw skill sign 重新生成"),
    Reason.BAD_JSON: Words("技能清单不是合法的 JSON", _REINSTALL),
    Reason.BAD_REGISTRY: Words("技能清单的字段不对", _SIGN_AGAIN),
    Reason.NOT_CANONICAL: Words("技能清单的排版被改动过", _SIGN_AGAIN),
    Reason.EXPIRED: Words("技能清单已过期", "请更新技能包；清单由发布方重新签名后生效"),
    Reason.UNKNOWN_KEY: Words("技能清单不是由受信任的密钥签名的", _ASK_ADMIN),
    Reason.WEAK_KEY: Words("信任的公钥是弱密钥，任何人都能伪造它的签名", _ASK_ADMIN),
    Reason.BAD_KEY: Words("读不到公钥，或密钥文件的格式不对", _ASK_ADMIN),
    Reason.DEV_KEY_IN_PRODUCTION: Words(
        "生产环境里不能信任开发密钥", "请用 sgclaw keys new 生成正式密钥，替换 keys/skill_verify.pub 并重新签名"
    ),
    Reason.EXPOSED_TRUST_ROOT: Words(
        "正式环境的信任公钥放得不安全",
        "请放到技能目录之外、只有管理员能写的目录（文件和目录都去掉组和其他用户的写权限），用设置 trust_root 指定",
    ),
    Reason.KEY_RETIRED: Words(
        "是由已轮换掉的旧密钥签名的",
        "请用接替它的新密钥重新签名：sgclaw skill sign --key 新私钥；旧密钥签的不再有效",
    ),
    Reason.BAD_MARKS: Words(
        "读写不了本机的技能版本记录", "请检查状态目录的权限；确认没有人动过技能后，可删除 {file} 重新开始"
    ),
    Reason.BAD_SWITCHES: Words(
        "读不了本机的停用名单，不知道哪些技能已停用", "请删除 {file}，再用 sgclaw skill disable 重新停用"
    ),
    Reason.OPEN_STATE: Words(
        "其他用户可以改动技能的状态目录，版本记录和停用名单可能被删改", "请执行 {mend}；确认没有人动过其中的文件后重试"
    ),
    Reason.KEY_REVOKED: Words("签名所用的密钥已被吊销", "请从发布方取得用有效密钥签名的版本"),
    Reason.ROLLBACK: Words(
        "比本机用过的版本旧", "请安装最新的技能包；如果确实要退回，请发布方用更大的序号和版本号重新签名"
    ),
    Reason.BAD_SIGNATURE: Words("签名不符，内容可能被改动过", _REINSTALL),
    Reason.TOO_LARGE: Words("文件超过 1 MiB", "请把文件拆小后重新签名"),
    Reason.BAD_ENTRY: Words("清单中这一条的字段不对", _SIGN_AGAIN),
    Reason.BAD_NAME: Words("技能名不合规", "技能名用小写字母、数字和连字符，1–64 个字符，并避开保留名称"),
    Reason.BAD_PATH: Words("技能文件的路径不合规", "路径必须是 builtin/名称.js 或 custom/名称.js，且各级都不是链接"),
    Reason.BAD_HASH: Words("哈希的写法不对", "必须是 sha256: 加 64 位小写十六进制；" + _SIGN_AGAIN),
    Reason.DUPLICATE: Words("清单中有两条同名或同文件的技能", "请只保留一条后重新签名"),
    Reason.DISABLED: Words("该技能已被停用", "如需使用，请发布方在清单中启用后重新签名"),
    Reason.SWITCHED_OFF: Words("该技能已在本机停用", "如需使用，请执行 sgclaw skill enable 加技能名"),
    Reason.VERSION_REUSED: Words("版本号没有变，内容却变了", "请提高 @version 后重新签名"),
    Reason.NO_FILE: Words("技能文件不存在或读不到", _REINSTALL),
    Reason.HASH_MISMATCH: Words("技能文件与签名时不一致", _REINSTALL),
    Reason.BAD_ENCODING: Words("技能文件不是纯 UTF-8 文本", "请存为不带 BOM 的 UTF-8，去掉空字符，然后重新签名"),
    Reason.HIDDEN_CHARACTERS: Words(
        "技能文件里有看不见的字符，看到的和执行的可能不同", "请删去，或写成 \\u 转义，然后重新签名"
    ),
    Reason.BAD_MANIFEST: Words("技能的文件头不能读", "请按 docs/skills.md 修正文件头"),
    Reason.HEADER_MISMATCH: Words("技能的文件头与清单不一致", _SIGN_AGAIN),
    Reason.UNSIGNED: Words("技能文件还没有签名", "确认内容无误后，请用 sgclaw skill sign 签名"),
    Reason.BAD_ROTATION: Words(
        "密钥轮换声明不成立，没有生效", "请向发布方索取由新旧两把密钥签名的 keys/rotations.json，或删除该文件"
    ),
    Reason.BAD_REVOCATION: Words(
        "密钥吊销名单不成立，没有生效",
        "请向发布方索取由根密钥签名的最新 keys/revocations.json；以前见过的吊销继续有效",
    ),
    Reason.CLOCK_SET_BACK: Words("系统时间比上次使用时早", "请校准系统时间；在此之前按上次的时间判断是否过期"),
    Reason.BAD_PATCH: Words("补丁不能使用", "请在本机重新生成补丁，或从可信的工作站重新导入"),
}

_OWN = "如果是您自己的仓库"
_SIGN = "请执行 sgclaw skill sign，用自己的密钥时加 --key 私钥"

AUTHOR_STEPS: Mapping[type[SkillError], Mapping[Reason, str]] = {
    RegistryRefusedError: {
        Reason.ROLLBACK: f"{_OWN}（例如用 git 退回或重新克隆了），{_SIGN}",
        Reason.EXPIRED: f"{_OWN}，{_SIGN}",
        Reason.UNKNOWN_KEY: f"{_OWN}，请用受信任的密钥重新签名：sgclaw skill sign --key 私钥",
        Reason.KEY_REVOKED: f"{_OWN}，请用仍有效的密钥重新签名：sgclaw skill sign --key 私钥",
    },
    SkillRefusedError: {
        Reason.ROLLBACK: f"{_OWN}（例如用 git 退回或重新克隆了），请把 @version 改得比 {{seen}} 大，再签名",
        Reason.KEY_REVOKED: f"{_OWN}，请用仍有效的密钥重新签名：sgclaw skill sign --key 私钥",
    },
}
"""What whoever signs skills here can do where the first step is one for those who only receive them."""


def add_author_step(error: SkillError) -> None:
    """Say the author's way out too. Not for production: no signing key belongs there."""
    step = AUTHOR_STEPS[type(error)].get(Reason(str(error.facts["reason"])))
    if step is not None:
        error.next_step = f"{error.next_step}；{step.format_map(error.facts)}"


def refused_registry(reason: Reason, **facts: object) -> RegistryRefusedError:
    """The error that refuses the whole set."""
    words = WORDS[reason]
    step = words.next_step.format_map(facts)
    return RegistryRefusedError(words.cause, next_step=step, facts={"reason": reason.value, **facts})


def refused_skill(reason: Reason, **facts: object) -> SkillRefusedError:
    """The error that refuses one entry."""
    words = WORDS[reason]
    step = words.next_step.format_map(facts)
    return SkillRefusedError(words.cause, next_step=step, facts={"reason": reason.value, **facts})


def refused_manifest(error: BadManifestError) -> SkillRefusedError:
    """The error that refuses an entry for its header; keeps the line and what to write there."""
    return SkillRefusedError(
        error.cause, next_step=error.next_step, facts={"reason": Reason.BAD_MANIFEST.value, **error.facts}
    )
