// Words for pictures: what the names of icons in classes, sprites and files mean on a button.

/** The first that fits wins, so the exact ones stand before the general ones. */
const ICON_WORDS = [
  ['radio|check-?box|chk', '选择'], ['batch-?delete', '批量删除'], ['delete|del\\b|trash|remove(?!d)|recycle|shanchu|rubbish|bin\\b', '删除'],
  ['zoom-?in|fangda|enlarge|magnify-?plus', '放大'], ['zoom-?out|suoxiao|magnify-?minus', '缩小'],
  ['search|magnif|sousuo|chaxun|find', '搜索'], ['edit(?!or)|pencil|xiugai|bianji|compose|modify|write|pen\\b', '编辑'],
  ['add-?circle|circle-?plus|plus|add\\b|addition|xinzeng|tianjia|create|new\\b', '新增'], ['minus|jian\\b|subtract|reduce', '减少'],
  ['close|cross\\b|times\\b|guanbi|clear|dismiss|x\\b', '关闭'], ['refresh|reload|sync|redo-?alt|shuaxin|rotate|replay', '刷新'],
  ['download|xiazai', '下载'], ['upload|shangchuan', '上传'], ['export|daochu', '导出'], ['import|daoru', '导入'], ['print|dayin', '打印'],
  ['setting|gear|cog\\b|config|shezhi|preference|tool', '设置'], ['filter|funnel|shaixuan', '筛选'], ['sort|paixu|caret-?wrapper', '排序'],
  ['calendar|date|riqi|schedule', '选择日期'], ['clock|time\\b|shijian', '选择时间'], ['eye-?(?:invisible|slash|off|close)|hide', '隐藏'],
  ['eye|view\\b|preview|chakan|visible', '查看'], ['copy|fuzhi|duplicate|clone', '复制'], ['paste', '粘贴'], ['cut\\b|scissor', '剪切'],
  ['save|floppy|baocun', '保存'], ['undo|revoke|withdraw|chexiao', '撤销'], ['redo', '重做'], ['lock|suo\\b', '锁定'], ['unlock|jiesuo', '解锁'],
  ['user|avatar|person|account|profile|yonghu|people|member', '用户'], ['home|house|shouye', '首页'], ['bell|notice|notif|remind|tongzhi|alarm', '通知'],
  ['mail|message|email|envelope|comment|chat|letter|xiaoxi|reply|dialogue', '消息'], ['phone|tel\\b|mobile|dianhua', '电话'], ['help|question|bangzhu', '帮助'],
  ['info|detail|xiangqing|tips', '详情'], ['warn|exclamation', '警告'], ['logout|sign-?out|exit|power|tuichu|switch-?button|off\\b', '退出'], ['login|sign-?in|enter\\b', '登录'],
  ['exit-?full|compress|shrink(?!-r)|screen-?restore|minimi[sz]e|fullscreen-exit', '还原'], ['full-?screen|expand-?alt|maximi[sz]e|screen-?full|max\\b|rank|arrows-alt', '全屏'],
  ['left-?double|double-?left|d-?arrow-?left|angle-?double-?left|prev-?year|shrink-right', '向前翻'], ['right-?double|double-?right|d-?arrow-?right|angle-?double-?right|next-?year|spread-left', '向后翻'],
  ['first\\b|step-?backward', '第一页'], ['last\\b|step-?forward', '最后一页'], ['prev(?:ious)?\\b|shangyi', '上一个'], ['next\\b|xiayi', '下一个'],
  ['(?:arrow|chevron|angle|caret)-?left|left\\b|back\\b|return|fanhui', '向左'], ['(?:arrow|chevron|angle|caret|triangle)-?right|right\\b|forward', '向右'],
  ['(?:arrow|chevron|angle|caret|triangle)-?(?:down|bottom|d\\b)|down\\b|drop-?down|unfold|select__caret|zhankai|edge', '展开'], ['(?:arrow|chevron|angle|caret|triangle)-?(?:up|top)|up\\b|fold\\b|shouqi', '收起'],
  ['expand|open\\b|switch|toggle|tree-?node', '展开或收起'], ['collaps|indent', '收起'], ['menu|bars\\b|hamburger|nav\\b|spread', '菜单'], ['more|ellipsis|dots|gengduo|overflow', '更多'],
  ['check-?all|select-?all|quanxuan', '全选'], ['check|tick|ok\\b|success|confirm|done|duihao', '确认'], ['star|favou?rite|collect|shoucang|like|heart|rate', '收藏'], ['share|fenxiang', '分享'],
  ['link|chain|url', '链接'], ['picture|image|photo|tupian', '图片'], ['video|film', '视频'], ['file|document|paper|wenjian|attachment|clip|fujian', '附件'], ['folder|mulu|directory', '文件夹'],
  ['list|liebiao|table', '列表'], ['chart|graph|trend|tongji|data-?analysis|histogram|pie', '图表'], ['location|map|position|aim|pin|place', '位置'], ['camera|scan', '扫描'], ['key\\b|password|mima', '密码'],
  ['theme|skin|brush|palette|color', '主题'], ['language|lang\\b|translate|globe|earth', '语言'], ['play|start', '开始'], ['pause|stop|suspend', '暂停'], ['bold', '加粗'], ['italic', '斜体'], ['underline', '下划线'],
  ['cart|shopping|gouwu', '购物车'], ['money|pay|coin|wallet|yuan', '付款'], ['column|kongzhi|operation', '列设置'],
].map(([pattern, word]) => [new RegExp(`(?:^|[-_ .\\/])(?:${pattern})`, 'i'), word]);

