import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { MINUTE_MS } from '../../../contracts/values/durations.ts';
import { until } from '../../../testing/lib/until.ts';
import { prepareServerProcess } from '../../../testing/processes/server-process.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { AppError } from '../lib/app-error.ts';

test('readiness names the part that fails, and logs each change of its state once', async (t) => {
  const server = await startTestServer(t);
  const { blobs, log } = server.context;
  const ask = async () => {
    const answer = await fetch(`${server.url}/readyz`);
    return { status: answer.status, text: await answer.text() };
  };
  assert.deepEqual(await ask(), { status: 200, text: '{"status":"ok"}' });
  const lines: unknown[] = [];
  log.error = log.info = (fields: unknown) => void lines.push(fields);
  const check = t.mock.method(blobs, 'check', () =>
    Promise.reject(new AppError('unavailable', { cause: new Error('The disk returned other bytes') })),
  );
  for (let probe = 0; probe < 3; probe += 1)
    assert.deepEqual(await ask(), { status: 503, text: 'The storage does not answer.' });
  assert.deepEqual(lines, [{ part: 'storage', reason: 'The disk returned other bytes' }]);

  server.clock.advance(MINUTE_MS);
  check.mock.mockImplementation(() => Promise.reject(new AppError('storage_full')));
  const full = await ask();
  assert.equal(full.status, 200);
  assert.match(full.text, /"degraded".*The disk is full/);

  check.mock.restore();
  server.clock.advance(MINUTE_MS);
  assert.equal((await ask()).status, 200);
  assert.deepEqual(lines.slice(2), [{ part: 'storage' }]);
});

test('a missing bucket is reported once at the start, and S3 errors are logged as JSON', async (t) => {
  const s3 = createServer((request, response) =>
    response.writeHead(404).end(request.method === 'HEAD' ? '' : '<Error><Code>NoSuchBucket</Code></Error>'),
  );
  await new Promise<void>((resolve) => s3.listen(0, '127.0.0.1', resolve));
  t.after(() => s3.close());
  const { port } = s3.address() as AddressInfo;
  const server = await prepareServerProcess(t, {
    S3_BUCKET: 'no-such-bucket',
    S3_ENDPOINT: `http://127.0.0.1:${port}`,
    S3_ACCESS_KEY_ID: 'key',
    S3_SECRET_ACCESS_KEY: 'secret',
    S3_FORCE_PATH_STYLE: 'on',
  });
  const advice = 'There is no bucket “no-such-bucket”. Create it, or correct S3_BUCKET.';
  server.launch();
  const first = await server.waitForExit();
  assert.equal(first.code, 1);
  assert.ok(first.output.includes(advice), first.output);

  // A server that has used the bucket before starts anyway, but isn't ready.
  const record = JSON.stringify({ id: 'an-installation-id-of-26-ch', storages: ['bucket'] });
  server.withDatabase((db) =>
    db
      .prepare("insert into settings (id, key, value, \"updatedAt\") values ('i', 'installation', ?, 0)")
      .run(record),
  );
  server.launch();
  await until(async () => server.output.includes('no-such-bucket'));
  const answers = await Promise.all([1, 2, 3].map(() => server.anonymous().fetch('/readyz')));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [503, 503, 503],
  );
  const lines = server.output.trimEnd().split('\n');
  const reasons = lines.map((line) => JSON.parse(line).reason).filter(Boolean);
  assert.deepEqual(reasons, [advice]);
});
