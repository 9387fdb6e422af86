import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from './log.ts';

function logToLines(level: 'info' | 'warn') {
  const lines: string[] = [];
  return { log: createLog(level, { write: (line) => lines.push(line) }), lines };
}

test('writes one JSON line with time, level, message and fields', () => {
  const { log, lines } = logToLines('info');
  log.child({ job: 'sweep' }).info({ removed: 3 }, 'Removed what had expired.');
  const event = JSON.parse(lines.join(''));
  assert.equal(event.level, 'info');
  assert.equal(event.msg, 'Removed what had expired.');
  assert.equal(event.job, 'sweep');
  assert.equal(event.removed, 3);
  assert.match(event.time, /^\d{4}-\d\d-\d\dT/);
});

test('hides secrets at the top level, in objects and in headers', () => {
  const { log, lines } = logToLines('info');
  log.info(
    {
      password: 'S3CRET-1',
      body: { code: 'S3CRET-2', token: 'S3CRET-3', name: 'kept' },
      list: [{ Password: 'S3CRET-7' }],
      req: { headers: { authorization: 'S3CRET-4', cookie: 'S3CRET-5', 'set-cookie': 'S3CRET-6' } },
    },
    'A request.',
  );
  log.child({ token: 'S3CRET-8' }).warn('A child.');
  assert.doesNotMatch(lines.join(''), /S3CRET/);
  assert.match(lines.join(''), /kept/);
});

test('omits lines below its level', () => {
  const { log, lines } = logToLines('warn');
  log.info('Not interesting.');
  assert.deepEqual(lines, []);
});

test('logs the code of an error', () => {
  const { log, lines } = logToLines('info');
  log.error({ err: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) }, 'No connection.');
  assert.equal(JSON.parse(lines.join('')).err.code, 'ECONNREFUSED');
});
