import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MIB } from '../../../contracts/values/sizes.ts';
import { onlyInAll } from '../../../testing/lib/only-in-all.ts';
import { until } from '../../../testing/lib/until.ts';
import { type ServerProcess, startServerProcess } from '../../../testing/processes/server-process.ts';
import { makeEndlessPdf, makeHostileFiles, makePicture } from '../../../testing/uploads/hostile-files.ts';
import { sendTransfer } from '../../../testing/uploads/send-transfer.ts';

/** Files without a picture so far; undefined until all files are detected. */
function countWaiting(server: ServerProcess, fileCount: number): number | undefined {
  return server.withDatabase((database) => {
    const count = (where: string) =>
      Number(database.prepare(`select count(*) as n from "filePreviews" where ${where}`).get()!.n);
    return count('true') < fileCount ? undefined : count(`state = 'waiting' and attempts < 2`);
  });
}

function listChildren({ pid }: ServerProcess): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

/** Response time of the readiness probe in milliseconds. */
async function probe(server: ServerProcess): Promise<number> {
  const start = performance.now();
  const response = await fetch(`${server.url}/healthz`);
  await response.arrayBuffer();
  assert.equal(response.status, 200);
  return performance.now() - start;
}

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

test(
  'fifty concurrent hostile files affect neither the server’s memory nor other requests',
  onlyInAll,
  async (t) => {
    const server = await startServerProcess(t);
    const ada = await server.signIn();
    const hostile = (await makeHostileFiles()).filter(({ bytes }) => bytes.length < MIB);
    const files = Array.from({ length: 50 }, (_, index) => {
      const { name, bytes } = hostile[index % hostile.length]!;
      return { fileName: `${index}-${name}`, bytes };
    });
    files.push({ fileName: 'honest.png', bytes: await makePicture('png') });

    const idle: number[] = [];
    for (let index = 0; index < 20; index += 1) idle.push(await probe(server));
    const { token, fileIds } = await sendTransfer(ada, files);
    const rssBefore = server.rssBytes();
    const busy: number[] = [];
    let rssMost = 0;
    const renderers = new Set<number>();
    for (let polls = 0; countWaiting(server, files.length) !== 0; polls += 1) {
      assert.ok(polls < 5_000, 'it never finishes');
      await sleep(20);
      busy.push(await probe(server));
      rssMost = Math.max(rssMost, server.rssBytes());
      for (const pid of listChildren(server)) renderers.add(pid);
    }
    assert.ok(renderers.size > 0, 'a renderer process ran');
    assert.ok(
      !readFileSync(`/proc/${server.pid}/maps`, 'utf8').includes('vips'),
      'no decoder is in the server',
    );
    assert.ok(rssMost - rssBefore < 150 * MIB, `it grew by ${rssMost - rssBefore}`);
    assert.ok(median(busy) < 25 * Math.max(2, median(idle)), `${median(busy)} ms, idle ${median(idle)} ms`);

    const picture = await server.anonymous().fetch(`/api/download/${token}/thumbnail/${fileIds.at(-1)}`);
    assert.equal(picture.status, 200, 'the valid file after them has its picture');
    const none = await server.anonymous().fetch(`/api/download/${token}/thumbnail/${fileIds[0]}`);
    assert.equal(none.status, 404);
  },
);

test('a stopping server does not wait for a file that never finishes, and leaves no process', async (t) => {
  const server = await startServerProcess(t);
  const ada = await server.signIn();
  await sendTransfer(ada, [{ fileName: 'endless.pdf', bytes: makeEndlessPdf() }]);
  await until(async () => listChildren(server).length > 0);
  const children = listChildren(server);
  assert.equal(await server.terminate(), 0);
  for (const pid of children) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  assert.ok(!readdirSync(server.dataDir).includes('rendering'));
  const [row] = server.withDatabase((database) =>
    database.prepare('select attempts from "filePreviews"').all(),
  );
  assert.equal(row!.attempts, 0, 'stopping is not the file’s fault');
});
