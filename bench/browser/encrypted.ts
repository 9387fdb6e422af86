/**
 * `npm run bench:encrypted`: end-to-end encryption in Chromium beside the same without it, and the most memory that the
 * tab needs. Options: --gib=N (1), --rounds=N (3), --files=N (10000, of 10 KiB in folders),
 * --only=file|encrypted-file|folder, --ways=picked,staged,service.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GIB, KIB, MIB } from '../../contracts/values/sizes.ts';
import { RandomStream } from '../random-stream.ts';
import { SendwellClient } from '../sendwell-client.ts';
import { startSendwell } from '../servers/servers.ts';
import { Tab } from './tab.ts';

const BLOCK_BYTES = 8 * MIB;
const SAMPLE_MS = 100;
const NO_ROOM = 'navigator.storage.estimate = async () => ({ quota: 0, usage: 0 });';
const NO_PICKERS = 'delete window.showDirectoryPicker; delete window.showSaveFilePicker;';
/**
 * What each way to save needs to be chosen. The pickers give out the origin's private storage. Chromium does not read a
 * file there again when it closes it, as it does elsewhere.
 */
const SAVES: Record<string, string> = {
  'staged on disk': NO_PICKERS,
  'picked place': `window.showSaveFilePicker = async ({ suggestedName }) =>
    (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });
    window.showDirectoryPicker = () => navigator.storage.getDirectory(); ${NO_ROOM}`,
  'service worker': NO_PICKERS + NO_ROOM,
};
/** Tests and benches can control only the classic picker. */
const CLASSIC_PICKER = "delete window.showOpenFilePicker; localStorage.setItem('send-ahead', 'off');";

const readOption = (name: string) =>
  process.argv.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
const sizeBytes = Number(readOption('gib') ?? 1) * GIB;
const rounds = Number(readOption('rounds') ?? 3);
const fileCount = Number(readOption('files') ?? 10_000);
const only = readOption('only');
const wanted = (readOption('ways') ?? '').split(',');
const ways = Object.entries(SAVES).filter(([way]) => wanted.some((start) => way.startsWith(start)));

const folder = mkdtempSync(join(tmpdir(), 'sendwell-encrypted-'));
const server = await startSendwell(folder);
const url = `http://127.0.0.1:${server.port}`;
const client = new SendwellClient(server.port);

