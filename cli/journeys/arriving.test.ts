import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { CHUNK_BYTES } from '../../contracts/plans/limits.ts';
import { listArriving } from '../../contracts/transfers/arrival.ts';
import { completeUploads } from '../../contracts/transfers/uploads/uploads.ts';
import { sharePath } from '../../contracts/values/addresses/links.ts';
import { readTree, writeTree } from '../../testing/lib/file-trees.ts';
import { until } from '../../testing/lib/until.ts';
import { startFaultProxy } from '../../testing/network/fault-proxy.ts';
import { prepareCli } from '../../testing/processes/cli-process.ts';
import { shareServerProcess, startServerProcess } from '../../testing/processes/server-process.ts';
import { publishFiles, storeChunk } from '../../testing/uploads/arriving-transfers.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';

const FILM = { name: 'film.mp4', bytes: makeBytes(2 * CHUNK_BYTES + 1_000, 'film') };

test('receive --follow receives a file as it arrives, also while the server restarts', async (t) => {
  const server = await startServerProcess(t);
  const cli = await prepareCli(t, server);
  const sender = cli.owner;
  const arriving = await publishFiles(sender, [FILM]);
  const [film] = arriving.files;
  const link = server.url + sharePath(arriving.token);
  await storeChunk(sender, film!, 0);
  const refused = await cli.run(['receive', link, '--to', 'early']);
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /still being uploaded; 49 % have arrived\. Add --follow/);

  const receiving = cli.run(['receive', link, '--to', 'out', '--follow']);
  await until(async () => {
    const rows = server.withDatabase((db) => db.prepare('select count(*) as count from downloads').get());
    return Number(rows?.count) === 1;
  });
  await server.restart();
  await storeChunk(sender, film!, 2);
  await storeChunk(sender, film!, 1);
  await sender.call(completeUploads, { body: { transferId: arriving.id, uploadIds: [film!.uploadId] } });
  const received = await receiving;
  assert.equal(received.code, 0, received.stderr);
  assert.ok((await readFile(join(cli.folder, 'out/film.mp4'))).equals(FILM.bytes));
});

test('send --share-now prints the link before the files have arrived', async (t) => {
  const cli = await prepareCli(t);
  await writeTree(cli.folder, { 'film.mp4': FILM.bytes, 'note.txt': Buffer.from('hello') });
  const sent = await cli.run(['send', 'film.mp4', 'note.txt', '--share-now', '--title', 'Both']);
  assert.equal(sent.code, 0, sent.stderr);
  const link = sent.stdout.trim();
  assert.ok(sent.stderr.includes(`Link: ${link}\n`), sent.stderr);
  assert.deepEqual(await cli.owner.call(listArriving), [], 'everything has arrived');
  const received = await cli.run(['receive', link, '--to', 'out']);
  assert.equal(received.code, 0, received.stderr);
  assert.ok((await readFile(join(cli.folder, 'out/film.mp4'))).equals(FILM.bytes));
});

test('an encrypted folder is received while it is being sent, although answers are lost', async (t) => {
  const server = await shareServerProcess();
  const proxy = await startFaultProxy(server.url);
  t.after(() => proxy.stop());
  const cli = await prepareCli(t, server, proxy.endpoint);
  const tree = {
    'show/film.mp4': makeBytes(6 * CHUNK_BYTES + 1_000, 'film'),
    'show/note.txt': Buffer.from('hello'),
  };
  await writeTree(cli.folder, tree);
  const seenChunks = new Set<string>();
  let isReceiving = false;
  proxy.decide = ({ method, url }) => {
    if (method === 'GET' && url.endsWith('/all')) isReceiving = true;
    if (!url.startsWith('/api/upload/chunk/')) return undefined;
    if (!isReceiving && seenChunks.size === 3) return { kind: 'cut-request' };
    if (seenChunks.has(url)) return undefined;
    seenChunks.add(url);
    // The server has the chunk, so it refuses the same segments with other nonces.
    return seenChunks.size % 2 === 0 ? { kind: 'lose-answer' } : undefined;
  };

  const sending = cli.start(['send', 'show', '--encrypt', '--share-now', '--message', 'Hidden']);
  let link = '';
  await until(async () => {
    link = /^Link: (\S+)$/m.exec(sending.stderr)?.[1] ?? '';
    return link !== '';
  });
  const received = await cli.runJson(['receive', link, '--to', 'out', '--follow']);
  assert.equal(received.code, 0, received.stderr);
  assert.deepEqual(await readTree(join(cli.folder, 'out')), tree);
  const sent = await sending.result;
  assert.equal(sent.code, 0, sent.stderr);
  assert.equal(sent.stdout.trim(), link);

  // The sums are in the list from now on.
  const verified = await cli.run(['verify', link, 'out']);
  assert.deepEqual([verified.code, verified.stdout], [0, '2 files verified, 0 wrong or missing\n']);
});
