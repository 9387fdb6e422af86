/**
 * `npm run bench:pages`: how soon a stranger with a slow phone sees the landing page, and how soon the other pages can
 * be used, cold. The network and the processor are slowed down as in Lighthouse's mobile preset; the largest contentful
 * paint is what Chromium itself reports. Options: --rounds=N (5), --only=PAGE (or `landing`, `navigation`), --root=DIR
 * (another version, checked out and built there).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { SendwellClient } from '../sendwell-client.ts';
import { startSendwell } from '../servers/servers.ts';
import {
  type Conditions,
  launchBrowser,
  type Navigation,
  navigateSlowly,
  SLOW_DOWN,
  SLOW_LINE,
  type Visit,
  type Visitor,
  visitSlowly,
} from './slow-visits.ts';

type FeltPage = { name: string; goal: string; visitor: Visitor };

const LANDING_LINES: Conditions[] = [
  SLOW_LINE,
  // What Lighthouse itself sets when it throttles in the browser, to make up for what is not simulated there.
  { name: '1.44 Mbit/s, 562 ms', latencyMs: 562.5, downMbit: 1.44, upMbit: 0.675 },
];
const MANY_FILES = 5_000;
/** The files, not their skeleton. */
const FILE_ROW = 'main li a[href*="/file/"], main li button:has(svg)';

const args = process.argv.slice(2);
const rounds = Number(readOption('rounds') ?? 5);
const only = readOption('only');
const folder = mkdtempSync(join(tmpdir(), 'sendwell-pages-'));
const server = await startSendwell(folder, {}, readOption('root'));
const url = `http://127.0.0.1:${server.port}`;
const browser = await launchBrowser();

try {
  if (!only || only === 'landing') await reportLanding();
  const pages = (await listFeltPages()).filter(({ name }) => !only || name === only);
  if (pages.length > 0) await reportFelt(pages);
  if (!only || only === 'navigation') await reportNavigation();
} finally {
  await browser.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function reportLanding(): Promise<void> {
  console.log(`landing page, cold, processor ${SLOW_DOWN} times slower, medians of ${rounds} visits\n`);
  for (const line of LANDING_LINES) {
    const of = await visitOften({ url: `${url}/` }, line);
    console.log(
      `  ${line.name.padEnd(20)} LCP ${Math.round(of('largestPaintMs'))} ms   FCP ${Math.round(of('firstPaintMs'))} ms` +
        `   CLS ${of('shift').toFixed(3)}   ${Math.round(of('bytes') / 1024)} KiB, of which script ${(of('scriptBytes') / 1024).toFixed(1)} KiB`,
    );
  }
}

/** Prints a table for docs/performance.md. */
async function reportFelt(pages: FeltPage[]): Promise<void> {
  console.log(
    `\n${SLOW_LINE.name}, processor ${SLOW_DOWN} times slower, cold, medians of ${rounds} visits\n`,
  );
  console.log('| page | usable | goal | script | files | all bytes | CLS |\n|---|---|---|---|---|---|---|');
  for (const { name, goal, visitor } of pages) {
    const of = await visitOften(visitor, SLOW_LINE);
    const seconds = (of('usableMs') / 1000).toFixed(1);
    const script = `${Math.round(of('scriptBytes') / 1000)} kB | ${of('scriptCount')}`;
    const rest = `${Math.round(of('bytes') / 1000)} kB | ${of('shift').toFixed(3)}`;
    console.log(`| ${name} | ${seconds} s | ${goal} | ${script} | ${rest} |`);
  }
}

/** Each from the dashboard, by the sidebar. */
async function reportNavigation(): Promise<void> {
  const client = new SendwellClient(server.port);
  await client.signIn();
  const { cookie } = client;
  console.log('\n| from the dashboard to | reaction | heading |\n|---|---|---|');
  for (const path of [PAGES.upload, PAGES.settings, PAGES.invitations, PAGES.analytics]) {
    const visitor = {
      url: `${url}${PAGES.dashboard}`,
      usableAt: 'main h1',
      cookie,
      link: `nav a[href="${path}"]`,
    };
    const trips: Navigation[] = [];
    for (let round = 0; round < rounds; round += 1)
      trips.push(await navigateSlowly(browser, visitor, SLOW_LINE));
    const median = (figure: keyof Navigation) =>
      trips.map((each) => each[figure]).toSorted((a, b) => a - b)[Math.floor(trips.length / 2)]!;
    console.log(
      `| ${path} | ${Math.round(median('reactionMs'))} ms | ${Math.round(median('headingMs'))} ms |`,
    );
  }
}

/** Medians. */
async function visitOften(visitor: Visitor, line: Conditions): Promise<(figure: keyof Visit) => number> {
  const visits: Visit[] = [];
  for (let round = 0; round < rounds; round += 1) visits.push(await visitSlowly(browser, visitor, line));
  return (figure) =>
    visits.map((each) => each[figure] ?? 0).toSorted((a, b) => a - b)[Math.floor(visits.length / 2)]!;
}

async function listFeltPages(): Promise<FeltPage[]> {
  const client = new SendwellClient(server.port);
  await client.signIn();
  const { cookie } = client;
  const body = Buffer.alloc(1_000);
  const few = await client.sendFiles(3, body, 1, { folderOf: () => 'folder' });
  for (let each = 0; each < 12; each += 1) await client.sendFile(`report-${each}.bin`, body.length, body, 1);
  const many = await client.sendFiles(MANY_FILES, body, 4);
  const page = (name: string, goal: string, path: string, usableAt: string, signedIn = false): FeltPage => ({
    name,
    goal: goal && `≤ ${goal} s`,
    visitor: { url: url + path, usableAt, ...(signedIn && { cookie }) },
  });
  return [
    page('download', '2.5', `/download/${few.token}`, FILE_ROW),
    page('download, 5,000 files', '3', `/download/${many.token}`, FILE_ROW),
    page('sign-in', '3', '/auth', 'main form button[type=submit]'),
    page('dashboard', '3.5', '/dashboard', 'main a[href^="/dashboard/transfer/"]', true),
    page('upload', '3.5', '/dashboard/upload', 'main button', true),
    page('detail', '', `/dashboard/transfer/${few.id}`, FILE_ROW, true),
    page('detail, 5,000 files', '3', `/dashboard/transfer/${many.id}`, FILE_ROW, true),
    page('settings', '', '/dashboard/settings', 'main input', true),
    page('invitations', '', '/dashboard/upload-invitations', 'main button', true),
  ];
}

function readOption(name: string): string | undefined {
  return args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
}
