/**
 * Two processes of one machine beside one, on SQLite and a disk. The client runs on the same processors: with two
 * of them, one server process and the client fill both, and a second can only use what those two leave.
 */
import { randomFillSync } from 'node:crypto';
import { join } from 'node:path';
import { KIB, MIB } from '../contracts/values/sizes.ts';
import { childrenOf } from './processes.ts';
import { SendwellClient, type SentTransfer } from './sendwell-client.ts';
import { type Server, startSendwell } from './servers.ts';
import { expectStatus, overConnections } from './wire.ts';

type Crew = { server: Server; client: SendwellClient };

const COUNTS = [2, 1];
const LANES = 8;

/** By name, like the others. */
export function severalScenarios(folder: string) {
  return {
    'processes: upload 512 MiB over eight lanes': () => uploading(folder, 512 * MIB),
    'processes: upload 1,000 files of 10 KiB': () => sendingSmall(folder, 1_000),
    'processes: eight downloads of 128 MiB at once': () => downloading(folder, 128 * MIB),
    'processes: public view of a transfer': () => viewing(folder, 10_000),
  };
}

async function uploading(folder: string, sizeBytes: number) {
  const block = randomFillSync(Buffer.alloc(5 * MIB));
  const send = ({ client }: Crew) => client.sendFile('up.bin', sizeBytes, block, LANES);
  return { unit: 'MB/s', amount: sizeBytes / 1e6, ...(await sending(folder, send)) };
}

async function sendingSmall(folder: string, count: number) {
  const block = randomFillSync(Buffer.alloc(10 * KIB));
  const send = ({ client }: Crew) => client.sendFiles(count, block, LANES);
  return { unit: 'files/s', amount: count, ...(await sending(folder, send)) };
}

async function sending(folder: string, send: (crew: Crew) => Promise<SentTransfer>) {
  const crews = await startCrews(folder);
  const contenders = crews.map((crew) => {
    let sent: SentTransfer | undefined;
    return {
      server: crew.server,
      run: async () => {
        sent = await send(crew);
      },
      tidy: async () => {
        if (sent) await crew.client.remove(sent);
      },
    };
  });
  return { contenders, end: () => stop(crews) };
}

async function downloading(folder: string, sizeBytes: number) {
  const crews = await startCrews(folder);
  const block = randomFillSync(Buffer.alloc(5 * MIB));
  const contenders = [];
  for (const { server, client } of crews) {
    const { token, firstFileId } = await client.sendFile('down.bin', sizeBytes, block, LANES);
    const paths = Array<string>(LANES).fill(`/api/download/${token}/file/${firstFileId}`);
    const run = () =>
      overConnections(
        server.port,
        paths,
        LANES,
        async (connection, path) => void expectStatus(await connection.send({ path }), 200),
        { keepBodies: false },
      );
    contenders.push({ server, run });
  }
  return { unit: 'MB/s', amount: (LANES * sizeBytes) / 1e6, contenders, end: () => stop(crews) };
}

async function viewing(folder: string, requests: number) {
  const crews = await startCrews(folder);
  const small = randomFillSync(Buffer.alloc(10 * KIB));
  const contenders = [];
  for (const { server, client } of crews) {
    const { token } = await client.sendFile('tiny.bin', small.length, small, 1);
    const paths = Array<string>(requests).fill(`/api/download/${token}`);
    const run = () =>
      overConnections(server.port, paths, 32, async (connection, path) => {
        expectStatus(await connection.send({ path }), 200);
      });
    contenders.push({ server, run });
  }
  return { unit: 'requests/s', amount: requests, contenders, end: () => stop(crews) };
}

async function startCrews(folder: string): Promise<Crew[]> {
  const crews: Crew[] = [];
  for (const count of COUNTS) {
    const server = await startSendwell(join(folder, `of-${count}`), { WORKERS: String(count) });
    const client = new SendwellClient(server.port);
    await client.signIn();
    const pids = [...server.pids, ...(count > 1 ? childrenOf(server.pids[0]!) : [])];
    crews.push({ server: { ...server, name: count === 1 ? 'one' : `${count} workers`, pids }, client });
  }
  return crews;
}

async function stop(crews: Crew[]): Promise<void> {
  await Promise.all(crews.map(({ server }) => server.stop()));
}
