import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { MIB } from '../../contracts/values/sizes.ts';
import { type Cli, type OwnedCli, prepareCli } from '../processes/cli-process.ts';
import { type ServerProcess, shareServerProcess } from '../processes/server-process.ts';
import { makeBytes } from '../uploads/upload-files.ts';
import { type FaultProxy, type SeenRequest, startFaultProxy } from './fault-proxy.ts';

export const SIZE_BYTES = 64 * MIB;

type Scene = { server: ServerProcess; proxy: FaultProxy; cli: OwnedCli };

/** Prepares the command line with a large file and a server behind a fault proxy. */
export async function prepare(t: TestContext, ownServer?: ServerProcess): Promise<Scene> {
  const server = ownServer ?? (await shareServerProcess());
  const proxy = await startFaultProxy(server.url);
  t.after(() => proxy.stop());
  const cli = await prepareCli(t, server, proxy.endpoint);
  await writeFile(join(cli.folder, 'big.bin'), makeBytes(SIZE_BYTES, 'big'));
  return { server, proxy, cli };
}

export function atChunk(proxy: FaultProxy, count: number, act: () => void): void {
  let left = count;
  proxy.decide = (request) => {
    if (isChunk(request) && --left === 0) act();
    return undefined;
  };
}

export function isChunk({ method, url }: SeenRequest): boolean {
  return method === 'POST' && url.startsWith('/api/upload/chunk/');
}

export async function requireSame(cli: Cli, link: string, options: string[] = []): Promise<void> {
  const received = await cli.run(['receive', link, '--to', 'out', ...options]);
  assert.equal(received.code, 0, received.stderr);
  const [sent, arrived] = await Promise.all(
    ['big.bin', 'out/big.bin'].map(async (path) => hash(await readFile(join(cli.folder, path)))),
  );
  assert.equal(arrived, sent);
  assert.deepEqual(await cli.listStateFiles(), []);
}

function hash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
