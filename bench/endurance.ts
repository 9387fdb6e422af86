/**
 * `npm run bench:endurance [part …]`: the big things, through the real HTTP API of a server process of its own.
 * Parts: `large` (a 10 GiB file up and down), `many` (5,000 files in nested folders), `zip64` (a zip over 4 GiB)
 * and `entries` (a zip of 70,000 files); all without a choice. Needs up to 25 GiB of disk in the system's
 * temporary folder (TMPDIR), and gives it back. Ends with 1 when something is wrong or out of bounds.
 */
import { createHash } from 'node:crypto';
import { createWriteStream, mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CHUNK_BYTES } from '../contracts/plans/limits.ts';
import { fileDownloadPath, zipDownloadPath } from '../contracts/values/addresses/links.ts';
import { GIB, KIB, MIB } from '../contracts/values/sizes.ts';
import { RandomStream } from './random-stream.ts';
import { SendwellClient, type SentTransfer } from './sendwell-client.ts';
import { peakBytes } from './servers/processes.ts';
import { type Server, startSendwell } from './servers/servers.ts';
import { countByPython, listByUnzip, testByUnzip } from './zip-checks.ts';

const NEEDED_BYTES = 25 * GIB;
const PEAK_LIMIT_BYTES = 250 * MIB;
/** Where the limit is a promise; the others only tell. */
const BOUNDED_PARTS = new Set(['large', 'many']);
const LANES = 4;

const parts: Record<string, () => Promise<void>> = { large, many, zip64, entries };
const chosen = process.argv.slice(2);
for (const name of chosen) if (!(name in parts)) fail(`There is no part "${name}".`);
const { bavail, bsize } = statfsSync(tmpdir());
if (bavail * bsize < NEEDED_BYTES)
  fail(`This takes up to 25 GiB in ${tmpdir()}, where ${Math.floor((bavail * bsize) / GIB)} GiB are free.`);

