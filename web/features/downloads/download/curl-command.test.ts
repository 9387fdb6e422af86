import assert from 'node:assert/strict';
import { test } from 'vitest';
import { curlCommand } from './curl-command.ts';

const OPEN = {
  url: 'https://send.example/api/download/t/all',
  verifyUrl: 'https://send.example/api/download/t/verify',
  fileName: 'Rushes.zip',
  isProtected: false,
  isLimited: false,
};

test('an open transfer needs one plain line that can be repeated', () => {
  assert.equal(curlCommand(OPEN), "curl -C - -o 'Rushes.zip' 'https://send.example/api/download/t/all'");
});

test('a limited transfer keeps the cookie that makes going on free', () => {
  assert.match(curlCommand({ ...OPEN, isLimited: true }), /^curl -b (\S+) -c \1 -C - /);
});

test('a protected transfer is unlocked first', () => {
  const [unlock, download] = curlCommand({ ...OPEN, isProtected: true }).split('\n');
  assert.match(unlock!, /^curl -c \S+ --json .*'https:\/\/send\.example\/api\/download\/t\/verify'$/);
  assert.match(download!, / -b \S+ -c \S+ -C - /);
});

test('a file name cannot break out of its quotes', () => {
  const command = curlCommand({ ...OPEN, fileName: "it's $(rm -rf ~).mov" });
  assert.ok(command.includes(`-o 'it'\\''s $(rm -rf ~).mov' `));
});
