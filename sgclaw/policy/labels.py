"""Words on a control that make a click irreversible, and how a label is compared with them. Data of the policy.

The words are grouped by what they do, for the exceptions of `readings.py` differ by group.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final


def words_of(text: str) -> tuple[str, ...]:
    """A table written as one line of words."""
    return tuple(text.split())


DECISIONS: Final = words_of(
    "审批 审核 通过 同意 批准 驳回 拒绝 退回 撤回 核准 核发 签批 签发 会签 复核 覆核 弃审 否决 办结 结案 终审 反审 "
    "送审 送签 提审 报审 呈报 呈批 呈送 转审 加签 打回 回退 拒签 退签 准予 准许 拒收"
)
"""Deciding about somebody's request, and putting it before who decides."""

SENDING: Final = words_of(
    "提交 报送 上报 发送 发布 下发 下达 转办 派发 群发 签收 签署 签章 签字 盖章 用印 送出 转发 发起流程 启动流程 "
    "发放工资 开具发票"
)
"""What leaves the house, or the desk."""

DESTROYING: Final = words_of(
    "删除 清空 清除 销毁 抹除 移除 移出 踢出 解散 覆盖 启用 停用 禁用 销号 下架 上架 解绑 卸载 格式化 初始化 恢复出厂 "
    "重置密码 重置系统 重置数据 重置所有 重置全部"
)
"""What is gone or off afterwards. The word before its object is always an order: 删除记录, 停用日志."""

ENDING: Final = words_of(
    "作废 注销 撤销 终止 中止 冻结 解冻 封存 吊销 废止 销户 挂失 解约 解除合同 解除劳动合同 解除劳动关系 解聘 辞退 "
    "开除 取消订单 取消合同 取消预约 取消申请 关闭订单 关闭工单"
)
"""What no longer holds afterwards, and is kept: there are records and lists of it."""

BOOKING: Final = words_of("归档 过账 结账 关账 反记账 冲销 红冲 冲红 核销 登账 销账 平账 冲账 调账")
"""What closes a book."""

PAYING: Final = words_of(
    "支付 付款 转账 汇款 打款 划款 划拨 划转 放款 扣款 退款 还款 提现 代付 兑付 缴款 缴费 缴税 注资 发薪 代发"
)
"""Money that moves, and papers as good as money."""

ENTITLING: Final = words_of(
    "授权 授予 赋权 提权 设为管理员 分配权限 开通权限 转移所有权 退出登录 退出系统 退出账号 安全退出 登出"
)
"""Rights, and ends of sessions."""

AGREEING: Final = ("确认",)
"""A yes to whatever the page says."""

NOUNS_TOO: Final = words_of(
    "报销 借款 开票 离职 辞职 转正 调岗 生效 失效 归还 领用 导入 同步 恢复 还原 执行 运行 红字 记账 入账 结转 计提 "
    "申报 纳税申报 结算 收款 工资发放 出库 入库 发货 收货 退货 下单 采购下单 移交 推送 停薪 上线 下线 投票 充值 调拨 "
    "月结 年结 交办 督办 退出 批复 批示 签订 签约 立案 撤案 撤诉 上诉 送达 过户 转让 发标 开标 定标 中标 处置 报废 "
    "报损 盘亏"
)
"""Names of things as often as of acts: they count only where a label orders the act (see `readings.py`)."""

ENGLISH: Final = words_of(
    "submit approve reject delete remove pay payment transfer send publish confirm grant authorize authorise revoke "
    "logout signout deactivate terminate purge erase wipe overwrite resetpassword factoryreset purchase placeorder "
    "refund withdraw withdrawal deletion finalize finalise discard checkout buynow esign unsubscribe execute "
    "resign markaspaid cancelorder cancelsubscription cancelcontract cancelbooking closeperiod lockperiod closebooks "
    "closeaccount issueinvoice releasefunds runpayroll dismissemployee movetotrash emptytrash"
)
"""Whole words, not their letters inside others: pay is not in display, nor grant in migrants."""

ENGLISH_NOUNS_TOO: Final = words_of(
    "post accept agree sign void reverse enable disable merge deploy archive complete decline restore"
)
"""English names, states and menu entries as often as acts: they count only where they come first."""

ICONS: Final = ("🗑", "🚮", "❌", "✅")
"""Pictures that are the whole label."""

IRREVERSIBLE_LABELS: Final[tuple[str, ...]] = (
    *(*DECISIONS, *SENDING, *DESTROYING, *ENDING, *BOOKING, *PAYING, *ENTITLING, *AGREEING, *NOUNS_TOO),
    *(*ENGLISH, *ENGLISH_NOUNS_TOO, *ICONS),
)
"""Default list; a host policy may replace it. Asking once too often is the safe side of a word list.

Not in it, on purpose: 重置 and Reset, which nearly always empty a search form; 保存, which every form has.
"""

