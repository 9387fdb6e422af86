/**
 * `npm run bench [scenario …]`: what Sendwell does beside nginx and a bare Node server, in one run on one
 * machine. Rounds are interleaved and medians compared, so a machine that drifts drifts for all. The figures
 * that travel are the ratios. Options: --rounds=N (5), --keep (leave the files).
 */
import { randomFillSync } from 'node:crypto';
import { closeSync, fdatasyncSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GIB, KIB, MIB } from '../contracts/values/sizes.ts';
import { adminScenarios } from './admin.ts';
import { type History, startWithHistory } from './analytics.ts';
import { cpuSeconds, peakBytes, resetPeak } from './processes.ts';
import { SendwellClient, type SentTransfer } from './sendwell-client.ts';
import { type Server, startBareServer, startNginx, startSendwell } from './servers.ts';
import { severalScenarios } from './several.ts';
import { expectStatus, overConnections } from './wire.ts';

/** `installation.json`. */
const MARKER_FILES = 1;

type Figures = { seconds: number; cpu: number; peak: number };
type Contender = { server: Server; prepare?(): Promise<void>; run(): Promise<void>; tidy?(): Promise<void> };
type Scenario = { unit: string; amount: number; contenders: Contender[]; end?(): Promise<void> };

const args = process.argv.slice(2);
const rounds = Number(args.find((arg) => arg.startsWith('--rounds='))?.slice(9) ?? 5);
const chosen = args.filter((arg) => !arg.startsWith('--'));

const folder = mkdtempSync(join(tmpdir(), 'sendwell-bench-'));
const [bare, nginx] = await Promise.all([startBareServer(folder), startNginx(folder)]);
const others = [nginx, bare].filter((server) => server !== undefined);
const block = randomFillSync(Buffer.alloc(GIB / 4));
let sendwell: Server;
let client: SendwellClient;

try {
  console.log(
    `medians of ${rounds} interleaved rounds; ${others.map(({ name }) => name).join(' and ')} beside Sendwell\n`,
  );
  for (const [name, prepare] of Object.entries(scenarios())) {
    if (chosen.length > 0 && !chosen.some((word) => name.includes(word))) continue;
    await startFreshSendwell();
    const scenario = await prepare();
    report(name, scenario, await measure(scenario));
    await scenario.end?.();
    await sendwell!.stop();
  }
} finally {
  await Promise.all(others.map((server) => server.stop()));
  if (!args.includes('--keep')) rmSync(folder, { recursive: true, force: true });
}

/** Forgets what sending took, so that the memory of a download scenario is the downloads'. */
async function restartSendwell(): Promise<void> {
  await sendwell.stop();
  await startFreshSendwell();
}

/** One that has done nothing before: what it holds in memory is this scenario's. */
async function startFreshSendwell(): Promise<void> {
  sendwell = await startSendwell(folder);
  client = new SendwellClient(sendwell.port);
  await client.signIn();
}

/** By name; each makes what it needs only when it is chosen. */
function scenarios(): Record<string, () => Promise<Scenario>> {
  const small = block.subarray(0, 10 * KIB);
  return {
    'upload 1 GiB, four lanes': async () => ({
      unit: 'MB/s',
      amount: GIB / 1e6,
      contenders: [
        uploading(() => sendBig('up.bin', GIB)),
        ...others.map(puttingLarge),
        ...(nginx ? [durably(puttingLarge(nginx))] : []),
      ],
    }),
    'upload 5,000 files of 10 KiB': async () => ({
      unit: 'files/s',
      amount: 5_000,
      contenders: [
        uploading(() => client.sendFiles(5_000, small, 8)),
        ...others.map((server) => puttingMany(server, small)),
      ],
    }),
    'download 1 GiB': () => downloadScenario('one.bin', GIB, 1),
    '50 downloads of 100 MiB at once': () => downloadScenario('fifty.bin', 100 * MIB, 50),
    'zip of 200 files of 1 MiB beside one file': async () =>
      zipScenario(await client.sendFiles(200, block.subarray(0, MIB), 4), 200 * MIB),
    'zip of 5,000 files of 10 KiB beside one file': async () =>
      zipScenario(await client.sendFiles(5_000, small, 8), 5_000 * 10 * KIB),
    'public view of a transfer': async () => {
      const { token } = await client.sendFile('tiny.bin', 10 * KIB, small, 1);
      const contenders = [asking(sendwell, `/api/download/${token}`), asking(bare, '/small')];
      return { unit: 'requests/s', amount: 20_000, contenders };
    },
    'analytics of 1,000,000 downloads beside 1,000': () => analyticsScenario((path) => path.overall),
    'analytics of one transfer with 100,000 downloads beside 100': () =>
      analyticsScenario((path) => path.oneTransfer),
    ...adminScenarios(folder),
    ...severalScenarios(folder),
  };
}

