import assert from 'node:assert/strict';
import test from 'node:test';
import { getCurrentUser } from '../../../contracts/accounts/accounts.ts';
import {
  SESSION_BULK_CALLS_PER_MINUTE,
  SESSION_CALLS_PER_MINUTE,
} from '../../../contracts/accounts/settings.ts';
import { MAX_FILES_PER_CALL, MAX_FILES_PER_TRANSFER } from '../../../contracts/plans/limits.ts';
import { listUploads } from '../../../contracts/transfers/uploads.ts';
import { startTestServer, type TestServer } from '../../../testing/test-context.ts';
import { openVisit } from '../../../testing/visitors/visitor-uploads.ts';
import { MINUTE_MS } from '../../platform/lib/clock.ts';

async function useUp({ context, clock }: TestServer, key: string, count: number): Promise<void> {
  const row = { key, count, windowEndsAt: clock.now() + MINUTE_MS };
  await context.db
    .insertInto('rateCounters')
    .values(row)
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute();
}

test('an account whose sessions have used up their calls waits for the next minute', async (t) => {
  const server = await startTestServer(t);
  const laptop = await server.signIn('frida');
  await useUp(server, `session-calls:${server.userId('frida')}`, SESSION_CALLS_PER_MINUTE - 1);
  await laptop.call(getCurrentUser);
  const refused = await (await server.signIn('frida')).fetch('/api/user');
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get('retry-after'), '60');
  assert.match(await refused.text(), /^This account has made 6000 requests in the last minute\. Please wait/);
  await laptop.call(listUploads);
  await (await server.signIn('paula')).call(getCurrentUser);
  server.clock.advance(MINUTE_MS);
  await laptop.call(getCurrentUser);
});

test('visitors use up no calls of the account that invited them', async (t) => {
  const { server, prem, vera } = await openVisit(t);
  await useUp(server, `session-bulk:${server.userId('prem')}`, SESSION_BULK_CALLS_PER_MINUTE);
  await assert.rejects(prem.call(listUploads), { status: 429, code: 'call_limit_exceeded' });
  await vera.list();
});

test('sending the largest transfer in one minute stays within the calls of an account', () => {
  const announcements = MAX_FILES_PER_TRANSFER / MAX_FILES_PER_CALL;
  const calls = MAX_FILES_PER_TRANSFER + 2 * announcements;
  assert.ok(calls < SESSION_BULK_CALLS_PER_MINUTE);
});
