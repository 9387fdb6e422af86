import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';

const LINES = 2_000;

const PROGRAM = `
  import { createLog, logStrayOutput } from ${JSON.stringify(join(import.meta.dirname, 'log.ts'))};
  const log = createLog('info');
  logStrayOutput(log);
  process.emitWarning('a process warning');
  await new Promise(setImmediate);
  console.warn('a library says %d', 7);
  for (let number = 0; number < ${LINES}; number += 1) log.info({ number }, 'line');
  process.stderr.write('ending', () => process.exit(0));
`;

test('lines that wait for a slow reader are written in order before the process exits', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [message] = await once(child.stderr, 'data');
  assert.equal(String(message), 'ending');
  let output = '';
  child.stdout.on('data', (bytes) => {
    output += bytes;
  });
  await once(child, 'close');
  const events = output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.match(events[0].err.message, /a process warning/);
  assert.equal(events[1].msg, 'a library says 7');
  const numbers = events.slice(2).map(({ number }) => number);
  assert.deepEqual(
    numbers,
    Array.from({ length: LINES }, (_, index) => index),
  );
});
