import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { CHUNK_BYTES, planChunks } from '../../../../contracts/plans/limits.ts';
import { completeUploads } from '../../../../contracts/transfers/uploads/uploads.ts';
import { fileDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import { until } from '../../../../testing/lib/until.ts';
import { filesAreOnDisk } from '../../../../testing/storage/test-storage.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { publishFiles, storeChunk } from '../../../../testing/uploads/arriving-transfers.ts';
import { makeBytes } from '../../../../testing/uploads/upload-files.ts';
import { arrivalsOf } from '../../uploads/index.ts';

const FILM = { name: 'film.mp4', bytes: makeBytes(3 * CHUNK_BYTES + 77_777, 'film') };

/** Programs that know nothing about arriving files. Each is run until it succeeds, as people do by hand. */
const CLIENTS = [
  {
    program: 'curl',
    args: (url: string) => ['-sS', '--fail', '-C', '-', '--max-time', '2', '-o', 'out', url],
  },
  { program: 'wget', args: (url: string) => ['-q', '-c', '--timeout=2', '--tries=1', '-O', 'out', url] },
  {
    program: 'aria2c',
    args: (url: string) => [
      ...['-q', '-x4', '-s4', '-k1M', '--timeout=5', '--max-tries=1', '--allow-overwrite=true'],
      ...['-o', 'out', url],
    ],
  },
];

for (const { program, args } of CLIENTS) {
  const isThere = spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
  const skip =
    (!isThere && `no ${program} here`) || (!filesAreOnDisk && 'files are downloaded one by one there');
  test(`${program} receives a file as it arrives`, { skip, timeout: 300_000 }, async (t) => {
    const server = await startTestServer(t);
    const sender = await server.signIn('paula');
    const transfer = await publishFiles(sender, [FILM]);
    const [film] = transfer.files;
    const folder = await mkdtemp(join(tmpdir(), 'sendwell-client-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const url = server.url + fileDownloadPath(transfer.token, film!.uploadId);

    let hasEnded = false;
    const receive = async () => {
      for (let tries = 0; (await run(program, args(url), folder)) !== 0; tries += 1)
        assert.ok(tries < 100, `${program} does not succeed`);
      hasEnded = true;
    };
    const receiving = receive();
    const stored = new Set<number>();
    const arrivals = arrivalsOf(server.context);
    const { totalChunks } = planChunks(FILM.bytes.length);
    while (stored.size < totalChunks) {
      let wanted: number | undefined;
      // A chunk that is stored wakes its readers a moment later.
      await until(async () => {
        wanted = arrivals.findWanted(film!.uploadId);
        return hasEnded || (wanted !== undefined && !stored.has(wanted));
      });
      assert.ok(wanted !== undefined, `${program} has ended before the file had arrived`);
      await storeChunk(sender, film!, wanted);
      stored.add(wanted);
    }
    await sender.call(completeUploads, {
      body: { transferId: transfer.id, uploadIds: [film!.uploadId] },
    });
    await receiving;
    assert.ok((await readFile(join(folder, 'out'))).equals(FILM.bytes));
  });
}

function run(program: string, args: string[], cwd: string): Promise<number> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd }, (error) => resolve(error ? 1 : 0));
  });
}
