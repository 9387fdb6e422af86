import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { until } from '../../testing/lib/until.ts';
import { findFreePort } from '../../testing/network/free-port.ts';
import type { BrowserDriver, BrowserKind, BrowserWindow } from './browser-driver.ts';
import { WebDriverSession } from './web-driver-session.ts';

const DRIVER = '/usr/bin/WebKitWebDriver';
const SCREEN = '/usr/bin/Xvfb';
/** The browser of the library's own package. */
const [BROWSER] = globSync('/usr/lib/*/webkit2gtk-4.*/MiniBrowser');

export const webKit: BrowserKind = {
  name: 'WebKitGTK',
  packages: 'webkit2gtk-driver and xvfb',
  canStage: false,
  isInstalled: () => BROWSER !== undefined && existsSync(DRIVER) && existsSync(SCREEN),
  launch: launchWebKit,
};

/** WebKitWebDriver reports no console messages, so each page records them where the next page of the window finds them. */
const RECORDER = `(() => {
  window.isRecorded = true;
  const record = (problem) => {
    const problems = JSON.parse(sessionStorage.getItem('problems') ?? '[]');
    sessionStorage.setItem('problems', JSON.stringify([...problems, problem]));
  };
  let isLeaving = false;
  // Leaving a page cancels what it still loads, which is no problem.
  addEventListener('beforeunload', () => { isLeaving = true; });
  addEventListener('error', ({ message, target }) => {
    if (message) record(message);
    else if (!isLeaving) record('Not loaded: ' + target.outerHTML);
  }, true);
  addEventListener('unhandledrejection', ({ reason }) => record('Unhandled: ' + reason));
  addEventListener('securitypolicyviolation', (event) => record('Blocked: ' + event.blockedURI));
  const report = console.error;
  console.error = (...parts) => { record(parts.map(String).join(' ')); report.apply(console, parts); };
})();`;

const TAKE_PROBLEMS = `(() => {
  if (!window.isRecorded) return ['The page has no recorder of its problems.'];
  const problems = JSON.parse(sessionStorage.getItem('problems') ?? '[]');
  sessionStorage.removeItem('problems');
  return problems;
})()`;

/** Starts a virtual screen. Each window is a browser of its own, because the windows of one share their cookies. */
async function launchWebKit(folder: string): Promise<BrowserDriver> {
  const screen = await startScreen();
  return {
    recorder: RECORDER,
    openWindow: async () => openWindow(await mkdtemp(join(folder, 'window-')), screen.display),
    close: () => screen.stop(),
  };
}

async function openWindow(home: string, display: string): Promise<BrowserWindow> {
  const downloadFolder = join(home, 'downloads');
  const settings = join(home, '.config');
  await mkdir(downloadFolder);
  await mkdir(settings);
  await writeFile(join(settings, 'user-dirs.dirs'), `XDG_DOWNLOAD_DIR="${downloadFolder}"\n`);
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    XDG_CONFIG_HOME: settings,
    DISPLAY: display,
    LC_ALL: 'C.UTF-8',
  };
  const { driver, session } = await startBrowser(env);
  const evaluate = (expression: string) => session.execute(`return ${expression}`);
  return {
    downloadFolder,
    goTo: (url) => session.goTo(url),
    reload: () => session.reload(),
    evaluate,
    click: (element) => session.click(element),
    type: (element, text) => session.type(element, text),
    setFiles: (input, paths) => session.type(input, paths.join('\n')),
    takeProblems: async () => (await evaluate(TAKE_PROBLEMS)) as string[],
    close: async () => {
      try {
        await session.delete();
      } finally {
        await stop(driver);
      }
    },
  };
}

const STARTS_MAX = 3;
const START_MS = 60_000;
const CAPABILITIES = {
  // Leaving a page with an unfinished upload.
  unhandledPromptBehavior: 'accept',
  'webkitgtk:browserOptions': { binary: BROWSER!, args: ['--automation'] },
};

/** Tries again if the driver hangs, which it does when its browser dies while it starts. */
async function startBrowser(
  env: NodeJS.ProcessEnv,
): Promise<{ driver: ChildProcess; session: WebDriverSession }> {
  for (let start = 1; ; start += 1) {
    const port = await findFreePort();
    const driver = runUntilExit(spawn(DRIVER, [`--port=${port}`], { env, stdio: 'ignore' }));
    const endpoint = `http://127.0.0.1:${port}`;
    try {
      await until(() =>
        fetch(`${endpoint}/status`).then(
          (response) => response.ok,
          () => false,
        ),
      );
      return { driver, session: await WebDriverSession.create(endpoint, CAPABILITIES, START_MS) };
    } catch (error) {
      await stop(driver);
      if (start === STARTS_MAX) throw error;
    }
  }
}

async function startScreen(): Promise<{ display: string; stop(): Promise<void> }> {
  const args = ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'];
  const child = runUntilExit(spawn(SCREEN, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] }));
  // It finds a free number and writes it as a line.
  const [number] = (await once(child.stdio[3] as Readable, 'data')) as [Buffer];
  return { display: `:${number.toString().trim()}`, stop: () => stop(child) };
}

function runUntilExit(child: ChildProcess): ChildProcess {
  const end = () => void child.kill('SIGKILL');
  process.once('exit', end);
  child.once('close', () => process.off('exit', end));
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'close');
}
