// Types for script skills of sgClaw: what goes into the acts and comes out of them.
// Written by `./dev docs` from the action table; a change by hand is lost.

/** Any JSON value. */
type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** The checked inputs, by the names in `@params`; defaults are filled in. */
type SkillParams = Record<string, any>;

/** What `execute` returns. `data.message` is the sentence the person reads. */
type SkillResult =
  | { success: true; data?: { message?: string; [name: string]: Json | undefined } | Json }
  | { success: false; error: string; data?: Json };

/** An element is named by a CSS selector or by its number in a snapshot, never by both. */
type Target =
  | {
      /** CSS; ` >>> ` steps into an open shadow root or a frame. */
      selector: string;
      ref?: undefined;
    }
  | {
      /** Number of the element in a snapshot. */
      ref: string;
      selector?: undefined;
    };

/** The one function a skill file must have, under the name `execute`. */
type SkillExecute = (params: SkillParams, browserAction: BrowserAction) => Promise<SkillResult>;

/** Why an act was refused or failed. Other codes end the task whatever the script does. */
type ActionCode =
  'ACTION_FAILED' | 'UNKNOWN_ACTION' | 'BAD_PARAMS' | 'NOT_IMPLEMENTED' | 'NOT_FOUND' |
  'AMBIGUOUS_TARGET' | 'HIDDEN_TARGET' | 'COVERED_TARGET' | 'DISABLED_TARGET' | 'DETACHED_TARGET' |
  'STALE_REF' | 'UNSUPPORTED_WIDGET' | 'TIMEOUT' | 'NAVIGATION_FAILED' | 'DOWNLOAD_FAILED' |
  'PAGE_GONE' | 'UNKNOWN_OUTCOME' | 'POLICY_DENIED' | 'NEEDS_APPROVAL' | 'NEEDS_HUMAN' |
  'TOO_MANY_OUTSTANDING';

/** What the promise of a call rejects with. */
interface BrowserActionError extends Error {
  name: 'BrowserActionError';
  code: ActionCode;
  /** Details of the code, for example `problems` with the wrong fields. */
  facts: Record<string, any>;
}

interface AomNode {
  /** ARIA role. */
  role: string;
  /** Accessible name, cut to a readable length. */
  name: string;
  /** Current value; never of a password field. */
  value?: string;
  /** x, y, width, height in the page's viewport, whole CSS pixels. */
  bounds?: [number, number, number, number];
  /** CSS that matches this element alone. */
  selector?: string;
  /** Number of the element in this snapshot; good until the page's version changes. */
  ref?: string;
  /** Has the focus. */
  focused?: boolean;
  /** Cannot be operated. */
  disabled?: boolean;
  /** Ticked. */
  checked?: boolean;
  /** The chosen one of its group: a tab, an option, a row. */
  selected?: boolean;
  /** Open. */
  expanded?: boolean;
  /** Shows a value that cannot be typed over. */
  readonly?: boolean;
  /** In view, but something else would take the click. */
  covered?: boolean;
  /** What the page itself does not state and the host worked out from how it looks and behaves. */
  inferred?: ('role' | 'name')[];
  /** Rows of a table or list, hidden ones included. */
  row_count?: number;
  /** Of a frame: the committed origin inside. One the policy does not list has no children. */
  origin?: string;
  /** With `detail: full` only. */
  identity?: Identity;
  /** Nodes inside, in reading order. */
  children: AomNode[];
}

interface Artifact {
  /** Made by the host; never used twice. */
  id: string;
  /** A plain file name, no folders. */
  name: string;
  /** Bytes. */
  size: number;
  /** Of the whole file. */
  sha256: string;
  /** Media type. */
  mime: string;
}

interface Identity {
  /** Lower-case tag name. */
  tag: string;
  /** The page's own id, if it has one. */
  id?: string;
  /** Classes without those of a state, such as `is-active`. */
  classes: string[];
  /** Visible text of the element itself, cut. */
  text: string;
  /** Text that stands beside it: its label, its row or its group, cut. */
  near: string;
  /** Position in its document or shadow root. */
  xpath: string;
  /** Attributes that name it: name, type, href, title, placeholder, data-* … */
  attributes?: Record<string, Json>;
  /** What it is in, innermost first, each as `tag#id.class.class`; at most 8. */
  within: string[];
}

interface PageInfo {
  /** Made by the host; never used twice in a session. */
  id: string;
  /** The committed address. */
  url: string;
  /** Title, empty when the page does not answer. */
  title: string;
  /** Grows with each document the main frame loads. */
  version: number;
}

interface SomLabel {
  /** Number on the picture. */
  id: number;
  /** CSS that matches this element alone. */
  selector?: string;
  /** Number of the element in the snapshot. */
  ref?: string;
  /** Accessible name. */
  name: string;
  /** x, y, width, height. */
  bounds: [number, number, number, number];
}

type ClickParams = Target & {
  /** Mouse button. */
  button?: 'left' | 'right' | 'middle';
  /** 1 click, 2 double, 3 triple. */
  count?: number;
};

interface ClickResult {
  /** true. */
  clicked: boolean;
}

type TypeParams = Target & {
  /** What to type. */
  text: string;
  /** Replace what is in the field; false: add behind it. */
  clear?: boolean;
  /** Press Enter afterwards. */
  submit?: boolean;
};

