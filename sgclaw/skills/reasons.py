"""Why a registry or one of its entries is refused: the machine words, and what a user reads for each.

docs/skills.md lists the same table; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from sgclaw.errors import BadManifestError, RegistryRefusedError, SkillRefusedError


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
    # both
    BAD_SIGNATURE = "BAD_SIGNATURE"
    TOO_LARGE = "TOO_LARGE"
    # one entry
    BAD_ENTRY = "BAD_ENTRY"
    BAD_NAME = "BAD_NAME"
    BAD_PATH = "BAD_PATH"
    BAD_HASH = "BAD_HASH"
    DUPLICATE = "DUPLICATE"
    DISABLED = "DISABLED"
    NO_FILE = "NO_FILE"
    HASH_MISMATCH = "HASH_MISMATCH"
    BAD_ENCODING = "BAD_ENCODING"
    HIDDEN_CHARACTERS = "HIDDEN_CHARACTERS"
    BAD_MANIFEST = "BAD_MANIFEST"
    HEADER_MISMATCH = "HEADER_MISMATCH"
    UNSIGNED = "UNSIGNED"


class Words(NamedTuple):
    """What a user reads: the cause, and what to do."""

    cause: str
    next_step: str


_SIGN_AGAIN = "请用 sgclaw skill sign 重新签名"
_REINSTALL = "请从可信来源重新安装技能；如果是您自己修改的，请用 sgclaw skill sign 重新签名"
_ASK_ADMIN = "请管理员核对 keys/skill_verify.pub 与发布方的公钥"

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
    Reason.BAD_SIGNATURE: Words("签名不符，内容可能被改动过", _REINSTALL),
    Reason.TOO_LARGE: Words("文件超过 1 MiB", "请把文件拆小后重新签名"),
    Reason.BAD_ENTRY: Words("清单中这一条的字段不对", _SIGN_AGAIN),
    Reason.BAD_NAME: Words("技能名不合规", "技能名用小写字母、数字和连字符，1–64 个字符，并避开保留名称"),
    Reason.BAD_PATH: Words("技能文件的路径不合规", "路径必须是 builtin/名称.js 或 custom/名称.js，且各级都不是链接"),
    Reason.BAD_HASH: Words("哈希的写法不对", "必须是 sha256: 加 64 位小写十六进制；" + _SIGN_AGAIN),
    Reason.DUPLICATE: Words("清单中有两条同名或同文件的技能", "请只保留一条后重新签名"),
    Reason.DISABLED: Words("该技能已被停用", "如需使用，请发布方在清单中启用后重新签名"),
    Reason.NO_FILE: Words("技能文件不存在或读不到", _REINSTALL),
    Reason.HASH_MISMATCH: Words("技能文件与签名时不一致", _REINSTALL),
    Reason.BAD_ENCODING: Words("技能文件不是纯 UTF-8 文本", "请存为不带 BOM 的 UTF-8，去掉空字符，然后重新签名"),
    Reason.HIDDEN_CHARACTERS: Words(
        "技能文件里有看不见的字符，看到的和执行的可能不同", "请删去，或写成 \\u 转义，然后重新签名"
    ),
    Reason.BAD_MANIFEST: Words("技能的文件头不能读", "请按 docs/skills.md 修正文件头"),
    Reason.HEADER_MISMATCH: Words("技能的文件头与清单不一致", _SIGN_AGAIN),
    Reason.UNSIGNED: Words("技能文件还没有签名", "确认内容无误后，请用 sgclaw skill sign 签名"),
}


def refused_registry(reason: Reason, **facts: object) -> RegistryRefusedError:
    """The error that refuses the whole set."""
    words = WORDS[reason]
    return RegistryRefusedError(words.cause, next_step=words.next_step, facts={"reason": reason.value, **facts})


def refused_skill(reason: Reason, **facts: object) -> SkillRefusedError:
    """The error that refuses one entry."""
    words = WORDS[reason]
    return SkillRefusedError(words.cause, next_step=words.next_step, facts={"reason": reason.value, **facts})


def refused_manifest(error: BadManifestError) -> SkillRefusedError:
    """The error that refuses an entry for its header; keeps the line and what to write there."""
    return SkillRefusedError(
        error.cause, next_step=error.next_step, facts={"reason": Reason.BAD_MANIFEST.value, **error.facts}
    )
