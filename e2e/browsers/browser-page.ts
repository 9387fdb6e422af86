import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserWindow } from './browser-driver.ts';
import { describeTarget, LOCATOR_LIBRARY, locate, type Target } from './locate.ts';

/** Generous, because a busy machine may need many seconds. Only something that never happens takes as long. */
/** Longer for the large file of `encrypted.suite.ts`. */
const WAIT_MS = 120_000 + Number(process.env.ENCRYPTED_GIB ?? 0) * 60_000;
const PAUSE_MS = 100;
const CLICK_TRIES = 3;

/** Names of unfinished downloads in Firefox and WebKitGTK. */
const UNFINISHED = /\.(part|wkdownload)$/;

/** A browser window as a person uses it: every act waits for its element. */
export class BrowserPage {
  readonly #window: BrowserWindow;

  constructor(window: BrowserWindow) {
    this.#window = window;
  }

  async open(url: string): Promise<void> {
    await this.#window.goTo(url);
  }

  /** Also leaves a page that asks first. */
  async reload(): Promise<void> {
    await this.#window.reload();
  }

  async waitFor(target: Target): Promise<void> {
    await this.#waitUntil(`there is ${describeTarget(target)}`, () =>
      this.#evaluate(`${locate(target)} !== null`),
    );
  }

  async waitForText(text: string | RegExp): Promise<void> {
    await this.waitFor({ text });
  }

  async waitForPath(path: string): Promise<void> {
    await this.#waitUntil(
      `the page is ${path}`,
      async () => (await this.#window.evaluate('location.pathname')) === path,
    );
  }

  /** Scrolls to the element and clicks it when it is enabled and nothing covers it, such as a toast. */
  async click(target: Target): Promise<void> {
    const element = locate(target);
    for (let tries = 1; ; tries += 1) {
      await this.#waitUntil(`${describeTarget(target)} can be clicked`, () =>
        this.#evaluate(`(${canBeClicked})(${element})`),
      );
      try {
        return await this.#window.click(element);
      } catch (error) {
        // A toast appeared after the check; nothing was clicked.
        if (tries === CLICK_TRIES || !String(error).includes('element click intercepted')) throw error;
      }
    }
  }

  /** Types into an empty field. */
  async fill(target: Target, text: string): Promise<void> {
    await this.waitFor(target);
    await this.#window.type(locate(target), text);
  }

  async textOf(target: Target): Promise<string> {
    await this.waitFor(target);
    return String(
      await this.#evaluate(`((element) => element.value ?? element.textContent)(${locate(target)})`),
    );
  }

  /** Selects files as the browser's picker does. */
  async chooseFiles(paths: string[]): Promise<void> {
    await this.#attached('file-input');
    await this.#window.setFiles(inputOf('file-input'), paths);
  }

  /**
   * Selects a folder. No driver can: Firefox refuses folders, WebKitGTK sends one empty file. So real files are selected
   * in another input, get their paths in the folder, and are given to the page's input as a picker does.
   */
  async chooseFolder(folder: string): Promise<void> {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    const paths = files.map((file) => join(basename(folder), relative(folder, file)).split(sep).join('/'));
    await this.#attached('folder-input');
    await this.#window.evaluate(ADD_OTHER_INPUT);
    await this.#window.setFiles('document.getElementById("folder-of-test")', files);
    await this.#window.evaluate(`(${passFolder})(${inputOf('folder-input')}, ${JSON.stringify(paths)})`);
  }

  /** Waits for a complete download of this name and returns its path. */
  async waitForDownload(name: string): Promise<string> {
    const { downloadFolder } = this.#window;
    await this.#waitUntil(`${name} is downloaded`, async () => {
      const names = readdirSync(downloadFolder);
      return (
        names.includes(name) &&
        !names.some((each) => UNFINISHED.test(each)) &&
        statSync(join(downloadFolder, name)).size > 0
      );
    });
    return join(downloadFolder, name);
  }

  async readDownload(name: string): Promise<Buffer> {
    return readFileSync(await this.waitForDownload(name));
  }

  /** No console error, uncaught error or unhandled rejection since the last call. */
  async expectNoProblems(): Promise<void> {
    assert.deepEqual(await this.#window.takeProblems(), []);
  }

  /** Runs code in the page that logs an error, throws one and rejects. Returns the problems that it caused. */
  async causeProblems(): Promise<string[]> {
    await this.#window.evaluate(`(() => {
      console.error('logged');
      setTimeout(() => { throw new Error('thrown'); });
      setTimeout(() => { Promise.reject(new Error('rejected')); });
    })()`);
    const problems: string[] = [];
    await this.#waitUntil('three problems are reported', async () => {
      problems.push(...(await this.#window.takeProblems()));
      return problems.length >= 3;
    });
    return problems;
  }

  /** Runs JavaScript in the page. */
  async run(expression: string): Promise<void> {
    await this.#window.evaluate(expression);
  }

  async close(): Promise<void> {
    await this.#window.close();
  }

  async #attached(testId: string): Promise<void> {
    await this.#waitUntil(`there is ${testId}`, () => this.#window.evaluate(`${inputOf(testId)} !== null`));
  }

  /** Each document needs the library anew. */
  async #evaluate(expression: string): Promise<unknown> {
    if ((await this.#window.evaluate('typeof TestingLibraryDom')) === 'undefined')
      await this.#window.evaluate(`(() => { ${LOCATOR_LIBRARY} })()`);
    return this.#window.evaluate(expression);
  }

  /** A page that is being replaced may refuse; the reason is reported if it never ends. */
  async #waitUntil(what: string, isTrue: () => Promise<unknown>): Promise<void> {
    const deadline = Date.now() + WAIT_MS;
    let reason: unknown;
    for (;;) {
      try {
        if (await isTrue()) return;
        reason = undefined;
      } catch (error) {
        reason = error;
      }
      if (Date.now() > deadline) break;
      await sleep(PAUSE_MS);
    }
    const shown = await this.#window.evaluate('location.pathname + "\\n" + document.body.innerText');
    const problems = (await this.#window.takeProblems()).join('\n') || 'none';
    throw new Error(
      `Waited in vain until ${what}. ${reason ?? ''}\nThe page shows: ${shown}\nIts problems: ${problems}`,
    );
  }
}

/** JavaScript of the page. */
const canBeClicked = `(element) => {
  if (!element || element.disabled) return false;
  element.scrollIntoView({ block: 'center', behavior: 'instant' });
  const { left, top, width, height } = element.getBoundingClientRect();
  return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}`;

function inputOf(testId: string): string {
  return `document.querySelector('[data-testid="${testId}"]')`;
}

const ADD_OTHER_INPUT = `(() => {
  const input = document.createElement('input');
  Object.assign(input, { id: 'folder-of-test', type: 'file', multiple: true, hidden: true });
  document.body.append(input);
})()`;

/** JavaScript of the page. The own property `files` hides the input's list while its listeners run. */
const passFolder = `(input, paths) => {
  const other = document.getElementById('folder-of-test');
  const files = [...other.files];
  files.forEach((file, index) => Object.defineProperty(file, 'webkitRelativePath', { value: paths[index] }));
  other.remove();
  Object.defineProperty(input, 'files', { value: files, configurable: true });
  input.dispatchEvent(new Event('change', { bubbles: true }));
  delete input.files;
}`;