function sendBig(name: string, sizeBytes: number): Promise<SentTransfer> {
  return client.sendFile(name, sizeBytes, block.subarray(0, 5 * MIB), 4);
}

async function downloadScenario(name: string, sizeBytes: number, lanes: number): Promise<Scenario> {
  const sent = await sendBig(name, sizeBytes);
  const rest = Array.from({ length: Math.ceil(sizeBytes / block.length) }, (_, index) =>
    block.subarray(0, Math.min(block.length, sizeBytes - index * block.length)),
  );
  writeFileSync(join(folder, name), Buffer.concat(rest));
  await restartSendwell();
  return {
    unit: 'MB/s',
    amount: (lanes * sizeBytes) / 1e6,
    contenders: [
      getting(sendwell, fileOf(sent), sizeBytes, { lanes }),
      ...others.map((server) => getting(server, `/${name}`, sizeBytes, { lanes })),
    ],
  };
}

function uploading(send: () => Promise<SentTransfer>): Contender {
  let sent: SentTransfer | undefined;
  return {
    server: sendwell,
    run: async () => {
      sent = await send();
    },
    tidy: async () => {
      if (!sent) return;
      await client.remove(sent);
      await untilDeleted();
    },
  };
}

/**
 * Waits until a job has deleted the stored bytes. Other servers' files are deleted right after their run too, and on a
 * virtual machine memory that was just freed is several times faster to write to than fresh memory.
 */