/** One sign where a word should be. */
const SIGN_WORDS = new Map(Object.entries({
  '×': '关闭', '✕': '关闭', '✖': '关闭', x: '关闭', X: '关闭', '+': '增加', '＋': '增加', '-': '减少', '－': '减少', '−': '减少', '–': '减少', '<': '上一个', '>': '下一个', '‹': '上一个', '›': '下一个', '«': '向前翻',
  '»': '向后翻', '<<': '向前翻', '>>': '向后翻', '◀': '上一个', '▶': '下一个', '←': '向左', '→': '向右', '↑': '向上', '↓': '向下', '▲': '收起', '▼': '展开', '▾': '展开', '▸': '展开', '…': '更多', '...': '更多', '···': '更多', '⋮': '更多', '•••': '更多', '☰': '菜单',
  '⚙': '设置', '🔍': '搜索', '✎': '编辑', '✏': '编辑', '🗑': '删除', '✓': '确认', '✔': '确认', '★': '收藏', '☆': '收藏', '↻': '刷新', '⟳': '刷新', '?': '帮助', '？': '帮助', '!': '提示', '◎': '选择', '⊕': '增加', '⊖': '减少',
}));
const ICONISH = /icon|^fa[-srlb]?$|^fa-|glyph|sprite|ico\b|anticon|button|btn|tool|layui-|switch|arrow|caret|close|edge|chk/i;
/** Parts of class names that say what kind of thing it is, or whose. */
const EMPTY_WORDS = new Set(('icon icons ico btn button fa fas far fal fab glyphicon anticon iconfont layui el ant vxe ztree svg i img sprite round default primary small large mini middle sm lg md xs fs ' +
  'span div wrapper wrap container inner outer box item content cell text link a is has only block inline circle plain type size common base ui app v x z panel noprint unselect input form form-item bg color left right top bottom ' +
  'suffix prefix trigger clickable pointer hover normal standard w h level').split(' '));

const wordFor = (name) => {
  const found = ICON_WORDS.find(([pattern]) => pattern.test(name));
  return found ? found[1] : '';
};

/** Names of the pictures in an element: classes that look like icons, sprites, file names, data of icon components. */
function pictureNames(el) {
  const parts = [el, ...[...within(el, '*')].slice(0, 12)];
  return parts.flatMap((part) => {
    const names = classesOf(part).filter((name) => ICONISH.test(name));
    const drawn = ['data-icon', 'icon', 'data-svg', 'icon-name', 'aria-label', 'xlink:href', 'href', 'src'].map((name) => (part !== el || name !== 'href' ? attr(part, name) : null));
    return [...names, ...drawn.filter(Boolean).map((text) => text.replace(/^.*[/#]/, '').replace(/\.(?:svg|png|gif|jpe?g|ico)\b.*$/i, '').slice(0, 60))];
  });
}

function iconWord(el) {
  for (const name of pictureNames(el)) {
    const word = wordFor(name.replace(/([a-z])([A-Z])/g, '$1-$2'));
    if (word) return word;
  }
  return '';
}

/** What is left of ids and classes when everything that only decorates is gone. */
function wordsFromMarkup(el) {
  const texts = [attr(el, 'lay-event'), attr(el, 'data-action'), attr(el, 'data-event'), attr(el, 'name'), ownId(el), ...stableClasses(el)].filter(Boolean);
  for (const text of texts) {
    const split = text.replace(/([a-z])([A-Z])/g, '$1-$2');
    const word = wordFor(split);
    if (word) return word;
    const left = split.split(/[-_:.\s]+/).filter((part) => part.length > 1 && !/^\d+$/.test(part) && !EMPTY_WORDS.has(part.toLowerCase()));
    if (left.length && left.join(' ').length >= 3) return left.slice(0, 3).join(' ');
  }
  return '';
}
