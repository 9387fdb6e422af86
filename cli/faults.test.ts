import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { appendFile, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { CHUNK_BYTES } from '../contracts/limits.ts';
import { MIB } from '../contracts/sizes.ts';
import { listTransfers } from '../contracts/transfers.ts';
import { listUploads } from '../contracts/uploads.ts';
import { type Cli, prepareCli, type RunningCli } from '../server/testing/cli-process.ts';
import { type FaultProxy, type SeenRequest, startFaultProxy } from '../server/testing/fault-proxy.ts';
import { type ServerProcess, startServerProcess } from '../server/testing/server-process.ts';
import { until } from '../server/testing/until.ts';
import { makeBytes } from '../server/testing/upload-files.ts';

const SIZE_BYTES = 64 * MIB;
const CHUNKS = Math.ceil(SIZE_BYTES / CHUNK_BYTES);
/** No more than this many chunks are under way at once. */
const LANES = 8;

test('an upload survives ten cuts of the line, and the file is the one that was sent', async (t) => {
  const { cli, proxy } = await prepare(t);
  proxy.cutAt = Array.from({ length: 10 }, (_, cut) => (cut + 1) * 6 * MIB);
  const sent = await cli.ask(['send', 'big.bin']);
  assert.equal(sent.code, 0, sent.stderr);
  assert.deepEqual(proxy.cutAt, [], 'the line was cut ten times');
  await requireSame(cli, String(sent.facts.link));
});

test('a download survives ten cuts of the line, and is one download', async (t) => {
  const { cli, proxy, server } = await prepare(t);
  await writeFile(join(cli.folder, 'small.txt'), 'small');
  const { facts } = await cli.ask(['send', 'big.bin', 'small.txt', '--max-downloads', '1']);
  let cuts = 0;
  proxy.decide = ({ method, url }) =>
    method === 'GET' && url.endsWith('/all') && cuts++ < 10
      ? { kind: 'cut-answer', afterBytes: 5 * MIB }
      : undefined;
  await requireSame(cli, String(facts.link));
  assert.ok(cuts > 10);
  const [transfer] = await (await server.signIn()).call(listTransfers);
  assert.equal(transfer?.downloadCount, 1);
});

test('after kill -9 a send is gone on with, and what the server has is not sent twice', async (t) => {
  const { cli, proxy } = await prepare(t);
  const running = cli.start(['send', 'big.bin']);
  atChunk(proxy, 6, () => running.kill('SIGKILL'));
  assert.equal((await running.result).signal, 'SIGKILL');
  const listed = await cli.ask(['resume', '--list']);
  assert.equal((listed.facts.unfinished as unknown[]).length, 1);
  const resumed = await cli.ask(['resume']);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.ok(countChunks(proxy) <= CHUNKS + LANES, `${countChunks(proxy)} chunks were sent`);
  assert.deepEqual(await cli.kept(), []);
  await requireSame(cli, String(resumed.facts.link));
});

test('Ctrl-C stops with its code and the line to go on with', async (t) => {
  const { cli, proxy } = await prepare(t);
  const running = cli.start(['send', 'big.bin']);
  atChunk(proxy, 4, () => running.kill('SIGINT'));
  const { code, stderr } = await running.result;
  assert.equal(code, 5);
  const [, id = ''] = /Go on with: sendwell resume (\w+)/.exec(stderr) ?? [];
  const resumed = await cli.ask(['resume', id]);
  assert.equal(resumed.code, 0, resumed.stderr);
  await requireSame(cli, String(resumed.facts.link));
});

test('a server that is killed in the middle is waited for', async (t) => {
  const { cli, proxy, server } = await prepare(t);
  let restarted: Promise<void> | undefined;
  const running = cli.start(['send', 'big.bin', '--json']);
  atChunk(proxy, 5, () => {
    restarted = server.restart();
  });
  const { code, stdout, stderr } = await running.result;
  await restarted;
  assert.equal(code, 0, stderr);
  await requireSame(cli, JSON.parse(stdout).link);
});

test('after kill -9 a receiving is gone on with where it stopped, as the same download', async (t) => {
  const { cli, proxy, server } = await prepare(t);
  const { facts } = await cli.ask(['send', 'big.bin', '--max-downloads', '1']);
  const link = String(facts.link);
  let running: RunningCli | undefined;
  proxy.decide = ({ method, url }) => {
    if (method !== 'GET' || !url.includes('/file/') || running === undefined) return undefined;
    const killed = running;
    running = undefined;
    void waitForPart(cli, 20 * MIB).then(() => killed.kill('SIGKILL'));
    return { kind: 'cut-answer', afterBytes: 21 * MIB };
  };
  running = cli.start(['receive', link, '--to', 'out']);
  const first = running;
  assert.equal((await first.result).signal, 'SIGKILL');
  proxy.seen.length = 0;
  await requireSame(cli, link);
  const ranges = proxy.seen.filter(({ url }) => url.includes('/file/')).map(({ range }) => range);
  assert.equal(ranges.length, 1);
  const [, from] = /^bytes=(\d+)-$/.exec(ranges[0] ?? '') ?? [];
  assert.ok(Number(from) >= 20 * MIB, `it went on at ${from}`);
  const [transfer] = await (await server.signIn()).call(listTransfers);
  assert.equal(transfer?.downloadCount, 1);
});

test('a file that changed between two runs is sent as it is now, and a lost one is named', async (t) => {
  const { cli, proxy } = await prepare(t);
  await writeFile(join(cli.folder, 'note.txt'), 'first');
  const running = cli.start(['send', 'note.txt', 'big.bin']);
  atChunk(proxy, 4, () => running.kill('SIGKILL'));
  await running.result;
  await appendFile(join(cli.folder, 'note.txt'), ' and more');
  const resumed = await cli.run(['resume']);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.match(resumed.stderr, /note\.txt changed meanwhile/);
  const received = await cli.run(['receive', resumed.stdout.trim(), '--to', 'out']);
  assert.equal(received.code, 0, received.stderr);
  assert.equal(await readFile(join(cli.folder, 'out/note.txt'), 'utf8'), 'first and more');
});

test('what was begun can be given up, here and on the server', async (t) => {
  const { cli, proxy, server } = await prepare(t);
  const running = cli.start(['send', 'big.bin']);
  atChunk(proxy, 4, () => running.kill('SIGINT'));
  await running.result;
  assert.equal((await cli.run(['resume', '--discard'])).code, 0);
  assert.deepEqual(await cli.kept(), []);
  const ada = await server.signIn();
  // The server deletes by a job.
  await until(async () => (await ada.call(listUploads)).length === 0);
});

type Scene = { server: ServerProcess; proxy: FaultProxy; cli: Cli };

/** A command before a line that can be cut, with a large file. */
async function prepare(t: TestContext): Promise<Scene> {
  const server = await startServerProcess(t);
  const proxy = await startFaultProxy(server.url);
  t.after(() => proxy.stop());
  const cli = await prepareCli(t, server, proxy.endpoint);
  await writeFile(join(cli.folder, 'big.bin'), makeBytes(SIZE_BYTES, 'big'));
  return { server, proxy, cli };
}

function atChunk(proxy: FaultProxy, count: number, act: () => void): void {
  let left = count;
  proxy.decide = (request) => {
    if (isChunk(request) && --left === 0) act();
    return undefined;
  };
}

function isChunk({ method, url }: SeenRequest): boolean {
  return method === 'POST' && url.startsWith('/api/upload/chunk/');
}

function countChunks({ seen }: FaultProxy): number {
  return seen.filter(isChunk).length;
}

async function requireSame(cli: Cli, link: string): Promise<void> {
  const received = await cli.run(['receive', link, '--to', 'out']);
  assert.equal(received.code, 0, received.stderr);
  const [sent, arrived] = await Promise.all(
    ['big.bin', 'out/big.bin'].map(async (path) => hash(await readFile(join(cli.folder, path)))),
  );
  assert.equal(arrived, sent);
  assert.deepEqual(await cli.kept(), []);
}

function hash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Until so much of the large file has been written. */
async function waitForPart(cli: Cli, bytes: number): Promise<void> {
  for (;;) {
    const [part] = globSync('out/sendwell-*.part/big.bin', { cwd: cli.folder });
    const size = part ? (await stat(join(cli.folder, part))).size : 0;
    if (size >= bytes) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
