import assert from 'node:assert/strict';
import { test } from 'vitest';
import type { RequestSeen } from '../../../../contracts/admin/system.ts';
import { MIB } from '../../../../contracts/values/sizes.ts';
import { judgeAddress, judgeUploads } from './proxy-findings.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const SEEN: RequestSeen = {
  publicUrl: 'https://send.example',
  protocol: 'https',
  host: 'send.example',
  ip: '203.0.113.9',
  trustsProxy: true,
  forwarded: { 'x-forwarded-proto': 'https' },
  serverTime: new Date(NOW).toISOString(),
};
const BROWSER = {
  origin: 'https://send.example',
  protocol: 'https',
  host: 'send.example',
  sentAt: NOW - 20,
  receivedAt: NOW + 20,
};

function statesOf(seen: Partial<RequestSeen>): string[] {
  return judgeAddress({ ...SEEN, ...seen }, BROWSER).map(({ state }) => state);
}

test('a correctly configured proxy passes all checks', () => {
  const checks = judgeAddress(SEEN, BROWSER);
  assert.deepEqual(
    checks.map(({ state, fix }) => [state, fix]),
    [
      ['ok', null],
      ['ok', null],
      ['ok', null],
    ],
  );
});

test('each problem has its own fix', () => {
  assert.deepEqual(statesOf({ publicUrl: 'http://localhost:3000' }), ['failed', 'ok', 'ok']);
  assert.deepEqual(statesOf({ protocol: 'http' }), ['ok', 'failed', 'ok']);
  assert.deepEqual(statesOf({ trustsProxy: false }), ['ok', 'warning', 'ok']);
  assert.deepEqual(statesOf({ serverTime: '2026-11-21T12:05:00Z' }), ['ok', 'ok', 'warning']);
  const [address] = judgeAddress({ ...SEEN, publicUrl: 'http://localhost:3000' }, BROWSER);
  assert.match(address!.fix!, /PUBLIC_URL=https:\/\/send\.example/);
});

const through = (sentBytes: number, browserMs: number, serverMs: number) => ({
  sentBytes,
  browserMs,
  serverMs,
  arrivedBytes: sentBytes,
});

test('uploads that arrive as they are sent pass all checks', () => {
  const checks = judgeUploads([through(5 * MIB, 200, 190), through(64 * MIB, 2_000, 1_900)]);
  assert.deepEqual(
    checks.map(({ state }) => state),
    ['ok', 'ok', 'ok'],
  );
  assert.match(checks[2]!.found, /32 MB a second/);
});

test('a limit below a chunk is a failure, one above it a warning, each with its directive', () => {
  const [small] = judgeUploads([
    through(MIB / 2, 50, 40),
    { sentBytes: 5 * MIB, browserMs: 60, status: 413 },
  ]);
  assert.equal(small!.state, 'failed');
  assert.match(small!.fix!, /client_max_body_size 0/);
  const [large] = judgeUploads([
    through(16 * MIB, 50, 40),
    { sentBytes: 64 * MIB, browserMs: 60, status: 413 },
  ]);
  assert.equal(large!.state, 'warning');
});

test('an upload that is cut off is reported as a timeout', () => {
  const [, time] = judgeUploads([
    through(5 * MIB, 50, 40),
    { sentBytes: 16 * MIB, browserMs: 60_000, status: 504 },
  ]);
  assert.equal(time!.state, 'failed');
  assert.match(time!.found, /60\.0 s with status 504/);
});

test('a buffering proxy is detected by comparing browser and server durations', () => {
  const [, , streaming] = judgeUploads([through(64 * MIB, 8_000, 300)]);
  assert.equal(streaming!.state, 'warning');
  assert.match(streaming!.fix!, /proxy_request_buffering off/);
});
