/**
 * `npm run bench:soak [minutes]`: what a server's memory, descriptors and files do over a long time (30 minutes by
 * default) under a steady mix of large and small uploads, broken uploads, views, downloads, zips and deletions. Prints
 * a line a minute, and at the end how the last third compares with the third before it, when caches are warm.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHUNK_BYTES } from '../contracts/plans/limits.ts';
import { fileDownloadPath, zipDownloadPath } from '../contracts/values/addresses/links.ts';
import { MINUTE_MS } from '../contracts/values/durations.ts';
import { KIB, MIB } from '../contracts/values/sizes.ts';
import { SendwellClient, type SentTransfer } from './sendwell-client.ts';
import { startSendwell } from './servers/servers.ts';

/** Between two rounds, so that the machine is not saturated: a soak is about time, not speed. */
const PAUSE_MS = 2_000;
const KEPT_TRANSFERS = 40;

const minutes = Number(process.argv[2] ?? 30);
const folder = mkdtempSync(join(tmpdir(), 'sendwell-soak-'));
const server = await startSendwell(folder);
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void server.stop().then(() => process.exit(1)));

type Sample = { rss: number; descriptors: number; wal: number; others: number };
const samples: Sample[] = [];
const client = new SendwellClient(server.port);
await client.signIn();
const kept: SentTransfer[] = [];
const large = Buffer.alloc(CHUNK_BYTES, 'large');
const small = Buffer.alloc(20 * KIB, 'small');
let rounds = 0;

const startedAt = performance.now();
for (let nextMinute = MINUTE_MS; performance.now() - startedAt < minutes * MINUTE_MS; ) {
  await round();
  rounds += 1;
  await sleep(PAUSE_MS);
  if (performance.now() - startedAt < nextMinute) continue;
  nextMinute += MINUTE_MS;
  const sample = measure();
  samples.push(sample);
  console.log(`${samples.length} min: ${describe(sample)}, ${rounds} rounds`);
}
await server.stop();
const third = Math.floor(samples.length / 3);
const [before, last] = [samples.slice(-2 * third, -third), samples.slice(-third)];
for (const name of ['rss', 'descriptors', 'wal', 'others'] as const)
  console.log(`${name}: median ${show(name, median(before, name))}, then ${show(name, median(last, name))}`);

/** One of everything. */
async function round(): Promise<void> {
  kept.push(await client.sendFile('large.bin', 32 * MIB, large, 2));
  kept.push(await client.sendFiles(50, small, 2));
  await breakOff();
  const [one] = kept;
  for (const path of [
    `/api/download/${one!.token}`,
    fileDownloadPath(one!.token, one!.firstFileId),
    zipDownloadPath(kept.at(-1)!.token),
  ])
    await (await fetch(`http://127.0.0.1:${server.port}${path}`)).arrayBuffer();
  while (kept.length > KEPT_TRANSFERS) await client.remove(kept.shift()!);
}

/** A download whose reader goes away after the first bytes. */
async function breakOff(): Promise<void> {
  const { token, firstFileId } = kept[0]!;
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`GET ${fileDownloadPath(token, firstFileId)} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.destroy();
}

function measure(): Sample {
  const [pid] = server.pids;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const isBlob = (path: string) => path.includes('/blobs');
  const wal = files.find(({ name }) => name.endsWith('.db-wal'));
  return {
    rss: Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) * KIB,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    wal: wal ? statSync(join(wal.parentPath, wal.name)).size : 0,
    others: files.filter(({ parentPath }) => !isBlob(parentPath)).length,
  };
}

function describe(sample: Sample): string {
  return (['rss', 'descriptors', 'wal', 'others'] as const)
    .map((name) => `${name} ${show(name, sample[name])}`)
    .join(', ');
}

function show(name: keyof Sample, value: number): string {
  return name === 'rss' || name === 'wal' ? `${(value / MIB).toFixed(1)} MiB` : String(value);
}

function median(list: Sample[], name: keyof Sample): number {
  return list.map((sample) => sample[name]).toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
}
