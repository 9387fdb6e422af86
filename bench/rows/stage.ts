import { execFileSync } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GIB } from '../../contracts/values/sizes.ts';
import type { Contender } from '../measure.ts';
import { SendwellClient, type SentTransfer } from '../sendwell-client.ts';
import { childrenOf } from '../servers/processes.ts';
import { type Server, startBareServer, startNginx, startSendwell } from '../servers/servers.ts';
import { expectStatus, overConnections } from '../wire.ts';

/** A running Sendwell with an administrator signed in. */
export type Sendwell = { server: Server; client: SendwellClient; dataDir: string };

/** `installation.json`. */
const MARKER_FILES = 1;

/** What the rows share: the servers to compare with, and random bytes to send. */
export class Stage {
  readonly folder: string;
  readonly block = randomFillSync(Buffer.alloc(GIB / 4));
  readonly nginx: Server | undefined;
  readonly bare: Server;
  #running: Sendwell[] = [];

  private constructor(folder: string, nginx: Server | undefined, bare: Server) {
    this.folder = folder;
    this.nginx = nginx;
    this.bare = bare;
  }

  static async open(folder: string): Promise<Stage> {
    const [bare, nginx] = await Promise.all([startBareServer(folder), startNginx(folder)]);
    return new Stage(folder, nginx, bare);
  }

  get others(): Server[] {
    return [this.nginx, this.bare].filter((server) => server !== undefined);
  }

  /** A new process, so that the memory it holds is that of this row. Keeps the data of an earlier one. */
  async start(name = 'sendwell', settings: Record<string, string> = {}): Promise<Sendwell> {
    const folder = join(this.folder, name);
    const started = await startSendwell(folder, settings);
    const client = new SendwellClient(started.port);
    await client.signIn();
    const workers = Number(settings.WORKERS ?? 1) > 1 ? childrenOf(started.pids[0]!) : [];
    const server = { ...started, pids: [...started.pids, ...workers] };
    const sendwell = { server, client, dataDir: join(folder, 'sendwell') };
    this.#running.push(sendwell);
    return sendwell;
  }

  /** Forgets what sending took, so that the memory of a download row is that of the downloads. */
  async restart(sendwell: Sendwell): Promise<Sendwell> {
    await this.#stop(sendwell);
    return this.start();
  }

  /** Ends a row. */
  async reset(): Promise<void> {
    await Promise.all(this.#running.map((sendwell) => this.#stop(sendwell)));
  }

  async close(): Promise<void> {
    await this.reset();
    await Promise.all(this.others.map((server) => server.stop()));
  }

  async #stop(sendwell: Sendwell): Promise<void> {
    this.#running = this.#running.filter((each) => each !== sendwell);
    await sendwell.server.stop();
  }
}

/** Sends in each run, and removes what was sent. */
export function sending(
  name: string,
  sendwell: Sendwell,
  send: (client: SendwellClient) => Promise<SentTransfer>,
): Contender {
  let sent: SentTransfer | undefined;
  return {
    name,
    pids: sendwell.server.pids,
    run: async () => {
      sent = await send(sendwell.client);
      return undefined;
    },
    tidy: async () => {
      await sendwell.client.remove(sent!);
      await untilDeleted(sendwell);
    },
  };
}

/**
 * Waits until a job has deleted the stored bytes. Other servers' files are deleted right after their run too, and on a
 * virtual machine memory that was just freed is several times faster to write to than fresh memory.
 */
async function untilDeleted({ dataDir }: Sendwell): Promise<void> {
  const countFiles = () =>
    readdirSync(join(dataDir, 'blobs'), { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    ).length;
  for (let tries = 0; tries < 100 && countFiles() > MARKER_FILES; tries += 1) await sleep(100);
}

/**
 * Takes memory from the host and frees it. On a virtual machine, writing to memory that the host has not backed yet
 * costs several times as much, and the contender that runs first would pay for all.
 */
export function warmMemory(): void {
  const buffers = 'for (const size of Array(15).fill(1e8)) buffers.push(Buffer.alloc(size, 1))';
  execFileSync(process.execPath, ['-e', `const buffers = []; ${buffers}`]);
}

/** PUTs one body per path. */
export function putting(
  { folder }: Stage,
  server: Server,
  { name, body, lanes }: { name: (index: number) => string; body: Buffer; lanes: number },
  count: number,
): Contender & { directory: string } {
  const directory = `put-${server.port}`;
  const paths = Array.from({ length: count }, (_, index) => `/${directory}/${name(index)}`);
  return {
    name: server.name,
    directory: join(folder, directory),
    pids: server.pids,
    run: async () => {
      await overConnections(server.port, paths, lanes, async (connection, path) => {
        expectStatus(await connection.send({ method: 'PUT', path, body }), 201, 204);
      });
      return undefined;
    },
    tidy: async () => rmSync(join(folder, directory), { recursive: true, force: true }),
  };
}

/** GETs a path so many times. */
export function getting(
  server: Server,
  path: string,
  sizeBytes: number,
  { name = server.name, lanes = 1, times = lanes }: { name?: string; lanes?: number; times?: number } = {},
): Contender {
  return {
    name,
    pids: server.pids,
    run: async () => {
      await overConnections(
        server.port,
        Array<string>(times).fill(path),
        lanes,
        async (connection) => {
          const answer = expectStatus(await connection.send({ path }), 200, 206);
          if (answer.bodyBytes < sizeBytes) throw new Error(`short answer: ${answer.bodyBytes} bytes`);
        },
        { keepBodies: false },
      );
      return undefined;
    },
  };
}

export function asking(server: Server, path: string, count: number, name = server.name): Contender {
  return {
    name,
    pids: server.pids,
    run: async () => {
      await overConnections(server.port, Array<string>(count).fill(path), 32, async (connection) => {
        expectStatus(await connection.send({ path }), 200);
      });
      return undefined;
    },
  };
}

export function filePath({ token, firstFileId }: SentTransfer): string {
  return `/api/download/${token}/file/${firstFileId}`;
}

export function zipPath({ token }: SentTransfer): string {
  return `/api/download/${token}/all`;
}