_TRADITIONAL: Final = words_of(
    "為为 爲为 書书 虧亏 產产 産产 會会 兌兑 關关 內内 沖冲 衝冲 決决 況况 凍冻 準准 憑凭 齣出 "
    "擊击 劃划 則则 刪删 製制 辦办 務务 動动 勞劳 協协 單单 卽即 廠厂 厤历 曆历 歷历 發发 髮发 "
    "檯台 臺台 颱台 號号 閤合 弔吊 衕同 嗎吗 啓启 啟启 員员 迴回 圍围 圖图 處处 備备 復复 複复 "
    "寶宝 審审 導导 崗岗 佈布 並并 併并 幷并 庫库 廢废 開开 棄弃 強强 歸归 噹当 當当 彔录 錄录 "
    "録录 誌志 態态 戶户 釦扣 執执 掃扫 報报 撥拨 擇择 掛挂 損损 據据 蒐搜 數数 時时 暫暂 機机 "
    "權权 條条 闆板 査查 標标 覈核 檔档 毀毁 燬毁 譭毁 匯汇 彙汇 滙汇 註注 點点 狀状 現现 蓋盖 "
    "盤盘 眞真 碼码 確确 離离 稅税 篩筛 簽签 籤签 係系 繫系 紅红 約约 級级 納纳 綫线 線线 細细 "
    "終终 綁绑 結结 絕绝 絶绝 統统 繼继 續续 編编 繳缴 羣群 職职 腳脚 節节 範范 營营 錶表 見见 "
    "規规 計计 訂订 認认 讓让 議议 記记 許许 設设 証证 證证 訴诉 詢询 該该 詳详 說说 説说 請请 "
    "調调 敗败 賬账 貨货 購购 費费 資资 賦赋 軌轨 轉转 載载 輸输 辭辞 達达 過过 運运 還还 這这 "
    "進进 跡迹 蹟迹 選选 郵邮 埰采 寀采 採采 銀银 銷销 鍵键 門门 閉闭 間间 聞闻 麪面 麫面 麵面 "
    "頁页 項项 須须 鬚须 預预 領领 額额 馬马 駁驳 帳账 帐账 後后"
)
"""Traditional and variant forms, each before its simplified one: all that words and readings are written with."""

_SIMPLIFIED: Final = str.maketrans({pair[0]: pair[1] for pair in _TRADITIONAL})
_HUMP: Final = re.compile("(?<=[a-z])(?=[A-Z])")
_HYPHENS: Final = re.compile("(?<=[a-z])[-_]+(?=[a-z])")
_READ: Final = 2_000
"""Longer labels are searched, not read: nobody names a thing at such length, and reading costs its square."""

_ARTICLES: Final = frozenset(("the", "this", "your", "my", "a", "an"))
_FILLERS: Final = "\u115f\u1160\u2800"
_PLAIN: Final = re.compile(r"[\u0020-\u007e\u00b7\u3001\u3002\u4e00-\u9fff]*")


def plain_label(label: str) -> str:
    """A label as words are compared: NFKC, simplified, lower case, without spaces and invisible characters."""
    return "".join(parts_of(label))


def parts_of(label: str) -> list[str]:
    """The plain label in the parts that stand between its spaces; their joint text is what words are looked for in.

    A capital after a small letter begins a part: btnSubmit is btn submit.
    """
    folded = _HUMP.sub(" ", unicodedata.normalize("NFKC", label)).lower()
    if not _PLAIN.fullmatch(folded):
        folded = "".join(map(_shown, folded))
    return folded.translate(_SIMPLIFIED).split()


def _shown(char: str) -> str:
    """Nothing for what shows nothing by itself: controls, joiners, marks and selectors of the character before."""
    kind = unicodedata.category(char)[0]
    return " " if kind == "Z" or char in "\t\n\r\v\f" else "" if kind in "CM" or char in _FILLERS else char


@lru_cache(maxsize=1024)
def irreversible_word(label: str, words: tuple[str, ...]) -> str | None:
    """The first of the label's words, by place, that it orders, if any; a longer reading that is no order excuses it.

    `审批记录` and `已提交` name things and states; `提交审批记录` still holds 提交. A hostile page can call its button
    anything: the words protect from honest pages, and the committed origin from the others.
    """
    parts = parts_of(label)
    text = _searched(parts)
    heads = _by_first_character(words)
    found = [
        word for at, head in enumerate(text) for looked, word in heads.get(head, ()) if text.startswith(looked, at)
    ]
    if not found:
        return None
    if len(text) > _READ:
        return found[0]
    from sgclaw.policy.readings import orders  # noqa: PLC0415 - most labels hold no word; `ready` does not wait for it

    return next((word for word in dict.fromkeys(found) if orders(parts, word)), None)


def _searched(parts: list[str]) -> str:
    """The joint text, and again without articles where there are some: cancel the order is cancelorder."""
    plain = "".join(parts)
    if not _ARTICLES.isdisjoint(parts):
        plain = f"{plain}\n{''.join(part for part in parts if part not in _ARTICLES)}"
    return _HYPHENS.sub("", plain)


@lru_cache(maxsize=8)
def _by_first_character(words: tuple[str, ...]) -> dict[str, list[tuple[str, str]]]:
    """The words as they are looked for, with the words themselves, by their first character."""
    heads: dict[str, list[tuple[str, str]]] = {}
    for word in words:
        looked = _HYPHENS.sub("", word)
        heads.setdefault(looked[0], []).append((looked, word))
    return heads