async function untilDeleted(): Promise<void> {
  const blobs = join(folder, 'sendwell', 'blobs');
  const countFiles = () =>
    readdirSync(blobs, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
  for (let tries = 0; tries < 100 && countFiles() > MARKER_FILES; tries += 1) await sleep(100);
}

function puttingLarge(server: Server): Contender {
  return {
    server,
    run: async () => {
      // Four connections with a quarter each: the same bytes over the same number of lanes.
      await overConnections(server.port, [0, 1, 2, 3], 4, async (connection, index) => {
        const answer = await connection.send({
          method: 'PUT',
          path: `/put-${server.port}/${index}.bin`,
          body: block,
        });
        expectStatus(answer, 201, 204);
      });
    },
    tidy: async () => rmSync(join(folder, `put-${server.port}`), { recursive: true, force: true }),
  };
}

/** The same, and its files on the disk when it ends: what a complete answer of Sendwell promises. */
function durably(contender: Contender): Contender {
  const { server } = contender;
  return {
    ...contender,
    server: { ...server, name: `${server.name}+sync` },
    run: async () => {
      await contender.run();
      for (const name of readdirSync(join(folder, `put-${server.port}`))) {
        const file = openSync(join(folder, `put-${server.port}`, name), 'r');
        fdatasyncSync(file);
        closeSync(file);
      }
    },
  };
}

function puttingMany(server: Server, body: Buffer): Contender {
  const paths = Array.from(
    { length: 5_000 },
    (_, index) => `/many-${server.port}/${Math.floor(index / 100)}/${index}.bin`,
  );
  return {
    server,
    run: () =>
      overConnections(server.port, paths, 8, async (connection, path) => {
        expectStatus(await connection.send({ method: 'PUT', path, body }), 201, 204);
      }),
    tidy: async () => rmSync(join(folder, `many-${server.port}`), { recursive: true, force: true }),
  };
}

function getting(server: Server, path: string, sizeBytes: number, { lanes = 1, times = 1 } = {}): Contender {
  return {
    server,
    run: () =>
      overConnections(
        server.port,
        Array<string>(lanes * times).fill(path),
        lanes,
        async (connection) => {
          const answer = expectStatus(await connection.send({ path }), 200, 206);
          if (answer.bodyBytes < sizeBytes) throw new Error(`short answer: ${answer.bodyBytes} bytes`);
        },
        { keepBodies: false },
      ),
  };
}

function fileOf({ token, firstFileId }: SentTransfer): string {
  return `/api/download/${token}/file/${firstFileId}`;
}

/** A zip against one plain file of as many bytes, by the same server; several times, for one is over at once. */
async function zipScenario(zip: SentTransfer, sizeBytes: number): Promise<Scenario> {
  const single = await sendBig('single.bin', sizeBytes);
  await restartSendwell();
  const times = Math.ceil((2 * GIB) / sizeBytes);
  const asOneFile = getting({ ...sendwell, name: 'one file' }, fileOf(single), sizeBytes, { times });
  const asZip = getting(sendwell, `/api/download/${zip.token}/all`, sizeBytes, { times });
  return { unit: 'MB/s', amount: (times * sizeBytes) / 1e6, contenders: [asZip, asOneFile] };
}

function asking(server: Server, path: string): Contender {
  return {
    server,
    run: () =>
      overConnections(server.port, Array<string>(20_000).fill(path), 32, async (connection) => {
        expectStatus(await connection.send({ path }), 200);
      }),
  };
}

/** The same questions about histories of the same days, one with a thousand times as many rows. */
async function analyticsScenario(choose: (paths: History['paths']) => string): Promise<Scenario> {
  const requests = 300;
  const large = await startWithHistory(join(folder, 'large'), { downloads: 1_000_000, views: 100_000 });
  const small = await startWithHistory(join(folder, 'small'), { downloads: 1_000, views: 100 });
  const contenders = [large, small].map(({ server, cookie, paths }) => ({
    server,
    run: () =>
      overConnections(
        server.port,
        Array<string>(requests).fill(choose(paths)),
        1,
        async (connection, path) => {
          expectStatus(await connection.send({ path, headers: { cookie } }), 200);
        },
      ),
  }));
  const end = async () => {
    await Promise.all([large, small].map(({ server }) => server.stop()));
  };
  return { unit: 'requests/s', amount: requests, contenders, end };
}

async function measure({ contenders }: Scenario): Promise<Map<Contender, Figures[]>> {
  const figures = new Map<Contender, Figures[]>(contenders.map((contender) => [contender, []]));
  for (let round = -1; round < rounds; round += 1) {
    for (const contender of contenders) {
      const { pids } = contender.server;
      resetPeak(pids);
      const [cpu, started] = [cpuSeconds(pids), performance.now()];
      await contender.run();
      const seconds = (performance.now() - started) / 1000;
      // The first round warms up.
      if (round >= 0)
        figures.get(contender)!.push({ seconds, cpu: cpuSeconds(pids) - cpu, peak: peakBytes(pids) });
      await contender.tidy?.();
    }
  }
  return figures;
}

function report(
  name: string,
  { unit, amount, contenders }: Scenario,
  figures: Map<Contender, Figures[]>,
): void {
  console.log(name);
  const [own] = contenders;
  const ownSeconds = median(figures.get(own!)!.map(({ seconds }) => seconds));
  for (const contender of contenders) {
    const runs = figures.get(contender)!;
    const seconds = median(runs.map((run) => run.seconds));
    const cpu = median(runs.map((run) => run.cpu));
    const peak = Math.max(...runs.map((run) => run.peak));
    const perGib =
      unit === 'MB/s' ? `${(cpu / ((amount * 1e6) / GIB)).toFixed(2)} CPU s/GiB` : `${cpu.toFixed(2)} CPU s`;
    const ratio = contender === own ? '' : `   Sendwell reaches ${(seconds / ownSeconds).toFixed(2)} of it`;
    console.log(
      `  ${contender.server.name.padEnd(10)} ${Math.round(amount / seconds)
        .toLocaleString('en')
        .padStart(9)} ${unit.padEnd(10)} ${perGib.padEnd(16)} peak ${Math.round(peak / MIB)} MiB${ratio}`,
    );
  }
  console.log('');
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