try {
  await client.signIn();
  if (only !== 'folder') await reportFile(await makeFile());
  if (only === undefined || only === 'folder') await reportFolder(makeFolder());
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

type Result = { seconds: number; tabBytes: number };

async function reportFile(path: string): Promise<void> {
  const results: Record<string, Result[]> = {};
  const keep = async (row: string, result: Promise<Result>) => {
    results[row] ??= [];
    results[row].push(await result);
  };
  for (let round = 0; round < rounds; round += 1) {
    let link = '';
    const upload = (isEncrypted: boolean) =>
      inTab(CLASSIC_PICKER, async (tab) => {
        const submit = await choose(tab, [path], isEncrypted);
        const result = await timed(tab, submit);
        link = await readLink(tab);
        return result;
      });
    if (only !== 'encrypted-file') {
      await keep('upload', upload(false));
      const plain = link;
      await keep(
        'download',
        inTab('', (tab) => download(tab, plain, /^Download film\.bin/)),
      );
    }
    await keep('encrypted upload', upload(true));
    for (const [way, script] of ways)
      await keep(
        `encrypted download, ${way}`,
        inTab(script, (tab) => save(tab, link, /^Save film\.bin/, way === 'picked place')),
      );
    for (const id of await client.listTransferIds()) await client.remove({ id, token: '', firstFileId: '' });
  }
  console.log(`\n${sizeBytes / GIB} GiB in Chromium, medians of ${rounds} rounds\n`);
  console.log('| work | speed | share of the same without encryption | tab |\n|---|---|---|---|');
  for (const [row, list] of Object.entries(results)) {
    const base = results[row.includes('download') ? 'download' : 'upload'] ?? [];
    const speed = sizeBytes / 1e6 / median(list.map(({ seconds }) => seconds));
    const shares = list.map(({ seconds }, round) => (base[round]?.seconds ?? 0) / seconds);
    const tab = Math.max(...list.map(({ tabBytes }) => tabBytes)) / MIB;
    const share = base === list || base.length === 0 ? '' : median(shares).toFixed(2);
    console.log(`| ${row} | ${Math.round(speed)} MB/s | ${share} | ${Math.round(tab)} MiB |`);
  }
}

async function reportFolder(path: string): Promise<void> {
  console.log(`\n${fileCount} files of 10 KiB in folders, encrypted\n`);
  console.log('| work | seconds | tab |\n|---|---|---|');
  const show = (row: string, { seconds, tabBytes }: Result) =>
    console.log(`| ${row} | ${seconds.toFixed(1)} | ${Math.round(tabBytes / MIB)} MiB |`);
  let link = '';
  await inTab(CLASSIC_PICKER, async (tab) => {
    const submit = await choose(tab, [path], true);
    show('upload', await timed(tab, submit));
    link = await readLink(tab);
  });
  for (const [way, script] of ways)
    await inTab(script, async (tab) => {
      const isPicked = way === 'picked place';
      show(way, await save(tab, link, /^Save All Files/, isPicked));
      if (isPicked) console.log(`| files in the picked folder: ${await countPrivateFiles(tab)} |||`);
    });
}

/** In a profile on disk: Chromium keeps the private storage of other windows in memory. */
async function inTab<T>(script: string, work: (tab: Tab) => Promise<T>): Promise<T> {
  const profile = mkdtempSync(join(folder, 'profile-'));
  const tab = await Tab.open(profile, { script, cookie: client.cookie, url });
  try {
    return await work(tab);
  } finally {
    await tab.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

/** Chooses the files. Returns what starts the upload and waits for its end. */
async function choose(tab: Tab, paths: string[], isEncrypted: boolean): Promise<() => Promise<unknown>> {
  await tab.visit(`${url}/dashboard/upload`);
  await tab.waitFor("find('h1, h2, h3', /^Drop files here/)");
  if (isEncrypted) {
    await tab.click('button', /^Options/);
    await tab.click('[role=switch]', /^End-to-end encrypted/);
  }
  await tab.drop(paths);
  await tab.waitFor("document.querySelector('[data-testid=total-size]')");
  return async () => {
    await tab.click('button', /^Upload$/);
    await tab.waitFor("find('[role=dialog]', /^Ready to share/)");
  };
}

function readLink(tab: Tab): Promise<string> {
  return tab.run("until(() => find('input, textarea', /Share link/)).then((field) => field.value)");
}

async function download(tab: Tab, link: string, name: RegExp): Promise<Result> {
  await tab.visit(link);
  await tab.waitFor(`find('a, button', ${name})`);
  return timed(tab, async () => {
    await tab.click('a, button', name);
    await tab.download();
  });
}

async function save(tab: Tab, link: string, name: RegExp, isPicked: boolean): Promise<Result> {
  await tab.visit(link);
  await tab.waitFor(`find('button', ${name})`);
  return timed(tab, async () => {
    await tab.click('button', name);
    await tab.waitFor('/^Saved /m.test(document.body.innerText)');
    if (!isPicked) await tab.download();
  });
}

/** The tab is the renderer with the most memory, without the pages of the program that all processes share. */
async function timed(tab: Tab, work: () => Promise<unknown>): Promise<Result> {
  const renderers = await tab.listRenderers();
  let tabBytes = 0;
  const look = () => {
    tabBytes = Math.max(tabBytes, ...renderers.map(ownBytes));
  };
  const sampling = setInterval(look, SAMPLE_MS);
  const startedAt = performance.now();
  try {
    await work();
  } finally {
    clearInterval(sampling);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  look();
  return { seconds, tabBytes };
}

/** Empty if the process has ended. */
function readProcessFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

/** 0 if the process has ended. */
function ownBytes(pid: number): number {
  const status = readProcessFile(pid, 'status');
  const readKib = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0);
  return (readKib('RssAnon') + readKib('RssShmem')) * KIB;
}

function countPrivateFiles(tab: Tab): Promise<number> {
  return tab.run(`(async () => {
    let count = 0;
    const visit = async (folder) => {
      for await (const handle of folder.values()) {
        if (handle.kind === 'directory') await visit(handle);
        else count += (await handle.getFile()).size === ${10 * KIB} ? 1 : 0;
      }
    };
    await visit(await navigator.storage.getDirectory());
    return count;
  })()`);
}

async function makeFile(): Promise<string> {
  const path = join(folder, 'film.bin');
  const bytes = new RandomStream('film', BLOCK_BYTES);
  for (let written = 0; written < sizeBytes; written += BLOCK_BYTES)
    await appendFile(path, bytes.take(BLOCK_BYTES));
  return path;
}

function makeFolder(): string {
  const root = join(folder, 'archive');
  const bytes = new RandomStream('archive', 10 * KIB);
  for (let index = 0; index < fileCount; index += 1) {
    const place = join(root, `part ${Math.floor(index / 100)}`);
    if (index % 100 === 0) mkdirSync(place, { recursive: true });
    writeFileSync(join(place, `${index}.bin`), bytes.take(10 * KIB));
  }
  return root;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
