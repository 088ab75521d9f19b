// Types for script skills of sgClaw: the functions a script can call.
// Written by `./dev docs` from the action table; a change by hand is lost.
//
// A jsconfig.json beside the skills turns checking on in editors; `tsc -p jsconfig.json` checks on the command line:
//   {"compilerOptions": {"lib": ["ES2023"], "types": [], "checkJs": true, "noEmit": true},
//    "files": ["sgclaw-skill.d.ts"], "include": ["custom/*.js"]}
// Parameters of functions need their type: async function execute(params, /** @type {BrowserAction} */ browserAction)
// The world has no DOM, network, files, modules or eval: leave "DOM" out of `lib`.
/// <reference path="sgclaw-shapes.d.ts" />

/**
 * Acts on the page. Acts are carried out one after the other, in the order of the calls. The arguments of
 * an action come in their order, or all as one object. A refused or failed act rejects: BrowserActionError.
 */
interface BrowserAction {
  /**
   * 点击一个元素。
   * A real mouse click on a point of the element that nothing covers. Waits until the element is there and can be
   * operated. When the click makes the page leave, the response comes after the next document is there.
   * Risk: reversible. Default deadline: 10 s.
   */
  (action: 'click', selector: string): Promise<ClickResult>;
  (action: 'click', params: ClickParams): Promise<ClickResult>;
  /**
   * 在输入框中输入文字（先清空）。
   * Types into a field by keyboard after a click into it, replacing its content. Pickers of dates, times and
   * colours are set directly. `text` may be a vault reference: the host puts the secret in, on the reference's own
   * site.
   * Risk: reversible. Default deadline: 10 s.
   */
  (action: 'type', selector: string, text: string): Promise<TypeResult>;
  (action: 'type', params: TypeParams): Promise<TypeResult>;
  /**
   * 打开一个网址。
   * Opens an address in the page and waits for the document. An HTTP error is an answer (`status`), a network
   * error is `NAVIGATION_FAILED`.
   * Risk: reversible. Default deadline: 30 s.
   */
  (action: 'navigate', url: string): Promise<string>;
  (action: 'navigate', params: NavigateParams): Promise<string>;
  /**
   * 读取一个元素的可见文字。
   * Visible text of an element; of a field its value, of a password field nothing.
   * Risk: read. Default deadline: 10 s.
   */
  (action: 'getText', selector: string): Promise<string>;
  (action: 'getText', params: GetTextParams): Promise<string>;
  /**
   * 读取一个元素的 HTML（敏感值已去除）。
   * Outer HTML of an element, scrubbed: no script text, no values of password and token fields.
   * Risk: sensitive. Default deadline: 10 s.
   */
  (action: 'getHtml', selector: string): Promise<string>;
  (action: 'getHtml', params: GetHtmlParams): Promise<string>;
  /**
   * 等待元素出现或消失。
   * Waits until the element is in the state. A wait that runs out is `TIMEOUT`, never a success.
   * Risk: read. Default deadline: 30 s.
   */
  (action: 'waitForSelector', selector: string, timeout_ms?: number | null, state?: 'visible' | 'hidden' | 'attached' | 'detached' | null): Promise<WaitForSelectorResult>;
  (action: 'waitForSelector', params: WaitForSelectorParams): Promise<WaitForSelectorResult>;
  /**
   * 截取页面图片，可叠加元素编号。
   * A PNG of the viewport, of the whole page, or of one element, kept by the host as an artifact. Taken only of a
   * document that was checked.
   * Risk: read. Default deadline: 30 s.
   */
  (action: 'pageScreenshot', full_page?: boolean | null, som_overlay?: boolean | null): Promise<PageScreenshotResult>;
  (action: 'pageScreenshot', params: PageScreenshotParams): Promise<PageScreenshotResult>;
  /**
   * 在下拉框中选择一项（按值或显示文字）。
   * Chooses one option of a native select by its value or its visible text, and reads back what is chosen.
   * Risk: reversible. Default deadline: 10 s.
   */
  (action: 'select', selector: string, value: string): Promise<string>;
  (action: 'select', params: SelectParams): Promise<string>;
  /**
   * 滚动页面到坐标或元素。
   * Scrolls the page to coordinates, or an element into view.
   * Risk: read. Default deadline: 10 s.
   */
  (action: 'scrollTo', x?: number | null, y?: number | null): Promise<ScrollToResult>;
  (action: 'scrollTo', params: ScrollToParams): Promise<ScrollToResult>;
  /**
   * 读取页面结构快照。
   * Landmarks, tables and operable elements of the page, or of one element, as a tree.
   * Risk: read. Default deadline: 30 s.
   */
  (action: 'getAomSnapshot', selector?: string | null, detail?: 'brief' | 'full' | null): Promise<AomNode[]>;
  (action: 'getAomSnapshot', params: GetAomSnapshotParams): Promise<AomNode[]>;
  /**
   * 写入页面本地存储的一项。
   * Writes one item of the page's localStorage.
   * Risk: reversible. Default deadline: 10 s.
   */
  (action: 'storageSet', key: string, value: string): Promise<StorageSetResult>;
  (action: 'storageSet', params: StorageSetParams): Promise<StorageSetResult>;
  /**
   * 读取页面本地存储的一项（敏感值已去除）。
   * Reads one item of the page's localStorage, scrubbed: tokens and passwords are not given.
   * Risk: sensitive. Default deadline: 10 s.
   */
  (action: 'storageGet', key: string): Promise<string | null>;
  (action: 'storageGet', params: StorageGetParams): Promise<string | null>;
  /**
   * 打开一个后台页面。
   * Opens an address in a new hidden page. The host closes it when the task ends.
   * Risk: reversible. Default deadline: 30 s.
   */
  (action: 'zombieSpawn', url: string): Promise<string>;
  (action: 'zombieSpawn', params: ZombieSpawnParams): Promise<string>;
  /**
   * 关闭一个后台页面。
   * Closes a hidden page that zombieSpawn opened.
   * Risk: reversible. Default deadline: 10 s.
   */
  (action: 'zombieKill', page: string): Promise<ZombieKillResult>;
  (action: 'zombieKill', params: ZombieKillParams): Promise<ZombieKillResult>;
  /**
   * 登录一个系统（凭据只在浏览器端使用）。
   * Signs in to a site. The host takes the secret from its own vault; only the reference crosses the pipe.
   * Risk: credential. Default deadline: 60 s. A person has to agree.
   */
  (action: 'login', site: string, credential: string): Promise<LoginResult>;
  (action: 'login', params: LoginParams): Promise<LoginResult>;
  /**
   * 退出一个系统。
   * Signs out of a site.
   * Risk: credential. Default deadline: 30 s. A person has to agree.
   */
  (action: 'logout', site: string): Promise<LogoutResult>;
  (action: 'logout', params: LogoutParams): Promise<LogoutResult>;
  /**
   * 清空页面的本地存储。
   * Empties the storage of the page's origin.
   * Risk: irreversible. Default deadline: 10 s. A person has to agree.
   */
  (action: 'clearStorage'): Promise<ClearStorageResult>;
  /**
   * 把鼠标移到元素上。
   * Moves the mouse onto an element, for menus that open under it.
   * Risk: reversible. Default deadline: 10 s.
   */
  (action: 'hover', selector: string): Promise<HoverResult>;
  (action: 'hover', params: HoverParams): Promise<HoverResult>;
  /**
   * 按下键盘按键。
   * Presses a key or a combination, on the element or on what has the focus.
   * Risk: reversible. Default deadline: 10 s.
   */
  (action: 'press', key: string, selector?: string | null): Promise<PressResult>;
  (action: 'press', params: PressParams): Promise<PressResult>;
  /**
   * 勾选或取消勾选。
   * Ticks or unticks a box and reads the state back. A radio button cannot be unticked.
   * Risk: reversible. Default deadline: 10 s.
   */
  (action: 'check', selector: string, checked?: boolean | null): Promise<boolean>;
  (action: 'check', params: CheckParams): Promise<boolean>;
  /**
   * 清空一个输入框。
   * Empties a field.
   * Risk: reversible. Default deadline: 10 s.
   */
  (action: 'clear', selector: string): Promise<ClearResult>;
  (action: 'clear', params: ClearParams): Promise<ClearResult>;
  /**
   * 上传一个文件（用文件编号，不用路径）。
   * Gives a file to a file field, by its id.
   * Risk: reversible. Default deadline: 60 s.
   */
  (action: 'upload', selector: string, file: string): Promise<UploadResult>;
  (action: 'upload', params: UploadParams): Promise<UploadResult>;
  /**
   * 点击元素并等待文件下载完成。
   * Clicks the element and waits until the file that follows is complete on disk. The artifact's hash is of the
   * whole file.
   * Risk: reversible. Default deadline: 60 s.
   */
  (action: 'download', selector: string, timeout_ms?: number | null): Promise<Artifact>;
  (action: 'download', params: DownloadParams): Promise<Artifact>;
  /**
   * 后退。
   * One step back in the page's history. No history is `NAVIGATION_FAILED`.
   * Risk: reversible. Default deadline: 30 s.
   */
  (action: 'goBack'): Promise<string>;
  /**
   * 前进。
   * One step forward in the page's history. No history is `NAVIGATION_FAILED`.
   * Risk: reversible. Default deadline: 30 s.
   */
  (action: 'goForward'): Promise<string>;
  /**
   * 刷新页面。
   * Loads the page again.
   * Risk: reversible. Default deadline: 30 s.
   */
  (action: 'reload'): Promise<string>;
  /**
   * 列出已打开的页面。
   * Every open page on a listed origin, hidden ones included.
   * Risk: read. Default deadline: 10 s.
   */
  (action: 'listPages'): Promise<PageInfo[]>;
  /**
   * 切换到另一个页面。
   * Makes a page the default page: the one that commands without `page` mean.
   * Risk: reversible. Default deadline: 10 s.
   */
  (action: 'switchPage', page: string): Promise<string>;
  (action: 'switchPage', params: SwitchPageParams): Promise<string>;
  /**
   * 关闭一个页面。
   * Closes a page without asking it.
   * Risk: reversible. Default deadline: 10 s.
   */
  (action: 'closePage', page: string): Promise<ClosePageResult>;
  (action: 'closePage', params: ClosePageParams): Promise<ClosePageResult>;
  /**
   * 处理页面弹出的对话框。
   * Answers the JavaScript dialog that the page shows. A dialog nobody answers is dismissed before the next act
   * and after 30 s at the latest. With an open dialog, click, press and type answer at once.
   * Risk: reversible. Default deadline: 10 s.
   */
  (action: 'handleDialog', accept: boolean, text?: string | null): Promise<HandleDialogResult>;
  (action: 'handleDialog', params: HandleDialogParams): Promise<HandleDialogResult>;
  /**
   * 查询页面事实：存在、可见、可用、数量、属性、值、网址、标题。
   * One fact. `exists` and `count` say what is there now; the others wait for their element.
   * Risk: read. Default deadline: 10 s.
   */
  (action: 'query', selector: string | null, fact: 'exists' | 'visible' | 'enabled' | 'count' | 'attribute' | 'value' | 'url' | 'title', name?: string | null): Promise<string | number | boolean | null>;
  (action: 'query', params: QueryParams): Promise<string | number | boolean | null>;
  /**
   * 把表格读成有列名的行，并核对总数。
   * The rows of one table under their column names. `complete` is true only when every row is there and their
   * number is the total the page states (共 N 条).
   * Risk: read. Default deadline: 30 s.
   */
  (action: 'extractTable', selector: string): Promise<ExtractTableResult>;
  (action: 'extractTable', params: ExtractTableParams): Promise<ExtractTableResult>;
}

/** The same function that `execute` gets. */
declare const browserAction: BrowserAction;

/** Goes to sgclaw's log. */
declare const console: {
  log(...values: unknown[]): void;
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
};

/** At most 30 000 ms; more is a RangeError. Returns the timer's id. */
declare function setTimeout<A extends unknown[]>(callback: (...args: A) => void, ms?: number, ...args: A): number;
/** At least 4 ms, at most 30 000 ms. */
declare function setInterval<A extends unknown[]>(callback: (...args: A) => void, ms?: number, ...args: A): number;
declare function clearTimeout(id: number | undefined): void;
declare function clearInterval(id: number | undefined): void;
