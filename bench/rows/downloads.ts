import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { CHUNK_BYTES } from '../../contracts/plans/limits.ts';
import { GIB, KIB, MIB } from '../../contracts/values/sizes.ts';
import { atLeast, atMost, type Contender, type Goal, median, type Row } from '../measure.ts';
import type { SentTransfer } from '../sendwell-client.ts';
import type { Server } from '../servers/servers.ts';
import { asking, filePath, getting, type Sendwell, type Stage, zipPath } from './stage.ts';

const LANES = 4;
const VIEWS = 20_000;
/** First bytes of a round; their median is the value. */
const FIRST_BYTES = 20;

export function downloadRows(stage: Stage): Record<string, () => Promise<Row>> {
  const { block, nginx } = stage;
  const ofNginx = (share: number) => (nginx ? [atLeast(share, 'nginx')] : []);
  const manyFiles =
    (count: number, sizeBytes: number) =>
    ({ client }: Sendwell) =>
      client.sendFiles(count, block.subarray(0, sizeBytes), 8);
  const twoHundred = manyFiles(200, MIB);
  const fiveThousand = manyFiles(5_000, 10 * KIB);
  return {
    'download 1 GiB': () => download(stage, { sizeBytes: GIB, lanes: 1, goals: ofNginx(0.95) }),
    'download 50 × 200 MiB at once': () =>
      download(stage, { sizeBytes: 200 * MIB, lanes: 50, goals: ofNginx(0.95) }),
    'zip 200 × 1 MiB': () => zip(stage, twoHundred, 200 * MIB, 0.95),
    'zip 5,000 × 10 KiB': () => zip(stage, fiveThousand, 5_000 * 10 * KIB, 0.5),
    'first byte of a file': () =>
      firstByte(stage, (sendwell) => sendLarge(stage, sendwell, MIB), filePath, 5),
    'first byte of a zip, 200 × 1 MiB': () => firstByte(stage, twoHundred, zipPath, 20),
    'first byte of a zip, 5,000 × 10 KiB': () => firstByte(stage, fiveThousand, zipPath, 20),
    'public view': async () => {
      const { server, client } = await stage.start();
      const { token } = await client.sendFile('tiny.bin', 10 * KIB, block.subarray(0, 10 * KIB), 1);
      return {
        unit: 'requests/s',
        amount: VIEWS,
        contenders: [asking(server, `/api/download/${token}`, VIEWS), asking(stage.bare, '/small', VIEWS)],
        goals: [atLeast(0.45, stage.bare.name)],
      };
    },
  };
}

function sendLarge({ block }: Stage, { client }: Sendwell, sizeBytes: number): Promise<SentTransfer> {
  return client.sendFile('large.bin', sizeBytes, block.subarray(0, CHUNK_BYTES), LANES);
}

async function download(
  stage: Stage,
  { sizeBytes, lanes, goals }: { sizeBytes: number; lanes: number; goals: Goal[] },
): Promise<Row> {
  const { block, folder, others } = stage;
  const name = `${sizeBytes}.bin`;
  const parts = Array.from({ length: Math.ceil(sizeBytes / block.length) }, (_, index) =>
    block.subarray(0, Math.min(block.length, sizeBytes - index * block.length)),
  );
  writeFileSync(join(folder, name), Buffer.concat(parts));
  const first = await stage.start();
  const sent = await sendLarge(stage, first, sizeBytes);
  const { server } = await stage.restart(first);
  return {
    unit: 'MB/s',
    amount: (lanes * sizeBytes) / 1e6,
    contenders: [
      getting(server, filePath(sent), sizeBytes, { lanes }),
      ...others.map((other) => getting(other, `/${name}`, sizeBytes, { lanes })),
    ],
    goals,
  };
}

/** Beside one file of as many bytes by the same server; several times, because one is over at once. */
async function zip(
  stage: Stage,
  send: (sendwell: Sendwell) => Promise<SentTransfer>,
  sizeBytes: number,
  share: number,
): Promise<Row> {
  const first = await stage.start();
  const files = await send(first);
  const single = await sendLarge(stage, first, sizeBytes);
  const { server } = await stage.restart(first);
  const times = Math.ceil((2 * GIB) / sizeBytes);
  return {
    unit: 'MB/s',
    amount: (times * sizeBytes) / 1e6,
    contenders: [
      getting(server, zipPath(files), sizeBytes, { name: 'zip', lanes: 1, times }),
      getting(server, filePath(single), sizeBytes, { name: 'one file', lanes: 1, times }),
    ],
    goals: [atLeast(share, 'one file')],
  };
}

async function firstByte(
  stage: Stage,
  send: (sendwell: Sendwell) => Promise<SentTransfer>,
  pathOf: (sent: SentTransfer) => string,
  limitMs: number,
): Promise<Row> {
  const sendwell = await stage.start();
  const path = pathOf(await send(sendwell));
  return { unit: 'ms', contenders: [waiting(sendwell.server, path)], goals: [atMost(limitMs, 'ms')] };
}

/** Each download is counted before its first byte, and given back because it ends at once. */
function waiting(server: Server, path: string): Contender {
  return {
    name: server.name,
    pids: server.pids,
    run: async () => {
      const times: number[] = [];
      for (let count = 0; count < FIRST_BYTES; count += 1) times.push(await timeFirstByte(server, path));
      return median(times);
    },
  };
}

/** From sending the request until the first byte of the body, in milliseconds. */
function timeFirstByte({ port }: Server, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let startedAt = 0;
    let head = '';
    socket.once('connect', () => {
      startedAt = performance.now();
      socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
    });
    socket.on('data', (bytes) => {
      head += bytes.toString('latin1').slice(0, 4 * KIB);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0 || head.length === end + 4) return;
      socket.destroy();
      if (head.startsWith('HTTP/1.1 200')) resolve(performance.now() - startedAt);
      else reject(new Error(`unexpected answer: ${head.slice(0, 100)}`));
    });
    socket.once('error', reject);
  });
}
