import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync, readSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { fileDownloadPath } from '../../../contracts/values/addresses/links.ts';
import { KIB, MIB } from '../../../contracts/values/sizes.ts';
import { until } from '../../../testing/lib/until.ts';
import { prepareServerProcess, type ServerProcess } from '../../../testing/processes/server-process.ts';
import { mountSmallDisk } from '../../../testing/storage/small-disk.ts';
import { sendTransfer, sha256 } from '../../../testing/uploads/send-transfer.ts';
import { makeBytes } from '../../../testing/uploads/upload-files.ts';

describe('a standard output that cannot be written', () => {
  test('as a file on a full disk: lost lines are counted, and the server keeps working', async (t) => {
    const disk = await mountSmallDisk(t, 4 * MIB);
    if (!disk) return;
    const path = join(disk.path, 'log');
    disk.fill(64 * KIB);
    const server = await launchLogging(t, openSync(path, 'a'));
    await serveWhileLogging(server);
    assert.equal(disk.freeBytes(), 0);
    disk.clear();
    await until(async () => readFileSync(path, 'utf8').includes('log lines were lost'));
    requireJsonLines(readFileSync(path, 'utf8'));
  });

  test('as a pipe that nobody reads: lost lines are counted, and the server keeps working', async (t) => {
    const { reader, writer } = openPipe();
    t.after(() => closeSync(reader));
    const server = await launchLogging(t, writer);
    await serveWhileLogging(server);
    let output = '';
    const buffer = Buffer.alloc(64 * KIB);
    await until(async () => {
      output += buffer.toString('utf8', 0, readAvailable(reader, buffer));
      return output.includes('log lines were lost');
    });
    requireJsonLines(output);
  });

  test('as a closed pipe: the server keeps working', async (t) => {
    const { reader, writer } = openPipe();
    const server = await launchLogging(t, writer);
    closeSync(reader);
    await serveWhileLogging(server);
    assert.equal(await server.terminate(), 0);
  });
});

async function launchLogging(t: TestContext, stdout: number): Promise<ServerProcess> {
  const server = await prepareServerProcess(t, { LOG_LEVEL: 'debug' });
  server.stdout = stdout;
  await server.start();
  closeSync(stdout);
  return server;
}

/** Makes the server log more than fits its buffer in memory, then uploads and downloads. */
async function serveWhileLogging(server: ServerProcess): Promise<void> {
  const client = server.anonymous();
  while ((await readDroppedLines(server)) === 0) {
    for (let round = 0; round < 20; round += 1)
      await Promise.all(
        Array.from({ length: 20 }, async () => assert.equal((await client.fetch('/healthz')).status, 200)),
      );
  }
  assert.ok(server.rssBytes() < 400 * MIB);
  const bytes = makeBytes(3 * MIB);
  const { token, fileIds } = await sendTransfer(await server.signIn(), [{ fileName: 'a.bin', bytes }]);
  const answer = await client.fetch(fileDownloadPath(token, fileIds[0]!));
  assert.equal(sha256(Buffer.from(await answer.arrayBuffer())), sha256(bytes));
}

async function readDroppedLines(server: ServerProcess): Promise<number> {
  const text = await (await server.anonymous().fetch('/metrics')).text();
  return Number(/^sendwell_log_lines_dropped_total (\d+)$/m.exec(text)![1]);
}

/** Asserts that all lines are complete and in order. The last one may still be in flight. */
function requireJsonLines(text: string): void {
  const lines = text.slice(0, text.lastIndexOf('\n')).split('\n');
  const times = lines.map((line) => JSON.parse(line).time as string);
  assert.deepEqual(times, times.toSorted());
  const loss = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg.startsWith('log lines were lost'));
  assert.ok(loss.lines > 0);
}

function openPipe(): { reader: number; writer: number } {
  const path = join(tmpdir(), `sendwell-pipe-${randomUUID()}`);
  spawnSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, constants.O_WRONLY);
  unlinkSync(path);
  return { reader, writer };
}

function readAvailable(fd: number, buffer: Buffer): number {
  try {
    return readSync(fd, buffer);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    throw error;
  }
}
