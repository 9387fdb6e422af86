/**
 * Rows that start processes of their own: several workers, the start, and one process that does everything. With two
 * processors, one server process and the client fill both, and a second worker can only use what they leave.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHUNK_BYTES } from '../../contracts/plans/limits.ts';
import { GIB, KIB, MIB } from '../../contracts/values/sizes.ts';
import { findFreePort } from '../../testing/network/free-port.ts';
import { atLeast, atMost, type Contender, type Row } from '../measure.ts';
import type { SendwellClient } from '../sendwell-client.ts';
import { peakBytes } from '../servers/processes.ts';
import { NODE_FLAGS } from '../servers/servers.ts';
import { finished } from './commands.ts';
import {
  asking,
  filePath,
  getting,
  type Sendwell,
  type Stage,
  sending,
  warmMemory,
  zipPath,
} from './stage.ts';

const LANES = 8;
const VIEWS = 20_000;
const ROOT = join(import.meta.dirname, '../..');
const START_POLL_MS = 5;

export function processRows(stage: Stage): Record<string, () => Promise<Row>> {
  const { block } = stage;
  const chunk = block.subarray(0, CHUNK_BYTES);
  const small = block.subarray(0, 10 * KIB);
  const sendLarge = (client: SendwellClient) => client.sendFile('up.bin', 512 * MIB, chunk, LANES);
  const sendSmall = (client: SendwellClient) => client.sendFiles(2_000, small, LANES);
  return {
    'WORKERS=2: upload 2,000 × 10 KiB': () =>
      besideOne(stage, 'files/s', 2_000, (name, sendwell) => sending(name, sendwell, sendSmall)),
    'WORKERS=2: upload 512 MiB, 8 lanes': () =>
      besideOne(stage, 'MB/s', (512 * MIB) / 1e6, (name, sendwell) => sending(name, sendwell, sendLarge)),
    'WORKERS=2: public view': () =>
      besideOne(stage, 'requests/s', VIEWS, async (name, { server, client }) => {
        const { token } = await client.sendFile('tiny.bin', small.length, small, 1);
        return asking(server, `/api/download/${token}`, VIEWS, name);
      }),
    'start, empty compile cache': () => start(stage, true),
    'start, full compile cache': () => start(stage, false),
    'memory of one process through everything': async () => ({
      unit: 'MiB',
      warmUps: 0,
      contenders: [{ name: 'sendwell', pids: [], run: () => doEverything(stage) }],
      goals: [atMost(250, 'MiB')],
    }),
  };
}

async function besideOne(
  stage: Stage,
  unit: Row['unit'],
  amount: number,
  toContender: (name: string, sendwell: Sendwell) => Contender | Promise<Contender>,
): Promise<Row> {
  const two = await stage.start('two-workers', { WORKERS: '2' });
  const one = await stage.start('one-worker');
  const contenders = [await toContender('two workers', two), await toContender('one', one)];
  return { unit, amount, contenders, beforeEach: warmMemory, goals: [atLeast(1, 'one')] };
}

/** As `npm start`, with pages that are built, until the first answer. */
async function start(stage: Stage, isCacheEmpty: boolean): Promise<Row> {
  const cache = join(stage.folder, 'compile-cache');
  const dataDir = join(stage.folder, 'started');
  execFileSync(process.execPath, ['bin/build-web.ts'], { cwd: ROOT });
  const run = async () => {
    if (isCacheEmpty) rmSync(cache, { recursive: true, force: true });
    const port = await findFreePort();
    const env = {
      ...process.env,
      ENV_FILE: 'off',
      PORT: String(port),
      DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
      MALLOC_ARENA_MAX: '2',
      NODE_COMPILE_CACHE: cache,
    };
    const startedAt = performance.now();
    await finished(spawn(process.execPath, ['bin/build-web.ts'], { cwd: ROOT, env }));
    const child = spawn(process.execPath, [...NODE_FLAGS, 'server/main.ts'], {
      cwd: ROOT,
      env,
      stdio: 'ignore',
    });
    await answering(port, child);
    const ms = performance.now() - startedAt;
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
    return ms;
  };
  const contenders = [{ name: 'sendwell', pids: [], run }];
  return { unit: 'ms', contenders, goals: [isCacheEmpty ? atMost(4_000, 'ms') : atMost(2_000, 'ms')] };
}

async function answering(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const answered = await fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (answered) return;
    await sleep(START_POLL_MS);
  }
  throw new Error(`the server ended with ${child.exitCode}`);
}

/** The peak of a new process that uploads, downloads, zips and answers views, in MiB. */
async function doEverything(stage: Stage): Promise<number> {
  const sendwell = await stage.start('everything');
  const { server, client } = sendwell;
  const { block } = stage;
  const large = await client.sendFile('large.bin', GIB, block.subarray(0, CHUNK_BYTES), 4);
  const many = await client.sendFiles(5_000, block.subarray(0, 10 * KIB), LANES);
  const middle = await client.sendFiles(200, block.subarray(0, MIB), LANES);
  await getting(server, filePath(large), GIB).run();
  await getting(server, zipPath(middle), 200 * MIB, { lanes: 50 }).run();
  await getting(server, zipPath(many), 5_000 * 10 * KIB, { lanes: 4 }).run();
  await asking(server, `/api/download/${large.token}`, VIEWS).run();
  const peak = peakBytes(server.pids) / MIB;
  for (const sent of [large, many, middle]) await client.remove(sent);
  await stage.reset();
  return peak;
}
