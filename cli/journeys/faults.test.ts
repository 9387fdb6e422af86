import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { appendFile, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { CHUNK_BYTES } from '../../contracts/plans/limits.ts';
import { listTransfers } from '../../contracts/transfers/transfers.ts';
import { listUploads } from '../../contracts/transfers/uploads/uploads.ts';
import { MIB } from '../../contracts/values/sizes.ts';
import { onlyInAll } from '../../testing/lib/only-in-all.ts';
import { until } from '../../testing/lib/until.ts';
import { atChunk, isChunk, prepare, requireSame, SIZE_BYTES } from '../../testing/network/cut-line.ts';
import type { FaultProxy } from '../../testing/network/fault-proxy.ts';
import type { Cli, RunningCli } from '../../testing/processes/cli-process.ts';
import { startServerProcess } from '../../testing/processes/server-process.ts';

const CHUNKS = Math.ceil(SIZE_BYTES / CHUNK_BYTES);

const LANES = 8;

test('a download survives ten broken connections and counts once', async (t) => {
  const { cli, proxy } = await prepare(t);
  await writeFile(join(cli.folder, 'small.txt'), 'small');
  const { facts } = await cli.runJson(['send', 'big.bin', 'small.txt', '--max-downloads', '1']);
  let cuts = 0;
  proxy.decide = ({ method, url }) =>
    method === 'GET' && url.endsWith('/all') && cuts++ < 10
      ? { kind: 'cut-answer', afterBytes: 5 * MIB }
      : undefined;
  await requireSame(cli, String(facts.link));
  assert.ok(cuts > 10);
  const [transfer] = await cli.owner.call(listTransfers);
  assert.equal(transfer?.downloadCount, 1);
});

test('after kill -9 resume completes a send without sending chunks twice', async (t) => {
  const { cli, proxy } = await prepare(t);
  const running = cli.start(['send', 'big.bin']);
  atChunk(proxy, 6, () => running.kill('SIGKILL'));
  assert.equal((await running.result).signal, 'SIGKILL');
  const listed = await cli.runJson(['resume', '--list']);
  assert.equal((listed.facts.unfinished as unknown[]).length, 1);
  const resumed = await cli.runJson(['resume']);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.ok(countChunks(proxy) <= CHUNKS + LANES, `${countChunks(proxy)} chunks were sent`);
  assert.deepEqual(await cli.listStateFiles(), []);
  await requireSame(cli, String(resumed.facts.link));
});

test('Ctrl-C exits with its exit code and prints the command to resume', onlyInAll, async (t) => {
  const { cli, proxy } = await prepare(t);
  const running = cli.start(['send', 'big.bin']);
  atChunk(proxy, 4, () => running.kill('SIGINT'));
  const { code, stderr } = await running.result;
  assert.equal(code, 5);
  const [, id = ''] = /Continue with: sendwell resume (\w+)/.exec(stderr) ?? [];
  const resumed = await cli.runJson(['resume', id]);
  assert.equal(resumed.code, 0, resumed.stderr);
  await requireSame(cli, String(resumed.facts.link));
});

test('after kill -9 receive resumes where it stopped as the same download', onlyInAll, async (t) => {
  const { cli, proxy } = await prepare(t);
  const { facts } = await cli.runJson(['send', 'big.bin', '--max-downloads', '1']);
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
  assert.ok(Number(from) >= 20 * MIB, `it resumed at ${from}`);
  const [transfer] = await cli.owner.call(listTransfers);
  assert.equal(transfer?.downloadCount, 1);
});

test('a file that changed between two runs is sent again from the beginning', onlyInAll, async (t) => {
  const { cli, proxy } = await prepare(t);
  await writeFile(join(cli.folder, 'note.txt'), 'first');
  const running = cli.start(['send', 'note.txt', 'big.bin']);
  atChunk(proxy, 4, () => running.kill('SIGKILL'));
  await running.result;
  await appendFile(join(cli.folder, 'note.txt'), ' and more');
  const resumed = await cli.run(['resume']);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.match(resumed.stderr, /note\.txt has changed/);
  const received = await cli.run(['receive', resumed.stdout.trim(), '--to', 'out']);
  assert.equal(received.code, 0, received.stderr);
  assert.equal(await readFile(join(cli.folder, 'out/note.txt'), 'utf8'), 'first and more');
});

test('an upload survives ten broken connections unchanged', onlyInAll, async (t) => {
  const { cli, proxy } = await prepare(t);
  proxy.cutAt = Array.from({ length: 10 }, (_, cut) => (cut + 1) * 6 * MIB);
  const sent = await cli.runJson(['send', 'big.bin']);
  assert.equal(sent.code, 0, sent.stderr);
  assert.deepEqual(proxy.cutAt, [], 'the line was cut ten times');
  await requireSame(cli, String(sent.facts.link));
});

test('a send survives a restart of the server', onlyInAll, async (t) => {
  const { cli, proxy, server } = await prepare(t, await startServerProcess(t));
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

test('an unfinished transfer can be discarded locally and on the server', onlyInAll, async (t) => {
  const { cli, proxy } = await prepare(t);
  const running = cli.start(['send', 'big.bin']);
  atChunk(proxy, 4, () => running.kill('SIGINT'));
  await running.result;
  assert.equal((await cli.run(['resume', '--discard'])).code, 0);
  assert.deepEqual(await cli.listStateFiles(), []);
  // The server deletes in a job.
  await until(async () => (await cli.owner.call(listUploads)).length === 0);
});

test('a transfer that another process is sending cannot be discarded', async (t) => {
  const { cli, proxy } = await prepare(t);
  const seen = Promise.withResolvers<void>();
  proxy.decide = (request) => {
    if (!isChunk(request)) return undefined;
    seen.resolve();
    return { kind: 'silence' };
  };
  const running = cli.start(['send', 'big.bin']);
  await seen.promise;
  const { code, stderr } = await cli.run(['resume', '--discard']);
  assert.equal(code, 1);
  assert.match(stderr, /is already working on this transfer/);
  assert.equal((await cli.owner.call(listUploads)).length, 1);
  running.kill('SIGINT');
  await running.result;
  assert.equal((await cli.run(['resume', '--discard'])).code, 0);
  assert.deepEqual(await cli.listStateFiles(), []);
});

test('discarding deletes no transfer that is ready, even if the server fails to say so', async (t) => {
  const { cli, proxy } = await prepare(t);
  await writeFile(join(cli.folder, 'small.txt'), 'small');
  proxy.decide = ({ url }) => (url.startsWith('/api/upload/complete') ? { kind: 'lose-answer' } : undefined);
  const running = cli.start(['send', 'small.txt']);
  await until(async () => (await cli.owner.call(listTransfers)).length === 1);
  running.kill('SIGKILL');
  await running.result;
  let failures = 0;
  proxy.decide = ({ method, url }) =>
    method === 'GET' && url.startsWith('/api/transfers/') && failures++ === 0
      ? { kind: 'answer', status: 500, code: 'InternalError' }
      : undefined;
  const { code, stderr } = await cli.run(['resume', '--discard']);
  assert.equal(code, 0, stderr);
  assert.equal(failures, 2);
  assert.equal((await cli.owner.call(listTransfers)).length, 1);
});

function countChunks({ seen }: FaultProxy): number {
  return seen.filter(isChunk).length;
}

/** Resolves when this many bytes of the large file have been written. */
async function waitForPart(cli: Cli, bytes: number): Promise<void> {
  for (;;) {
    const [part] = globSync('out/sendwell-*.part/big.bin', { cwd: cli.folder });
    const size = part ? (await stat(join(cli.folder, part))).size : 0;
    if (size >= bytes) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
