import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { appendFile, open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { SEGMENT_BYTES, SEGMENT_PLAIN_BYTES } from '../../contracts/transfers/encryption.ts';
import { listTransfers } from '../../contracts/transfers/transfers.ts';
import { MIB } from '../../contracts/values/sizes.ts';
import { writeTree } from '../../testing/lib/file-trees.ts';
import { onlyInAll } from '../../testing/lib/only-in-all.ts';
import { atChunk, isChunk, prepare, requireSame } from '../../testing/network/cut-line.ts';
import type { FaultProxy, SeenRequest } from '../../testing/network/fault-proxy.ts';
import { type Cli, prepareCli, type RunningCli } from '../../testing/processes/cli-process.ts';
import { type ServerProcess, startServerProcess } from '../../testing/processes/server-process.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';

const NONCE_BYTES = 24;

test(
  'after kill -9 resume completes an encrypted send, and only its owner can read the key meanwhile',
  onlyInAll,
  async (t) => {
    const { cli, proxy } = await prepare(t);
    const readNonces = collectNonces(proxy);
    const running = cli.start(['send', 'big.bin', '--encrypt', '--password', 'open sesame']);
    atChunk(proxy, 6, () => running.kill('SIGKILL'));
    const { signal, stderr } = await running.result;
    assert.equal(signal, 'SIGKILL');
    const [, early = ''] = /^Link: (.*)$/m.exec(stderr) ?? [];
    const [journal = ''] = await cli.listStateFiles();
    const path = join(cli.folder, 'state/sendwell', journal);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.ok((await readFile(path, 'utf8')).includes(early.slice(early.indexOf('#') + 1)));
    const resumed = await cli.runJson(['resume']);
    assert.equal(resumed.code, 0, resumed.stderr);
    assert.equal(resumed.facts.link, early, 'the link was printed before the first byte');
    assert.deepEqual(await cli.listStateFiles(), []);
    await requireSame(cli, early, ['--password', 'open sesame']);
    const nonces = readNonces();
    assert.ok(nonces.length >= 64);
    assert.equal(new Set(nonces).size, nonces.length);
  },
);

test(
  'cut connections, lost answers and changed files never repeat a nonce or an id',
  onlyInAll,
  async (t) => {
    const { cli, proxy } = await prepare(t);
    const readNonces = collectNonces(proxy);
    await writeFile(join(cli.folder, 'note.txt'), 'first');
    proxy.cutAt = Array.from({ length: 10 }, (_, cut) => (cut + 1) * 6 * MIB);
    const running = cli.start(['send', 'note.txt', 'big.bin', '--encrypt']);
    let chunks = 0;
    proxy.decide = (request) => {
      if (!isChunk(request)) return undefined;
      chunks += 1;
      if (chunks === 16) running.kill('SIGKILL');
      return chunks % 5 === 0 ? { kind: 'lose-answer' } : undefined;
    };
    await running.result;
    await appendFile(join(cli.folder, 'note.txt'), ' and more');
    const resumed = await cli.run(['resume']);
    assert.equal(resumed.code, 0, resumed.stderr);
    assert.match(resumed.stderr, /note\.txt has changed/);
    const nonces = readNonces();
    assert.equal(new Set(nonces).size, nonces.length);
    const received = await cli.run(['receive', resumed.stdout.trim(), '--to', 'out']);
    assert.equal(received.code, 0, received.stderr);
    assert.equal(await readFile(join(cli.folder, 'out/note.txt'), 'utf8'), 'first and more');
    const [sent, arrived] = await Promise.all(
      ['big.bin', 'out/big.bin'].map((path) => readFile(join(cli.folder, path))),
    );
    assert.ok(arrived!.equals(sent!));
  },
);

test('an encrypted download survives ten broken connections and counts once', onlyInAll, async (t) => {
  const { cli, proxy } = await prepare(t);
  await writeFile(join(cli.folder, 'small.txt'), 'small');
  const sent = await cli.runJson(['send', 'big.bin', 'small.txt', '--encrypt', '--max-downloads', '1']);
  assert.equal(sent.code, 0, sent.stderr);
  let cuts = 0;
  proxy.decide = ({ method, url }) =>
    method === 'GET' && url.endsWith('/all') && cuts++ < 10
      ? { kind: 'cut-answer', afterBytes: 5 * MIB + cuts }
      : undefined;
  await requireSame(cli, String(sent.facts.link));
  assert.ok(cuts > 10);
  const [transfer] = await cli.owner.call(listTransfers);
  assert.equal(transfer?.downloadCount, 1);
});

test('after kill -9 an encrypted receive resumes at the segment where it stopped', onlyInAll, async (t) => {
  const { cli, proxy } = await prepare(t);
  const { facts } = await cli.runJson(['send', 'big.bin', '--encrypt', '--max-downloads', '1']);
  const link = String(facts.link);
  let running: RunningCli | undefined;
  proxy.decide = ({ method, url }) => {
    if (method !== 'GET' || !url.includes('/file/') || running === undefined) return undefined;
    const killed = running;
    running = undefined;
    void waitForPart(cli, 20 * SEGMENT_PLAIN_BYTES).then(() => killed.kill('SIGKILL'));
    return { kind: 'cut-answer', afterBytes: 30 * MIB + 1 };
  };
  running = cli.start(['receive', link, '--to', 'out']);
  const first = running;
  assert.equal((await first.result).signal, 'SIGKILL');
  proxy.seen.length = 0;
  await requireSame(cli, link);
  const ranges = proxy.seen.filter(({ url }) => url.includes('/file/')).map(({ range }) => range);
  assert.equal(ranges.length, 1);
  const [, from] = /^bytes=(\d+)-$/.exec(ranges[0] ?? '') ?? [];
  assert.ok(Number(from) >= 20 * SEGMENT_BYTES, `it resumed at ${from}`);
  assert.equal(Number(from) % SEGMENT_BYTES, 0);
  const [transfer] = await cli.owner.call(listTransfers);
  assert.equal(transfer?.downloadCount, 1);
});

test('of ciphertext that is damaged on the server, nothing is released', onlyInAll, async (t) => {
  const server = await startServerProcess(t);
  const cli = await prepareCli(t, server);
  await writeTree(cli.folder, { 'd/a.txt': Buffer.from('a'), 'd/b.bin': makeBytes(9_000_000, 'b') });
  const { facts } = await cli.runJson(['send', 'd', '--encrypt']);
  await flipByte(server, 7_000_000);
  const received = await cli.runJson(['receive', String(facts.link), '--to', 'out', '--give-up-after', '1']);
  assert.equal(received.code, 1, received.stderr);
  assert.match(String(received.facts.error), /b\.bin .*damaged/);
  assert.deepEqual(globSync('out/d/**', { cwd: cli.folder }), []);
});

test('a file that another version replaced on the server is not released', onlyInAll, async (t) => {
  const server = await startServerProcess(t);
  const cli = await prepareCli(t, server);
  await writeTree(cli.folder, { 'a.bin': makeBytes(3_000_000, 'a'), 'b.bin': makeBytes(3_000_000, 'b') });
  const { facts } = await cli.runJson(['send', 'a.bin', 'b.bin', '--encrypt']);
  server.withDatabase((database) => {
    database.exec(`
      update files set "originalName" = 'x' || "originalName";
      update files set "originalName" = (select substr(o."originalName", 2) from files o where o.id <> files.id)
      where "originalName" like 'x%'`);
  });
  const received = await cli.runJson(['receive', String(facts.link), '--to', 'out']);
  assert.equal(received.code, 1, received.stderr);
  assert.deepEqual(globSync('out/*.bin', { cwd: cli.folder }), []);
});

/** Returns a function that reads the nonces of all segments that arrived. Each is at the beginning of a segment. */
function collectNonces(proxy: FaultProxy): () => string[] {
  const bodies = new Map<SeenRequest, Buffer[]>();
  proxy.onBody = (request, bytes) => {
    if (isChunk(request)) bodies.set(request, [...(bodies.get(request) ?? []), bytes]);
  };
  return () =>
    [...bodies.values()].flatMap((pieces) => {
      const body = Buffer.concat(pieces);
      const segments = Math.ceil((body.length - NONCE_BYTES) / SEGMENT_BYTES);
      return Array.from({ length: Math.max(0, segments) }, (_, index) =>
        body.toString('hex', index * SEGMENT_BYTES, index * SEGMENT_BYTES + NONCE_BYTES),
      );
    });
}

/** Of the largest stored file. */
async function flipByte({ dataDir }: ServerProcess, offset: number): Promise<void> {
  const blobs = join(dataDir, 'blobs');
  const entries = await readdir(blobs, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
  const path = paths[sizes.indexOf(Math.max(...sizes))]!;
  const file = await open(path, 'r+');
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, offset);
  byte[0]! ^= 1;
  await file.write(byte, 0, 1, offset);
  await file.close();
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