interface TypeResult {
  /** true. */
  typed: boolean;
  /** What the field holds now, read back; absent for a password field. */
  value?: string;
  /** The element and what it is in, innermost first, each as `tag#id.class.class`; at most 8. */
  within?: string[];
}

interface NavigateParams {
  /** Absolute http or https address. */
  url: string;
}

type GetTextParams = Target;

type GetHtmlParams = Target;

type WaitForSelectorParams = Target & {
  /** Milliseconds to wait at most. */
  timeout_ms?: number;
  /** `visible`: one match, shown; `attached`: one; `hidden`: none shown; `detached`: none. */
  state?: 'visible' | 'hidden' | 'attached' | 'detached';
};

interface WaitForSelectorResult {
  /** true: the state was reached. When it was not, the answer is `TIMEOUT`. */
  found: boolean;
}

type PageScreenshotParams = (Target | { selector?: undefined; ref?: undefined }) & {
  /** The whole page, not only what is in view. */
  full_page?: boolean;
  /** Number the operable elements. */
  som_overlay?: boolean;
};

interface PageScreenshotResult {
  /** The picture, PNG. */
  artifact: Artifact;
  /** The marks on it, when `som_overlay` was asked for. */
  som_labels: SomLabel[];
}

type SelectParams = Target & {
  /** Value or visible text of the option, exactly. */
  value: string;
};

type ScrollToParams = (Target | { selector?: undefined; ref?: undefined }) & {
  /** CSS pixels from the left; ignored with a target. */
  x?: number;
  /** CSS pixels from the top; ignored with a target. */
  y?: number;
};

interface ScrollToResult {
  /** Scroll position now. */
  x: number;
  /** Scroll position now. */
  y: number;
}

type GetAomSnapshotParams = (Target | { selector?: undefined; ref?: undefined }) & {
  /** `full` adds the facts by which an element is found again. */
  detail?: 'brief' | 'full';
  /** Most nodes; more make `cut` true. */
  max_nodes?: number;
};

interface StorageSetParams {
  /** Name of the item. */
  key: string;
  /** The item. */
  value: string;
}

interface StorageSetResult {
  /** true. */
  stored: boolean;
}

interface StorageGetParams {
  /** Name of the item. */
  key: string;
}

interface ZombieSpawnParams {
  /** Absolute http or https address. */
  url: string;
}

interface ZombieKillParams {
  /** Id of the page. */
  page: string;
}

interface ZombieKillResult {
  /** true. */
  closed: boolean;
}

interface LoginParams {
  /** Host name of the system. */
  site: string;
  /** Reference into the host's vault; the secret never leaves the host. */
  credential: string;
}

interface LoginResult {
  /** true. */
  logged_in: boolean;
}

interface LogoutParams {
  /** Host name of the system. */
  site: string;
}

interface LogoutResult {
  /** true. */
  logged_out: boolean;
}

interface ClearStorageResult {
  /** true. */
  cleared: boolean;
  /** The element and what it is in, innermost first, each as `tag#id.class.class`; at most 8. */
  within?: string[];
}

type HoverParams = Target;

interface HoverResult {
  /** true. */
  hovered: boolean;
}

type PressParams = (Target | { selector?: undefined; ref?: undefined }) & {
  /** One key, a named one or a character, after any of Control, Shift, Alt, Meta: `Control+A`. */
  key: string;
};

interface PressResult {
  /** true. */
  pressed: boolean;
}

type CheckParams = Target & {
  /** true ticks, false unticks. */
  checked?: boolean;
};

type ClearParams = Target;

interface ClearResult {
  /** true. */
  cleared: boolean;
  /** The element and what it is in, innermost first, each as `tag#id.class.class`; at most 8. */
  within?: string[];
}

type UploadParams = Target & {
  /** Id of an artifact, or of a file given with the task. */
  file: string;
};

interface UploadResult {
  /** true. */
  uploaded: boolean;
  /** Name the page was given. */
  name: string;
  /** Bytes. */
  size: number;
  /** true when the page then emptied its file input and neither lists nor sent the file so far. */
  emptied: boolean;
}

type DownloadParams = Target & {
  /** Milliseconds until the file must be complete. */
  timeout_ms?: number;
};

interface SwitchPageParams {
  /** Id of the page. */
  page: string;
}

interface ClosePageParams {
  /** Id of the page. */
  page: string;
}

interface ClosePageResult {
  /** true. */
  closed: boolean;
}

interface HandleDialogParams {
  /** true is OK, false is Cancel. */
  accept: boolean;
  /** What to type into a prompt. */
  text?: string;
}

interface HandleDialogResult {
  /** true. */
  handled: boolean;
  /** What the dialog said. */
  message: string;
}

type QueryParams = (Target | { selector?: undefined; ref?: undefined }) & {
  /** What to read. */
  fact: 'exists' | 'visible' | 'enabled' | 'count' | 'attribute' | 'value' | 'url' | 'title';
  /** Name of the attribute, for `attribute` only. */
  name?: string;
};

type ExtractTableParams = Target & {
  /** Most rows to return; more make `complete` false. */
  max_rows?: number;
};

interface ExtractTableResult {
  /** Names of the columns. */
  columns: string[];
  /** Visible text of the cells, one array a row, as long as `columns`. */
  rows: string[][];
  /** Number of `rows`. */
  row_count: number;
  /** The total the page itself states, if it states one. */
  page_total?: number;
  /** Whether `rows` are all rows, by count and by the page's total. */
  complete: boolean;
}
