export type BrowserKind = {
  name: string;
  /** Debian's packages, installed by `bin/install-test-servers.ts`. */
  packages: string;
  isInstalled(): boolean;
  /** Whether pages can write files in the origin's private file system. */
  canStage: boolean;
  /** `folder` is for downloads and profiles. */
  launch(folder: string): Promise<BrowserDriver>;
};

/**
 * A browser for the journeys. Elements are given as JavaScript expressions that find them in the page, so that
 * all browsers find the same ones (`locate.ts`).
 */
export type BrowserDriver = {
  /**
   * Runs first in every page and records what goes wrong there. Undefined if the browser itself reports it. The server
   * in front of the pages inserts it.
   */
  recorder?: string;
  /** Opens a window with cookies and storage of its own, like another person's browser. */
  openWindow(): Promise<BrowserWindow>;
  /** All windows must be closed. */
  close(): Promise<void>;
};

export type BrowserWindow = {
  /** Where the browser saves downloads. A download that is not complete has another name. */
  downloadFolder: string;
  goTo(url: string): Promise<void>;
  /** Reloads and confirms if the page asks before leaving. */
  reload(): Promise<void>;
  /** Runs JavaScript in the page and returns the value of the expression. */
  evaluate(expression: string): Promise<unknown>;
  /** A real click in the middle of the element. */
  click(element: string): Promise<void>;
  /** Types real keys into the element, which has the focus. */
  type(element: string, text: string): Promise<void>;
  /** Selects files in an `<input type="file">`, which may be hidden. */
  setFiles(input: string, paths: string[]): Promise<void>;
  /** Console errors, uncaught errors and unhandled rejections since the last call. */
  takeProblems(): Promise<string[]>;
  close(): Promise<void>;
};
