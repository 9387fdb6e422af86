import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { filesAreOnDisk } from '../../../../testing/storage/test-storage.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { sendTransfer } from '../../../../testing/uploads/send-transfer.ts';
import { makeBytes } from '../../../../testing/uploads/upload-files.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { Metrics } from '../../../platform/metrics/metrics.ts';
import { ChunkTimes } from './chunk-times.ts';

type Line = { level: string; fields: Record<string, unknown>; message: string };

function recordLog() {
  const lines: Line[] = [];
  const write = (level: string) => (fields: Record<string, unknown>, message: string) =>
    void lines.push({ level, fields, message });
  return { lines, log: { info: write('info'), warn: write('warn') } as never };
}

test('uploads are timed by phase, including disk syncs or S3 requests', async (t) => {
  const server = await startTestServer(t);
  await sendTransfer(await server.signIn('paula'), [{ fileName: 'a.bin', bytes: makeBytes(100_000, 'a') }]);
  const text = await (await fetch(`${server.url}/metrics`)).text();
  for (const phase of ['client', 'lease', 'storage', 'database'])
    assert.match(text, new RegExp(`sendwell_chunk_phase_seconds_count\\{phase="${phase}"\\} 1\n`));
  if (filesAreOnDisk) assert.match(text, /sendwell_disk_sync_seconds_count\{target="file"\} [1-9]/);
  else assert.match(text, /sendwell_s3_request_seconds_count\{operation="PutObject",outcome="ok"\} [1-9]/);
});

test('a chunk that is slow because of the server logs one warning with its phases', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const { lines, log } = recordLog();
  const times = new ChunkTimes({ metrics: new Metrics(), log }, { uploadId: 'u1', index: 3 });
  await times.run(async () => {
    now += 10;
    times.enter();
    await times.ofDatabase(async () => {
      now += 20;
    });
    await times.ofStorage(async (waited) => {
      now += 5_000;
      waited.forBytesMs = 1_000;
    });
  });
  assert.deepEqual(lines, [
    {
      level: 'warn',
      message: 'slow chunk',
      fields: {
        uploadId: 'u1',
        index: 3,
        outcome: 'stored',
        totalMs: 5_030,
        clientMs: 1_000,
        leaseMs: 10,
        storageMs: 4_000,
        databaseMs: 20,
      },
    },
  ]);
});

test('a slow client logs no warning, a quick chunk nothing', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const { lines, log } = recordLog();
  const receive = async (milliseconds: number) => {
    const times = new ChunkTimes({ metrics: new Metrics(), log }, { uploadId: 'u1', index: 0 });
    await times.run(async () => {
      times.enter();
      await times.ofStorage(async (waited) => {
        now += milliseconds;
        waited.forBytesMs = milliseconds;
        if (milliseconds > 60_000) throw new AppError('chunk_cut_short');
      });
    });
  };
  await receive(1_000);
  assert.deepEqual(lines, []);
  await receive(40_000);
  await assert.rejects(receive(70_000));
  assert.deepEqual(
    lines.map(({ level, fields: { outcome } }) => ({ level, outcome })),
    [
      { level: 'info', outcome: 'stored' },
      { level: 'info', outcome: 'chunk_cut_short' },
    ],
  );
});

test('waiting for the sender counts as the client’s time, not the storage’s', async (t) => {
  const server = await startTestServer(t);
  const { blobs } = server.context;
  const place = {
    storageKey: 'k'.repeat(22),
    offset: 0,
    sizeBytes: 20,
    firstSlot: 0,
    chunkSize: 20,
    chunkCount: 1,
  };
  const slowly = async function* () {
    yield Buffer.alloc(10);
    await sleep(60);
    yield Buffer.alloc(10);
  };
  const waited = { forBytesMs: 0 };
  await blobs.prepare(place);
  await blobs.writeChunk(place, { index: 0, stream: Readable.from(slowly()), waited });
  assert.ok(waited.forBytesMs >= 50, String(waited.forBytesMs));
});