const folder = mkdtempSync(join(tmpdir(), 'sendwell-endurance-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const zipPath = join(folder, 'download.zip');
let server: Server;
let client: SendwellClient;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void server.stop().then(() => process.exit(1)));

for (const [name, run] of Object.entries(parts)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  console.log(name);
  const peak = await runAlone(run);
  tell('server memory at its peak', `${Math.round(peak / MIB)} MiB`);
  if (BOUNDED_PARTS.has(name) && peak >= PEAK_LIMIT_BYTES) {
    console.error('The server used 250 MiB or more.');
    process.exitCode = 1;
  }
}

/** On a server and a folder of its own; returns the server's highest resident memory in bytes. */
async function runAlone(run: () => Promise<void>): Promise<number> {
  const home = mkdtempSync(join(folder, 'server-'));
  server = await startSendwell(home);
  try {
    client = new SendwellClient(server.port);
    await client.signIn();
    await run();
    return peakBytes(server.pids);
  } finally {
    await server.stop();
    rmSync(home, { recursive: true, force: true });
    rmSync(zipPath, { force: true });
  }
}

/** A file that lies nowhere but on the server goes up in four lanes and comes down with the same digest. */
async function large(): Promise<void> {
  const sizeBytes = 10 * GIB;
  const stream = new RandomStream('large', CHUNK_BYTES);
  const transfer = await timed('upload in four lanes', sizeBytes, () =>
    client.sendFile('large.bin', sizeBytes, (_index, bytes) => stream.take(bytes), LANES),
  );
  const hash = createHash('sha256');
  await timed('download', sizeBytes, async () => {
    for await (const bytes of await download(fileDownloadPath(transfer.token, transfer.firstFileId)))
      hash.update(bytes as Buffer);
  });
  const [sent, received] = [stream.hash.digest('hex'), hash.digest('hex')];
  if (sent !== received) throw new Error(`SHA-256 of what was sent ${sent}, of what came back ${received}`);
  tell('SHA-256, there and back', sent);
}

async function many(): Promise<void> {
  const [count, sizeBytes] = [5_000, 10 * KIB];
  const folderOf = (index: number) => `trip/day-${index % 10}/camera ${Math.floor(index / 100)}/ü`;
  const transfer = await sendMany(count, sizeBytes, folderOf);
  await downloadZip(transfer);
  testByUnzip(zipPath);
  const folders = new Set(listByUnzip(zipPath).map((path) => path.slice(0, path.lastIndexOf('/'))));
  const wanted = new Set(Array.from({ length: count }, (_, index) => folderOf(index)));
  if (folders.symmetricDifference(wanted).size > 0)
    throw new Error('unzip lists other folders than were sent');
  requireCount(countByPython(zipPath), count);
  tell('unzip -t, unzip -Z1, Python zipfile', `${count} files in ${folders.size} folders`);
}

async function zip64(): Promise<void> {
  const sizeBytes = 4.5 * GIB;
  const stream = new RandomStream('zip64', CHUNK_BYTES);
  const next = (_index: number, bytes: number) => stream.take(bytes);
  const transfer = await timed('upload', sizeBytes, () =>
    client.sendFile('over-4-gib.bin', sizeBytes, next, LANES),
  );
  for (let index = 0; index < 20; index += 1)
    await client.sendFile(`small-${index}.bin`, 10 * KIB, next, 1, transfer.id);
  await downloadZip(transfer);
  testByUnzip(zipPath);
  requireCount(listByUnzip(zipPath).length, 21);
  requireCount(countByPython(zipPath), 21);
  tell('unzip -t, unzip -Z1, Python zipfile', '21 files');
}

async function entries(): Promise<void> {
  const [count, sizeBytes] = [70_000, 100];
  const transfer = await sendMany(count, sizeBytes, (index) => `${Math.floor(index / 1_000)}`);
  await downloadZip(transfer);
  testByUnzip(zipPath);
  requireCount(listByUnzip(zipPath).length, count);
  requireCount(countByPython(zipPath), count);
  tell('unzip -t, unzip -Z1, Python zipfile', `${count} files`);
}

async function sendMany(
  count: number,
  sizeBytes: number,
  folderOf: (index: number) => string,
): Promise<SentTransfer> {
  const stream = new RandomStream('many', sizeBytes);
  const next = (_index: number, bytes: number) => stream.take(bytes);
  const started = performance.now();
  const transfer = await client.sendFiles(count, next, 2 * LANES, { sizeBytes, folderOf });
  const seconds = (performance.now() - started) / 1000;
  tell(`upload of ${count} files`, `${seconds.toFixed(1)} s, ${Math.round(count / seconds)} files/s`);
  return transfer;
}

async function downloadZip({ token }: SentTransfer): Promise<void> {
  const started = performance.now();
  const response = await download(zipDownloadPath(token));
  await pipeline(response, createWriteStream(zipPath));
  const sizeBytes = Number(response.headers['content-length']);
  if (statSync(zipPath).size !== sizeBytes) throw new Error('The zip is shorter than it was said to be');
  tell('zip download', describeSpeed(sizeBytes, started));
}

function download(path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get({ port: server.port, path, agent: false }, (response) => {
      if (response.statusCode === 200) resolve(response);
      else reject(new Error(`${path} was answered ${response.statusCode}`));
    }).once('error', reject);
  });
}

async function timed<T>(what: string, sizeBytes: number, run: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await run();
  tell(what, describeSpeed(sizeBytes, started));
  return result;
}

function describeSpeed(sizeBytes: number, started: number): string {
  const seconds = (performance.now() - started) / 1000;
  const size =
    sizeBytes >= GIB ? `${(sizeBytes / GIB).toFixed(2)} GiB` : `${Math.round(sizeBytes / MIB)} MiB`;
  return `${size} in ${seconds.toFixed(1)} s, ${Math.round(sizeBytes / 1e6 / seconds)} MB/s`;
}

function requireCount(found: number, wanted: number): void {
  if (found !== wanted) throw new Error(`${found} entries instead of ${wanted}`);
}

function tell(what: string, figure: string): void {
  console.log(`  ${what.padEnd(38)} ${figure}`);
}

function fail(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}
